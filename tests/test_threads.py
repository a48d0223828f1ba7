"""Several threads in one tree: nothing is lost, nothing comes twice, and it always ends."""

from __future__ import annotations

import os
import re
import threading
import time

import numpy as np
import pytest
from auditing import Exact, wrong_proofs
from hostile import HostileTree, use_tree
from numba import njit
from variant_trees import HandMade

import luozi
from luozi.compiled import new_rng
from luozi.compiled.atomics import fetch_for_write, load_acquire, store_release
from luozi.evaluators.thread_state import PROGRESS_SIZE, STAMP, KernelLimits, new_thread
from luozi.evaluators.variants import ANCESTOR_START, Variants
from luozi.rules import checked
from luozi.search.context import SearchContext
from luozi.search.selection.general import load_grandfather
from luozi.search.tree.children import children_of, root_node
from luozi.search.tree.locking import ROOT_SUM, ROOT_VISITS, PlainCounterTree
from luozi.search.tree.pool import FIXED_POINT, LOCK, MEAN, UNVISITED, VISITS
from luozi.search.tree.reroot import ROOT

KINDS = [{"locks": "free"}, {"locks": "free", "counters": "plain"}, {"locks": "node"}, {"locks": "global"}]
SETTINGS = [
    {"selection": "puct", "mcts_solver": "standard"},
    {"rave": "fuego", "progressive_history": 1.0, "mcts_solver": "standard"},
]


def nodes_of(tree):
    """Every node below the root, once, with its edges: numbers, visits and sums."""
    todo, seen = [root_node(tree)], set()
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            children = children_of(tree, node)
            yield node, children
            todo += [int(below) for below in children.node if below]


def look(engine, exact=True):
    """What is wrong with a tree that threads have made; where counters are plain, only its form is looked at."""
    tree, game, problems, reached = engine.tree, engine.game, [], 1
    sums, options = tree.sums.reshape(-1, game.players), engine.options
    shrunk = options.playout_discount < 1 or (
        game.players > 2 and (options.backup_discount < 1 or options.max_playout_moves)
    )
    whole = exact and not shrunk
    most = max(1, game.players / 2)  # a win gives 1 in all, a draw a half to everybody
    entered = {root_node(tree): int(tree.words[VISITS])}
    for node, children in nodes_of(tree):
        actions = children.action.tolist()
        reached += len(actions)
        if len(set(actions)) != len(actions):
            problems.append(f"node {node} has a move twice")
        if tree.nodes[node + LOCK]:
            problems.append(f"node {node} is locked")
        if (children.visits > 4_000_000_000).any():
            problems.append(f"node {node}: visits below zero")
        for edge, visits, below, means in zip(
            children.edge.tolist(), children.visits.tolist(), children.node.tolist(), children.means, strict=True
        ):
            if below:
                entered[below] = visits
            credited, rounded = sums[edge].sum() / FIXED_POINT, visits * game.players / FIXED_POINT
            if visits and whole and not visits - rounded <= credited <= most * visits + rounded:
                problems.append(f"edge {edge}: {credited} credited in {visits} visits")
            if visits and exact and ((means < 0) | (means > 1)).any():
                problems.append(f"edge {edge}: a mean of {means}")
        if exact and not options.transpositions and children.visits.sum() > entered[node]:
            problems.append(f"node {node}: {children.visits.sum()} visits below, {entered[node]} above")
    if reached != tree.edges_in_use():
        problems.append(f"{reached} edges can be reached, {tree.edges_in_use()} are in use")
    if int(tree.used[1]) > len(tree.words) // (MEAN + tree.players):
        problems.append("more edges than the pool has")
    return problems


def threaded(game, threads, kind=None, **values):
    engine = luozi.Engine(game, threads=threads, seed=1, **values)
    if kind is not None:
        use_tree(engine, kind)
    return engine


SOME_KINDS = [
    KINDS[0],
    *(pytest.param(kind, marks=pytest.mark.long) for kind in KINDS[1:]),
]


@pytest.mark.parametrize("kind", SOME_KINDS, ids=str)
def test_visits_add_up_and_no_move_comes_twice(kind):
    game = luozi.game("tictactoe")
    exact = kind.get("counters") != "plain"
    for threads in (4, 16):
        engine = threaded(game, threads, **kind)
        thought = engine.think(game.new_state(), iterations=20_000)
        assert look(engine, exact) == []
        assert thought.iterations == 20_000 == sum(thought.threads)
        assert len(thought.threads) == threads
        assert f"{threads} threads ({thought.threads[0]:,}, " in thought.summary()
        visits = int(engine.tree.words[VISITS])
        assert visits == 20_000 if exact else 0.5 * 20_000 <= visits <= 20_000  # see `PlainCounterTree`
        assert sorted(one.action for one in thought.candidates) == list(range(9))
        assert all(one.visits for one in thought.candidates)


