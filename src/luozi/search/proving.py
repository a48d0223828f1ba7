"""Results that are certain, carried up the tree for any number of players, and moves cut because another one wins.

For two players see Winands, Bjornsson and Saito 2008, for more Nijssen and Winands 2011.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from luozi.compiled import apart, inline, unsigned
from luozi.compiled.random import random_below
from luozi.search.choosing import proven_view
from luozi.search.filling import has_room
from luozi.search.kernel import Scratch
from luozi.search.moves import LUCKY, SHARED_WIN, WINNER, WON, Work
from luozi.search.notes import CUT, PROVEN, Notes, clear_notes
from luozi.search.tree import (
    ACTION,
    CHILD,
    CHILDREN,
    FIXED_POINT,
    MEAN,
    NEXT_EDGE,
    SEGMENTS,
    STRIDES,
    TRIED,
    VISITS,
    Array,
    Tree,
    new_edge,
    new_node,
    segment_size,
)
from luozi.search.variants import CUT_LUCKY, CUT_WON, PARANOID, STANDARD, TUNED, Variants

SAME = 1e-6  # results that differ less are equal


@inline
def set_proven(tree: Tree, notes: Notes, edge: int, results: Array) -> None:
    """An edge leads to a certain result."""
    for player in range(tree.players):
        notes.values[unsigned(edge * tree.players + player)] = results[player]
    notes.flags[unsigned(edge)] |= PROVEN


@inline
def notice_shared_win(tree: Tree, notes: Notes, work: Work, results: Array) -> None:
    """Take all proofs back if a result leaves others something of a win, or with two players does not add up to 1."""
    most, total = 0.0, 0.0
    for player in range(tree.players):
        most, total = max(most, results[player]), total + results[player]
    shared = abs(total - 1.0) > SAME if tree.players == 2 else most >= 1.0 - SAME and total > 1.0 + SAME
    if shared and work.counts[SHARED_WIN] == 0:
        work.counts[SHARED_WIN] = 1
        for edge in range(tree.used[NEXT_EDGE]):
            notes.flags[unsigned(edge)] &= CUT


@inline
def copy_proof(tree: Tree, notes: Notes, edge: int, source: int) -> None:
    """An edge leads to the same certain result as another."""
    for player in range(tree.players):
        value = notes.values[unsigned(source * tree.players + player)]
        notes.values[unsigned(edge * tree.players + player)] = value
    notes.flags[unsigned(edge)] |= PROVEN


@apart
def prove_path(
    tree: Tree, notes: Notes, scratch: Scratch, work: Work, variants: Variants, depth: int, root: int
) -> None:
    """Carry a proof at the end of the path up as far as it goes. `root` is the player who searches."""
    while depth > 0:
        depth -= 1
        edge, at, size = int(scratch.path[depth, 0]), int(scratch.path[depth, 1]), int(scratch.path[depth, 2])
        mover, source = int(work.movers[depth + 1]), int(scratch.path[depth + 1, 0])
        rivals = variants.rivals and work.counts[SHARED_WIN] == 0
        if not is_enough(tree, notes, variants, source, mover, rivals):
            node = int(tree.words[unsigned(at + CHILD * size)])
            source = certain_child(tree, notes, variants, node, mover, root, rivals)
        if source == 0:
            return
        copy_proof(tree, notes, edge, source)


@inline
def is_enough(tree: Tree, notes: Notes, variants: Variants, edge: int, mover: int, rivals: bool) -> bool:
    """Whether a move settles the position, whatever the others are worth: a win where all wins leave others nothing.

    Where somebody else may win too, another win might leave them more or less, and who knows which is played. Paranoid
    players look at one result only.
    """
    return (rivals or variants.paranoid >= 0) and proven_view(tree, notes, variants, edge, mover) >= 1.0 - SAME


@inline
def certain_child(tree: Tree, notes: Notes, variants: Variants, node: int, mover: int, root: int, rivals: bool) -> int:
    """The child whose result is the node's, if all are proven and the rule for mixed results allows it; else 0."""
    tried = int(tree.nodes[unsigned(node + TRIED)])
    # Moves that a rule of pruning took away lose, but only between two rivals does everybody know to whom.
    if tried < tree.actions or (tried > tree.actions and (tree.players > 2 or not rivals)):
        return 0
    left, level, best, mixed = int(tree.nodes[unsigned(node + CHILDREN)]), 0, 0, False
    while left > 0:
        first, size = int(tree.nodes[unsigned(node + SEGMENTS + level)]), segment_size(level, tree.actions)
        for index in range(min(left, size)):
            edge = first + index
            if int(notes.flags[unsigned(edge)]) & (CUT | PROVEN) != PROVEN:
                return 0
            order = compare(tree, notes, variants, edge, best, mover, root) if best != 0 else 1
            if order > 0:
                best, mixed = edge, False
            elif order == 0 and not same_results(tree, notes, variants, edge, best):
                mixed = True
        left -= size
        level += 1
    return 0 if mixed else best


