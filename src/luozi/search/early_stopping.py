"""When more search would change nothing: looks at the root between two stretches of a search."""

from __future__ import annotations

import numpy as np

from luozi.search.root_moves import RootMoves
from luozi.search.tree import CUT

EQUAL = 1e-9  # means that differ less are equal


def is_settled(moves: RootMoves, left: float) -> bool:
    """Whether the most visited move stays so, whatever so many more iterations find."""
    visits = np.sort(moves.visits[moves.marks & CUT == 0])[::-1]
    if visits.size < 2:  # one move left to choose from, or others to come
        return bool(visits.size and moves.all_tried)
    return bool(visits[0] - visits[1] > left)


def ends_alike(moves: RootMoves) -> bool:
    """Whether every iteration so far had the same result."""
    means = moves.means[moves.visits > 0]
    return len(means) > 1 and bool(np.ptp(means, axis=0).max() < EQUAL)


def is_agreed(moves: RootMoves, player: int) -> bool:
    """Whether, of the moves that are not cut, the most visited has the best mean too."""
    rated = (moves.visits > 0) & (moves.marks & CUT == 0)
    if not rated.any():
        return True
    visits, means = moves.visits[rated], moves.means[rated, player]
    return bool((means[visits == visits.max()] >= means.max() - EQUAL).any())
