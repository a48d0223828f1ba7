"""The arguments of every function of the search loop, and the components that differ from search to search."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from luozi.compiled import Array, Compilable, apart, inline, signed
from luozi.evaluators.thread_state import RECENT, KernelLimits, ThreadState
from luozi.evaluators.variants import Variants
from luozi.search.tree.pool import Child
from luozi.search.tree.tree import Tree


class SearchContext(NamedTuple):
    """Hold the arguments of every function of the search loop.

    Only the tree, the thread and the progress in `limits` are modified.
    """

    game: Any  # a Game; in self-play of line games a class of its own
    selection: SelectionPolicy
    evaluator: LeafEvaluator
    solver: NoSolver
    tree: Tree
    thread: ThreadState
    limits: KernelLimits
    variants: Variants  # what is switched inside the components


class SelectionPolicy(Compilable):
    """How a child is selected, and what its statistics are. The loop calls these methods in this order."""

    takes_priors = False  # from an evaluator, with the value of a position
    entry_points: tuple[str, ...] = (
        *("enter_node", "select_child", "is_waiting", "prepare_evaluation", "expand_leaf", "backpropagate"),
        "update_statistics",
    )

    def enter_node(self, context: SearchContext, child: Child, depth: int) -> int:
        """Return the node below the last edge of the path, made if need be; 0 if there is none."""
        raise NotImplementedError

    def select_child(self, context: SearchContext, node: int, above: Child, player: int) -> tuple[Child, int]:
        """Return the child of a node to go to, and KNOWN, UNTRIED or NEW (see `expansion.py`)."""
        raise NotImplementedError

    def terms(self, context: SearchContext, above: Child, player: int, child: Child) -> dict[str, float]:
        """Return the terms of a child's score, and the score; for people, so it is never compiled."""
        raise NotImplementedError

    def is_waiting(self, tree: Tree, child: Child) -> bool:
        """Return whether the node below an edge waits for priors."""
        return False

    def prepare_evaluation(self, context: SearchContext, depth: int) -> None:
        """Write what the evaluator reads beside the position of a leaf."""

    def expand_leaf(self, context: SearchContext, depth: int) -> None:
        """Make a leaf's node where its value came with priors."""

    def backpropagate(self, context: SearchContext, depth: int) -> None:
        """Credit the result of an iteration to its path."""
        raise NotImplementedError

    def update_statistics(self, context: SearchContext, depth: int) -> None:
        """Update other statistics of moves by an iteration."""


class LeafEvaluator(Protocol):
    """Evaluate a leaf."""

    def new_memory(self) -> Array: ...
    def evaluate(self, game: Any, thread: ThreadState, variants: Variants, progress: Array) -> bool: ...


class NoSolver(Compilable):
    """Prove nothing and prune nothing; `MctsSolver` does. The loop calls these methods in this order."""

    entry_points = ("stops_at", "check_leaf", "use_playout", "prune", "is_finished")

    def stops_at(self, tree: Tree, child: Child) -> bool:
        """Return whether selection stops below an edge, because its result is proven."""
        return False

    def check_leaf(self, context: SearchContext, depth: int, searcher: int) -> bool:
        """Return whether the result of a leaf is proven; it is in `thread.credit` then."""
        return False

    def use_playout(self, context: SearchContext, depth: int) -> None:
        """Use what the evaluation of a leaf has proven."""

    def prune(self, context: SearchContext) -> None:
        """Prune the other moves beside a win, after backpropagation."""

    def is_finished(self, tree: Tree) -> bool:
        """Return whether nothing is left to prove."""
        return False


@inline
def edge_at(thread: ThreadState, depth: int) -> Child:
    """Return the edge of the path at a depth; 0 is the root's own."""
    return Child(signed(thread.path[depth, 0]), signed(thread.path[depth, 1]), signed(thread.path[depth, 2]))


@apart
def recall_moves(tree: Tree, thread: ThreadState, depth: int) -> None:
    """Write the last actions into `thread.recent`, the newest first: those of the path, then those before the root."""
    for back in range(RECENT):
        if back < depth:
            thread.recent[back] = tree.action_of(edge_at(thread, depth - back))
        else:
            thread.recent[back] = thread.before[back - depth]
