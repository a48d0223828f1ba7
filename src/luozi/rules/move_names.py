"""Moves by name: turn what people type and records contain into an action, or say why it is illegal.

Start with `read_move`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from luozi.messages import LuoziError, Message
from luozi.rules.board import COLUMNS, Board, board_of, pieces_of
from luozi.rules.state import State
from luozi.util.parsing import plain, whole_number

if TYPE_CHECKING:
    from luozi.rules.game import Game

FEW = 8  # list all legal moves up to this number
NAMED = 3  # name this number of examples where more moves are legal
MOST_NUMBER = 10**9  # prefix of an action number
MOST_ACTIONS = 5_000  # games with more actions are not searched by name
NOT_LEGAL = Message("it is not legal here")


class IllegalMoveError(LuoziError):
    """An illegal move. `cut` tells whether the message names only some of the legal moves."""

    def __init__(self, text: str, /, *, cut: bool = False, **values: object) -> None:
        super().__init__(text, **values)
        self.cut = cut


def split_moves(text: str) -> list[str]:
    """Return the names of moves: between spaces, or between commas where names have spaces.

    >>> split_moves("h8 h9"), split_moves("1. d4, 2 takes")
    (['h8', 'h9'], ['1. d4', '2 takes'])
    """
    return [name.strip() for name in text.split(",")] if "," in text else text.split()


def read_move(game: Game, state: State, text: str) -> int:
    """Return the legal action with this name. `#17` is action 17, for games with ambiguous names.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> read_move(game, game.new_state(), "b2"), read_move(game, game.new_state(), "#4")
    (4, 4)
    """
    wanted = text.strip()
    known = read_by_itself(game, state, wanted)
    if known is not None:
        return known
    legal = game.legal_list(state)
    # Exact names come first: in chess, bxc3 and Bxc3 are two moves.
    exact = next((action for action in legal if game.action_to_string(state, action) == wanted), None)
    if exact is not None:
        return exact
    number = whole_number(wanted[1:], 0, MOST_NUMBER) if wanted[:1] == "#" else None
    if number is not None and number in legal:
        return number
    if number is not None:
        raise illegal_number(game, state, number)
    return int(game.string_to_action(state, text))


def read_by_itself(game: Game, state: State, name: str) -> int | None:
    """Return the action whose exact name the class reads itself. Naming all other moves would be slow in Go."""
    if not game.reads_names_itself:
        return None
    try:
        action = game.string_to_action(state, name)
        return int(action) if game.action_to_string(state, action) == name and game.allows(state, action) else None
    except Exception:  # a custom class may raise anything for an unknown name; the caller reports it
        return None


def action_of(game: Game, state: State, move: Any) -> int:
    """Return the legal action that a program gives by number or name.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> action_of(game, game.new_state(), "b2"), action_of(game, game.new_state(), 4)
    (4, 4)
    """
    if isinstance(move, str):
        try:
            return read_move(game, state, move)
        except IllegalMoveError:
            number = whole_number(move.strip(), 0, game.actions - 1)
            unnamed = action_named(game, state, move.strip().lower()) is None
            if number is not None and unnamed and game.allows(state, number):
                raise LuoziError(
                    "move '{text}': no move has this name. Write {value} without quotes for action {value}, which is "
                    "{name}.",
                    text=plain(move.strip()),
                    value=number,
                    name=game.action_to_string(state, number),
                ) from None
            raise
    if isinstance(move, (int, np.integer)) and not isinstance(move, bool):
        if game.allows(state, int(move)):
            return int(move)
        raise illegal_number(game, state, int(move))
    raise LuoziError(
        "move '{text}': a move is the number of an action, or a name such as '{name}'.",
        text=plain(repr(move)),
        name=example(game, state),
    )


def actions_along(game: Game, state: State, path: Sequence[int | str]) -> list[int]:
    """Return the actions of a sequence of moves. Numbers are not checked.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> actions_along(game, game.new_state(), ["b2", "a1", 8])
    [4, 6, 8]
    """
    actions: list[int] = []
    for place, move in enumerate(path):
        if isinstance(move, str):
            actions.append(action_of(game, state, move))
        else:
            actions.append(int(move))
        if any(isinstance(later, str) for later in path[place + 1 :]):
            state = game.after(state, actions[-1])
    return actions


def example(game: Game, state: State) -> str:
    """Return the name of a legal move."""
    legal = game.legal_list(state)
    return game.action_to_string(state, legal[len(legal) // 2]) if legal else ""


# Why a move is not legal ----------------------------------------------------------------------------------------------


def illegal_move(game: Game, state: State, text: str) -> IllegalMoveError:
    """Return an error that says why a name is not a legal move, and which moves are legal.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> print(illegal_move(game, game.after(game.new_state(), 4), "b2"))
    move 'b2': the point is occupied. Legal moves: a3, b3, c3, a2, c2, a1, b1, c1.
    """
    return sentence_about(game, state, plain(text.strip()), text.strip().lower(), reason_against(game, state, text))


def illegal_number(game: Game, state: State, action: int) -> IllegalMoveError:
    """Return the same error for the number of an action."""
    if not 0 <= action < game.actions:
        reason: str = Message("the actions of this game are 0 to {value}", value=game.actions - 1)
        word = ""
    else:
        reason, word = reason_against_action(game, state, action), name_of(game, state, action).lower()
    return sentence_about(game, state, plain(str(action)), word, reason)


def sentence_about(game: Game, state: State, written: str, word: str, reason: str) -> IllegalMoveError:
    """Return an error with the reason and some legal moves, those with the most similar names."""
    names = [game.action_to_string(state, action) for action in game.legal_list(state)]
    if not names:
        return IllegalMoveError("move '{text}': the game is over.", text=written)
    if len(names) == 1:
        return IllegalMoveError(
            "move '{text}': {why}. The only legal move is {name}.", text=written, why=Message(reason), name=names[0]
        )
    if len(names) <= FEW:
        return IllegalMoveError(
            "move '{text}': {why}. Legal moves: {names}.", text=written, why=Message(reason), names=", ".join(names)
        )
    near = sorted(names, key=lambda name: likeness(name.lower(), word), reverse=True)[:NAMED]
    told = Message(
        "move '{text}': {why}. {count} moves are legal, such as {names}.",
        text=written,
        why=Message(reason),
        count=len(names),
        names=", ".join(near),
    )
    return IllegalMoveError(told, cut=True)


MOST_COMPARED = 100  # characters: with more, each of hundreds of names takes long


def likeness(name: str, word: str) -> tuple[bool, float]:
    """Return how similar a name is to the typed word. An equal first letter counts most.

    >>> max(["a8", "h9", "h10"], key=lambda name: likeness(name, "h88"))
    'h9'
    """
    return name[:1] == word[:1], difflib.SequenceMatcher(None, name, word[:MOST_COMPARED]).ratio()


def reason_against(game: Game, state: State, text: str) -> str:
    """Return why a name is not a legal move."""
    word = text.strip().lower()
    if not word:
        return Message("no move is written")
    action = action_named(game, state, word)
    if action is not None:
        return reason_against_action(game, state, action)
    if word == "pass":
        return Message("this game has no pass")
    board = board_of(game)
    parts = [part for part in re.split(r"[-/\s]+", text) if part]
    if board is not None and board.style == COLUMNS:
        return Message("there is no column '{text}'", text=plain(text.strip()))
    if board is None or not any(board.row_names) or not any(board.column_names):
        return NOT_LEGAL
    cells = {board.name_of(cell).lower(): cell for cell in range(board.cells)}
    strange = next((part for part in parts if part.lower() not in cells), None)
    if strange is not None:
        return Message("there is no point '{text}' on this board", text=plain(strange))
    return reason_against_cells(game, state, board, [cells[part.lower()] for part in parts])


def action_named(game: Game, state: State, word: str) -> int | None:
    """Return the action with this name, legal or not."""
    if game.actions > MOST_ACTIONS:
        return None
    return next((action for action in range(game.actions) if name_of(game, state, action).lower() == word), None)


def name_of(game: Game, state: State, action: int) -> str:
    """Return the name of an action, or an empty string if the class names only legal actions."""
    try:
        return game.action_to_string(state, action)
    except Exception:
        return ""


def reason_against_action(game: Game, state: State, action: int) -> str:
    """Return why an action is illegal in this position."""
    told = game.why_illegal(state, action)
    if told:
        return told
    board = board_of(game)
    if board is None:
        return NOT_LEGAL
    try:
        cells = [int(cell) for cell in game.clicks(state, action)]
    except Exception:
        return NOT_LEGAL
    if board.style == COLUMNS:
        return Message("the column is full")
    return (
        reason_against_cells(game, state, board, cells) if all(0 <= cell < board.cells for cell in cells) else NOT_LEGAL
    )


def reason_against_cells(game: Game, state: State, board: Board, cells: Sequence[int]) -> str:
    """Return why a move written as these cells is illegal."""
    strange = next((cell for cell in cells if cell in board.missing), None)
    if strange is not None:
        return Message("there is no point '{text}' on this board", text=plain(board.name_of(strange)))
    legal = [[int(cell) for cell in game.clicks(state, action)] for action in game.legal_list(state)]
    most = max(map(len, legal), default=0)
    if not cells or not most:
        return NOT_LEGAL
    if len(cells) > most:
        return (
            Message("a move here has one point") if most == 1 else Message("a move here has {count} points", count=most)
        )
    fits = next(
        (count for count in range(len(cells), 0, -1) if any(one[:count] == list(cells[:count]) for one in legal)), 0
    )
    if fits == len(cells):
        return Message("the move is not complete")
    place = board.name_of(cells[fits])
    if fits:
        return Message("from {name} it can't go on to {text}", name=board.name_of(cells[fits - 1]), text=place)
    if cells[0] in board.forbidden:
        return Message("nobody may play on this point")
    standing = {cell: player for cell, player, _ in pieces_of(game, state)}
    mover = game.current_player(state)
    if any(standing.get(one[0]) == mover for one in legal):  # moves start at a piece of the player to move
        return (
            Message("your piece on {name} can't move", name=place)
            if standing.get(cells[0]) == mover
            else Message("no piece of yours is on {name}", name=place)
        )
    return "the point is occupied" if cells[0] in standing else NOT_LEGAL
