"""Backpropagation: the credit of an iteration to every edge of its path."""

from __future__ import annotations

from luozi.compiled import apart, inline, signed
from luozi.evaluators.thread_state import FIXED_POINT, ThreadState
from luozi.evaluators.variants import TUNED
from luozi.search.context import SearchContext, edge_at
from luozi.search.tree.tree import Tree


@inline
def is_draw(thread: ThreadState) -> bool:
    """Return whether all players get the same credit. An evaluator's value may be even too.

    Nobody asks then.
    """
    for player in range(1, thread.credit.shape[0]):  # noqa: SIM110  compiled, a generator is no loop
        if thread.credit[player] != thread.credit[0]:
            return False
    return True


@apart
def count_draw(context: SearchContext, depth: int) -> None:
    """Count a draw at every edge of the path: for two players the mean does not show draws."""
    tree, thread = context.tree, context.thread
    for above in range(depth + 1):
        tree.add_draw(edge_at(thread, above))


@inline
def credit_path(context: SearchContext, depth: int) -> None:
    """Credit the result to every edge of the path."""
    tree, thread, variants = context.tree, context.thread, context.variants
    if is_draw(thread):
        count_draw(context, depth)
    for above in range(depth + 1):
        child = edge_at(thread, above)
        inverse = tree.begin_credit(child, variants.virtual_loss)
        for player in range(tree.players):
            tree.add_result(child, player, thread.credit[player], inverse)
        tree.end_credit(child)


@inline
def credit_path_fully(context: SearchContext, depth: int) -> None:
    """Credit the result with a discount for each ply, squares of results, and transpositions."""
    tree, thread, variants = context.tree, context.thread, context.variants
    shrink = 1.0
    if is_draw(thread):
        count_draw(context, depth)
    for above in range(depth + 1):
        child = edge_at(thread, depth - above)
        inverse = tree.begin_credit(child, variants.virtual_loss)
        node = tree.node_of(child) if variants.share else 0
        if node != 0:
            tree.count_position(node, 1 - variants.virtual_loss if tree.is_shared() else 1)
        for player in range(tree.players):
            credit = discounted(thread.credit[player], shrink)
            tree.add_result(child, player, credit, inverse)
            if variants.formula == TUNED:
                tree.add_square(child.edge, player, credit)
            if node != 0:
                tree.add_to_position(node, player, credit)
        tree.end_credit(child)
        shrink *= variants.discount


@inline
def credit_path_with_blunders(context: SearchContext, depth: int) -> None:
    """Credit the result, where opponents miss a block with the probability `opponent_blunder_rate`.

    Where an opponent of the player who searches has to stop a threat, the result is mixed with a win of the player who
    made the threat. The mix is credited to that position and to all above it.
    """
    tree, thread, variants = context.tree, context.thread, context.variants
    searcher, slip = signed(context.game.current_player(thread.root[0])), int(variants.doubt * FIXED_POINT)
    for above in range(depth, -1, -1):
        child = edge_at(thread, above)
        if above < depth and thread.movers[above + 1] != searcher:
            winner = threat_by(tree, tree.node_of(child))
            if winner >= 0:
                for player in range(tree.players):
                    kept = int(thread.credit[player] * (1.0 - variants.doubt))
                    thread.credit[player] = kept + (slip if player == winner else 0)
        inverse = tree.begin_credit(child, variants.virtual_loss)
        for player in range(tree.players):
            tree.add_result(child, player, thread.credit[player], inverse)
        tree.end_credit(child)


@inline
def threat_by(tree: Tree, node: int) -> int:
    """Return who wins if the mover plays none of the moves that a node is restricted to.

    -1 where none was cut.
    """
    winner = signed(tree.tried_of(node)) - tree.actions - 2
    return winner if winner < tree.players else -1


@inline
def discounted(credit: int, shrink: float) -> int:
    """Return a result discounted towards one half."""
    half = FIXED_POINT // 2
    return half + int((credit - half) * shrink) if shrink < 1.0 else credit
