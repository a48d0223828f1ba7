"""Selection with all variants: the score of one child, and the child with the best one.

The plain search has its own loop (`kernel.select`), which is this one with everything switched off.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from luozi.compiled import inline, unsigned
from luozi.compiled.random import random_below
from luozi.search.notes import (
    CHANCE_OF,
    CUT,
    HISTORY_SIZE,
    HISTORY_SUM,
    HISTORY_VISITS,
    POSITION_SUM,
    POSITION_VISITS,
    PRIOR,
    PRIOR_SIZE,
    PRIOR_WEIGHT,
    PROVEN,
    RAVE_SIZE,
    RAVE_SUM,
    RAVE_VISITS,
    Notes,
)
from luozi.search.tree import ACTION, CHILD, CHILDREN, FIXED_POINT, MEAN, SEGMENTS, VISITS, Array, Tree, segment_size
from luozi.search.variants import CHANCE, CUT_UNCERTAIN, FUEGO, NO_RAVE, PUCT, SCHEDULE, TUNED, Variants

UNVISITED = 1e9  # above every other score: all unvisited moves first
LOST = -1e9  # below all scores of moves that are not proven to lose
NEVER = -1e18
ORDERED = 1e-6  # unvisited moves with one score are sorted by what else is known of them
EVENLY = 1e-12  # of certain results that are equal, the one with fewer visits


class Child(NamedTuple):
    """An edge, as the tree writes it: its number, the place of its first field, and its segment's size."""

    edge: int
    at: int
    size: int


class Look(NamedTuple):
    """From where children are looked at."""

    player: int  # to move
    parent: int  # the node's visits
    hopeless: float  # children with a lower mean are cut; negative: none


# What a child is worth ------------------------------------------------------------------------------------------------


@inline
def visits_of(tree: Tree, child: Child) -> int:
    """How often an edge was taken."""
    return int(tree.words[unsigned(child.at + VISITS * child.size)])


@inline
def edge_mean(tree: Tree, child: Child, player: int) -> float:
    """An edge's own mean for a player."""
    return float(tree.floats[unsigned(child.at + (MEAN + player) * child.size)])


@inline
def mean_of(tree: Tree, notes: Notes, variants: Variants, child: Child, player: int) -> float:
    """A child's mean for a player: by this edge, or by all ways into the position it leads to."""
    if variants.share:
        node = int(tree.words[unsigned(child.at + CHILD * child.size)])
        if node != 0:
            place = node // (SEGMENTS + tree.levels) * (POSITION_SUM + tree.players)
            visits = float(notes.positions[unsigned(place + POSITION_VISITS)])
            return float(notes.positions[unsigned(place + POSITION_SUM + player)]) / (visits * float(FIXED_POINT))
    return edge_mean(tree, child, player)


@inline
def view_of(tree: Tree, notes: Notes, variants: Variants, child: Child, player: int) -> float:
    """A child's mean as the player to move sees it: the player's own, or paranoid, all against one."""
    if variants.paranoid >= 0:
        mean = mean_of(tree, notes, variants, child, variants.paranoid)
        return mean if player == variants.paranoid else 1.0 - mean
    return mean_of(tree, notes, variants, child, player)


@inline
def worth(tree: Tree, notes: Notes, variants: Variants, child: Child, player: int) -> float:
    """What a child is worth to the player to move: A * own mean + B * (1 - the best other's)."""
    value = variants.own * view_of(tree, notes, variants, child, player)
    if variants.others > 0.0:
        best = 0.0
        for other in range(tree.players):
            if other != player:
                best = max(best, mean_of(tree, notes, variants, child, other))
        value += variants.others * (1.0 - best)
    return value


@inline
def proven_view(tree: Tree, notes: Notes, variants: Variants, edge: int, player: int) -> float:
    """The result of a proven child as the player to move sees it."""
    if variants.paranoid >= 0:
        value = float(notes.values[unsigned(edge * tree.players + variants.paranoid)])
        return value if player == variants.paranoid else 1.0 - value
    return float(notes.values[unsigned(edge * tree.players + player)])


@inline
def proven_worth(tree: Tree, notes: Notes, variants: Variants, edge: int, player: int) -> float:
    """What a proven child is worth to the player to move, on the scale of `worth`."""
    value = variants.own * proven_view(tree, notes, variants, edge, player)
    if variants.others > 0.0:
        best = 0.0
        for other in range(tree.players):
            if other != player:
                best = max(best, float(notes.values[unsigned(edge * tree.players + other)]))
        value += variants.others * (1.0 - best)
    return value


# The score of a child -------------------------------------------------------------------------------------------------


