"""The tree is kept from move to move: the part below the move played stays, the rest is given back to the pool."""

from __future__ import annotations

import numpy as np

from luozi.search.children import children_of, root_node
from luozi.search.tree import (
    ACTION,
    CHILD,
    CHILDREN,
    EDGES_IN_USE,
    MEAN,
    NEXT_EDGE,
    NEXT_NODE,
    SEGMENTS,
    Array,
    Tree,
    clear,
    segment_size,
)


def keep_subtree(tree: Tree, action: int) -> int:
    """Make the position after a move the root; return the visits kept. A move the tree has not seen clears it."""
    children = children_of(tree, root_node(tree))
    found = np.flatnonzero(children.action == action)
    if not found.size or children.visits[found[0]] == 0:
        clear(tree)
        return 0
    chosen = int(found[0])
    edge, node, visits = int(children.edge[chosen]), int(children.node[chosen]), int(children.visits[chosen])
    words = _read_edge(tree, root_node(tree), chosen)
    sums = tree.sums.reshape(-1, tree.players)[edge].copy()
    _compact(tree, node)
    words[CHILD] = SEGMENTS + tree.levels if node else 0
    words[ACTION] = 0
    tree.words[: MEAN + tree.players] = words
    tree.sums[: tree.players] = sums
    return visits


def _read_edge(tree: Tree, node: int, index: int) -> Array:
    """All words of a node's child."""
    level = 0
    while index >= segment_size(level, tree.actions):
        index -= segment_size(level, tree.actions)
        level += 1
    width, size = MEAN + tree.players, segment_size(level, tree.actions)
    first = int(tree.nodes[node + SEGMENTS + level])
    return tree.words[first * width : (first + size) * width].reshape(width, size)[:, index].copy()


def _compact(tree: Tree, root: int) -> None:
    """Move everything below a node to the front of the pool, level by level of the tree.

    Copies go through fresh arrays as large as what is kept, never as large as the pool.
    """
    row, width = SEGMENTS + tree.levels, MEAN + tree.players
    kept_nodes, kept_words, kept_sums = [], [], []
    next_edge, next_node, in_use = 1, 2 * row, 1  # edge 0 and the first node are the root's
    layer = np.array([root] if root else [], np.int64)
    while layer.size:
        nodes = tree.nodes[layer[:, None] + np.arange(row)]
        in_use += int(nodes[:, CHILDREN].sum(dtype=np.int64))
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
            links[links > 0] = next_node + row * np.arange(below.size)
            next_node += row * below.size
            following.append(below)
            nodes[has_segment, SEGMENTS + level] = next_edge + size * np.arange(firsts.size)
            next_edge += size * firsts.size
            kept_words.append(words.reshape(-1))
            kept_sums.append(tree.sums.reshape(-1, tree.players)[firsts[:, None] + np.arange(size)].reshape(-1))
        kept_nodes.append(nodes.reshape(-1))
        layer = np.concatenate(following)
    _write(tree.nodes, row, kept_nodes)
    _write(tree.words, width, kept_words)
    _write(tree.sums, tree.players, kept_sums)
    tree.used[NEXT_NODE] = next_node if root else row
    tree.used[NEXT_EDGE], tree.used[EDGES_IN_USE] = next_edge, in_use


def _room_before(level: int, actions: int) -> int:
    return sum(segment_size(earlier, actions) for earlier in range(level))


def _write(target: Array, begin: int, pieces: list[Array]) -> None:
    for piece in pieces:
        target[begin : begin + piece.size] = piece
        begin += piece.size
