"""The commands that a person may type beside moves. A command returns whether the turn is over."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from luozi.messages import LuoziError, Message, translate
from luozi.records.files import load_record
from luozi.rules.move_names import IllegalMoveError
from luozi.terminal.lists import show_search_result
from luozi.terminal.thinking import Leave
from luozi.util.parsing import path_of

if TYPE_CHECKING:
    from luozi.terminal.session import TerminalSession


@dataclass(frozen=True)
class TerminalCommand:
    """A command: its usage, its function and its meaning."""

    usage: str
    run: Callable[[TerminalSession, str], bool]
    meaning: Message


def undo(session: TerminalSession, argument: str) -> bool:
    """Take back all moves since a person's last turn."""
    table = session.table
    if table.resigned is not None:
        table.take_back(0)
        return True
    line = [table.position.back(back) for back in range(1, len(table.actions) + 1)]
    turns = [back for back, before in enumerate(line, 1) if before.to_move in session.persons]
    if not turns:
        raise LuoziError("there is no move of yours to take back")
    table.take_back(turns[0])
    return True


def hint(session: TerminalSession, argument: str) -> bool:
    """Show the candidates of a search by the hint player."""
    adviser, position = session.adviser, session.table.position
    session.prepare([adviser])
    action = session.waiting.choose(
        adviser, position, translate("{player} searches for a hint", player=adviser.spelling)
    )
    if adviser.thought is None:
        remark = f" ({translate(adviser.remark)})" if adviser.remark else ""
        name = position.name(action)
        session.say(translate("{player} would play {move}", player=adviser.spelling, move=name) + remark)
    else:
        show_search_result(session.console, adviser.thought)
        if adviser.remark:
            session.say(translate(adviser.remark))
    return False


def resign(session: TerminalSession, argument: str) -> bool:
    """Resign for the person to move."""
    session.table.resigned = session.table.to_move
    return True


def save(session: TerminalSession, argument: str) -> bool:
    """Save the record now."""
    session.write(named_file(argument, "save"))
    return False


def load(session: TerminalSession, argument: str) -> bool:
    """Continue from a record of the same game."""
    record = load_record(named_file(argument, "load"), session.game.spelling)
    if record.game.spelling != session.game.spelling:
        raise LuoziError(
            "{file} is a record of {game}, but this is {here}",
            file=argument,
            game=record.game.spelling,
            here=session.game.spelling,
        )
    session.table.go_on(record)
    return True


def moves(session: TerminalSession, argument: str) -> bool:
    """Print all legal moves."""
    position = session.table.position
    session.console.print(" ".join(map(position.name, position.actions)), markup=False)
    return False


def board(session: TerminalSession, argument: str) -> bool:
    """Print the board again."""
    session.show_board()
    return False


def show_help(session: TerminalSession, argument: str) -> bool:
    """Print all commands."""
    width = max(len(command.usage) for command in COMMANDS.values())
    session.say(translate("Type a move by its name, or:"))
    for command in COMMANDS.values():
        session.say(f"  {command.usage.ljust(width)}  {translate(command.meaning)}")
    return False


def leave(session: TerminalSession, argument: str) -> bool:
    """Quit the game."""
    raise Leave


COMMANDS = {
    "undo": TerminalCommand("undo", undo, Message("take back everything since your previous turn")),
    "hint": TerminalCommand("hint", hint, Message("the best moves and their win rates")),
    "resign": TerminalCommand("resign", resign, Message("resign: you get 0, the others share the win equally")),
    "save": TerminalCommand("save FILE", save, Message("write the record; an existing file is not overwritten")),
    "load": TerminalCommand("load FILE", load, Message("go on with a record of the same game")),
    "moves": TerminalCommand("moves", moves, Message("all legal moves")),
    "board": TerminalCommand("board", board, Message("show the board again")),
    "help": TerminalCommand("help", show_help, Message("this list")),
    "quit": TerminalCommand(
        "quit", leave, Message("quit; the game is saved for 'luozi play --continue'. Ctrl-C and Ctrl-D ask first")
    ),
}


def named_file(argument: str, command: str) -> Path:
    """Return the path that a command needs.

    Raises:
        LuoziError: there is none.
    """
    if not argument:
        raise LuoziError("write a file's name after {command}, as in '{command} game.txt'", command=command)
    return path_of(argument)


def line_error(line: str, error: LuoziError) -> Message:
    """Return the message about a line that is no move and no command, or a command that failed."""
    word = line.split()[0].lower() if line.split() else ""
    if word in COMMANDS:
        return error.message
    close = difflib.get_close_matches(word, COMMANDS, n=1, cutoff=0.7)
    if close:
        return Message("'{text}' is neither a move nor a command; did you mean '{near}'?", text=line, near=close[0])
    return (
        Message("{what} Type 'moves' to list all.", what=error)
        if isinstance(error, IllegalMoveError) and error.cut
        else error.message
    )
