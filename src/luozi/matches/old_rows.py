"""Games as the store formats 2, 3 and 4 held them, made into rows of today's format.

They had no column for a record with its data, but a text without them and a column for each kind of data.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

from luozi.matches.rows import MOST, MOST_BYTES, DamageError, digest_of, expect, game_digest, pack_record, read_list
from luozi.messages import LuoziError
from luozi.records.moves import compact, is_whole
from luozi.records.record import DATA
from luozi.util.parsing import JsonObject, SqlValue, json_value

COLUMNS = "contest, number, encounter, round, seats, results, loser, forfeit, moves, seeds, record, statistics, clock, "
COLUMNS += "versions, finished"
# Columns that came later: the format that brought each, and what it holds in rows from before, in SQL and in Python.
NEWER = (("digest", 3, "''", ""), ("actions", 4, "''", ""), ("turns", 4, "''", ""), ("candidates", 4, "x''", b""))
WIDTH = len(COLUMNS.split(", "))
DIGEST = WIDTH  # the place of a game's digest


def old_columns(found: int) -> str:
    """The columns of games in a file of this format, with values in place of those that it has not got.

    >>> old_columns(3).endswith("finished, digest, '', '', x''")
    True
    """
    return ", ".join([COLUMNS, *(column if since <= found else nothing for column, since, nothing, _ in NEWER)])


def widened(row: Sequence[Any]) -> tuple[Any, ...]:
    """A row of any old format with all the columns that came later."""
    return (*row, *(nothing for *_, nothing in NEWER[len(row) - WIDTH :]))


def old_digest(contest: str, row: Sequence[SqlValue]) -> str:
    """The digest of a game's result and of all its columns; data count where there are any."""
    columns, data = row[1:DIGEST], row[DIGEST + 1 :]
    number, encounter, _, seats, results, loser, forfeit, moves, *_ = columns
    whole = (*columns, *data) if any(data) else columns
    return digest_of(contest, number, encounter, seats, results, loser, forfeit, moves) + digest_of(contest, *whole)


def upgraded(row: Sequence[Any]) -> tuple[Any, ...]:
    """A game of an old format as a row of today's table; one that does not fit its digest is damaged.

    A row without a digest gets none: nothing proves that it is as it was written.
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
    """The data of all moves, as they follow the text of a record."""
    notes: list[JsonObject] = [{} for _ in range(moves)]
    for name, column in (("action", 16), ("seat", 17), ("seconds", 12), ("thought", 11)):
        if column < DIGEST or row[column]:
            for note, value in zip(notes, read_list(row[column], moves, what), strict=True):
                note |= {} if value is None else {name: value}
    for note, rows in zip(notes, old_candidates(row[18], moves, what), strict=True):
        note |= {"candidates": rows} if rows else {}
    return "\n".join(["", DATA, *map(compact, notes)]) + "\n" if notes else ""


def old_candidates(packed: Any, moves: int, what: str) -> list[Any]:
    """All candidates of each move; none where a match did not ask for them."""
    if not packed:
        return [()] * moves
    try:
        found = json_value(zlib.decompressobj().decompress(packed, MOST_BYTES), what)
    except (zlib.error, TypeError, LuoziError):
        raise DamageError(what) from None
    expect(isinstance(found, list) and len(found) == moves, what)
    return list(found)
