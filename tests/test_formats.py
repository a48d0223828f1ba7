"""Files of earlier versions are read, listed, reported and continued; those of newer ones are refused with a sentence.

`formats/` has a record of version 1, and stores of the formats 2, 3 and 4 with a finished tournament, a match of which
four of eight games are played, and a measurement. Those of the formats 2 and 3 were written before records held data.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

import luozi
from luozi.cli import app as cli
from luozi.matches.game_runner import moves_of, play_fixture
from luozi.matches.recovery import recover
from luozi.matches.runner import Run, play_all
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store
from luozi.matches.workers import Here
from luozi.records import load_record, save_record
from luozi.statistics.matches import Sprt

FORMATS = Path(__file__).parent / "formats"
PLAYERS = ["flat:playouts=20", "random"]


@pytest.fixture(params=["store-2.db", "store-3.db", "store-4.db"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copy(FORMATS / request.param, tmp_path / "old.db"))


def run_of(store: Store) -> Run:
    """The match that was asked for last."""
    entry = store.entries()[-1]
    return Run(entry.contest, entry.wanted, Sprt(**entry.test or {}))


# Records --------------------------------------------------------------------------------------------------------------


def test_a_record_of_version_1_loads_and_goes_on(tmp_path: Path) -> None:
    record = load_record(FORMATS / "record-1.txt")
    assert record.game.spelling == "tictactoe"
    assert record.seed == 3
    assert record.results() == [1.0, 0.0]
    assert record.comments[0] == "100.0 %"
    names = [line.split()[2] for line in (FORMATS / "record-1.txt").read_text().splitlines() if ". " in line]
    assert [record.game.action_to_string(record.states()[0], action) for action in record.actions] == names
    assert [move.seat for move in record.moves] == [0, 1, 0, 1, 0, 1, 0]
    assert all(move.seconds is None and move.value is None for move in record.moves)
    resigned = load_record(FORMATS / "record-1-resigned.txt")
    assert (resigned.resigned, resigned.results()) == (0, [0.0, 1.0])
    save_record(record, tmp_path / "new.txt")
    assert (tmp_path / "new.txt").read_text().startswith("luozi record 2\n")
    assert load_record(tmp_path / "new.txt").moves == record.moves


def test_the_page_about_records_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[1] / "docs/en/reference/file-formats.md").read_text(encoding="utf-8")
    [record] = re.findall(r"```text\n(.*?)```", page, flags=re.DOTALL)
    (tmp_path / "shown.txt").write_text(record)
    assert load_record(tmp_path / "shown.txt").moves[1].value == (0.417, 0.583)
    [example] = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(compile(example.replace("visits=True)\nstore", "visits=True, workers=1)\nstore"), "records.md", "exec"), {})


# Stores ---------------------------------------------------------------------------------------------------------------


def test_an_old_store_is_listed_and_reported_as_it_is(
    old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = old.read_bytes()
    assert cli.main(["results", "--db", str(old), "--list"]) == 0
    assert "4/8" in capsys.readouterr().out
    files = ["--csv", str(tmp_path / "games.csv"), "--html", str(tmp_path / "page.html"), "--json"]
    assert cli.main(["results", "--db", str(old), *files]) == 0
    assert json.loads(capsys.readouterr().out)["finished"] == 4
    assert len((tmp_path / "games.csv").read_text().splitlines()) == 5
    assert re.search("luozi record [12]", (tmp_path / "page.html").read_text(encoding="utf-8"))
    assert cli.main(["results", "--db", str(old), "--record", "2"]) == 0
    (tmp_path / "record.txt").write_text(capsys.readouterr().out)
    assert load_record(tmp_path / "record.txt").results() is not None
    assert old.read_bytes() == before


def test_the_games_of_an_old_store_have_their_moves_as_data(old: Path) -> None:
    store = Store.open(old, create=False)
    contest = store.entries()[-1].contest
    command = "SELECT statistics, clock FROM games WHERE contest = ? ORDER BY number"
    columns = store.connection.execute(command, (contest.id,)).fetchall()
    assert contest == replace(
        MatchSchedule.of("tictactoe", PLAYERS), version=contest.version
    )  # the same command finds it
    for outcome, moves in zip(store.outcomes(contest), store.moves(contest), strict=True):
        assert [move.seat for move in moves] == [turn % 2 for turn in range(outcome.moves)]
        thoughts, seconds = columns[outcome.fixture.number]
        assert [move.thought for move in moves] == json.loads(thoughts)
        assert [move.seconds for move in moves] == json.loads(seconds)
        state = contest.board.new_state()
        for move in moves:
            state = contest.board.after(state, move.action)
        assert tuple(contest.board.result(state)) == outcome.results


def test_a_half_finished_match_of_an_old_store_goes_on(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = list(Store.open(old, create=False).outcomes(run_of(Store.open(old, create=False)).contest))
    luozi.messages.errors._notice.clear()  # the command line's, of an earlier test
    with pytest.warns(UserWarning, match="was converted to format"):
        store = Store.open(old)
    run = run_of(store)
    run.load(store)
    assert len(run.played) == 4
    play_all([run], store, Here())
    assert run.complete
    found = list(store.outcomes(run.contest))
    assert found[:4] == kept
    assert all(len(store.record(run.contest, game).splitlines()) > 2 * found[game].moves for game in range(8))
    assert store.measured("an experiment", "a key") == [1, 2.5]
    store.close()
    assert cli.main(["results", "--db", str(old), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["finished"] == 8


def test_a_store_becomes_a_new_one_once(old: Path, recwarn: pytest.WarningsRecorder) -> None:
    luozi.messages.errors._notice.clear()
    said = []
    for _ in range(3):
        Store.open(old).close()
        said.append(len(recwarn))
    assert said == [1, 1, 1]
    for table in ("contests", "games", "measurements"):
        fresh, migrated = (
            [row[1:4] for row in one.execute(f"PRAGMA table_info({table})")]
            for one in (Store.open(None).connection, sqlite3.connect(old))
        )
        assert fresh == migrated


def test_old_rows_are_saved_beside_new_ones(old: Path, tmp_path: Path) -> None:
    store = Store.open(old)
    run = run_of(store)
    fixture = run.contest.fixture(5)
    store.add(run.contest, play_fixture(run.contest, fixture))
    kept = list(store.outcomes(run.contest))
    store.close()
    assert recover(old, tmp_path / "saved.db").games == 5 + 6
    saved = Store.open(tmp_path / "saved.db")
    assert list(saved.outcomes(run.contest)) == kept
    assert len(moves_of(run.contest, kept[-1])) == kept[-1].moves


@pytest.mark.parametrize(
    "command", [["results", "--list"], ["match", "random", "random", "-g", "tictactoe", "-n", "2"]]
)
def test_a_store_of_a_newer_luozi_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    path = tmp_path / "new.db"
    store = Store.open(path)
    store.connection.execute("PRAGMA user_version=6")
    store.close()
    before = path.read_bytes()
    assert cli.main([*command, "--db", str(path)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "newer Luozi" in said[0]
    assert path.read_bytes() == before