@pytest.mark.parametrize("values", [SETTINGS[0], pytest.param(SETTINGS[1], marks=pytest.mark.long)], ids=str)
def test_proofs_of_many_threads_are_right(values):
    game = luozi.game("tictactoe")
    state = game.after(game.after(game.new_state(), 0), 8)
    exact = Exact(game)
    engine = threaded(game, 4, **values)
    thought = engine.think(state, iterations=20_000)
    assert look(engine) == []
    assert wrong_proofs(engine, exact, game.current_player(state)) in ([], ["nothing is proven"])
    assert thought.best.proven


def test_a_hostile_schedule_breaks_nothing():
    """All threads on one core, and each gives it away before it publishes anything."""
    game = luozi.game("tictactoe")
    cores = os.sched_getaffinity(0)
    engine = threaded(game, 8, HostileTree)
    try:
        os.sched_setaffinity(0, {min(cores)})
        thought = engine.think(game.new_state(), iterations=20_000)
    finally:
        os.sched_setaffinity(0, cores)
    assert look(engine) == []
    assert int(engine.tree.words[VISITS]) == thought.iterations == 20_000


def test_what_is_published_is_released_and_what_is_looked_at_acquired():
    """Else the compiler, and other processors than these, may show it before what it stands for."""

    @njit
    def meet(array):
        fetch_for_write(array, 0)
        store_release(array, 0, 1)
        return load_acquire(array, 1)

    meet(np.zeros(2, np.int64))
    (code,) = meet.inspect_llvm().values()
    assert re.search("store atomic i64 .* release", code)
    assert re.search("load atomic i64, .* acquire", code)
    assert re.search(r"call void @llvm.prefetch.*i32 1, i32 3, i32 1\)", code)  # to be written soon


def test_a_visit_whose_result_is_still_to_come_says_nothing_to_those_below():
    """Another thread has counted a first visit and not written its mean yet: it looks like one of 10 to the 30."""
    variants = Variants(ancestor=ANCESTOR_START, eager=True)
    made = HandMade(variants, [(4, (0.25, 0.75)), (1, (0.0, 0.0))])
    _, at, size = made.children[1]
    made.tree.floats[[at + MEAN * size, at + (MEAN + 1) * size]] = UNVISITED
    game = luozi.game("tictactoe")
    thread = new_thread(game, new_rng(1), np.zeros(1))
    thread.path[0], thread.movers[1] = (0, 0, 1), 0
    limits = KernelLimits(np.zeros(PROGRESS_SIZE, np.int64), 0, 0)
    load_grandfather(SearchContext(game, None, None, None, made.tree, thread, limits, made.variants), 1, 0)
    known = thread.stamps == thread.counts[STAMP]
    assert known.tolist() == [True] + [False] * 8
    assert thread.means[0] == 0.25


def test_a_stop_ends_all_threads_and_leaves_nothing_expected():
    game = luozi.game("tictactoe")
    for threads in (2, 8):
        engine = threaded(game, threads)
        engine.compile()
        search = engine.start(game.new_state(), seconds=60)
        time.sleep(0.05)
        seen = search.snapshot()
        search.stop()
        thought = search.result()
        assert seen.iterations <= thought.iterations == sum(thought.threads)
        assert int(engine.tree.words[VISITS]) == thought.iterations
        assert look(engine) == []


@pytest.mark.parametrize("kind", SOME_KINDS[:1] + SOME_KINDS[2:], ids=str)
@pytest.mark.parametrize("iterations", [1, 15, 1_003])
def test_the_root_has_seen_every_iteration_when_a_search_ends(iterations, kind):
    """Threads tell it some at a time; choosers that compare moves with their position read its mean."""
    game = luozi.game("tictactoe")
    engine = threaded(game, 2, **kind)
    engine.think(game.new_state(), iterations=iterations)
    tree = engine.tree
    assert int(tree.words[VISITS]) == iterations
    assert int(tree.sums[: game.players].sum()) == iterations * FIXED_POINT
    for player in range(game.players):
        mean = int(tree.sums[player]) / (iterations * FIXED_POINT)
        # Of two who tell at once the last may write an older one, without what the other has just told.
        assert iterations < 100 or tree.mean_of(ROOT, player) == pytest.approx(mean, abs=0.03)


def test_whoever_looks_at_the_root_sees_what_threads_have_not_told_yet():
    game = luozi.game("tictactoe")
    engine = threaded(game, 2)
    engine.think(game.new_state(), iterations=500)
    before, other = engine.subtree(0), engine.tree.of_thread(1)
    other.buffer[ROOT_VISITS] += 100
    other.buffer[ROOT_SUM] += 100 * FIXED_POINT
    after = engine.subtree(0)
    assert (before.visits, after.visits) == (500, 600)
    assert after.means[0] == pytest.approx((500 * before.means[0] + 100) / 600)
    assert engine.think(game.begin(), iterations=50).iterations == engine.subtree(0).visits == 50


