"""Threads that share a tree ask for what they are going to write, and take a new move before anybody sees it."""

from __future__ import annotations

import numpy as np
import pytest
from hostile import use_tree

import luozi
from luozi.evaluators.thread_state import PROGRESS_SIZE, KernelLimits
from luozi.search import loop
from luozi.search.context import SearchContext
from luozi.search.tree import locking
from luozi.search.tree.children import children_of, root_node
from luozi.search.tree.locking import SharedTree
from luozi.search.tree.pool import CHILDREN, LOCK, MEAN, SEGMENTS, SPREAD, VISITS, Child


class Watched(SharedTree):
    """Writes down what is asked for, and how a node's last child looks when it is shown."""

    def __init__(self, *given) -> None:
        super().__init__(*given)
        self.asked: list[tuple[int, int]] = []  # arrays by identity, places
        self.shown: list[tuple[int, float, float]] = []  # visits, spread, mean

    def publish(self, array, place, value):
        super().publish(array, place, value)
        node = int(place) - CHILDREN
        if node % (SEGMENTS + self.levels) == 0:
            last = children_of(self, node)
            at, size = int(last.at[-1]), int(last.size[-1])
            words, floats = self.words, self.floats
            self.shown.append((int(words[at + VISITS * size]), float(floats[at]), float(floats[at + MEAN * size])))


def searched(monkeypatch: pytest.MonkeyPatch, iterations: int, **options: object) -> tuple[Watched, luozi.Engine]:
    """An engine whose tree is watched, after so many iterations of one thread, uncompiled."""
    game = luozi.game("tictactoe")
    engine = luozi.Engine(game, seed=1, threads=2, pool_size=5_000, **options)
    use_tree(engine, Watched)
    engine.thread.root[0] = game.new_state()
    limits = KernelLimits(np.zeros(PROGRESS_SIZE, np.int64), iterations, 2**62)
    variants = engine.kernel.variants(0)
    monkeypatch.setattr(
        locking, "fetch_for_write", lambda array, place: engine.tree.asked.append((array.ctypes.data, int(place)))
    )
    loop.search.py_func(SearchContext(game, *engine.components, engine.tree, engine.thread, limits, variants))
    return engine.tree, engine


@pytest.mark.parametrize("loss", [1, 3])
def test_a_new_move_counts_as_visited_and_lost_when_others_see_it(loss, monkeypatch):
    access, _ = searched(monkeypatch, 60, virtual_loss=loss)
    assert len(access.shown) > 50
    for visits, spread, mean in access.shown:
        assert (visits, mean) == (loss, 0.0)
        assert spread == pytest.approx(loss**-0.5)


def test_a_new_move_is_counted_once(monkeypatch):
    """Visits of all moves of the root are its own, and each move's are its children's and the one that made it."""
    _, engine = searched(monkeypatch, 200)
    tree = engine.tree
    root = children_of(tree, root_node(tree))
    assert root.visits.sum() == 200
    for visits, node in zip(root.visits.tolist(), root.node.tolist(), strict=True):
        assert children_of(tree, node).visits.sum() == visits - 1


def test_all_that_is_written_of_an_edge_is_asked_for_before(monkeypatch):
    access, engine = searched(monkeypatch, 100)
    tree = engine.tree
    child = Child(*children_of(tree, root_node(tree)).places()[5])
    access.asked.clear()
    tree.fetch_child(child)
    words = {place for array, place in access.asked if array == tree.words.ctypes.data}
    assert words == {child.at + field * child.size for field in (SPREAD, VISITS, MEAN, MEAN + 1)}
    assert (tree.sums.ctypes.data, child.edge * 2) in access.asked
    assert (tree.nodes.ctypes.data, tree.node_of(child) + LOCK) in access.asked


def test_where_the_next_move_will_lie_is_asked_for_and_nothing_for_a_node_with_all_moves(monkeypatch):
    access, engine = searched(
        monkeypatch, 6
    )  # the root has six moves of nine: one segment of four is full, the next one there
    tree, root = engine.tree, root_node(engine.tree)
    access.asked.clear()
    tree.fetch_next_child(root)
    first = int(tree.nodes[root + SEGMENTS + 1])
    at, size = first * (MEAN + 2) + 2, 5
    words = {place for array, place in access.asked if array == tree.words.ctypes.data}
    assert words == {at + field * size for field in range(MEAN + 2)}
    access, engine = searched(monkeypatch, 9)
    access.asked.clear()
    engine.tree.fetch_next_child(root_node(engine.tree))
    assert access.asked == []
