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
from luozi.games.go.scoring import Count, Shares, count, open_end, simulated_shares
from luozi.limits import UNTIL_CANCELLED, Cancel, Limits, limits_in_force
from luozi.messages import LuoziError
from luozi.players.presets import reason_against
from luozi.protocols.gtp import Response, read_command, response_text
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.search import Engine, Options
from luozi.search.handle import SearchHandle
from luozi.search.ready_engine import FULL, PLAIN
from luozi.servers.conversation import MOST_SECONDS, Command, Conversation, InputRules, LineSession
from luozi.servers.gtp.clock import GameClock
from luozi.servers.gtp.position import GtpGame, Terms

ITERATIONS = 1000  # of a count, for each side that moves first
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


class GtpSession(LineSession):
    """What the commands work on."""

    def __init__(
        self,
        conversation: Conversation,
        options: Options | OptionsFor,
        settings: GtpOptions,
        commands: Mapping[str, Command[GtpSession, Words]],
    ) -> None:
        super().__init__(conversation)
        self.settings, self.commands = settings, commands
        self.options_for = (lambda _game: options) if isinstance(options, Options) else options
        self.clock = GameClock(lag=settings.lag)
        self.position = GtpGame(Terms(settings.size, settings.komi, settings.rules))
        self.options = self.options_on_board()
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
        search = self.search
        engine = None if search is None or search.game is not self.position.game else search.engine
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
        self.close_search()
        self.options = self.options_on_board()
        self.search = self.searches(self.position.game, self.options.without_limits(), None)
        self.search.start(READY_SECONDS)
        self.report()

    def close_search(self) -> None:
        """Stop pondering and compiling, and release the search."""
        self.rest()
        super().close_search()

    def engine(self) -> Engine:
        """The best engine that is ready, for the game as it is now."""
        if self.search is None:
            self.get_ready()
        assert self.search is not None
        if self.search.game is not self.position.game:
            self.search = self.search.for_game(self.position.game)
        return self.search.best()

    @property
    def is_compiled(self) -> bool:
        """Whether the full search is ready."""
        return self.search is not None and self.search.stage == FULL

    def rest(self) -> None:
        """End pondering."""
        if self.pondering is not None:
            self.pondering.stop()
            self.pondering.result()
        self.pondering = None

    def ponder(self) -> None:
        """Think on while the other side does."""
        engine, position = self.engine(), self.position.turn_of(self.position.to_move)
        if self.search is not None and self.search.stage >= PLAIN and not self.position.has_ended:
            self.pondering = engine.start(position, replace(UNTIL_CANCELLED, nodes=self.options.nodes))

    def engine_for(self, clock: float | None, cancel: Cancel) -> Engine:
        """What answers: by the clock, whatever is ready; by work alone, the full search, however long it takes."""
        engine = self.engine()
        if clock is not None or not self.counts_iterations or self.search is None:
            return engine
        return self.search.best(FULL, cancel=cancel)

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
        engine = self.engine() and self.search and self.search.small()
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


def searched_shares(engine: Engine, state: State, iterations: int = ITERATIONS, seconds: float = 60.0) -> Shares:
    """Return in which share of playouts each point was Black's and White's; `engine` has the option `ownership`.

    Both sides go on in turn from the final position, so that dead stones are captured most often.

    >>> import luozi
    >>> game = luozi.game("go:size=2,black=A1.B2")
    >>> engine = luozi.Engine(game, ownership=True, seed=1, compiled=False)
    >>> min(searched_shares(engine, game.new_state(), 20)[0]) > 0.5
    True
    """
    sums = [[0.0] * engine.game.points for _ in range(2)]
    for player in (0, 1):
        thought = engine.think(open_end(state, player), iterations=iterations, seconds=seconds / 2)
        for total, shares in zip(sums, thought.ownership or (), strict=False):
            total[:] = [one + share / 2 for one, share in zip(total, shares, strict=True)]
    return sums
