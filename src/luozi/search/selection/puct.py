"""PUCT (Rosin 2011; Silver et al. 2017): the mean and c P sqrt(N) / (1 + n), P by the game's own priors.

Of moves that were never visited the likelier always comes first, so that a node holds its likeliest moves only and gets
more when these are used up.
"""

from __future__ import annotations

import math

from luozi.compiled import apart, inline, signed
from luozi.compiled.random import random_below
from luozi.evaluators.decisive_moves import EVERYTHING, allowed_moves
from luozi.evaluators.thread_state import FULL
from luozi.search.backpropagation import credit_path
from luozi.search.context import SearchContext, SelectionPolicy
from luozi.search.selection.filling import likelihood, load_priors, next_room, sort_likeliest, wants_more
from luozi.search.selection.formulas import NEVER, proven_score
from luozi.search.tree.pool import STRIDES, Child
from luozi.search.tree.tree import Tree


class Puct(SelectionPolicy):
    """PUCT with the game's priors and nothing else; decisive moves may restrict a node."""

    def enter_node(self, context: SearchContext, child: Child, depth: int) -> int:
        tree, variants = context.tree, context.variants
        node = tree.node_of(child)
        if node == 0:
            if depth > 0 and tree.visits_before(child, variants.virtual_loss) < variants.expand_after:
                return 0
            return new_node_of_likeliest(context, child)
        if wants_more(tree, node):
            widen_node(context, node)
        return node

    def select_child(self, context: SearchContext, node: int, above: Child, player: int) -> tuple[Child, bool]:
        explore = context.variants.weight * math.sqrt(float(max(context.tree.visits_of(above), 1)))
        return likeliest_child(context.tree, node, player, explore, 0.0, 0.0)

    def terms(self, context: SearchContext, above: Child, player: int, child: Child) -> dict[str, float]:
        """Return the terms of a child's score, and the score; for people, so it is never compiled."""
        tree = context.tree
        visits, before = tree.visits_of(child), tree.visits_of(above)
        explore = self.weight_after(context, before) * math.sqrt(float(max(before, 1)))
        mean = tree.mean_of(child, player) if visits else self.unvisited(context, above, player)
        chance = tree.chance_of(child.edge)
        score = mean + explore * chance / (1 + visits)
        marked = proven_score(tree, child, player, score) if tree.has_marks() else score
        return {"mean": mean, "prior": chance, "exploration": explore * chance / (1 + visits), "score": marked}

    def weight_after(self, context: SearchContext, visits: int) -> float:
        """Return the c of a position with so many visits; for people, as `terms` is."""
        return context.variants.weight

    def unvisited(self, context: SearchContext, above: Child, player: int) -> float:
        """Return the value of an unvisited move."""
        return 0.0

    def backpropagate(self, context: SearchContext, depth: int) -> None:
        credit_path(context, depth)


@apart
def new_node_of_likeliest(context: SearchContext, child: Child) -> int:
    """Return a new node under an edge, with its likeliest moves; 0 when the pool is full."""
    game, tree, thread, variants = context.game, context.tree, context.thread, context.variants
    count, rule = EVERYTHING, 0
    if variants.take_wins or variants.block_wins or variants.avoid_gifts:
        count, rule = allowed_moves(game, thread, variants)
    restricted = count != EVERYTHING
    if not restricted:
        count = signed(game.legal_actions(thread.state[0], thread.moves))
    node = 0
    if tree.has_room(count if restricted else min(count, next_room(tree, 0))):
        node = tree.new_node(random_below(thread.rng, STRIDES * tree.actions))
    if node == 0:
        context.limits.progress[FULL] = 1
        return 0
    if restricted:
        tree.set_tried(node, tree.actions + 1)  # so that proofs know
    if not add_likeliest(context, node, count):
        context.limits.progress[FULL] = 1
        return 0
    winner = tree.attach(child, node)
    if restricted and winner == node:
        context.tree.count_cuts(rule, game.legal_actions(thread.state[0], thread.replies) - count)
    return winner


@apart
def widen_node(context: SearchContext, node: int) -> None:
    """Give a node its next likeliest moves, if the pool has room."""
    tree = context.tree
    if not tree.claim(node):
        return
    if not wants_more(tree, node):  # another thread was here before
        pass
    elif tree.has_room(next_room(tree, tree.child_count(node))):
        count = signed(context.game.legal_actions(context.thread.state[0], context.thread.moves))
        if not add_likeliest(context, node, count):
            context.limits.progress[FULL] = 1
    else:
        context.limits.progress[FULL] = 1
    tree.release(node)


@apart
def add_likeliest(context: SearchContext, node: int, count: int) -> bool:
    """Make the likeliest of the first moves in `thread.moves` children of the node; False when the pool is full."""
    total = load_priors(context.game, context.thread, context.variants, count, True)
    return add_children(context, node, count, total, True)


@apart
def add_children(context: SearchContext, node: int, count: int, total: float, all_there: bool) -> bool:
    """Make moves with known priors children of the node; `total` is the sum of their weights.

    Whether these are all there are.
    """
    tree, thread = context.tree, context.thread
    now, complete = sort_likeliest(tree, thread, node, count)
    have, made = tree.child_count(node), 0
    while made < now:
        child = tree.new_child(node, have + made, signed(thread.moves[made]))
        if child.edge == 0:  # another thread has taken the room
            break
        tree.clear_side_tables(child.edge)
        share = likelihood(thread.values[made], context.variants) / total if total > 0.0 else 1.0 / count
        tree.set_prior(child.edge, 0.0, 0.0, share)
        made += 1
    tree.set_child_count(node, have + made)
    if all_there and complete and made == now:
        tree.set_tried(node, max(tree.tried_of(node), tree.actions))
    return made == now


@inline
def likeliest_child(
    tree: Tree, node: int, player: int, explore: float, start: float, reduction: float
) -> tuple[Child, bool]:
    """Return the child with the best score, and whether it is new; none is looked at behind the first new one.

    Instead of a mean that one has `start`, less by `reduction` times the root of the chances before it.
    """
    left, level, best, chosen, fresh, seen = tree.child_count(node), 0, NEVER, Child(0, 0, 1), False, 0.0
    marked = tree.has_marks()
    while left > 0:
        first, size = tree.segment(node, level)
        for index in range(min(left, size)):
            child = tree.child_in(first, size, index)
            visits = tree.visits_of(child)
            chance = tree.chance_of(child.edge)
            found = explore * chance / (1.0 + float(visits))
            if visits > 0:
                found += tree.mean_of(child, player)
                seen += chance
            else:
                found += max(start - reduction * math.sqrt(seen), 0.0)
            if marked:
                found = proven_score(tree, child, player, found)
            if found > best:
                best, chosen, fresh = found, child, visits == 0
            if visits == 0:
                return chosen, fresh
        left -= size
        level += 1
    return chosen, fresh
