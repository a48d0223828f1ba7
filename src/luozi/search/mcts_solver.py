"""Results that are certain, carried up the tree for any number of players, and moves cut because another one wins.

For two players see Winands, Bjornsson and Saito 2008, for more Nijssen and Winands 2011. A prover is an object that
compiles; the loop asks it after each step down (`ends_at`), before a leaf is valued (`is_certain`), after its
simulation (`look`), after the result was backed up (`conclude`), and whether there is nothing left to find (`is_done`).
"""

from __future__ import annotations

import numpy as np

from luozi.compiled import Compilable, apart, inline, signed
from luozi.compiled.random import random_below
from luozi.evaluators.thread_state import (
    CERTAIN,
    FINISHED,
    FIXED_POINT,
    LUCKY,
    SHARED_WIN,
    SIMULATED,
    WINNER,
    WON,
    ThreadState,
)
from luozi.evaluators.variants import CUT_LUCKY, CUT_WON, NO_PROOF, PARANOID, STANDARD, TUNED, Variants
from luozi.rules.game import Game
from luozi.search.context import SearchContext
from luozi.search.path import step_of
from luozi.search.selection.formulas import proven_view
from luozi.search.tree import (
    CUT,
    EXCLUDED,
    PROVEN,
    STRIDES,
    Child,
    SideTables,
    Tree,
    action_of,
    attach,
    child_count,
    child_in,
    clear_notes,
    copy_proof,
    count_cuts,
    cut,
    has_room,
    is_exhausted,
    is_proven,
    marks_of,
    new_child,
    new_node,
    node_of,
    proven_result,
    rewrite_results,
    rewrite_squares,
    segment,
    set_exhausted,
    set_proven,
    set_tried,
    show_children,
    take_proofs_back,
    tried_of,
    visits_of,
)

SAME = 1e-6  # results that differ less are equal


class NoSolver(Compilable):
    """Nothing is certain, and nothing is cut."""

    entry_points = ("ends_at", "is_certain", "look", "conclude", "is_done")

    def ends_at(self, notes: SideTables, child: Child) -> bool:
        return False

    def is_certain(self, desk: SearchContext, depth: int, searcher: int) -> bool:
        return False

    def look(self, desk: SearchContext, depth: int) -> None:
        pass

    def conclude(self, desk: SearchContext) -> None:
        pass

    def is_done(self, notes: SideTables) -> bool:
        return False


class MctsSolver(Compilable):
    """Back up proven values with `mcts_solver`; prune beside wins with `keep_proven_win` and `keep_playout_win`."""

    entry_points = ("ends_at", "is_certain", "look", "conclude", "is_done")

    def ends_at(self, notes: SideTables, child: Child) -> bool:
        return is_proven(notes, child.edge)

    def is_certain(self, desk: SearchContext, depth: int, searcher: int) -> bool:
        thread, variants = desk.thread, desk.variants
        if is_proven(desk.notes, signed(thread.path[depth, 0])):
            credit_proof(desk, depth, searcher)
            return True
        if (variants.prove != NO_PROOF or variants.keep_won) and desk.game.is_terminal(thread.state[0]):
            end_game(desk, depth, searcher)
            return True
        return False

    def look(self, desk: SearchContext, depth: int) -> None:
        thread, variants = desk.thread, desk.variants
        if depth > 0 and variants.prove != NO_PROOF and thread.counts[CERTAIN] == 1:
            settle_leaf(desk, depth)
        if variants.rivals and variants.prove != NO_PROOF and thread.counts[FINISHED] == 1:
            notice_shared_win(desk.tree, desk.notes, thread)
        if variants.keep_lucky and thread.counts[FINISHED] == 1 and thread.counts[SIMULATED] == 1:
            winner = signed(thread.played[0, 1])
            if thread.results[winner] >= 1.0 and visits_of(desk.tree, step_of(thread, depth)) == 0:
                thread.counts[WON], thread.counts[WINNER], thread.counts[LUCKY] = depth + 1, winner, 1

    def conclude(self, desk: SearchContext) -> None:
        if desk.thread.counts[WON] > 0:
            keep_win(desk)

    def is_done(self, notes: SideTables) -> bool:
        return is_exhausted(notes)


@apart
def credit_proof(desk: SearchContext, depth: int, searcher: int) -> None:
    """The path has come to a move whose result is certain."""
    tree, notes, thread = desk.tree, desk.notes, desk.thread
    for player in range(tree.players):
        value = proven_result(tree, notes, signed(thread.path[depth, 0]), player)
        thread.credit[player] = int(value * FIXED_POINT + 0.5)
    prove_path(desk, depth, searcher)


