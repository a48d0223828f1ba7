"""A search under way: it can be looked at, ended at any moment, and waited for."""

from __future__ import annotations

import sys
import threading
import time

import pytest

import luozi
from luozi.evaluators.thread_state import KernelLimits
from luozi.search import final_move as decision
from luozi.search import root_moves
from luozi.solvers.solver import Solver
from luozi.util.interruptible import WaitedCall

CONNECT4 = luozi.game("connect4")


def test_a_search_that_was_started_answers_as_think_does():
    state = CONNECT4.new_state()
    started = luozi.Engine(CONNECT4, seed=3).start(state, iterations=3000).result()
    thought = luozi.Engine(CONNECT4, seed=3).think(state, iterations=3000)
    assert [c[:4] for c in started.candidates] == [c[:4] for c in thought.candidates]
    assert started.iterations == 3000


def test_a_snapshot_shows_the_search_growing():
    search = luozi.Engine(CONNECT4, seed=1).start(CONNECT4.new_state(), seconds=60)
    seen = [search.snapshot()]
    while seen[-1].iterations < 20_000:
        seen.append(search.snapshot())
    assert not search.is_done
    search.stop()
    answer = search.result()
    counts = [thought.iterations for thought in seen]
    assert counts == sorted(counts)
    assert answer.iterations >= counts[-1]
    for thought in seen:
        legal = sorted(candidate.action for candidate in thought.candidates)
        assert legal == CONNECT4.legal_list(CONNECT4.new_state())
        assert sum(candidate.visits for candidate in thought.candidates) <= answer.iterations
    assert search.snapshot() is answer


def test_a_look_at_a_search_does_not_change_it():
    """The final choice draws random numbers; a snapshot draws none, so that the same seed gives the same answer."""
    state, answers = luozi.game("gomoku:size=7").new_state(), []
    for looks in (0, 50):
        search = luozi.Engine(luozi.game("gomoku:size=7"), seed=5).start(state, iterations=4000)
        for _ in range(looks):
            search.snapshot()
        answers.append(search.result())
    assert answers[0].candidates == answers[1].candidates


@pytest.mark.parametrize("delay", [0.0, 0.0005, 0.005, 0.05])
def test_a_stop_is_never_lost(delay):
    for values in ({}, {"final": "max_robust", "extra_budget": 100.0}):
        engine = luozi.Engine(CONNECT4, seed=1, **values)
        search = engine.start(CONNECT4.new_state(), seconds=1000)
        time.sleep(delay)
        search.stop()
        assert search.result().action in range(7)


def test_an_engine_that_thinks_says_so_and_is_free_afterwards():
    engine = luozi.Engine(CONNECT4, seed=1)
    search = engine.start(CONNECT4.new_state(), seconds=1000)
    for busy in (lambda: engine.start(CONNECT4.new_state()), lambda: engine.move_to(CONNECT4.begin())):
        with pytest.raises(luozi.LuoziError, match="thinking already"):
            busy()
    search.stop()
    search.result()
    engine.move_to(CONNECT4.begin())
    with pytest.raises(luozi.LuoziError, match="not a position"):
        engine.start("nonsense")
    assert engine.start(CONNECT4.after(CONNECT4.new_state(), 3), iterations=10).result().iterations == 10


def test_what_goes_wrong_in_a_search_comes_out_of_its_result():
    class Broken(luozi.Game):
        players, actions, state = 2, 3, (("left", "i2"),)

        def start(self, state):
            state.left = 5

        def current_player(self, state):
            return state.left % 2

        def is_legal(self, state, action):
            return True

        def apply_action(self, state, action):
            if state.left < 3:
                raise ValueError("broken")
            state.left -= 1

        def is_terminal(self, state):
            return state.left <= 0

        def returns(self, state, returns):
            returns[0], returns[1] = 1, 0

    engine = luozi.Engine(Broken(), compiled=False)
    search = engine.start(engine.game.new_state(), iterations=100)
    with pytest.raises(ValueError, match="broken"):
        search.result()


