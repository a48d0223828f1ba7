"""PUCT by the priors that came with a leaf's value (Silver et al. 2017): a node is made when its position is valued."""

from __future__ import annotations

import math

from luozi.compiled import apart, inline, signed
from luozi.compiled.random import random_below
from luozi.evaluators.thread_state import (
    ALL_IN_ORDER,
    ALL_MOVES,
    CERTAIN,
    CHOICE,
    CHOSEN_MOVES,
    EFFORT,
    FULL,
    MOVES,
    ONLY_THESE,
    THESE_FIRST,
    THREAT_BY,
)
from luozi.evaluators.variants import Variants
from luozi.search.backpropagation import credit_path, credit_path_with_blunders
from luozi.search.context import SearchContext, edge_at, recall_moves
from luozi.search.selection.filling import likelihood, next_room, swap, wants_more
from luozi.search.selection.puct import Puct, add_children, likeliest_child
from luozi.search.tree.children import children_of
from luozi.search.tree.pool import EXCLUDED, STRIDES, Child
from luozi.search.tree.tree import Tree

GROWS_FROM = 2000.0  # visits from which on c grows much
EXAMINED_AT = 30  # visits at which a position is looked at again, longer, for what is certain
LONGER = 4  # wins by threats are looked for again at so many times the visits, and so many times as long


class NetworkPuct(Puct):
    """PUCT whose priors the evaluator has left in `thread.chances`, one for each action."""

    takes_priors = True

    def enter_node(self, context: SearchContext, child: Child, depth: int) -> int:
        return context.tree.node_of(child)

    def expand_leaf(self, context: SearchContext, depth: int) -> None:
        child = edge_at(context.thread, depth)
        if context.tree.node_of(child) == 0 and not context.game.is_terminal(context.thread.state[0]):
            grow_node(context, child)

    def is_waiting(self, tree: Tree, child: Child) -> bool:
        return tree.node_of(child) == 0 and tree.visits_of(child) > 0


class ReducingPuct(NetworkPuct):
    """The same with first-play urgency: an unvisited move is worth what its position is, less a reduction."""

    def select_child(self, context: SearchContext, node: int, above: Child, player: int) -> tuple[Child, bool]:
        return choose_with_reduction(context, node, above, player)

    def unvisited(self, context: SearchContext, above: Child, player: int) -> float:
        return reduced_value(context, above, player)


class WideningPuct(NetworkPuct):
    """The same with an evaluator that can be asked again: a node gets its likeliest moves first, and more as it needs.

    An unvisited move is worth what its position is, less by `reduction` times the root of the chances seen so far. What
    the evaluator knows for certain goes to the solver.
    """

    def enter_node(self, context: SearchContext, child: Child, depth: int) -> int:
        node = context.tree.node_of(child)
        if node != 0 and wants_more(context.tree, node) and look_again(context, node, child, depth):
            return 0
        if depth > 0:
            effort = effort_at(context.variants, context.tree.visits_of(child))
            if effort > 0 and examine(context, child, effort):
                return 0
        return node

    def select_child(self, context: SearchContext, node: int, above: Child, player: int) -> tuple[Child, bool]:
        return choose_with_reduction(context, node, above, player)

    def backpropagate(self, context: SearchContext, depth: int) -> None:
        if context.variants.doubt > 0.0:
            credit_path_with_blunders(context, depth)
        else:
            credit_path(context, depth)

    def weight_after(self, context: SearchContext, visits: int) -> float:
        return growing_weight(context.variants, visits)

    def unvisited(self, context: SearchContext, above: Child, player: int) -> float:
        return reduced_value(context, above, player)

    def expand_leaf(self, context: SearchContext, depth: int) -> None:
        if depth == 0 and context.variants.noise > 0.0 and context.tree.node_of(edge_at(context.thread, 0)) == 0:
            disturb(context)
        expand_uncertain(context, depth)


class BoardPuct(WideningPuct):
    """The same with a network of any board, which sees the last moves and knows nothing for certain."""

    def enter_node(self, context: SearchContext, child: Child, depth: int) -> int:
        node = context.tree.node_of(child)
        if node != 0 and wants_more(context.tree, node):
            recall_moves(context.tree, context.thread, depth)
            look_again(context, node, child, depth)
        return node

    def prepare_evaluation(self, context: SearchContext, depth: int) -> None:
        recall_moves(context.tree, context.thread, depth)


@inline
def expand_uncertain(context: SearchContext, depth: int) -> None:
    """Make a node of the position that was evaluated, unless it has one or its result is certain."""
    child, thread = edge_at(context.thread, depth), context.thread
    certain = thread.counts[CERTAIN] != 0 and depth > 0
    if not certain and context.tree.node_of(child) == 0 and not context.game.is_terminal(thread.state[0]):
        grow_node(context, child)


@inline
def choose_with_reduction(context: SearchContext, node: int, above: Child, player: int) -> tuple[Child, bool]:
    """Return the child with the best score, where an unvisited one starts from the mean of its position."""
    tree, visits = context.tree, context.tree.visits_of(above)
    explore = growing_weight(context.variants, visits) * math.sqrt(float(max(visits, 1)))
    start = tree.mean_of(above, player) if visits > 0 else 0.5
    return likeliest_child(tree, node, player, explore, start, context.variants.reduction)


