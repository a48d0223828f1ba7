"""Many leaves at once: an iteration that pauses between choosing a leaf and backing up what it is worth.

While leaves wait for their values, the edges to them count as visited and lost (virtual loss: Chaslot, Winands and van
den Herik 2008), so that the next one is chosen elsewhere. Then all of them are valued, by an evaluator of the loop or
by anything else: another program, a network, a GPU.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from luozi.compiled import Array, inline, kernel, signed
from luozi.compiled.references import by_reference
from luozi.evaluators.estimates import credit_results
from luozi.evaluators.thread import FINISHED, SIMULATED, WON, Limits, Thread
from luozi.evaluators.variants import Variants
from luozi.rules import Game
from luozi.search.loop import conclude, descend, may_go_on, value_leaf
from luozi.search.path import step_of
from luozi.search.tree import Notes, Tree, expect_visits


class Leaves(NamedTuple):
    """Positions that wait for their values, each with the way to it."""

    states: Array  # [K] positions
    paths: Array  # [K, max_length + 2, 3] i8: as `Thread.path`
    movers: Array  # [K, max_length + 2] i8: as `Thread.movers`
    depths: Array  # [K] i8
    values: Array  # [K, players] f8: what each is worth, if somebody else says so
    chances: Array  # [K, actions] f8: and the priors of its moves


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
    )


@kernel
def search_in_batches(
    game: Any,
    chooser: Any,
    evaluator: Any,
    prover: Any,
    tree: Tree,
    notes: Notes,
    thread: Thread,
    limits: Limits,
    settings: Any,
    leaves: Leaves,
) -> None:
    """The same as `search`, with several leaves chosen before the first of them is valued."""
    game, chooser, evaluator, prover = (
        by_reference(game),
        by_reference(chooser),
        by_reference(evaluator),
        by_reference(prover),
    )
    tree, notes, thread = by_reference(tree), by_reference(notes), by_reference(thread)
    progress, variants = limits.progress, settings[0]
    while may_go_on(tree, limits, 0):
        count = gather(game, chooser, prover, tree, notes, thread, limits, variants, leaves)
        valued = True
        for leaf in range(count):
            depth = recall(tree, thread, variants, leaves, leaf)
            valued = valued and value_leaf(
                game, chooser, evaluator, prover, tree, notes, thread, variants, progress, depth
            )
            if valued:  # what the stop flag cut off counts for nothing
                conclude(game, chooser, prover, tree, notes, thread, variants, progress, depth)
        if prover.is_done(notes):
            break


@kernel
def choose_leaves(
    game: Any,
    chooser: Any,
    prover: Any,
    tree: Tree,
    notes: Notes,
    thread: Thread,
    limits: Limits,
    settings: Any,
    leaves: Leaves,
) -> int:
    """Choose leaves for somebody else to value; how many. None: a limit is reached, or the root is proven."""
    game, chooser, prover = by_reference(game), by_reference(chooser), by_reference(prover)
    tree, notes, thread = by_reference(tree), by_reference(notes), by_reference(thread)
    while may_go_on(tree, limits, 0) and not prover.is_done(notes):
        count = gather(game, chooser, prover, tree, notes, thread, limits, settings[0], leaves)
        if count > 0:
            return count
    return 0


@kernel
def credit_leaves(
    game: Any,
    chooser: Any,
    prover: Any,
    tree: Tree,
    notes: Notes,
    thread: Thread,
    limits: Limits,
    settings: Any,
    leaves: Leaves,
    count: int,
    valued: bool,
) -> None:
    """Back up what the first leaves are worth; without values, only forget that they were waiting."""
    game, chooser, prover = by_reference(game), by_reference(chooser), by_reference(prover)
    tree, notes, thread = by_reference(tree), by_reference(notes), by_reference(thread)
    variants = settings[0]
    for leaf in range(count):
        depth = recall(tree, thread, variants, leaves, leaf)
        if valued:
            if game.is_terminal(thread.state[0]):
                game.returns(thread.state[0], thread.results)
            else:
                for player in range(game.players):
                    thread.results[player] = leaves.values[leaf, player]
                for action in range(game.actions):
                    thread.chances[action] = leaves.chances[leaf, action]
            credit_results(thread)
            chooser.grow(game, tree, notes, thread, variants, limits.progress, depth)
            conclude(game, chooser, prover, tree, notes, thread, variants, limits.progress, depth)


@inline
def gather(
    game: Any,
    chooser: Any,
    prover: Any,
    tree: Tree,
    notes: Notes,
    thread: Thread,
    limits: Limits,
    variants: Variants,
    leaves: Leaves,
) -> int:
    """Choose leaves until there is room for no more, or one comes up again; what is certain is backed up at once."""
    progress, count = limits.progress, 0
    searcher = signed(game.current_player(thread.root[0]))
    while count < leaves.depths.shape[0] and may_go_on(tree, limits, count):
        depth = descend(game, chooser, prover, tree, notes, thread, variants, progress)
        if prover.is_certain(game, tree, notes, thread, variants, depth, searcher):
            conclude(game, chooser, prover, tree, notes, thread, variants, progress, depth)
            if prover.is_done(notes):
                break
        elif count > 0 and chooser.awaits(tree, step_of(thread, depth)):
            break
        else:
            remember(tree, thread, variants, leaves, count, depth)
            count += 1
    return count


@inline
def remember(tree: Tree, thread: Thread, variants: Variants, leaves: Leaves, leaf: int, depth: int) -> None:
    """Put the position that the thread is at aside, and let its path count as lost."""
    leaves.states[leaf], leaves.depths[leaf] = thread.state[0], depth
    for above in range(depth + 1):
        for place in range(3):
            leaves.paths[leaf, above, place] = thread.path[above, place]
        leaves.movers[leaf, above] = thread.movers[above]
        expect_visits(tree, step_of(thread, above), variants.virtual_loss)


@inline
def recall(tree: Tree, thread: Thread, variants: Variants, leaves: Leaves, leaf: int) -> int:
    """Take a position up again, and the loss back; its depth."""
    depth = int(leaves.depths[leaf])
    thread.state[0] = leaves.states[leaf]
    thread.counts[SIMULATED], thread.counts[FINISHED], thread.counts[WON] = 0, 0, 0
    for above in range(depth + 1):
        for place in range(3):
            thread.path[above, place] = leaves.paths[leaf, above, place]
        thread.movers[above] = leaves.movers[leaf, above]
        expect_visits(tree, step_of(thread, above), -variants.virtual_loss)
    return depth
