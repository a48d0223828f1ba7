"""Read a tree from Python: children, the principal variation, and how much is in use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from luozi.compiled import Array
from luozi.evaluators.variants import Variants
from luozi.search.tree.locking import ROOT_SUM, ROOT_VISITS
from luozi.search.tree.pool import (
    ACTION,
    CHANCE_OF,
    CHILD,
    CHILDREN,
    EDGES_IN_USE,
    FIXED_POINT,
    MEAN,
    NEXT_EDGE,
    NEXT_NODE,
    PRIOR_SIZE,
    SEGMENTS,
    SPREAD,
    VISITS,
    edge_bytes,
    level_count,
    node_bytes,
    segment_size,
)
from luozi.search.tree.tree import Tree


@dataclass(frozen=True)
class Children:
    """All children of a node, one row each."""

    action: Array
    visits: Array
    means: Array  # [children, players]
    node: Array  # 0 where a child has no children of its own
    edge: Array
    draws: Array  # visits that ended drawn
    size: Array  # of each one's segment
    at: Array  # where its first field is
    spread: Array  # what plain selection reads: this and the cached means
    cached: Array  # [children, players]

    def places(self) -> list[tuple[int, int, int]]:
        """Return every child as the numbers of a `Child`."""
        return list(zip(self.edge.tolist(), self.at.tolist(), self.size.tolist(), strict=True))


def root_node(tree: Tree) -> int:
    """Return the root's node, or 0 before the first iteration."""
    return int(tree.words[CHILD])


def root_visits(tree: Tree) -> int:
    """Return the visits of the root, reused and buffered ones included."""
    return int(tree.words[VISITS]) + int(tree.buffered(ROOT_VISITS))


def root_sums(tree: Tree) -> Array:
    """Return what was credited to each player at the root, in fixed point, buffered results included."""
    return np.array([int(tree.sums[player]) + int(tree.buffered(ROOT_SUM + player)) for player in range(tree.players)])


def root_draws(tree: Tree) -> int:
    """Return how many visits of the root ended drawn, reused ones included."""
    return int(tree.drawn[0])


def children_of(tree: Tree, node: int) -> Children:
    """Return the children of a node in the order in which they were made."""
    left = int(tree.nodes[node + CHILDREN]) if node else 0
    blocks, edges, width = [np.zeros((MEAN + tree.players, 0), np.uint32)], [np.zeros(0, np.int64)], MEAN + tree.players
    level, sizes, places = 0, [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    while left > 0:
        first, size = int(tree.nodes[node + SEGMENTS + level]), segment_size(level, tree.actions)
        sizes.append(np.full(min(left, size), size))
        places.append(first * width + np.arange(min(left, size)))
        block = tree.words[first * width : (first + size) * width].reshape(width, size)
        blocks.append(block[:, : min(left, size)])
        edges.append(np.arange(first, first + min(left, size)))
        left -= size
        level += 1
    words, edge = np.concatenate(blocks, axis=1), np.concatenate(edges)
    sums = tree.sums.reshape(-1, tree.players)[edge] / FIXED_POINT
    visits = words[VISITS].astype(np.int64)
    return Children(
        action=words[ACTION].astype(np.int64),
        visits=visits,
        means=sums / np.maximum(visits, 1)[:, None],
        node=words[CHILD].astype(np.int64),
        edge=edge,
        draws=tree.drawn[edge].astype(np.int64),
        size=np.concatenate(sizes),
        at=np.concatenate(places),
        spread=words[SPREAD].view(np.float32),
        cached=words[MEAN:].view(np.float32).T,
    )


def principal_variations(tree: Tree, nodes: Sequence[int]) -> list[list[int]]:
    """Return the most visited moves from each of some nodes on; all at once, as each step in Python costs."""
    lines: list[list[int]] = [[] for _ in nodes]
    layout, width = layout_of(tree.actions), MEAN + tree.players
    row, node = np.arange(len(nodes)), np.asarray(nodes, np.int64)
    while node.any():
        row, node = row[node > 0], node[node > 0]
        # How many there are before where they are: a search that goes on publishes these the other way round.
        there = layout.child < tree.nodes[node + CHILDREN][:, None]
        place = tree.nodes[node[:, None] + SEGMENTS + layout.level].astype(np.int64) * width + layout.place
        visits = np.where(there, tree.words[place + VISITS * layout.size], 0)
        best = visits.argmax(axis=1)
        at, size = np.take_along_axis(place, best[:, None], 1)[:, 0], layout.size[best]
        seen = visits.max(axis=1) > 0
        for line, action in zip(row[seen].tolist(), tree.words[at + ACTION * size][seen].tolist(), strict=True):
            lines[line].append(action)
        node = np.where(seen, tree.words[at + CHILD * size], 0)
    return lines


class Layout(NamedTuple):
    """Where a node's children lie, one entry for each that it may have."""

    child: Array  # its number
    level: Array  # of its segment
    size: Array  # of its segment
    place: Array  # in its segment


@cache
def layout_of(actions: int) -> Layout:
    """Return where the children of a node lie in a game of so many actions."""
    sizes = [segment_size(level, actions) for level in range(level_count(actions))]
    index = np.concatenate([np.arange(size) for size in sizes])
    return Layout(np.arange(actions), np.repeat(np.arange(len(sizes)), sizes), np.repeat(sizes, sizes), index)


# What variants store, and sizes ---------------------------------------------------------------------------------------


def all_marks(tree: Tree, edges: Array) -> Array:
    """Return CUT and PROVEN of some edges; 0 where edges have no marks."""
    return tree.flags[edges] if tree.flags.size > 1 else np.zeros(len(edges), np.uint8)


def all_proven_results(tree: Tree, edges: Array) -> Array:
    """Return the results of some proven edges, a row each."""
    return tree.values.reshape(-1, tree.players)[edges]


def all_chances(tree: Tree, edges: Array) -> Array:
    """Return the P of PUCT of some edges, or NaN where edges have none."""
    if tree.priors.size <= 1:
        return np.full(len(edges), np.nan)
    return tree.priors.reshape(-1, PRIOR_SIZE)[edges, CHANCE_OF].astype(np.float64)


def all_edges(tree: Tree) -> int:
    """Return how many edges hold a child, those that threads have buffered too."""
    return int(tree.used[EDGES_IN_USE]) + tree.buffered(EDGES_IN_USE)


def used_share(tree: Tree) -> float:
    """Return how much of the pool is in use, from 0 to 1."""
    return int(tree.used[NEXT_EDGE]) / (len(tree.words) // (MEAN + tree.players))


def used_bytes(tree: Tree, variants: Variants) -> int:
    """Return how many bytes of the pool are in use, with what these variants store."""
    nodes = int(tree.used[NEXT_NODE]) // (SEGMENTS + tree.levels)
    edges = int(tree.used[NEXT_EDGE])
    return nodes * node_bytes(tree.players, tree.actions, variants) + edges * edge_bytes(tree.players, variants)


def room_of(tree: Tree) -> int:
    """Return how many bytes the pool takes when it is full."""
    names = ("nodes", "words", "sums", "drawn", "locks", "flags", "values", "squares", "rave", "priors", "positions")
    return sum([getattr(tree, name).nbytes for name in (*names, "table", "history", "cuts")])
