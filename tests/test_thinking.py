"""A search under way: it can be looked at, ended at any moment, and waited for."""

from __future__ import annotations

import time

import pytest

import luozi

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
    for values in ({}, {"final": "agreement", "patience": 100.0}):
        engine = luozi.Engine(CONNECT4, seed=1, **values)
        search = engine.start(CONNECT4.new_state(), seconds=1000)
        time.sleep(delay)
        search.stop()
        assert search.result().action in range(7)


def test_an_engine_that_thinks_says_so_and_is_free_afterwards():
    engine = luozi.Engine(CONNECT4, seed=1)
    search = engine.start(CONNECT4.new_state(), seconds=1000)
    for busy in (lambda: engine.start(CONNECT4.new_state()), lambda: engine.advance(3), engine.clear):
        with pytest.raises(luozi.LuoziError, match="thinking already"):
            busy()
    search.stop()
    search.result()
    engine.advance(3)
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
    assert search.result(timeout=0.05).iterations > 0