@apart
def end_game(desk: SearchContext, depth: int, searcher: int) -> None:
    """The path has come to the end of the game: its result is certain, and a new win may cut the other moves."""
    tree, notes, thread, variants = desk.tree, desk.notes, desk.thread, desk.variants
    desk.game.returns(thread.state[0], thread.results)
    for player in range(tree.players):
        thread.credit[player] = int(thread.results[player] * FIXED_POINT + 0.5)
    mover = signed(thread.movers[depth])
    if variants.keep_won and visits_of(tree, step_of(thread, depth)) == 0 and thread.results[mover] >= 1.0:
        thread.counts[WON], thread.counts[WINNER], thread.counts[LUCKY] = depth, mover, 0
    if variants.prove != NO_PROOF:
        if variants.rivals:
            notice_shared_win(tree, notes, thread)
        set_proven(tree, notes, signed(thread.path[depth, 0]), thread.results)
        prove_path(desk, depth, searcher)


@apart
def settle_leaf(desk: SearchContext, depth: int) -> None:
    """The evaluator knows the result of a leaf for certain; it stands in `thread.results`."""
    thread = desk.thread
    set_proven(desk.tree, desk.notes, signed(thread.path[depth, 0]), thread.results)
    prove_path(desk, depth, signed(desk.game.current_player(thread.root[0])))


@inline
def notice_shared_win(tree: Tree, notes: SideTables, thread: ThreadState) -> None:
    """Take all proofs back if a result leaves others something of a win, or with two players does not add up to 1."""
    most, total = 0.0, 0.0
    for player in range(tree.players):
        most, total = max(most, thread.results[player]), total + thread.results[player]
    shared = abs(total - 1.0) > SAME if tree.players == 2 else most >= 1.0 - SAME and total > 1.0 + SAME
    if shared and thread.counts[SHARED_WIN] == 0:
        thread.counts[SHARED_WIN] = 1
        take_proofs_back(tree, notes)


@apart
def prove_path(desk: SearchContext, depth: int, searcher: int) -> None:
    """Carry a proof at the end of the path up as far as it goes."""
    tree, notes, thread, variants = desk.tree, desk.notes, desk.thread, desk.variants
    while depth > 0:
        depth -= 1
        child, mover, source = (
            step_of(thread, depth),
            signed(thread.movers[depth + 1]),
            signed(thread.path[depth + 1, 0]),
        )
        rivals = variants.rivals and thread.counts[SHARED_WIN] == 0
        if not is_enough(tree, notes, variants, source, mover, rivals):
            source = certain_child(tree, notes, variants, node_of(tree, child), mover, searcher, rivals)
        if source == 0:
            if depth == 0 and tried_of(tree, node_of(tree, child)) >= tree.actions + EXCLUDED:
                notice_end(tree, notes, node_of(tree, child))
            return
        copy_proof(tree, notes, child.edge, source)


@apart
def notice_end(tree: Tree, notes: SideTables, node: int) -> None:
    """Note it if all moves are proven of a root whose result is not, as other moves were left out."""
    left, level = child_count(tree, node), 0
    while left > 0:
        first, size = segment(tree, node, level)
        for index in range(min(left, size)):
            if marks_of(notes, child_in(tree, first, size, index).edge) & (CUT | PROVEN) == 0:
                return
        left -= size
        level += 1
    set_exhausted(tree, notes)


@inline
def is_enough(tree: Tree, notes: SideTables, variants: Variants, edge: int, mover: int, rivals: bool) -> bool:
    """Whether a move settles the position, whatever the others are worth: a win where all wins leave others nothing.

    Where somebody else may win too, another win might leave them more or less, and who knows which is played. Paranoid
    players look at one result only.
    """
    return (rivals or variants.paranoid >= 0) and proven_view(tree, notes, variants, edge, mover) >= 1.0 - SAME


