"""How speed is measured: CPU time, several rounds, the contestants in turn, and ratios of medians."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of a call, of all threads of this process."""
    began = time.process_time()
    work()
    return time.process_time() - began


def in_turn(contestants: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median CPU time of each contestant; they take turns, so that a noisy machine is noisy for all."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, work in contestants.items():
            times[name].append(cpu_seconds(work))
    return {name: statistics.median(values) for name, values in times.items()}
