"""Expansion by one move: the next untried one in a node's own order."""

from __future__ import annotations

import math

from luozi.compiled import float32, inline
from luozi.evaluators.thread_state import FULL, ThreadState
from luozi.search.context import SearchContext
from luozi.search.tree.pool import Child

# What a selection says of the move that it has chosen: it was simulated before, or it was not, or it was made just now.
KNOWN, UNTRIED, NEW = 0, 1, 2


@inline
def expand(context: SearchContext, node: int, noted: bool) -> Child:
    """Make the next untried move a child. Where threads share the tree, it counts as taken from the first.

    Edge 0 when all moves have been tried, when the pool is full, or while another thread adds moves to this node.
    """
    tree, thread = context.tree, context.thread
    tree.fetch_next_child(node)
    if not tree.claim(node):
        return Child(0, 0, 1)
    offset, stride, inverse = tree.order_of(node)
    place = context.game.next_in_order(thread.state[0], tree.tried_of(node), offset, stride, inverse, thread.actions)
    child = Child(0, 0, 1)
    if place < tree.actions:
        index = tree.child_count(node)
        child = tree.new_child(node, index, (offset + place * stride) % tree.actions)
        if child.edge == 0:
            context.limits.progress[FULL] = 1
        else:
            if noted:
                context.tree.clear_side_tables(child.edge)
            tree.take_new(child, context.variants.virtual_loss)
            tree.set_child_count(node, index + 1)
            tree.set_tried(node, place + 1)
    else:
        tree.set_tried(node, place)
    tree.release(node)
    return child


@inline
def root_of_log(thread: ThreadState, visits: int) -> float:
    """sqrt(ln visits)"""
    if visits < thread.root_of_log.shape[0]:
        return thread.root_of_log[visits]
    return float32(math.sqrt(math.log(visits)))
