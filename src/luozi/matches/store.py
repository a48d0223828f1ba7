"""The results database: one SQLite file for any number of matches. A game is stored as soon as it is finished.

The file is in write-ahead mode: the cost of adding a game does not grow, a program that is killed loses nothing, and
other programs can read while games are played. `rows` checks each row, `salvage` reads files that SQLite can't open,
`recovery` saves the undamaged rows of a damaged file.
"""

from __future__ import annotations

import json
import shlex
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from luozi.matches.game_runner import Outcome, moves_of
from luozi.matches.rows import (
    ENTRY,
    GAME,
    MOST,
    RESULT,
    DamageError,
    Entry,
    ScoredGame,
    digest_of,
    game_digest,
    game_row,
    old_columns,
    read_entry,
    read_measurement,
    read_outcome,
    read_played,
    upgraded,
)
from luozi.matches.salvage import read_pages, reading_mode
from luozi.matches.schedule import MatchSchedule
from luozi.messages import LuoziError, Message, warn_once
from luozi.records.moves import Move
from luozi.util.parsing import JsonValue, SqlValue, is_file, path_of

__all__ = ["Entry", "ScoredGame", "Store"]

OLDEST, FORMAT = 2, 5  # of a file; all between can be read, and become the newest one when they are written to
TABLES = (
    """CREATE TABLE contests (
        id TEXT PRIMARY KEY,
        definition TEXT NOT NULL,   -- JSON: game, players, kind, seed, openings
        part_of TEXT NOT NULL,      -- the tuning or experiment it belongs to, or nothing
        wanted INTEGER NOT NULL,    -- games for each group of players, as asked for last
        test TEXT NOT NULL,         -- JSON: the sequential test, as asked for last, or null
        asked TEXT NOT NULL         -- when, in UTC
    )""",
    """CREATE TABLE games (
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
        record BLOB NOT NULL,       -- zlib: the record as text, with the data of all moves
        versions TEXT NOT NULL,     -- JSON: what played
        finished TEXT NOT NULL,
        digest TEXT NOT NULL,       -- of the result and of all columns; nothing in rows of format 2, as below
        PRIMARY KEY (contest, number)
    ) WITHOUT ROWID""",
    """CREATE TABLE measurements (
        experiment TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,        -- JSON
        digest TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (experiment, key)
    ) WITHOUT ROWID""",
)
# Errors of SQLite that are not about the content of the file.
SURROUNDINGS = ("BUSY", "LOCKED", "READONLY", "IOERR", "FULL", "CANTOPEN", "PERM", "AUTH", "NOMEM", "PROTOCOL", "NOLFS")

PATIENCE = 30.0  # seconds to wait for a file that another process uses
FAILURES = (sqlite3.Error, ValueError)  # the second where not even SQLite's message can be read
Rows = Iterable[tuple[SqlValue, ...]]


