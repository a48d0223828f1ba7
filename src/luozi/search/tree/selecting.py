"""Plain selection: the best of neighbours in memory."""

from __future__ import annotations

from luozi.compiled import Array, inline, unsigned
from luozi.compiled.bits import index_of, ranked
from luozi.search.tree.operations import child_count, segment
from luozi.search.tree.pool import MEAN, Child, Tree


@inline
def best_child(tree: Tree, node: int, player: int, explore: float) -> Child:
    """The child with the best mean + explore / sqrt(visits) for the player to move (UCT: Kocsis, Szepesvari 2006)."""
    left, level = child_count(tree, node), 0
    best, chosen = unsigned(0), Child(0, 0, 1)
    while left > 0:
        first, size = segment(tree, node, level)
        at = first * (MEAN + tree.players)
        top = best_in_segment(tree.floats, at + (MEAN + player) * size, at, min(left, size), explore)
        # A later segment must be better, not only as good: its index starts anew.
        if top >> unsigned(32) > best >> unsigned(32) or level == 0:
            best, chosen = top, Child(first + index_of(top), at + index_of(top), size)
        left -= size
        level += 1
    return chosen


@inline
def best_child_at(tree: Tree, node: int, above: Child, player: int, explore: float) -> Child:
    """The same below an edge. Of the root's children a thread may have its own view, which it tells now and then."""
    edge, at, size = tree.access.best_at_root(tree, node, above.edge, player, explore)
    return Child(edge, at, size) if edge != 0 else best_child(tree, node, player, explore)


@inline
def best_in_segment(floats: Array, mean: int, spread: int, count: int, explore: float) -> int:
    """The best score among neighbours in memory and whose it is, as one number (see `ranked`)."""
    best = unsigned(0)
    for i in range(unsigned(count)):
        best = max(best, ranked(floats[unsigned(mean) + i] + explore * floats[unsigned(spread) + i], i))
    return best