def test_waiting_ends_when_the_time_to_wait_is_over():
    search = luozi.Engine(CONNECT4, seed=1).start(CONNECT4.new_state(), seconds=1000)
    while not search.snapshot().iterations:  # a busy machine begins late
        time.sleep(0.001)
    assert search.result(timeout=0.05).iterations > 0
    assert search.is_done


@pytest.mark.parametrize("begins", [True, False])
def test_an_interrupted_start_gives_the_engine_back(monkeypatch, begins):
    engine = luozi.Engine(CONNECT4, seed=1)
    begin = WaitedCall.start

    def interrupted(job):
        if begins:
            begin(job)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(WaitedCall, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            engine.start(CONNECT4.new_state(), seconds=1000)
    assert engine.think(CONNECT4.new_state(), iterations=20).iterations == 20


def test_an_old_search_neither_stops_nor_shows_a_new_one():
    engine = luozi.Engine(CONNECT4, seed=1)
    old = engine.start(CONNECT4.new_state(), iterations=10)
    old.result()
    new = engine.start(CONNECT4.new_state(), iterations=30_000)
    old.stop()
    assert new.result().iterations == 30_000
    assert old.snapshot().iterations == 10


def test_a_move_that_is_made_between_two_looks_is_not_taken_for_cut(monkeypatch):
    game = luozi.game("tictactoe")
    engine = luozi.Engine(game, seed=1, compiled=False)
    engine.think(game.new_state(), iterations=7)
    look = root_moves.children_of

    def slow_look(tree, node):
        seen = look(tree, node)
        engine.kernel.run(KernelLimits(engine.progress, 12, 2**62), 2**62)
        return seen

    monkeypatch.setattr(root_moves, "children_of", slow_look)
    assert not any(c.cut for c in decision.candidates_of(engine.forest.moves(), 9, game.begin(), {}))


def test_a_stop_between_two_moves_of_the_solver_is_not_lost():
    game = luozi.game("connect4:rows=5,columns=5")
    solver, cancel = Solver(game, 1, compiled=False), luozi.Cancel()
    cancel.set()
    with pytest.raises(luozi.LuoziError):
        solver.solve(game.new_state(), cancel=cancel)
    assert solver.progress[1] < 10_000


@pytest.mark.parametrize("delay", [0.0, 1e-4, 1e-3, 1e-2])
def test_a_stop_is_never_lost_whenever_it_comes_and_whoever_is_looking(delay):
    """A search of an hour ends although other threads look at it; none of what they see is wrong."""
    engine = luozi.Engine(CONNECT4, seed=1, final="max_robust")
    engine.compile()
    problems = []

    def look(search):
        try:
            while not search.is_done:
                seen = search.snapshot()
                visits = sum(candidate.visits for candidate in seen.candidates)
                if not seen.principal_variation or visits > seen.iterations + seen.reused_visits + 1:
                    problems.append(seen)
        except BaseException as error:
            problems.append(error)

    for _ in range(3):
        search = engine.start(CONNECT4.begin(), seconds=3600)
        lookers = [threading.Thread(target=look, args=(search,)) for _ in range(2)]
        for looker in lookers:
            looker.start()
        stopper = threading.Timer(delay, search.stop)
        stopper.start()
        assert search.wait(60)
        for thread in (*lookers, stopper):
            thread.join(60)
        result = search.result()
        assert sum(candidate.visits for candidate in result.candidates) == result.iterations
    assert problems == []


def test_the_tree_can_be_read_while_another_game_begins():
    """The root moves and the pool is given back meanwhile."""
    game = luozi.game("connect4")
    engine, over, failures = luozi.Engine(game, seed=1, pool_size=100_000), threading.Event(), []
    engine.think(game.begin(), iterations=500)

    def read():
        while not over.is_set():
            try:
                engine.subtree(2)
            except Exception as error:
                failures.append(error)

    reader, interval = threading.Thread(target=read), sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    reader.start()
    try:
        for _ in range(40):
            position = game.begin()
            for move in (3, 3, 2, 4):
                engine.think(position, iterations=6_000)
                position = position.play(move)
    finally:
        over.set()
        reader.join()
        sys.setswitchinterval(interval)
    assert failures == []
