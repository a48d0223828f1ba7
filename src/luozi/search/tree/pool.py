"""The layout of the node pool: fields of nodes and edges, sizes of segments, bytes of an edge.

A *node* is a position with children; an *edge* is a child: a move with its statistics, and the node it leads to once
that has children of its own. No board is stored: a position is the path to it.

The edges of a node lie in segments of 4, 8, 16, ... that never move while a search runs. Inside a segment each field
lies side by side for all edges, so that selection reads one or two cache lines. An edge is therefore written as a
`Child` of three numbers. Node 0 and segment 0 mean "none"; edge 0 is the root's own, and as an answer means "none".
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from luozi.compiled import inline
from luozi.evaluators.thread_state import FIXED_POINT as FIXED_POINT
from luozi.evaluators.variants import TUNED, Variants

# Fields of a node. A node is named by the place of its first field in Tree.nodes.
ORDER, TRIED, LOCK, CHILDREN, SEGMENTS = 0, 1, 2, 3, 4
EXCLUDED = 64  # above the number of actions: TRIED of a node without moves that nobody has shown to lose
# Fields of an edge in Tree.words; the mean result of player p is field MEAN + p.
SPREAD, VISITS, CHILD, ACTION, MEAN = 0, 1, 2, 3, 4
# Places in Tree.used: the next free node, the next free edge, how many edges hold a child.
NEXT_NODE, NEXT_EDGE, EDGES_IN_USE = 0, 1, 2
# Bits of Tree.flags. EXHAUSTED is of the root alone: its moves are proven, and others were excluded.
CUT, PROVEN, EXHAUSTED = 1, 2, 4
# Fields of an edge in Tree.rave and in Tree.priors; CHANCE_OF is the P of PUCT.
RAVE_VISITS, RAVE_SUM, RAVE_SIZE = 0, 1, 2
PRIOR, PRIOR_WEIGHT, CHANCE_OF, PRIOR_SIZE = 0, 1, 2, 3
# Fields of a node in Tree.positions, of a place in Tree.table, and of a move in Tree.history.
POSITION_KEY, POSITION_VISITS, POSITION_DRAWN, POSITION_SUM = 0, 1, 2, 3
TABLE_KEY, TABLE_NODE, TABLE_SIZE = 0, 1, 2
HISTORY_VISITS, HISTORY_SUM, HISTORY_SIZE = 0, 1, 2

UNVISITED = 1e30  # the MEAN of an edge without visits: above every score, and finite, as compiled code assumes
FIRST_SEGMENT = 4
STRIDES = 16
LOCKS = 4096  # for the statistics of edges; edges that share one wait for each other
CACHE_LINE = 16  # words
BROKEN = 1  # the word after the lock of the tree: a thread has failed, and nobody waits for it
LOCK_BYTES = 4 * (LOCKS + 1) * CACHE_LINE  # of a pool, however small it is


class Child(NamedTuple):
    """An edge: its number, the word where its first field is, and its segment's size: from one field to the next."""

    edge: int
    at: int
    size: int


@inline
def segment_size(level: int, actions: int) -> int:
    """Return the room in a segment: 4, 8, 16, ..., the last one cut to what a node can need."""
    size = FIRST_SEGMENT << level
    return min(size, actions - size + FIRST_SEGMENT)


@cache
def level_count(actions: int) -> int:
    """Return how many segments a node can have.

    >>> level_count(7), level_count(225)
    (2, 6)
    """
    level, room = 0, 0
    while room < actions:
        room += segment_size(level, actions)
        level += 1
    return level


def table_size(nodes: int) -> int:
    """Return the places in the transposition table: a power of two, at least half of them free.

    >>> table_size(1000)
    2048
    """
    return 1 << max(4, (2 * nodes - 1).bit_length())


def edge_bytes(players: int, variants: Variants) -> int:
    """Return how many bytes an edge takes, with what these variants store of it."""
    side = variants.marks + 4 * players * bool(variants.prove) + 8 * players * (variants.formula == TUNED)
    side += 8 * RAVE_SIZE * bool(variants.rave) + 4 * PRIOR_SIZE * variants.has_priors
    return 4 * (MEAN + players) + 8 * players + 4 + side


def node_bytes(players: int, actions: int, variants: Variants) -> int:
    """Return how many bytes a node takes at most, with what these variants store of it."""
    side = (8 * (POSITION_SUM + players) + 4 * 8 * TABLE_SIZE) * variants.share
    return 4 * (SEGMENTS + level_count(actions)) + side


def edges_in(size: int, players: int, actions: int, variants: Variants) -> int:
    """Return how many edges a pool of so many bytes has room for, with the nodes that belong to them."""
    node = node_bytes(players, actions, variants)
    return max(0, int((size - 2 * node) / (edge_bytes(players, variants) + node / min(FIRST_SEGMENT, actions))))
