"""Expansion by one move: the next untried one in a node's own order."""

from __future__ import annotations

import math

from luozi.compiled import float32, inline
from luozi.evaluators.thread_state import FULL, ThreadState
from luozi.search.context import SearchContext
from luozi.search.tree import (
    Child,
    child_count,
    claim,
    clear_notes,
    fetch_next_child,
    leave,
    new_child,
    order_of,
    set_tried,
    show_children,
    take_new,
    tried_of,
)

# What a chooser says of the move that it has chosen: it was simulated before, or it was not, or it was made just now.
KNOWN, UNTRIED, NEW = 0, 1, 2


@inline
def expand(desk: SearchContext, node: int, noted: bool) -> Child:
    """Make the next untried move a child. Where threads share the tree, it counts as taken from the first.

    Edge 0 when all moves have been tried, when the pool is full, or while another thread adds moves to this node.
    """
    tree, thread = desk.tree, desk.thread
    fetch_next_child(tree, node)
    if not claim(tree, node):
        return Child(0, 0, 1)
    offset, stride, inverse = order_of(tree, node)
    place = desk.game.next_in_order(thread.state[0], tried_of(tree, node), offset, stride, inverse, thread.actions)
    child = Child(0, 0, 1)
    if place < tree.actions:
        index = child_count(tree, node)
        child = new_child(tree, node, index, (offset + place * stride) % tree.actions)
        if child.edge == 0:
            desk.limits.progress[FULL] = 1
        else:
            if noted:
                clear_notes(desk.notes, child.edge, tree.players)
            take_new(tree, child, desk.variants.virtual_loss)
            show_children(tree, node, index + 1)
            set_tried(tree, node, place + 1)
    else:
        set_tried(tree, node, place)
    leave(tree, node)
    return child


@inline
def root_of_log(thread: ThreadState, visits: int) -> float:
    """sqrt(ln visits)"""
    if visits < thread.root_of_log.shape[0]:
        return thread.root_of_log[visits]
    return float32(math.sqrt(math.log(visits)))
