"""Recovery of a damaged results database into a new one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from luozi.matches.rows import DamageError, game_digest, read_entry, read_measurement, read_outcome, upgraded
from luozi.matches.salvage import read_pages, rows_in
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store
from luozi.messages import LuoziError, Message, counted, joined, plural
from luozi.util.parsing import is_file, path_of

CONTEST, GAME, MEASUREMENT = 6, 14, 4  # the columns of each table
OLD_GAMES, OLD_MEASUREMENT = range(15, 20), 3  # and of games of the formats 2 to 4, and of measurements without digests


class Recovered(NamedTuple):
    """The number of rows that were recovered."""

    contests: int
    games: int
    measurements: int
    broken: int  # rows of which something is left, and not enough

    def __str__(self) -> str:
        return self.message

    @property
    def message(self) -> Message:
        """What was recovered, as a sentence."""
        found = [counted(self.games, "game"), counted(self.contests, "contest")]
        found += [counted(self.measurements, "measurement")] if self.measurements else []
        rest = plural(self.broken, "; {count} row could not be read", "; {count} rows could not be read")
        return Message("saved {parts}{rest}", parts=joined(found), rest=rest if self.broken else "")


def recover(path: Path, saved: Path) -> Recovered:
    """Write all undamaged rows of a database into a new one. The old file is not changed."""
    saved = path_of(saved)
    if not is_file(path_of(path)):
        raise LuoziError("there is no results database '{name}'. Choose one with --db.", name=path)
    if saved.exists():
        raise LuoziError("the file '{name}' exists. Choose a new file for what can be recovered.", name=saved)
    found = RecoveredRows(path_of(path))
    if not found.contests and not found.games and not found.measurements:
        raise LuoziError("nothing in '{name}' could be read, so '{saved}' was not written", name=path, saved=saved)
    store = Store.open(saved)
    try:
        store.restore(found.contests.values(), found.games.values(), found.measurements.values())
    finally:
        store.close()
    return Recovered(len(found.contests), len(found.games), len(found.measurements), found.broken)


class RecoveredRows:
    """The rows on all pages of a file. Matches are read first, since games are checked against them."""

    def __init__(self, path: Path) -> None:
        self.contests: dict[str, tuple[Any, ...]] = {}
        self.games: dict[tuple[str, int], tuple[Any, ...]] = {}
        self.measurements: dict[tuple[str, str], tuple[Any, ...]] = {}
        self.broken = 0
        self.read: dict[str, MatchSchedule] = {}
        rows = [row.values for row in rows_in(read_pages(path))]
        self.broken += rows.count(None)
        for take, widths in (
            (self.take_contest, (CONTEST,)),
            (self.take_game, (GAME, *OLD_GAMES)),
            (self.take_measurement, (MEASUREMENT, OLD_MEASUREMENT)),
        ):
            for row in rows:
                if row is not None and len(row) in widths:
                    self.take(take, row)

    def take(self, take: Callable[[tuple[Any, ...]], None], row: tuple[Any, ...]) -> None:
        """Add a row to a table, or count it as broken."""
        try:
            take(row)
        except DamageError:
            self.broken += 1

    def take_contest(self, row: tuple[Any, ...]) -> None:
        """Add a match, as it was last asked for."""
        entry = read_entry(row)
        before = self.contests.get(entry.contest.id)
        if before is None or before[-1] < entry.asked:
            self.contests[row[0]], self.read[row[0]] = row, entry.contest

    def take_game(self, row: tuple[Any, ...]) -> None:
        """Add a game. Without its match it needs a correct digest: the command that played it finds it again."""
        row = row if len(row) == GAME else upgraded(row)
        contest, columns, digest = row[0], row[1:-1], row[-1]
        if contest in self.read:
            read_outcome(self.read[contest], row[1:])
        elif not digest or digest != game_digest(contest, columns):
            raise DamageError("a game of no contest")
        self.games[contest, columns[0]] = row

    def take_measurement(self, row: tuple[Any, ...]) -> None:
        """Add a measured value."""
        row = row if len(row) == MEASUREMENT else (*row, "")
        if not all(isinstance(column, str) for column in row):
            raise DamageError("a measurement")
        read_measurement(*row)
        self.measurements[row[0], row[1]] = row
