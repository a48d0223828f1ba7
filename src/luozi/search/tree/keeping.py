"""The tree is kept from move to move: the part below the move played stays, the rest is given back to the pool."""

from __future__ import annotations

import numpy as np

from luozi.compiled import Array
from luozi.search.tree.children import children_of, root_node
from luozi.search.tree.notes import (
    POSITION_SUM,
    POSITION_VISITS,
    PROVEN,
    Notes,
    edge_notes,
    empty_table,
    fill_table,
    forget,
    node_notes,
    used_nodes,
)
from luozi.search.tree.pool import (
    ACTION,
    CHILD,
    CHILDREN,
    EDGES_IN_USE,
    FIXED_POINT,
    MEAN,
    NEXT_EDGE,
    NEXT_NODE,
    SEGMENTS,
    VISITS,
    Tree,
    clear,
    segment_size,
)

Column = tuple[Array, int]  # an array with an entry for each edge, or node, and how many numbers an entry has


def keep_subtree(tree: Tree, action: int, notes: Notes | None = None) -> int:
    """Make the position after a move the root; return the visits kept. A move the tree has not seen clears it."""
    children = children_of(tree, root_node(tree))
    found = np.flatnonzero(children.action == action)
    if not found.size or children.visits[found[0]] == 0:
        if notes is not None:
            forget(tree, notes)
        clear(tree)
        return 0
    chosen = int(found[0])
    edge, node = int(children.edge[chosen]), int(children.node[chosen])
    words = _read_edge(tree, root_node(tree), chosen)
    columns = [(tree.sums, tree.players), *(edge_notes(tree, notes) if notes is not None else [])]
    entries = [array[edge * width : (edge + 1) * width].copy() for array, width in columns]
    _compact(tree, node, columns, notes)
    for (array, width), entry in zip(columns, entries, strict=True):
        array[:width] = entry
    words[CHILD] = SEGMENTS + tree.levels if node else 0
    words[ACTION] = 0
    tree.words[: MEAN + tree.players] = words
    if notes is not None:
        _settle_root(tree, notes, shared=bool(node and notes.table.size > 1))
    return int(tree.words[VISITS])


def _read_edge(tree: Tree, node: int, index: int) -> Array:
    """All words of a node's child."""
    level = 0
    while index >= segment_size(level, tree.actions):
        index -= segment_size(level, tree.actions)
        level += 1
    width, size = MEAN + tree.players, segment_size(level, tree.actions)
    first = int(tree.nodes[node + SEGMENTS + level])
    return tree.words[first * width : (first + size) * width].reshape(width, size)[:, index].copy()


def _settle_root(tree: Tree, notes: Notes, shared: bool) -> None:
    """The root may be proven but not cut, and it has seen what its position has seen by any way."""
    notes.flags[0] &= PROVEN
    if shared:
        position = notes.positions.reshape(-1, POSITION_SUM + tree.players)[1]
        tree.words[VISITS], tree.sums[: tree.players] = position[POSITION_VISITS], position[POSITION_SUM:]
        means = position[POSITION_SUM:] / (position[POSITION_VISITS] * FIXED_POINT)
        tree.floats[MEAN : MEAN + tree.players] = means


def _compact(tree: Tree, root: int, edge_columns: list[Column], notes: Notes | None) -> None:
    """Move everything below a node to the front of the pool, level by level of the tree.

    Copies go through fresh arrays as large as what is kept, never as large as the pool.
    """
    row, width = SEGMENTS + tree.levels, MEAN + tree.players
    shared = notes is not None and notes.table.size > 1
    node_columns = node_notes(tree, notes) if notes is not None else []
    kept_nodes, kept_words = [], []
    kept_edges: list[list[Array]] = [[] for _ in edge_columns]
    kept_rows: list[list[Array]] = [[] for _ in node_columns]
    home = np.zeros(used_nodes(tree) if shared else 0, np.uint32)  # where a node goes: several edges may lead to it
    next_edge, next_node, in_use = 1, 2 * row, 1  # edge 0 and the first node are the root's
    layer = np.array([root] if root else [], np.int64)
    if shared and root:
        home[root // row] = row
    while layer.size:
        nodes = tree.nodes[layer[:, None] + np.arange(row)]
        in_use += int(nodes[:, CHILDREN].sum(dtype=np.int64))
        _gather(node_columns, layer // row, kept_rows)
        following = []
        for level in range(tree.levels):
            size = segment_size(level, tree.actions)
            has_segment = nodes[:, SEGMENTS + level] > 0
            firsts = nodes[has_segment, SEGMENTS + level].astype(np.int64)
            words = tree.words[firsts[:, None] * width + np.arange(size * width)].reshape(-1, width, size)
            used = np.clip(nodes[has_segment, CHILDREN].astype(np.int64) - _room_before(level, tree.actions), 0, size)
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
            kept_words.append(words.reshape(-1))
            _gather(edge_columns, (firsts[:, None] + np.arange(size)).reshape(-1), kept_edges)
        kept_nodes.append(nodes.reshape(-1))
        layer = np.concatenate(following)
    if notes is not None and shared:
        empty_table(notes, used_nodes(tree), tree.players)
    _write(tree.nodes, row, kept_nodes)
    _write(tree.words, width, kept_words)
    for (array, wide), kept in zip([*edge_columns, *node_columns], [*kept_edges, *kept_rows], strict=True):
        _write(array, wide, kept)
    tree.used[NEXT_NODE] = next_node if root else row
    tree.used[NEXT_EDGE], tree.used[EDGES_IN_USE] = next_edge, in_use
    if notes is not None and shared:
        fill_table(notes, used_nodes(tree), tree.players, row)


def _gather(columns: list[Column], entries: Array, kept: list[list[Array]]) -> None:
    """Copy entries of some columns to what is kept of each."""
    for (array, width), pieces in zip(columns, kept, strict=True):
        pieces.append(array.reshape(-1, width)[entries].reshape(-1))


def _room_before(level: int, actions: int) -> int:
    return sum(segment_size(earlier, actions) for earlier in range(level))


def _write(target: Array, begin: int, pieces: list[Array]) -> None:
    for piece in pieces:
        target[begin : begin + piece.size] = piece
        begin += piece.size
