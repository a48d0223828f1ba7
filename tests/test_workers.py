"""Engines of a server share one set of threads and one memory: fairly, and never more than there is."""

from __future__ import annotations

import gc
import threading
import time

import pytest

import luozi
from luozi.search import runner as schedule
from luozi.search.engine_pool import EnginePool

GAME = luozi.game("tictactoe")


def test_whoever_is_alone_has_all_threads_and_of_many_each_has_its_share():
    workers = EnginePool(4, 100, 10)
    with workers.turn(4) as first:
        assert first == 4
    with workers.turn(2) as first, workers.turn(4) as second:
        assert (first, second) == (2, 2)


def test_no_more_threads_are_out_than_there_are_and_nobody_starves():
    workers, out, most, turns = EnginePool(2, 100, 10), [0], [0], [0] * 5
    lock, end = threading.Lock(), time.monotonic() + 20

    def search(number: int) -> None:
        while min(turns) < 20 and time.monotonic() < end:
            with workers.turn(2) as threads:
                with lock:
                    out[0] += threads
                    most[0] = max(most[0], out[0])
                time.sleep(0.001)
                with lock:
                    out[0] -= threads
                turns[number] += 1

    crowd = [threading.Thread(target=search, args=(number,)) for number in range(5)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join()
    assert most[0] == 2
    assert min(turns) >= 20
    assert max(turns) <= 2 * min(turns)  # in the order in which they came


def test_whoever_has_many_searches_gets_no_more_turns_than_who_has_one():
    workers, order = EnginePool(1, 100, 10), []
    lock = threading.Lock()

    def search(owner: str) -> None:
        with workers.turn(1, owner=owner), lock:
            order.append(owner)

    with workers.turn(1, owner="many"):
        crowd = [threading.Thread(target=search, args=(owner,)) for owner in ["many"] * 4 + ["one"] * 2]
        for number, one in enumerate(crowd, 1):
            one.start()
            while len(workers._waiting) < number:
                time.sleep(0.001)
    for one in crowd:
        one.join()
    assert order == ["one", "many", "one", "many", "many", "many"]


def test_nobody_has_more_than_its_part_of_all_cores():
    workers = EnginePool(2, 100, 10, each=1)
    with workers.turn(1, owner="many"):
        cancel = luozi.Cancel()
        threading.Timer(0.1, cancel.set).start()
        with workers.turn(1, cancel, owner="many") as second:
            assert second == 0
        with workers.turn(1, owner="one") as threads:
            assert threads == 1


def test_who_is_stopped_while_it_waits_leaves_the_queue():
    workers = EnginePool(1, 100, 10)
    early, late = luozi.Cancel(), luozi.Cancel()
    early.set()
    threading.Timer(0.1, late.set).start()
    for cancel in (early, late):
        with workers.turn(1), workers.turn(1, cancel) as threads:
            assert threads == 0
    with workers.turn(1), workers.turn(1, end=time.perf_counter() + 0.1) as threads:
        assert threads == 0
    with workers.turn(1) as threads:
        assert threads == 1


def test_engines_that_share_one_thread_all_come_to_their_limit():
    workers = EnginePool(1, 100, 10)
    engines = [luozi.Engine(GAME, seed=number, workers=workers) for number in range(3)]
    searches = [engine.start(GAME.new_state(), iterations=20_000) for engine in engines]
    assert [search.result().iterations for search in searches] == [20_000] * 3


def test_engines_that_share_several_threads_count_exactly_whatever_number_they_have():
    workers = EnginePool(2, 100, 10)
    engines = [luozi.Engine(GAME, workers=workers) for _ in range(3)]
    assert [engine.options.threads for engine in engines] == [2, 2, 2]
    searches = [engine.start(GAME.new_state(), iterations=100_000) for engine in engines]
    for search in searches:
        thought = search.result()
        assert thought.iterations == sum(thought.threads) == sum(one.visits for one in thought.candidates) == 100_000


def test_everybody_comes_to_think_however_short_the_time_and_long_the_queue():
    workers = EnginePool(1, 100, 20)
    engines = [luozi.Engine(GAME, seed=number, workers=workers) for number in range(12)]
    searches = [engine.start(GAME.new_state(), seconds=0.02) for engine in engines]
    assert all(search.result().iterations > 0 for search in searches)


def test_a_seed_and_what_threads_can_not_do_leave_an_engine_one_thread():
    workers = EnginePool(2, 100, 10)
    assert luozi.Engine(GAME, seed=1, workers=workers).options.threads == 1
    assert luozi.Engine(GAME, keep_proven_win=True, workers=workers).options.threads == 1


def test_a_search_in_turns_keeps_its_clock_and_hears_stop():
    workers = EnginePool(1, 100, 10)
    engine = luozi.Engine(luozi.game("tictactoe"), seed=1, workers=workers)
    thought = engine.think(GAME.new_state(), seconds=0.3)
    assert thought.iterations > 0
    assert thought.seconds > 0.25
    search = engine.start(GAME.new_state(), seconds=600)
    time.sleep(0.1)
    search.stop()
    assert search.result().action in GAME.legal_list(GAME.new_state())


def test_a_search_in_turns_finds_what_one_in_a_piece_finds():
    alone = luozi.Engine(GAME, seed=3).think(GAME.new_state(), iterations=5000)
    shared = luozi.Engine(GAME, seed=3, workers=EnginePool(1, 100, 10)).think(GAME.new_state(), iterations=5000)
    assert shared.name == alone.name  # not the same visits: what the end of a turn cuts off counts for nothing
    assert shared.iterations == sum(one.visits for one in shared.candidates) == 5000


def test_a_search_whose_time_is_up_does_not_wait_for_its_next_turn():
    workers = EnginePool(1, 100, 10)
    engine = luozi.Engine(GAME, seed=1, workers=workers)
    search = engine.start(GAME.new_state(), seconds=0.2)
    while not search.snapshot().iterations:
        time.sleep(0.005)
    with workers.turn(1):  # as long as others have all threads
        assert search.result(timeout=30).iterations > 0


def test_a_simulation_that_takes_longer_than_a_turn_is_not_cut_off_for_ever(monkeypatch):
    monkeypatch.setattr(schedule, "FIRST_SECONDS", 1e-4)
    monkeypatch.setattr(schedule, "STRETCH_SECONDS", 1e-4)  # not enough for a game of Go that is not compiled
    game = luozi.game("go:size=9")
    engine = luozi.Engine(game, seed=1, pool_size=5000, compiled=False, workers=EnginePool(1, 100, 10))
    assert engine.think(game.new_state(), iterations=2, seconds=60).iterations == 2


def test_the_part_of_a_search_before_moves_are_cut_takes_turns_too():
    workers = EnginePool(1, 100, 10)
    engine = luozi.Engine(GAME, seed=1, prune_ratio=0.1, compiled=False, workers=workers)
    with workers.turn(1):
        search = engine.start(GAME.new_state(), iterations=50)
        time.sleep(0.1)
        assert search.snapshot().iterations == 0
    assert search.result().iterations == 50


def test_memory_is_divided_and_an_engine_that_is_gone_makes_room():
    workers = EnginePool(1, 30, 3)
    engines = [luozi.Engine(GAME, workers=workers) for _ in range(3)]
    assert [engine.options.max_memory_mb for engine in engines] == [10.0] * 3
    with pytest.raises(luozi.LuoziError, match="all 3 engines are in use"):
        luozi.Engine(GAME, workers=workers)
    engines.pop()
    gc.collect()
    assert luozi.Engine(GAME, workers=workers).options.max_memory_mb == 10.0


def test_what_can_not_be_shared_gets_one_sentence():
    with pytest.raises(luozi.LuoziError, match="parallel=root needs its threads for itself"):
        luozi.Engine(GAME, threads=2, parallel="root", workers=EnginePool(2, 100, 10))
    with pytest.raises(luozi.LuoziError, match="at least"):
        EnginePool(0, 100, 10)
