"""Asking for cache lines before they are written, where threads share a tree.

A line that another core wrote last takes as long to come as a hundred instructions, and an atomic operation waits for
all that was written before it. Lines that were asked for together come together.
"""

from __future__ import annotations

from luozi.compiled import inline, unsigned
from luozi.search.tree.operations import child_count, child_in, is_shared, node_of, place_of, segment
from luozi.search.tree.pool import LOCK, MEAN, SPREAD, VISITS, Child, Tree


@inline
def fetch_child(tree: Tree, child: Child) -> None:
    """Ask for what is written on the way through an edge, down and up, and for the node below."""
    if is_shared(tree):
        if tree.access.entry_of(child.edge, tree.players) == 0:
            fetch_statistics(tree, child)
        tree.access.fetch(tree.nodes, unsigned(node_of(tree, child) + LOCK))


@inline
def fetch_statistics(tree: Tree, child: Child) -> None:
    """Ask for what is counted of an edge, and copied."""
    tree.access.fetch(tree.words, unsigned(child.at + VISITS * child.size))
    tree.access.fetch(tree.words, unsigned(child.at + SPREAD * child.size))
    for player in range(tree.players):
        tree.access.fetch(tree.words, unsigned(child.at + (MEAN + player) * child.size))
    tree.access.fetch(tree.sums, unsigned(child.edge * tree.players))


@inline
def fetch_next_child(tree: Tree, node: int) -> None:
    """Ask for where the next child of a node will lie, if its segment is there: else nobody has written it."""
    if is_shared(tree):
        count = child_count(tree, node)
        if count < tree.actions:
            level, index, size = place_of(tree, count)
            first, _ = segment(tree, node, level)
            if first != 0:
                fetch_fields(tree, child_in(tree, first, size, index))


@inline
def fetch_fields(tree: Tree, child: Child) -> None:
    """Ask for all lines of an edge."""
    for field in range(MEAN + tree.players):
        tree.access.fetch(tree.words, unsigned(child.at + field * child.size))
    tree.access.fetch(tree.sums, unsigned(child.edge * tree.players))
