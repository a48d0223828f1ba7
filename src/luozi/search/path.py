"""The path of an iteration: the edges from the root down to the position it came to."""

from __future__ import annotations

from luozi.compiled import inline, signed
from luozi.evaluators.thread_state import ThreadState
from luozi.search.tree import Child


@inline
def step_of(thread: ThreadState, depth: int) -> Child:
    """The edge so far down the path; 0 is the root's own."""
    return Child(signed(thread.path[depth, 0]), signed(thread.path[depth, 1]), signed(thread.path[depth, 2]))
