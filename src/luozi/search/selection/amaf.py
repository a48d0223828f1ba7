"""Statistics of all moves of an iteration: AMAF, for RAVE, and the history of moves."""

from __future__ import annotations

from luozi.compiled import Array, apart, inline, signed
from luozi.evaluators.thread_state import SIMULATED, STAMP
from luozi.evaluators.variants import NO_RAVE, Variants
from luozi.search.context import SearchContext, edge_at
from luozi.search.tree.pool import FIXED_POINT
from luozi.search.tree.tree import Tree


@apart
def update_amaf(context: SearchContext, depth: int) -> None:
    """Credit at each node of the path the moves that its mover was the first to play from there on.

    A pass is none of them but where it was made: simulations end with one, however they went. And the history, for
    which every move counts.
    """
    tree, thread, variants = context.tree, context.thread, context.variants
    simulated, stamp = signed(thread.counts[SIMULATED]), signed(thread.counts[STAMP]) + 1
    thread.counts[STAMP] = stamp
    for index in range(simulated + depth):  # from the last random move back to the first move of the path
        above = simulated + depth - index - 1
        if index < simulated:
            played = simulated - index - 1
            action, player = signed(thread.played[played, 0]), signed(thread.played[played, 1])
        else:
            action = tree.action_of(edge_at(thread, above + 1))
            player = signed(thread.movers[above + 1])
        credit = result_for(thread.credit, variants, player)
        thread.seen[action] = stamp * tree.players + player  # whoever plays it earlier takes it over
        if variants.history > 0.0:
            tree.add_history(player, action, credit)
        if variants.rave != NO_RAVE and index >= simulated:
            node = tree.node_of(edge_at(thread, above))
            credit_rave(tree, thread.seen, node, stamp * tree.players + player, credit)
        if action == context.game.pass_action:
            thread.seen[action] = 0


@inline
def result_for(credits: Array, variants: Variants, player: int) -> int:
    """Return an iteration's result for a player, from 0 to 1 in fixed point: see `formulas.worth`."""
    if variants.paranoid >= 0:
        credit = signed(credits[variants.paranoid])
        return credit if player == variants.paranoid else FIXED_POINT - credit
    credit = signed(credits[player])
    if variants.others == 0.0:
        return credit
    best = 0
    for other in range(credits.shape[0]):
        if other != player:
            best = max(best, signed(credits[other]))
    seen = variants.own * credit + variants.others * (FIXED_POINT - best)
    return int(seen / (variants.own + variants.others))


@inline
def credit_rave(tree: Tree, seen: Array, node: int, mark: int, credit: int) -> None:
    """Credit the result to all children of a node whose move bears the mark: its mover played it, then or later."""
    left, level = tree.child_count(node), 0
    while left > 0:
        first, size = tree.segment(node, level)
        for index in range(min(left, size)):
            child = tree.child_in(first, size, index)
            if seen[tree.action_of(child)] == mark:
                tree.add_rave(child.edge, credit)
        left -= size
        level += 1
