"""The search: select, expand, simulate, backpropagate (Browne et al. 2012), until a limit is reached.

What differs from search to search is an object that compiles by its type: the selection policy (`selection/`), the
evaluator of leaves (`evaluators/`) and the solver (`mcts_solver.py`). A search contains only the code that its objects
use: plain UCT is the same loop as the strongest setting. Options inside an object are run-time numbers in `Variants`.
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
from luozi.search.context import SearchContext, edge_at
from luozi.search.expansion import KNOWN, NEW
from luozi.search.tree.locking import MOST_BUFFERED
from luozi.search.tree.pool import Child
from luozi.search.tree.tree import Tree

PORTION = 16  # iterations that a thread takes at a time, where several share a tree
LEAST_SHARE = 32  # a thread flushes when its buffer holds this part of all its iterations: at first one by one
UNLIMITED = 2**62  # edges: with a limit in them all threads flush at once


@kernel
def search(context: SearchContext) -> None:
    """Iterate until a limit is reached, the stop flag is up, or the root is proven."""
    context = each_by_reference(context)
    tree, thread, solver = context.tree, context.thread, context.solver
    searcher = signed(context.game.current_player(thread.root[0]))
    thread.counts[LEFT], thread.counts[UNTOLD] = 0, 0
    while may_start(tree, thread, context.limits):
        # 1. Selection and 2. expansion: the path from the root to a leaf.
        depth = select_leaf(context)
        proven = solver.check_leaf(context, depth, searcher)
        tree.unlock_tree()
        # 3. Simulation, or another evaluation, unless the result is proven.
        if not proven and not evaluate_leaf(context, depth):
            drop_path(context, depth)
            break
        # 4. Backpropagation.
        backpropagate(context, depth)
        if solver.is_finished(tree):
            break
    flush_iterations(tree, thread, context.limits.progress)


# The four steps -----------------------------------------------------------------------------------------------------


@inline
def select_leaf(context: SearchContext) -> int:
    """Go down from the root and expand; return the depth of the leaf. The path is in the thread's record."""
    game, tree, thread, loss = context.game, context.tree, context.thread, context.variants.virtual_loss
    thread.state[0] = thread.root[0]
    thread.counts[SIMULATED], thread.counts[FINISHED], thread.counts[WON] = 0, 0, 0
    state, path = thread.state[0], thread.path
    child, depth, known = Child(0, 0, 1), 0, KNOWN
    path[0, 0], path[0, 1], path[0, 2] = 0, 0, 1
    tree.lock_tree()
    tree.take_edge(child, loss)
    while known == KNOWN and not game.is_terminal(state) and depth < path.shape[0] - 1:
        node = context.selection.enter_node(context, child, depth)
        if node == 0:
            break
        player = signed(game.current_player(state))
        child, known = context.selection.select_child(context, node, child, player)
        if child.edge == 0:  # a full pool, no legal move, or all moves pruned
            break
        depth += 1
        path[depth, 0], path[depth, 1], path[depth, 2] = child.edge, child.at, child.size
        thread.movers[depth] = player
        if known != NEW:  # a new child was taken before others could see it
            tree.take_edge(child, loss)
        game.apply_action(state, np.int64(tree.action_of(child)))  # one type of action everywhere
        if context.solver.stops_at(tree, child):
            break
    return depth


@inline
def evaluate_leaf(context: SearchContext, depth: int) -> bool:
    """Leave the value of a leaf in `thread.credit`; return False if the stop flag came first."""
    tree, thread, variants = context.tree, context.thread, context.variants
    if variants.ownership:
        thread.row[0] = tree.action_of(edge_at(thread, 1)) if depth > 0 else -1
    context.selection.prepare_evaluation(context, depth)
    if not context.evaluator.evaluate(context.game, thread, variants, context.limits.progress):
        return False
    tree.lock_tree()
    context.solver.use_playout(context, depth)
    context.selection.expand_leaf(context, depth)
    tree.unlock_tree()
    return True


@inline
def backpropagate(context: SearchContext, depth: int) -> None:
    """Credit the result of an iteration to its path, and count the iteration."""
    tree, progress = context.tree, context.limits.progress
    tree.lock_tree()
    context.selection.backpropagate(context, depth)
    context.solver.prune(context)
    context.selection.update_statistics(context, depth)
    tree.unlock_tree()
    count_iteration(tree, context.thread, context.limits)
    if depth > progress[DEEPEST]:
        progress[DEEPEST] = depth


@inline
def drop_path(context: SearchContext, depth: int) -> None:
    """Take virtual losses back: no result will come for the path."""
    context.tree.lock_tree()
    for above in range(depth + 1):
        context.tree.drop_edge(edge_at(context.thread, above), context.variants.virtual_loss)
    context.tree.unlock_tree()


# Limits -------------------------------------------------------------------------------------------------------------


@inline
def may_continue(tree: Tree, limits: KernelLimits, waiting: int) -> bool:
    """Return whether no limit is reached, `waiting` more iterations included, and the stop flag is down."""
    done = limits.progress[ITERATIONS] + waiting
    return limits.progress[STOP] == 0 and done < limits.iterations and tree.edges_in_use() < limits.edges


@inline
def may_start(tree: Tree, thread: ThreadState, limits: KernelLimits) -> bool:
    """Return whether one more iteration may start; threads that share a tree take a few at a time."""
    if not tree.is_shared():
        return may_continue(tree, limits, 0)
    if limits.progress[STOP] != 0 or tree.edges_in_use() >= limits.edges:
        return False
    if thread.counts[LEFT] == 0:
        taken = fetch_add(limits.progress, TAKEN, PORTION)
        thread.counts[LEFT] = max(0, min(PORTION, limits.iterations - taken))
    thread.counts[LEFT] -= 1
    return bool(thread.counts[LEFT] >= 0)


@inline
def count_iteration(tree: Tree, thread: ThreadState, limits: KernelLimits) -> None:
    """Count an iteration. Threads that share a tree buffer some: they would wait for each other."""
    thread.counts[DONE] += 1
    if tree.is_shared():
        thread.counts[UNTOLD] += 1
        due = min(MOST_BUFFERED, thread.counts[DONE] // LEAST_SHARE)
        if thread.counts[UNTOLD] >= due or limits.edges < UNLIMITED:
            flush_iterations(tree, thread, limits.progress)
    else:
        limits.progress[ITERATIONS] += 1


@inline
def flush_iterations(tree: Tree, thread: ThreadState, progress: Array) -> None:
    """Add what this thread has buffered."""
    if tree.is_shared():
        fetch_add(progress, ITERATIONS, thread.counts[UNTOLD])
        thread.counts[UNTOLD] = 0
        tree.flush()
