"""When more search would change nothing: looks at the root between two stretches of a search."""

from __future__ import annotations

import numpy as np

from luozi.search.tree import CUT, Notes, Tree, all_marks, children_of, root_node, tried_of

EQUAL = 1e-9  # means that differ less are equal


def is_settled(tree: Tree, notes: Notes, left: float) -> bool:
    """Whether the most visited move stays so, whatever so many more iterations find."""
    children = children_of(tree, root_node(tree))
    cut = all_marks(notes, children.edge) & CUT
    visits = np.sort(children.visits[cut == 0])[::-1]
    if visits.size < 2:  # one move left to choose from, or others to come
        return bool(visits.size and tried_of(tree, root_node(tree)) >= tree.actions)
    return bool(visits[0] - visits[1] > left)


def ends_alike(tree: Tree) -> bool:
    """Whether every iteration so far had the same result."""
    children = children_of(tree, root_node(tree))
    means = children.means[children.visits > 0]
    return len(means) > 1 and bool(np.ptp(means, axis=0).max() < EQUAL)


def is_agreed(tree: Tree, notes: Notes, player: int) -> bool:
    """Whether, of the moves that are not cut, the most visited has the best mean too."""
    children = children_of(tree, root_node(tree))
    cut = all_marks(notes, children.edge) & CUT
    rated = (children.visits > 0) & (cut == 0)
    if not rated.any():
        return True
    visits, means = children.visits[rated], children.means[rated, player]
    return bool((means[visits == visits.max()] >= means.max() - EQUAL).any())
