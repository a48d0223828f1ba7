"""Damaged stores: every command says which file it is, no wrong result is shown, and what is whole can be saved.

What must be found again is what SQLite itself reads from the file before it is damaged.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from fuzz.stores import look, make_old, make_store, put

import luozi
from luozi.cli import app as cli
from luozi.matches.recovery import recover
from luozi.matches.salvage import read_pages, rows_in
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store

GAMES = 16
NASTY = [None, "[0, 7]", "[1e999, NaN]", "[" * 5000, "9" * 5000, -1, b"\xff\x00"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a match, a tournament and measurements, in one file; long values go over several pages."""
    return make_store(tmp_path_factory.mktemp("store") / "results.db", GAMES)


@pytest.fixture
def copy(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LUOZI_DEBUG", raising=False)
    return Path(shutil.copy(whole, tmp_path / "results.db"))


def rows_of(path: Path) -> set[tuple[object, ...]]:
    """All rows as SQLite reads them."""
    connection = sqlite3.connect(path)
    tables = ("contests", "games", "measurements")
    rows = {row for table in tables for row in connection.execute(f"SELECT * FROM {table}")}
    connection.close()
    return rows


COMMANDS = [
    ("results", "--list"),
    ("results", "--record", "3"),
    ("results", "--csv", "games.csv"),
    ("match", "random:seed=1", "random", "-g", "tictactoe", "-n", "2", "--workers", "1", "--json"),
]


def all_commands(path: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What every command says that fails, each in one sentence."""
    sentences = []
    for words in COMMANDS:
        status = cli.main([*words, "--db", str(path)])
        said = capsys.readouterr().err.splitlines()
        assert status in (0, 2), said
        if status:
            assert said[-1].startswith("luozi: ")
            sentences.append(said[-1])
    return sentences


# What SQLite reads ----------------------------------------------------------------------------------------------------


def test_pages_hold_the_rows_that_sqlite_finds(whole: Path) -> None:
    assert rows_of(whole) <= {row.values for row in rows_in(read_pages(whole))}


def test_pages_of_a_log_are_read_as_sqlite_reads_them(whole: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(whole, tmp_path / "killed.db"))
    store = Store.open(path)
    store.measure("an experiment", "new", "y" * 20_000)
    store.measure("an experiment", "short", 2)
    shutil.copy(path, tmp_path / "copy.db")
    shutil.copy(f"{path}-wal", tmp_path / "copy.db-wal")
    pages = read_pages(tmp_path / "copy.db")
    (tmp_path / "image.db").write_bytes(pages.image)
    assert rows_of(tmp_path / "image.db") == rows_of(path) != rows_of(whole)
    assert rows_of(path) <= {row.values for row in rows_in(pages)}


def test_the_end_of_a_log_that_was_not_written_whole_does_not_count(whole: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(whole, tmp_path / "torn.db"))
    store = Store.open(path)
    store.measure("an experiment", "first", 1)
    committed = Path(f"{path}-wal").stat().st_size
    store.measure("an experiment", "second", 2)
    log = bytearray(Path(f"{path}-wal").read_bytes())
    log[committed + 200] ^= 1
    shutil.copy(path, tmp_path / "copy.db")
    (tmp_path / "copy.db-wal").write_bytes(log)
    image = read_pages(tmp_path / "copy.db").image
    (tmp_path / "image.db").write_bytes(image)
    keys = {row[1] for row in rows_of(tmp_path / "image.db") if row[0] == "an experiment"}
    assert keys == {"short", "long", "first"}


# Damage ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.001, 0.3, 0.7, 0.9])
def test_a_truncated_store_is_named_and_what_is_left_is_saved(
    share: float, copy: Path, whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.truncate(copy, int(share * copy.stat().st_size))
    sentences = all_commands(copy, capsys)
    assert sentences
    assert all("results.db" in sentence for sentence in sentences)
    status = cli.main(["results", "--db", str(copy), "--recover", "saved.db"])
    assert status == (2 if share < 0.01 else 0)
    if not status:
        assert 0 < len(rows_of(Path("saved.db")) & rows_of(whole)) == len(rows_of(Path("saved.db")))


def test_flipped_bits_never_give_a_wrong_result_or_a_traceback(copy: Path, whole: Path, tmp_path: Path) -> None:
    rng, content, known, truth = random.Random(1), whole.read_bytes(), rows_of(whole), look(whole)
    assert len(truth) > 2 * GAMES
    for trial in range(40):
        damaged = bytearray(content)
        for _ in range(rng.choice((1, 3, 30))):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        put(copy, damaged)
        assert look(copy).items() <= truth.items()
        saved = tmp_path / f"{trial}.db"
        with suppress(luozi.LuoziError):
            recover(copy, saved)
            assert {row for row in rows_of(saved) if len(row) != 6} <= known


def test_one_damaged_page_costs_no_more_than_the_rows_on_it(copy: Path, whole: Path, tmp_path: Path) -> None:
    known, size = rows_of(whole), read_pages(whole).size
    for number in range(whole.stat().st_size // size):
        content = bytearray(whole.read_bytes())
        content[number * size : (number + 1) * size] = b"\xff" * size
        copy.write_bytes(content)
        found = recover(copy, tmp_path / f"{number}.db")
        kept = rows_of(tmp_path / f"{number}.db")
        assert kept <= known
        assert len(kept) >= len(known) - 25  # rows of a page of 4 kB; one contest is lost without its games
        assert found.games + found.contests + found.measurements == len(kept)


ANY_TEXT = {"part_of", "asked", "digest", "contest", "experiment", "key"}  # names; without a digest, what fits counts


@pytest.mark.parametrize("table", ["contests", "games", "measurements"])
@pytest.mark.parametrize("old", [False, pytest.param(True, marks=pytest.mark.long)])
def test_edited_fields_are_noticed(table: str, old: bool, copy: Path, whole: Path) -> None:
    truth = look(whole)
    if old:
        make_old(copy)
    content = copy.read_bytes()
    for column in [row[1] for row in sqlite3.connect(copy).execute(f"PRAGMA table_info({table})")]:
        for value in NASTY:
            put(copy, content)
            with sqlite3.connect(copy) as connection, suppress(sqlite3.IntegrityError):
                connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (value,))
            connection.close()
            told = look(copy)
            assert old or told.items() <= truth.items() or column in ANY_TEXT, (column, value)


def test_every_command_names_the_damaged_file(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(copy) as connection:
        connection.execute("UPDATE games SET results = replace(results, '1.0', '0.5')")
    connection.close()
    sentences = all_commands(copy, capsys)
    assert len(sentences) == len(COMMANDS)
    assert all("results.db" in sentence and "--recover" in sentence for sentence in sentences)


# Formats and places ---------------------------------------------------------------------------------------------------


def test_a_store_without_digests_is_read_and_becomes_one_with_them(copy: Path, whole: Path, tmp_path: Path) -> None:
    make_old(copy)
    before, looked_at = rows_of(copy), Store.open(copy, create=False)
    [*_, last] = looked_at.entries()
    games = looked_at.played(last.contest)
    assert len(games) == GAMES
    assert looked_at.measured("an experiment", "short") == 1
    looked_at.close()
    assert rows_of(copy) == before
    recover(copy, tmp_path / "saved.db")
    store = Store.open(copy)
    assert store.played(last.contest) == games == Store.open(tmp_path / "saved.db").played(last.contest)
    store.measure("an experiment", "short", 2)
    store.close()
    assert {len(row) for row in rows_of(copy)} == {len(row) for row in rows_of(whole)}


def test_recovery_never_overwrites(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.db").write_text("mine")
    with pytest.raises(luozi.LuoziError, match=r"exists\. Choose a new file"):
        recover(copy, tmp_path / "mine.db")
    with pytest.raises(luozi.LuoziError, match="no results database"):
        recover(tmp_path / "none.db", tmp_path / "new.db")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.db", "results.db"]


@pytest.mark.parametrize("killed", [False, True])
def test_a_store_that_can_not_be_written_to_can_be_looked_at(copy: Path, tmp_path: Path, killed: bool) -> None:
    """As somebody who may only read the folder; `killed` leaves a log beside the file."""
    folder = tmp_path / "read only"
    folder.mkdir()
    path = Path(shutil.copy(copy, folder / "results.db"))
    if killed:
        store = Store.open(copy)
        store.enter(MatchSchedule.of("tictactoe", ["random", "random"], seed=99), 2)
        shutil.copy(f"{copy}-wal", f"{path}-wal")
    code = (
        "import os, sys; from luozi.cli.app import main\n"
        "assert main(['results', '--list', '--db', sys.argv[2]]) == 0  # all is imported\n"
        "if os.geteuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "print('now'); sys.exit(main(['results', '--list', '--db', sys.argv[1]]))"
    )
    for entry in folder.iterdir():
        entry.chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
    folder.chmod(0o555)
    for above in (tmp_path, *tmp_path.parents):
        if Path(tempfile.gettempdir()) in above.parents:
            above.chmod(0o755)
    words = [sys.executable, "-c", code, str(path), str(copy)]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=120)
    folder.chmod(0o755)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.partition("now")[2].count("tictactoe") == (3 if killed else 2)
    assert len(list(folder.iterdir())) == (2 if killed else 1)
