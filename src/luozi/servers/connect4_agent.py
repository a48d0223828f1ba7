"""Luozi as an agent for the course platform for Connect Four, in lines.

| line | answer |
|---|---|
| `new M N noX noY first` (or `second`) | `ok`, when moves can be answered: M rows, N columns, one forbidden cell |
| `move X Y` | none; the other side's move, X the row from the top and Y the column, both from 0 |
| `go` | `X Y`, our move |
| `quit` | none |

What is wrong is answered by one line, `error` and a sentence, and changes nothing. Both sides move in turn, and that
alone decides whose stone is next: `go` and `move` are always of the side to move, so that a referee who is out of step
gets legal moves, not errors. So `first` and `second` say who will start, and nothing hangs on it; -1 -1 is a board
without a forbidden cell. A `new` that comes while we think ends that, and there is no answer to that `go`.

`new` compiles plain UCT at most, and that stands in while the full search is compiled in a process of its own.
"""

from __future__ import annotations

import re
from typing import TextIO

from luozi.compiled.cache import say as say_aside
from luozi.games import game as make_game
from luozi.messages import LuoziError, nearest
from luozi.players.presets import strong_options
from luozi.protocols.connect4_agent import BlockedBoard, action_of, game_spelling, place_of
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.search import Options
from luozi.search.readiness import BESIDE
from luozi.search.ready_engine import FULL, ReadyEngine
from luozi.servers.conversation import Conversation, Wanted, options_on, split_command

DEFAULT_SECONDS = 2.8  # of the three that the platform allows
NUMBER = "(-?[0-9]{1,6})"
NO_GAME = "there is no game yet: send new M N noX noY first, or second"


def serve(input: TextIO, output: TextIO, options: Wanted | None = None) -> int:
    """Be an agent until `quit` or the end of the input; the exit status.

    A move ends at the limits of the options, which may depend on the board; without seconds there, after 2.8 at the
    latest. Without options, `strong` plays.
    """
    server = CourseServer(input, output, options or (lambda game: Options.of(**strong_options(game))))
    try:
        return server.run()
    finally:
        server.close_search()


class CourseServer(Conversation):
    """One agent."""

    leaving = frozenset({"QUIT"})
    dropping = frozenset({"NEW"})

    def __init__(self, input: TextIO, output: TextIO, wanted: Wanted) -> None:
        super().__init__(input, output)
        self.wanted = wanted
        self.options = Options()  # until a board is told
        self.search: ReadyEngine | None = None
        self.position: Position | None = None
        self.commands = {"NEW": self.new, "MOVE": self.move, "GO": self.go}

    def answer(self, text: str) -> None:
        word, rest = split_command(text)
        if word not in self.commands:
            raise LuoziError(
                "there is no command {word}{nearest}",
                word=ascii(word[:20]),
                nearest=nearest(word, ("new", "move", "go", "quit")),
            )
        self.understood()
        self.commands[word](rest)

    def complain(self, sentence: str) -> None:
        self.say(f"error {sentence}")

    def new(self, rest: str) -> None:
        """A new game."""
        match = re.fullmatch(rf"{NUMBER}\s+{NUMBER}\s+{NUMBER}\s+{NUMBER}\s+(first|second)", rest.lower())
        if match is None:
            raise LuoziError("write new M N noX noY first, or second, as in new 9 12 3 4 first")
        game = make_game(game_spelling(BlockedBoard(*(int(number) for number in match.groups()[:4]))))
        self.options = options_on(game, self.wanted)
        self.search, self.position = self.new_search(game), Position.begin(game)
        self.say("ok")

    def new_search(self, game: Game) -> ReadyEngine:
        """A search that can answer at once: the full one if it is compiled, else a simpler one for the time being."""
        self.close_search()
        search = self.searches(game, self.options.without_limits(), BESIDE)
        search.warm_up()
        if search.stage < FULL:
            search.start()
            self.report(search)
        return search

    def report(self, search: ReadyEngine) -> None:
        """Tell those who watch who plays, if that is not the full search."""
        report = search.report()
        if report is not None:
            say_aside(report)

    def close_search(self) -> None:
        """Nobody waits for it any more."""
        if self.search is not None:
            self.search.close()
        self.search = None

    def move(self, rest: str) -> None:
        """The other side's move."""
        game = self.the_search().game
        match = re.fullmatch(rf"{NUMBER}\s+{NUMBER}", rest)
        if match is None:
            raise LuoziError("write move X Y, as in move 8 3")
        action = action_of(game, self.the_position().state, (int(match[1]), int(match[2])))
        if action is None:
            raise LuoziError("no stone can fall on row {match}, column {match2}", match=match[1], match2=match[2])
        self.position = self.the_position().play(action)

    def go(self, rest: str) -> None:
        """Our move."""
        search, position = self.the_search(), self.the_position()
        if position.returns is not None:
            raise LuoziError("the game is over")
        seconds = self.options.seconds or DEFAULT_SECONDS
        engine = search.warm_best(seconds)
        action = self.think(engine, position, self.asked + seconds, self.options.limits).action
        row, column = place_of(search.game, position.state, action)
        self.say(f"{row} {column}")
        self.position = position.play(action)
        engine.move_to(self.position)
        search.warm_best()
        self.report(search)

    def the_position(self) -> Position:
        """The position, if there is a game."""
        if self.position is None:
            raise LuoziError(NO_GAME)
        return self.position

    def the_search(self) -> ReadyEngine:
        """The search, if there is a game."""
        if self.search is None:
            raise LuoziError(NO_GAME)
        return self.search
