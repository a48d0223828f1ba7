"""Rows of a results database, checked: a file may have lost pages, changed bits or been edited by hand.

The id of a match is the digest of its definition. Most columns of a game follow from the match and the number of the
game. Results and measurements have digests. Anything else raises `DamageError`.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from luozi.matches.game_runner import Outcome
from luozi.matches.schedule import MatchSchedule, id_of
from luozi.messages import LuoziError
from luozi.records.moves import compact, is_number, is_whole, read_data
from luozi.records.record import DATA, data_values, split_data
from luozi.statistics.matches import Sprt
from luozi.util.parsing import JsonObject, SqlValue, json_value

ENTRY = "id, definition, part_of, wanted, test, asked"
RESULT = "number, encounter, seats, results, loser, forfeit, moves"
GAME = "number, encounter, round, seats, results, loser, forfeit, moves, seeds, record, versions, finished"
MOST_BYTES, MOST_LINES = 2**25, 2**18  # of a record
MOST_LABEL = 10_000  # characters of the name of a tuning or an experiment
MOST = 10**9  # games, and moves of one

# Of formats 2 to 4:
OLD_COLUMNS = (
    "contest, number, encounter, round, seats, results, loser, forfeit, moves, seeds, record, statistics, clock, "
)
OLD_COLUMNS += "versions, finished"
# Columns that came later: the format that brought each, and what it holds in rows from before, in SQL and in Python.
NEWER = (("digest", 3, "''", ""), ("actions", 4, "''", ""), ("turns", 4, "''", ""), ("candidates", 4, "x''", b""))
WIDTH = len(OLD_COLUMNS.split(", "))
DIGEST = WIDTH  # the place of a game's digest


class DamageError(LuoziError):
    """A row that no Luozi has written."""


class ScoredGame(NamedTuple):
    """The result of a finished game."""

    number: int
    encounter: int
    seats: tuple[int, ...]
    results: tuple[float, ...]
    loser: int
    forfeit: str
    moves: int

    @classmethod
    def of(cls, outcome: Outcome) -> ScoredGame:
        """Return the result of a game that was just played."""
        number, encounter, _, seats = outcome.fixture
        return cls(number, encounter, seats, outcome.results, outcome.loser, outcome.forfeit, outcome.moves)


class Entry(NamedTuple):
    """A match in the database, as it was last asked for."""

    contest: MatchSchedule
    part_of: str
    wanted: int
    test: dict[str, float] | None
    asked: str


def digest_of(*values: SqlValue) -> str:
    """Return a short digest of columns.

    >>> digest_of("a", 1) == digest_of("a", 1) != digest_of("a", 2)
    True
    """
    return hashlib.blake2b(repr(values).encode(errors="backslashreplace"), digest_size=8).hexdigest()


def game_digest(contest: str, row: Sequence[SqlValue]) -> str:
    """Return the digest of a game: that of its result, which is often read alone, then that of all columns."""
    number, encounter, _, seats, results, loser, forfeit, moves, *_ = row
    return digest_of(contest, number, encounter, seats, results, loser, forfeit, moves) + digest_of(contest, *row)


def expect(true: bool, what: str) -> None:
    """Raise DamageError if a condition does not hold."""
    if not true:
        raise DamageError(what)


def read_json(value: Any, what: str) -> Any:
    """Return the value of a JSON column."""
    expect(isinstance(value, str), what)
    try:
        return json_value(value, what)
    except LuoziError:
        raise DamageError(what) from None


# Contests -------------------------------------------------------------------------------------------------------------


def read_entry(row: Sequence[Any]) -> Entry:
    """Return a match from the columns ENTRY."""
    id_, definition, part_of, wanted, test, asked = row
    what = f"contest {id_!s:.20}"
    texts = all(isinstance(text, str) for text in (id_, definition, part_of, asked))
    expect(texts and id_of(definition) == id_ and len(part_of) <= MOST_LABEL, what)
    try:
        contest = MatchSchedule.read(definition)
    except LuoziError:
        raise DamageError(what) from None
    expect(is_whole(wanted, 1, MOST), f"{what}, how many games are wanted")
    return Entry(contest, part_of, wanted, read_test(contest, read_json(test, f"{what}, its test"), what), asked)


def read_test(contest: MatchSchedule, test: Any, what: str) -> dict[str, float] | None:
    """Return the sequential test of a match, or None."""
    if test is None:
        return None
    try:
        expect(contest.kind == "match", what)
        return asdict(Sprt(**test))
    except (TypeError, LuoziError):
        raise DamageError(f"{what}, its test") from None


# Games ----------------------------------------------------------------------------------------------------------------


def read_played(contest: MatchSchedule, row: Sequence[Any]) -> ScoredGame:
    """Return a game's result from the columns RESULT and its digest, which may be empty."""
    number, encounter, seats, results, loser, forfeit, moves, digest = row
    expect(is_whole(number, 0, MOST), f"a game of {contest.id}")
    what = f"game {number + 1} of {contest.id}"
    values = (contest.id, *row[:-1])
    expect(not digest or (isinstance(digest, str) and digest.startswith(digest_of(*values))), what)
    fixture = contest.fixture(number)
    found = tuple(read_list(results, contest.seats, what))
    expect((encounter, read_list(seats, contest.seats, what)) == (fixture.encounter, list(fixture.seats)), what)
    expect(all(is_number(result, 0, 1) for result in found), what)
    expect(is_whole(loser, -1, MOST) and (loser == -1 or loser in fixture.seats), what)
    expect(isinstance(forfeit, str) and is_whole(moves, 0, MOST), what)
    return ScoredGame(number, encounter, fixture.seats, found, loser, forfeit, moves)


