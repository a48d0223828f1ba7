"""The node pool: what is kept of the search, in a few arrays that are allocated once.

A *node* is a position with children; an *edge* is a child: a move with its statistics, and the node it leads to once
that has children of its own. No board is stored: a position is the way to it.

A node's edges lie in segments of 4, 8, 16, ... that never move while a search runs. A segment is published by one
compare-and-swap, so that two threads that want it at once end up with the same one. Inside a segment each field lies
side by side for all edges, so that selection streams through one or two cache lines. An edge is therefore written as
a `Child` of three numbers. Node 0 and segment 0 mean "none"; edge 0 is the root's own, and as an answer means "none".

An edge that was never visited has no results, a SPREAD of 0 and the MEAN UNVISITED for everybody, so that plain
selection, which looks at nothing else, takes it before all others. Whoever wants its worth looks at its visits first.

Moves are tried in an order of the node's own: the actions `(offset + i * stride) mod actions`, where ORDER gives offset
and stride and TRIED is how far i has come. So a node needs no list of untried moves, and the order depends on nothing
but the node.

Several threads may work on one tree: `access.py` tells how, and in which order things are written.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from luozi.compiled import Array, inline
from luozi.compiled.arrays import in_own_lines, lazy_zeros
from luozi.evaluators.thread_state import FIXED_POINT as FIXED_POINT
from luozi.search.tree.access import CACHE_LINE, LOCKS, Alone
from luozi.search.tree.access import EDGES_IN_USE as EDGES_IN_USE
from luozi.search.tree.access import NEXT_EDGE as NEXT_EDGE
from luozi.search.tree.access import NEXT_NODE as NEXT_NODE

# Fields of a node. A node is named by the place of its first field in Tree.nodes.
ORDER, TRIED, LOCK, CHILDREN, SEGMENTS = 0, 1, 2, 3, 4
EXCLUDED = 64  # above the number of actions: TRIED of a node without moves that nobody has shown to lose
# Fields of an edge in Tree.words; the mean result of player p is field MEAN + p.
SPREAD, VISITS, CHILD, ACTION, MEAN = 0, 1, 2, 3, 4

UNVISITED = 1e30  # the MEAN of an edge without visits: above every score, and finite, as compiled code assumes
FIRST_SEGMENT = 4
STRIDES = 16
LOCK_BYTES = 4 * (LOCKS + 1) * CACHE_LINE  # of a pool, however small it is


class Child(NamedTuple):
    """An edge: its number, the word where its first field is, and its segment's size: from one field to the next."""

    edge: int
    at: int
    size: int


class Tree(NamedTuple):
    """The pool. With L levels of segments, P players: a node takes 4 + L words, an edge 5 + P words and P sums."""

    nodes: Array  # u4: ORDER, TRIED, LOCK, CHILDREN, and where each segment begins (an edge number) or 0
    words: Array  # u4: SPREAD, VISITS, CHILD (a node), ACTION, MEAN...
    floats: Array  # f4: the same memory as `words`, for SPREAD = 1 / sqrt(visits) and MEAN = sum / visits
    sums: Array  # i8: the results credited to each player, in fixed point
    drawn: Array  # u4: how many visits of each edge ended drawn; the last one more: whether any visit ever did
    used: Array  # i8: the next free node and edge, and how many edges hold a child
    locks: Array  # u4: the lock of the whole tree and those of edges, each in a cache line of its own
    access: Any  # how threads share it, see `access.py`
    strides: Array  # i8: numbers that have no common divisor with `actions`
    inverses: Array  # i8: their inverses modulo `actions`
    players: int
    actions: int
    levels: int


