"""The player that moves for a seat or analyses: a search that can be watched, or a player that shows only its move.

All of them run in threads of their own, never in the thread that serves the network.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from luozi.evaluators.networks import network_kind
from luozi.limits import NEVER, Cancel, Limits, limits_in_force
from luozi.messages import LuoziError
from luozi.players import Player, player, read_spelling
from luozi.players.engine import steps_of
from luozi.players.external import ExternalPlayer
from luozi.players.presets import level_options, strong_kind, strong_options, with_values
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.search import Engine, Options, SearchResult
from luozi.search.handle import SearchHandle
from luozi.search.option_requirements import refuse_missing
from luozi.search.readiness import CompileProgress, Readiness
from luozi.search.ready_engine import FULL, REMARKS, SLOW, ReadyEngine
from luozi.search.subtree import Branch
from luozi.search.trace import IterationTrace
from luozi.util.parsing import OptionValue
from luozi.web.limits import ServerLimits
from luozi.web.resources import Resources
from luozi.web.seats import Seat

SLOW_SECONDS = 1.0  # of an uncompiled search, which holds Python's lock
LOADING_SECONDS = 3.0  # a first move waits so long for compiled functions to be loaded
STEP_NODES = 200_000  # of a step-by-step search
STOPPED = "it was stopped"


class JobChoice(NamedTuple):
    """The move of a player, with its search result if it has one."""

    action: int
    thought: SearchResult | None
    remark: str = ""


@dataclass
class Job:
    """One request to a player. Its Cancel may be set at any time, also before the player begins."""

    position: Position
    limits: Limits
    cancel: Cancel = field(default_factory=Cancel)
    owner: str = ""  # the client that asked: clients share threads, however many games each has


class SeatPlayer(ABC):
    """A player of a seat."""

    moves_at_once = True  # whether it has a move when its job is cancelled
    engine: Engine | Player | None = None  # what holds its memory now
    program: Player | None = None  # its external program, if that runs now
    _readiness: ReadyEngine | Readiness | None = None
    _closed = False

    @abstractmethod
    def choose(self, job: Job) -> JobChoice:
        """Choose a move within the limits of a job."""

    @abstractmethod
    def check(self) -> None:
        """Raise LuoziError if it can't play this game."""

    @abstractmethod
    def get_ready(self) -> None:
        """Begin to compile what it needs."""

    @abstractmethod
    def close(self) -> None:
        """Release its memory, and end its external program."""

    @property
    def stage(self) -> int:
        """How much of it is compiled."""
        return FULL

    @property
    def is_ready(self) -> bool:
        """Whether nothing is left to compile."""
        return self._closed or (self._readiness is not None and self._readiness.is_over)

    def progress(self) -> CompileProgress | None:
        """Return how far compilation is; None if nothing is compiled."""
        return None if self._readiness is None else self._readiness.progress()

    def snapshot(self) -> SearchResult | None:
        """Return the search result so far; None if it shows none."""
        return None


# Searches -------------------------------------------------------------------------------------------------------------


def is_search(seat: Seat, game: Game) -> bool:
    """Return whether a seat's moves come from a search; those of `strong` do not where alpha-beta is stronger.

    >>> import luozi
    >>> one, other = Seat("player", "strong", seconds=1.0), Seat("player", "strong", iterations=100)
    >>> [is_search(seat, luozi.game("breakthrough:rows=6")) for seat in (one, other)], is_search(one, luozi.game("hex"))
    ([False, True], True)
    """
    given = [*seat.options, *(["iterations"] if seat.iterations is not None else [])]
    return seat.searches and (seat.name != "strong" or strong_kind(game, given) == "mcts")


def options_of(seat: Seat, game: Game) -> Options:
    """Return the options of a searching seat, without its limits; with ownership where the game has points."""
    values: dict[str, OptionValue] = dict(seat.options)
    if seat.name == "strong":
        values = with_values(strong_options(game), values, game)
    elif seat.name == "level":
        level = level_options(game, seat.level or 5)
        values = {**{name: value for name, value in level.items() if name != "iterations"}, **values}
    options = Options.of(**values)
    static = options.evaluation == "static" or network_kind(game, options.network) in ("lines", "board")
    has_playouts = not options.is_plain and not static
    return replace(options, ownership=True) if game.points and has_playouts else options


