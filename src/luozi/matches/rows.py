"""The rows of a store, read with suspicion: a file may have lost pages, changed bits or been edited by hand.

A contest's id is a digest of its definition, and what a game must have beside its result follows from the contest and
the game's number; results and measurements carry digests of their own. What does not fit is a `DamageError`.
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
from luozi.records.moves import is_number, is_whole, read_data
from luozi.records.record import data_values, split_data
from luozi.statistics.matches import Sprt
from luozi.util.parsing import SqlValue, json_value

ENTRY = "id, definition, part_of, wanted, test, asked"
RESULT = "number, encounter, seats, results, loser, forfeit, moves"
GAME = "number, encounter, round, seats, results, loser, forfeit, moves, seeds, record, versions, finished"
MOST_BYTES, MOST_LINES = 2**25, 2**18  # of a record
MOST = 10**9  # games, and moves of one


class DamageError(LuoziError):
    """Something that was never written so."""


class ScoredGame(NamedTuple):
    """What statistics need of a finished game."""

    number: int
    encounter: int
    seats: tuple[int, ...]
    results: tuple[float, ...]
    loser: int
    forfeit: str
    moves: int

    @classmethod
    def of(cls, outcome: Outcome) -> ScoredGame:
        """The same of a game that was just played."""
        number, encounter, _, seats = outcome.fixture
        return cls(number, encounter, seats, outcome.results, outcome.loser, outcome.forfeit, outcome.moves)


class Entry(NamedTuple):
    """A contest in the store."""

    contest: MatchSchedule
    part_of: str
    wanted: int
    test: dict[str, float] | None
    asked: str


def digest_of(*values: SqlValue) -> str:
    """A short digest of what stands in columns.

    >>> digest_of("a", 1) == digest_of("a", 1) != digest_of("a", 2)
    True
    """
    return hashlib.blake2b(repr(values).encode(errors="backslashreplace"), digest_size=8).hexdigest()


def game_digest(contest: str, row: Sequence[SqlValue]) -> str:
    """The digest of a game: of its result, then of all of it, since results are read alone, and more often."""
    number, encounter, _, seats, results, loser, forfeit, moves, *_ = row
    return digest_of(contest, number, encounter, seats, results, loser, forfeit, moves) + digest_of(contest, *row)


def expect(true: bool, what: str) -> None:
    """What must be so."""
    if not true:
        raise DamageError(what)


def read_json(value: Any, what: str) -> Any:
    """What a column of JSON says."""
    expect(isinstance(value, str), what)
    try:
        return json_value(value, what)
    except LuoziError:
        raise DamageError(what) from None


# Contests -------------------------------------------------------------------------------------------------------------


def read_entry(row: Sequence[Any]) -> Entry:
    """A contest from a row of the columns ENTRY."""
    id_, definition, part_of, wanted, test, asked = row
    what = f"contest {id_!s:.20}"
    texts = all(isinstance(text, str) for text in (id_, definition, part_of, asked))
    expect(texts and id_of(definition) == id_, what)
    try:
        contest = MatchSchedule.read(definition)
    except LuoziError:
        raise DamageError(what) from None
    expect(is_whole(wanted, 1, MOST), f"{what}, how many games are wanted")
    return Entry(contest, part_of, wanted, read_test(contest, read_json(test, f"{what}, its test"), what), asked)


def read_test(contest: MatchSchedule, test: Any, what: str) -> dict[str, float] | None:
    """The sequential test of a contest, or None."""
    if test is None:
        return None
    try:
        expect(contest.kind == "match", what)
        return asdict(Sprt(**test))
    except (TypeError, LuoziError):
        raise DamageError(f"{what}, its test") from None


# Games ----------------------------------------------------------------------------------------------------------------


def read_played(contest: MatchSchedule, row: Sequence[Any]) -> ScoredGame:
    """A game's result from a row of the columns RESULT and its digest, which may be unknown."""
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
    """All of a game from a row of the columns GAME and its digest, which may be unknown."""
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
    """A record as a column holds it."""
    return zlib.compress(text.encode(errors="surrogatepass"))


def unpack_record(packed: Any, what: str) -> str:
    """The opposite of `pack_record`."""
    expect(isinstance(packed, bytes), what)
    try:
        unpacked = zlib.decompressobj()
        content = unpacked.decompress(packed, MOST_BYTES)
        expect(unpacked.eof and content.count(b"\n") <= MOST_LINES, what)  # each becomes an object of some 200 bytes
        return content.decode(errors="surrogatepass")
    except (zlib.error, ValueError):
        raise DamageError(what) from None


def expect_moves(record: str, moves: int, what: str) -> None:
    """A text must end with as many moves as it is said to have."""
    lines = record.splitlines()
    expect(moves <= len(lines) and all(re.match(r"\d+\. .", line) for line in lines[len(lines) - moves :]), what)


def read_list(value: Any, length: int, what: str) -> list[Any]:
    """A list of so many values."""
    found = read_json(value, what)
    expect(isinstance(found, list) and len(found) == length, what)
    return found


# Measurements ---------------------------------------------------------------------------------------------------------


def read_measurement(experiment: str, key: str, value: Any, digest: Any) -> Any:
    """A measured value."""
    what = f"a measurement of {experiment}"
    expect(not digest or digest == digest_of(experiment, key, value), what)
    return read_json(value, what)


def game_row(outcome: Outcome) -> list[SqlValue]:
    """The columns GAME of a finished game."""
    number, encounter, round_, seats = outcome.fixture
    lists = (json.dumps(outcome.seeds), pack_record(outcome.record + outcome.data))
    result = (json.dumps(seats), json.dumps(outcome.results), outcome.loser, outcome.forfeit, outcome.moves)
    return [number, encounter, round_, *result, *lists, outcome.versions, outcome.finished]
