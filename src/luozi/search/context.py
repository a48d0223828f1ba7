"""All that a thread has before it while it searches: the game, the parts of the search, the tree, the limits."""

from __future__ import annotations

from typing import Any, NamedTuple

from luozi.evaluators.thread_state import KernelLimits, ThreadState
from luozi.evaluators.variants import Variants
from luozi.search.tree import SideTables, Tree


class SearchContext(NamedTuple):
    """What every verb of the loop is given. Only the tree, its notes and the thread's record are written."""

    game: Any
    chooser: Any  # how a child is chosen
    evaluator: Any  # what a leaf is worth
    prover: Any  # what is certain
    tree: Tree
    notes: SideTables
    thread: ThreadState
    limits: KernelLimits
    variants: Variants  # what is switched inside the parts
