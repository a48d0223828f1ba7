"""The file of results: whole games, at once, never twice, and as quickly however many there are."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

import luozi
from luozi.matches.game_runner import Outcome, moves_of, play_fixture
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import ScoredGame, Store
from luozi.records.files import load_record


@pytest.fixture
def contest() -> MatchSchedule:
    return MatchSchedule.of("tictactoe", ["flat:playouts=20", "random"])


def outcomes(contest: MatchSchedule, games: int) -> list[Outcome]:
    return [play_fixture(contest, fixture) for fixture in contest.fixtures(games)]


def repeatable(outcome: Outcome) -> Outcome:
    """All of a game but its clock times."""
    return outcome._replace(data=re.sub(r'"seconds":[^,}]+', "", outcome.data), finished="")


def test_a_game_is_kept_with_its_record_seeds_versions_and_statistics(contest: MatchSchedule, tmp_path: Path) -> None:
    store = Store.open(tmp_path / "results.db")
    store.enter(contest, 4)
    played = outcomes(contest, 4)
    for outcome in played:
        assert store.add(contest, outcome)
    other = Store.open(tmp_path / "results.db", create=False)
    assert list(other.outcomes(contest)) == played
    assert other.played(contest) == [ScoredGame.of(outcome) for outcome in played]
    found = next(iter(other.outcomes(contest)))
    assert found.seeds == contest.seeds(found.fixture)
    assert all(f"seed={seed}" in found.record for seed in found.seeds)
    assert {"luozi", "python", "numba", "numpy"} <= set(json.loads(found.versions))
    moves = moves_of(contest, found)
    assert len(moves) == found.moves
    assert all(move.seconds is not None for move in moves)
    opening = len(contest.opening(found.fixture))
    flat_moves = [move.thought for move in moves[opening:] if move.thought is not None]
    assert flat_moves
    assert all(about["iterations"] == 20 and about["visits"] for about in flat_moves)


def test_a_stored_record_can_be_loaded_and_gives_the_stored_result(contest: MatchSchedule, tmp_path: Path) -> None:
    store = Store.open(None)
    store.enter(contest, 2)
    for outcome in outcomes(contest, 2):
        store.add(contest, outcome)
        path = tmp_path / f"{outcome.fixture.number}.txt"
        path.write_text(store.record(contest, outcome.fixture.number), encoding="utf-8")
        assert load_record(path).results() == list(outcome.results)
    with pytest.raises(luozi.LuoziError, match=r"game 3 of \w+ is not finished"):
        store.record(contest, 2)


def test_a_game_played_again_is_the_same_but_for_clock_times(contest: MatchSchedule) -> None:
    for one, other in zip(outcomes(contest, 4), outcomes(contest, 4), strict=True):
        assert repeatable(one) == repeatable(other)


def test_a_game_is_not_kept_twice(contest: MatchSchedule) -> None:
    store = Store.open(None)
    store.enter(contest, 2)
    first = outcomes(contest, 2)[0]
    assert store.add(contest, first)
    assert not store.add(contest, first._replace(results=(0.25, 0.75)))
    assert store.count(contest) == 1
    assert store.played(contest)[0].results == first.results


def test_one_file_holds_many_contests(contest: MatchSchedule) -> None:
    store, other = Store.open(None), MatchSchedule.of("tictactoe", ["random", "random"], seed=5)
    store.enter(contest, 2)
    store.enter(other, 4, {"elo0": 0, "elo1": 10, "alpha": 0.05, "beta": 0.05}, part_of="an experiment")
    store.enter(contest, 8)
    entries = store.entries()
    assert [(entry.contest, entry.wanted, entry.part_of) for entry in entries] == [
        (other, 4, "an experiment"),
        (contest, 8, ""),
    ]
    assert entries[0].test == {"elo0": 0, "elo1": 10, "alpha": 0.05, "beta": 0.05}


def test_the_thousandth_game_costs_no_more_than_the_tenth(contest: MatchSchedule, tmp_path: Path) -> None:
    """Counted in steps of SQLite's own machine, which are the same on every run."""
    store = Store.open(tmp_path / "results.db")
    store.enter(contest, 2000)
    outcome = outcomes(contest, 1)[0]
    steps = []

    def count() -> int:
        steps[-1] += 1
        return 0

    store.connection.set_progress_handler(count, 1)
    for number in range(1000):
        steps.append(0)
        store.add(contest, outcome._replace(fixture=outcome.fixture._replace(number=number)))
    store.connection.set_progress_handler(None, 1)
    assert store.count(contest) == 1000
    assert max(steps[990:]) <= max(steps[:20])