class Store:
    """A results database; `Store.open(None)` has one in memory."""

    def __init__(self, connection: sqlite3.Connection, name: str, found: int = FORMAT) -> None:
        self.connection, self.name = connection, name
        self.is_old = found < FORMAT  # if it is only looked at
        self.game = old_columns(found) if self.is_old else f"contest, {GAME}, digest"
        self.digest = "digest" if found > OLDEST else "''"

    @classmethod
    def open(cls, path: Path | None, create: bool = True) -> Store:
        """Open or create a file, or with `create=False` only read one. Raises LuoziError if that is impossible."""
        name = ":memory:" if path is None else str(path_of(path))
        if not create and not is_file(name):
            raise LuoziError(
                "there is no results database '{name}'. Play a match first, or choose one with --db.", name=name
            )
        try:
            if not create and (how := reading_mode(Path(name))) is None:
                return cls._copied(Path(name))
            where = name if create else f"{Path(name).absolute().as_uri()}?{how}"
            connection = sqlite3.connect(where, timeout=PATIENCE, isolation_level=None, uri=not create)
            return cls._prepared(connection, name, create)
        except FAILURES as error:
            if not about_surroundings(error):
                raise damaged(name, str(error)) from None
            if create:
                raise LuoziError("can't store results in '{name}': {reason}", name=name, reason=error) from None
        return cls._copied(Path(name))

    @classmethod
    def _copied(cls, path: Path) -> Store:
        """Return a copy in memory, where SQLite would write to read the file or can't open its log."""
        try:
            connection = sqlite3.connect(":memory:", isolation_level=None)
            connection.deserialize(read_pages(path).image)
            return cls._prepared(connection, str(path), create=False)
        except FAILURES as error:
            raise damaged(str(path), str(error)) from None

    @classmethod
    def _prepared(cls, connection: sqlite3.Connection, name: str, create: bool) -> Store:
        """Return the store of a connection; nothing is written before the file is known to be a results database."""
        with transaction(connection):  # one moment of the file: another process may create its tables now
            found = found_format(connection, name)
        if found > FORMAT:
            raise LuoziError(
                "'{name}' was written by a newer Luozi: its format is {found}, this version knows {known}. "
                "Install the newer version, or choose another file with --db.",
                name=name,
                found=found,
                known=FORMAT,
            )
        if found and found < OLDEST:
            raise LuoziError(
                "'{name}' was written by an older version of Luozi that this one cannot read. Choose "
                "another file with --db.",
                name=name,
            )
        if not found and not create:
            raise LuoziError("'{name}' holds no results", name=name)
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA trusted_schema=OFF")
        if found:
            refuse_other_tables(connection, name)
        if not found:
            create_tables(connection, name)
        elif found < FORMAT and create:
            try:
                bring_up_to_date(connection, name)
            except DamageError as error:
                raise damaged(name, str(error)) from None
        return cls(connection, name, found if found and not create else FORMAT)

    def rows(self, command: str, values: Sequence[SqlValue] = ()) -> Iterator[Any]:
        """Yield the rows that a command finds. Raises LuoziError if the file is locked, full, gone or damaged."""
        try:
            for row in self.connection.execute(command, values):  # noqa: UP028  a cursor is not to be closed with it
                yield row
        except FAILURES as error:
            raise self._wrong(error) from None

    def _write(self, command: str, values: Sequence[SqlValue]) -> bool:
        """Run a command; return whether it has written a row."""
        try:
            return self.connection.execute(command, values).rowcount == 1
        except FAILURES as error:
            raise self._wrong(error) from None

    def _wrong(self, error: Exception) -> LuoziError:
        if about_surroundings(error):
            return LuoziError(
                "'{name}': {reason}. Games that were finished before are stored there.", name=self.name, reason=error
            )
        return damaged(self.name, str(error))

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Report rows that do not fit as damage of this file."""
        try:
            yield
        except DamageError as error:
            raise damaged(self.name, str(error)) from None

    def close(self) -> None:
        """Close the file; its log is then gone."""
        self.connection.close()

    # Contests ---------------------------------------------------------------------------------------------------------

    def enter(
        self, contest: MatchSchedule, wanted: int, test: dict[str, float] | None = None, part_of: str = ""
    ) -> None:
        """Store a match as it is asked for now."""
        now = datetime.now(UTC).isoformat(" ", "microseconds")
        self._write(
            f"INSERT INTO contests ({ENTRY}) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET wanted = excluded.wanted, test = excluded.test, asked = excluded.asked",
            (contest.id, contest.definition, part_of, wanted, json.dumps(test), now),
        )

    def entries(self) -> list[Entry]:
        """Return all matches, the one that was asked for last at the end."""
        with self._reading():
            return list(map(read_entry, self.rows(f"SELECT {ENTRY} FROM contests ORDER BY asked, rowid")))

    # Games ------------------------------------------------------------------------------------------------------------

    def add(self, contest: MatchSchedule, outcome: Outcome) -> bool:
        """Store a finished game; return false if it is stored already."""
        row = game_row(outcome)
        values = (contest.id, *row, game_digest(contest.id, row))
        marks = ", ".join("?" * len(values))
        return self._write(f"INSERT OR IGNORE INTO games (contest, {GAME}, digest) VALUES ({marks})", values)

    def played(self, contest: MatchSchedule, number: int | None = None) -> list[ScoredGame]:
        """Return the results of all finished games of a match, in order, or of the game of a number, if finished."""
        first, last = (0, MOST) if number is None else (number, number)
        command = (
            f"SELECT {RESULT}, {self.digest} FROM games WHERE contest = ? AND number BETWEEN ? AND ? ORDER BY number"
        )
        with self._reading():
            return [read_played(contest, row) for row in self.rows(command, (contest.id, first, last))]

    def count(self, contest: MatchSchedule) -> int:
        """Return how many games of a match are finished."""
        [(found,)] = self.rows("SELECT count(*) FROM games WHERE contest = ?", (contest.id,))
        return int(found)

    def outcomes(self, contest: MatchSchedule) -> Iterator[Outcome]:
        """Yield all finished games of a match, in order."""
        return self._outcomes(contest, "contest = ? ORDER BY number", contest.id)

    def outcome(self, contest: MatchSchedule, number: int) -> Outcome:
        """Return one game. Raises LuoziError if it is not finished."""
        found = list(self._outcomes(contest, "contest = ? AND number = ?", contest.id, number))
        if not found:
            raise LuoziError("game {number} of {id} is not finished", number=number + 1, id=contest.id)
        return found[0]

    def _outcomes(self, contest: MatchSchedule, where: str, *values: str | int) -> Iterator[Outcome]:
        with self._reading():
            for row in self.rows(f"SELECT {self.game} FROM games WHERE {where}", values):
                yield read_outcome(contest, (upgraded(row) if self.is_old else row)[1:])

    def record(self, contest: MatchSchedule, number: int) -> str:
        """Return the record of one game: its text and its data."""
        outcome = self.outcome(contest, number)
        return outcome.record + outcome.data

    def moves(self, contest: MatchSchedule) -> Iterator[tuple[Move, ...]]:
        """Return the moves of every finished game, in order; with all candidates, if the match stores them.

        >>> from luozi.matches.game_runner import play_fixture
        >>> players = ["flat:playouts=9", "random"]
        >>> store, contest = Store.open(None), MatchSchedule.of("tictactoe", players, visits=True)
        >>> store.add(contest, play_fixture(contest, next(contest.fixtures())))
        True
        >>> [(move.seat, len(move.candidates)) for moves in store.moves(contest) for move in moves[4:6]]
        [(0, 5), (1, 0)]
        """
        return (moves_of(contest, outcome) for outcome in self.outcomes(contest))

    # Measurements -----------------------------------------------------------------------------------------------------

    def measured(self, experiment: str, key: str) -> Any:
        """Return a value that an experiment has measured, or None."""
        command = f"SELECT value, {self.digest} FROM measurements WHERE experiment = ? AND key = ?"
        with self._reading():
            found = [read_measurement(experiment, key, *row) for row in self.rows(command, (experiment, key))]
        return found[0] if found else None

    def measure(self, experiment: str, key: str, value: JsonValue) -> None:
        """Store a measured value."""
        text = json.dumps(value)
        row = (experiment, key, text, digest_of(experiment, key, text))
        self._write("INSERT OR REPLACE INTO measurements (experiment, key, value, digest) VALUES (?, ?, ?, ?)", row)

    # What was saved from another file ---------------------------------------------------------------------------------

    def restore(self, contests: Rows, games: Rows, measurements: Rows) -> None:
        """Write rows of another file, all or none."""
        try:
            with transaction(self.connection):
                for table, rows in (("contests", contests), ("games", games), ("measurements", measurements)):
                    for row in rows:
                        insert(self.connection, table, row)
        except FAILURES as error:
            raise self._wrong(error) from None


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str = "DEFERRED") -> Iterator[None]:
    """Write all or nothing, and read one state of the file."""
    connection.execute(f"BEGIN {kind}")
    with connection:
        yield


def found_format(connection: sqlite3.Connection, name: str) -> int:
    """Return the format of a file, 0 without tables. Raises LuoziError if another program made the tables."""
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if not found and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise LuoziError("'{name}' is the database of another program. Choose another file with --db.", name=name)
    return found


def create_tables(connection: sqlite3.Connection, name: str) -> None:
    """Create the tables in an empty file, unless another process has created them by now.

    The file is in write-ahead mode before it has tables: a process that finds tables finds that mode too.
    """
    use_write_ahead_log(connection)
    with transaction(connection, "IMMEDIATE"):
        if not found_format(connection, name):
            for command in TABLES:
                connection.execute(command)
            connection.execute(f"PRAGMA user_version={FORMAT}")


def use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Set write-ahead mode; SQLite itself does not always wait for another process that uses the file."""
    deadline = monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if not about_surroundings(error, ("BUSY", "LOCKED")) or monotonic() > deadline:
                raise
            sleep(0.01)