def reduced_value(context: SearchContext, above: Child, player: int) -> float:
    """Return the value of an unvisited move then; for people, so it is never compiled."""
    tree = context.tree
    if tree.visits_of(above) == 0:
        return 0.5
    children = children_of(tree, tree.node_of(above))
    seen = sum(context.tree.chance_of(signed(edge)) for edge in children.edge[children.visits > 0])
    return max(tree.mean_of(above, player) - context.variants.reduction * math.sqrt(seen), 0.0)


@inline
def growing_weight(variants: Variants, visits: int) -> float:
    """Return the c of a position: the better it is known, the less its priors are trusted alone."""
    return variants.weight * (1.0 + variants.growth * math.log(1.0 + float(visits) / GROWS_FROM))


@apart
def grow_node(context: SearchContext, child: Child) -> None:
    """Make a node under an edge, with all moves of its position, those that the evaluator allows, or the likeliest."""
    tree, thread = context.tree, context.thread
    choice, count = signed(thread.counts[CHOICE]), signed(thread.counts[MOVES])
    if choice == ALL_MOVES:
        count = signed(context.game.legal_actions(thread.state[0], thread.moves))
    node, room = 0, count
    if choice in (THESE_FIRST, ALL_IN_ORDER):
        room = min(count, next_room(tree, 0))
    if tree.has_room(room):
        node = tree.new_node(random_below(thread.rng, STRIDES * tree.actions))
    if node == 0:
        context.limits.progress[FULL] = 1
        return
    for index in range(count):
        thread.values[index] = thread.chances[thread.moves[index]]
    total = 1.0
    if choice == ALL_MOVES:
        total = 0.0
        for index in range(count - 1, 0, -1):  # equal ones in any order
            swap(thread, index, random_below(thread.rng, index + 1))
        for index in range(count):
            total += likelihood(thread.values[index], context.variants)
        tree.set_tried(node, tree.actions)
    elif choice == ONLY_THESE:
        tree.set_tried(node, tree.actions + 2 + signed(thread.counts[THREAT_BY]))  # so that proofs and doubts know
    elif choice == CHOSEN_MOVES:
        tree.set_tried(node, tree.actions + EXCLUDED)
    if add_children(context, node, count, total, choice != THESE_FIRST):
        tree.attach(child, node)
    else:
        context.limits.progress[FULL] = 1


@inline
def effort_at(variants: Variants, visits: int) -> int:
    """How long to look again for what is certain, at so many visits; 0: not now."""
    if visits < EXAMINED_AT or visits % EXAMINED_AT != 0:
        return 0
    effort, rest = 1, visits // EXAMINED_AT
    while variants.vct > 0 and rest % LONGER == 0:
        effort, rest = LONGER * effort, rest // LONGER
    return effort if rest == 1 else 0


@apart
def examine(context: SearchContext, child: Child, effort: int) -> bool:
    """Look longer for what is certain in a position that is visited often; whether its result is."""
    context.thread.counts[EFFORT] = effort
    context.evaluator.evaluate_again(context.game, context.thread, context.variants)  # type: ignore[attr-defined]
    certain = context.thread.counts[CERTAIN] != 0 and context.tree.has_marks()
    if certain:
        context.tree.set_proven(child.edge, context.thread.results)
    return bool(certain)


@apart
def look_again(context: SearchContext, node: int, child: Child, depth: int) -> bool:
    """Give a node more moves, the next likeliest; whether its result has turned out to be certain instead."""
    tree, thread = context.tree, context.thread
    if not tree.claim(node):
        return False
    certain = False
    if not wants_more(tree, node):  # another thread was here before
        pass
    elif tree.has_room(next_room(tree, tree.child_count(node))):
        thread.counts[EFFORT] = 0
        context.evaluator.evaluate_again(context.game, thread, context.variants)  # type: ignore[attr-defined]
        certain = thread.counts[CERTAIN] != 0 and depth > 0 and context.tree.has_marks()
        if certain:
            tree.set_proven(child.edge, thread.results)
        else:
            count = signed(context.game.legal_actions(thread.state[0], thread.moves))
            for index in range(count):
                thread.values[index] = thread.chances[thread.moves[index]]
            if not add_children(context, node, count, 1.0, True):
                context.limits.progress[FULL] = 1
    else:
        context.limits.progress[FULL] = 1
    tree.release(node)
    return certain


@apart
def disturb(context: SearchContext) -> None:
    """Mix the chances of the root's moves with noise, most of it on few of them, for games to learn from.

    Dirichlet's: variables of Gamma with a small shape, here 10 / count, over their sum; u ^ (1 / shape) is nearly one.
    All of the moves are hung at once then, so that noise can bring any of them to the front.
    """
    thread, share = context.thread, context.variants.noise
    count, total = signed(thread.counts[MOVES]), 0.0
    if thread.counts[CHOICE] == ALL_MOVES or count < 2:
        return
    for index in range(count):
        drawn = (random_below(thread.rng, 1 << 30) + 1) / (1 << 30)
        thread.values[index] = drawn ** (max(1.0, count / 10.0))
        total += thread.values[index]
    for index in range(count):
        move = thread.moves[index]
        thread.chances[move] = (1.0 - share) * thread.chances[move] + share * thread.values[index] / total
    if thread.counts[CHOICE] == THESE_FIRST:
        thread.counts[CHOICE] = CHOSEN_MOVES
    elif thread.counts[CHOICE] == ALL_IN_ORDER:
        thread.counts[CHOICE] = ALL_MOVES
