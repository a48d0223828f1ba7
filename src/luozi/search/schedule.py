"""How long the kernel runs and in which stretches: the budget, the clock, and when more would change nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from luozi.evaluators.thread import ITERATIONS, STOP, Limits
from luozi.running import StillRunningError, run_with_clock
from luozi.search.budget import Budget
from luozi.search.forest import Forest
from luozi.search.kernel import Kernel
from luozi.search.memory import MOST_VISITS
from luozi.search.settling import EQUAL, ends_alike, is_agreed, is_settled
from luozi.search.workers import FIRST_SECONDS, STRETCH_SECONDS, Workers

UNLIMITED = 2**62
LONGEST_SECONDS = 1.0  # of a stretch, where shorter ones come to nothing
FEW = 500  # iterations between two looks whether the choice is settled, at least
ALIKE = 1 / 8  # of the budget: then a search in which every game ends alike is over


class Schedule:
    """Runs the kernel of one engine. `stop` may come from another thread at any time; it holds until `begin`."""

    def __init__(self, kernel: Kernel, forest: Forest, progress: Any, workers: Workers | None = None) -> None:
        self.workers = workers
        self.kernel, self.forest, self.options, self.progress = kernel, forest, forest.options, progress
        self.is_stopped = False
        self.owner = ""  # for whom it searches, where engines share threads

    def begin(self) -> None:
        """Before a search; from here on `stop` is never lost."""
        self.is_stopped = False
        self.progress[:] = 0

    def stop(self) -> None:
        """End the search that is running, or else the next stretch of it."""
        self.is_stopped = True
        self.progress[STOP] = 1

    def search(self, budget: Budget, began: float) -> None:
        """Search until a limit is reached, and on where the rule of agreement asks for it."""
        self.search_within(budget, began)
        if self.options.final == "agreement":
            self._search_until_agreed(budget, began)

    def search_within(self, budget: Budget, began: float) -> None:
        """Search until a limit is reached."""
        try:
            limits = self._limits(budget)
            if self.options.uncertain and not self.progress[ITERATIONS]:
                self._search_before_cuts(limits, seconds_left(budget, began))
            left = seconds_left(budget, began)
            end = None if left is None else time.perf_counter() + left
            self._run_in_turns(lambda: self._run_to(limits, end), end)
        except StillRunningError:
            raise
        except BaseException:
            self.forest.clear_trees()  # they may be half written
            raise

    def _run_in_turns(self, run: Callable[[], None], end: float | None) -> None:
        """Run the kernel; where engines share threads, a stretch at a time.

        What the end of a stretch cuts off counts for nothing: where one simulation takes longer than a stretch, as
        before it is compiled, stretches grow until something comes of them.
        """
        if self.workers is None:
            run_with_clock(run, self.progress, time_until(end))
            return
        stretch, usual = FIRST_SECONDS, STRETCH_SECONDS

        def is_over() -> bool:  # whose time is up need not wait for a turn to find that out
            return self.is_stopped or (time_until(end) == 0.0 and bool(self.progress[ITERATIONS]))

        while True:
            before = self.progress[ITERATIONS]
            with self.workers.turn(self.options.threads, is_over, self.owner) as threads:
                if not threads:
                    return
                self.kernel.use_threads(threads)
                run_with_clock(run, self.progress, stretch)
            if self.is_stopped or not self.progress[STOP]:
                return
            self._rearm()
            if stretch == usual and self.progress[ITERATIONS] == before:
                usual = min(2 * usual, LONGEST_SECONDS)
            stretch = usual if end is None else min(usual, end - time.perf_counter())
            if stretch <= 0:
                if self.progress[ITERATIONS] or self.forest.most_visits or usual >= LONGEST_SECONDS:
                    return
                usual = stretch = min(2 * usual, LONGEST_SECONDS)  # nobody's move is left to chance

    def _limits(self, budget: Budget) -> Limits:
        most = MOST_VISITS - self.forest.most_visits + int(self.progress[ITERATIONS])
        return Limits(self.progress, min(budget.iterations or UNLIMITED, most), budget.nodes or UNLIMITED)

    def _search_before_cuts(self, limits: Limits, left: float | None) -> None:
        """The first part of the budget, in which no move is cut as uncertain."""
        late = self.options.uncertain_after
        early = limits._replace(iterations=int(late * limits.iterations), edges=int(late * limits.edges))
        end = None if left is None else time.perf_counter() + late * left
        self._run_in_turns(lambda: self.kernel.run(early, UNLIMITED), end)
        self._rearm()

    def _run_to(self, limits: Limits, end: float | None) -> None:
        if self.options.settle:
            self._run_until_settled(limits, end)
        else:
            self.kernel.run(limits, 0)

    def _run_until_settled(self, limits: Limits, end: float | None) -> None:
        """Search, and now and then look whether it still matters: for the most visited move, or for any result.

        After a part of the budget in which every game ended alike, moves are as good as each other.
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

    def _rearm(self) -> None:
        """Take the stop flag down after the clock has put it up; one that `stop` puts up stays, whenever it comes."""
        self.progress[STOP] = 0
        if self.is_stopped:
            self.progress[STOP] = 1

    def _search_until_agreed(self, budget: Budget, began: float) -> None:
        """Erica's rule: search on, a tenth of the budget at a time, while the two first choices differ."""
        player = int(self.forest.game.current_player(self.forest.root))
        for tenth in range(1, int(10 * self.options.patience + EQUAL) + 1):
            if self.is_stopped or is_agreed(self.forest.moves(), player):
                return
            done = int(self.progress[ITERATIONS])
            self._rearm()
            self.search_within(budget.times(1 + tenth / 10), began)
            if self.progress[ITERATIONS] == done and not budget.seconds:  # a full pool, or a proven root
                return


def time_until(end: float | None) -> float | None:
    """The seconds until a time, if there is one."""
    return None if end is None else max(0.0, end - time.perf_counter())


def seconds_left(budget: Budget, began: float) -> float | None:
    """What is left of the time, if there is a limit to it."""
    return max(0.0, began + budget.seconds - time.perf_counter()) if budget.seconds else None
