"""`SearchRunner`: how long the kernel runs, in which stretches, and early stopping."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from luozi.evaluators.thread_state import ITERATIONS, STOP, KernelLimits
from luozi.limits import NEVER, Cancel, Limits
from luozi.rules.kernel_runner import run_stoppable
from luozi.search.engine_pool import FIRST_SECONDS, STRETCH_SECONDS, EnginePool
from luozi.search.forest import Forest, SearchProgress
from luozi.search.kernel import Kernel
from luozi.search.root_moves import RootMoves
from luozi.search.tree.pool import CUT
from luozi.search.tree_reuse import MOST_VISITS

UNLIMITED = 2**62
LONGEST_SECONDS = 1.0  # of a stretch, where shorter ones come to nothing
FEW = 500  # iterations between two looks whether the choice is settled, at least
ALIKE = 1 / 8  # of the limits: then a search in which every game ends alike is over


class SearchRunner:
    """Run the kernel of one engine within the limits of a request, until its Cancel is set."""

    def __init__(
        self, kernel: Kernel, forest: Forest, progress: SearchProgress, workers: EnginePool | None = None
    ) -> None:
        self.workers = workers
        self.kernel, self.forest, self.options, self.progress = kernel, forest, forest.options, progress
        self.cancel: Cancel = NEVER  # of the request
        self.owner = ""  # for whom it searches, where engines share threads

    def begin(self, cancel: Cancel) -> None:
        """Count from zero, for a new request."""
        self.cancel = cancel
        self.progress[:] = 0

    def search(self, limits: Limits, began: float) -> None:
        """Search until a limit is reached."""
        try:
            end = began + limits.seconds if limits.seconds else None
            for run, until in self._parts(self._kernel_limits(limits), end):
                if self.workers is None:
                    run_stoppable(run, self.progress, self.cancel, until)
                else:
                    self._run_in_turns(self.workers, run, until)
        except BaseException:
            self.forest.clear_trees()  # they may be half written
            raise

    def _run_in_turns(self, workers: EnginePool, run: Callable[[], None], end: float | None) -> None:
        """Run the kernel a stretch at a time, where engines share threads.

        What the end of a stretch cuts off counts for nothing: where one simulation takes longer than a stretch, as
        before it is compiled, stretches grow until something comes of them.
        """
        stretch, usual = FIRST_SECONDS, STRETCH_SECONDS
        while True:
            before = self.progress[ITERATIONS]
            longest = end if before else None  # who has found nothing yet waits for a turn, however late it is
            with workers.turn(self.options.threads, self.cancel, longest, self.owner) as threads:
                if not threads:
                    return
                self.kernel.use_threads(threads)
                run_stoppable(run, self.progress, self.cancel, time.perf_counter() + stretch)
            if self.cancel.is_set() or not self.progress[STOP]:
                return
            if stretch == usual and self.progress[ITERATIONS] == before:
                usual = min(2 * usual, LONGEST_SECONDS)
            stretch = usual if end is None else min(usual, end - time.perf_counter())
            if stretch <= 0:
                if self.progress[ITERATIONS] or self.forest.most_visits or usual >= LONGEST_SECONDS:
                    return
                usual = stretch = min(2 * usual, LONGEST_SECONDS)  # nobody's move is left to chance

    def _kernel_limits(self, limits: Limits) -> KernelLimits:
        most = MOST_VISITS - self.forest.most_visits + int(self.progress[ITERATIONS])
        progress: Any = self.progress  # `RootKernel` takes that of several trees apart
        return KernelLimits(progress, min(limits.iterations or UNLIMITED, most), limits.nodes or UNLIMITED)

    def _parts(self, limits: KernelLimits, end: float | None) -> Iterator[tuple[Callable[[], None], float | None]]:
        """Yield what to run and until when: first the part of the limits in which `prune_ratio` prunes nothing."""
        if self.options.prune_ratio and not self.progress[ITERATIONS]:
            late, now = self.options.prune_after, time.perf_counter()
            early = limits._replace(iterations=int(late * limits.iterations), edges=int(late * limits.edges))
            yield partial(self.kernel.run, early, UNLIMITED), None if end is None else now + late * max(0.0, end - now)
        settle = self.options.early_stop
        yield partial(self._run_until_settled, limits, end) if settle else partial(self.kernel.run, limits, 0), end

    def _run_until_settled(self, limits: KernelLimits, end: float | None) -> None:
        """Search, and now and then look whether it still matters: for the most visited move, or for any result.

        After a part of the limits in which every game ended alike, moves are as good as each other.
        """
        began, before = time.perf_counter(), int(self.progress[ITERATIONS])
        while True:
            done = int(self.progress[ITERATIONS])
            until = min(limits.iterations, done + max(FEW, (done - before) // 8))
            self.kernel.run(limits._replace(iterations=until), 0)
            now, seen = time.perf_counter(), int(self.progress[ITERATIONS])
            left = float(limits.iterations - seen)
            if end is not None:
                left = min(left, (end - now) * (seen - before) / max(now - began, 1e-6))
            moves = self.forest.moves()
            if seen < until or seen >= limits.iterations or is_settled(moves, left):
                return
            if (seen - before) >= ALIKE * (seen - before + left) and ends_alike(moves):
                return

    def search_until_agreed(self, limits: Limits, began: float) -> None:
        """Search on, a tenth of the limits at a time, while robust and max child differ (Erica: Huang 2011)."""
        position = self.forest.memories[0].position
        assert position is not None
        player = position.to_move
        for tenth in range(1, int(10 * self.options.extra_budget + EQUAL) + 1):
            if self.cancel.is_set() or is_agreed(self.forest.moves(), player):
                return
            done = int(self.progress[ITERATIONS])
            self.search(limits.times(1 + tenth / 10), began)
            if self.progress[ITERATIONS] == done and not limits.seconds:  # a full pool, or a proven root
                return


# Early stopping ------------------------------------------------------------------------------------------------------

EQUAL = 1e-9  # means that differ less are equal


def is_settled(moves: RootMoves, left: float) -> bool:
    """Return whether `left` more iterations can't change which move is the most visited."""
    visits = np.sort(moves.visits[moves.marks & CUT == 0])[::-1]
    if visits.size < 2:  # one move left to choose from, or others to come
        return bool(visits.size and moves.all_tried)
    return bool(visits[0] - visits[1] > left)


def ends_alike(moves: RootMoves) -> bool:
    """Return whether every iteration so far had the same result."""
    means = moves.means[moves.visits > 0]
    return len(means) > 1 and bool(np.ptp(means, axis=0).max() < EQUAL)


def is_agreed(moves: RootMoves, player: int) -> bool:
    """Return whether the most visited of the moves that are not pruned has the best mean too."""
    rated = (moves.visits > 0) & (moves.marks & CUT == 0)
    if not rated.any():
        return True
    visits, means = moves.visits[rated], moves.means[rated, player]
    return bool((means[visits == visits.max()] >= means.max() - EQUAL).any())
