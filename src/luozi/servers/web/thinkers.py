"""Who thinks for a seat, or analyses: here a search that can be watched, in `others` who is only waited for.

All of them are asked in threads of their own, never in the one that talks to the network; `minds` is what they share.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from luozi.messages import LuoziError
from luozi.players.engine import BY_SLOW, BY_STAND_IN
from luozi.players.preparing import Progress
from luozi.players.presets import level_options, strong_kind, strong_options, with_values
from luozi.rules import Game
from luozi.search import Engine, Options, Thought
from luozi.search.branches import Branch
from luozi.search.needs import refuse_missing
from luozi.search.steps import Step
from luozi.search.thinking import Search
from luozi.servers.readiness import FULL, PLAIN, Readiness
from luozi.servers.web.limits import Limits
from luozi.servers.web.minds import Minds
from luozi.servers.web.seats import Seat

STAGES = ("slow", "plain", "full")

SLOW_SECONDS = 1.0  # uncompiled, a search takes the whole of Python with it
LOADING_SECONDS = 3.0  # what is compiled already is waited for: a first move should be no guess
WALK_NODES = 200_000


class Budget(NamedTuple):
    """How long to think."""

    seconds: float | None = None
    iterations: int | None = None


class Choice(NamedTuple):
    """What was thought of."""

    action: int
    thought: Thought | None
    remark: str = ""


class Line(NamedTuple):
    """A position and how it came about."""

    states: Sequence[Any]
    actions: Sequence[int]

    @property
    def state(self) -> Any:
        """The position itself."""
        return self.states[-1]

    def upto(self, moves: int) -> Line:
        """The same after so many moves."""
        return Line(self.states[: moves + 1], self.actions[:moves])


@dataclass
class Errand:
    """One question to a thinker; it may be stopped at any time, also before it began."""

    line: Line
    budget: Budget
    stopped: bool = False
    began: float = 0.0
    owner: str = ""  # for whom: who has many games under way gets no more than others


class Thinker(Protocol):
    """Who can be asked for a move."""

    def choose(self, errand: Errand) -> Choice: ...

    def stop(self, errand: Errand) -> None: ...

    def snapshot(self) -> Thought | None: ...

    @property
    def engine(self) -> Any: ...

    @property
    def program(self) -> Any: ...

    @property
    def stage(self) -> int: ...

    def progress(self) -> Progress | None: ...

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
    """The options of a searching seat, without its budget; with owners of points where the game has points."""
    values = dict(seat.options)
    if seat.name == "strong":
        values = with_values(strong_options(game), values, game)
    elif seat.name == "level":
        level = level_options(game, seat.level or 5)
        values = {**{name: value for name, value in level.items() if name != "iterations"}, **values}
    options = Options.of(**values)
    valued = options.evaluation == "static" or bool(options.network and game.network == "lines")
    simulates = not options.is_plain and not valued
    return replace(options, ownership=True) if game.points and simulates else options


def budget_of(seat: Seat, game: Game, limits: Limits) -> Budget:
    """How long a seat thinks about a move; the server's limit holds in any case."""
    iterations = seat.iterations
    if seat.name == "level":
        iterations = int(level_options(game, seat.level or 5)["iterations"])
    seconds = seat.seconds if seat.seconds is not None else limits.seconds
    return Budget(min(seconds, limits.seconds), iterations)


