"""The selection score of a child, and the child with the best one."""

from __future__ import annotations

import math
from typing import NamedTuple

from luozi.compiled import Array, inline
from luozi.compiled.random import random_below
from luozi.evaluators.thread_state import ITERATIONS
from luozi.evaluators.variants import CHANCE, CUT_UNCERTAIN, FUEGO, NO_RAVE, PUCT, SCHEDULE, TUNED, Variants
from luozi.search.context import SearchContext
from luozi.search.tree.pool import CUT, PROVEN, Child
from luozi.search.tree.tree import Tree

FIRST = 1e9  # above every other score: all unvisited moves first
ORDERED = 1e-6  # unvisited moves with one score are sorted by what else is known of them


class Look(NamedTuple):
    """The view of a node on its children."""

    player: int  # to move
    parent: int  # the node's visits
    hopeless: float  # children with a lower mean are cut; negative: none


# What a child is worth ------------------------------------------------------------------------------------------------


@inline
def mean_of(tree: Tree, variants: Variants, child: Child, player: int) -> float:
    """Return a child's mean for a player: by this edge, or by all ways into the position it leads to."""
    node = tree.node_of(child) if variants.share else 0
    return tree.mean_of(child, player) if node == 0 else tree.position_mean(node, player)


@inline
def view_of(tree: Tree, variants: Variants, child: Child, player: int) -> float:
    """Return a child's mean for the player to move: the player's own, or paranoid, all against one."""
    if variants.paranoid >= 0:
        mean = mean_of(tree, variants, child, variants.paranoid)
        return mean if player == variants.paranoid else 1.0 - mean
    return mean_of(tree, variants, child, player)


@inline
def worth(tree: Tree, variants: Variants, child: Child, player: int) -> float:
    """Return the value of a child for the player to move: A * own mean + B * (1 - the best other's)."""
    value = variants.own * view_of(tree, variants, child, player)
    if variants.others > 0.0:
        best = 0.0
        for other in range(tree.players):
            if other != player:
                best = max(best, mean_of(tree, variants, child, other))
        value += variants.others * (1.0 - best)
    return value


@inline
def proven_view(tree: Tree, variants: Variants, edge: int, player: int) -> float:
    """Return the result of a proven child for the player to move."""
    if variants.paranoid >= 0:
        value = tree.proven_result(edge, variants.paranoid)
        return value if player == variants.paranoid else 1.0 - value
    return tree.proven_result(edge, player)


@inline
def proven_worth(tree: Tree, variants: Variants, edge: int, player: int) -> float:
    """Return the value of a proven child for the player to move, on the scale of `worth`."""
    value = variants.own * proven_view(tree, variants, edge, player)
    if variants.others > 0.0:
        best = 0.0
        for other in range(tree.players):
            if other != player:
                best = max(best, tree.proven_result(edge, other))
        value += variants.others * (1.0 - best)
    return value


# The score of a child -------------------------------------------------------------------------------------------------


@inline
def score(tree: Tree, variants: Variants, child: Child, look: Look) -> float:
    """Return the selection score of a child.

    What is known beside the visits (`prior`, `rave`) is kept between 0 and 1; A + B is the scale of `worth`.
    """
    visits, scale = float(tree.visits_of(child)), variants.own + variants.others
    weight, prior, rave_visits, rave = 0.0, 0.0, 0.0, 0.0
    if tree.has_priors():
        prior, weight = tree.prior_of(child.edge)
    if variants.rave != NO_RAVE:
        rave_visits, rave = tree.rave_of(child.edge)
        if variants.rave_prior > 0.0:
            total = rave_visits + variants.rave_prior
            rave_visits, rave = total, (rave_visits * rave + variants.rave_prior * prior) / total
        rave *= scale
    counted = visits + weight
    if counted > 0.0:
        value = visits * worth(tree, variants, child, look.player) if visits > 0.0 else 0.0
        value = (value + weight * scale * prior) / counted
        if rave_visits > 0.0:
            value = with_rave(variants, value, counted, look.parent, rave_visits, rave, scale)
    else:
        value = rave if rave_visits > 0.0 else first_play(variants, prior)
    if variants.rave != NO_RAVE and variants.formula != PUCT:  # as Fuego does: every child, and none divides by zero
        value += exploration(tree, variants, child, look, counted + 1.0)
    elif counted > 0.0 or variants.formula == PUCT:
        value += exploration(tree, variants, child, look, counted)
    if variants.history > 0.0:
        value += progressive_history(tree, variants, child, look.player)
    return value


