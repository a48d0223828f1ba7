"""The search itself. It really is a loop of four verbs: select, expand, evaluate, back up.

What differs is handed in as objects that compile by their types: how a child is chosen (`choosers`), what a leaf is
worth (`evaluators`) and what is certain (`proving`). A shape of search contains only what its parts use: plain UCT is
the same loop as the strongest setting. What can be switched inside a part is a run-time number in `Variants`.
"""

from __future__ import annotations

import numpy as np

from luozi.compiled import Array, inline, kernel, signed
from luozi.compiled.atomics import fetch_add
from luozi.compiled.references import each_by_reference
from luozi.evaluators.thread_state import (
    DEEPEST,
    DONE,
    FINISHED,
    ITERATIONS,
    LEFT,
    SIMULATED,
    STOP,
    TAKEN,
    UNTOLD,
    WON,
    KernelLimits,
    ThreadState,
)
from luozi.search.context import SearchContext
from luozi.search.expansion import KNOWN, NEW
from luozi.search.path import step_of
from luozi.search.tree import (
    MOST_UNTOLD,
    Child,
    Tree,
    action_of,
    drop_edge,
    edges_in_use,
    enter_tree,
    is_shared,
    leave_tree,
    take_edge,
    tell,
)

PORTION = 16  # iterations that a thread begins at a time, where several share a tree
LEAST_SHARE = 32  # iterations are told when they are this part of all that a thread has done: at first one by one
UNLIMITED = 2**62  # edges: whoever has a limit in them wants to know them at once


@kernel
def search(desk: SearchContext) -> None:
    """Iterate until a limit is reached, the stop flag is up, or the root is proven."""
    desk = each_by_reference(desk)
    tree, thread, prover = desk.tree, desk.thread, desk.prover
    searcher = signed(desk.game.current_player(thread.root[0]))
    thread.counts[LEFT], thread.counts[UNTOLD] = 0, 0
    while may_begin(tree, thread, desk.limits):
        depth = descend(desk)
        certain = prover.is_certain(desk, depth, searcher)
        leave_tree(tree)
        if not certain and not value_leaf(desk, depth):
            drop_path(desk, depth)
            break
        conclude(desk, depth)
        if prover.is_done(desk.notes):
            break
    tell_iterations(tree, thread, desk.limits.progress)


@inline
def may_go_on(tree: Tree, limits: KernelLimits, waiting: int) -> bool:
    """Whether no limit has been reached, by so many iterations more either, and the stop flag is down."""
    done = limits.progress[ITERATIONS] + waiting
    return limits.progress[STOP] == 0 and done < limits.iterations and edges_in_use(tree) < limits.edges


@inline
def may_begin(tree: Tree, thread: ThreadState, limits: KernelLimits) -> bool:
    """Whether one more iteration may begin; where threads share the tree, each takes a few from what is left."""
    if not is_shared(tree):
        return may_go_on(tree, limits, 0)
    if limits.progress[STOP] != 0 or edges_in_use(tree) >= limits.edges:
        return False
    if thread.counts[LEFT] == 0:
        taken = fetch_add(limits.progress, TAKEN, PORTION)
        thread.counts[LEFT] = max(0, min(PORTION, limits.iterations - taken))
    thread.counts[LEFT] -= 1
    return bool(thread.counts[LEFT] >= 0)


@inline
def count_iteration(tree: Tree, thread: ThreadState, limits: KernelLimits) -> None:
    """One iteration is done. Threads that share a tree tell it some at a time: they would wait for each other."""
    thread.counts[DONE] += 1
    if is_shared(tree):
        thread.counts[UNTOLD] += 1
        due = min(MOST_UNTOLD, thread.counts[DONE] // LEAST_SHARE)
        if thread.counts[UNTOLD] >= due or limits.edges < UNLIMITED:
            tell_iterations(tree, thread, limits.progress)
    else:
        limits.progress[ITERATIONS] += 1


@inline
def tell_iterations(tree: Tree, thread: ThreadState, progress: Array) -> None:
    """Add what this thread has not told yet."""
    if is_shared(tree):
        fetch_add(progress, ITERATIONS, thread.counts[UNTOLD])
        thread.counts[UNTOLD] = 0
        tell(tree)


@inline
def drop_path(desk: SearchContext, depth: int) -> None:
    """No result will come for the way down."""
    enter_tree(desk.tree)
    for above in range(depth + 1):
        drop_edge(desk.tree, desk.notes, step_of(desk.thread, above), desk.variants.virtual_loss)
    leave_tree(desk.tree)


@inline
def value_leaf(desk: SearchContext, depth: int) -> bool:
    """Leave what a leaf is worth in `thread.credit`; False if the stop flag came first."""
    thread, variants = desk.thread, desk.variants
    if variants.ownership:
        thread.row[0] = action_of(desk.tree, step_of(thread, 1)) if depth > 0 else -1
    desk.chooser.remind(desk, depth)
    if not desk.evaluator.evaluate(desk.game, thread, variants, desk.limits.progress):
        return False
    enter_tree(desk.tree)
    desk.prover.look(desk, depth)
    desk.chooser.grow(desk, depth)
    leave_tree(desk.tree)
    return True


@inline
def conclude(desk: SearchContext, depth: int) -> None:
    """Back up what an iteration found, and count it."""
    progress = desk.limits.progress
    enter_tree(desk.tree)
    desk.chooser.back_up(desk, depth)
    desk.prover.conclude(desk)
    desk.chooser.learn(desk, depth)
    leave_tree(desk.tree)
    count_iteration(desk.tree, desk.thread, desk.limits)
    if depth > progress[DEEPEST]:
        progress[DEEPEST] = depth


@inline
def descend(desk: SearchContext) -> int:
    """Select down the tree and expand it; return the depth reached. The path is left in the thread's record."""
    game, tree, notes, thread, loss = desk.game, desk.tree, desk.notes, desk.thread, desk.variants.virtual_loss
    thread.state[0] = thread.root[0]
    thread.counts[SIMULATED], thread.counts[FINISHED], thread.counts[WON] = 0, 0, 0
    state, path = thread.state[0], thread.path
    child, depth, fresh = Child(0, 0, 1), 0, KNOWN
    path[0, 0], path[0, 1], path[0, 2] = 0, 0, 1
    enter_tree(tree)
    take_edge(tree, notes, child, loss)
    while fresh == KNOWN and not game.is_terminal(state) and depth < path.shape[0] - 1:
        node = desk.chooser.enter(desk, child, depth)
        if node == 0:
            break
        player = signed(game.current_player(state))
        child, fresh = desk.chooser.choose(desk, node, child, player)
        if child.edge == 0:  # a full pool, no legal move, or all moves cut
            break
        depth += 1
        path[depth, 0], path[depth, 1], path[depth, 2] = child.edge, child.at, child.size
        thread.movers[depth] = player
        if fresh != NEW:
            take_edge(tree, notes, child, loss)
        game.apply_action(state, np.int64(action_of(tree, child)))  # one type of action everywhere
        if desk.prover.ends_at(notes, child):
            break
    return depth
