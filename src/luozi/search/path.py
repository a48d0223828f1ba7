"""The path of an iteration: the edges from the root down to the position it came to."""

from __future__ import annotations

from luozi.compiled import apart, inline, signed
from luozi.evaluators.thread_state import RECENT, ThreadState
from luozi.search.tree import Child, Tree, action_of


@inline
def step_of(thread: ThreadState, depth: int) -> Child:
    """The edge so far down the path; 0 is the root's own."""
    return Child(signed(thread.path[depth, 0]), signed(thread.path[depth, 1]), signed(thread.path[depth, 2]))


@apart
def recall_moves(tree: Tree, thread: ThreadState, depth: int) -> None:
    """Write the last actions into `thread.recent`, the newest first: those of the path, then those before the root."""
    for back in range(RECENT):
        if back < depth:
            thread.recent[back] = action_of(tree, step_of(thread, depth - back))
        else:
            thread.recent[back] = thread.before[back - depth]
