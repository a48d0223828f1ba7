"""Expansion by one move: the next untried one in a node's own order."""

from __future__ import annotations

import math
from typing import Any

from numba import float32

from luozi.compiled import Array, inline
from luozi.evaluators.thread import FULL, Thread
from luozi.search.tree import Child, Tree, new_child, order_of, set_tried, tried_of, was_early


@inline
def expand(game: Any, tree: Tree, node: int, thread: Thread, progress: Array) -> Child:
    """Make the next untried move a child; edge 0 when all moves have been tried, or when the pool is full."""
    offset, stride, inverse = order_of(tree, node)
    while True:
        place = tried_of(tree, node)
        place = game.next_in_order(thread.state[0], place, offset, stride, inverse, thread.actions)
        set_tried(tree, node, place)
        if place >= tree.actions:
            return Child(0, 0, 1)
        action = (offset + place * stride) % tree.actions
        if not was_early(tree, node, action):
            break
        set_tried(tree, node, place + 1)
    child = new_child(tree, node, action)
    if child.edge == 0:
        progress[FULL] = 1
    else:
        set_tried(tree, node, place + 1)
    return child


@inline
def root_of_log(thread: Thread, visits: int) -> float:
    """sqrt(ln visits)"""
    if visits < thread.root_of_log.shape[0]:
        return thread.root_of_log[visits]
    return float32(math.sqrt(math.log(visits)))
