"""Where results are kept: one SQLite file for any number of contests. A game is in it as soon as it is finished.

The file is in write-ahead mode: adding a game costs the same however many there are, a program that is killed loses
nothing, and others may read while games are played.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from luozi.errors import LuoziError
from luozi.match.contest import Contest, Fixture
from luozi.match.playing import Outcome

FORMAT = 2
TABLES = """
CREATE TABLE IF NOT EXISTS contests (
    id TEXT PRIMARY KEY,
    definition TEXT NOT NULL,   -- JSON: game, players, kind, seed, openings
    part_of TEXT NOT NULL,      -- the tuning or experiment it belongs to, or nothing
    wanted INTEGER NOT NULL,    -- games for each group of players, as asked for last
    test TEXT NOT NULL,         -- JSON: the sequential test, as asked for last, or null
    asked TEXT NOT NULL         -- when, in UTC
);
CREATE TABLE IF NOT EXISTS games (
    contest TEXT NOT NULL,
    number INTEGER NOT NULL,    -- in the contest, from 0
    encounter INTEGER NOT NULL, -- games of one opening between the same players
    round INTEGER NOT NULL,     -- which opening
    seats TEXT NOT NULL,        -- JSON: the players' numbers in the order of the seats
    results TEXT NOT NULL,      -- JSON: by seat, from 0 to 1
    loser INTEGER NOT NULL,     -- the number of the player who forfeited or resigned, or -1
    forfeit TEXT NOT NULL,      -- what a player who forfeited did, or nothing
    moves INTEGER NOT NULL,
    seeds TEXT NOT NULL,        -- JSON: by seat
    record TEXT NOT NULL,       -- the game as text
    statistics TEXT NOT NULL,   -- JSON: what was thought at each move
    clock TEXT NOT NULL,        -- JSON: seconds of each move
    versions TEXT NOT NULL,     -- JSON: what played
    finished TEXT NOT NULL,
    PRIMARY KEY (contest, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS measurements (
    experiment TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,        -- JSON
    PRIMARY KEY (experiment, key)
) WITHOUT ROWID;
"""


class Played(NamedTuple):
    """What statistics need of a finished game."""

    number: int
    encounter: int
    seats: tuple[int, ...]
    results: tuple[float, ...]
    loser: int
    forfeit: str
    moves: int

    @classmethod
    def of(cls, outcome: Outcome) -> Played:
        """The same of a game that was just played."""
        number, encounter, _, seats = outcome.fixture
        return cls(number, encounter, seats, outcome.results, outcome.loser, outcome.forfeit, outcome.moves)


PLAYED = "number, encounter, seats, results, loser, forfeit, moves"


def read_played(row: Sequence[Any]) -> Played:
    """A game from a row of these columns."""
    number, encounter, seats, results, *rest = row
    return Played(number, encounter, tuple(json.loads(seats)), tuple(json.loads(results)), *rest)


class Entry(NamedTuple):
    """A contest in the store."""

    contest: Contest
    part_of: str
    wanted: int
    test: dict[str, float] | None
    asked: str


class Store:
    """One file of results; `Store.open(None)` keeps them in memory."""

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        self.connection, self.name = connection, name

    @classmethod
    def open(cls, path: Path | None, create: bool = True) -> Store:
        """Open or make a file; one sentence if that can't be."""
        if path is not None and not create and not path.is_file():
            raise LuoziError(f"there is no file '{path}' with results: play a match first, or name one with --store")
        name = ":memory:" if path is None else str(path)
        try:
            connection = sqlite3.connect(name, timeout=30, isolation_level=None)
            # Nothing is written before it is clear that the file is ours.
            found = connection.execute("PRAGMA user_version").fetchone()[0]
            if found not in (0, FORMAT):
                raise LuoziError(f"'{name}' was written by another version of Luozi: choose another file with --store")
            if not found and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise LuoziError(f"'{name}' is another program's database: choose another file with --store")
            if not found and not create:
                raise LuoziError(f"'{name}' holds no results")
            connection.execute("PRAGMA synchronous=NORMAL")
            if not found:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.executescript(f"BEGIN; {TABLES} PRAGMA user_version={FORMAT}; COMMIT")
        except sqlite3.Error as error:
            raise LuoziError(f"can't keep results in '{name}': {error}") from None
        return cls(connection, name)

    def _do(self, command: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """One command; one sentence if the file is locked, full or gone."""
        try:
            return self.connection.execute(command, values)
        except sqlite3.Error as error:
            raise LuoziError(f"'{self.name}': {error}; what was finished before is kept there") from None

    def close(self) -> None:
        """Nothing is lost without it; it leaves one file."""
        self.connection.close()

    # Contests ---------------------------------------------------------------------------------------------------------

    def enter(self, contest: Contest, wanted: int, test: dict[str, float] | None = None, part_of: str = "") -> None:
        """Note a contest and what is asked of it now."""
        now = datetime.now(UTC).isoformat(" ", "microseconds")
        self._do(
            "INSERT INTO contests VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET wanted = excluded.wanted, test = excluded.test, asked = excluded.asked",
            (contest.id, contest.definition, part_of, wanted, json.dumps(test), now),
        )

    def entries(self) -> list[Entry]:
        """All contests, the one asked for last at the end."""
        rows = self._do("SELECT definition, part_of, wanted, test, asked FROM contests ORDER BY asked, rowid")
        return [Entry(Contest.read(row[0]), row[1], row[2], json.loads(row[3]), row[4]) for row in rows]

    # Games ------------------------------------------------------------------------------------------------------------

    def add(self, contest: Contest, outcome: Outcome) -> bool:
        """Keep a finished game at once; false if it is there already."""
        number, encounter, round_, seats = outcome.fixture
        fields = [json.dumps(value) if isinstance(value, tuple) else value for value in outcome[1:]]
        row = (contest.id, number, encounter, round_, json.dumps(seats), *fields)
        marks = ", ".join("?" * len(row))
        return self._do(f"INSERT OR IGNORE INTO games VALUES ({marks})", row).rowcount == 1

    def played(self, contest: Contest) -> list[Played]:
        """All finished games of a contest, in order."""
        rows = self._do(f"SELECT {PLAYED} FROM games WHERE contest = ? ORDER BY number", (contest.id,))
        return [read_played(row) for row in rows]

    def find(self, contest: Contest, number: int) -> Played | None:
        """One finished game, or None."""
        row = self._do(f"SELECT {PLAYED} FROM games WHERE contest = ? AND number = ?", (contest.id, number)).fetchone()
        return None if row is None else read_played(row)

    def count(self, contest: Contest) -> int:
        """How many games of a contest are finished."""
        found = self._do("SELECT count(*) FROM games WHERE contest = ?", (contest.id,)).fetchone()
        return int(found[0])

    def outcomes(self, contest: Contest) -> Iterator[Outcome]:
        """All that is known of all finished games, in order."""
        rows: Iterable[Any] = self._do("SELECT * FROM games WHERE contest = ? ORDER BY number", (contest.id,))
        for _, number, encounter, round_, seats, results, loser, forfeit, moves, seeds, *rest in rows:
            fixture = Fixture(number, encounter, round_, tuple(json.loads(seats)))
            yield Outcome(fixture, tuple(json.loads(results)), loser, forfeit, moves, tuple(json.loads(seeds)), *rest)

    def record(self, contest: Contest, number: int) -> str:
        """The record of one game; one sentence if it is not finished."""
        row = self._do("SELECT record FROM games WHERE contest = ? AND number = ?", (contest.id, number)).fetchone()
        if row is None:
            raise LuoziError(f"game {number + 1} of {contest.id} is not finished")
        return str(row[0])

    # Measurements -----------------------------------------------------------------------------------------------------

    def measured(self, experiment: str, key: str) -> Any:
        """A value that an experiment has measured already, or None."""
        found = self._do(
            "SELECT value FROM measurements WHERE experiment = ? AND key = ?", (experiment, key)
        ).fetchone()
        return None if found is None else json.loads(found[0])

    def measure(self, experiment: str, key: str, value: Any) -> None:
        """Keep a measured value."""
        self._do("INSERT OR REPLACE INTO measurements VALUES (?, ?, ?)", (experiment, key, json.dumps(value)))