def bring_up_to_date(connection: sqlite3.Connection, name: str) -> None:
    """Convert a file of an older format, unless another program has done so by now, and report it."""
    connection.execute("PRAGMA secure_delete=ON")  # what is left of old rows is not to be found by `recover`
    with transaction(connection, "IMMEDIATE"):
        found = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if found < FORMAT:
            rewrite_games(connection, found)
            connection.execute(f"PRAGMA user_version={FORMAT}")
    if found < FORMAT:
        sentence = Message(
            "'{name}' was converted to format {format}. Older versions of Luozi can't read it any more.",
            name=name,
            format=FORMAT,
        )
        warn_once(f"the format of {name}", sentence, UserWarning)


def rewrite_games(connection: sqlite3.Connection, found: int) -> None:
    """Rewrite the games of an older format into the present table."""
    if found < 3:
        connection.execute("ALTER TABLE measurements ADD COLUMN digest TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE games RENAME TO old_games")
    connection.execute(TABLES[1])
    for row in connection.execute(f"SELECT {old_columns(found)} FROM old_games"):
        insert(connection, "games", upgraded(row))
    connection.execute("DROP TABLE old_games")


def insert(connection: sqlite3.Connection, table: str, row: Sequence[SqlValue]) -> None:
    """Insert a row into a table."""
    connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)


