"""The tree is kept from move to move: the part below the root stays, the rest is given back to the pool in time."""

from __future__ import annotations

import numpy as np

from luozi.compiled import Array
from luozi.search.tree.children import root_node
from luozi.search.tree.pool import (
    CHILD,
    CHILDREN,
    EDGES_IN_USE,
    MEAN,
    NEXT_EDGE,
    NEXT_NODE,
    SEGMENTS,
    Tree,
    forget_draws,
    segment_size,
)
from luozi.search.tree.roots import Column, edge_columns
from luozi.search.tree.side_tables import SideTables, node_notes, used_nodes
from luozi.search.tree.transpositions import empty_table, fill_table


def collect(tree: Tree, notes: SideTables) -> None:
    """Give back to the pool whatever is not below the root."""
    node = root_node(tree)
    columns = [column for column in edge_columns(tree, notes) if column[0] is not tree.drawn or tree.drawn[-1]]
    _compact(tree, node, columns, notes)
    tree.words[CHILD] = SEGMENTS + tree.levels if node else 0


def _compact(tree: Tree, root: int, columns: list[Column], notes: SideTables) -> None:
    """Move everything below a node to the front of the pool, level by level of the tree.

    Copies go through fresh arrays as large as what is kept, never as large as the pool.
    """
    row, width = SEGMENTS + tree.levels, MEAN + tree.players
    shared = notes.table.size > 1
    node_columns = node_notes(tree, notes)
    kept_nodes, kept_words = [], []
    kept_edges: list[list[Array]] = [[] for _ in columns]
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
            _gather(columns, (firsts[:, None] + np.arange(size)).reshape(-1), kept_edges)
        kept_nodes.append(nodes.reshape(-1))
        layer = np.concatenate(following)
    if shared:
        empty_table(notes, used_nodes(tree), tree.players)
    _write(tree.nodes, row, kept_nodes)
    _write(tree.words, width, kept_words)
    for (array, wide), kept in zip([*columns, *node_columns], [*kept_edges, *kept_rows], strict=True):
        _write(array, wide, kept)
    tree.used[NEXT_NODE] = next_node if root else row
    forget_draws(tree, next_edge)
    tree.used[NEXT_EDGE], tree.used[EDGES_IN_USE] = next_edge, in_use
    tree.access.forget_room()
    if shared:
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
