"""What a stone makes of a line, such as a five or an open four, derived from the rules alone.

The names are those of five in a row: a four is one stone short of a win, whatever the required length.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from luozi.compiled import Array

EMPTY, OWN, BLOCKED = 0, 1, 2  # digits of a view: the cells around a cell as a player sees them, in base three
# What a stone would make. DEAD: nobody can win along this line through this cell.
DEAD, ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE, CLASSES = range(10)


@cache
def line_classes(run: int, exactly: bool) -> Array:
    """Return for each view what a stone in the middle makes.

    >>> classes = line_classes(3, False)  # two cells to either side, the first digit is the farthest to the left
    >>> [int(classes[int(view, 3)]) for view in ("0110", "2102", "2202", "0010")] == [FIVE, FOUR, DEAD, OPEN_FOUR]
    True
    """
    near = run if exactly else run - 1
    digits = 2 * near
    powers = 3 ** np.arange(digits - 1, -1, -1)
    views = np.arange(3**digits)
    line = np.insert(views[:, None] // powers % 3, near, OWN, axis=1)
    windows = [line[:, start : start + run] for start in range(near - run + 1, near + 1)]
    made = np.zeros(len(views), bool)
    for start, window in enumerate(windows, near - run + 1):
        full = (window == OWN).all(axis=1)
        if exactly:
            full &= (line[:, start - 1] != OWN) & (line[:, start + run] != OWN)
        made |= full
    alive = np.any([(window != BLOCKED).all(axis=1) for window in windows], axis=0)

    def ways(goal: Array) -> Array:
        """Return the number of further stones of the player that reach a goal."""
        count = np.zeros(len(views), np.int64)
        for power in powers:
            free = np.flatnonzero(views // power % 3 == EMPTY)
            count[free] += goal[free + OWN * power]
        return count

    wins = ways(made)
    levels = [alive, made, wins > 1, wins > 0]
    for _ in range(2):  # threes from fours, twos from threes
        levels += [ways(levels[-2]) > 0, ways(levels[-1]) > 0]
    ranks = (ONE, FIVE, OPEN_FOUR, FOUR, OPEN_THREE, THREE, OPEN_TWO, TWO)
    classes = np.zeros(len(views), np.uint8)
    for rank, level in zip(ranks, levels, strict=True):
        classes = np.where(level, np.maximum(classes, rank), classes).astype(np.uint8)
    return classes
