"""Ways to search with several threads: what root and leaf parallelism add up to, and equal positions in one tree."""

from __future__ import annotations

import copy
import threading
import time

import numpy as np
import pytest
from auditing import problems_of
from test_threads import look

import luozi
from luozi.rules import checked
from luozi.search.options import Options
from luozi.search.ready_engine import small_engine
from luozi.search.root_moves import RootMoves, merged
from luozi.search.tree.children import children_of, root_node, root_visits
from luozi.search.tree.pool import CUT, PROVEN

GAME = luozi.game("tictactoe")
START = GAME.new_state()


def engine_of(parallel, threads=4, **values):
    return luozi.Engine(GAME, **{"seed": 1, "threads": threads, "parallel": parallel, "pool_size": 200_000, **values})


def trees_of(engine):
    """Engines of one tree each, for checks that look at one."""
    for memory in engine.forest.memories:
        one = copy.copy(engine)
        one.memory, one.tree = memory, memory.tree
        yield one


def at_leaves(problem):
    """Where all threads simulate from a new leaf, it has so many visits of its own, and not one."""
    return "visits below of" in problem


# What several roots say ----------------------------------------------------------------------------------------------


def root_of(*rows, all_tried=False):
    """Moves as one tree knows them: action, visits, mean of the first player, marks, a proven result."""
    action, visits, mean, marks, result = (np.array(column) for column in zip(*rows, strict=True))
    two = [np.stack([column, 1 - column], axis=1).astype(float) for column in (mean, result)]
    none = np.zeros(len(rows), np.int64)
    marks = marks.astype(np.uint8)
    return RootMoves(action, visits, two[0], none, marks, two[1], none + np.nan, none, action, all_tried)


def test_visits_and_results_of_roots_are_added_up():
    """Chaslot et al. 2008: scores and visits of a move in all trees are added: 30 of 40 and 10 of 20 are 40 of 60."""
    both = merged([root_of((3, 40, 0.75, 0, 0), (5, 1, 1.0, 0, 0)), root_of((3, 20, 0.5, 0, 0))])
    assert both.action.tolist() == [3, 5]
    assert both.visits.tolist() == [60, 1]
    assert both.means[0].tolist() == pytest.approx([40 / 60, 20 / 60])


def test_what_one_root_has_proven_is_proven_and_what_all_have_cut_is_cut():
    one = root_of((0, 5, 0.5, PROVEN, 1.0), (1, 5, 0.5, CUT, 0), (2, 5, 0.5, CUT, 0))
    other = root_of((0, 9, 0.5, 0, 0.5), (1, 9, 0.5, 0, 0), (2, 9, 0.5, CUT, 0))
    both = merged([one, other])
    assert both.marks.tolist() == [PROVEN, 0, CUT]
    assert both.results[0].tolist() == [1.0, 0.0]
    assert both.tree.tolist() == [1, 1, 1]  # lines come from where a move was visited most


def test_a_root_search_is_the_sum_of_its_trees():
    engine = engine_of("root")
    thought = engine.think(START, iterations=2_001)
    assert thought.threads == (501, 500, 500, 500)
    trees = [memory.tree for memory in engine.forest.memories]
    assert [root_visits(tree) for tree in trees] == list(thought.threads)
    for candidate in thought.candidates:
        rows = [(one, one.action == candidate.action) for one in (children_of(tree, root_node(tree)) for tree in trees)]
        assert candidate.visits == sum(int(one.visits[mine].sum()) for one, mine in rows)
        won = sum((one.means[mine, 0] * one.visits[mine]).sum() for one, mine in rows)
        assert candidate.means[0] == pytest.approx(won / candidate.visits)
    assert all(problems_of(one) == [] for one in trees_of(engine))
    branch = engine.subtree(depth=1)
    assert {child.action: child.visits for child in branch.children} == {c.action: c.visits for c in thought.candidates}


# Both ----------------------------------------------------------------------------------------------------------------


def test_a_tree_that_proves_its_root_does_not_end_the_others_where_nodes_are_the_limit():
    """Or it would depend on the clock how far the others came."""
    state = GAME.after(GAME.after(GAME.new_state(), 0), 1)
    seen = [engine_of("root", 3, mcts_solver="standard").think(state, nodes=3_000) for _ in range(2)]
    assert any(candidate.proven for candidate in seen[0].candidates)
    assert [c.visits for c in seen[0].candidates] == [c.visits for c in seen[1].candidates]


def test_what_is_compiled_beforehand_has_room_for_every_tree():
    small_engine(GAME, Options(parallel="root", threads=3)).compile()


@pytest.mark.parametrize("parallel", ["root", "leaf"])
def test_the_same_seed_gives_the_same_answer(parallel):
    first, second = (engine_of(parallel, threads=3).think(START, iterations=400) for _ in range(2))
    assert first.candidates == second.candidates
    assert sum(first.threads) == 400 == sum(candidate.visits for candidate in first.candidates)
    assert first.warnings == ()


