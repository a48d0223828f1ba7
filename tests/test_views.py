"""Threads choose among the root's moves by views of their own: nothing is lost, and what they tell is exact."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from hostile import HostileTree
from test_threads import look, threaded

import luozi
from luozi.evaluators.thread_state import PROGRESS_SIZE, KernelLimits
from luozi.search import loop
from luozi.search.context import SearchContext
from luozi.search.tree.children import children_of, root_node, root_sums, root_visits
from luozi.search.tree.locking import CHOSEN, MOST_BUFFERED, MOVES, SHARED_TREES, VIEWED, SharedTree
from luozi.search.tree.pool import FIXED_POINT, VISITS
from luozi.search.tree.reroot import ROOT
from luozi.search.tree.selecting import MEANS, SPREADS, count_visit, lose_some

GAME = luozi.game("tictactoe")
MOVES_AT_FIRST = 9


def sums_of(tree):
    """What all moves of the root have seen: visits, and results of each player."""
    children = children_of(tree, root_node(tree))
    return children.visits.sum(), tree.sums.reshape(-1, tree.players)[children.edge].sum(axis=0)


def assert_all_is_told(engine):
    """Every iteration went through one of the root's moves, and nobody keeps anything to itself."""
    tree = engine.tree
    visits, sums = sums_of(tree)
    assert visits == tree.words[VISITS] == root_visits(tree)
    assert (sums == tree.sums[: tree.players]).all()
    assert (sums == root_sums(tree)).all()
    assert sums.sum() == visits * FIXED_POINT
    for one in (tree, *tree.others):
        assert not one.buffer[[CHOSEN, MOVES, VIEWED]].any()


def uncompiled(iterations, kind=None, told=True, **options):
    """An engine after so many iterations of one thread, uncompiled; what it has seen of the root may stay untold."""
    engine = threaded(GAME, 2, kind, pool_size=5_000, **options)
    engine.thread.root[0] = GAME.new_state()
    limits = KernelLimits(np.zeros(PROGRESS_SIZE, np.int64), iterations, 2**62)
    variants = engine.kernel.variants(0)
    with pytest.MonkeyPatch.context() as patch:
        if not told:
            patch.setattr(type(engine.tree), "flush", lambda tree: None)
        loop.search.py_func(SearchContext(GAME, *engine.components, engine.tree, engine.thread, limits, variants))
    return engine


@pytest.mark.parametrize("kind", [None, HostileTree])
def test_after_a_stop_at_any_moment_the_moves_have_seen_what_the_root_has(kind):
    engine, rng = threaded(GAME, 4, kind), random.Random(1)
    engine.compile()
    iterations = engine.think(GAME.new_state(), iterations=1).iterations  # who finds no move yet values the root itself
    for _ in range(12):
        search = engine.start(GAME.new_state(), seconds=60)
        time.sleep(rng.random() * 0.004)
        search.stop()
        iterations += search.result().iterations
        assert_all_is_told(engine)
        assert int(engine.tree.words[VISITS]) == iterations  # the tree is kept
    assert look(engine) == []


def test_a_root_that_moves_has_nothing_held():
    engine = threaded(GAME, 4)
    start = GAME.begin()
    thought = engine.think(start, iterations=6_000)
    assert_all_is_told(engine)
    following = engine.think(start.play(thought.action), iterations=2_000)
    assert following.reused_visits == thought.best.visits
    assert int(engine.tree.words[VISITS]) == following.reused_visits + 2_000
    again = engine.think(start, iterations=1_000)
    assert again.reused_visits == 6_000
    assert_all_is_told(engine)


def test_a_snapshot_never_shows_more_than_was_done():
    engine = threaded(GAME, 2)
    engine.compile()
    search = engine.start(GAME.new_state(), seconds=60)
    for _ in range(20):
        time.sleep(0.002)
        seen = search.snapshot()
        assert sum(one.visits for one in seen.candidates) <= root_visits(engine.tree) + 2 * MOST_BUFFERED
    search.stop()
    last = search.result()
    assert sum(one.visits for one in last.candidates) == last.iterations
    assert sum(one.visits for one in seen.candidates) <= last.iterations


def test_a_view_begins_when_all_moves_of_the_root_were_tried():
    for iterations in (MOVES_AT_FIRST, MOVES_AT_FIRST + 20):
        engine = uncompiled(iterations, told=False)
        assert engine.tree.buffer[MOVES] == iterations - MOVES_AT_FIRST
        assert sums_of(engine.tree)[0] == MOVES_AT_FIRST
        engine.tree.flush()
        assert_all_is_told(engine)


