"""Players of seats that search: their jobs and results.

All run in threads of their own, never in the one that serves the network.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from luozi.evaluators.networks import network_kind
from luozi.limits import NEVER, Cancel, Limits, limits_in_force
from luozi.messages import LuoziError
from luozi.players.presets import level_options, strong_kind, strong_options, with_values
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.search import Engine, Options, SearchResult
from luozi.search.handle import SearchHandle
from luozi.search.option_requirements import refuse_missing
from luozi.search.readiness import CompileProgress
from luozi.search.ready_engine import FULL, REMARKS, SLOW, ReadyEngine
from luozi.search.subtree import Branch
from luozi.search.trace import IterationTrace
from luozi.util.parsing import OptionValue
from luozi.web.limits import ServerLimits
from luozi.web.resources import Resources
from luozi.web.seats import Seat

SLOW_SECONDS = 1.0  # uncompiled, a search takes the whole of Python with it
LOADING_SECONDS = 3.0  # what is compiled already is waited for: a first move should be no guess
WALK_NODES = 200_000


class JobChoice(NamedTuple):
    """What was thought of."""

    action: int
    thought: SearchResult | None
    remark: str = ""


@dataclass
class Job:
    """One question to a thinker; its Cancel may be set at any time, also before it began."""

    position: Position
    limits: Limits
    cancel: Cancel = field(default_factory=Cancel)
    owner: str = ""  # for whom: who has many games under way gets no more than others


class SeatPlayer(Protocol):
    """Who can be asked for a move."""

    def choose(self, job: Job) -> JobChoice: ...

    @property
    def moves_at_once(self) -> bool: ...

    def snapshot(self) -> SearchResult | None: ...

    @property
    def engine(self) -> Any: ...

    @property
    def program(self) -> Any: ...

    @property
    def stage(self) -> int: ...

    def progress(self) -> CompileProgress | None: ...

    @property
    def is_ready(self) -> bool: ...

    def get_ready(self) -> None: ...

    def check(self) -> None: ...

    def close(self) -> None: ...


# Searches -------------------------------------------------------------------------------------------------------------


def is_search(seat: Seat, game: Game) -> bool:
    """Whether a seat's moves come from a search: those of `strong` do not where another player wins against it.

    >>> import luozi
    >>> one, other = Seat("player", "strong", seconds=1.0), Seat("player", "strong", iterations=100)
    >>> [is_search(seat, luozi.game("othello")) for seat in (one, other)], is_search(one, luozi.game("hex"))
    ([False, True], True)
    """
    given = [*seat.options, *(["iterations"] if seat.iterations is not None else [])]
    return seat.searches and (seat.name != "strong" or strong_kind(game, given) == "mcts")


def options_of(seat: Seat, game: Game) -> Options:
    """The options of a searching seat, without its limits; with owners of points where the game has points."""
    values: dict[str, OptionValue] = dict(seat.options)
    if seat.name == "strong":
        values = with_values(strong_options(game), values, game)
    elif seat.name == "level":
        level = level_options(game, seat.level or 5)
        values = {**{name: value for name, value in level.items() if name != "iterations"}, **values}
    options = Options.of(**values)
    valued = options.evaluation == "static" or network_kind(game, options.network) in ("lines", "board")
    simulates = not options.is_plain and not valued
    return replace(options, ownership=True) if game.points and simulates else options


def limits_of(seat: Seat, game: Game, limits: ServerLimits) -> Limits:
    """How long a seat thinks about a move; the server's limit holds in any case."""
    iterations = seat.iterations or 0
    if seat.name == "level":
        iterations = int(level_options(game, seat.level or 5)["iterations"])
    seconds = seat.seconds if seat.seconds is not None else limits.seconds
    return limits_in_force(Limits(iterations, seconds), Limits(seconds=limits.seconds))


