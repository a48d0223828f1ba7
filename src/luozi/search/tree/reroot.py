"""The root moves down the tree and up again, and what is not below it is given back to the pool.

A search starts at edge 0, so the edge of the move played is copied there, and goes on growing apart from its own place
in the tree. When the root leaves, its node and its proof go back to that place. Its visits do not: they were spent
where the root was, and would make the move look preferred. They are held beside the tree until the root comes again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from luozi.compiled import Array, kernel, unsigned
from luozi.search.tree.children import layout_of, root_node
from luozi.search.tree.pool import (
    ACTION,
    CHILD,
    CHILDREN,
    EDGES_IN_USE,
    FIXED_POINT,
    MEAN,
    NEXT_EDGE,
    NEXT_NODE,
    POSITION_DRAWN,
    POSITION_KEY,
    POSITION_SUM,
    POSITION_VISITS,
    PROVEN,
    SEGMENTS,
    SPREAD,
    TABLE_KEY,
    TABLE_NODE,
    TABLE_SIZE,
    VISITS,
    Child,
    segment_size,
)
from luozi.search.tree.tree import Column, Tree

ROOT = Child(0, 0, 1)


class HeldRoot(NamedTuple):
    """All numbers of an edge, or how many more the root had seen than its edge."""

    words: Array
    columns: Sequence[Array]  # sums, draws, then the side tables in use
    whole: bool  # the tree has no edge for this root: everything is here


# The arrays that there are ------------------------------------------------------------------------------------------


def node_columns(tree: Tree) -> list[Column]:
    """Return the array that has an entry for each node, if it is in use."""
    return [(tree.positions, POSITION_SUM + tree.players)] if tree.positions.size > 1 else []


def used_nodes(tree: Tree) -> int:
    """Return how many rows of the node arrays are in use; the first one is nobody's."""
    return int(tree.used[NEXT_NODE]) // (SEGMENTS + tree.levels)


def clear_positions(tree: Tree) -> None:
    """Clear what is stored of the root and of positions; the history of moves stays."""
    for array, width in tree.columns[2:]:  # without sums and draws
        array[:width] = 0
    if tree.table.size > 1:
        empty_table(tree, used_nodes(tree))


@kernel
def empty_table(tree: Tree, nodes: int) -> None:
    """Take all nodes out of the transposition table. Only their places are touched: most never were."""
    for node in range(1, nodes):
        place = unsigned(node * (POSITION_SUM + tree.players) + POSITION_KEY)
        tree.positions[place] = tree.find_key(tree.positions[place])
    for node in range(1, nodes):
        place = unsigned(tree.positions[node * (POSITION_SUM + tree.players) + POSITION_KEY] * TABLE_SIZE)
        tree.table[place + TABLE_KEY], tree.table[place + TABLE_NODE] = 0, 0


@kernel
def fill_table(tree: Tree, nodes: int) -> None:
    """Put all nodes into an empty transposition table."""
    for node in range(1, nodes):
        key = tree.positions[node * (POSITION_SUM + tree.players) + POSITION_KEY]
        place = unsigned(tree.find_key(key) * TABLE_SIZE)
        tree.table[place + TABLE_KEY], tree.table[place + TABLE_NODE] = key, node * (SEGMENTS + tree.levels)


# The root moves -----------------------------------------------------------------------------------------------------


def child_by_action(tree: Tree, node: int, action: int) -> Child | None:
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


def read(tree: Tree, child: Child) -> HeldRoot:
    """Return a copy of an edge."""
    entries = []
    for array, width in tree.columns:
        entries.append(array[child.edge * width : (child.edge + 1) * width].copy())
    words = tree.words[child.at : child.at + (MEAN + tree.players) * child.size : child.size].copy()
    return HeldRoot(words, entries, True)


def unvisited(tree: Tree) -> HeldRoot:
    """Return an edge without visits."""
    entries = []
    for array, width in tree.columns:
        entries.append(np.zeros(width, array.dtype))
    return HeldRoot(np.zeros(MEAN + tree.players, np.uint32), entries, True)


def leave_root(tree: Tree, child: Child | None) -> HeldRoot:
    """Write the root's node and proof back to its edge; return what the root has seen beyond that edge.

    A root without an edge in the tree (`child` is None) is returned whole.
    """
    root = read(tree, ROOT)
    if child is None:
        return root
    edge = read(tree, child)
    tree.words[child.at + CHILD * child.size] = root.words[CHILD]
    if tree.values.size > 1 and tree.flags[0] & PROVEN:
        tree.copy_proof(child.edge, 0)
    words = np.zeros_like(root.words)
    words[VISITS] = root.words[VISITS] - edge.words[VISITS]
    return HeldRoot(words, combined(root, edge, np.subtract), False)


