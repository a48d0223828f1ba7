"""The root moves down the tree and up again.

A search starts at edge 0, so the edge of the move played is copied there, and goes on growing apart from its own place
in the tree. When the root leaves, its node and its proof go back to that place; its visits do not: they were spent
where the root was, and would make the move look preferred. They are held beside the tree until the root comes again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from luozi.compiled import Array
from luozi.search.tree.children import layout_of
from luozi.search.tree.operations import row_of
from luozi.search.tree.pool import (
    ACTION,
    CHILD,
    CHILDREN,
    FIXED_POINT,
    MEAN,
    SEGMENTS,
    SPREAD,
    VISITS,
    Child,
    Tree,
)
from luozi.search.tree.side_tables import POSITION_DRAWN, POSITION_SUM, POSITION_VISITS, PROVEN, SideTables, edge_notes

ROOT = Child(0, 0, 1)
Column = tuple[Array, int]  # an array with an entry for each edge, or node, and how many numbers an entry has


class HeldRoot(NamedTuple):
    """All numbers of an edge, or how many more the root had seen than its edge."""

    words: Array
    columns: Sequence[Array]  # sums, draws, then the notes in use
    whole: bool  # the tree has no edge for this root: everything is here


def edge_columns(tree: Tree, notes: SideTables) -> list[Column]:
    """Return the arrays in use, beside `tree.words`, that have an entry for each edge."""
    return [(tree.sums, tree.players), (tree.drawn, 1), *edge_notes(tree, notes)]


def place_of(tree: Tree, node: int, action: int) -> Child | None:
    """Return the child of a node that an action leads to, or None."""
    count = int(tree.nodes[node + CHILDREN]) if node else 0
    layout, width = layout_of(tree.actions), MEAN + tree.players
    edges = tree.nodes[node + SEGMENTS + layout.level[:count]].astype(np.int64)
    places = edges * width + layout.place[:count]  # of the first field of each child
    found = np.flatnonzero(tree.words[places + ACTION * layout.size[:count]] == action)
    if not found.size:
        return None
    number = int(found[0])
    return Child(int(edges[number] + layout.place[number]), int(places[number]), int(layout.size[number]))


def read(tree: Tree, columns: Sequence[Column], child: Child) -> HeldRoot:
    """Return a copy of an edge."""
    entries = []
    for array, width in columns:
        entries.append(array[child.edge * width : (child.edge + 1) * width].copy())
    words = tree.words[child.at : child.at + (MEAN + tree.players) * child.size : child.size].copy()
    return HeldRoot(words, entries, True)


def empty(tree: Tree, columns: Sequence[Column]) -> HeldRoot:
    """Return an edge without visits."""
    entries = []
    for array, width in columns:
        entries.append(np.zeros(width, array.dtype))
    return HeldRoot(np.zeros(MEAN + tree.players, np.uint32), entries, True)


def leave_root(tree: Tree, notes: SideTables, columns: Sequence[Column], child: Child | None) -> HeldRoot:
    """Write the root's node and proof back to its edge; return what the root has seen beyond that edge.

    `columns` are those of `edge_columns`. A root without an edge in the tree (`child` is None) is returned whole.
    """
    root = read(tree, columns, ROOT)
    if child is None:
        return root
    edge = read(tree, columns, child)
    tree.words[child.at + CHILD * child.size] = root.words[CHILD]
    if notes.values.size > 1 and notes.flags[0] & PROVEN:
        notes.flags[child.edge] |= PROVEN
        notes.values[child.edge * tree.players : (child.edge + 1) * tree.players] = notes.values[: tree.players]
    words = np.zeros_like(root.words)
    words[VISITS] = root.words[VISITS] - edge.words[VISITS]
    return HeldRoot(words, combined(root, edge, np.subtract), False)


def enter_root(
    tree: Tree, notes: SideTables, columns: Sequence[Column], child: Child | None, held: HeldRoot | None
) -> None:
    """Make an edge the root, together with what `leave_root` has returned for it; without an edge, that alone."""
    edge = empty(tree, columns) if child is None else read(tree, columns, child)
    words, entries = edge.words, edge.columns
    if held is not None and held.whole:
        words, entries = held.words.copy(), held.columns
    elif held is not None:
        words[VISITS] += held.words[VISITS]
        entries = combined(edge, held, np.add)
        _set_means(tree, words, entries[0])
    if not words[VISITS]:  # an edge that is chosen first has no such means; a root has none
        words[SPREAD], words[MEAN:] = 0, 0
    words[ACTION] = 0
    tree.words[: MEAN + tree.players] = words
    for (array, width), entry in zip(columns, entries, strict=True):
        array[:width] = entry
    settle_root(tree, notes)


def combined(one: HeldRoot, other: HeldRoot, combine: Callable[[Array, Array], Array]) -> list[Array]:
    """Return the sum or the difference of what is counted (sums and draws); the rest is that of `one`."""
    found = []
    for mine, theirs in zip(one.columns, other.columns, strict=True):
        found.append(combine(mine, theirs) if mine.dtype in (np.int64, np.uint32) else mine)
    return found


def _set_means(tree: Tree, words: Array, sums: Array) -> None:
    """SPREAD and MEAN, as the visits and sums say."""
    if words[VISITS]:
        floats = words.view(np.float32)
        floats[SPREAD] = words[VISITS] ** -0.5
        floats[MEAN:] = sums / (float(words[VISITS]) * FIXED_POINT)


def settle_root(tree: Tree, notes: SideTables) -> None:
    """The root may be proven but not cut, and it has seen what its position has seen by any way."""
    notes.flags[0] &= PROVEN
    node = int(tree.words[CHILD])
    if node and notes.table.size > 1:
        position = notes.positions.reshape(-1, POSITION_SUM + tree.players)[row_of(tree, node)]
        tree.words[VISITS], tree.sums[: tree.players] = position[POSITION_VISITS], position[POSITION_SUM:]
        tree.drawn[0] = position[POSITION_DRAWN]
        _set_means(tree, tree.words[: MEAN + tree.players], tree.sums[: tree.players])
