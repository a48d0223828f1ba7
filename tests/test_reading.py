"""Reading changes nothing: whatever is listed, shown, exported or asked for by a page, a store stays byte for byte."""

from __future__ import annotations

import hashlib
import io
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fuzz.stores import make_old
from web_page import serving

import luozi
from luozi.cli.app import main
from luozi.experiments import EXPERIMENTS
from luozi.experiments.frame import Bench, Design, ExperimentBudget, ExperimentRow, TableDesign, experiment
from luozi.experiments.report import do_experiment
from luozi.experiments.table import MATCH_COLUMNS
from luozi.matches.recovery import recover
from luozi.matches.runner import Run, play_all
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store
from luozi.matches.tuning.trials import Tuning, TuningRun
from luozi.matches.workers import Here
from luozi.statistics.matches import Sprt

KINDS = ["match", "tournament", "sprt", "tuning", "experiment", "old", "killed", "rollback"]
COMMANDS = ["", "--list", "--json", "--record 1", "--sgf ../out/games", "--csv ../out/x.csv", "--plot ../out/x.svg"]
COMMANDS += ["--html ../out/x.html", "--recover ../out/new.db"]


class Stopped(Here):
    """Plays so many games, and is interrupted."""

    def __init__(self, games: int) -> None:
        self.games = games

    def run(self, tasks: Any) -> Iterator[Any]:
        for task in tasks:
            self.games -= 1
            if self.games < 0:
                raise KeyboardInterrupt
            yield task, task.function(task.shared, task.part)


@experiment("toy", "A toy", "nobody", ExperimentBudget(100, iterations=50), ExperimentBudget(10, iterations=5))
def toy(bench: Bench) -> Design:
    """Who wins?"""
    run = bench.contest("tictactoe", ["flat:playouts=2", "random"], 2)
    tuning = bench.tuning("flat", ["simulations=1:9"], "random", "tictactoe", 200)
    row = ExperimentRow({}, [run], {"one": lambda: 1}, tuning)
    return Design([TableDesign("Who wins", MATCH_COLUMNS, [row])])


def make(kind: str, path: Path) -> None:
    """A store of a kind."""
    store = Store.open(path)
    players = ["random:seed=1", "random", "flat:playouts=2"]
    if kind == "tuning":
        run = TuningRun(Tuning.of("flat", ["simulations=1:9"], "random", "tictactoe", 3).in_trials(20), 200, store)
        with pytest.raises(KeyboardInterrupt):
            run.play(Stopped(50))
    elif kind == "experiment":
        with pytest.raises(KeyboardInterrupt):
            do_experiment(toy, toy.bench(games=2, iterations=3, store=store, executor=Stopped(30)), {})
    else:
        style = "round-robin" if kind == "tournament" else "match"
        contest = MatchSchedule.of("tictactoe", players[: 3 if style == "round-robin" else 2], style)
        run = Run(contest, 4, Sprt(0, 300) if kind == "sprt" else None)
        run.load(store)
        play_all([run], store, Here())
    store.close()
    if kind == "old":
        make_old(path)
    if kind == "rollback":
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.close()
    if kind == "killed":  # as kill -9 leaves it: a log with games that are not in the file yet
        store = Store.open(path)
        store.enter(MatchSchedule.of("tictactoe", ["random", "random"], seed=99), 2)
        for end in ("", "-wal", "-shm"):
            shutil.copy(f"{path}{end}", f"{path}.copy{end}")
        store.close()
        for end in ("", "-wal", "-shm"):
            shutil.move(f"{path}.copy{end}", f"{path}{end}")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder of each kind."""
    found = {}
    for kind in KINDS:
        found[kind] = tmp_path_factory.mktemp(kind)
        make(kind, found[kind] / "results.db")
    return found


def seen(folder: Path) -> dict[str, tuple[str, int]]:
    """All files with digest and time."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in files}


@pytest.mark.parametrize("kind", KINDS)
def test_reading_a_store_leaves_it_as_it_is(
    kind: str, made: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(made[kind], tmp_path / kind))  # with the times of its files
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setitem(EXPERIMENTS, "toy", toy)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    before = seen(folder)
    for words in COMMANDS:
        assert main(["results", *words.split()]) in (0, 2)
        assert seen(folder) == before, words
    statuses = []
    with serving(results=folder / "results.db") as client:
        for one in client.json("/api/results"):
            for path in ("", "?from=1&count=1", "/report", "/games/1"):
                client.get(f"/api/results/{one['id']}{path}")
            if one["part_of"]:
                statuses.append(client.get(f"/api/results/whole/{quote(one['part_of'])}")[0])
    assert seen(folder) == before
    assert not statuses or 200 in statuses  # the report was drawn, from what is there
    store = Store.open(folder / "results.db")
    assert store.entries()
    store.close()


def test_a_store_that_is_written_can_be_read_as_it_grows(tmp_path: Path) -> None:
    path, contest = tmp_path / "results.db", MatchSchedule.of("tictactoe", ["random:seed=1", "random"])
    writer = Store.open(path)
    run = Run(contest, 4)
    run.load(writer)
    reader = Store.open(path, create=False)
    assert reader.count(contest) == 0
    play_all([run], writer, Here())
    assert reader.count(contest) == 4
    other = Store.open(path, create=False)
    assert other.count(contest) == 4
    for store in (other, reader, writer):
        store.close()
    assert [one.name for one in tmp_path.iterdir()] == ["results.db"]


def test_nothing_can_be_written_to_a_store_that_is_only_read(tmp_path: Path) -> None:
    make("match", tmp_path / "results.db")
    store = Store.open(tmp_path / "results.db", create=False)
    with pytest.raises(luozi.LuoziError, match="readonly"):
        store.measure("an experiment", "key", 1)
    store.close()


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE games RENAME TO other; CREATE VIEW games AS SELECT * FROM other",
        "ALTER TABLE contests RENAME TO other; CREATE VIEW contests AS "
        "WITH RECURSIVE c AS (SELECT * FROM other UNION ALL SELECT * FROM c) SELECT * FROM c",
        "ALTER TABLE games ADD COLUMN extra TEXT AS (hex(zeroblob(100000000)))",
        "DROP TABLE measurements",
    ],
)
def test_a_store_with_other_than_plain_tables_is_refused(tmp_path: Path, change: str) -> None:
    path = tmp_path / "results.db"
    make("match", path)
    connection = sqlite3.connect(path)
    connection.executescript(change)
    connection.close()
    for create in (False, True):
        with pytest.raises(luozi.LuoziError, match="damaged or not a results database"):
            Store.open(path, create=create)


def test_a_file_that_does_not_fit_into_the_memory_is_not_read_into_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large.db"
    with path.open("wb") as file:
        file.write(b"SQLite format 3\0")
        file.truncate(9 << 20)
    monkeypatch.setattr("luozi.matches.salvage.memory_megabytes", lambda: 64)
    with pytest.raises(luozi.LuoziError, match=r"more than 8\.0 MB"):
        recover(path, tmp_path / "new.db")
