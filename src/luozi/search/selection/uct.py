"""Plain UCT (Kocsis and Szepesvari 2006): moves that were not tried first, then the best mean + k sqrt(ln N / n)."""

from __future__ import annotations

import math

from luozi.compiled import Compilable, float32
from luozi.compiled.random import random_below
from luozi.evaluators.thread_state import FULL
from luozi.search.backpropagation import back_up_plainly
from luozi.search.context import SearchContext
from luozi.search.expansion import KNOWN, NEW, UNTRIED, expand, root_of_log
from luozi.search.tree import (
    STRIDES,
    Child,
    Tree,
    attach,
    best_child_at,
    child_count,
    fetch_child,
    mean_of,
    new_node,
    node_of,
    tried_of,
    visits_of,
)


class Uct(Compilable):
    """Children are made one by one; what else is known of moves is not looked at."""

    takes_priors = False  # from an evaluator, with the value of a position
    entry_points: tuple[str, ...] = ("enter", "choose", "remind", "grow", "awaits", "back_up", "learn")

    def enter(self, desk: SearchContext, child: Child, depth: int) -> int:
        tree = desk.tree
        node = node_of(tree, child)
        if node == 0:
            node = new_node(tree, random_below(desk.thread.rng, STRIDES * tree.actions))
            if node == 0:
                desk.limits.progress[FULL] = 1
                return 0
            node = attach(tree, child, node)
        return node

    def choose(self, desk: SearchContext, node: int, above: Child, player: int) -> tuple[Child, int]:
        tree = desk.tree
        if tried_of(tree, node) < tree.actions:
            child = expand(desk, node, False)
            if child.edge != 0:
                return child, NEW
        if child_count(tree, node) == 0:  # a full pool, or no legal move
            return Child(0, 0, 1), KNOWN
        explore = float32(desk.variants.weight) * root_of_log(desk.thread, visits_of(tree, above))
        child = best_child_at(tree, node, above, player, explore)
        fetch_child(tree, child)
        return child, KNOWN if visits_of(tree, child) > 0 else UNTRIED

    def terms(self, desk: SearchContext, above: Child, player: int, child: Child) -> dict[str, float]:
        """What the score of a child is made of, and the score; for people, so it is never compiled."""
        tree = desk.tree
        if not visits_of(tree, child):
            return {}
        explore = float(desk.variants.weight * root_of_log(desk.thread, visits_of(tree, above)))
        mean, bonus = mean_of(tree, child, player), explore / math.sqrt(visits_of(tree, child))
        return {"mean": mean, "exploration": bonus, "score": mean + bonus}

    def remind(self, desk: SearchContext, depth: int) -> None:
        pass

    def grow(self, desk: SearchContext, depth: int) -> None:
        pass

    def awaits(self, tree: Tree, child: Child) -> bool:
        return False

    def back_up(self, desk: SearchContext, depth: int) -> None:
        back_up_plainly(desk, depth)

    def learn(self, desk: SearchContext, depth: int) -> None:
        pass
