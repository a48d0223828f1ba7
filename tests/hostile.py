"""Trees that often give the processor away around a publication, so that other threads come in between."""

from __future__ import annotations

from typing import Any

import numpy as np

import luozi
from luozi.compiled import random_below
from luozi.compiled.atomics import give_way
from luozi.search.tree.locking import EdgeLockTree, SharedTree
from luozi.search.tree.pool import MEAN
from luozi.search.tree.tree import Tree


class HostileTree(SharedTree):
    """Without locks."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.dice = np.ones(1, np.uint64)  # all threads throw them; what a race does to them is chance too

    def pause(self) -> None:
        if random_below(self.dice, 2) == 0:
            give_way()


class HostileEdgeLockTree(EdgeLockTree):
    """With transpositions."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.dice = np.ones(1, np.uint64)

    def pause(self) -> None:
        if random_below(self.dice, 2) == 0:
            give_way()


def use_tree(engine: luozi.Engine, kind: type[Tree]) -> None:
    """Let an engine search an empty tree of another kind, as large as its own."""
    old = engine.tree
    edges = len(old.words) // (MEAN + old.players)
    engine.tree = engine.memory.tree = kind(edges, old.players, old.actions, engine.options.variants(0))