class Searcher:
    """A search with a tree of its own, which is kept from move to move."""

    def __init__(self, minds: Minds, game: Game, options: Options) -> None:
        self.minds, self.game, self.options = minds, game, options
        self._readiness: Readiness | None = None
        self._engine: Engine | None = None
        self._seen: list[int] = []  # the moves that the engine was told
        self._busy = threading.Lock()
        self._search: Search | None = None
        self._errand: Errand | None = None
        self._closed = False

    @property
    def engine(self) -> Engine | None:
        """The engine with its tree, if there is one now."""
        return self._engine

    program = None

    def check(self) -> None:
        """One sentence if the game can't be searched so."""
        refuse_missing(self.game, self.options)

    def get_ready(self) -> None:
        """Begin to compile what is needed."""
        self._begun()

    def _begun(self) -> Readiness:
        readiness = self._readiness
        if readiness is None:
            readiness = self._readiness = self.minds.readiness(self.game, self.options)
        return readiness

    @property
    def stage(self) -> int:
        """How much of the search is compiled."""
        return FULL if self._readiness is None else self._readiness.stage

    @property
    def is_ready(self) -> bool:
        """Whether nothing is left to be compiled."""
        ready = self._readiness is not None and self._readiness.preparation.over.is_set()
        return ready or self._closed

    def progress(self) -> Progress | None:
        """How far compiling is, or None if there is nothing to wait for."""
        return None if self._readiness is None else self._readiness.preparation.progress()

    @property
    def has_better(self) -> bool:
        """Whether more is compiled by now than the engine in use needs."""
        return self._readiness is not None and self._engine is not None and self._readiness.has_better

    def choose(self, errand: Errand) -> Choice:
        """Think until the budget is spent or somebody stops it."""
        with self._busy:
            engine = self._ready_engine()
            self._follow(engine, errand.line)
            stage, (seconds, iterations) = self.stage_in_use, errand.budget
            if stage not in (FULL, PLAIN) and seconds is not None:
                seconds = min(seconds, SLOW_SECONDS)
            errand.began, engine.schedule.owner = time.perf_counter(), errand.owner
            search = engine.start(errand.line.state, seconds=seconds, iterations=iterations)
            self._search, self._errand = search, errand
            if errand.stopped:
                search.stop()
            try:
                thought = search.result()
            finally:
                self._search = None
            return Choice(thought.action, thought, remark_of(stage))

    def _ready_engine(self) -> Engine:
        """The best engine that can search now."""
        if self._closed:  # who sat here is gone
            raise LuoziError("it was stopped")
        readiness = self._begun()  # which others may put away meanwhile
        readiness.preparation.known.wait(LOADING_SECONDS)
        engine = readiness.engine
        if engine is not self._engine:
            self._engine, self._seen = engine, []
        return engine

    @property
    def stage_in_use(self) -> int:
        """How much of the search is compiled that the engine in use has."""
        return FULL if self._readiness is None else max(0, self._readiness.engine_stage)

    def _follow(self, engine: Engine, line: Line) -> None:
        """Tell the engine of moves that were played or taken back since."""
        actions = list(line.actions)
        common = 0
        while common < min(len(actions), len(self._seen)) and actions[common] == self._seen[common]:
            common += 1
        if common < len(self._seen):
            engine.take_back(line.states[common])
        for action in actions[common:]:
            engine.advance(action)
        self._seen = actions

    def snapshot(self) -> Thought | None:
        """What is known so far, if it is thinking."""
        search = self._search
        return None if search is None else search.snapshot()

    def stop(self, errand: Errand) -> None:
        """Answer this errand soon."""
        errand.stopped = True
        search = self._search
        if search is not None and self._errand is errand:
            search.stop()

    def branches(self, depth: int, visits: int, path: Sequence[int], share: int) -> tuple[Branch, list[int]]:
        """The tree as it is, also while it grows, and the moves that lead to its root.

        Only branches with some share of the root's visits are told, so that none is too large.
        """
        engine = self._engine
        if engine is None:
            raise LuoziError("there is no tree yet: let the engine think first")
        root = engine.branches(0, 1, path)
        return engine.branches(depth, max(visits, root.visits // share), path), list(self._seen)

    def why(self, line: Line) -> Step:
        """One more iteration, told whole, which says what selection sees."""
        with self._busy:
            engine = self._engine or self._ready_engine()  # a better one has no tree yet
            self._follow(engine, line)
            return engine.step(line.state)

    def close(self) -> None:
        """Give the memory back; the tree is gone."""
        self._engine, self._readiness, self._seen, self._closed = None, None, [], True


def remark_of(stage: int) -> str:
    """What people should know of a move that was found before everything was compiled."""
    return "" if stage == FULL else BY_STAND_IN if stage == PLAIN else BY_SLOW


class Walk:
    """A tree that grows by one iteration at a time, for people to follow; nothing is compiled for it."""

    def __init__(self, minds: Minds, game: Game, line: Line, options: Options, seed: int) -> None:
        small = replace(options, seed=seed, pool=max(WALK_NODES, 4 * game.actions), threads=1, keep=True)
        self.engine = Engine(game, small, compiled=False, workers=minds.workers)
        self.line, self.total = line, 0

    def step(self, count: int, told: int) -> list[Step]:
        """So many iterations; the last ones are told whole."""
        steps = [self.engine.step(self.line.state) for _ in range(count)]
        self.total += count
        return steps[-told:]
