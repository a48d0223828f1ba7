"""The sessions database: one SQLite file. A move is stored before it is sent, so that a killed server loses nothing."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from luozi.messages import LuoziError, Message, reason_of, warn_once
from luozi.records.moves import work_of
from luozi.util.parsing import JsonObject, json_value, path_of, refuse_irregular

FORMAT = 1
DAY = 86_400.0
EMPTY_DAYS = 1 / 24  # a session without a move may be deleted so soon
PATIENCE_SECONDS = 5.0  # for another program that holds the file
REASONS = {
    "SQLITE_FULL": Message("the disk is full"),
    "SQLITE_READONLY": Message("the file may not be written"),
    "SQLITE_CANTOPEN": Message("the file may not be written"),
    "SQLITE_IOERR": Message("the disk does not answer"),
    "SQLITE_BUSY": Message("another program holds the file"),
    "SQLITE_LOCKED": Message("another program holds the file"),
    "SQLITE_CORRUPT": Message("the file is damaged"),
    "SQLITE_NOTADB": Message("the file is damaged"),
    "SQLITE_ERROR": Message("the file is damaged"),  # a table or a column is missing
}
FAILURES = (sqlite3.Error, UnicodeDecodeError)  # the second where SQLite's message is not text
DAMAGED = "the game can't be read (the file is damaged)"
T = TypeVar("T")
HEADER = b"SQLite format 3\0"
MOST_CHECKED = 2**26  # bytes of a file that is checked at the start, in some 0.1 s
SCHEMA = """
CREATE TABLE tables (
    id TEXT PRIMARY KEY,
    secret TEXT NOT NULL,   -- only a digest of it
    game TEXT NOT NULL,     -- as the server's offer spells it
    about TEXT NOT NULL,    -- JSON: seats, who resigned, whether programs wait
    made REAL NOT NULL,
    used REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE moves (
    owner TEXT NOT NULL,
    number INTEGER NOT NULL, -- from 1
    action INTEGER NOT NULL,
    data TEXT NOT NULL,      -- JSON: seconds, what was thought, and what people should know of it
    PRIMARY KEY (owner, number)
) WITHOUT ROWID;
CREATE TABLE findings (
    owner TEXT NOT NULL,
    number INTEGER NOT NULL, -- of moves before the position
    data TEXT NOT NULL,      -- JSON: what an analysis found there
    PRIMARY KEY (owner, number)
) WITHOUT ROWID;
"""
COLUMNS = {
    "tables": ["id", "secret", "game", "about", "made", "used"],
    "moves": ["owner", "number", "action", "data"],
    "findings": ["owner", "number", "data"],
}


class StoredSession(NamedTuple):
    """A stored session."""

    id: str
    secret: str
    game: str
    about: JsonObject
    moves: list[tuple[int, JsonObject]]
    findings: dict[int, JsonObject]


def digest_of(secret: str) -> str:
    """Return the digest of a secret, which is stored instead of it.

    >>> digest_of("a") == digest_of("a") != digest_of("b")
    True
    """
    return hashlib.blake2b(secret.encode(errors="replace"), digest_size=16).hexdigest()


def storage_reason(error: Exception) -> str:
    """Return why a file can't be used.

    >>> storage_reason(sqlite3.OperationalError("no such column: secret"))
    'the file is damaged'
    """
    name = getattr(error, "sqlite_errorname", "")  # such as SQLITE_IOERR_WRITE
    return next((words for start, words in REASONS.items() if name.startswith(start)), REASONS["SQLITE_CORRUPT"])


class DamagedError(LuoziError):
    """A sessions database that is damaged."""


def storage_at(path: Path) -> Storage:
    """Open a sessions database. A damaged one is renamed, and a new one takes its place."""
    try:
        return Storage(path)
    except DamagedError as error:
        aside = put_aside(path_of(path))
        if aside is None:
            raise
        storage = Storage(path)
        warn_once(
            f"tables {path}",
            Message("{error}; it is kept as '{aside}', and a new file begins", error=error, aside=aside.name),
        )
        return storage


def put_aside(path: Path) -> Path | None:
    """Rename a damaged file, with SQLite's files beside it; return the new path, or None if that fails."""
    aside = next(one for number in itertools.count(1) if not (one := Path(f"{path}.damaged-{number}")).exists())
    try:
        path.rename(aside)
        for end in ("-wal", "-shm"):
            if os.path.exists(f"{path}{end}"):
                os.rename(f"{path}{end}", f"{aside}{end}")
    except OSError:
        return None
    return aside


class Storage:
    """One sessions database; `Storage(None)` is in memory.

    >>> storage = Storage(None)
    >>> storage.add("k", "s", "tictactoe", {}, [(4, {})])
    >>> storage.find("k").moves
    [(4, {})]
    """

    def __init__(self, path: Path | None) -> None:
        self.name = ":memory:" if path is None else str(path_of(path))
        try:
            if path is not None:
                Path(self.name).parent.mkdir(parents=True, exist_ok=True)
                if os.path.exists(self.name):  # SQLite would wait for a pipe, or read a device
                    refuse_irregular(os.stat(self.name).st_mode, self.name)
            self.connection = sqlite3.connect(
                self.name, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare()
            except BaseException:
                self.connection.close()
                raise
        except (*FAILURES, OSError) as error:
            reason = reason_of(error) if isinstance(error, OSError) else storage_reason(error)
            if reason == REASONS["SQLITE_CORRUPT"] and self._is_database():
                raise DamagedError("'{file}' is damaged: games can't be kept in it", file=self.name) from None
            raise LuoziError(
                "games can't be kept in '{file}': {reason}; name another file with --sessions-db",
                file=self.name,
                reason=reason,
            ) from None

    def _prepare(self) -> None:
        """Check the file, and make its tables if it is new."""
        found = self._value("PRAGMA user_version")
        if found > FORMAT:
            raise LuoziError(
                "'{file}' was written by a newer Luozi: install that one, or name another --sessions-db", file=self.name
            )
        filled = self._value("SELECT count(*) FROM sqlite_master")
        if filled and not (found and self._columns()):  # other programs count their formats from 1 too
            raise LuoziError(
                "'{file}' is another program's database: name another file with --sessions-db", file=self.name
            )
        self.connection.execute("PRAGMA trusted_schema=OFF")  # code in a foreign file is not run
        if found:
            added = self._value("SELECT count(*) FROM sqlite_master WHERE type IN ('trigger', 'view')")
            if added or self._columns() != COLUMNS:
                raise DamagedError("'{file}' is damaged: its tables are not those of games", file=self.name)
            size = self._value("PRAGMA page_count") * self._value("PRAGMA page_size")
            if size <= MOST_CHECKED and self._value("PRAGMA quick_check(1)") != "ok":
                raise DamagedError("'{file}' is damaged: games can't be kept in it", file=self.name)
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute("PRAGMA synchronous=NORMAL")
        if not found:
            self.connection.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version={FORMAT}; COMMIT")

    def _value(self, command: str, *values: str) -> Any:
        return self.connection.execute(command, values).fetchone()[0]

    def _is_database(self) -> bool:
        """Return whether SQLite made the file, so that a damaged one may be ours."""
        with open(self.name, "rb") as file:
            return file.read(len(HEADER)) == HEADER

    def _columns(self) -> dict[str, list[str]]:
        """Return the columns of each table; a view in place of a table does not count."""
        found = self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        names = [name for (name,) in found if name in COLUMNS]
        command = "SELECT name FROM pragma_table_info(?) ORDER BY cid"
        return {name: [column for (column,) in self.connection.execute(command, (name,))] for name in names}

    def until(self, end: float, function: Callable[[], T]) -> T:
        """Call a function that uses the database; wait for another program that holds the file until `end`."""
        left = max(0.0, end - time.monotonic())
        self.connection.execute(f"PRAGMA busy_timeout={1000 * left:.0f}")
        return function()

    @contextmanager
    def _together(self) -> Iterator[sqlite3.Connection]:
        """Run a transaction; raise LuoziError if the disk is full or the file is gone."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
        except FAILURES as error:
            raise LuoziError(
                "the game can't be kept ({reason}), so nothing was changed", reason=storage_reason(error)
            ) from None

    # Sessions ---------------------------------------------------------------------------------------------------------

    def add(
        self,
        table: str,
        secret: str,
        game: str,
        about: JsonObject,
        moves: Sequence[tuple[int, JsonObject]] = (),
        findings: Sequence[tuple[int, JsonObject]] = (),
    ) -> None:
        """Store a new session."""
        now = time.time()
        with self._together() as connection:
            row = (table, digest_of(secret), game, json.dumps(about), now, now)
            connection.execute("INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?)", row)
            rows = [(table, number, action, json.dumps(data)) for number, (action, data) in enumerate(moves, 1)]
            connection.executemany("INSERT INTO moves VALUES (?, ?, ?, ?)", rows)
            found = [(table, number, json.dumps(data)) for number, data in findings]
            connection.executemany("INSERT INTO findings VALUES (?, ?, ?)", found)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Read; raise LuoziError if the file is gone or damaged."""
        try:
            yield self.connection
        except FAILURES as error:
            raise LuoziError("the game can't be read ({reason})", reason=storage_reason(error)) from None

    def find(self, table: str) -> StoredSession | None:
        """Return a stored session, or None; raise LuoziError if it is damaged."""
        with self._reading() as connection:
            row = connection.execute("SELECT id, secret, game, about FROM tables WHERE id = ?", (table,)).fetchone()
            command = "SELECT action, data FROM moves WHERE owner = ? ORDER BY number"
            moves = connection.execute(command, (table,)).fetchall()
            found = connection.execute("SELECT number, data FROM findings WHERE owner = ?", (table,)).fetchall()
        if row is None:
            return None
        try:
            name, secret, game, text = row
            about = json_value(text, "it")
            if not isinstance(secret, str) or not isinstance(about, dict):
                raise LuoziError(DAMAGED)
            read = [(action, json_value(data, "it")) for action, data in moves]
            findings = {number: json_value(data, "it") for number, data in found}
            return StoredSession(name, secret, game, about, read, findings)
        except (LuoziError, TypeError, ValueError):  # a value is no JSON, or no text
            raise LuoziError(DAMAGED) from None

    def change(self, table: str, about: JsonObject) -> None:
        """Store the seats and the result of a session."""
        with self._together() as connection:
            command = "UPDATE tables SET about = ?, used = ? WHERE id = ?"
            connection.execute(command, (json.dumps(about), time.time(), table))

    def play(self, table: str, number: int, action: int, data: JsonObject) -> None:
        """Store a move."""
        with self._together() as connection:
            self._refuse_changed(table, number - 1)
            connection.execute("INSERT INTO moves VALUES (?, ?, ?, ?)", (table, number, action, json.dumps(data)))
            connection.execute("UPDATE tables SET used = ? WHERE id = ?", (time.time(), table))

    def take_back(self, table: str, number: int, left: int, about: JsonObject) -> None:
        """Delete the moves of a session, which are `number`, but the first `left` ones."""
        with self._together() as connection:
            self._refuse_changed(table, number)
            connection.execute("DELETE FROM moves WHERE owner = ? AND number > ?", (table, left))
            connection.execute("DELETE FROM findings WHERE owner = ? AND number > ?", (table, left))
            connection.execute("UPDATE tables SET about = ? WHERE id = ?", (json.dumps(about), table))

    def moves(self, table: str) -> int:
        """Return the number of moves of a session."""
        with self._reading():
            return int(self._value("SELECT count(*) FROM moves WHERE owner = ?", table))

    def _refuse_changed(self, table: str, number: int) -> None:
        """Raise LuoziError if another server has changed the session: two versions of a game must not be mixed."""
        if self.moves(table) != number:
            raise LuoziError("another server has changed this game: load the page again")

    def note(self, table: str, number: int, data: Mapping[str, Any]) -> None:
        """Store the analysis of a position, unless another server has stored a longer one."""
        with self._together() as connection:
            [kept] = connection.execute(
                "SELECT max(data) FROM findings WHERE owner = ? AND number = ?", (table, number)
            ).fetchone()
            if work_kept(kept) > work_of(data["thought"]):
                return
            connection.execute("INSERT OR REPLACE INTO findings VALUES (?, ?, ?)", (table, number, json.dumps(data)))

    def count(self) -> int:
        """Return the number of sessions."""
        with self._reading():
            return int(self._value("SELECT count(*) FROM tables"))

    def forget_old(self, most: int, days: float = 30.0) -> None:
        """Delete the oldest sessions that were not used for so long, until there are at most `most`.

        Those without a move go first and sooner: a client that opens thousands must not shut others out.
        """
        surplus = self.count() - most
        if surplus <= 0:
            return
        now = time.time()
        with self._together() as connection:
            empty = "NOT EXISTS (SELECT 1 FROM moves WHERE owner = id)"
            command = (
                f"SELECT id FROM tables WHERE used < ? OR used < ? AND {empty} ORDER BY {empty} DESC, used LIMIT ?"
            )
            old = connection.execute(command, (now - days * DAY, now - EMPTY_DAYS * DAY, surplus)).fetchall()
            connection.executemany("DELETE FROM tables WHERE id = ?", old)
            connection.executemany("DELETE FROM moves WHERE owner = ?", old)
            connection.executemany("DELETE FROM findings WHERE owner = ?", old)

    def close(self) -> None:
        """Close the database; nothing is lost without it."""
        self.connection.close()


def work_kept(data: str | bytes) -> float:
    """Return the work behind a stored analysis; 0 where it is damaged.

    >>> work_kept('{"thought": {"iterations": 500}}'), work_kept('{"thought": {"iterations": "x"}}'), work_kept(None)
    (500, 0, 0)
    """
    with suppress(LuoziError, AttributeError, KeyError, TypeError):
        return work_of(json_value(data, "a finding")["thought"]) + 0
    return 0
