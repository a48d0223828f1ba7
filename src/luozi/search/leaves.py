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
from luozi.search.context import SearchContext
from luozi.search.loop import conclude, descend, may_go_on, value_leaf
from luozi.search.path import step_of
from luozi.search.tree import Child, action_of, expect_visits


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
def search_in_batches(desk: SearchContext, leaves: Leaves) -> None:
    """The same as `search`, with several leaves chosen before the first of them is valued."""
    desk = each_by_reference(desk)
    while may_go_on(desk.tree, desk.limits, 0):
        count = gather(desk, leaves)
        valued = True
        for leaf in range(count):
            depth = recall(desk, leaves, leaf)
            valued = valued and value_leaf(desk, depth)
            if valued:  # what the stop flag cut off counts for nothing
                conclude(desk, depth)
        if desk.prover.is_done(desk.notes):
            break


@kernel
def choose_leaves(desk: SearchContext, leaves: Leaves) -> int:
    """Choose leaves for somebody else to value; how many. None: a limit is reached, or the root is proven."""
    desk = each_by_reference(desk)
    while may_go_on(desk.tree, desk.limits, 0) and not desk.prover.is_done(desk.notes):
        count = gather(desk, leaves)
        for leaf in range(count):
            describe(desk, leaves, leaf)
        if count > 0:
            return count
    return 0


@kernel
def credit_leaves(desk: SearchContext, leaves: Leaves, count: int, valued: bool) -> None:
    """Back up what the first leaves are worth; without values, only forget that they were waiting."""
    desk = each_by_reference(desk)
    game, thread = desk.game, desk.thread
    for leaf in range(count):
        depth = recall(desk, leaves, leaf)
        if valued:
            if game.is_terminal(thread.state[0]):
                game.returns(thread.state[0], thread.results)
            else:
                for player in range(game.players):
                    thread.results[player] = leaves.values[leaf, player]
                for action in range(game.actions):
                    thread.chances[action] = leaves.chances[leaf, action]
            credit_results(thread)
            desk.chooser.grow(desk, depth)
            conclude(desk, depth)


@inline
def gather(desk: SearchContext, leaves: Leaves) -> int:
    """Choose leaves until there is room for no more, or one comes up again; what is certain is backed up at once."""
    prover, count = desk.prover, 0
    searcher = signed(desk.game.current_player(desk.thread.root[0]))
    while count < leaves.depths.shape[0] and may_go_on(desk.tree, desk.limits, count):
        depth = descend(desk)
        if prover.is_certain(desk, depth, searcher):
            conclude(desk, depth)
            if prover.is_done(desk.notes):
                break
        elif count > 0 and desk.chooser.awaits(desk.tree, step_of(desk.thread, depth)):
            break
        else:
            remember(desk, leaves, count, depth)
            count += 1
    return count


@inline
def describe(desk: SearchContext, leaves: Leaves, leaf: int) -> None:
    """Write the legal moves of a leaf and the moves that led to it."""
    game, thread, depth = desk.game, desk.thread, int(leaves.depths[leaf])
    for action in range(game.actions):
        leaves.legal[leaf, action] = False
    if not game.is_terminal(leaves.states[leaf]):
        for index in range(game.legal_actions(leaves.states[leaf], thread.moves)):
            leaves.legal[leaf, thread.moves[index]] = True
    for back in range(RECENT):
        if back < depth:
            edge, at, size = leaves.paths[leaf, depth - back]
            leaves.recent[leaf, back] = action_of(desk.tree, Child(signed(edge), signed(at), signed(size)))
        else:
            leaves.recent[leaf, back] = thread.before[back - depth]


@inline
def remember(desk: SearchContext, leaves: Leaves, leaf: int, depth: int) -> None:
    """Put the position that the thread is at aside, and let its path count as lost."""
    thread = desk.thread
    leaves.states[leaf], leaves.depths[leaf] = thread.state[0], depth
    for above in range(depth + 1):
        for place in range(3):
            leaves.paths[leaf, above, place] = thread.path[above, place]
        leaves.movers[leaf, above] = thread.movers[above]
        expect_visits(desk.tree, step_of(thread, above), desk.variants.virtual_loss)


@inline
def recall(desk: SearchContext, leaves: Leaves, leaf: int) -> int:
    """Take a position up again, and the loss back; its depth."""
    depth, thread = int(leaves.depths[leaf]), desk.thread
    thread.state[0] = leaves.states[leaf]
    thread.counts[SIMULATED], thread.counts[FINISHED], thread.counts[WON] = 0, 0, 0
    for above in range(depth + 1):
        for place in range(3):
            thread.path[above, place] = leaves.paths[leaf, above, place]
        thread.movers[above] = leaves.movers[leaf, above]
        expect_visits(desk.tree, step_of(thread, above), -desk.variants.virtual_loss)
    return depth