@inline
def score(tree: Tree, notes: Notes, variants: Variants, child: Child, look: Look) -> float:
    """How much the player to move wants to look at a child next.

    What is known beside the visits (`prior`, `rave`) is kept between 0 and 1; A + B is the scale of `worth`.
    """
    visits, scale = float(visits_of(tree, child)), variants.own + variants.others
    weight, prior, rave_visits, rave = 0.0, 0.0, 0.0, 0.0
    if notes.priors.shape[0] > 1:
        weight = float(notes.priors[unsigned(child.edge * PRIOR_SIZE + PRIOR_WEIGHT)])
        prior = float(notes.priors[unsigned(child.edge * PRIOR_SIZE + PRIOR)])
    if variants.rave != NO_RAVE:
        rave_visits = float(notes.rave[unsigned(child.edge * RAVE_SIZE + RAVE_VISITS)])
        rave = float(notes.rave[unsigned(child.edge * RAVE_SIZE + RAVE_SUM)])
        rave = scale * rave / (max(rave_visits, 1.0) * float(FIXED_POINT))
    counted = visits + weight
    if counted > 0.0:
        value = visits * worth(tree, notes, variants, child, look.player) if visits > 0.0 else 0.0
        value = (value + weight * scale * prior) / counted
        if rave_visits > 0.0:
            value = with_rave(variants, value, counted, look.parent, rave_visits, rave, scale)
    else:
        value = rave if rave_visits > 0.0 else first_play(variants, prior)
    if variants.rave != NO_RAVE and variants.formula != PUCT:  # as Fuego does: every child, and none divides by zero
        value += exploration(tree, notes, variants, child, look, counted + 1.0)
    elif counted > 0.0 or variants.formula == PUCT:
        value += exploration(tree, notes, variants, child, look, counted)
    if variants.history > 0.0:
        value += progressive_history(tree, notes, variants, child, look.player)
    return value


@inline
def first_play(variants: Variants, prior: float) -> float:
    """The score of a move nothing is known of (first-play urgency: Gelly and Wang 2006); with PUCT its mean."""
    if variants.first_play < UNVISITED:
        return variants.first_play + ORDERED * prior
    return 0.0 if variants.formula == PUCT else UNVISITED + prior


@inline
def exploration(tree: Tree, notes: Notes, variants: Variants, child: Child, look: Look, counted: float) -> float:
    """What is added to the worth of a child that counts for so many visits."""
    if variants.formula == PUCT:  # Silver et al. 2017; the first visit of all goes by P too
        chance = float(notes.priors[unsigned(child.edge * PRIOR_SIZE + CHANCE_OF)])
        return variants.weight * chance * math.sqrt(float(max(look.parent, 1))) / (1.0 + counted)
    log = math.log(float(max(look.parent, 1))) / counted
    if variants.formula == TUNED:
        return math.sqrt(log * min(0.25, variance_bound(tree, notes, child, look.player, log)))
    return variants.weight * math.sqrt(log)


@inline
def variance_bound(tree: Tree, notes: Notes, child: Child, player: int, log: float) -> float:
    """UCB1-Tuned (Auer, Cesa-Bianchi and Fischer 2002): the variance seen, and how much more it may be."""
    visits = float(visits_of(tree, child))
    if visits == 0.0:
        return 0.25
    mean = edge_mean(tree, child, player)
    squares = float(notes.squares[unsigned(child.edge * tree.players + player)]) / (float(FIXED_POINT) * visits)
    return max(0.0, squares - mean * mean) + math.sqrt(2.0 * log)


@inline
def with_rave(
    variants: Variants, value: float, counted: float, parent: int, rave_visits: float, rave: float, scale: float
) -> float:
    """The mean and the all-moves-as-first mean in one; both are between 0 and `scale`."""
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
def progressive_history(tree: Tree, notes: Notes, variants: Variants, child: Child, player: int) -> float:
    """Nijssen and Winands 2010: how well the move did everywhere, fading as the child loses."""
    action = int(tree.words[unsigned(child.at + ACTION * child.size)])
    place = unsigned((player * tree.actions + action) * HISTORY_SIZE)
    seen, visits = float(notes.history[place + HISTORY_VISITS]), float(visits_of(tree, child))
    if seen == 0.0:
        return 0.0
    rate = float(notes.history[place + HISTORY_SUM]) / (seen * float(FIXED_POINT))
    lost = visits * (1.0 - view_of(tree, notes, variants, child, player)) if visits > 0.0 else 0.0
    return rate * variants.history / (lost + 1.0)