def refuse_other_tables(connection: sqlite3.Connection, name: str) -> None:
    """Raise LuoziError if a file has other objects under the names of the tables: a view may never end."""
    plain = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('contests', 'games', 'measurements')"
    hidden = "SELECT count(*) FROM sqlite_master AS one, pragma_table_xinfo(one.name) AS two WHERE two.hidden"
    whole = connection.execute(f"{plain} AND sql LIKE 'CREATE TABLE%'").fetchone() == (3,)
    more = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'"  # what runs when a game is added
    if (
        not whole
        or connection.execute(f"{hidden} AND one.type = 'table'").fetchone() != (0,)
        or connection.execute(more).fetchone() != (0,)
    ):
        raise damaged(name, "its tables are not those of results")


def about_surroundings(error: Exception, kinds: tuple[str, ...] = SURROUNDINGS) -> bool:
    """Return whether an error is of these kinds, by default: the file may be undamaged but can't be used now."""
    kind = getattr(error, "sqlite_errorname", None) or ""
    return kind.removeprefix("SQLITE_").startswith(kinds)


def damaged(name: str, what: str) -> LuoziError:
    """Return the message about a damaged file."""
    save = f"'luozi results --db {shlex.quote(name)} --recover NEW.db'"
    return LuoziError(
        "'{name}' is damaged or not a results database: {reason}. {text} saves what can be read.",
        name=name,
        reason=what,
        text=save,
    )
