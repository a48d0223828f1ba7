"""Files of results that somebody made to do harm: small ones that would take all memory or time, or say nonsense.

Their digests are right, so that only bounds and checks keep them from being believed.
"""

from __future__ import annotations

import json
import resource
import time
import zlib
from pathlib import Path
from typing import Any

import pytest
from web_page import serving

from luozi.experiments import EXPERIMENTS
from luozi.matches.rows import DamageError, digest_of, game_digest, unpack_record
from luozi.matches.schedule import MatchSchedule, id_of
from luozi.matches.store import Store
from luozi.messages import LuoziError
from luozi.util.old_names import old_experiment
from luozi.web.results import Results

SECONDS, MEGABYTES = 20.0, 1500.0  # of one request, on a machine that is busy with other tests


def definition(**changed: Any) -> str:
    """A contest as a file defines it."""
    return json.dumps(json.loads(MatchSchedule.of("tictactoe", ["random", "flat"]).definition) | changed)


def row(text: str, **changed: Any) -> list[Any]:
    """A game without moves that the first player won."""
    contest = MatchSchedule.read(text)
    fixture = contest.fixture(0)
    columns = {"number": 0, "encounter": 0, "round": 0, "seats": json.dumps(fixture.seats), "results": "[1.0, 0.0]"}
    columns |= {"loser": -1, "forfeit": "", "moves": 0, "seeds": json.dumps(contest.seeds(fixture))}
    columns |= {"record": zlib.compress(b""), "versions": "{}", "finished": "2026-01-01 00:00:00.000"}
    return list((columns | changed).values())


def entered(store: Store, text: str, *games: list[Any], part_of: str = "") -> str:
    """Put a contest and its games into a file; its id."""
    name, now = id_of(text), "2026-01-01 00:00:00+00:00"
    store.connection.execute("INSERT INTO contests VALUES (?, ?, ?, 2, 'null', ?)", (name, text, part_of, now))
    for game in games:
        values = (name, *game, game_digest(name, game))
        store.connection.execute(f"INSERT INTO games VALUES ({', '.join('?' * len(values))})", values)
    return name


def measured(store: Store, experiment: str, key: str, text: str) -> None:
    """Put a measurement into a file."""
    row = (experiment, key, text, digest_of(experiment, key, text))
    store.connection.execute("INSERT INTO measurements VALUES (?, ?, ?, ?)", row)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.db"


@pytest.fixture
def store(path: Path):
    store = Store.open(path)
    yield store
    store.close()


def test_lists_without_end_in_a_game_are_not_counted_pair_by_pair(store: Store, path: Path) -> None:
    text, numbers = definition(), json.dumps([0] * 20_000)
    entered(store, text, row(text, seats=numbers, results=numbers))
    began = time.monotonic()
    [contest] = Results(path).listed()
    assert contest["scores"] == [None, None]
    assert time.monotonic() - began < 5.0


def test_a_list_of_contests_makes_no_groups_of_players(store: Store, path: Path) -> None:
    players = [f"random:seed={number}" for number in range(1400)]  # about 1,000,000 groups
    for seed in range(5):
        entered(store, definition(kind="round-robin", players=players, seed=seed))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert [contest["wanted"] for contest in Results(path).listed()] == [2 * 1400 * 1399 // 2] * 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes


def test_thousands_of_players_of_one_kind_are_labelled_at_once(store: Store, path: Path) -> None:
    entered(store, definition(kind="gauntlet", players=["random"] * 40_000, seats=1))
    began = time.monotonic()
    [contest] = Results(path).listed()
    assert contest["players"][-1] == "random #40000"
    assert time.monotonic() - began < 5.0


@pytest.mark.parametrize("content", [b"\n" * 2**28, b"1. X b2\ndata:\n" + b"{}\n" * 2**22, b"x" * 2**28])
def test_a_record_that_grows_without_end_when_it_is_unpacked_is_damaged(content: bytes) -> None:
    with pytest.raises(DamageError):
        unpack_record(zlib.compress(content, 1), "game 1")


@pytest.mark.parametrize("players", [["random"], ["random", "flat", "random"]])
def test_a_match_has_a_player_for_each_seat(players: list[str]) -> None:
    with pytest.raises(LuoziError):
        MatchSchedule.read(definition(players=players, seats=min(2, len(players))))


def test_a_file_that_does_something_when_a_game_is_added_is_not_written_to(store: Store, path: Path) -> None:
    store.connection.execute("CREATE TRIGGER more AFTER INSERT ON games BEGIN DELETE FROM contests; END")
    with pytest.raises(LuoziError, match="its tables are not those of results"):
        Store.open(path)


RUN: dict[str, Any] = {"quick": True, "seed": 1, "games": 2, "iterations": 10, "seconds": 0, "values": {}}
RUNS = [3, "x", {"a": 1}, [1], [None], [{}], [RUN | {"seed": "x"}], [RUN | {"values": 3}], [RUN | {"games": {}}]]
TUNINGS = [{"base": 3}, {"parameters": [3]}, {"parameters": 3}, {"trial_games": "x"}, {"games": []}, {"games": "x"}]


def test_whatever_a_file_says_of_experiments_and_tunings_gets_one_sentence(store: Store, path: Path, caplog) -> None:
    names = []
    for number, (name, runs) in enumerate(zip(EXPERIMENTS, RUNS, strict=False)):
        measured(store, old_experiment(name), "how it was done", json.dumps(runs))
        entered(store, definition(seed=100 + number), part_of=old_experiment(name))
        names.append(name)
    usual = {"base": definition(), "parameters": ["playouts=1:9"], "trial_games": 2, "games": 2}
    for number, changed in enumerate(TUNINGS):
        name = f"tuning {number}: x"
        measured(store, name, "definition", json.dumps(usual | changed))
        entered(store, definition(seed=200 + number), part_of=name)
        names.append(name)
    store.close()
    with serving(results=path) as client:
        for name in names:
            status, content, _ = client.get("/api/results/whole/" + name.replace(" ", "%20"))
            assert status in (200, 400), (name, content)
    assert not caplog.records


def test_the_name_of_a_tuning_is_no_book(store: Store, path: Path) -> None:
    entered(store, definition(), part_of="tuning 1: " + ", a with " * 100_000)
    with pytest.raises(LuoziError, match="is damaged"):
        Results(path).listed()
