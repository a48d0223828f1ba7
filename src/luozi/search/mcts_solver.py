"""MCTS-Solver for any number of players: proven values are backed up, and moves beside a win are pruned.

For two players see Winands, Bjornsson and Saito 2008, for more Nijssen and Winands 2011. `NoSolver` in
`context.py` says when the loop calls each method.
"""

from __future__ import annotations

import numpy as np

from luozi.compiled import apart, inline, signed
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
from luozi.search.context import NoSolver, SearchContext, edge_at
from luozi.search.selection.formulas import proven_view
from luozi.search.tree.pool import CUT, EXCLUDED, PROVEN, STRIDES, Child
from luozi.search.tree.tree import Tree

SAME = 1e-6  # results that differ less are equal


class MctsSolver(NoSolver):
    """Back up proven values with `mcts_solver`; prune beside wins with `keep_proven_win` and `keep_playout_win`."""

    def stops_at(self, tree: Tree, child: Child) -> bool:
        return tree.is_proven(child.edge)

    def check_leaf(self, context: SearchContext, depth: int, searcher: int) -> bool:
        thread, variants = context.thread, context.variants
        if context.tree.is_proven(signed(thread.path[depth, 0])):
            credit_proven_edge(context, depth, searcher)
            return True
        if (variants.prove != NO_PROOF or variants.keep_won) and context.game.is_terminal(thread.state[0]):
            prove_end(context, depth, searcher)
            return True
        return False

    def use_playout(self, context: SearchContext, depth: int) -> None:
        thread, variants = context.thread, context.variants
        if depth > 0 and variants.prove != NO_PROOF and thread.counts[CERTAIN] == 1:
            prove_evaluated_leaf(context, depth)
        if variants.rivals and variants.prove != NO_PROOF and thread.counts[FINISHED] == 1:
            check_single_winner(context.tree, thread)
        if variants.keep_lucky and thread.counts[FINISHED] == 1 and thread.counts[SIMULATED] == 1:
            winner = signed(thread.played[0, 1])
            if thread.results[winner] >= 1.0 and context.tree.visits_of(edge_at(thread, depth)) == 0:
                thread.counts[WON], thread.counts[WINNER], thread.counts[LUCKY] = depth + 1, winner, 1

    def prune(self, context: SearchContext) -> None:
        if context.thread.counts[WON] > 0:
            prune_beside_win(context)

    def is_finished(self, tree: Tree) -> bool:
        return tree.is_exhausted()


@apart
def credit_proven_edge(context: SearchContext, depth: int, searcher: int) -> None:
    """Credit the result of a proven edge at the end of the path."""
    tree, thread = context.tree, context.thread
    for player in range(tree.players):
        value = tree.proven_result(signed(thread.path[depth, 0]), player)
        thread.credit[player] = int(value * FIXED_POINT + 0.5)
    prove_path(context, depth, searcher)


@apart
def prove_end(context: SearchContext, depth: int, searcher: int) -> None:
    """Prove the edge to the end of a game, and note a new win, which may prune the other moves."""
    tree, thread, variants = context.tree, context.thread, context.variants
    context.game.returns(thread.state[0], thread.results)
    for player in range(tree.players):
        thread.credit[player] = int(thread.results[player] * FIXED_POINT + 0.5)
    mover = signed(thread.movers[depth])
    if variants.keep_won and tree.visits_of(edge_at(thread, depth)) == 0 and thread.results[mover] >= 1.0:
        thread.counts[WON], thread.counts[WINNER], thread.counts[LUCKY] = depth, mover, 0
    if variants.prove != NO_PROOF:
        if variants.rivals:
            check_single_winner(tree, thread)
        tree.set_proven(signed(thread.path[depth, 0]), thread.results)
        prove_path(context, depth, searcher)


@apart
def prove_evaluated_leaf(context: SearchContext, depth: int) -> None:
    """Prove a leaf by the result that its evaluator has left in `thread.results`."""
    thread = context.thread
    context.tree.set_proven(signed(thread.path[depth, 0]), thread.results)
    prove_path(context, depth, signed(context.game.current_player(thread.root[0])))


@inline
def check_single_winner(tree: Tree, thread: ThreadState) -> None:
    """Clear all proofs if a win leaves something to others, or if the results of two players do not add up to 1."""
    most, total = 0.0, 0.0
    for player in range(tree.players):
        most, total = max(most, thread.results[player]), total + thread.results[player]
    shared = abs(total - 1.0) > SAME if tree.players == 2 else most >= 1.0 - SAME and total > 1.0 + SAME
    if shared and thread.counts[SHARED_WIN] == 0:
        thread.counts[SHARED_WIN] = 1
        tree.clear_proofs()


@apart
def prove_path(context: SearchContext, depth: int, searcher: int) -> None:
    """Back a proven value up the path as far as it proves nodes."""
    tree, thread, variants = context.tree, context.thread, context.variants
    while depth > 0:
        depth -= 1
        child, mover, source = (
            edge_at(thread, depth),
            signed(thread.movers[depth + 1]),
            signed(thread.path[depth + 1, 0]),
        )
        rivals = variants.rivals and thread.counts[SHARED_WIN] == 0
        if not settles_node(tree, variants, source, mover, rivals):
            source = proven_child(tree, variants, tree.node_of(child), mover, searcher, rivals)
        if source == 0:
            if depth == 0 and tree.tried_of(tree.node_of(child)) >= tree.actions + EXCLUDED:
                check_exhausted(tree, tree.node_of(child))
            return
        tree.copy_proof(child.edge, source)


