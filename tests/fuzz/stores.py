"""Stores: files of results with changed bits, lost ends and edited fields, in today's format and those before."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from contextlib import suppress
from pathlib import Path

from luozi.matches.game_runner import play_fixture
from luozi.matches.recovery import recover
from luozi.matches.rows import GAME, digest_of, game_digest, old_columns, old_digest, unpack_record
from luozi.matches.runner import Run
from luozi.matches.schedule import MatchSchedule, id_of
from luozi.matches.store import FORMAT, Store
from luozi.matches.summary import summarise, summary_text
from luozi.messages import LuoziError
from luozi.records.record import data_values, split_data
from luozi.reports.contest_files import csv_line, json_text
from luozi.statistics.matches import Sprt

from .chance import Chance

ESCAPE = "\x1b"
FORMATS = Path(__file__).parents[1] / "formats"
TABLES = ("contests", "games", "measurements")
VALUES = (None, "", "x", "[]", "[0, 7]", "[1, 0]", "[1e999, NaN]", "{}", "[" * 5000, "9" * 5000, -1, 0, 3, 2**62, 0.5)
PARTS = (None, "", "x", [], {}, -1, 0, 3, 0.5, True, 2**62, 10**400, [[]], [1], [None], ["random"] * 40, {"a": 1})
PARTS += (["\x1b[2J", "random"], ["random"] * 3000, {"plies": 10**18, "lines": []}, {"plies": 0, "lines": [[-1]]})
VALUES += (b"\xff\x00", '{"elo0": 0, "elo1": 1e9}', '"x"', "null", "[null, null]")


def make_store(path: Path, games: int = 6) -> Path:
    """A store with a match, a tournament and measurements, in one file; long values go over several pages."""
    store = Store.open(path)
    match = MatchSchedule.of("tictactoe", ["random:seed=1", "random"])
    tournament = MatchSchedule.of(
        "tictactoe", ["random", "flat:playouts=5", "random:seed=2"], "round-robin", visits=True
    )
    for contest, count in ((tournament, 2), (match, games)):
        store.enter(contest, count, {"elo0": 0, "elo1": 300, "alpha": 0.05, "beta": 0.05} if contest is match else None)
        for fixture in contest.fixtures(count):
            store.add(contest, play_fixture(contest, fixture))
    store.measure("an experiment", "short", 1)
    store.measure("an experiment", "long", ["x" * 9000])
    store.close()
    return path


def make_old(path: Path) -> None:
    """The format before digests and data."""
    connection, before = sqlite3.connect(path), sqlite3.connect(FORMATS / "store-2.db")
    rows = connection.execute(f"SELECT contest, {GAME} FROM games").fetchall()
    [(command,)] = before.execute("SELECT sql FROM sqlite_master WHERE name = 'games'")
    connection.execute("DROP TABLE games")
    connection.execute(command)
    for row in rows:
        record, data = split_data(unpack_record(row[10], "a game"))
        values = data_values(data)
        about = [json.dumps([value.get(name) for value in values]) for name in ("thought", "seconds")]
        old = (*row[:10], record, *about, *row[11:])
        connection.execute(f"INSERT INTO games VALUES ({', '.join('?' * len(old))})", old)
    connection.execute("ALTER TABLE measurements DROP COLUMN digest")
    connection.execute("PRAGMA user_version=2")
    connection.commit()
    connection.close()
    before.close()


def put(path: Path, content: bytes) -> None:
    """This file, and no log beside it."""
    for old in path.parent.glob(f"{path.name}*"):
        old.unlink()
    path.write_bytes(content)


def look(path: Path) -> dict[str, object]:
    """All that a store tells, as the commands read it; nothing where it says that it is damaged."""
    try:
        store = Store.open(path, create=False)
    except LuoziError:
        return {}
    try:
        told: dict[str, object] = {key: store.measured("an experiment", key) for key in ("short", "long")}
        for entry in store.entries():
            run = Run(entry.contest, entry.wanted, None if entry.test is None else Sprt(**entry.test))
            run.load_games(store)
            summary = summarise(run)
            json_text(summary)
            assert ESCAPE not in summary_text(summary), "an order to the terminal"
            told |= {f"{entry.contest.id} {game.number}": game for game in run.played.values()}
            told |= {f"{entry.contest.id}: {one.fixture.number}": one for one in store.outcomes(entry.contest)}
            for one in store.outcomes(entry.contest):
                csv_line(entry.contest, one)
            for number, moves in enumerate(store.moves(entry.contest)):
                assert all(move.seat < entry.contest.seats for move in moves), number
        return {key: value for key, value in told.items() if value is not None}
    except LuoziError as error:
        return {} if str(path) in str(error) else {"a sentence": str(error)}
    finally:
        store.close()


class Stores:
    """One damaged file."""

    share = 0.3

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        kinds = [make_store(folder / "whole.db")]
        kinds += [Path(shutil.copy(FORMATS / f"store-{number}.db", folder)) for number in (2, 3, 4)]
        self.kinds = [(path.read_bytes(), None if path.stem == "store-2" else look(path)) for path in kinds]
        self.path, self.saved = folder / "results.db", folder / "saved.db"

    def run(self, chance: Chance) -> int:
        """It is damaged and says so, or it tells nothing wrong; what is saved can be read."""
        content, truth = chance.choice(self.kinds)  # no truth without digests
        if chance.often(0.5):
            damaged = chance.spoil_bytes(content)
            self.input = "bytes that differ from those of a store"
            put(self.path, damaged)
            if chance.often(0.1):
                self.path.with_name("results.db-wal").write_bytes(chance.spoil_bytes(content)[: chance.pick(10, 5000)])
        else:
            put(self.path, content)
            self.edit(chance)
            truth = None
        told = look(self.path)
        assert truth is None or told.items() <= truth.items(), "a wrong result"
        for old in self.saved.parent.glob("saved.db*"):
            old.unlink()
        with suppress(LuoziError):
            recover(self.path, self.saved)
            look(self.saved)
        return 1

    def edit(self, chance: Chance) -> None:
        """Change a column of all rows, or of one; somebody who knows the format makes the digests fit again."""
        connection = sqlite3.connect(self.path)
        if chance.often(0.5):
            with suppress(sqlite3.OperationalError, sqlite3.IntegrityError):  # an older format has no digests
                self.forge(connection, chance)
                connection.commit()
            connection.close()
            return
        table = chance.choice(TABLES)
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        column, value = chance.choice(columns), chance.choice(VALUES)
        where = f"WHERE {columns[0]} = (SELECT max({columns[0]}) FROM {table})" if chance.often(0.3) else ""
        self.input = f"UPDATE {table} SET {column} = {value!r} {where}"
        with suppress(sqlite3.IntegrityError):
            connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ? {where}", (value,))
        connection.commit()
        connection.close()

    def forge(self, connection: sqlite3.Connection, chance: Chance) -> None:
        """Other values with the digests that belong to them."""
        table, value = chance.choice(TABLES), chance.choice(VALUES)
        if table == "contests":
            [definition] = connection.execute("SELECT definition FROM contests LIMIT 1").fetchone()
            parts = json.loads(definition)
            name = chance.choice([*parts, "own", "openings.lines", "openings.plies"])
            self.input = f"{name} of a contest is {value!r:.200}"
            put_in = parts["openings"] if name.startswith("openings.") else parts
            put_in[name.removeprefix("openings.")] = chance.choice(PARTS) if chance.often(0.7) else str(value)
            forged = json.dumps(parts)
            connection.execute("DELETE FROM contests WHERE definition != ?", (definition,))
            connection.execute("UPDATE contests SET definition = ?, id = ?", (forged, id_of(forged)))
            connection.execute("UPDATE OR IGNORE games SET contest = ?", (id_of(forged),))
        if table == "measurements":
            self.input = f"a measurement is {value!r:.200}"
            connection.execute("UPDATE measurements SET value = ?", (value,))
            for experiment, key, text in connection.execute(
                "SELECT experiment, key, value FROM measurements"
            ).fetchall():
                digest = digest_of(experiment, key, text)
                connection.execute("UPDATE measurements SET digest = ? WHERE key = ?", (digest, key))
        if table == "games":
            column = chance.choice(GAME.split(", "))
            self.input = f"{column} of all games is {value!r:.200}"
            connection.execute(f"UPDATE OR IGNORE games SET {column} = ?", (value,))
        [found] = connection.execute("PRAGMA user_version").fetchone()
        columns = old_columns(found) if found < FORMAT else f"contest, {GAME}"
        for row in connection.execute(f"SELECT {columns} FROM games").fetchall():
            with suppress(TypeError, ValueError):  # not even the digest can be made
                digest = old_digest(row[0], row) if found < FORMAT else game_digest(row[0], row[1:])
                connection.execute("UPDATE games SET digest = ? WHERE contest = ? AND number = ?", (digest, *row[:2]))