@inline
def first_play(variants: Variants, prior: float) -> float:
    """Return the score of an unvisited move (first-play urgency: Gelly and Wang 2006); with PUCT its mean."""
    if variants.first_play < FIRST:
        return variants.first_play + ORDERED * prior
    return 0.0 if variants.formula == PUCT else FIRST + prior


@inline
def exploration(tree: Tree, variants: Variants, child: Child, look: Look, counted: float) -> float:
    """Return the exploration term of a child that counts for so many visits."""
    if variants.formula == PUCT:  # Silver et al. 2017; the first visit of all goes by P too
        return variants.weight * tree.chance_of(child.edge) * math.sqrt(float(max(look.parent, 1))) / (1.0 + counted)
    log = math.log(float(max(look.parent, 1))) / counted
    if variants.formula == TUNED:
        return math.sqrt(log * min(0.25, variance_bound(tree, child, look.player, log)))
    return variants.weight * math.sqrt(log)


@inline
def variance_bound(tree: Tree, child: Child, player: int, log: float) -> float:
    """UCB1-Tuned (Auer, Cesa-Bianchi and Fischer 2002): the variance seen, and how much more it may be."""
    visits = float(tree.visits_of(child))
    if visits == 0.0:
        return 0.25
    mean = tree.mean_of(child, player)
    squares = tree.squares_of(child.edge, player) / visits
    return max(0.0, squares - mean * mean) + math.sqrt(2.0 * log)


@inline
def with_rave(
    variants: Variants, value: float, counted: float, parent: int, rave_visits: float, rave: float, scale: float
) -> float:
    """Return the mean and the AMAF mean combined; both are between 0 and `scale`."""
    if variants.rave == FUEGO:  # by the counts; that of the moves as first stays below rave_weight
        weight = rave_visits / (1.0 + rave_visits / variants.rave_weight)
        return (counted * value + weight * rave) / (counted + weight)
    if variants.rave == SCHEDULE:  # Gelly and Silver 2007: half and half after rave_weight visits of the node
        share = math.sqrt(variants.rave_weight / (3.0 * float(parent) + variants.rave_weight))
    else:  # Gelly and Silver 2011, least squared error: both means vary as coins do, and this one is off by b
        bias = 1.0 / (4.0 * variants.rave_weight)  # b squared
        chance = (counted * value + rave_visits * rave + scale) / (scale * (counted + rave_visits + 2.0))
        share = rave_visits / (counted + rave_visits + counted * rave_visits * bias / (chance * (1.0 - chance)))
    return (1.0 - share) * value + share * rave


@inline
def progressive_history(tree: Tree, variants: Variants, child: Child, player: int) -> float:
    """Nijssen and Winands 2010: how well the move did everywhere, fading as the child loses."""
    (seen, rate), visits = tree.history_of(player, tree.action_of(child)), float(tree.visits_of(child))
    if seen == 0.0:
        return 0.0
    lost = visits * (1.0 - view_of(tree, variants, child, player)) if visits > 0.0 else 0.0
    return rate * variants.history / (lost + 1.0)


@inline
def marked_score(tree: Tree, variants: Variants, child: Child, look: Look) -> float:
    """Return the score of a child that may be cut or proven.

    A certain result is its own score, a lost one comes last.
    """
    if tree.has_marks():
        marks = tree.marks_of(child.edge)
        if marks & CUT != 0:
            return NEVER
        if marks & PROVEN != 0:
            if proven_view(tree, variants, child.edge, look.player) <= 0.0:
                return LOST + score(tree, variants, child, look)
            value = proven_worth(tree, variants, child.edge, look.player)
            return value - EVENLY * float(tree.visits_of(child))
        if look.hopeless >= 0.0 and is_hopeless(tree, variants, child, look):
            tree.prune(child.edge, CUT_UNCERTAIN)
            return NEVER
    return score(tree, variants, child, look)


# The choice -----------------------------------------------------------------------------------------------------------