def new_tree(edges: int, players: int, actions: int, access: Any = None) -> Tree:
    """An empty pool with room for a number of edges, for one thread if nothing else is said.

    Memory that is never touched is never resident.
    """
    levels = level_count(actions)
    nodes = edges // min(FIRST_SEGMENT, actions) + 2  # each node has a segment, so there can't be more
    words = lazy_zeros(edges * (MEAN + players), np.uint32)
    candidates = np.arange(actions // 3 + 1, 4 * actions + 200)
    strides = (candidates[np.gcd(candidates, actions) == 1][:STRIDES] % actions).tolist()
    tree = Tree(
        nodes=lazy_zeros(nodes * (SEGMENTS + levels), np.uint32),
        words=words,
        floats=words.view(np.float32),
        sums=lazy_zeros(edges * players, np.int64),
        drawn=lazy_zeros(edges + 1, np.uint32),
        used=in_own_lines(np.zeros(3, np.int64)),
        locks=lazy_zeros(LOCK_BYTES // 4, np.uint32),
        access=Alone() if access is None else access,
        strides=np.array(strides, np.int64),
        inverses=np.array([pow(stride, -1, actions) if actions > 1 else 0 for stride in strides], np.int64),
        players=players,
        actions=actions,
        levels=levels,
    )
    clear(tree)
    return tree


def edges_in(size: int, players: int, actions: int, edge_notes: int = 0, node_notes: int = 0) -> int:
    """How many edges a pool of so many bytes has room for, with the nodes that belong to them and notes on each."""
    node = 4 * (SEGMENTS + level_count(actions)) + node_notes
    edge = edge_bytes(players) + edge_notes + node / min(FIRST_SEGMENT, actions)
    return max(0, int((size - 2 * node) / edge))


def edge_bytes(players: int) -> int:
    """How many bytes an edge takes, without notes."""
    return 4 * (MEAN + players) + 8 * players + 4


def clear(tree: Tree) -> None:
    """Forget everything."""
    tree.locks[:] = 0
    forget_draws(tree, 0)
    tree.used[:] = SEGMENTS + tree.levels, 1, 1
    tree.access.forget_room()
    tree.words[: MEAN + tree.players] = 0
    tree.sums[: tree.players] = 0


def forget_draws(tree: Tree, first: int) -> None:
    """Edges from the first on have seen no draw: those that are not in use must not, since nobody clears new ones.

    Memory that no draw has touched stays untouched.
    """
    if tree.drawn[-1]:
        tree.drawn[first : int(tree.used[NEXT_EDGE])] = 0
        tree.drawn[-1] = first > 0


@cache
def level_count(actions: int) -> int:
    """How many segments a node can have.

    >>> level_count(7), level_count(225)
    (2, 6)
    """
    level, room = 0, 0
    while room < actions:
        room += segment_size(level, actions)
        level += 1
    return level


@inline
def segment_size(level: int, actions: int) -> int:
    """Room in a segment: 4, 8, 16, ..., the last one cut to what a node can need."""
    size = FIRST_SEGMENT << level
    return min(size, actions - size + FIRST_SEGMENT)


def part_of_thread(tree: Tree, number: int, threads: int) -> Tree:
    """The tree as one of so many threads uses it, with the room in the pool that it holds for itself."""
    return tree._replace(access=tree.access.of_thread(number, threads))


def all_edges(tree: Tree) -> int:
    """How many edges hold a child, those that threads have not told yet too."""
    return int(tree.used[EDGES_IN_USE]) + int(tree.access.untold(EDGES_IN_USE))


def used_share(tree: Tree) -> float:
    """How much of the pool is in use, from 0 to 1."""
    return int(tree.used[NEXT_EDGE]) / (len(tree.words) // (MEAN + tree.players))


def used_bytes(tree: Tree, edge_notes: int, node_notes: int) -> int:
    """How many bytes of the pool are in use, with so many of notes on each edge and node."""
    node, edge = 4 * (SEGMENTS + tree.levels), edge_bytes(tree.players)
    nodes = int(tree.used[NEXT_NODE]) // (SEGMENTS + tree.levels)
    return nodes * (node + node_notes) + int(tree.used[NEXT_EDGE]) * (edge + edge_notes)


def room_of(tree: Tree, notes: tuple[Array, ...]) -> int:
    """Return how many bytes the pool takes when it is full, with the notes beside it."""
    return sum([array.nbytes for array in (tree.nodes, tree.words, tree.sums, tree.drawn, tree.locks, *notes)])
