"""Many leaves at once: an iteration that pauses between choosing a leaf and backing up what it is worth.

While leaves wait for their values, the edges to them count as visited and lost (virtual loss: Chaslot, Winands and van
den Herik 2008), so that the next one is chosen elsewhere. Then all of them are valued, by an evaluator of the loop or
by anything else: another program, a network, a GPU.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from luozi.compiled import Array, inline, kernel, signed
from luozi.compiled.references import each_by_reference
from luozi.evaluators.heuristic import credit_results
from luozi.evaluators.thread_state import FINISHED, RECENT, SIMULATED, WON
from luozi.rules.game import Game
from luozi.search.context import SearchContext, edge_at
from luozi.search.loop import backpropagate, evaluate_leaf, may_continue, select_leaf
from luozi.search.tree.pool import Child


class Leaves(NamedTuple):
    """Positions that wait for their values, each with the way to it."""

    states: Array  # [K] positions
    paths: Array  # [K, max_length + 2, 3] i8: as `Thread.path`
    movers: Array  # [K, max_length + 2] i8: as `Thread.movers`
    depths: Array  # [K] i8
    values: Array  # [K, players] f8: what each is worth, if somebody else says so
    chances: Array  # [K, actions] f8: and the priors of its moves
    legal: Array  # [K, actions] bool: the legal moves, for whoever values it outside
    recent: Array  # [K, RECENT] i4: the last actions, the newest first, then -1


def new_leaves(game: Game, count: int) -> Leaves:
    """Room for so many."""
    length = game.length_limit + 2
    return Leaves(
        states=game.empty_states(count),
        paths=np.ones((count, length, 3), np.int64),
        movers=np.zeros((count, length), np.int64),
        depths=np.zeros(count, np.int64),
        values=np.zeros((count, game.players), np.float64),
        chances=np.zeros((count, game.actions), np.float64),
        legal=np.zeros((count, game.actions), np.bool_),
        recent=np.full((count, RECENT), -1, np.int32),
    )


@kernel
def search_in_batches(context: SearchContext, leaves: Leaves) -> None:
    """The same as `search`, with several leaves chosen before the first of them is valued."""
    context = each_by_reference(context)
    while may_continue(context.tree, context.limits, 0):
        count = gather(context, leaves)
        valued = True
        for leaf in range(count):
            depth = recall(context, leaves, leaf)
            valued = valued and evaluate_leaf(context, depth)
            if valued:  # what the stop flag cut off counts for nothing
                backpropagate(context, depth)
        if context.solver.is_finished(context.tree):
            break


@kernel
def choose_leaves(context: SearchContext, leaves: Leaves) -> int:
    """Choose leaves for somebody else to value; how many. None: a limit is reached, or the root is proven."""
    context = each_by_reference(context)
    while may_continue(context.tree, context.limits, 0) and not context.solver.is_finished(context.tree):
        count = gather(context, leaves)
        for leaf in range(count):
            describe(context, leaves, leaf)
        if count > 0:
            return count
    return 0


@kernel
def credit_leaves(context: SearchContext, leaves: Leaves, count: int, valued: bool) -> None:
    """Back up what the first leaves are worth; without values, only forget that they were waiting."""
    context = each_by_reference(context)
    game, thread = context.game, context.thread
    for leaf in range(count):
        depth = recall(context, leaves, leaf)
        if valued:
            if game.is_terminal(thread.state[0]):
                game.returns(thread.state[0], thread.results)
            else:
                for player in range(game.players):
                    thread.results[player] = leaves.values[leaf, player]
                for action in range(game.actions):
                    thread.chances[action] = leaves.chances[leaf, action]
            credit_results(thread)
            context.selection.expand_leaf(context, depth)
            backpropagate(context, depth)


@inline
def gather(context: SearchContext, leaves: Leaves) -> int:
    """Choose leaves until there is room for no more, or one comes up again; what is certain is backed up at once."""
    solver, count = context.solver, 0
    searcher = signed(context.game.current_player(context.thread.root[0]))
    while count < leaves.depths.shape[0] and may_continue(context.tree, context.limits, count):
        depth = select_leaf(context)
        if solver.check_leaf(context, depth, searcher):
            backpropagate(context, depth)
            if solver.is_finished(context.tree):
                break
        elif count > 0 and context.selection.is_waiting(context.tree, edge_at(context.thread, depth)):
            break
        else:
            remember(context, leaves, count, depth)
            count += 1
    return count


@inline
def describe(context: SearchContext, leaves: Leaves, leaf: int) -> None:
    """Write the legal moves of a leaf and the moves that led to it."""
    game, thread, depth = context.game, context.thread, int(leaves.depths[leaf])
    for action in range(game.actions):
        leaves.legal[leaf, action] = False
    if not game.is_terminal(leaves.states[leaf]):
        for index in range(game.legal_actions(leaves.states[leaf], thread.moves)):
            leaves.legal[leaf, thread.moves[index]] = True
    for back in range(RECENT):
        if back < depth:
            edge, at, size = leaves.paths[leaf, depth - back]
            leaves.recent[leaf, back] = context.tree.action_of(Child(signed(edge), signed(at), signed(size)))
        else:
            leaves.recent[leaf, back] = thread.before[back - depth]


@inline
def remember(context: SearchContext, leaves: Leaves, leaf: int, depth: int) -> None:
    """Put the position that the thread is at aside, and let its path count as lost."""
    thread = context.thread
    leaves.states[leaf], leaves.depths[leaf] = thread.state[0], depth
    for above in range(depth + 1):
        for place in range(3):
            leaves.paths[leaf, above, place] = thread.path[above, place]
        leaves.movers[leaf, above] = thread.movers[above]
        context.tree.expect_visits(edge_at(thread, above), context.variants.virtual_loss)


@inline
def recall(context: SearchContext, leaves: Leaves, leaf: int) -> int:
    """Take a position up again, and the loss back; its depth."""
    depth, thread = int(leaves.depths[leaf]), context.thread
    thread.state[0] = leaves.states[leaf]
    thread.counts[SIMULATED], thread.counts[FINISHED], thread.counts[WON] = 0, 0, 0
    for above in range(depth + 1):
        for place in range(3):
            thread.path[above, place] = leaves.paths[leaf, above, place]
        thread.movers[above] = leaves.movers[leaf, above]
        context.tree.expect_visits(edge_at(thread, above), -context.variants.virtual_loss)
    return depth