@inline
def certain_child(
    tree: Tree, notes: SideTables, variants: Variants, node: int, mover: int, root: int, rivals: bool
) -> int:
    """The child whose result is the node's, if all are proven and the rule for mixed results allows it; else 0."""
    tried = tried_of(tree, node)
    # Moves that a rule of pruning took away lose, but only between two rivals does everybody know to whom. Moves that
    # were excluded may be as good as those that stay.
    if tried < tree.actions or tried >= tree.actions + EXCLUDED:
        return 0
    if tried > tree.actions and (tree.players > 2 or not rivals):
        return 0
    left, level, best, mixed = child_count(tree, node), 0, 0, False
    while left > 0:
        first, size = segment(tree, node, level)
        for index in range(min(left, size)):
            edge = first + index
            if marks_of(notes, edge) & (CUT | PROVEN) != PROVEN:
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
def compare(tree: Tree, notes: SideTables, variants: Variants, one: int, other: int, mover: int, root: int) -> int:
    """1 if the mover takes one child rather than the other, -1 if not, 0 if nobody knows.

    First the mover's own result counts. Where it is the same, the paranoid rule says that others choose what is worse
    for the player who searches, and the first-winner rule, which decides what paranoia leaves open, that the win goes
    to who is next to move.
    """
    gain = proven_view(tree, notes, variants, one, mover) - proven_view(tree, notes, variants, other, mover)
    if abs(gain) <= SAME and variants.prove == PARANOID and mover != root:
        gain = gain_of(tree, notes, other, one, root)
    if variants.prove != STANDARD:
        for turns in range(1, tree.players):
            if abs(gain) <= SAME:
                gain = gain_of(tree, notes, one, other, (mover + turns) % tree.players)
    return 1 if gain > SAME else -1 if gain < -SAME else 0


@inline
def gain_of(tree: Tree, notes: SideTables, one: int, other: int, player: int) -> float:
    """How much better a proven edge is for a player than another."""
    return proven_result(tree, notes, one, player) - proven_result(tree, notes, other, player)


@inline
def same_results(tree: Tree, notes: SideTables, variants: Variants, one: int, other: int) -> bool:
    """Whether two proven edges have the same result for everybody who matters."""
    for player in range(tree.players):
        matters = variants.paranoid < 0 or player == variants.paranoid
        if matters and abs(gain_of(tree, notes, one, other, player)) > SAME:
            return False
    return True


# Moves cut because another one wins -----------------------------------------------------------------------------------


@apart
def keep_win(desk: SearchContext) -> None:
    """A node of the path was won by one move: all others go, and every past visit was a win of its mover."""
    tree, notes, thread = desk.tree, desk.notes, desk.thread
    depth, winner = signed(thread.counts[WON]) - 1, signed(thread.counts[WINNER])
    child, rule = step_of(thread, depth), CUT_WON
    if thread.counts[LUCKY] == 1:  # the first random move: it has no edge yet, nor has the new edge a node
        rule = CUT_LUCKY
        kept = only_child(tree, notes, thread, child, signed(thread.played[0, 0]))
        if kept == 0:
            return
    else:
        kept = signed(thread.path[depth + 1, 0])
    node = node_of(tree, child)
    if tried_of(tree, node) < tree.actions:
        count_cuts(notes, rule, legal_count(desk.game, tree, thread, depth) - child_count(tree, node))
        set_tried(tree, node, tree.actions + 1)  # so that proofs know
    cut_others(tree, notes, node, kept, rule)
    for player in range(tree.players):
        won = 1 if player == winner else 0
        rewrite_results(tree, child, player, won)
        if desk.variants.formula == TUNED:
            rewrite_squares(tree, notes, child, player, won)


@inline
def only_child(tree: Tree, notes: SideTables, thread: ThreadState, child: Child, action: int) -> int:
    """Make a node with one child and hang it under an edge; the new edge, or 0 when the pool is full."""
    if not has_room(tree, 1):
        return 0
    node = new_node(tree, random_below(thread.rng, STRIDES * tree.actions))
    if node == 0:
        return 0
    only = new_child(tree, node, 0, action)
    clear_notes(notes, only.edge, tree.players)
    show_children(tree, node, 1)
    attach(tree, child, node)
    return only.edge


@inline
def legal_count(game: Game, tree: Tree, thread: ThreadState, depth: int) -> int:
    """How many moves are legal so far down the path."""
    thread.spare[0] = thread.root[0]
    for above in range(1, depth + 1):
        game.apply_action(thread.spare[0], np.int64(action_of(tree, step_of(thread, above))))  # type: ignore[arg-type]
    return signed(game.legal_actions(thread.spare[0], thread.replies))


@inline
def cut_others(tree: Tree, notes: SideTables, node: int, kept: int, rule: int) -> None:
    """Cut all children of a node but one."""
    left, level = child_count(tree, node), 0
    while left > 0:
        first, size = segment(tree, node, level)
        for index in range(min(left, size)):
            edge = child_in(tree, first, size, index).edge
            if edge != kept and marks_of(notes, edge) & CUT == 0:
                cut(tree, notes, edge, rule)
        left -= size
        level += 1
