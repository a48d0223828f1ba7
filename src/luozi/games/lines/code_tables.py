"""The lookup tables of line codes: which cells see each other along which line, and what a code means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from luozi.compiled import Array
from luozi.games.lines.patterns import OTHER, OWN, WALL, Alphabet, Patterns

if TYPE_CHECKING:
    from luozi.games.lines.rules import Lines

NEAR = 2  # a cell within this distance of a stone is a candidate
SMALL = 72  # on boards with at most this number of cells, and in boxes, all cells are candidates


def neighbours_along(game: Lines, steps: list[tuple[int, int, int]], reach: int) -> Array:
    """Return for every cell, direction and side the next cells, the nearest first; -1 from a wall on."""
    box = np.array((game.layers, game.rows, game.columns))
    places = np.stack(np.unravel_index(np.arange(game.cells), box), axis=1)[:, None, None, None, :]
    signs, distances = np.array((1, -1))[:, None, None], np.arange(1, reach + 1)[:, None]
    others = places + np.array(steps)[:, None, None, :] * signs * distances
    inside = ((others >= 0) & (others < box)).all(axis=-1)
    clipped = np.clip(others, 0, box - 1)
    numbers = (clipped[..., 0] * game.rows + clipped[..., 1]) * game.columns + clipped[..., 2]
    open_ones = inside & (game.closed[numbers] == 0) & (game.closed[:, None, None, None] == 0)
    seen = np.logical_and.accumulate(open_ones, axis=-1)
    return without_short_lines(np.where(seen, numbers, -1).astype(np.int16), game.run)


def without_short_lines(along: Array, run: int) -> Array:
    """Return the same without neighbours on lines that are too short for a win, whose codes mean nothing."""
    length = (along >= 0).sum(axis=(2, 3)) + 1
    along[length < run] = -1
    return along


def first_codes(along: Array, bits: int) -> Array:
    """Return the codes of the empty board."""
    reach = along.shape[3]
    shifts = bits * np.arange(reach)
    walls = np.where(along < 0, WALL, 0) << shifts
    sides = walls.sum(axis=3)
    return (sides[:, :, 0] | sides[:, :, 1] << bits * reach).astype(np.uint32)


def lookup_tables(patterns: Patterns, direct: bool, joint: bool) -> tuple[Array, Array]:
    """Return the pattern of each code, or of each pair of arms, and what a stone makes there.

    For joint patterns, the second half of each table is from the second player's view.
    """
    pattern_of, arms = patterns.pattern_of, round(len(patterns.pattern_of) ** 0.5)
    if direct:
        pattern_of = pattern_of.reshape(arms, arms)[patterns.arm_of[:, None], patterns.arm_of].reshape(-1)
    made_of = patterns.makes[pattern_of]
    sides = [pattern_of, patterns.exchanged[pattern_of]] if joint else [pattern_of]
    return np.concatenate(sides).astype(np.uint16), made_of


def three_table(patterns: Patterns, direct: bool) -> Array:
    """Return for each code, or each pair of arms, which three a stone makes there, as `lookup_tables` does of fours."""
    pattern_of, arms = patterns.pattern_of, round(len(patterns.pattern_of) ** 0.5)
    if direct:
        pattern_of = pattern_of.reshape(arms, arms)[patterns.arm_of[:, None], patterns.arm_of].reshape(-1)
    return patterns.threes[pattern_of]


def stones_of_arms(alphabet: Alphabet) -> Array:
    """Return the number of stones in each arm: those of OWN, and four bits higher those of OTHER."""
    arms = np.arange(1 << alphabet.bits * alphabet.reach)
    cells = arms[:, None] >> alphabet.bits * np.arange(alphabet.reach) & (1 << alphabet.bits) - 1
    return ((cells == OWN).sum(axis=1) | (cells == OTHER).sum(axis=1) << 4).astype(np.uint8)


def cells_near(game: Lines) -> tuple[Array, Array]:
    """Return the cells near each cell as one list, and where each part begins; empty if all cells are near."""
    if game.layers > 1 or game.cells <= SMALL or game.gravity:
        return np.zeros(0, np.int16), np.zeros(game.cells + 1, np.int32)
    rows, columns = np.divmod(np.arange(game.cells), game.columns)
    lists = []
    for cell in range(game.cells):
        far = np.maximum(abs(rows - rows[cell]), abs(columns - columns[cell]))
        lists.append(np.flatnonzero((far <= NEAR) & (far > 0) & (game.closed == 0)))
    return np.concatenate(lists).astype(np.int16), np.cumsum([0, *map(len, lists)]).astype(np.int32)
