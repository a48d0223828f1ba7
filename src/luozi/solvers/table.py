"""The table in which every solver keeps what it knows of positions.

A place has `width` words: the first holds the rest of the key, which the place does not tell, and a note, 0 where
nothing is known. What the others hold is the solver's own business: results (`depth_first.py`), a second entry
(`connect4_proofs.py`), nothing (`fours.py`). So few words a place, because a proof waits for memory more than for
anything else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from luozi.compiled import Array, inline, unsigned
from luozi.compiled.arrays import lazy_zeros
from luozi.compiled.hashing import KEY_BITS


class TranspositionTable(NamedTuple):
    """Room for what is known of 2**place_bits positions."""

    words: Array  # [2**place_bits * width] i8
    floats: Array  # the same memory as f8
    place_bits: int
    note_bits: int
    width: int


def table_bytes(place_bits: int, width: int = 1) -> int:
    """How much memory a table takes once every place was used.

    >>> table_bytes(place_bits=4, width=2)
    256
    """
    return 8 * (width << place_bits)


def new_table(place_bits: int, note_bits: int, width: int = 1) -> TranspositionTable:
    """An empty table; memory that is never touched is never resident.

    >>> table = new_table(place_bits=4, note_bits=8)
    >>> at, rest = place_of(table, 12345)
    >>> write(table, at, rest, 17)
    >>> note_at(table, at, rest), note_at(table, at, rest + 1)
    (17, 0)
    """
    words = lazy_zeros(width << place_bits, np.int64)
    return TranspositionTable(words, words.view(np.float64), place_bits, note_bits, width)


@inline
def place_of(table: TranspositionTable, key: int) -> tuple[int, int]:
    """Where a position's place begins, and the rest of its key, or as much of that as there is room for."""
    at = unsigned((key & ((1 << table.place_bits) - 1)) * table.width)
    return at, (key >> table.place_bits) & ((1 << (KEY_BITS - table.note_bits)) - 1)


@inline
def note_at(table: TranspositionTable, at: int, rest: int) -> int:
    """What was noted about a position; 0 if nothing was, or the word is another position's."""
    word = int(table.words[at])
    return word & ((1 << table.note_bits) - 1) if word >> table.note_bits == rest else 0


@inline
def write(table: TranspositionTable, at: int, rest: int, note: int) -> None:
    """Note something about a position, in place of whatever was there."""
    table.words[at] = (rest << table.note_bits) | note
