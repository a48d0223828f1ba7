"""The codes of lines: for every cell and direction what lies around, kept up to date stone by stone.

A code is two arms of cells, a few bits each (`patterns`). A new stone changes the codes of the cells around it, and
with them what a stone there would make. `follow` brings the codes from the position they are at to another one, by the
stones that differ: leaves of a search that come one after the other have most stones in common.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from luozi.compiled import Array, Compilable, apart, inline, signed, unsigned
from luozi.errors import LuoziError
from luozi.games.lines.patterns import OPEN, OWN, WALL, alphabet_of, directions_of, patterns_of
from luozi.games.lines.playouts import round_up
from luozi.state import record_type

NEAR = 2  # a cell so far from a stone, or nearer, is worth a look
SMALL = 72  # on a board of so many cells, or in a box, all are
MOST_PLAYERS = 4
MOST_FOURS, MOST_CHOICES = 40, 32  # in a row, and at one position


class LineCodes(Compilable):
    """The lines of one game, as codes."""

    def __init__(self, game: Any) -> None:
        alphabet = alphabet_of(game.run, game.exactly, game.players, game.gravity)
        if alphabet is None or game.players > MOST_PLAYERS:
            raise LuoziError(f"patterns of lines are for 2 to 6 in a row and {MOST_PLAYERS} players at most")
        if not game.segments:
            raise LuoziError(f"{game.spelling} has no room for {game.run} in a row: no network can value it")
        patterns, steps = patterns_of(alphabet), directions_of(game)
        self.cells, self.players, self.gravity = game.cells, game.players, bool(game.gravity)
        self.directions, self.reach, self.bits = len(steps), alphabet.reach, alphabet.bits
        self.joint, self.falling = alphabet.joint, alphabet.falling
        self.codes = 1 if alphabet.joint else game.players  # of a cell and direction
        self.arms = round(len(patterns.pattern_of) ** 0.5)
        self.arm_of, self.pattern_of, self.makes = patterns.arm_of, patterns.pattern_of, patterns.makes
        self.exchanged = patterns.exchanged
        along = neighbours_along(game, steps, alphabet.reach)
        self.along, self.first_code = along.reshape(-1), first_codes(along, alphabet.bits).reshape(-1)
        width = alphabet.bits * alphabet.reach
        one, two = self.arm_of[self.first_code & (1 << width) - 1], self.arm_of[self.first_code >> width]
        self.first_seen = self.pattern_of[one * self.arms + two].astype(np.uint16)
        self.near, self.near_from = cells_near(game)
        self.columns = game.actions if game.gravity else 1  # a column's cells are so far apart
        self.may_be_played = (game.closed == 0).astype(np.int16)
        self.capacity = round_up(self.cells, 4)

    def new_memory(self) -> Array:
        """The codes of the empty board."""
        memory = np.zeros(1, self.memory_type())
        for number in range(self.codes):
            at = number * self.capacity * self.directions
            memory[0].code[at : at + self.first_code.size] = self.first_code
            memory[0].seen[at : at + self.first_code.size] = self.first_seen
        memory[0].landing[:] = -1
        if not self.near.size:
            memory[0].near[: self.cells] = self.may_be_played
        if self.reach == 1:  # of two in a row every stone makes something
            for cell in np.flatnonzero(self.may_be_played).tolist():
                for place in range(cell * self.directions, (cell + 1) * self.directions):
                    mark(self, memory[0], place, cell, made_by_codes(self, memory[0], place))
        return memory

    def memory_type(self) -> np.dtype[Any]:
        """What is kept of a position."""
        return record_type(self.fields())

    def fields(self) -> list[Any]:
        """The fields of the memory."""
        size = self.capacity * self.directions
        return [
            ("code", "u4", self.codes * size),  # by player where they have their own, then by cell and direction
            ("seen", "u2", self.codes * size),  # the patterns of these codes, both players' as the first sees them
            ("made", "u2", size),  # what a stone of each player would make in an empty cell: four bits a player
            ("board", "i1", self.capacity),  # 0 empty, 1.. a player's stone
            ("near", "i2", self.capacity),  # how many stones are near
            ("busy", "u1", self.capacity),  # in how many directions a stone would make something
            ("active", "i2", self.capacity),  # the cells with such a direction, in any order,
            ("place", "i2", self.capacity),  # where a cell is among these,
            ("actives", "i8"),  # and how many they are
            ("landing", "i2", self.capacity if self.gravity else 1),  # the open cell of each column, or -1
            ("tally", "i2", 4 * MOST_PLAYERS),  # in how many empty cells and directions a player makes this
            ("hits", "u1", self.capacity),  # of `find_defences`
            ("line", "i2", 4 * (MOST_FOURS + 1)),  # of fours: stone, reply, how many there are, and which comes next
            ("fours", "i2", MOST_CHOICES * (MOST_FOURS + 1)),  # the fours at each of these positions
        ]


# Stones ---------------------------------------------------------------------------------------------------------


@apart
def follow(codes: Any, game: Any, state: Any, memory: Any) -> None:
    """Bring the codes to a position."""
    for cell in range(codes.cells):
        lay(codes, memory, cell, signed(game.stone_at(state, cell)))
    if codes.gravity:
        for column in range(codes.columns):
            open_cell(codes, memory, column, signed(state.landing[column]))


@apart
def follow_board(codes: Any, game: Any, boards: Array, row: int, memory: Any) -> int:
    """Bring the codes to a board of an array of boards; how many cells are empty."""
    empty = 0
    for cell in range(codes.cells):
        empty += boards[row, cell] == 0
        lay(codes, memory, cell, signed(boards[row, cell]))
    if codes.gravity:
        for column in range(codes.columns):
            cell = signed(game.bottom[column])
            while cell >= 0 and boards[row, cell] != 0:
                cell = signed(game.above[cell])
            open_cell(codes, memory, column, cell)
    return empty


@inline
def lay(codes: Any, memory: Any, cell: int, stone: int) -> None:
    """Let a cell hold this stone, or none (0 or less), whatever it held."""
    stone, before = max(0, stone), signed(memory.board[cell])
    if stone != before:
        if before > 0:
            take(codes, memory, cell, before - 1)
        if stone > 0:
            put(codes, memory, cell, stone - 1)


@inline
def open_cell(codes: Any, memory: Any, column: int, cell: int) -> None:
    """With gravity: the next stone of a column falls into this cell, or -1 if it is full."""
    before = signed(memory.landing[column])
    if cell != before:
        if before >= 0 and codes.falling:
            change(codes, memory, before, -1)
        if cell >= 0 and codes.falling:
            change(codes, memory, cell, -1)
        memory.landing[column] = cell


@apart
def put(codes: Any, memory: Any, cell: int, player: int) -> None:
    """Put a stone into an empty cell."""
    for direction in range(codes.directions):
        mark(codes, memory, cell * codes.directions + direction, cell, 0)
    memory.board[cell] = player + 1
    change(codes, memory, cell, player)
    count_near(codes, memory, cell, 1)


@apart
def take(codes: Any, memory: Any, cell: int, player: int) -> None:
    """Take a stone away."""
    memory.board[cell] = 0
    change(codes, memory, cell, player)
    count_near(codes, memory, cell, -1)
    for direction in range(codes.directions):
        place = cell * codes.directions + direction
        mark(codes, memory, place, cell, made_by_codes(codes, memory, place))


@inline
def count_near(codes: Any, memory: Any, cell: int, step: int) -> None:
    if codes.near.size > 0:
        for index in range(unsigned(codes.near_from[cell]), unsigned(codes.near_from[cell + 1])):
            memory.near[unsigned(codes.near[index])] += step


@apart
def change(codes: Any, memory: Any, cell: int, player: int) -> None:
    """Write a stone of a player, or that a cell is open (player -1), into all codes that see it; or wipe it out."""
    size, symbol = codes.capacity * codes.directions, OPEN if player < 0 else player + 1
    for direction in range(codes.directions):
        for arm in range(2):
            shift = 0 if arm == 1 else codes.reach * codes.bits  # from the others' side
            at = ((cell * codes.directions + direction) * 2 + arm) * codes.reach
            for index in range(unsigned(at), unsigned(at + codes.reach)):
                other = signed(codes.along[index])
                if other < 0:
                    break
                place = other * codes.directions + direction
                if codes.joint:
                    memory.code[unsigned(place)] ^= symbol << shift
                else:
                    for number in range(codes.codes):
                        own = OPEN if player < 0 else OWN if player == number else WALL
                        memory.code[unsigned(number * size + place)] ^= own << shift
                shift += codes.bits
                if memory.board[unsigned(other)] == 0:
                    mark(codes, memory, place, other, made_by_codes(codes, memory, place))


@inline
def mark(codes: Any, memory: Any, place: int, cell: int, made: int) -> None:
    """Keep what a stone would make in a cell and direction, and the sums of it."""
    before = signed(memory.made[unsigned(place)])
    if made == before:
        return
    memory.made[unsigned(place)] = made
    if (made != 0) != (before != 0):
        count_busy(memory, cell, 1 if made != 0 else -1)
    for player in range(codes.players):
        memory.tally[unsigned(4 * player + (before & 3))] -= 1
        memory.tally[unsigned(4 * player + (made & 3))] += 1
        before >>= 4
        made >>= 4


@inline
def count_busy(memory: Any, cell: int, step: int) -> None:
    """One direction more or less says something of a cell: it may come into the list of these, or leave it."""
    busy = memory.busy[unsigned(cell)] + step
    memory.busy[unsigned(cell)] = busy
    if step > 0 and busy == 1:
        memory.place[unsigned(cell)] = memory.actives
        memory.active[unsigned(memory.actives)] = cell
        memory.actives += 1
    elif busy == 0:
        memory.actives -= 1
        last, place = memory.active[unsigned(memory.actives)], memory.place[unsigned(cell)]
        memory.active[unsigned(place)] = last
        memory.place[unsigned(last)] = place


@inline
def made_by_codes(codes: Any, memory: Any, place: int) -> int:
    """What a stone of each player would make, by the codes alone; the patterns are kept."""
    if codes.joint:
        return signed(codes.makes[unsigned(read_pattern(codes, memory, place))])
    made, size = 0, codes.capacity * codes.directions
    for player in range(codes.players):
        made |= (codes.makes[unsigned(read_pattern(codes, memory, player * size + place))] & 15) << (4 * player)
    return signed(made)


@inline
def read_pattern(codes: Any, memory: Any, place: int) -> int:
    """The pattern of a code, which is kept."""
    code, width = signed(memory.code[unsigned(place)]), codes.reach * codes.bits
    one = codes.arm_of[unsigned(code & ((1 << width) - 1))]
    two = codes.arm_of[unsigned(code >> width)]
    pattern = codes.pattern_of[unsigned(one * codes.arms + two)]
    memory.seen[unsigned(place)] = pattern
    return signed(pattern)


# Tables ---------------------------------------------------------------------------------------------------------------


def neighbours_along(game: Any, steps: list[tuple[int, int, int]], reach: int) -> Array:
    """For every cell, direction and side the cells next to it, the nearest first; -1 from a wall on."""
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
    """The same without neighbours where a whole line has no room for a win: no code there says anything."""
    length = (along >= 0).sum(axis=(2, 3)) + 1
    along[length < run] = -1
    return along


def first_codes(along: Array, bits: int) -> Array:
    """The codes of the empty board: walls and empty cells."""
    reach = along.shape[3]
    shifts = bits * np.arange(reach)
    walls = np.where(along < 0, WALL, 0) << shifts
    sides = walls.sum(axis=3)
    return (sides[:, :, 0] | sides[:, :, 1] << bits * reach).astype(np.uint32)


def cells_near(game: Any) -> tuple[Array, Array]:
    """For each cell those near to it, one list after the other, and where each list begins; nothing if all are near."""
    if game.layers > 1 or game.cells <= SMALL or game.gravity:
        return np.zeros(0, np.int16), np.zeros(game.cells + 1, np.int32)
    rows, columns = np.divmod(np.arange(game.cells), game.columns)
    lists = []
    for cell in range(game.cells):
        far = np.maximum(abs(rows - rows[cell]), abs(columns - columns[cell]))
        lists.append(np.flatnonzero((far <= NEAR) & (far > 0) & (game.closed == 0)))
    return np.concatenate(lists).astype(np.int16), np.cumsum([0, *map(len, lists)]).astype(np.int32)
