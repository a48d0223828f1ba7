"""`ReadyEngine`: the search that plays while the requested one is being compiled.

At once the same rules uncompiled, then plain UCT, which is compiled soonest, then the full search. Where a network that
is not compiled plays better than plain UCT (`by_network`), it plays until the full search is compiled.
"""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from luozi.evaluators.networks import network_kind
from luozi.limits import NEVER, Cancel
from luozi.messages import Message
from luozi.rules.game import Game
from luozi.search.engine import Engine
from luozi.search.engine_pool import EnginePool
from luozi.search.options import Options
from luozi.search.readiness import CompileProgress, CompileSettings, CompileStep, Readiness
from luozi.util.parameters import join_spelling

SLOW, PLAIN, FULL = 0, 1, 2  # stages: what is compiled
Stage = Literal["slow", "plain", "full"]
STAGES: tuple[Stage, ...] = ("slow", "plain", "full")
REMARKS = (
    Message("by a search that is not compiled yet"),
    Message("by plain UCT: the full search is still being compiled"),
    "",
)

WARM_SECONDS = 0.05
CHANGE_SECONDS = 0.5  # who has more for a move can change to the full search before it, which takes a fraction of that
ENOUGH_POOL = 100_000  # nodes of an engine that only gets things compiled, at most
SLOW_POOL = 20_000  # nodes: uncompiled, a search makes no more
SLOW_SECONDS = 1.0  # of an uncompiled search that has no limit but iterations, of which it makes few
MANY_MOVES = 60  # with so many to choose from, random games tell little
OF_NETWORK = ("network", "prior_power", "decisive_moves", "anti_decisive_moves", "avoid_immediate_loss", "mcts_solver")


@dataclass(eq=False)
class ReadyEngine:
    """A search of a game by the best engine that is compiled; ask `best` before each move.

    >>> import luozi
    >>> ready = ReadyEngine.of(luozi.game("tictactoe"), Options(seed=1))
    >>> ready.best().compiled, STAGES[ready.engine_stage]  # nothing has been loaded or compiled yet
    (False, 'slow')
    """

    game: Game
    options: Options
    readiness: Readiness
    full: CompileStep
    plain: CompileStep | None = None  # what plain UCT needs, if it answers until the full search is compiled
    workers: EnginePool | None = None
    own: Engine | None = None  # the engine with all options, where somebody has made it
    engine: Engine | None = field(default=None, init=False)  # that answered last
    engine_stage: int = field(default=-1, init=False)

    @classmethod
    def of(
        cls,
        game: Game,
        options: Options,
        settings: CompileSettings | None = None,
        workers: EnginePool | None = None,
    ) -> ReadyEngine:
        """Return a search of which nothing is loaded yet; `start` or `warm_up` load it."""
        if workers is not None:
            options = workers.options_for(options, game)
        kind = kind_of(small_engine(game, options))
        full = CompileStep(spelling_of(options), kind, partial(compile_search, game, options))
        needless = (is_plain(options) and options.threads == 1) or by_network(game, options)
        plain = None if needless else plain_step(game)
        return cls(game, options, Readiness(game.spelling, [full], plain, settings), full, plain, workers)

    # What is ready --------------------------------------------------------------------------------------------------

    @property
    def stage(self) -> int:
        """Return which search is compiled: SLOW, PLAIN or FULL."""
        if self.readiness.is_ready(self.full):
            return FULL
        return PLAIN if self.plain is not None and self.readiness.is_ready(self.plain) else SLOW

    @property
    def least(self) -> int:
        """Return the stage from which on it plays well enough: uncompiled playouts do not."""
        if self.plain is not None:
            return PLAIN
        return SLOW if by_network(self.game, self.options) else FULL

    @property
    def has_better(self) -> bool:
        """Return whether `best` would return another engine now."""
        return self.stage > self.engine_stage

    @property
    def is_over(self) -> bool:
        """Return whether compiling has ended."""
        return self.readiness.is_over

    @property
    def is_compiling(self) -> bool:
        """Return whether the full search may still become ready by itself."""
        return self.readiness.is_compiling

    def progress(self) -> CompileProgress | None:
        """Return the progress of compiling, or None if there is nothing to wait for."""
        return self.readiness.progress()

    def stand_in(self, least: int = SLOW) -> Message:
        """Return the name of the search that plays until the full one is compiled, as the subject of a sentence.

        From a stage on at least.
        """
        if by_network(self.game, self.options):
            return Message("the network, uncompiled,")
        return Message("plain UCT") if max(self.stage, least) == PLAIN else Message("a search that is not compiled")

    def report(self) -> Message | None:
        """Return a sentence about the search that plays until the full one is compiled; None when it is."""
        who, progress = self.stand_in(), self.progress()
        if self.stage == FULL:
            return None
        if self.is_over:
            return Message("{who} plays: the full search could not be compiled", who=who)
        if progress is None or progress.left <= 0:
            return Message("{who} plays until the full search is compiled", who=who)
        return Message(
            "{who} plays until the full search is compiled ({share} %, about {seconds} s left)",
            who=who,
            share=f"{100 * progress.share:.0f}",
            seconds=f"{progress.left:.0f}",
        )

    # Engines --------------------------------------------------------------------------------------------------------

    def best(self, least: int = SLOW, seconds: float | None = None, cancel: Cancel = NEVER) -> Engine:
        """Return the best compiled engine; wait until a stage is compiled at least."""
        if self.stage < least:
            self.readiness.wait(lambda: self.stage >= least or self.readiness.is_over, seconds, cancel)
        stage = self.stage
        if self.engine is None or stage > self.engine_stage:
            self.engine_stage, self.engine = stage, self._new_engine(stage)
        return self.engine

    def start(self, seconds: float = 0.0) -> None:
        """Load and compile in the background; what is compiled already is waited for so long."""
        self.readiness.start()
        if seconds:
            self.wait_known(seconds)

    def wait_known(self, seconds: float, cancel: Cancel = NEVER) -> None:
        """Wait until what is compiled already is loaded, at most so long: a first move should be no guess."""
        self.readiness.wait(lambda: self.readiness.is_known, seconds, cancel)

    def _new_engine(self, stage: int) -> Engine:
        if stage == FULL:
            return self.own or Engine(self.game, self.options, workers=self.workers)
        options = plain_options(self.options) if stage == PLAIN else slow_options(self.game, self.options)
        if self.workers is not None and options.seed is None:  # with a seed it has one thread, as it was compiled for
            options = replace(options, seed=secrets.randbits(32))
        return Engine(self.game, options, compiled=stage == PLAIN, workers=self.workers)

    def small(self) -> Engine | None:
        """Return an engine for questions of ownership beside the game, if the full search is compiled."""
        return small_engine(self.game, self.options) if self.stage == FULL and self.options.ownership else None

    def for_game(self, game: Game) -> ReadyEngine:
        """Return the same for a game that differs in numbers only.

        What is compiled for one is compiled for the other.
        """
        return replace(self, game=game)

    def warm_up(self) -> None:
        """Load the full search, or compile the one that plays until then; run it once.

        So the first answer is not late. What else has to be compiled is left to `start`.
        """
        self.readiness.load()
        if self.stage < self.least:
            self.readiness.compile_now(self.plain or self.full)
        self._go_through()

    def warm_best(self, seconds: float = math.inf) -> Engine:
        """Return the best engine for a move of so many seconds.

        Who has few does not change to a better one before it.
        """
        if self.engine is None or (self.has_better and seconds > CHANGE_SECONDS):
            if self.engine is not None:
                self._go_through()
            return self.best()
        return self.engine

    def _go_through(self) -> None:
        """Search once for nothing: that makes all that is made once."""
        small = replace(self, options=small_engine(self.game, self.options).options, own=None)
        small.best().think(self.game.new_state(), iterations=1, seconds=WARM_SECONDS)

    def close(self) -> None:
        """End compiling."""
        self.readiness.close()


