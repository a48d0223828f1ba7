"""Threads that share a tree ask for what they are going to write, and take a new move before anybody sees it."""

from __future__ import annotations

import numpy as np
import pytest

import luozi
from luozi.evaluators.thread_state import PROGRESS_SIZE, KernelLimits
from luozi.search import loop
from luozi.search.context import SearchContext
from luozi.search.tree import Child, children_of, fetch_child, fetch_next_child, node_of, root_node
from luozi.search.tree.locking import Free
from luozi.search.tree.pool import CHILDREN, LOCK, MEAN, SEGMENTS, SPREAD, VISITS


class Watched(Free):
    """Writes down what is asked for, and how a node's last child looks when it is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[int, int]] = []  # arrays by identity, places
        self.shown: list[tuple[int, float, float]] = []  # visits, spread, mean
        self.tree = None

    def fetch(self, array, place):
        self.asked.append((array.ctypes.data, int(place)))

    def publish(self, array, place, value):
        super().publish(array, place, value)
        node = int(place) - CHILDREN
        if self.tree is not None and node % (SEGMENTS + self.tree.levels) == 0:
            last = children_of(self.tree, node)
            at, size = int(last.at[-1]), int(last.size[-1])
            words, floats = self.tree.words, self.tree.floats
            self.shown.append((int(words[at + VISITS * size]), float(floats[at]), float(floats[at + MEAN * size])))


def searched(iterations: int, **options: object) -> tuple[Watched, luozi.Engine]:
    """An engine whose tree is watched, after so many iterations of one thread, uncompiled."""
    game = luozi.game("tictactoe")
    engine = luozi.Engine(game, seed=1, threads=2, pool_size=5_000, **options)
    access = Watched()
    engine.tree = engine.memory.tree = access.tree = engine.memory.tree._replace(access=access)
    engine.thread.root[0] = game.new_state()
    limits = KernelLimits(np.zeros(PROGRESS_SIZE, np.int64), iterations, 2**62)
    variants = engine.kernel.variants(0)
    loop.search.py_func(SearchContext(game, *engine.shape, engine.tree, engine.notes, engine.thread, limits, variants))
    return access, engine


@pytest.mark.parametrize("loss", [1, 3])
def test_a_new_move_counts_as_visited_and_lost_when_others_see_it(loss):
    access, _ = searched(60, virtual_loss=loss)
    assert len(access.shown) > 50
    for visits, spread, mean in access.shown:
        assert (visits, mean) == (loss, 0.0)
        assert spread == pytest.approx(loss**-0.5)


def test_a_new_move_is_counted_once():
    """Visits of all moves of the root are its own, and each move's are its children's and the one that made it."""
    _, engine = searched(200)
    tree = engine.tree
    root = children_of(tree, root_node(tree))
    assert root.visits.sum() == 200
    for visits, node in zip(root.visits.tolist(), root.node.tolist(), strict=True):
        assert children_of(tree, node).visits.sum() == visits - 1


def test_all_that_is_written_of_an_edge_is_asked_for_before():
    access, engine = searched(100)
    tree = engine.tree
    child = Child(*children_of(tree, root_node(tree)).places()[5])
    access.asked.clear()
    fetch_child(tree, child)
    words = {place for array, place in access.asked if array == tree.words.ctypes.data}
    assert words == {child.at + field * child.size for field in (SPREAD, VISITS, MEAN, MEAN + 1)}
    assert (tree.sums.ctypes.data, child.edge * 2) in access.asked
    assert (tree.nodes.ctypes.data, node_of(tree, child) + LOCK) in access.asked


def test_where_the_next_move_will_lie_is_asked_for_and_nothing_for_a_node_with_all_moves():
    access, engine = searched(6)  # the root has six moves of nine: one segment of four is full, the next one there
    tree, root = engine.tree, root_node(engine.tree)
    access.asked.clear()
    fetch_next_child(tree, root)
    first = int(tree.nodes[root + SEGMENTS + 1])
    at, size = first * (MEAN + 2) + 2, 5
    words = {place for array, place in access.asked if array == tree.words.ctypes.data}
    assert words == {at + field * size for field in range(MEAN + 2)}
    access, engine = searched(9)
    access.asked.clear()
    fetch_next_child(engine.tree, root_node(engine.tree))
    assert access.asked == []
