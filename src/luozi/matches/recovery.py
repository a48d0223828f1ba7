"""A new store from what is whole in a damaged one. `recover` is the way in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from luozi.matches.rows import DamageError, game_digest, read_entry, read_measurement, read_outcome
from luozi.matches.salvage import read_pages, rows_in
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store
from luozi.messages import LuoziError, Message, counted, joined, plural
from luozi.util.parsing import is_file, path_of

# What each table has got with newer formats, at the end of its rows: digests, then moves as data.
CONTEST, GAME, MEASUREMENT = (6, ()), (15, ("", "", "", b"")), (3, ("",))
DIGEST = 15  # its place in a game


class Recovered(NamedTuple):
    """What was found in a damaged store."""

    contests: int
    games: int
    measurements: int
    broken: int  # rows of which something is left, and not enough

    def __str__(self) -> str:
        return self.message

    @property
    def message(self) -> Message:
        """What was saved, and what was not."""
        found = [counted(self.games, "game"), counted(self.contests, "contest")]
        found += [counted(self.measurements, "measurement")] if self.measurements else []
        rest = plural(self.broken, "; {count} row could not be read", "; {count} rows could not be read")
        return Message("saved {parts}{rest}", parts=joined(found), rest=rest if self.broken else "")


def recover(path: Path, saved: Path) -> Recovered:
    """Write all that is whole in a store into a new one; the old one is not changed."""
    saved = path_of(saved)
    if not is_file(path_of(path)):
        raise LuoziError("there is no file '{name}' with results: name one with --db", name=path)
    if saved.exists():
        raise LuoziError("there is already a file '{name}': name a new one for what can be saved", name=saved)
    found = RecoveredRows(path_of(path))
    if not found.contests and not found.games and not found.measurements:
        raise LuoziError("nothing in '{name}' can be read: '{saved}' was not written", name=path, saved=saved)
    store = Store.open(saved)
    try:
        store.restore(found.contests.values(), found.games.values(), found.measurements.values())
    finally:
        store.close()
    return Recovered(len(found.contests), len(found.games), len(found.measurements), found.broken)


class RecoveredRows:
    """The rows on all pages of a file: contests first, since they tell what a game must look like."""

    def __init__(self, path: Path) -> None:
        self.contests: dict[str, tuple[Any, ...]] = {}
        self.games: dict[tuple[str, int], tuple[Any, ...]] = {}
        self.measurements: dict[tuple[str, str], tuple[Any, ...]] = {}
        self.broken = 0
        self.read: dict[str, MatchSchedule] = {}
        rows = [row.values for row in rows_in(read_pages(path))]
        self.broken += rows.count(None)
        for take, columns in (
            (self.take_contest, CONTEST),
            (self.take_game, GAME),
            (self.take_measurement, MEASUREMENT),
        ):
            for row in padded(rows, *columns):
                try:
                    take(row)
                except DamageError:
                    self.broken += 1

    def take_contest(self, row: tuple[Any, ...]) -> None:
        """A contest, as it was asked for last."""
        entry = read_entry(row)
        before = self.contests.get(entry.contest.id)
        if before is None or before[-1] < entry.asked:
            self.contests[row[0]], self.read[row[0]] = row, entry.contest

    def take_game(self, row: tuple[Any, ...]) -> None:
        """A game; one whose contest is lost is kept too, if its digest is right: the same command finds it again."""
        contest, digest, columns = row[0], row[DIGEST], [*row[1:DIGEST], *row[DIGEST + 1 :]]
        if contest in self.read:
            read_outcome(self.read[contest], [*columns, digest])
        elif not digest or digest != game_digest(contest, columns):
            raise DamageError("a game of no contest")
        self.games[contest, columns[0]] = row

    def take_measurement(self, row: tuple[Any, ...]) -> None:
        """A measured value."""
        if not all(isinstance(column, str) for column in row):
            raise DamageError("a measurement")
        read_measurement(*row)
        self.measurements[row[0], row[1]] = row


def padded(rows: list[tuple[Any, ...] | None], width: int, newer: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The rows of one table by their width; rows of an older format get nothing in the newer columns.

    >>> list(padded([(1, 2), (1, 2, 3), None, (1,)], 2, ("",)))
    [(1, 2, ''), (1, 2, 3)]
    """
    for row in rows:
        if row is not None and width <= len(row) <= width + len(newer):
            yield (*row, *newer[len(row) - width :])