# What there is to be compiled ---------------------------------------------------------------------------------------


def plain_step(game: Game) -> CompileStep:
    """Return plain UCT, which is compiled soonest."""
    return CompileStep("mcts", kind_of(small_engine(game)), partial(compile_search, game, Options()))


def compile_search(game: Game, options: Options) -> None:
    """Compile a search, or load it."""
    small_engine(game, options).compile()


def small_engine(game: Game, options: Options | None = None) -> Engine:
    """Return an engine with a small pool, to compile a search or for questions beside the game.

    It has no limits of its own.
    """
    pool = max(game.actions + 2, min(ENOUGH_POOL, 4 * game.actions + 16))
    wanted = Options() if options is None else options.without_limits()
    return Engine(game, replace(wanted, pool_size=pool * wanted.trees, max_memory_mb=0.0))


def kind_of(engine: Engine) -> str:
    """Return the classes of the game and the components, which decide how long compiling takes."""
    parts = [type(part).__name__ for part in (engine.game, *engine.components)]
    extras = [name for name in ("threat_search", "exact_solver_nodes") if getattr(engine.options, name)]
    return " ".join([*parts, *extras])


def spelling_of(options: Options) -> str:
    """Return the player that has these options.

    >>> spelling_of(Options(c=0.7, decisive_moves=True))
    'mcts:c=0.7,decisive_moves=true'
    """
    return join_spelling("mcts", options.changed())


# Who answers meanwhile ----------------------------------------------------------------------------------------------


def is_plain(options: Options) -> bool:
    """Return whether options search by plain UCT.

    >>> is_plain(Options(c=0.7)), is_plain(Options(decisive_moves=True))
    (True, False)
    """
    return options.is_plain and not options.threat_search and not options.exact_solver_nodes


def plain_options(options: Options) -> Options:
    """Return plain UCT with the same limits and the same room."""
    same = ("iterations", "seconds", "nodes", "seed", "pool_size", "max_memory_mb", "reuse_tree")
    return Options(**{name: getattr(options, name) for name in same})


def slow_options(game: Game, options: Options) -> Options:
    """Return the options of the uncompiled search: the network with its proven values, else plain UCT.

    The limits stay.
    """
    slow = replace(plain_options(options), pool_size=max(SLOW_POOL, 4 * game.actions), max_memory_mb=0.0)
    if has_network(game, options):
        known = {name: getattr(options, name) for name in OF_NETWORK}
        slow = replace(slow, **known)
    return replace(slow, seconds=SLOW_SECONDS) if slow.limits and not slow.seconds else slow


def has_network(game: Game, options: Options) -> bool:
    """Return whether a line network evaluates positions, which it can do uncompiled."""
    return network_kind(game, options.network) == "lines"


def by_network(game: Game, options: Options) -> bool:
    """Return whether the network of a search stands in for it, uncompiled, and not plain UCT, compiled.

    A few positions that it judges are worth more than many random games, unless moves are few: on a board of Connect
    Four 40 such positions lose to the million games of the same time.
    """
    return has_network(game, options) and game.actions > MANY_MOVES