@pytest.mark.parametrize("parallel", ["root", "leaf"])
def test_the_tree_is_kept_moves_are_taken_back_and_a_stop_ends_all(parallel):
    engine = engine_of(parallel, threads=2)
    start = GAME.begin()
    thought = engine.think(start, iterations=400)
    assert engine.think(start.play(thought.action), iterations=50).reused_visits == thought.best.visits
    assert engine.think(start, iterations=50).reused_visits == 400
    assert 900 <= engine.think(start, nodes=900).nodes <= 902  # a tree may go over its share by one
    search = engine.start(start, seconds=60)
    time.sleep(0.02)
    seen = search.snapshot()
    search.stop()
    assert search.wait(30)
    assert seen.iterations <= search.result().iterations == sum(search.result().threads)
    assert [
        problem for one in trees_of(engine) for problem in problems_of(one, kept=True) if not at_leaves(problem)
    ] == []
    assert engine.trace(START).path


def test_simulations_of_a_leaf_are_credited_together():
    """Cazenave and Jouandeau 2007: a new leaf is visited as often as there are threads before anything else is."""
    engine = engine_of("leaf", threads=3)
    for rounds in range(1, 10):
        thought = engine.think(START, iterations=3)
        assert sorted(c.visits for c in thought.candidates) == [0] * (9 - rounds) + [3] * rounds
        assert thought.threads == (1, 1, 1)
    assert engine.think(START, iterations=2).threads == (1, 1, 0)
    assert look(engine) == []


class Failing(type(GAME)):
    """A rule that breaks in the middle of a simulation."""

    def apply_action(self, state, action):
        assert state.empty > 3, "not so far"
        state.taken |= 1 << self.bit[action]
        state.stones[state.to_move] |= 1 << self.bit[action]
        state.empty -= 1
        state.to_move = 1 - state.to_move


@pytest.mark.parametrize("parallel", ["root", pytest.param("leaf", marks=pytest.mark.long)])
def test_a_rule_that_fails_in_one_thread_ends_them_all(parallel, monkeypatch):
    monkeypatch.setattr(checked, "look", lambda game: False)  # the short check would find it before
    engine = luozi.Engine(Failing(1, 3, 3, 3), seed=1, threads=3, parallel=parallel)
    for _ in range(2):
        search = engine.start(engine.game.new_state(), iterations=100_000)
        assert search.wait(120)
        with pytest.raises(luozi.LuoziError, match="not so far"):
            search.result()


def test_a_thread_that_can_not_start_ends_the_others(monkeypatch):
    engine = engine_of("leaf", threads=3)
    engine.compile()
    start, begun = threading.Thread.start, []

    def failing(thread):
        if thread._target is not None and thread._target.__name__ == "work":
            begun.append(thread)
            if len(begun) == 2:
                raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", failing)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        engine.think(START, seconds=60)
    assert not begun[0].is_alive()


# What goes with what -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"parallel": "root"}, "parallel has no effect without threads"),
        ({"threads": 2, "parallel": "root", "locks": "node"}, "Remove locks and counters"),
        ({"threads": 2, "parallel": "leaf", "counters": "plain"}, "Remove locks and counters"),
        ({"threads": 2, "parallel": "leaf", "batch_size": 4}, "or set parallel=root"),
        ({"threads": 2, "parallel": "leaf", "evaluation": "static"}, "Remove one of them"),
        ({"threads": 2, "parallel": "root", "virtual_loss": 3}, "Remove it"),
        ({"threads": 2, "keep_proven_win": True}, "or set parallel=root or leaf"),
        ({"threads": 2, "prune_ratio": 0.3}, "or set parallel=root or leaf"),
        ({"threads": 2, "transpositions": True, "counters": "plain"}, "Remove counters"),
    ],
)
def test_what_does_not_go_together_is_refused_in_one_sentence(values, sentence):
    with pytest.raises(luozi.LuoziError, match=sentence):
        luozi.Options.of(**values)


@pytest.mark.parametrize("parallel", ["root", "leaf"])
def test_what_one_tree_can_not_do_with_threads_the_others_can(parallel):
    for values in (
        {"transpositions": True},
        {"keep_proven_win": True},
        {"keep_playout_win": True},
        {"prune_ratio": 0.3},
    ):
        luozi.Options.of(threads=2, parallel=parallel, **values)
    luozi.Options.of(threads=2, parallel="root", batch_size=8, virtual_loss=2)


def test_a_pool_too_small_for_all_trees_is_refused():
    with pytest.raises(luozi.LuoziError, match="11 at least for each of 4 trees"):
        engine_of("root", pool_size=40)


def test_a_seed_that_can_not_repeat_an_answer_is_told():
    thought = engine_of("tree", threads=2).think(START, iterations=100)
    assert "the seed can't repeat it" in thought.warnings[0] == thought.as_dict()["notice"]
    assert thought.warnings[0] in thought.summary()
    assert thought.as_dict()["threads"] == list(thought.threads)
    assert engine_of("tree", threads=2, seed=None).think(START, iterations=100).warnings == ()


@pytest.mark.long
@pytest.mark.parametrize("locks", ["free", "global"])
def test_equal_positions_are_the_sum_of_all_ways_whatever_threads_do(locks):
    for threads in (4, 16):
        engine = luozi.Engine(GAME, seed=1, threads=threads, transpositions=True, locks=locks, pool_size=200_000)
        start = GAME.begin()
        thought = engine.think(start, iterations=20_000)
        assert thought.transposition_hits > 1_000
        assert problems_of(engine) == []
        engine.think(start.play(thought.action), iterations=5_000)
        assert problems_of(engine, kept=True) == []