def limits_of(seat: Seat, game: Game, limits: ServerLimits) -> Limits:
    """Return the limits of a move of a seat, within the server's limit."""
    iterations = seat.iterations or 0
    if seat.name == "level":
        iterations = int(level_options(game, seat.level or 5)["iterations"])
    seconds = seat.seconds if seat.seconds is not None else limits.seconds
    return limits_in_force(Limits(iterations, seconds), Limits(seconds=limits.seconds))


class SearchPlayer(SeatPlayer):
    """A search with a tree of its own, which is kept from move to move."""

    engine: Engine | None = None
    _readiness: ReadyEngine | None = None

    def __init__(self, resources: Resources, game: Game, options: Options) -> None:
        self.resources, self.game, self.options = resources, game, options
        self._position: Position | None = None  # the root of its tree
        self._busy = threading.Lock()
        self._search: SearchHandle | None = None

    def check(self) -> None:
        """Raise LuoziError if the game lacks what the options need."""
        refuse_missing(self.game, self.options)

    def get_ready(self) -> None:
        """Begin to compile the search."""
        self._begun()

    def _begun(self) -> ReadyEngine:
        readiness = self._readiness  # which `close` may remove meanwhile
        if readiness is None:
            readiness = self._readiness = self.resources.readiness(self.game, self.options)
        return readiness

    @property
    def stage(self) -> int:
        """How much of the search is compiled."""
        return FULL if self._readiness is None else self._readiness.stage

    @property
    def stage_in_use(self) -> int:
        """How much of the search the engine in use has compiled."""
        return FULL if self._readiness is None else max(0, self._readiness.engine_stage)

    @property
    def has_better(self) -> bool:
        """Whether more is compiled by now than the engine in use has."""
        return self._readiness is not None and self.engine is not None and self._readiness.has_better

    def choose(self, job: Job) -> JobChoice:
        """Search until a limit is reached or the job is cancelled."""
        with self._busy:
            engine = self._ready_engine(job.cancel)
            self._position = job.position
            stage, limits = self.stage_in_use, job.limits
            if stage == SLOW:
                limits = limits_in_force(limits, Limits(seconds=SLOW_SECONDS))
            engine.runner.owner = job.owner
            self._search = search = engine.start(job.position, limits, job.cancel)
            try:
                thought = search.result()
            finally:
                self._search = None
            return JobChoice(thought.action, thought, REMARKS[stage])

    def _ready_engine(self, cancel: Cancel = NEVER) -> Engine:
        """Return the best engine that can search now."""
        if self._closed:
            raise LuoziError(STOPPED)
        readiness = self._begun()
        readiness.wait_known(LOADING_SECONDS, cancel)
        engine = readiness.best()
        if engine is not self.engine:
            self.engine, self._position = engine, None
        return engine

    def snapshot(self) -> SearchResult | None:
        """Return the result so far of the running search."""
        search = self._search
        return None if search is None else search.snapshot()

    def branches(self, depth: int, visits: int, path: Sequence[int], share: int) -> tuple[Branch, list[int]]:
        """Return a part of the tree, also during the search, and the moves that lead to its root.

        Branches with less than one in `share` of the visits at its root are left out.
        """
        engine = self.engine
        if engine is None:
            raise LuoziError("there is no tree yet: start a search first")
        root = engine.subtree(0, 1, path)
        moves = () if self._position is None else self._position.moves
        return engine.subtree(depth, max(visits, root.visits // share), path), list(moves)

    def why(self, position: Position) -> IterationTrace:
        """Run one more iteration and return its trace."""
        with self._busy:
            engine = self.engine or self._ready_engine()  # a better engine has no tree yet
            self._position = position
            return engine.trace(position)

    def close(self) -> None:
        """Release the tree."""
        self.engine, self._readiness, self._position, self._closed = None, None, None, True


class StepByStep:
    """A search that runs one iteration at a time, uncompiled, for people to follow."""

    def __init__(self, resources: Resources, game: Game, position: Position, options: Options, seed: int) -> None:
        small = replace(options, seed=seed, pool_size=max(STEP_NODES, 4 * game.actions), threads=1, reuse_tree=True)
        self.engine = Engine(game, small, compiled=False, workers=resources.pool)
        self.position, self.total = position, 0

    def step(self) -> IterationTrace:
        """Run one iteration and return its trace."""
        self.total += 1
        return self.engine.trace(self.position)


# Others ---------------------------------------------------------------------------------------------------------------


class OtherPlayer(SeatPlayer):
    """A player that shows nothing before it moves: one without a tree, or an external program."""

    engine: Player | None = None
    _readiness: Readiness | None = None

    def __init__(self, resources: Resources, game: Game, spelling: str, seconds: float) -> None:
        self.resources, self.game, self.spelling, self.seconds = resources, game, spelling, seconds
        self.moves_at_once = not read_spelling(spelling)[0].runs_command
        self._busy = threading.Lock()  # while it thinks
        self._making = threading.Lock()  # for a moment: `get_ready` does not wait until it has moved

    def check(self) -> None:
        """Raise LuoziError if it can't play this game; an external program is not started for it."""
        player(self.spelling, self.game, seconds=self.seconds).close()

    def get_ready(self) -> None:
        """Begin to compile what it needs."""
        self._ready_player()

    def _ready_player(self) -> tuple[Player, Readiness | None]:
        with self._making:
            one = self.engine or self.program or self._made()
            if self.program is None and self._readiness is None:
                steps = list(steps_of([one]).values())
                self._readiness = Readiness(self.game.spelling, steps, settings=self.resources.compiling())
                self._readiness.start()
            return one, self._readiness

    def _made(self) -> Player:
        made = player(self.spelling, self.game, seconds=self.seconds)
        if isinstance(made, ExternalPlayer):
            self.resources.take_program()
            self.program = made
        else:
            self.resources.pool.admit(made, made.bytes / 1e6)
            self.engine = made
        return made

    @property
    def is_ready(self) -> bool:
        """Whether nothing is left to compile."""
        return self.program is not None or super().is_ready

    def choose(self, job: Job) -> JobChoice:
        """Wait until it is compiled and a core is free, then for its move."""
        with self._busy:
            one, readiness = self._ready_player()
            one.thought = None
            if readiness is None:
                return JobChoice(one.choose(job.position, job.limits, job.cancel), None, one.remark)
            readiness.wait(lambda: readiness.is_over)
            if self._closed:
                raise LuoziError(STOPPED)
            if readiness.refused:
                raise LuoziError(
                    "this player can't be compiled: the server has no room for more; choose another player"
                )
            with self.resources.cores.turn(1, job.cancel, owner=job.owner) as core:
                if not core:
                    raise LuoziError(STOPPED)
                return JobChoice(one.choose(job.position, job.limits, job.cancel), one.thought, one.remark)

    def close(self) -> None:
        """Release its memory, and end an external program."""
        one, program = self.engine or self.program, self.program
        self.engine, self.program, self._closed = None, None, True
        if self._readiness is not None:
            self._readiness.close()
        if program is not None:
            self.resources.give_program()
        if one is not None:
            threading.Thread(target=one.close, daemon=True).start()  # a program may take long to end


def search_player_for(resources: Resources, game: Game, seat: Seat) -> SearchPlayer:
    """Return a search with a seat's options, on the cluster if there is one."""
    make = SearchPlayer if resources.machines is None else resources.machines.player
    return make(resources, game, options_of(seat, game))


def player_for(resources: Resources, game: Game, seat: Seat, programs: dict[str, str]) -> SeatPlayer:
    """Return the player of a seat."""
    if is_search(seat, game):
        return search_player_for(resources, game, seat)
    seconds = seat.seconds if seat.seconds is not None else resources.limits.seconds
    spelling = programs[seat.name] if seat.kind == "program" else seat.spelling
    return OtherPlayer(resources, game, spelling, min(seconds, resources.limits.seconds))