def test_a_thread_sees_its_own_results_at_once():
    """Its view is what everybody will read when it has told them."""
    engine = uncompiled(MOVES_AT_FIRST + 60, told=False)
    own = engine.tree.root_view.copy()
    engine.tree.flush()
    children = children_of(engine.tree, root_node(engine.tree))
    assert own[SPREADS : SPREADS + MOVES_AT_FIRST] == pytest.approx(children.spread, rel=1e-5)
    assert own[MEANS : MEANS + MOVES_AT_FIRST] == pytest.approx(children.cached[:, 0], abs=1e-5)


def test_a_visit_in_a_view_is_one_more():
    known = np.zeros(2 * MEANS, np.float32)
    known[[SPREADS, MEANS]] = 0.5, 0.75  # four visits, three of them won
    known[[SPREADS + 1, MEANS + 1]] = 0.0, 1e30  # none
    lose_some(known, 0, 2)
    assert known[[SPREADS, MEANS]] == pytest.approx([5**-0.5, 0.6])
    assert known[MEANS + 1] == np.float32(1e30)  # it still comes first
    count_visit(known, 0, np.float32(1.0))
    count_visit(known, 1, np.float32(0.5))
    assert known[[SPREADS, MEANS]] == pytest.approx([6**-0.5, 4 / 6])
    assert known[[SPREADS + 1, MEANS + 1]].tolist() == [1.0, 0.5]


def test_threads_begin_at_different_moves():
    engine = uncompiled(MOVES_AT_FIRST)
    tree, node = engine.tree, root_node(engine.tree)
    tree.floats[children_of(tree, node).at] = 1.0
    for field in (4, 5):
        for _, at, size in children_of(tree, node).places():
            tree.floats[at + field * size] = 0.5  # all are equal
    chosen = [tree.of_thread(number, 3).best_child(node, ROOT, 0, 1.0).edge for number in range(3)]
    assert len(set(chosen)) == 3


@pytest.mark.parametrize("kind", ["plain", "transpositions", "node", "global"])
def test_where_counters_are_not_exact_or_edges_are_locked_there_is_no_view(kind):
    engine = uncompiled(40, SHARED_TREES[kind], told=False)
    assert not engine.tree.buffer[[CHOSEN, MOVES, VIEWED]].any()
    assert sums_of(engine.tree)[0] == 40


@pytest.mark.parametrize("values", [{"selection": "puct"}, {"rave": "fuego"}, {"mcts_solver": "standard"}], ids=str)
def test_other_choosers_look_at_what_everybody_sees(values, monkeypatch):
    def refuse(*about):
        raise AssertionError("a view")

    monkeypatch.setattr(SharedTree, "best_child", refuse)
    engine = uncompiled(60, **values)
    assert sums_of(engine.tree)[0] >= 59  # a new root may be valued before its moves


# A new move ----------------------------------------------------------------------------------------------------------


class WatchedTree(SharedTree):
    """Writes down how a node's last child looks when it is shown: visits, spread and mean."""

    def __init__(self, *given):
        super().__init__(*given)
        self.shown: list[tuple[int, float, float]] = []

    def set_child_count(self, node, count):
        super().set_child_count(node, count)
        last = children_of(self, node)
        self.shown.append((int(last.visits[-1]), float(last.spread[-1]), float(last.cached[-1, 0])))


@pytest.mark.parametrize("loss", [1, 3])
def test_a_new_move_counts_as_visited_and_lost_when_others_see_it(loss):
    engine = uncompiled(60, WatchedTree, virtual_loss=loss)
    assert len(engine.tree.shown) > 50
    for visits, spread, mean in engine.tree.shown:
        assert (visits, mean) == (loss, 0.0)
        assert spread == pytest.approx(loss**-0.5)


def test_a_new_move_is_counted_once():
    """Visits of all moves of the root are its own, and each move's are its children's and the one that made it."""
    tree = uncompiled(200).tree
    root = children_of(tree, root_node(tree))
    assert root.visits.sum() == 200
    for visits, node in zip(root.visits.tolist(), root.node.tolist(), strict=True):
        assert children_of(tree, node).visits.sum() == visits - 1
