"""Loops over neighbours in memory: plain selection, and a thread's own view of the root's moves."""

from __future__ import annotations

import math

from luozi.compiled import Array, float32, inline, unsigned
from luozi.compiled.bits import ranked

MOST_MOVES = 1024  # of a root that threads have views of
SPREADS, MEANS = 0, MOST_MOVES  # where the 1 / sqrt(visits) and the means of a view begin


@inline
def best_in_segment(floats: Array, mean: int, spread: int, count: int, explore: float) -> int:
    """Return the best score among neighbours and whose it is, as one number (see `ranked`)."""
    best = unsigned(0)
    for i in range(unsigned(count)):
        best = max(best, ranked(floats[unsigned(mean) + i] + explore * floats[unsigned(spread) + i], i))
    return best


@inline
def copy_some(target: Array, place: int, source: Array, begin: int, count: int) -> None:
    """Copy neighbours."""
    for index in range(unsigned(count)):
        target[unsigned(place) + index] = source[unsigned(begin) + index]


@inline
def lose_some(view: Array, begin: int, end: int) -> None:
    """Count one more visit, a loss, for some moves of a view; unvisited moves stay so."""
    for index in range(unsigned(begin), unsigned(end)):
        square = view[SPREADS + index] * view[SPREADS + index]
        inverse = square / (float32(1.0) + square)
        view[SPREADS + index] = math.sqrt(inverse)
        view[MEANS + index] *= float32(1.0) - inverse


@inline
def count_visit(view: Array, index: int, result: float) -> None:
    """Count one more visit of a move of a view than the 1 / spread^2 that it had."""
    square = view[SPREADS + index] * view[SPREADS + index]
    inverse = square / (float32(1.0) + square) if square > 0.0 else float32(1.0)
    mean = view[MEANS + index] if square > 0.0 else float32(0.0)
    view[SPREADS + index] = math.sqrt(inverse)
    view[MEANS + index] = mean + (result - mean) * inverse
