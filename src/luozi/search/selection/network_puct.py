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
    FULL,
    MOVES,
    ONLY_THESE,
    THESE_FIRST,
    THREAT_BY,
)
from luozi.evaluators.variants import Variants
from luozi.search.backpropagation import back_up_doubtfully, back_up_plainly
from luozi.search.context import SearchContext
from luozi.search.path import recall_moves, step_of
from luozi.search.selection.filling import likelihood, next_room, swap, wants_more
from luozi.search.selection.puct import Puct, hang_moves, likeliest_child
from luozi.search.tree import (
    EXCLUDED,
    STRIDES,
    Child,
    Tree,
    attach,
    chance_of,
    child_count,
    children_of,
    claim,
    has_marks,
    has_room,
    leave,
    mean_of,
    new_node,
    node_of,
    set_proven,
    set_tried,
    visits_of,
)

GROWS_FROM = 2000.0  # visits from which on c grows much
EXAMINED_AT = 30  # visits at which a position is looked at again, longer, for what is certain


class NetworkPuct(Puct):
    """PUCT whose priors the evaluator has left in `thread.chances`, one for each action."""

    takes_priors = True

    def enter(self, desk: SearchContext, child: Child, depth: int) -> int:
        return node_of(desk.tree, child)

    def grow(self, desk: SearchContext, depth: int) -> None:
        child = step_of(desk.thread, depth)
        if node_of(desk.tree, child) == 0 and not desk.game.is_terminal(desk.thread.state[0]):
            grow_node(desk, child)

    def awaits(self, tree: Tree, child: Child) -> bool:
        return node_of(tree, child) == 0 and visits_of(tree, child) > 0


class ReducingPuct(NetworkPuct):
    """The same with first-play urgency: an unvisited move is worth what its position is, less a reduction."""

    def choose(self, desk: SearchContext, node: int, above: Child, player: int) -> tuple[Child, bool]:
        return choose_with_reduction(desk, node, above, player)

    def unvisited(self, desk: SearchContext, above: Child, player: int) -> float:
        return reduced_value(desk, above, player)


class WideningPuct(NetworkPuct):
    """The same with an evaluator that can be asked again: a node gets its likeliest moves first, and more as it needs.

    An unvisited move is worth what its position is, less by `reduction` times the root of the chances seen so far. What
    the evaluator knows for certain goes to the prover.
    """

    def enter(self, desk: SearchContext, child: Child, depth: int) -> int:
        node = node_of(desk.tree, child)
        if node != 0 and wants_more(desk.tree, node) and look_again(desk, node, child, depth):
            return 0
        if depth > 0 and visits_of(desk.tree, child) == EXAMINED_AT and examine(desk, child):
            return 0
        return node

    def choose(self, desk: SearchContext, node: int, above: Child, player: int) -> tuple[Child, bool]:
        return choose_with_reduction(desk, node, above, player)

    def back_up(self, desk: SearchContext, depth: int) -> None:
        if desk.variants.doubt > 0.0:
            back_up_doubtfully(desk, depth)
        else:
            back_up_plainly(desk, depth)

    def weight_after(self, desk: SearchContext, visits: int) -> float:
        return growing_weight(desk.variants, visits)

    def unvisited(self, desk: SearchContext, above: Child, player: int) -> float:
        return reduced_value(desk, above, player)

    def grow(self, desk: SearchContext, depth: int) -> None:
        child, thread = step_of(desk.thread, depth), desk.thread
        certain = thread.counts[CERTAIN] != 0 and depth > 0
        if not certain and node_of(desk.tree, child) == 0 and not desk.game.is_terminal(thread.state[0]):
            if depth == 0 and desk.variants.noise > 0.0:
                disturb(desk)
            grow_node(desk, child)


class BoardPuct(WideningPuct):
    """The same with a network of any board, which sees the last moves and knows nothing for certain."""

    def enter(self, desk: SearchContext, child: Child, depth: int) -> int:
        node = node_of(desk.tree, child)
        if node != 0 and wants_more(desk.tree, node):
            recall_moves(desk.tree, desk.thread, depth)
            look_again(desk, node, child, depth)
        return node

    def remind(self, desk: SearchContext, depth: int) -> None:
        recall_moves(desk.tree, desk.thread, depth)


@inline
def choose_with_reduction(desk: SearchContext, node: int, above: Child, player: int) -> tuple[Child, bool]:
    """The child with the best score, where an unvisited one starts from the mean of its position."""
    tree, visits = desk.tree, visits_of(desk.tree, above)
    explore = growing_weight(desk.variants, visits) * math.sqrt(float(max(visits, 1)))
    start = mean_of(tree, above, player) if visits > 0 else 0.5
    return likeliest_child(tree, desk.notes, node, player, explore, start, desk.variants.reduction)


