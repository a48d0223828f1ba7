"""Self-play of a board network: threads search half of the games while the network evaluates leaves of the others."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from luozi.compiled import Array
from luozi.evaluators.board_inputs import BoardInput
from luozi.learning.board_forest import (
    DRAWS,
    EVALUATIONS,
    GAMES,
    LOST,
    MOVES,
    ROWS,
    WINS,
    ForestContext,
    ForestSettings,
    ForestSize,
    MakeArray,
    Output,
    new_forest,
    new_output,
    widest_position,
    zeros,
)
from luozi.learning.board_games import BELLS, STOP, ring, serve, start_games, tick, wait_for
from luozi.rules.game import Game
from luozi.rules.kernel_runner import kernel_for

FOREST_BYTES = 24 << 30  # of all games at once
LOOK = 8  # ticks between two looks at the clock


class LeafBatch(NamedTuple):
    """The leaves of some games: what the network is shown, and where its answers belong."""

    planes: Array  # [n, planes, cells] u1
    numbers: Array  # [n, numbers] f4
    logits: Array  # [n, outputs] f4
    values: Array  # [n, players] f4


class Evaluation(Protocol):
    """An evaluation that may still be running."""

    def synchronize(self) -> None: ...


class BatchEvaluator(Protocol):
    """A network that evaluates many positions at once."""

    make: MakeArray  # how it wants the arrays that it reads and writes
    is_instant: bool  # whether `start` returns when all is evaluated, and several threads may call it

    def start(self, leaves: LeafBatch) -> Evaluation | None:
        """Begin to evaluate leaves; None: the answers are there already."""


class Positions(NamedTuple):
    """Recorded positions of finished games; the columns of `Output` without its counts."""

    planes: Array
    numbers: Array
    policy: Array
    result: Array
    mean: Array
    owners: Array


class SelfPlayReport(NamedTuple):
    """What happened while some positions were played."""

    positions: int
    games: int
    moves: int
    evaluations: int
    draws: int
    lost: int  # positions for which there was no room
    wins: Array  # [players]
    seconds: float
    search: float  # the share of the time in which the threads searched
    waiting: float  # and in which they waited for the network


def longest_record(game: Game, settings: ForestSettings) -> int:
    """How many positions of a game are recorded at most."""
    return max(16, int(game.length_limit * min(1.0, 1.6 * settings.full_share)) + 8)


def fitting_games(game: Game, view: BoardInput, settings: ForestSettings, wanted: int, room: int = FOREST_BYTES) -> int:
    """How many games fit into so many bytes, an even number."""
    widest, kept = widest_position(game), longest_record(game, settings)
    edges = max(game.actions, (settings.full + 4) * widest)
    position = view.planes * view.cells + 4 * view.numbers + 2 * view.logits
    each = 20 * edges + kept * position + 8 * game.actions + 2 * game.dtype.itemsize
    return max(2, min(wanted, room // each) // 2 * 2)


class BoardSelfPlay:
    """Games without end of one network against itself.

    One thread is the caller's. Beside a GPU the others `serve` inside a kernel, where they never wait for Python.
    """

    def __init__(
        self, game: Game, view: BoardInput, evaluator: BatchEvaluator, settings: ForestSettings, plan: SelfPlayPlan
    ) -> None:
        self.game, self.evaluator, self.plan = game, evaluator, plan
        self.half = max(1, plan.games // 2)
        threads = max(1, min(plan.threads, self.half))
        size = ForestSize(2 * self.half, settings.full, longest_record(game, settings), widest_position(game))
        forest = new_forest(game, view, size, plan.seed, evaluator.make)
        rows = max(plan.rows // threads, 4 * size.kept)
        outputs = [new_output(game, view, rows) for _ in range(threads)]
        self.contexts = [ForestContext(game, view, settings, forest, output) for output in outputs]
        self.parts = np.linspace(0, self.half, threads + 1).astype(int).tolist()
        self.bells, self.orders, self.crew = np.zeros(BELLS, np.int64), 0, list[threading.Thread]()
        self.shown = LeafBatch(forest.planes, forest.numbers, forest.logits, forest.result)
        self.leaves = [LeafBatch(*(part[low : low + self.half] for part in self.shown)) for low in (0, self.half)]
        compiled = plan.compiled
        self.tick = kernel_for(game, tick, compiled)
        self.serve = kernel_for(game, serve, compiled)
        kernel_for(game, start_games, compiled)(self.contexts[0], 0, 2 * self.half)
        self.is_begun = False

    def prepare(self) -> None:
        """Compile what the games need."""
        self.tick(self.contexts[0], 0, 0)
        if len(self.contexts) > 1 and not self.evaluator.is_instant:
            ring(self.bells, STOP)
            wait_for(self.bells, 0)
            self._serve(0)

    def play(self, positions: int, is_over: Callable[[], bool]) -> tuple[Positions, SelfPlayReport]:
        """Play until so many positions of finished games are recorded, or until told to end."""
        for context in self.contexts:
            context.output.counts[:] = 0
        began, spent = time.perf_counter(), [0.0, 0.0]

        def is_enough() -> bool:
            return is_over() or self.recorded >= positions

        (self._play_apart if self.evaluator.is_instant else self._play_halves)(is_enough, spent)
        return self._positions(), self._report(time.perf_counter() - began, spent)

    def _play_halves(self, is_enough: Callable[[], bool], spent: list[float]) -> None:
        """All threads search one half of the games while the network evaluates the other."""
        self._open()
        try:
            if not self.is_begun:
                self._step(0)
                self._step(1)
                self.is_begun = True
            pending = [self.evaluator.start(leaves) for leaves in self.leaves]
            half = ticks = 0
            while ticks % LOOK or not is_enough():
                waited = time.perf_counter()
                _finish(pending[half])
                searched = time.perf_counter()
                self._step(half)
                spent[0] += searched - waited
                spent[1] += time.perf_counter() - searched
                pending[half] = self.evaluator.start(self.leaves[half])
                half, ticks = 1 - half, ticks + 1
            for evaluation in pending:
                _finish(evaluation)
        finally:
            self._close()

    def _play_apart(self, is_enough: Callable[[], bool], spent: list[float]) -> None:
        """Each thread evaluates and searches games of its own by turns: processors do both equally well."""
        edges = np.linspace(0, 2 * self.half, len(self.contexts) + 1).astype(int).tolist()
        stop, failures = threading.Event(), list[BaseException]()

        def play(number: int) -> None:
            low, high = edges[number : number + 2]
            leaves = LeafBatch(*(part[low:high] for part in self.shown))
            try:
                while not stop.is_set() and not (number == 0 and is_enough()):
                    waited = time.perf_counter()
                    self.evaluator.start(leaves)
                    searched = time.perf_counter()
                    self.tick(self.contexts[number], low, high)
                    spent[0] += (searched - waited) / len(self.contexts)
                    spent[1] += (time.perf_counter() - searched) / len(self.contexts)
            except BaseException as error:
                failures.append(error)
            finally:
                if number == 0 or failures:
                    stop.set()

        crew = [threading.Thread(target=play, args=(number,)) for number in range(1, len(self.contexts))]
        for thread in crew:
            thread.start()
        play(0)
        for thread in crew:
            thread.join()
        if failures:
            raise failures[0]

    def _open(self) -> None:
        """Start the threads that serve."""
        self.bells[:], self.orders = 0, 0
        self.crew = [
            threading.Thread(target=self._serve, args=(number,), daemon=True) for number in range(1, len(self.contexts))
        ]
        for thread in self.crew:
            thread.start()

    def _close(self) -> None:
        """Stop them."""
        ring(self.bells, 4 * (self.orders + 1) + STOP)
        for thread in self.crew:
            thread.join()

    def _serve(self, number: int) -> None:
        low, high = self.parts[number : number + 2]
        self.serve(self.contexts[number], self.bells, self.half, low, high)

    def _step(self, half: int) -> None:
        """One leaf further in each game of a half."""
        self.orders += 1
        ring(self.bells, 4 * self.orders + half)
        start = half * self.half
        self.tick(self.contexts[0], start + self.parts[0], start + self.parts[1])
        wait_for(self.bells, len(self.contexts) - 1)

    @property
    def recorded(self) -> int:
        """The positions of games that were finished since `play` began."""
        return sum(int(context.output.counts[ROWS]) for context in self.contexts)

    @property
    def finished(self) -> int:
        """The games that were finished since `play` began."""
        return sum(int(context.output.counts[GAMES]) for context in self.contexts)

    def _positions(self) -> Positions:
        outputs = [context.output for context in self.contexts]
        return Positions(*(_joined(outputs, name) for name in Positions._fields))

    def _report(self, seconds: float, spent: list[float]) -> SelfPlayReport:
        counts = np.sum([context.output.counts for context in self.contexts], axis=0)
        return SelfPlayReport(
            positions=int(counts[ROWS]),
            games=int(counts[GAMES]),
            moves=int(counts[MOVES]),
            evaluations=int(counts[EVALUATIONS]),
            draws=int(counts[DRAWS]),
            lost=int(counts[LOST]),
            wins=counts[WINS : WINS + self.game.players],
            seconds=seconds,
            search=spent[1] / seconds,
            waiting=spent[0] / seconds,
        )


class SelfPlayPlan(NamedTuple):
    """How much is played at once."""

    games: int
    threads: int
    rows: int  # room for recorded positions
    seed: int = 1
    compiled: bool = True


def _finish(evaluation: Evaluation | None) -> None:
    if evaluation is not None:
        evaluation.synchronize()


def _joined(outputs: list[Output], name: str) -> Array:
    return np.concatenate([getattr(output, name)[: int(output.counts[ROWS])] for output in outputs])


class UniformEvaluator:
    """A network that knows nothing: all moves alike, and every player as likely to win. For tests and for measuring."""

    make = staticmethod(zeros)
    is_instant = True

    def start(self, leaves: LeafBatch) -> None:
        """Answer at once."""
        leaves.logits[:] = 0.0
        leaves.values[:] = 1.0 / leaves.values.shape[1]
