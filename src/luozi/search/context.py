"""All that a thread has before it while it searches: the game, the parts of the search, the tree, the limits."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from luozi.compiled import Array
from luozi.evaluators.thread_state import KernelLimits, ThreadState
from luozi.evaluators.variants import Variants
from luozi.search.tree import Child, SideTables, Tree


class SelectionPolicy(Protocol):
    """How a child is chosen."""

    takes_priors: bool  # from an evaluator, with the value of a position

    def choose(self, desk: SearchContext, node: int, above: Child, player: int) -> tuple[Child, int]: ...
    def enter(self, desk: SearchContext, child: Child, depth: int) -> int: ...
    def remind(self, desk: SearchContext, depth: int) -> None: ...
    def grow(self, desk: SearchContext, depth: int) -> None: ...
    def awaits(self, tree: Tree, child: Child) -> bool: ...
    def back_up(self, desk: SearchContext, depth: int) -> None: ...
    def learn(self, desk: SearchContext, depth: int) -> None: ...


class LeafEvaluator(Protocol):
    """What a leaf is worth."""

    def new_memory(self) -> Array: ...
    def evaluate(self, game: Any, thread: ThreadState, variants: Variants, progress: Array) -> bool: ...


class Prover(Protocol):
    """What is certain."""

    def ends_at(self, notes: SideTables, child: Child) -> bool: ...
    def is_certain(self, desk: SearchContext, depth: int, searcher: int) -> bool: ...
    def look(self, desk: SearchContext, depth: int) -> None: ...
    def conclude(self, desk: SearchContext) -> None: ...
    def is_done(self, notes: SideTables) -> bool: ...


class SearchContext(NamedTuple):
    """What every verb of the loop is given. Only the tree, its notes and the thread's record are written."""

    game: Any  # in the learning of line games it is one of these
    chooser: SelectionPolicy
    evaluator: LeafEvaluator
    prover: Prover
    tree: Tree
    notes: SideTables
    thread: ThreadState
    limits: KernelLimits
    variants: Variants  # what is switched inside the parts