@inline
def choose_child(context: SearchContext, node: int, player: int, above: Child) -> Child:
    """Return the child of a node to go to; edge 0 if all are cut. `above` leads to the node."""
    tree, variants = context.tree, context.variants
    if variants.formula == CHANCE:
        return any_child(tree, node, context.thread.rng)
    parent = tree.visits_of(above)
    if variants.share:
        parent = tree.position_visits(node)
    late = variants.uncertain_share > 0.0 and context.limits.progress[ITERATIONS] >= variants.uncertain_from
    hopeless = variants.uncertain_share * best_view(tree, variants, node, player) if late else -1.0
    look = Look(player, parent, hopeless)
    left, level, best, chosen = tree.child_count(node), 0, NEVER, Child(0, 0, 1)
    while left > 0:
        first, size = tree.segment(node, level)
        for index in range(min(left, size)):
            child = tree.child_in(first, size, index)
            found = marked_score(tree, variants, child, look)
            if found > best:
                best, chosen = found, child
        left -= size
        level += 1
    return chosen


@inline
def is_hopeless(tree: Tree, variants: Variants, child: Child, look: Look) -> bool:
    """Return whether a child has enough visits and too low a mean beside the best one."""
    if tree.visits_of(child) < max(variants.uncertain_visits, 1):
        return False
    return view_of(tree, variants, child, look.player) < look.hopeless


@inline
def best_view(tree: Tree, variants: Variants, node: int, player: int) -> float:
    """Return the mean of the best child that has enough visits and is not cut; negative if there is none."""
    best = -1.0
    for index in range(tree.child_count(node)):
        child = tree.child_at(node, index)
        enough = tree.visits_of(child) >= max(variants.uncertain_visits, 1)
        if enough and tree.marks_of(child.edge) & CUT == 0:
            best = max(best, view_of(tree, variants, child, player))
    return best


@inline
def any_child(tree: Tree, node: int, rng: Array) -> Child:
    """Return any child that is not cut, each as likely as the others; a proven one only if all are."""
    open_child, proven_child, open_seen, proven_seen = Child(0, 0, 1), Child(0, 0, 1), 0, 0
    for index in range(tree.child_count(node)):
        child = tree.child_at(node, index)
        marks = tree.marks_of(child.edge) if tree.has_marks() else 0
        if marks & (CUT | PROVEN) == PROVEN:
            proven_seen += 1
            if random_below(rng, proven_seen) == 0:
                proven_child = child
        elif marks & CUT == 0:
            open_seen += 1
            if random_below(rng, open_seen) == 0:
                open_child = child
    return open_child if open_seen > 0 else proven_child


# The score as a sum, for people: never compiled ----------------------------------------------------------------------

SUMMANDS = ("mean", "others", "known", "exploration", "history")  # the rest of a choice's terms goes into these
SMALL = 1e-12


def score_terms_of(tree: Tree, variants: Variants, child: Child, look: Look) -> dict[str, float]:
    """Return the terms of a score: A times the mover's mean, B times the others', exploration, history, the rest.

    `known` is what priors and all-moves-as-first change, and the urgency of a move that was never tried.
    """
    visits = tree.visits_of(child)
    found = {"mean": variants.own * view_of(tree, variants, child, look.player) if visits else 0.0}
    if variants.others > 0.0 and visits:
        found["others"] = worth(tree, variants, child, look.player) - found["mean"]
    counted = float(visits) + (tree.prior_of(child.edge)[1] if tree.has_priors() else 0.0)
    if variants.rave != NO_RAVE and variants.formula != PUCT:
        counted += 1.0
    if counted > 0.0 or variants.formula == PUCT:
        found["exploration"] = exploration(tree, variants, child, look, counted)
    if variants.history > 0.0:
        found["history"] = progressive_history(tree, variants, child, look.player)
    rest = score(tree, variants, child, look) - sum(found.values())
    return {**found, "known": rest} if abs(rest) > SMALL else found


LOST = -1e9  # below all scores of moves that are not proven to lose
NEVER = -1e18
EVENLY = 1e-12  # of certain results that are equal, the one with fewer visits


@inline
def proven_score(tree: Tree, child: Child, player: int, score: float) -> float:
    """Return a proven child's result as its score, or the score as it is; a loss comes last."""
    marks = tree.marks_of(child.edge)
    if marks & CUT != 0:
        return NEVER
    if marks & PROVEN == 0:
        return score
    result = tree.proven_result(child.edge, player)
    return LOST + score if result <= 0.0 else result - EVENLY * float(tree.visits_of(child))