def reduced_value(desk: SearchContext, above: Child, player: int) -> float:
    """What an unvisited move counts for then; for people, so it is never compiled."""
    tree = desk.tree
    if visits_of(tree, above) == 0:
        return 0.5
    children = children_of(tree, node_of(tree, above))
    seen = sum(chance_of(desk.notes, signed(edge)) for edge in children.edge[children.visits > 0])
    return max(mean_of(tree, above, player) - desk.variants.reduction * math.sqrt(seen), 0.0)


@inline
def growing_weight(variants: Variants, visits: int) -> float:
    """The c of a position: the better it is known, the less its priors are trusted alone."""
    return variants.weight * (1.0 + variants.growth * math.log(1.0 + float(visits) / GROWS_FROM))


@apart
def grow_node(desk: SearchContext, child: Child) -> None:
    """Make a node under an edge, with all moves of its position, those that the evaluator allows, or the likeliest."""
    tree, thread = desk.tree, desk.thread
    choice, count = signed(thread.counts[CHOICE]), signed(thread.counts[MOVES])
    if choice == ALL_MOVES:
        count = signed(desk.game.legal_actions(thread.state[0], thread.moves))
    node, room = 0, count
    if choice in (THESE_FIRST, ALL_IN_ORDER):
        room = min(count, next_room(tree, 0))
    if has_room(tree, room):
        node = new_node(tree, random_below(thread.rng, STRIDES * tree.actions))
    if node == 0:
        desk.limits.progress[FULL] = 1
        return
    for index in range(count):
        thread.values[index] = thread.chances[thread.moves[index]]
    total = 1.0
    if choice == ALL_MOVES:
        total = 0.0
        for index in range(count - 1, 0, -1):  # equal ones in any order
            swap(thread, index, random_below(thread.rng, index + 1))
        for index in range(count):
            total += likelihood(thread.values[index], desk.variants)
        set_tried(tree, node, tree.actions)
    elif choice == ONLY_THESE:
        set_tried(tree, node, tree.actions + 2 + signed(thread.counts[THREAT_BY]))  # so that proofs and doubts know
    elif choice == CHOSEN_MOVES:
        set_tried(tree, node, tree.actions + EXCLUDED)
    if hang_moves(desk, node, count, total, choice != THESE_FIRST):
        attach(tree, child, node)
    else:
        desk.limits.progress[FULL] = 1


@apart
def examine(desk: SearchContext, child: Child) -> bool:
    """Look longer for what is certain in a position that is visited often; whether its result is."""
    desk.evaluator.evaluate_again(desk.game, desk.thread, desk.variants)  # type: ignore[attr-defined]
    certain = desk.thread.counts[CERTAIN] != 0 and has_marks(desk.notes)
    if certain:
        set_proven(desk.tree, desk.notes, child.edge, desk.thread.results)
    return bool(certain)


@apart
def look_again(desk: SearchContext, node: int, child: Child, depth: int) -> bool:
    """Give a node more moves, the next likeliest; whether its result has turned out to be certain instead."""
    tree, thread = desk.tree, desk.thread
    if not claim(tree, node):
        return False
    certain = False
    if not wants_more(tree, node):  # another thread was here before
        pass
    elif has_room(tree, next_room(tree, child_count(tree, node))):
        desk.evaluator.evaluate_again(desk.game, thread, desk.variants)  # type: ignore[attr-defined]
        certain = thread.counts[CERTAIN] != 0 and depth > 0 and has_marks(desk.notes)
        if certain:
            set_proven(tree, desk.notes, child.edge, thread.results)
        else:
            count = signed(desk.game.legal_actions(thread.state[0], thread.moves))
            for index in range(count):
                thread.values[index] = thread.chances[thread.moves[index]]
            if not hang_moves(desk, node, count, 1.0, True):
                desk.limits.progress[FULL] = 1
    else:
        desk.limits.progress[FULL] = 1
    leave(tree, node)
    return certain


@apart
def disturb(desk: SearchContext) -> None:
    """Mix the chances of the root's moves with noise, most of it on few of them, for games to learn from.

    Dirichlet's: variables of Gamma with a small shape, here 10 / count, over their sum; u ^ (1 / shape) is nearly one.
    All of the moves are hung at once then, so that noise can bring any of them to the front.
    """
    thread, share = desk.thread, desk.variants.noise
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
