"""The score of a child that is cut or proven."""

from __future__ import annotations

from luozi.compiled import inline
from luozi.search.tree import CUT, PROVEN, Child, SideTables, Tree, marks_of, proven_result, visits_of

LOST = -1e9  # below all scores of moves that are not proven to lose
NEVER = -1e18
EVENLY = 1e-12  # of certain results that are equal, the one with fewer visits


@inline
def certain_score(tree: Tree, notes: SideTables, child: Child, player: int, score: float) -> float:
    """A certain result is its own score, and a loss comes last; without one the score stays as it is."""
    marks = marks_of(notes, child.edge)
    if marks & CUT != 0:
        return NEVER
    if marks & PROVEN == 0:
        return score
    result = proven_result(tree, notes, child.edge, player)
    return LOST + score if result <= 0.0 else result - EVENLY * float(visits_of(tree, child))
