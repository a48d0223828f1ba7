"""Plain UCT (Kocsis and Szepesvari 2006): moves that were not tried first, then the best mean + k sqrt(ln N / n)."""

from __future__ import annotations

import math

from luozi.compiled import float32
from luozi.compiled.random import random_below
from luozi.evaluators.thread_state import FULL
from luozi.search.backpropagation import credit_path
from luozi.search.context import SearchContext, SelectionPolicy
from luozi.search.expansion import KNOWN, NEW, UNTRIED, expand, root_of_log
from luozi.search.tree.pool import STRIDES, Child


class Uct(SelectionPolicy):
    """Plain UCT: children are made one by one."""

    def enter_node(self, context: SearchContext, child: Child, depth: int) -> int:
        tree = context.tree
        node = tree.node_of(child)
        if node == 0:
            node = tree.new_node(random_below(context.thread.rng, STRIDES * tree.actions))
            if node == 0:
                context.limits.progress[FULL] = 1
                return 0
            node = tree.attach(child, node)
        return node

    def select_child(self, context: SearchContext, node: int, above: Child, player: int) -> tuple[Child, int]:
        tree = context.tree
        if tree.tried_of(node) < tree.actions:
            child = expand(context, node, False)
            if child.edge != 0:
                return child, NEW
        if tree.child_count(node) == 0:  # a full pool, or no legal move
            return Child(0, 0, 1), KNOWN
        explore = float32(context.variants.weight) * root_of_log(context.thread, tree.visits_of(above))
        child = tree.best_child(node, above, player, explore)
        tree.fetch_child(child)
        return child, KNOWN if tree.visits_of(child) > 0 else UNTRIED

    def terms(self, context: SearchContext, above: Child, player: int, child: Child) -> dict[str, float]:
        """Return the terms of a child's score, and the score; for people, so it is never compiled."""
        tree = context.tree
        if not tree.visits_of(child):
            return {}
        explore = float(context.variants.weight * root_of_log(context.thread, tree.visits_of(above)))
        mean, bonus = tree.mean_of(child, player), explore / math.sqrt(tree.visits_of(child))
        return {"mean": mean, "exploration": bonus, "score": mean + bonus}

    def backpropagate(self, context: SearchContext, depth: int) -> None:
        credit_path(context, depth)