@apart
def check_exhausted(tree: Tree, node: int) -> None:
    """Mark a root as exhausted: all its moves are proven, but its result is not, since others were excluded."""
    for index in range(tree.child_count(node)):
        if tree.marks_of(tree.child_at(node, index).edge) & (CUT | PROVEN) == 0:
            return
    tree.set_exhausted()


@inline
def settles_node(tree: Tree, variants: Variants, edge: int, mover: int, rivals: bool) -> bool:
    """Return whether a move proves the node: a win where every win leaves the others nothing.

    Where somebody else may win too, another win might leave them more or less, and who knows which is played. Paranoid
    players look at one result only.
    """
    return (rivals or variants.paranoid >= 0) and proven_view(tree, variants, edge, mover) >= 1.0 - SAME


@inline
def proven_child(tree: Tree, variants: Variants, node: int, mover: int, root: int, rivals: bool) -> int:
    """Return the child whose result is the node's, if all are proven and the rule for mixed results allows it.

    Else 0.
    """
    tried = tree.tried_of(node)
    # Moves that a rule of pruning took away lose, but only between two rivals does everybody know to whom. Moves that
    # were excluded may be as good as those that stay.
    if tried < tree.actions or tried >= tree.actions + EXCLUDED:
        return 0
    if tried > tree.actions and (tree.players > 2 or not rivals):
        return 0
    best, mixed = 0, False
    for index in range(tree.child_count(node)):
        edge = tree.child_at(node, index).edge
        if tree.marks_of(edge) & (CUT | PROVEN) != PROVEN:
            return 0
        order = compare(tree, variants, edge, best, mover, root) if best != 0 else 1
        if order > 0:
            best, mixed = edge, False
        elif order == 0 and not same_results(tree, variants, edge, best):
            mixed = True
    return 0 if mixed else best


@inline
def compare(tree: Tree, variants: Variants, one: int, other: int, mover: int, root: int) -> int:
    """Compare two proven children from the point of view of `mover`.

    Return 1 if `one` is better, -1 if `other` is better, 0 if undecided. The mover's own result is compared first. On a
    tie the paranoid rule prefers the worse result for the root player. On a further tie the first-winner rule prefers
    the better result for the next player in turn.
    """
    gain = proven_view(tree, variants, one, mover) - proven_view(tree, variants, other, mover)
    if abs(gain) <= SAME and variants.prove == PARANOID and mover != root:
        gain = gain_of(tree, other, one, root)
    if variants.prove != STANDARD:
        for turns in range(1, tree.players):
            if abs(gain) <= SAME:
                gain = gain_of(tree, one, other, (mover + turns) % tree.players)
    return 1 if gain > SAME else -1 if gain < -SAME else 0


@inline
def gain_of(tree: Tree, one: int, other: int, player: int) -> float:
    """Return how much better a proven edge is for a player than another edge."""
    return tree.proven_result(one, player) - tree.proven_result(other, player)


@inline
def same_results(tree: Tree, variants: Variants, one: int, other: int) -> bool:
    """Return whether two proven edges have the same result for everybody who matters."""
    for player in range(tree.players):
        matters = variants.paranoid < 0 or player == variants.paranoid
        if matters and abs(gain_of(tree, one, other, player)) > SAME:
            return False
    return True


# Moves cut because another one wins -----------------------------------------------------------------------------------


@apart
def prune_beside_win(context: SearchContext) -> None:
    """Prune all other moves of a node that one move wins, and make every past visit a win of the mover."""
    tree, thread = context.tree, context.thread
    depth, winner = signed(thread.counts[WON]) - 1, signed(thread.counts[WINNER])
    child, rule = edge_at(thread, depth), CUT_WON
    if thread.counts[LUCKY] == 1:  # the first random move: it has no edge yet, nor has the new edge a node
        rule = CUT_LUCKY
        kept = only_child(tree, thread, child, signed(thread.played[0, 0]))
        if kept == 0:
            return
    else:
        kept = signed(thread.path[depth + 1, 0])
    node = tree.node_of(child)
    if tree.tried_of(node) < tree.actions:
        tree.count_cuts(rule, legal_count(context.game, tree, thread, depth) - tree.child_count(node))
        tree.set_tried(node, tree.actions + 1)  # so that proofs know
    prune_siblings(tree, node, kept, rule)
    for player in range(tree.players):
        won = 1 if player == winner else 0
        tree.rewrite_results(child, player, won)
        if context.variants.formula == TUNED:
            tree.rewrite_squares(child, player, won)


@inline
def only_child(tree: Tree, thread: ThreadState, child: Child, action: int) -> int:
    """Attach a node with one child to an edge; return the new edge, or 0 when the pool is full."""
    if not tree.has_room(1):
        return 0
    node = tree.new_node(random_below(thread.rng, STRIDES * tree.actions))
    if node == 0:
        return 0
    only = tree.new_child(node, 0, action)
    tree.clear_side_tables(only.edge)
    tree.set_child_count(node, 1)
    tree.attach(child, node)
    return only.edge


@inline
def legal_count(game: Game, tree: Tree, thread: ThreadState, depth: int) -> int:
    """Return how many moves are legal at a depth of the path."""
    thread.spare[0] = thread.root[0]
    for above in range(1, depth + 1):
        game.apply_action(thread.spare[0], np.int64(tree.action_of(edge_at(thread, above))))  # type: ignore[arg-type]
    return signed(game.legal_actions(thread.spare[0], thread.replies))


@inline
def prune_siblings(tree: Tree, node: int, kept: int, rule: int) -> None:
    """Prune all children of a node but one."""
    for index in range(tree.child_count(node)):
        edge = tree.child_at(node, index).edge
        if edge != kept and tree.marks_of(edge) & CUT == 0:
            tree.prune(edge, rule)
