"""Gumbel AlphaZero (Danihelka et al. 2022): few iterations suffice to improve on the priors of a network.

At the root, sequential halving spends the iterations on a few moves, drawn without replacement by Gumbel noise. Below
it, visits follow the improved policy: softmax of the logits plus the completed and scaled values.
"""

from __future__ import annotations

import math

from luozi.compiled import apart, inline, signed
from luozi.compiled.random import random_below
from luozi.evaluators.thread_state import ALL_IN_ORDER, ALL_MOVES, CHOICE
from luozi.search.context import SearchContext, edge_at
from luozi.search.selection.formulas import NEVER, proven_score
from luozi.search.selection.network_puct import BoardPuct, choose_with_reduction, expand_uncertain
from luozi.search.tree.pool import Child
from luozi.search.tree.tree import Tree

VISIT_SCALE, VALUE_SCALE = 50.0, 1.0  # c_visit and c_scale of the paper
LAST = 2  # iterations that the best of the last two moves gets, so that it is the most visited one
ENDLESS = 2**24  # so many iterations are no limit: nothing can be halved
LEAST = 1e-30  # a prior whose logarithm is taken
UNIFORM = 1 << 30


class GumbelPuct(BoardPuct):
    """Sequential halving at the root and the improved policy below it; PUCT where iterations have no limit."""

    def select_child(self, context: SearchContext, node: int, above: Child, player: int) -> tuple[Child, bool]:
        if context.limits.iterations >= ENDLESS:
            return choose_with_reduction(context, node, above, player)
        if above.edge == 0:
            return choose_by_halving(context, node, above, player)
        return choose_by_improved_policy(context, node, above, player)

    def expand_leaf(self, context: SearchContext, depth: int) -> None:
        if depth == 0 and context.tree.node_of(edge_at(context.thread, 0)) == 0:
            draw_noise(context)
        expand_uncertain(context, depth)


@apart
def draw_noise(context: SearchContext) -> None:
    """Draw Gumbel noise for each action, and let the root have all of its moves."""
    thread = context.thread
    for action in range(context.game.actions):
        drawn = (random_below(thread.rng, UNIFORM) + 0.5) / UNIFORM
        thread.noise[action] = -math.log(-math.log(drawn))
    if thread.counts[CHOICE] == ALL_IN_ORDER:
        thread.counts[CHOICE] = ALL_MOVES


@inline
def visits_wanted(done: int, considered: int, budget: int) -> int:
    """The visits that the next move must have, after `done` of `budget` iterations of sequential halving.

    Each round gives the moves that are left equally many visits and then drops half of them (Karnin et al. 2013).
    """
    rounds, visits, left = 0, 0, considered
    while left > 1:
        rounds, left = rounds + 1, (left + 1) // 2
    while True:
        each = max(1, budget // (max(1, rounds) * considered))
        if done < each * considered or considered == 1:
            return visits + done // considered
        done, visits = done - each * considered, visits + each
        considered = max(min(considered, 2), considered // 2)


@apart
def choose_by_halving(context: SearchContext, node: int, above: Child, player: int) -> tuple[Child, bool]:
    """The root's move that sequential halving visits next: equation 8 and algorithm 2 of the paper."""
    tree, thread = context.tree, context.thread
    count, done = tree.child_count(node), tree.visits_of(above) - 1  # the first visit was the root's own
    budget = signed(context.limits.iterations) - 1
    considered, most = min(signed(context.variants.gumbel), count), most_visits(tree, node)
    wanted = visits_wanted(done, considered, max(1, budget - LAST))
    fewest, highest = (most - 1, most) if done >= budget - LAST else (wanted, wanted)
    best, chosen, other, spare = NEVER, Child(0, 0, 1), NEVER, Child(0, 0, 1)
    left, level = count, 0
    while left > 0:
        first, size = tree.segment(node, level)
        for index in range(min(left, size)):
            child = tree.child_in(first, size, index)
            visits = tree.visits_of(child)
            score = thread.noise[tree.action_of(child)] + math.log(max(tree.chance_of(child.edge), LEAST))
            if visits > 0:
                score += scaled(tree.mean_of(child, player), most)
            if tree.has_marks():
                score = proven_score(tree, child, player, score)
            if fewest <= visits <= highest and score > best:
                best, chosen = score, child
            if score > other:  # where proofs have upset the rounds
                other, spare = score, child
        left -= size
        level += 1
    chosen = chosen if chosen.edge != 0 else spare
    return chosen, tree.visits_of(chosen) == 0


@apart
def choose_by_improved_policy(context: SearchContext, node: int, above: Child, player: int) -> tuple[Child, bool]:
    """The child whose share of the visits is most below the improved policy: equations 10, 11, 14 and 33."""
    tree = context.tree
    most, unknown, total = most_visits(tree, node), mixed_value(context, node, above, player), 0.0
    highest = -1e30
    for step in range(3):  # the highest logit, the sum, and the best share
        best, chosen, left, level = NEVER, Child(0, 0, 1), tree.child_count(node), 0
        while left > 0:
            first, size = tree.segment(node, level)
            for index in range(min(left, size)):
                child = tree.child_in(first, size, index)
                visits = tree.visits_of(child)
                value = tree.mean_of(child, player) if visits > 0 else unknown
                logit = math.log(max(tree.chance_of(child.edge), LEAST)) + scaled(value, most)
                if step == 0:
                    highest = max(highest, logit)
                elif step == 1:
                    total += math.exp(logit - highest)
                else:
                    score = math.exp(logit - highest) / total - visits / float(tree.visits_of(above))
                    if tree.has_marks():
                        score = proven_score(tree, child, player, score)
                    if score > best:
                        best, chosen = score, child
            left -= size
            level += 1
    return chosen, tree.visits_of(chosen) == 0


@inline
def scaled(value: float, most: int) -> float:
    """The transformation sigma of a value (equation 8)."""
    return (VISIT_SCALE + float(most)) * VALUE_SCALE * value


@inline
def most_visits(tree: Tree, node: int) -> int:
    """The visits of the most visited child."""
    left, level, most = tree.child_count(node), 0, 0
    while left > 0:
        first, size = tree.segment(node, level)
        for index in range(min(left, size)):
            most = max(most, tree.visits_of(tree.child_in(first, size, index)))
        left -= size
        level += 1
    return most


@apart
def mixed_value(context: SearchContext, node: int, above: Child, player: int) -> float:
    """What an unvisited child is worth: the network's value mixed with those of the visited ones (equation 33).

    The network's own value of the position is what its sum has beyond those of its children.
    """
    tree = context.tree
    own, visited, weighed, before = tree.mean_of(above, player) * tree.visits_of(above), 0.0, 0.0, 0
    left, level = tree.child_count(node), 0
    while left > 0:
        first, size = tree.segment(node, level)
        for index in range(min(left, size)):
            child = tree.child_in(first, size, index)
            visits = tree.visits_of(child)
            if visits > 0:
                mean, chance = tree.mean_of(child, player), max(tree.chance_of(child.edge), LEAST)
                own, before = own - visits * mean, before + visits
                visited, weighed = visited + chance, weighed + chance * mean
        left -= size
        level += 1
    if before == 0:
        return own
    return (own + before * weighed / visited) / (1.0 + before)
