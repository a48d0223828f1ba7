"""Priors of a new node's moves, and the order in which they enter the tree.

All moves of a node are made together if selection looks at unvisited ones, or if a rule of pruning leaves few. Where
it looks at their order only, the likeliest come first, and more when all of these have been visited.
"""

from __future__ import annotations

from luozi.compiled import inline
from luozi.compiled.random import random_below
from luozi.evaluators.thread_state import STAMP, ThreadState
from luozi.evaluators.variants import Variants
from luozi.rules.game import Game
from luozi.search.tree.pool import segment_size
from luozi.search.tree.tree import Tree


@inline
def load_priors(game: Game, thread: ThreadState, variants: Variants, count: int, by_game: bool) -> float:
    """Shuffle the first moves of `thread.moves`, write their priors, and return the sum of the weights."""
    for index in range(count - 1, 0, -1):
        swap(thread, index, random_below(thread.rng, index + 1))
    for index in range(count):
        thread.values[index] = 0.5
    if by_game:
        game.priors(thread.state[0], thread.moves, count, thread.values)
    total = 0.0
    for index in range(count):
        total += likelihood(thread.values[index], variants)
    return total


@inline
def swap(thread: ThreadState, one: int, other: int) -> None:
    """Let two moves change places, with what is known of them."""
    move, value = thread.moves[one], thread.values[one]
    thread.moves[one], thread.values[one] = thread.moves[other], thread.values[other]
    thread.moves[other], thread.values[other] = move, value


@inline
def likelihood(value: float, variants: Variants) -> float:
    """Return the weight of a move's prior, before all weights are scaled to a sum of 1."""
    whole = int(variants.prior_power)
    if variants.prior_power != whole or whole > 64:
        return float(value**variants.prior_power)
    power = 1.0  # a few products are much faster
    while whole > 0:
        if whole & 1:
            power *= value
        value *= value
        whole >>= 1
    return power


@inline
def sort_likeliest(tree: Tree, thread: ThreadState, node: int, count: int) -> tuple[int, bool]:
    """Move the moves that the node gets next to the front, the likeliest first.

    Returns how many, and whether they are all that it has not got yet.
    """
    left = count
    if tree.child_count(node) > 0:
        thread.counts[STAMP] += 1
        stamp_children(tree, thread, node)
        left = 0
        for index in range(count):
            if thread.stamps[thread.moves[index]] != thread.counts[STAMP]:
                swap(thread, index, left)
                left += 1
    now = left
    if tree.tried_of(node) < tree.actions:  # no rule of pruning has left a few
        now = min(left, next_room(tree, tree.child_count(node)))
    for index in range(1, left):  # insertion into the best ones so far
        place = min(index, now)
        if place == now:
            if thread.values[index] <= thread.values[now - 1]:
                continue
            place = now - 1
            swap(thread, index, place)
        move, value = thread.moves[place], thread.values[place]
        while place > 0 and value > thread.values[place - 1]:
            thread.moves[place], thread.values[place] = thread.moves[place - 1], thread.values[place - 1]
            place -= 1
        thread.moves[place], thread.values[place] = move, value
    return now, now == left


@inline
def stamp_children(tree: Tree, thread: ThreadState, node: int) -> None:
    """Mark the moves that a node has already."""
    for index in range(tree.child_count(node)):
        thread.stamps[tree.action_of(tree.child_at(node, index))] = thread.counts[STAMP]


@inline
def next_room(tree: Tree, have: int) -> int:
    """Return how many moves a node gets that has `have`: a segment, at first two."""
    room, level = 0, 0
    while room <= have or (level < 2 and room < tree.actions):
        room += segment_size(level, tree.actions)
        level += 1
    return room - have


@inline
def wants_more(tree: Tree, node: int) -> bool:
    """Return whether all moves of a node that gets the likeliest first have been visited, and there are more."""
    return tree.tried_of(node) < tree.actions and tree.visits_of(tree.last_child(node)) > 0