@inline
def marked_score(tree: Tree, notes: Notes, variants: Variants, child: Child, look: Look) -> float:
    """The score of a child that may be cut or proven: a certain result is its own score, a lost one comes last."""
    if notes.flags.shape[0] > 1:
        flags = int(notes.flags[unsigned(child.edge)])
        if flags & CUT != 0:
            return NEVER
        if flags & PROVEN != 0:
            if proven_view(tree, notes, variants, child.edge, look.player) <= 0.0:
                return LOST + score(tree, notes, variants, child, look)
            value = proven_worth(tree, notes, variants, child.edge, look.player)
            return value - EVENLY * float(visits_of(tree, child))
        if look.hopeless >= 0.0 and is_hopeless(tree, notes, variants, child, look):
            notes.flags[unsigned(child.edge)] = flags | CUT
            notes.cuts[CUT_UNCERTAIN] += 1
            return NEVER
    return score(tree, notes, variants, child, look)


# The choice -----------------------------------------------------------------------------------------------------------


@inline
def choose(
    tree: Tree, notes: Notes, variants: Variants, node: int, player: int, above: Child, iterations: int, rng: Array
) -> Child:
    """The child of a node to go to; edge 0 if all are cut. `above` leads to the node."""
    if variants.formula == CHANCE:
        return any_child(tree, notes, node, rng)
    parent = visits_of(tree, above)
    if variants.share:
        row = node // (SEGMENTS + tree.levels)
        parent = int(notes.positions[unsigned(row * (POSITION_SUM + tree.players) + POSITION_VISITS)])
    late = variants.uncertain_share > 0.0 and iterations >= variants.uncertain_from
    hopeless = variants.uncertain_share * best_view(tree, notes, variants, node, player) if late else -1.0
    look = Look(player, parent, hopeless)
    left, level, best, chosen = int(tree.nodes[unsigned(node + CHILDREN)]), 0, NEVER, Child(0, 0, 1)
    while left > 0:
        first, size = int(tree.nodes[unsigned(node + SEGMENTS + level)]), segment_size(level, tree.actions)
        for index in range(min(left, size)):
            child = Child(first + index, first * (MEAN + tree.players) + index, size)
            found = marked_score(tree, notes, variants, child, look)
            if found > best:
                best, chosen = found, child
            if variants.ordered and visits_of(tree, child) == 0:
                return chosen  # those that follow are unvisited too, and less likely
        left -= size
        level += 1
    return chosen


@inline
def is_hopeless(tree: Tree, notes: Notes, variants: Variants, child: Child, look: Look) -> bool:
    """Whether a child has enough visits and too low a mean beside the best one."""
    if visits_of(tree, child) < max(variants.uncertain_visits, 1):
        return False
    return view_of(tree, notes, variants, child, look.player) < look.hopeless


@inline
def best_view(tree: Tree, notes: Notes, variants: Variants, node: int, player: int) -> float:
    """The mean of the best child that has enough visits and is not cut; negative if there is none."""
    left, level, best = int(tree.nodes[unsigned(node + CHILDREN)]), 0, -1.0
    while left > 0:
        first, size = int(tree.nodes[unsigned(node + SEGMENTS + level)]), segment_size(level, tree.actions)
        for index in range(min(left, size)):
            child = Child(first + index, first * (MEAN + tree.players) + index, size)
            enough = visits_of(tree, child) >= max(variants.uncertain_visits, 1)
            if enough and int(notes.flags[unsigned(child.edge)]) & CUT == 0:
                best = max(best, view_of(tree, notes, variants, child, player))
        left -= size
        level += 1
    return best


@inline
def any_child(tree: Tree, notes: Notes, node: int, rng: Array) -> Child:
    """Any child that is not cut, each as likely as the others; a proven one only if all are."""
    open_child, proven_child, open_seen, proven_seen = Child(0, 0, 1), Child(0, 0, 1), 0, 0
    left, level = int(tree.nodes[unsigned(node + CHILDREN)]), 0
    while left > 0:
        first, size = int(tree.nodes[unsigned(node + SEGMENTS + level)]), segment_size(level, tree.actions)
        for index in range(min(left, size)):
            child = Child(first + index, first * (MEAN + tree.players) + index, size)
            flags = int(notes.flags[unsigned(child.edge)]) if notes.flags.shape[0] > 1 else 0
            if flags & (CUT | PROVEN) == PROVEN:
                proven_seen += 1
                if random_below(rng, proven_seen) == 0:
                    proven_child = child
            elif flags & CUT == 0:
                open_seen += 1
                if random_below(rng, open_seen) == 0:
                    open_child = child
        left -= size
        level += 1
    return open_child if open_seen > 0 else proven_child