@inline
def compare(tree: Tree, notes: Notes, variants: Variants, one: int, other: int, mover: int, root: int) -> int:
    """1 if the mover takes one child rather than the other, -1 if not, 0 if nobody knows.

    First the mover's own result counts. Where it is the same, the paranoid rule says that others choose what is worse
    for the player who searches, and the first-winner rule, which decides what paranoia leaves open, that the win goes
    to who is next to move.
    """
    values, players = notes.values, tree.players
    gain = proven_view(tree, notes, variants, one, mover) - proven_view(tree, notes, variants, other, mover)
    if abs(gain) <= SAME and variants.prove == PARANOID and mover != root:
        gain = gain_of(values, players, other, one, root)
    if variants.prove != STANDARD:
        for turns in range(1, players):
            if abs(gain) <= SAME:
                gain = gain_of(values, players, one, other, (mover + turns) % players)
    return 1 if gain > SAME else -1 if gain < -SAME else 0


@inline
def gain_of(values: Array, players: int, one: int, other: int, player: int) -> float:
    """How much better a proven edge is for a player than another."""
    return float(values[unsigned(one * players + player)]) - float(values[unsigned(other * players + player)])


@inline
def same_results(tree: Tree, notes: Notes, variants: Variants, one: int, other: int) -> bool:
    """Whether two proven edges have the same result for everybody who matters."""
    for player in range(tree.players):
        matters = variants.paranoid < 0 or player == variants.paranoid
        if matters and abs(gain_of(notes.values, tree.players, one, other, player)) > SAME:
            return False
    return True


# Moves cut because another one wins -----------------------------------------------------------------------------------


@apart
def keep_win(game: Any, tree: Tree, notes: Notes, scratch: Scratch, work: Work, variants: Variants) -> None:
    """A node of the path was won by one move: all others go, and every past visit was a win of its mover."""
    depth, winner = int(work.counts[WON]) - 1, int(work.counts[WINNER])
    edge, at, size = int(scratch.path[depth, 0]), int(scratch.path[depth, 1]), int(scratch.path[depth, 2])
    rule, kept = CUT_WON, int(scratch.path[depth + 1, 0])
    if work.counts[LUCKY] == 1:  # the first random move: it has no edge yet, nor has the new edge a node
        rule = CUT_LUCKY
        kept = only_child(tree, notes, scratch, at + CHILD * size, int(work.played[0, 0]))
        if kept == 0:
            return
    node = int(tree.words[unsigned(at + CHILD * size)])
    if tree.nodes[unsigned(node + TRIED)] < tree.actions:
        untried = legal_count(game, tree, scratch, work, depth) - int(tree.nodes[unsigned(node + CHILDREN)])
        notes.cuts[rule] += untried
        tree.nodes[unsigned(node + TRIED)] = tree.actions + 1  # so that proofs know
    notes.cuts[rule] += cut_others(tree, notes, node, kept)
    visits = int(tree.words[unsigned(at + VISITS * size)])
    for player in range(tree.players):
        won = 1 if player == winner else 0
        tree.sums[unsigned(edge * tree.players + player)] = won * visits * FIXED_POINT
        tree.floats[unsigned(at + (MEAN + player) * size)] = won
        if variants.formula == TUNED:
            notes.squares[unsigned(edge * tree.players + player)] = won * visits * FIXED_POINT


@inline
def only_child(tree: Tree, notes: Notes, scratch: Scratch, word: int, action: int) -> int:
    """Make a node with one child and hang it under an edge, given by the place of its CHILD field; 0 when full."""
    if not has_room(tree, 1):
        return 0
    node = new_node(tree, word, random_below(scratch.rng, STRIDES * tree.actions))
    if node == 0:
        return 0
    edge, _, _ = new_edge(tree, node, action)
    clear_notes(notes, edge, tree.players)
    return edge


@inline
def legal_count(game: Any, tree: Tree, scratch: Scratch, work: Work, depth: int) -> int:
    """How many moves are legal so far down the path."""
    work.spare[0] = scratch.root[0]
    for i in range(1, depth + 1):
        word = scratch.path[i, 1] + ACTION * scratch.path[i, 2]
        game.apply_action(work.spare[0], np.int64(tree.words[unsigned(word)]))
    return int(game.legal_actions(work.spare[0], work.replies))


@inline
def cut_others(tree: Tree, notes: Notes, node: int, kept: int) -> int:
    """Cut all children of a node but one; how many."""
    left, level, cut = int(tree.nodes[unsigned(node + CHILDREN)]), 0, 0
    while left > 0:
        first, size = int(tree.nodes[unsigned(node + SEGMENTS + level)]), segment_size(level, tree.actions)
        for index in range(min(left, size)):
            if first + index != kept and int(notes.flags[unsigned(first + index)]) & CUT == 0:
                notes.flags[unsigned(first + index)] |= CUT
                cut += 1
        left -= size
        level += 1
    return cut