def enter_root(tree: Tree, child: Child | None, held: HeldRoot | None) -> None:
    """Make an edge the root, together with what `leave_root` has returned for it; without an edge, that alone."""
    edge = unvisited(tree) if child is None else read(tree, child)
    words, entries = edge.words, edge.columns
    if held is not None and held.whole:
        words, entries = held.words.copy(), held.columns
    elif held is not None:
        words[VISITS] += held.words[VISITS]
        entries = combined(edge, held, np.add)
        _set_means(words, entries[0])
    if not words[VISITS]:  # an edge that is chosen first has no such means; a root has none
        words[SPREAD], words[MEAN:] = 0, 0
    words[ACTION] = 0
    tree.words[: MEAN + tree.players] = words
    for (array, width), entry in zip(tree.columns, entries, strict=True):
        array[:width] = entry
    tree.flags[0] &= PROVEN  # the root may be proven but not pruned
    node = int(tree.words[CHILD])
    if node and tree.table.size > 1:  # it has seen what its position has seen by any way
        position = tree.positions.reshape(-1, POSITION_SUM + tree.players)[tree.row_of(node)]
        tree.words[VISITS], tree.sums[: tree.players] = position[POSITION_VISITS], position[POSITION_SUM:]
        tree.drawn[0] = position[POSITION_DRAWN]
        _set_means(tree.words[: MEAN + tree.players], tree.sums[: tree.players])


def combined(one: HeldRoot, other: HeldRoot, combine: Callable[[Array, Array], Array]) -> list[Array]:
    """Return the sum or the difference of what is counted (sums and draws); the rest is that of `one`."""
    found = []
    for mine, theirs in zip(one.columns, other.columns, strict=True):
        found.append(combine(mine, theirs) if mine.dtype in (np.int64, np.uint32) else mine)
    return found


def _set_means(words: Array, sums: Array) -> None:
    """Compute SPREAD and MEAN from the visits and sums."""
    if words[VISITS]:
        floats = words.view(np.float32)
        floats[SPREAD] = words[VISITS] ** -0.5
        floats[MEAN:] = sums / (float(words[VISITS]) * FIXED_POINT)


# Garbage collection -------------------------------------------------------------------------------------------------


def collect(tree: Tree) -> None:
    """Give back to the pool all that is not below the root.

    Move everything below it to the front of the pool, level by level of the tree. Copies go through fresh arrays as
    large as what is kept, never as large as the pool.
    """
    root = root_node(tree)
    columns = [column for column in tree.columns if column[0] is not tree.drawn or tree.drawn[-1]]
    row, width = SEGMENTS + tree.levels, MEAN + tree.players
    shared = tree.table.size > 1
    kept_nodes, kept_words = [], []
    kept_edges: list[list[Array]] = [[] for _ in columns]
    kept_rows: list[list[Array]] = [[] for _ in node_columns(tree)]
    home = np.zeros(used_nodes(tree) if shared else 0, np.uint32)  # where a node goes: several edges may lead to it
    next_edge, next_node, in_use = 1, 2 * row, 1  # edge 0 and the first node are the root's
    layer = np.array([root] if root else [], np.int64)
    if shared and root:
        home[root // row] = row
    while layer.size:
        nodes = tree.nodes[layer[:, None] + np.arange(row)]
        in_use += int(nodes[:, CHILDREN].sum(dtype=np.int64))
        _gather(node_columns(tree), layer // row, kept_rows)
        following, before = [], 0  # children that a node has in the segments before
        for level in range(tree.levels):
            size = segment_size(level, tree.actions)
            has_segment = nodes[:, SEGMENTS + level] > 0
            firsts = nodes[has_segment, SEGMENTS + level].astype(np.int64)
            words = tree.words[firsts[:, None] * width + np.arange(size * width)].reshape(-1, width, size)
            used = np.clip(nodes[has_segment, CHILDREN].astype(np.int64) - before, 0, size)
            words[:, CHILD][np.arange(size) >= used[:, None]] = 0  # never written: whatever lay there before
            links = words[:, CHILD]
            below = links[links > 0].astype(np.int64)
            new = np.unique(below[home[below // row] == 0]) if shared else below
            places = next_node + row * np.arange(new.size)
            next_node += row * new.size
            if shared:
                home[new // row] = places
            links[links > 0] = home[below // row] if shared else places
            following.append(new)
            nodes[has_segment, SEGMENTS + level] = next_edge + size * np.arange(firsts.size)
            next_edge += size * firsts.size
            before += size
            kept_words.append(words.reshape(-1))
            _gather(columns, (firsts[:, None] + np.arange(size)).reshape(-1), kept_edges)
        kept_nodes.append(nodes.reshape(-1))
        layer = np.concatenate(following)
    if shared:
        empty_table(tree, used_nodes(tree))
    _write(tree.nodes, row, kept_nodes)
    _write(tree.words, width, kept_words)
    for (array, wide), kept in zip([*columns, *node_columns(tree)], [*kept_edges, *kept_rows], strict=True):
        _write(array, wide, kept)
    tree.used[NEXT_NODE] = next_node if root else row
    tree.clear_draws(next_edge)
    tree.used[NEXT_EDGE], tree.used[EDGES_IN_USE] = next_edge, in_use
    tree.clear_buffers()
    if shared:
        fill_table(tree, used_nodes(tree))
    tree.words[CHILD] = row if root else 0


def _gather(columns: list[Column], entries: Array, kept: list[list[Array]]) -> None:
    """Copy entries of some columns to what is kept of each."""
    for (array, width), pieces in zip(columns, kept, strict=True):
        pieces.append(array.reshape(-1, width)[entries].reshape(-1))


def _write(target: Array, begin: int, pieces: list[Array]) -> None:
    for piece in pieces:
        target[begin : begin + piece.size] = piece
        begin += piece.size