def test_a_visit_that_was_lost_is_not_taken_back_twice():
    """Two threads count a visit with plain additions, one of which is lost; then both take theirs back."""
    words = np.zeros(1, np.uint32)
    for amount in (1, -1, -1):
        PlainCounterTree(100, 2, 9).add(words, 0, amount)
    assert words[0] == 0


def test_a_small_pool_fills_and_the_search_goes_on():
    game = luozi.game("tictactoe")
    engine = threaded(game, 4, pool_size=500)
    thought = engine.think(game.new_state(), iterations=5_000)
    assert thought.pool_full
    assert thought.iterations == 5_000
    assert look(engine) == []


def test_several_engines_do_not_disturb_each_other():
    game = luozi.game("tictactoe")
    engines = [threaded(game, 3) for _ in range(3)]
    engines[0].compile()
    thoughts = {}

    def think(number):
        thoughts[number] = engines[number].think(game.new_state(), iterations=5_000)

    workers = [threading.Thread(target=think, args=(number,)) for number in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [thoughts[number].iterations for number in range(3)] == [5_000] * 3
    assert all(look(engine) == [] for engine in engines)


@pytest.mark.parametrize("ownership", [False, pytest.param(True, marks=pytest.mark.long)])
def test_the_tree_is_kept_and_owners_are_counted_by_all(ownership):
    game = luozi.game("tictactoe")
    engine = threaded(game, 4, ownership=ownership)
    start = game.begin()
    thought = engine.think(start, iterations=4_000)
    if ownership:
        assert sum(int(thread.owned_games.sum()) for thread in engine.threads) == 4_000
    assert (thought.ownership is not None) is ownership
    following = engine.think(start.play(thought.action), iterations=1_000)
    assert following.reused_visits > 1_000
    engine.memory.collect()  # what is not below the root is in use, too
    assert look(engine) == []


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"threads": 2, "keep_proven_win": True}, "Remove threads"),
        ({"threads": 2, "batch_size": 8}, "Remove threads or batch_size"),
        ({"locks": "node"}, "Set threads"),
        ({"virtual_loss": 3}, "Remove it"),
        ({"threads": 2, "prune_ratio": 0.3}, "Remove threads, or set parallel=root or leaf"),
        ({"threads": 2, "counters": "plain", "virtual_loss": 2}, "Remove counters or virtual_loss"),
        ({"threads": 2, "locks": "global", "counters": "plain"}, "Remove counters"),
    ],
)
def test_what_threads_can_not_do_is_refused(values, sentence):
    with pytest.raises(luozi.LuoziError, match=sentence):
        luozi.Options.of(**values)


class Failing(type(luozi.game("tictactoe"))):
    """A rule that breaks in the middle of a search."""

    def apply_action(self, state, action):
        assert state.empty > 3, "not so far"
        state.taken |= 1 << self.bit[action]
        state.stones[state.to_move] |= 1 << self.bit[action]
        state.empty -= 1
        state.to_move = 1 - state.to_move


@pytest.mark.parametrize(
    "kind", [{"locks": "global"}, pytest.param({"locks": "node"}, marks=pytest.mark.long)], ids=str
)
def test_a_rule_that_fails_in_one_thread_ends_them_all(kind, monkeypatch):
    monkeypatch.setattr(checked, "look", lambda game: False)  # the short check would find it before
    engine = threaded(Failing(1, 3, 3, 3), 4, **kind)
    for _ in range(2):  # the next search starts with no lock taken
        with pytest.raises(luozi.LuoziError, match="not so far"):
            engine.think(engine.game.new_state(), iterations=100_000)
    assert not engine.tree.locks.any()


def test_a_thread_that_can_not_start_ends_the_others(monkeypatch):
    engine = threaded(luozi.game("tictactoe"), 4)
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
        engine.think(engine.game.new_state(), seconds=60)
    assert not begun[0].is_alive()


def test_room_that_another_thread_has_taken_shows_no_half_node(monkeypatch):
    """`has_room` says yes, and then the pool is full: what could not be made is not shown."""
    game = luozi.game("gomoku:size=7")
    engine = luozi.Engine(game, selection="puct", pool_size=100, seed=1, compiled=False)
    monkeypatch.setattr(type(engine.tree), "has_room", lambda tree, count: True)
    thought = engine.think(game.new_state(), iterations=300)
    assert thought.pool_full
    assert look(engine) == []
    for _, children in nodes_of(engine.tree):
        assert (children.edge > 0).all()


def test_threads_are_for_compiled_rules_and_not_beside_an_evaluator():
    game = luozi.game("tictactoe")
    with pytest.raises(luozi.LuoziError, match="threads need compiled rules"):
        luozi.Engine(game, threads=2, compiled=False)
    with pytest.raises(luozi.LuoziError, match="Remove threads"):
        luozi.Engine(game, threads=2, evaluator=lambda states: states)
