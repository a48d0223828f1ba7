"""Luozi as an agent for the Connect Four platform, in lines.

| line | answer |
|---|---|
| `new M N noX noY first` (or `second`) | `ok`, when moves can be answered: M rows, N columns, one forbidden cell |
| `move X Y` | none; the other side's move, X the row from the top and Y the column, both from 0 |
| `go` | `X Y`, our move |
| `quit` | none |

The answer to a wrong line is `error` and a sentence; it changes nothing. Both sides move in turn, and that alone
decides whose stone is next: `go` and `move` are always of the side to move, so that a referee who is out of step gets
legal moves instead of errors. `first` and `second` only say who starts; -1 -1 is a board without a forbidden cell.
A `new` that comes during a search stops it, and that `go` gets no answer.

`new` compiles plain UCT at most, which plays while the full search is compiled in a process of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TextIO

from luozi.games import game as make_game
from luozi.games.lines.rules import Lines
from luozi.messages import LuoziError, nearest
from luozi.players.presets import strong_options
from luozi.protocols.connect4_agent import BlockedBoard, action_of, game_spelling, place_of
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.search import Options
from luozi.search.readiness import BESIDE
from luozi.search.ready_engine import FULL, ReadyEngine
from luozi.servers.conversation import (
    Command,
    CommandTable,
    Conversation,
    InputRules,
    LineSession,
    Wanted,
    options_on,
    split_command,
)

DEFAULT_SECONDS = 2.8  # of the three that the platform allows
NUMBER = "(-?[0-9]{1,6})"
NO_GAME = "there is no game yet: send new M N noX noY first, or second"


INPUT_RULES = InputRules(leaving=frozenset({"QUIT"}), dropping=frozenset({"NEW"}))


class AgentSession(LineSession):
    """The state of one conversation."""

    def __init__(
        self, conversation: Conversation, wanted: Wanted, commands: Mapping[str, Command[AgentSession, str]]
    ) -> None:
        super().__init__(conversation)
        self.wanted, self.commands = wanted, commands
        self.options = Options()  # until a board is told
        self.position: Position | None = None

    def answer(self, text: str) -> None:
        """Answer a line; what takes time comes after the answer."""
        word, rest = split_command(text)
        if word not in self.commands:
            raise LuoziError(
                "there is no command {word}{nearest}",
                word=ascii(word[:20]),
                nearest=nearest(word, ("new", "move", "go", "quit")),
            )
        self.conversation.understood()
        said = self.commands[word].run(self, rest)
        if said:
            self.conversation.say(said)
        if word == "GO":
            self.get_ahead()

    def complain(self, sentence: str) -> None:
        """Send an error."""
        self.conversation.say(f"error {sentence}")

    def open_board(self, game: Game) -> None:
        """Start a game, with a search that can answer at once: a simpler one until the full one is compiled."""
        self.close_search()
        self.options = options_on(game, self.wanted)
        self.search = search = self.searches(game, self.options.without_limits(), BESIDE)
        search.warm_up()
        if search.stage < FULL:
            search.start()
            self.report()
        self.position = Position.begin(game)

    def get_ahead(self) -> None:
        """Move the tree on after an own move, with a better search if one is compiled by now."""
        self.the_search().warm_best().move_to(self.the_position())
        self.report()

    def the_position(self) -> Position:
        """Return the position; raise LuoziError if there is no game."""
        if self.position is None:
            raise LuoziError(NO_GAME)
        return self.position

    def the_search(self) -> ReadyEngine:
        """Return the search; raise LuoziError if there is no game."""
        if self.search is None:
            raise LuoziError(NO_GAME)
        return self.search


commands = CommandTable[AgentSession, str]()


@commands.add("NEW", "M N noX noY first|second")
def new(session: AgentSession, rest: str) -> str:
    """A new game."""
    match = re.fullmatch(rf"{NUMBER}\s+{NUMBER}\s+{NUMBER}\s+{NUMBER}\s+(first|second)", rest.lower())
    if match is None:
        raise LuoziError("write new M N noX noY first, or second, as in new 9 12 3 4 first")
    game = make_game(game_spelling(BlockedBoard(*(int(number) for number in match.groups()[:4]))))
    session.open_board(game)
    return "ok"


@commands.add("MOVE", "X Y")
def move(session: AgentSession, rest: str) -> str:
    """Play the opponent's move."""
    game, position = lines_of(session.the_search().game), session.the_position()
    match = re.fullmatch(rf"{NUMBER}\s+{NUMBER}", rest)
    if match is None:
        raise LuoziError("write move X Y, as in move 8 3")
    action = action_of(game, position.state, (int(match[1]), int(match[2])))
    if action is None:
        raise LuoziError("no stone can fall on row {match}, column {match2}", match=match[1], match2=match[2])
    session.position = position.play(action)
    return ""


@commands.add("GO")
def go(session: AgentSession, rest: str) -> str:
    """Choose and play a move."""
    search, position, options = session.the_search(), session.the_position(), session.options
    if position.returns is not None:
        raise LuoziError("the game is over")
    seconds, conversation = options.seconds or DEFAULT_SECONDS, session.conversation
    engine = search.warm_best(seconds)
    action = conversation.think(engine, position, conversation.asked + seconds, options.limits).action
    row, column = place_of(lines_of(search.game), position.state, action)
    session.position = position.play(action)
    return f"{row} {column}"


def lines_of(game: Game) -> Lines:
    """Return the game as a line game, which `new` has made."""
    assert isinstance(game, Lines)
    return game


def serve(input: TextIO, output: TextIO, options: Wanted | None = None) -> int:
    """Be an agent until `quit` or the end of the input; return the exit status.

    A move ends at the limits of the options, which may depend on the board; without seconds there, after 2.8 at the
    latest. Without options, `strong` plays.
    """
    wanted = options or (lambda game: Options.of(**strong_options(game)))
    return new_session(Conversation(input, output, INPUT_RULES), wanted).run()


def new_session(conversation: Conversation, wanted: Wanted) -> AgentSession:
    """Return a session with all commands."""
    return AgentSession(conversation, wanted, commands)
