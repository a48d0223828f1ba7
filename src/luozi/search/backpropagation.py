"""Backing up: what an iteration credits to every edge of its path."""

from __future__ import annotations

from luozi.compiled import apart, inline, signed
from luozi.evaluators.thread_state import FIXED_POINT, ThreadState
from luozi.evaluators.variants import TUNED
from luozi.search.context import SearchContext
from luozi.search.path import step_of
from luozi.search.tree import (
    Tree,
    add_draw,
    add_result,
    add_square,
    add_to_position,
    begin_credit,
    count_position,
    end_credit,
    is_shared,
    node_of,
    tried_of,
)


@inline
def is_draw(thread: ThreadState) -> bool:
    """Whether all players get the same of this iteration. An evaluator's value may be even too: nobody asks then."""
    for player in range(1, thread.credit.shape[0]):  # noqa: SIM110  compiled, a generator is no loop
        if thread.credit[player] != thread.credit[0]:
            return False
    return True


@apart
def count_draw(desk: SearchContext, depth: int) -> None:
    """Note at every edge of the path that this visit ends drawn: for two players no mean tells that."""
    tree, notes, thread = desk.tree, desk.notes, desk.thread
    for above in range(depth + 1):
        add_draw(tree, notes, step_of(thread, above))


@inline
def back_up_plainly(desk: SearchContext, depth: int) -> None:
    """Credit the result to every edge of the path."""
    tree, thread, variants = desk.tree, desk.thread, desk.variants
    if is_draw(thread):
        count_draw(desk, depth)
    for above in range(depth + 1):
        child = step_of(thread, above)
        inverse = begin_credit(tree, child, variants.virtual_loss)
        for player in range(tree.players):
            add_result(tree, child, player, thread.credit[player], inverse)
        end_credit(tree, child)


@inline
def back_up_fully(desk: SearchContext, depth: int) -> None:
    """The same, where ancestors may get it discounted, squares are kept, and positions are shared."""
    tree, notes, thread, variants = desk.tree, desk.notes, desk.thread, desk.variants
    shrink = 1.0
    if is_draw(thread):
        count_draw(desk, depth)
    for above in range(depth + 1):
        child = step_of(thread, depth - above)
        inverse = begin_credit(tree, child, variants.virtual_loss)
        node = node_of(tree, child) if variants.share else 0
        if node != 0:
            count_position(tree, notes, node, 1 - variants.virtual_loss if is_shared(tree) else 1)
        for player in range(tree.players):
            credit = discounted(thread.credit[player], shrink)
            add_result(tree, child, player, credit, inverse)
            if variants.formula == TUNED:
                add_square(tree, notes, child.edge, player, credit)
            if node != 0:
                add_to_position(tree, notes, node, player, credit)
        end_credit(tree, child)
        shrink *= variants.discount


@inline
def back_up_doubtfully(desk: SearchContext, depth: int) -> None:
    """The same, where others than the one who searches may fail to stop a threat that is theirs to stop: then whose it
    was wins. So often is a position like that credited with this, and whatever leads to it.
    """
    tree, thread, variants = desk.tree, desk.thread, desk.variants
    searcher, slip = signed(desk.game.current_player(thread.root[0])), int(variants.doubt * FIXED_POINT)
    for above in range(depth, -1, -1):
        child = step_of(thread, above)
        if above < depth and thread.movers[above + 1] != searcher:
            winner = threat_by(tree, node_of(tree, child))
            if winner >= 0:
                for player in range(tree.players):
                    kept = int(thread.credit[player] * (1.0 - variants.doubt))
                    thread.credit[player] = kept + (slip if player == winner else 0)
        inverse = begin_credit(tree, child, variants.virtual_loss)
        for player in range(tree.players):
            add_result(tree, child, player, thread.credit[player], inverse)
        end_credit(tree, child)


@inline
def threat_by(tree: Tree, node: int) -> int:
    """Who wins if the player to move does not play one of the moves that a node was cut to; -1 where none was cut."""
    winner = signed(tried_of(tree, node)) - tree.actions - 2
    return winner if winner < tree.players else -1


@inline
def discounted(credit: int, shrink: float) -> int:
    """A result, nearer to one half."""
    half = FIXED_POINT // 2
    return half + int((credit - half) * shrink) if shrink < 1.0 else credit
