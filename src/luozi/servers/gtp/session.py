"""One conversation with a GTP controller: the game, the clock, the search, and how a command is answered.

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
JUDGE_SECONDS = 2.0  # of a count
READY_SECONDS = 0.5  # for loading compiled functions before the first answer
SLOW_GAMES = 24  # random playouts of a count, as long as nothing is compiled
SLOW_SHARE = 0.6  # of a move's time, as long as compilation may delay the move

OptionsFor = Callable[[Game], Options]
Words = Sequence[str]


@dataclass(frozen=True)
class GtpOptions:
    """The options of a GTP server."""

    size: int = 19
    komi: float = 7.5
    rules: str = "chinese"
    seconds: float = 5.0  # a move, without a clock and limits of the player
    lag: float = 0.2
    ponder: bool = False
    resign: float = 0.05  # resigns below this win rate; 0: never
    passes: bool = True  # whether it passes where the game is decided, instead of playing to the end


def word_of(text: str) -> str:
    """Return the command of a line in capitals.

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
    """The state of one conversation."""

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
        self.hopeless = [0, 0]  # for each colour, the moves in a row with a win rate below `resign`
        self.judged: tuple[Position, Count] | None = None  # the last count and its position
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
        """Send an error."""
        if self.replied:
            self.conversation.say("")  # the end of an answer that streams
        else:
            self.respond(Response(False, sentence))

    def respond(self, response: Response) -> None:
        """Send the answer to the command."""
        self.replied = True
        self.conversation.say(response_text(response, self.number))

    def after_answer(self, name: str) -> None:
        """Move the tree on, and start to ponder."""
        search = self.search
        engine = None if search is None or search.game is not self.position.game else search.engine
        if engine is not None:
            engine.move_to(self.position.position)
        if self.settings.ponder and "genmove" in name and not name.startswith("reg"):
            self.ponder()

    # The engine ---------------------------------------------------------------------------------------------------

    def options_on_board(self) -> Options:
        """Return the player's options on this board, with ownership wherever there are playouts."""
        game = self.position.game
        options = self.options_for(game)
        counting = {**options.changed(), "ownership": True}
        return options if reason_against(counting, game) else replace(options, ownership=True)

    def get_ready(self) -> None:
        """Begin to compile the search for the board, or load it if it is compiled already."""
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
        """Return the best engine that is compiled, for the current game."""
        if self.search is None:
            self.get_ready()
        assert self.search is not None
        if self.search.game is not self.position.game:
            self.search = self.search.for_game(self.position.game)
        return self.search.best()

    @property
    def is_compiled(self) -> bool:
        """Whether the full search is compiled."""
        return self.search is not None and self.search.stage == FULL

    def rest(self) -> None:
        """Stop pondering."""
        if self.pondering is not None:
            self.pondering.stop()
            self.pondering.result()
        self.pondering = None

    def ponder(self) -> None:
        """Search during the opponent's time."""
        engine, position = self.engine(), self.position.turn_of(self.position.to_move)
        if self.search is not None and self.search.stage >= PLAIN and not self.position.has_ended:
            self.pondering = engine.start(position, replace(UNTIL_CANCELLED, nodes=self.options.nodes))

    def engine_for(self, clock: float | None, cancel: Cancel) -> Engine:
        """Return the engine for a move: the best that is compiled; by iterations without a clock, the full search."""
        engine = self.engine()
        if clock is not None or not self.counts_iterations or self.search is None:
            return engine
        return self.search.best(FULL, cancel=cancel)

    @property
    def counts_iterations(self) -> bool:
        """Whether moves are limited by iterations or nodes alone: then the same seed gives the same game."""
        return bool((self.options.iterations or self.options.nodes) and not self.options.seconds)

    def deadline(self, clock: float | None) -> float:
        """Return the latest time of a move: by the clock and the player's options, else by the settings."""
        given = 0.0 if clock is None else clock if self.is_compiled else SLOW_SHARE * clock
        usual = MOST_SECONDS if self.counts_iterations else self.settings.seconds
        in_force = limits_in_force(Limits(seconds=given), Limits(seconds=self.options.seconds), Limits(seconds=usual))
        return self.conversation.asked + in_force.seconds

    # Counting -----------------------------------------------------------------------------------------------------

    def judge(self, seconds: float = JUDGE_SECONDS) -> Count:
        """Return the count of the position as if the game were over."""
        position = self.position.position
        if self.judged is None or self.judged[0] != position:
            self.judged = position, self.count(position.state, seconds)
        return self.judged[1]

    def count(self, state: State, seconds: float) -> Count:
        """Return the count of a position by a search, or by random playouts until it is compiled."""
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