def read_outcome(contest: MatchSchedule, row: Sequence[Any]) -> Outcome:
    """Return a game from the columns GAME and its digest, which may be empty."""
    *columns, digest = row
    number, encounter, round_, seats, results, loser, forfeit, moves, seeds, *rest = columns
    played = read_played(contest, (number, encounter, seats, results, loser, forfeit, moves, digest))
    what, fixture = f"game {number + 1} of {contest.id}", contest.fixture(number)
    expect(not digest or digest == game_digest(contest.id, columns), what)
    expect(round_ == fixture.round, what)
    expect(tuple(read_list(seeds, contest.seats, what)) == contest.seeds(fixture), what)
    packed, versions, finished = rest
    record, data = split_data(unpack_record(packed, what))
    expect_moves(record, moves, what)
    try:
        values = data_values(data)
        expect(len(values) == moves, what)
        for value in values:  # before format 4, data named no action and no seat
            read_data({"action": 0, "seat": 0, **value}, contest.seats)
    except LuoziError:
        raise DamageError(what) from None
    about = read_json(versions, what)
    expect(isinstance(about, dict) and all(isinstance(version, str) for version in about.values()), what)
    expect(isinstance(finished, str), what)
    seeds = contest.seeds(fixture)
    return Outcome(fixture, played.results, loser, forfeit, moves, seeds, record, data, versions, finished)


def pack_record(text: str) -> bytes:
    """Return a record as its column stores it."""
    return zlib.compress(text.encode(errors="surrogatepass"))


def unpack_record(packed: Any, what: str) -> str:
    """Return the inverse of `pack_record`."""
    expect(isinstance(packed, bytes), what)
    try:
        unpacked = zlib.decompressobj()
        content = unpacked.decompress(packed, MOST_BYTES)
        expect(unpacked.eof and content.count(b"\n") <= MOST_LINES, what)  # each becomes an object of some 200 bytes
        return content.decode(errors="surrogatepass")
    except (zlib.error, ValueError):
        raise DamageError(what) from None


def expect_moves(record: str, moves: int, what: str) -> None:
    """Raise DamageError if a record does not end with so many moves."""
    lines = record.splitlines()
    expect(moves <= len(lines) and all(re.match(r"\d+\. .", line) for line in lines[len(lines) - moves :]), what)


