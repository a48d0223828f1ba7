"""The root moves down the tree and up again.

A search starts at edge 0, so the edge of the move played is copied there, and goes on growing apart from its own place
in the tree. When the root leaves, its node and its proof go back to that place; its visits do not: they were spent
where the root was, and would make the move look preferred. They are held beside the tree until the root comes again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from luozi.compiled import Array
from luozi.search.tree.children import children_of
from luozi.search.tree.operations import row_of
from luozi.search.tree.pool import ACTION, CHILD, FIXED_POINT, MEAN, SPREAD, VISITS, Child, Tree
from luozi.search.tree.side_tables import POSITION_DRAWN, POSITION_SUM, POSITION_VISITS, PROVEN, SideTables, edge_notes

ROOT = Child(0, 0, 1)
Column = tuple[Array, int]  # an array with an entry for each edge, or node, and how many numbers an entry has


class HeldRoot(NamedTuple):
    """All numbers of an edge, or how many more the root had seen than its edge."""

    words: Array
    columns: tuple[Array, ...]  # sums, draws, then the notes in use
    whole: bool  # the tree has no edge for this root: everything is here


def edge_columns(tree: Tree, notes: SideTables | None) -> list[Column]:
    """What there is of each edge beside its words."""
    return [(tree.sums, tree.players), (tree.drawn, 1), *(edge_notes(tree, notes) if notes is not None else [])]


def place_of(tree: Tree, node: int, action: int) -> Child | None:
    """The child of a move, if there is one."""
    children = children_of(tree, node)
    found = np.flatnonzero(children.action == action)
    return Child(*children.places()[found[0]]) if found.size else None


def read(tree: Tree, notes: SideTables | None, child: Child) -> HeldRoot:
    """A copy of an edge."""
    words = tree.words[child.at : child.at + (MEAN + tree.players) * child.size : child.size].copy()
    entries = [array[child.edge * width : (child.edge + 1) * width] for array, width in edge_columns(tree, notes)]
    return HeldRoot(words, tuple(entry.copy() for entry in entries), True)


def empty(tree: Tree, notes: SideTables | None) -> HeldRoot:
    """An edge that has seen nothing."""
    entries = tuple(np.zeros(width, array.dtype) for array, width in edge_columns(tree, notes))
    return HeldRoot(np.zeros(MEAN + tree.players, np.uint32), entries, True)


def leave_root(tree: Tree, notes: SideTables | None, child: Child | None) -> HeldRoot:
    """Before the root goes elsewhere: write back what its edge should know; return what is to be held for it."""
    root = read(tree, notes, ROOT)
    if child is None:
        return root
    edge = read(tree, notes, child)
    tree.words[child.at + CHILD * child.size] = root.words[CHILD]
    if notes is not None and notes.values.size > 1 and notes.flags[0] & PROVEN:
        notes.flags[child.edge] |= PROVEN
        notes.values[child.edge * tree.players : (child.edge + 1) * tree.players] = notes.values[: tree.players]
    words = np.zeros_like(root.words)
    words[VISITS] = root.words[VISITS] - edge.words[VISITS]
    return HeldRoot(words, tuple(_each(root, edge, -1)), False)


def enter_root(tree: Tree, notes: SideTables | None, child: Child | None, held: HeldRoot | None) -> None:
    """Let an edge, or what is held alone, be the root."""
    edge = read(tree, notes, child) if child is not None else empty(tree, notes)
    words, columns = edge.words.copy(), edge.columns
    if held is not None and held.whole:
        words, columns = held.words.copy(), held.columns
    elif held is not None:
        words[VISITS] += held.words[VISITS]
        columns = tuple(_each(edge, held, 1))
        _set_means(tree, words, columns[0])
    if not words[VISITS]:  # an edge that is chosen first has no such means; a root has none
        words[SPREAD], words[MEAN:] = 0, 0
    words[ACTION] = 0
    tree.words[: MEAN + tree.players] = words
    for (array, width), entry in zip(edge_columns(tree, notes), columns, strict=True):
        array[:width] = entry
    if notes is not None:
        settle_root(tree, notes)


def _each(one: HeldRoot, other: HeldRoot, sign: int) -> list[Array]:
    """What is counted, added or taken away; what is not counted as `one` has it."""
    pairs = zip(one.columns, other.columns, strict=True)
    counted = (np.int64, np.uint32)  # sums; draws
    combine = np.add if sign > 0 else np.subtract
    return [combine(mine, theirs) if mine.dtype in counted else mine for mine, theirs in pairs]


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
