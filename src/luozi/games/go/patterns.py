"""The 3x3 patterns of MoGo (Gelly, Wang, Munos and Teytaud 2006): hane, two kinds of cut, and the board side.

A pattern is three rows of three signs around an empty point. `pattern_table` expands all patterns by rotation,
reflection and swapped colours. It stores the number of the first matching pattern at the code of the eight neighbours.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from luozi.games.go.cells import BLACK, BORDER, EMPTY, WHITE

# What a sign allows when X is black: o is "not O", x is "not X", # is off the board.
SIGNS = {
    "X": (BLACK,),
    "O": (WHITE,),
    ".": (EMPTY,),
    "x": (EMPTY, WHITE, BORDER),
    "o": (EMPTY, BLACK, BORDER),
    "?": (EMPTY, BLACK, WHITE, BORDER),
    "#": (BORDER,),
}
# Order of the neighbours in a code, two bits each: first `around`, then `diagonal` of a game.
STEPS = ((-1, 0), (0, -1), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
CODES = 1 << (2 * len(STEPS))


class Pattern(NamedTuple):
    """Three rows, the patterns that must not match as well, and the player to move: X, or either colour."""

    name: str
    rows: str
    unless: tuple[str, ...] = ()
    only: str = ""


PATTERNS = (
    Pattern("hane 1", "XOX ... ???"),
    Pattern("hane 2", "XO. ... ?.?"),
    Pattern("hane 3", "XO? X.. ?.?"),
    Pattern("hane 4", "XOO ... ?.?", only="X"),
    Pattern("side 1", "X.? O.? ###"),
    Pattern("side 2", "OX? X.O ###"),
    Pattern("side 3", "?X? x.O ###"),
    Pattern("side 4", "?XO x.x ###", only="X"),
    Pattern("side 5", "?OX X.O ###", only="X"),
    Pattern("cut 1", "XO? O.? ???", unless=("XO? O.O ?.?", "XO? O.. ?O?")),
    Pattern("cut 2", "?X? O.O ooo"),
)


def codes_that_fit(rows: str) -> npt.NDArray[np.int64]:
    """Return the codes of all neighbourhoods that match three rows of signs in this orientation.

    >>> len(codes_that_fit("XOX ... ???")), len(codes_that_fit("??? ?.? ???"))
    (64, 65536)
    """
    lines, codes = rows.split(), np.arange(CODES)
    fitting = np.ones(CODES, bool)
    for place, (down, right) in enumerate(STEPS):
        allowed = np.isin(np.arange(4), SIGNS[lines[1 + down][1 + right]])
        fitting &= allowed[codes >> (2 * place) & 3]
    return codes[fitting]


def turned(codes: npt.NDArray[np.int64], way: int) -> npt.NDArray[np.int64]:
    """Return the codes rotated by quarter turns. Ways 4 to 7 are reflected too."""
    result = np.zeros_like(codes)
    for place, (down, right) in enumerate(STEPS):
        for _ in range(way % 4):
            down, right = right, -down
        place_there = STEPS.index((down, -right) if way >= 4 else (down, right))
        result |= (codes >> (2 * place) & 3) << (2 * place_there)
    return result


def with_colours_swapped(codes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the codes with black and white exchanged."""
    result = np.zeros_like(codes)
    for place in range(len(STEPS)):
        result |= np.array([EMPTY, WHITE, BLACK, BORDER])[codes >> (2 * place) & 3] << (2 * place)
    return result


@cache
def pattern_table() -> npt.NDArray[np.uint8]:
    """Return for Black and then for White to move, at each code, the number of the matching pattern from 1, or 0.

    >>> int((pattern_table()[:CODES] > 0).sum()) == int((pattern_table()[CODES:] > 0).sum())
    True
    """
    table = np.zeros((2, CODES), np.uint8)
    for number in range(len(PATTERNS), 0, -1):  # the first match counts
        pattern = PATTERNS[number - 1]
        codes = codes_that_fit(pattern.rows)
        for rows in pattern.unless:
            codes = np.setdiff1d(codes, codes_that_fit(rows))
        for way in range(8):
            black = turned(codes, way)
            white = with_colours_swapped(black)
            table[0, black], table[1, white] = number, number
            if not pattern.only:
                table[1, black], table[0, white] = number, number
    return table.reshape(-1)
