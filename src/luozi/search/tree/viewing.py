"""A thread's own view of the root's moves: what plain selection reads, for all of them side by side."""

from __future__ import annotations

import math

from luozi.compiled import Array, float32, inline, unsigned

MOST_MOVES = 1024  # of a root that threads have views of
SPREADS, MEANS = 0, MOST_MOVES  # where these begin


@inline
def copy_some(target: Array, place: int, source: Array, begin: int, count: int) -> None:
    """Copy neighbours."""
    for index in range(unsigned(count)):
        target[unsigned(place) + index] = source[unsigned(begin) + index]


@inline
def lose_some(known: Array, begin: int, end: int) -> None:
    """Let some moves of a view be visited once more, and lost; new ones stay new."""
    for index in range(unsigned(begin), unsigned(end)):
        square = known[SPREADS + index] * known[SPREADS + index]
        inverse = square / (float32(1.0) + square)
        known[SPREADS + index] = math.sqrt(inverse)
        known[MEANS + index] *= float32(1.0) - inverse


@inline
def count_visit(known: Array, index: int, result: float) -> None:
    """A move of a view has one visit more than the 1 / spread^2 that it had."""
    square = known[SPREADS + index] * known[SPREADS + index]
    inverse = square / (float32(1.0) + square) if square > 0.0 else float32(1.0)
    mean = known[MEANS + index] if square > 0.0 else float32(0.0)
    known[SPREADS + index] = math.sqrt(inverse)
    known[MEANS + index] = mean + (result - mean) * inverse
