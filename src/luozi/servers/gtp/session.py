"""One conversation with a GTP controller: the game, the clock, the engine, and how a command is answered.

A command is a function in one of the modules beside this one, `@commands.add(...)` before it: it takes the session and
the words of the line, and returns the text of its answer or raises a LuoziError, which becomes `? ...`. The table of
commands, `list_commands` and the documentation come from these.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from luozi.compiled import new_rng
from luozi.compiled.cache import say as say_aside
from luozi.games.go.scoring import Count, count, simulated_shares
from luozi.limits import UNTIL_CANCELLED, Cancel, Limits, limits_in_force
from luozi.messages import LuoziError
from luozi.players.presets import reason_against
from luozi.protocols.gtp import Response, read_command, response_text
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.search import Engine, Options
from luozi.search.handle import SearchHandle
from luozi.search.ready_engine import FULL, PLAIN, ReadyEngine
from luozi.servers.adjudication import searched_shares
from luozi.servers.command_table import Command
from luozi.servers.conversation import MOST_SECONDS, Conversation, InputRules, Searches
from luozi.servers.gtp.clock import GameClock
from luozi.servers.gtp.position import GtpGame, Terms

JUDGE_SECONDS = 2.0  # for the counting of a game
READY_SECONDS = 0.5  # what is compiled already is loaded in this time, or the first answer is a slow one
SLOW_GAMES = 24  # random games to count by, as long as nothing is compiled
SLOW_SHARE = 0.6  # of a move's time, as long as loading and compiling may hold things up

OptionsFor = Callable[[Game], Options]
Words = Sequence[str]


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


def word_of(text: str) -> str:
    """The word of a line that may act as soon as it is read.

    >>> word_of("12 stop"), word_of("# interrupt")
    ('STOP', 'INTERRUPT')
    """
    if "".join(text.split()).lower() == "#interrupt":
        return "INTERRUPT"
    return read_command(text).name.upper()


INPUT_RULES = InputRules(
    leaving=frozenset({"QUIT"}),
    hurrying=frozenset({"STOP", "INTERRUPT"}),
    answers_farewell=True,
    waits_at_end=True,
    longest_line=50_000,
    word_of=word_of,
)


class GtpSession:
    """What the commands work on."""

    def __init__(
        self,
        conversation: Conversation,
        options: Options | OptionsFor,
        settings: GtpOptions,
        commands: Mapping[str, Command[GtpSession, Words]],
    ) -> None:
        self.conversation, self.settings, self.commands = conversation, settings, commands
        self.options_for = (lambda _game: options) if isinstance(options, Options) else options
        self.clock = GameClock(lag=settings.lag)
        self.searches: Searches = ReadyEngine.of
        self.position = GtpGame(Terms(settings.size, settings.komi, settings.rules))
        self.options = self.options_on_board()
        self.readiness: ReadyEngine | None = None
        self.pondering: SearchHandle | None = None
        self.hopeless = [0, 0]  # for how many moves in a row each colour saw no hope
        self.judged: tuple[Position, Count] | None = None  # the last position that was counted
        self.number = ""  # of the command that is being answered
        self.replied = False  # whether it has been answered already

    # Lines --------------------------------------------------------------------------------------------------------

    def answer(self, text: str) -> None:
        """Answer a line; what takes time comes after the answer."""
        asked = read_command(text)
        if not asked.name:
            return
        self.number, self.replied = asked.number, False
        self.rest()
        if asked.name not in self.commands:
            raise LuoziError("unknown command")
        self.conversation.understood()
        said = self.commands[asked.name].run(self, asked.words)
        if not self.replied:
            self.respond(Response(True, said))
        self.after_answer(asked.name)

    def complain(self, sentence: str) -> None:
        """Say what is wrong with a line."""
        if self.replied:
            self.conversation.say("")  # the end of an answer that streams
        else:
            self.respond(Response(False, sentence))

    def respond(self, response: Response) -> None:
        """Answer the command."""
        self.replied = True
        self.conversation.say(response_text(response, self.number))

    def after_answer(self, name: str) -> None:
        """Move the tree on, and ponder."""
        readiness = self.readiness
        engine = None if readiness is None or readiness.game is not self.position.game else readiness.engine
        if engine is not None:
            engine.move_to(self.position.position)
        if self.settings.ponder and "genmove" in name and not name.startswith("reg"):
            self.ponder()

    # The engine ---------------------------------------------------------------------------------------------------

    def options_on_board(self) -> Options:
        """The player's options on this board; whose the points are is counted wherever there are simulations."""
        game = self.position.game
        options = self.options_for(game)
        counting = {**options.changed(), "ownership": True}
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

    @property
    def is_compiled(self) -> bool:
        """Whether the full search is ready."""
        return self.readiness is not None and self.readiness.stage == FULL

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

    def engine_for(self, clock: float | None, cancel: Cancel) -> Engine:
        """What answers: by the clock, whatever is ready; by work alone, the full search, however long it takes."""
        engine = self.engine()
        if clock is not None or not self.counts_iterations or self.readiness is None:
            return engine
        return self.readiness.best(FULL, cancel=cancel)

    @property
    def counts_iterations(self) -> bool:
        """Whether moves are limited by work, not by time: the same seed must give the same game."""
        return bool((self.options.iterations or self.options.nodes) and not self.options.seconds)

    def deadline(self, clock: float | None) -> float:
        """When a move must be there: as the clock and the player's options say, else as the settings do."""
        given = 0.0 if clock is None else clock if self.is_compiled else SLOW_SHARE * clock
        usual = MOST_SECONDS if self.counts_iterations else self.settings.seconds
        in_force = limits_in_force(Limits(seconds=given), Limits(seconds=self.options.seconds), Limits(seconds=usual))
        return self.conversation.asked + in_force.seconds

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
