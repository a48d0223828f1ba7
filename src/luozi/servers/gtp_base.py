"""What all commands of the GTP server share: the game, the clock, the engine, and how words are read.

A command is a method with `@command` on it; the table of commands, `list_commands` and the documentation come from
these. It returns the text of its answer, or raises a LuoziError, which becomes `? ...`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TextIO, TypeVar

from luozi.compiled import new_rng
from luozi.compiled.cache import say as say_aside
from luozi.games.go.points import point_of
from luozi.games.go.scoring import Count, count, simulated_shares
from luozi.limits import UNTIL_CANCELLED, Cancel
from luozi.messages import LuoziError
from luozi.players.presets import reason_against
from luozi.protocols.gtp import Response, read_colour, read_command, response_text
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.search import Engine, Options, SearchResult
from luozi.search.handle import SearchHandle
from luozi.search.ready_engine import FULL, PLAIN, ReadyEngine
from luozi.servers.adjudication import searched_shares
from luozi.servers.conversation import Conversation
from luozi.servers.gtp_clock import GameClock
from luozi.servers.gtp_position import GtpGame, Terms
from luozi.util.parsing import shown, whole_number

JUDGE_SECONDS = 2.0  # for the counting of a game
READY_SECONDS = 0.5  # what is compiled already is loaded in this time, or the first answer is a slow one
SLOW_GAMES = 24  # random games to count by, as long as nothing is compiled
SLOW_SHARE = 0.6  # of a move's time, as long as loading and compiling may hold things up
MOST_SECONDS = 10**6
SYNTAX = "syntax error"

OptionsFor = Callable[[Game], Options]
Method = TypeVar("Method", bound=Callable[..., str | None])


@dataclass(frozen=True)
class GtpOptions:
    """How a server plays."""

    size: int = 19
    komi: float = 7.5
    rules: str = "chinese"
    seconds: float = 5.0  # a move, where neither a clock nor the player's options say anything
    lag: float = 0.2
    ponder: bool = False
    resign: float = 0.05  # the win rate below which games are given up; 0: none is
    passes: bool = True  # whether it passes where the game is decided; if not, it plays on to the end


class Listed(NamedTuple):
    """A command for those who read about it."""

    name: str
    usage: str
    family: str
    meaning: str


def command(name: str, usage: str = "", family: str = "GTP 2") -> Callable[[Method], Method]:
    """Make a method a command."""

    def mark(method: Method) -> Method:
        meaning = " ".join((method.__doc__ or "").strip().split("\n\n")[0].split())
        listed = getattr(method, "listed", ())
        method.listed = (*listed, Listed(name, usage, family, meaning))  # type: ignore[attr-defined]
        return method

    return mark


class GtpBase(Conversation):
    """The server without its commands."""

    leaving = frozenset({"QUIT"})
    hurrying = frozenset({"STOP", "INTERRUPT"})
    longest_line = 50_000
    waits_at_end = answers_farewell = True

    def __init__(self, input: TextIO, output: TextIO, options: Options | OptionsFor, settings: GtpOptions) -> None:
        super().__init__(input, output)
        self.settings = settings
        self.options_for = (lambda _game: options) if isinstance(options, Options) else options
        self.clock = GameClock(lag=settings.lag)
        self.position = GtpGame(Terms(settings.size, settings.komi, settings.rules))
        self.options = self.options_on_board()
        self.readiness: ReadyEngine | None = None
        self.pondering: SearchHandle | None = None
        self.hopeless = [0, 0]  # for how many moves in a row each colour saw no hope
        self.judged: tuple[Position, Count] | None = None  # the last position that was counted
        self.number = ""  # of the command that is being answered
        self.replied = False  # whether it has been answered already
        self.commands = {
            listed.name: getattr(self, name)
            for name in dir(type(self))
            for listed in getattr(getattr(type(self), name, None), "listed", ())
        }

    # Lines --------------------------------------------------------------------------------------------------------

    def word_of(self, text: str) -> str:
        if "".join(text.split()).lower() == "#interrupt":
            return "INTERRUPT"
        return read_command(text).name.upper()

    def answer(self, text: str) -> None:
        asked = read_command(text)
        if not asked.name:
            return
        self.number, self.replied = asked.number, False
        self.rest()
        if asked.name not in self.commands:
            raise LuoziError("unknown command")
        self.understood()
        said = self.commands[asked.name](asked.words)
        if not self.replied:
            self.respond(Response(True, said or ""))
        self.after_answer(asked.name)

    def complain(self, sentence: str) -> None:
        if self.replied:
            self.say("")  # the end of an answer that streams
        else:
            self.respond(Response(False, sentence))

    def respond(self, response: Response) -> None:
        """Answer the command."""
        self.replied = True
        self.say(response_text(response, self.number))

    def after_answer(self, name: str) -> None:
        """What takes time comes after the answer."""
        readiness = self.readiness
        engine = None if readiness is None or readiness.game is not self.position.game else readiness.engine
        if engine is not None:
            engine.move_to(self.position.position)

    # Words --------------------------------------------------------------------------------------------------------

    def colour(self, words: Sequence[str], place: int = 0) -> int:
        """The colour that a command names."""
        player = read_colour(words[place]) if len(words) > place else None
        if player is None:
            raise LuoziError("{syntax}: name a colour, b or w", syntax=SYNTAX)
        return player

    def point(self, words: Sequence[str], place: int) -> int:
        """The point or pass that a command names."""
        action = point_of(self.position.terms.size, words[place]) if len(words) > place else None
        if action is None:
            what = shown(words[place]) if len(words) > place else "nothing"
            raise LuoziError("{syntax}: {what} is no point of this board, nor pass", syntax=SYNTAX, what=what)
        return action

    def stones(self, words: Sequence[str]) -> list[int]:
        """All words as points, none of them a pass."""
        points = [self.point(words, place) for place in range(len(words))]
        if self.position.game.points in points:
            raise LuoziError("{syntax}: a stone can't pass", syntax=SYNTAX)
        return points

    def whole(self, words: Sequence[str], place: int, least: int, most: int, otherwise: int | None = None) -> int:
        """The whole number that a command has in a place."""
        if otherwise is not None and len(words) <= place:
            return otherwise
        number = whole_number(words[place], least, most) if len(words) > place else None
        if number is None:
            raise LuoziError(
                "{syntax}: give a whole number from {least} to {most}", syntax=SYNTAX, least=least, most=most
            )
        return number

    def amount(self, words: Sequence[str], place: int) -> float:
        """The number that a command has in a place."""
        try:
            number = float(words[place])
        except (IndexError, ValueError):
            raise LuoziError("{syntax}: give a number", syntax=SYNTAX) from None
        if not math.isfinite(number) or abs(number) > MOST_SECONDS:
            raise LuoziError("{syntax}: this number is too large", syntax=SYNTAX)
        return number

    def duration(self, words: Sequence[str], place: int) -> float:
        """The seconds that a command has in a place."""
        seconds = self.amount(words, place)
        if seconds < 0:
            raise LuoziError("{syntax}: no time is less than 0 seconds", syntax=SYNTAX)
        return seconds

    # The engine ---------------------------------------------------------------------------------------------------

    def options_on_board(self) -> Options:
        """The player's options on this board; whose the points are is counted wherever there are simulations."""
        game = self.position.game
        options = self.options_for(game)
        counting = {**vars(options), "ownership": True}
        return options if reason_against(counting, game) else replace(options, ownership=True)

    def get_ready(self) -> None:
        """Begin to compile what the board needs; at once ready where it is compiled already."""
        self.rest()
        self.forget_readiness()
        self.options = self.options_on_board()
        self.readiness = self.searches(self.position.game, self.options.without_limits(), None)
        self.readiness.start(READY_SECONDS)
        self.report()

    def report(self) -> None:
        """Tell those who watch who answers, if that is not the full search."""
        report = None if self.readiness is None else self.readiness.report()
        if report is not None:
            say_aside(report)

    def forget_readiness(self) -> None:
        """Stop compiling for a board that is gone."""
        if self.readiness is not None:
            self.readiness.close()
        self.readiness = None

    def engine(self) -> Engine:
        """The best engine that is ready, for the game as it is now."""
        if self.readiness is None:
            self.get_ready()
        assert self.readiness is not None
        if self.readiness.game is not self.position.game:
            self.readiness = self.readiness.for_game(self.position.game)
        return self.readiness.best()

    def rest(self) -> None:
        """End pondering."""
        if self.pondering is not None:
            self.pondering.stop()
            self.pondering.result()
        self.pondering = None

    def ponder(self) -> None:
        """Think on while the other side does."""
        engine, position = self.engine(), self.position.turn_of(self.position.to_move)
        if self.readiness is not None and self.readiness.stage >= PLAIN and not self.position.has_ended:
            self.pondering = engine.start(position, replace(UNTIL_CANCELLED, nodes=self.options.nodes))

    def think_about(self, position: Position, seconds: float | None) -> SearchResult:
        """Think until the clock or the player's own limits say enough."""
        deadline = self.asked + self.seconds_for_move(seconds)
        with self.thinking() as cancel:
            if self.hurried:
                cancel.set()
            engine = self.engine_for(seconds, cancel)
        return self.think(engine, position, deadline, self.options.limits)

    def engine_for(self, clock: float | None, cancel: Cancel) -> Engine:
        """What answers: by the clock, whatever is ready; by work alone, the full search, however long it takes."""
        engine = self.engine()
        if clock is not None or not self.counts_iterations or self.readiness is None:
            return engine
        return self.readiness.best(FULL, cancel=cancel)

    def seconds_for_move(self, clock: float | None) -> float:
        """How long a move may take: as the clock says, else as the player's options or the settings do."""
        own = self.options.seconds
        if clock is not None:
            ready = self.readiness is not None and self.readiness.stage == FULL
            return min(clock if ready else SLOW_SHARE * clock, own or MOST_SECONDS)
        return own or (MOST_SECONDS if self.counts_iterations else self.settings.seconds)

    @property
    def counts_iterations(self) -> bool:
        """Whether moves are limited by work, not by time: the same seed must give the same game."""
        return bool((self.options.iterations or self.options.nodes) and not self.options.seconds)

    # Counting -----------------------------------------------------------------------------------------------------

    def judge(self, seconds: float = JUDGE_SECONDS) -> Count:
        """Count the position as if the game were over."""
        position = self.position.position
        if self.judged is None or self.judged[0] != position:
            self.judged = position, self.count(position.state, seconds)
        return self.judged[1]

    def count(self, state: State, seconds: float) -> Count:
        """Count a position by the best simulations that are ready."""
        engine = self.engine() and self.readiness and self.readiness.small()
        game, began = self.position.game, time.monotonic()
        if isinstance(engine, Engine):
            return count(game, state, searched_shares(engine, state, seconds=seconds))
        rng, games = new_rng(1), 2
        shares = simulated_shares(game, state, games, rng)
        while games < SLOW_GAMES and time.monotonic() - began < seconds / 2:
            more, games = simulated_shares(game, state, 2, rng), games + 2
            shares = [
                [one + 2 / games * (other - one) for one, other in zip(*both, strict=True)]
                for both in zip(shares, more, strict=True)
            ]
        return count(game, state, shares)