def read_list(value: Any, length: int, what: str) -> list[Any]:
    """Return a JSON list of so many values."""
    found = read_json(value, what)
    expect(isinstance(found, list) and len(found) == length, what)
    return found


# Measurements ---------------------------------------------------------------------------------------------------------


def read_measurement(experiment: str, key: str, value: Any, digest: Any) -> Any:
    """Return a measured value."""
    what = f"a measurement of {experiment}"
    expect(not digest or digest == digest_of(experiment, key, value), what)
    return read_json(value, what)


def game_row(outcome: Outcome) -> list[SqlValue]:
    """Return the columns GAME of a finished game."""
    number, encounter, round_, seats = outcome.fixture
    lists = (json.dumps(outcome.seeds), pack_record(outcome.record + outcome.data))
    result = (json.dumps(seats), json.dumps(outcome.results), outcome.loser, outcome.forfeit, outcome.moves)
    return [number, encounter, round_, *result, *lists, outcome.versions, outcome.finished]


# Formats 2 to 4 -------------------------------------------------------------------------------------------------------

# They had no column for a record with its data, but a text without data and a column for each kind of data.


def old_columns(found: int) -> str:
    """Return the columns of games in a file of a format, with values for the columns that it lacks.

    >>> old_columns(3).endswith("finished, digest, '', '', x''")
    True
    """
    return ", ".join([OLD_COLUMNS, *(column if since <= found else nothing for column, since, nothing, _ in NEWER)])


def widened(row: Sequence[Any]) -> tuple[Any, ...]:
    """Return a row of an old format with all columns that came later."""
    return (*row, *(nothing for *_, nothing in NEWER[len(row) - WIDTH :]))


def old_digest(contest: str, row: Sequence[SqlValue]) -> str:
    """Return the digest of a game's result and of its columns; data columns count if any is filled."""
    columns, data = row[1:DIGEST], row[DIGEST + 1 :]
    number, encounter, _, seats, results, loser, forfeit, moves, *_ = columns
    whole = (*columns, *data) if any(data) else columns
    return digest_of(contest, number, encounter, seats, results, loser, forfeit, moves) + digest_of(contest, *whole)


def upgraded(row: Sequence[Any]) -> tuple[Any, ...]:
    """Return a game of an old format as a row of the present table. Raises DamageError if its digest is wrong.

    A row without a digest gets none: nothing proves that it is unchanged.
    """
    row = widened(row)
    contest, number, moves, digest = row[0], row[1], row[8], row[DIGEST]
    what = f"a game of {contest!s:.20}"
    expect(is_whole(number, 0, MOST) and is_whole(moves, 0, MOST) and isinstance(row[10], str), what)
    expect(not digest or digest == old_digest(contest, row), what)
    text = row[10] + old_data(row, moves, what)
    columns = (*row[1:10], pack_record(text), *row[13:DIGEST])
    return (contest, *columns, game_digest(contest, columns) if digest else "")


def old_data(row: Sequence[Any], moves: int, what: str) -> str:
    """Return the data of all moves, as they follow the text of a record."""
    notes: list[JsonObject] = [{} for _ in range(moves)]
    for name, column in (("action", 16), ("seat", 17), ("seconds", 12), ("thought", 11)):
        if column < DIGEST or row[column]:
            for note, value in zip(notes, read_list(row[column], moves, what), strict=True):
                note |= {} if value is None else {name: value}
    for note, rows in zip(notes, old_candidates(row[18], moves, what), strict=True):
        note |= {"candidates": rows} if rows else {}
    return "\n".join(["", DATA, *map(compact, notes)]) + "\n" if notes else ""


def old_candidates(packed: Any, moves: int, what: str) -> list[Any]:
    """Return all candidates of each move; none if the match did not store them."""
    if not packed:
        return [()] * moves
    try:
        found = json_value(zlib.decompressobj().decompress(packed, MOST_BYTES), what)
    except (zlib.error, TypeError, LuoziError):
        raise DamageError(what) from None
    expect(isinstance(found, list) and len(found) == moves, what)
    return list(found)