@pytest.mark.parametrize(
    "content", [b"this is no database, but a text that somebody wrote\n" * 40, b"SQLite format 3\0broken"]
)
def test_a_file_that_is_no_store_gets_a_sentence_and_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "results.db"
    path.write_bytes(content)
    with pytest.raises(luozi.LuoziError, match="damaged or not a results database"):
        Store.open(path)
    assert path.read_bytes() == content


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(luozi.LuoziError, match="database of another program"):
        Store.open(path)
    assert path.read_bytes() == before


def test_a_locked_store_gets_a_sentence(tmp_path: Path, contest: MatchSchedule) -> None:
    path = tmp_path / "results.db"
    store, other = Store.open(path), Store.open(path)
    store.connection.execute("PRAGMA busy_timeout=10")
    other.connection.execute("BEGIN IMMEDIATE")
    with pytest.raises(luozi.LuoziError, match=r"locked\. Games that were finished before are stored there"):
        store.enter(contest, 2)


def test_a_store_of_another_format_gets_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    Store.open(path).connection.execute("PRAGMA user_version=99")
    with pytest.raises(
        luozi.LuoziError, match=r"newer Luozi: its format is 99, this version knows 5. Install the newer version"
    ):
        Store.open(path)


def test_looking_for_results_does_not_make_a_file(tmp_path: Path) -> None:
    with pytest.raises(luozi.LuoziError, match="Play a match first"):
        Store.open(tmp_path / "none.db", create=False)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_does_not_exist_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(luozi.LuoziError, match="can't store results in"):
        Store.open(tmp_path / "none" / "results.db")


RACE = """
import sys, time
from pathlib import Path
from threading import Barrier
from luozi.matches.store import Store
for number in range(20):
    place = Path(sys.argv[1], str(number))
    (place / f"here-{sys.argv[2]}").touch()
    deadline = time.monotonic() + 30
    while sum(1 for _ in place.glob("here-*")) < 4:
        assert time.monotonic() < deadline, "the other programs have ended"
    Store.open(place / "results.db").entries()
"""


def test_programs_that_make_one_file_at_the_same_moment_share_it(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / str(number)).mkdir()
    command = [sys.executable, "-c", RACE, str(tmp_path)]
    racing = [subprocess.Popen([*command, str(one)], stderr=subprocess.PIPE, text=True) for one in range(4)]
    said = [program.communicate(timeout=120)[1] for program in racing]
    assert said == [""] * 4
    for number in range(20):
        found = sqlite3.connect(tmp_path / str(number) / "results.db")
        assert found.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        found.close()


def test_threads_that_make_one_file_at_the_same_moment_share_it(tmp_path: Path, contest: MatchSchedule) -> None:
    with ThreadPoolExecutor(8) as threads:
        for number in range(20):
            start = Barrier(8)

            def enter(seed: int, path: Path = tmp_path / f"{number}.db", start: Barrier = start) -> None:
                start.wait(60)
                store = Store.open(path)
                store.enter(MatchSchedule.of("tictactoe", ["random", "random"], seed=seed), 2)
                store.close()

            list(threads.map(enter, range(8)))
            assert len(Store.open(tmp_path / f"{number}.db", create=False).entries()) == 8