class SearchPlayer:
    """A search with a tree of its own, which is kept from move to move."""

    def __init__(self, resources: Resources, game: Game, options: Options) -> None:
        self.resources, self.game, self.options = resources, game, options
        self._readiness: ReadyEngine | None = None
        self._engine: Engine | None = None
        self._position: Position | None = None  # what it thought about last
        self._busy = threading.Lock()
        self._search: SearchHandle | None = None
        self._closed = False

    @property
    def engine(self) -> Engine | None:
        """The engine with its tree, if there is one now."""
        return self._engine

    program = None
    moves_at_once = True

    def check(self) -> None:
        """One sentence if the game can't be searched so."""
        refuse_missing(self.game, self.options)

    def get_ready(self) -> None:
        """Begin to compile what is needed."""
        self._begun()

    def _begun(self) -> ReadyEngine:
        readiness = self._readiness
        if readiness is None:
            readiness = self._readiness = self.resources.readiness(self.game, self.options)
        return readiness

    @property
    def stage(self) -> int:
        """How much of the search is compiled."""
        return FULL if self._readiness is None else self._readiness.stage

    @property
    def is_ready(self) -> bool:
        """Whether nothing is left to be compiled."""
        return self._closed or (self._readiness is not None and self._readiness.is_over)

    def progress(self) -> CompileProgress | None:
        """How far compiling is, or None if there is nothing to wait for."""
        return None if self._readiness is None else self._readiness.progress()

    @property
    def has_better(self) -> bool:
        """Whether more is compiled by now than the engine in use needs."""
        return self._readiness is not None and self._engine is not None and self._readiness.has_better

    def choose(self, job: Job) -> JobChoice:
        """Think until a limit is reached or somebody cancels it."""
        with self._busy:
            engine = self._ready_engine(job.cancel)
            self._position = job.position
            stage, limits = self.stage_in_use, job.limits
            if stage == SLOW:
                limits = limits_in_force(limits, Limits(seconds=SLOW_SECONDS))
            engine.schedule.owner = job.owner
            self._search = search = engine.start(job.position, limits, job.cancel)
            try:
                thought = search.result()
            finally:
                self._search = None
            return JobChoice(thought.action, thought, REMARKS[stage])

    def _ready_engine(self, cancel: Cancel = NEVER) -> Engine:
        """The best engine that can search now."""
        if self._closed:  # who sat here is gone
            raise LuoziError("it was stopped")
        readiness = self._begun()  # which others may put away meanwhile
        readiness.wait_known(LOADING_SECONDS, cancel)
        engine = readiness.best()
        if engine is not self._engine:
            self._engine, self._position = engine, None
        return engine

    @property
    def stage_in_use(self) -> int:
        """How much of the search is compiled that the engine in use has."""
        return FULL if self._readiness is None else max(0, self._readiness.engine_stage)

    def snapshot(self) -> SearchResult | None:
        """What is known so far, if it is thinking."""
        search = self._search
        return None if search is None else search.snapshot()

    def branches(self, depth: int, visits: int, path: Sequence[int], share: int) -> tuple[Branch, list[int]]:
        """The tree as it is, also while it grows, and the moves that lead to its root.

        Only branches with some share of the root's visits are told, so that none is too large.
        """
        engine = self._engine
        if engine is None:
            raise LuoziError("there is no tree yet: let the engine think first")
        root = engine.subtree(0, 1, path)
        moves = () if self._position is None else self._position.moves
        return engine.subtree(depth, max(visits, root.visits // share), path), list(moves)

    def why(self, position: Position) -> IterationTrace:
        """One more iteration, told whole, which says what selection sees."""
        with self._busy:
            engine = self._engine or self._ready_engine()  # a better one has no tree yet
            self._position = position
            return engine.trace(position)

    def close(self) -> None:
        """Give the memory back; the tree is gone."""
        self._engine, self._readiness, self._position, self._closed = None, None, None, True


class StepByStep:
    """A tree that grows by one iteration at a time, for people to follow; nothing is compiled for it."""

    def __init__(self, resources: Resources, game: Game, position: Position, options: Options, seed: int) -> None:
        small = replace(options, seed=seed, pool_size=max(WALK_NODES, 4 * game.actions), threads=1, reuse_tree=True)
        self.engine = Engine(game, small, compiled=False, workers=resources.workers)
        self.position, self.total = position, 0

    def step(self, count: int, told: int) -> list[IterationTrace]:
        """So many iterations; the last ones are told whole."""
        steps = [self.engine.trace(self.position) for _ in range(count)]
        self.total += count
        return steps[-told:]
