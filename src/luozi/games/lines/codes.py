"""The codes of lines: what lies around every cell in every direction, updated with each stone.

A code is two arms of cells, a few bits each (`patterns`). A new stone changes the codes of the cells around it, and
what a stone in these cells would make. `follow` updates the codes from one position to another by the stones that
differ. Successive leaves of a search have most stones in common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from luozi.compiled import Array, Compilable, apart, inline, signed, unsigned
from luozi.games.lines.code_tables import (
    cells_near,
    first_codes,
    lookup_tables,
    neighbours_along,
    stones_of_arms,
    three_table,
)
from luozi.games.lines.patterns import OPEN, OWN, WALL, WIN, alphabet_of, directions_of, patterns_of
from luozi.games.lines.playouts import round_up
from luozi.messages import LuoziError
from luozi.rules.state import State, record_type

if TYPE_CHECKING:
    from luozi.games.lines.rules import Lines

MOST_PLAYERS = 4
MOST_FOURS, MOST_CHOICES = 40, 32  # maximum length of a sequence of fours, and of fours tried in one position
THREAT_PLIES, THREAT_FIELDS, KNOWN_POSITIONS = 34, 40, 1024  # of a sequence of threats, its fields, and its table
MOST_ROUNDS = 8  # maximum number of stones that force all opponents, with three and more players
A_WIN = 100  # added for a stone that wins; otherwise the sum counts the cells that would complete a win
DIRECT_BITS = 16  # codes up to this number of bits are looked up directly, longer ones by their two arms


class LineCodes(Compilable):
    """The lines of one game as codes."""

    def __init__(self, game: Lines) -> None:
        alphabet = alphabet_of(game.run, game.exactly, game.players, game.gravity)
        if alphabet is None or game.players > MOST_PLAYERS:
            raise LuoziError("networks are for 2 to 6 in a row and {number} players at most", number=MOST_PLAYERS)
        if not game.segments:
            raise LuoziError(
                "{game} has no room for {run} in a row: no network can value it", game=game.spelling, run=game.run
            )
        patterns, steps = patterns_of(alphabet), directions_of(game)
        self.cells, self.players, self.gravity = game.cells, game.players, bool(game.gravity)
        self.directions, self.reach, self.bits = len(steps), alphabet.reach, alphabet.bits
        self.joint, self.falling = alphabet.joint, alphabet.falling
        self.codes = 1 if alphabet.joint else game.players  # index of a cell and direction
        self.width = alphabet.bits * alphabet.reach
        self.direct, self.arms = 2 * self.width <= DIRECT_BITS, round(len(patterns.pattern_of) ** 0.5)
        self.arm_of = patterns.arm_of.astype(np.uint8)
        self.pattern_of, self.made_of = lookup_tables(patterns, self.direct, alphabet.joint)
        self.threes_of = three_table(patterns, self.direct)
        self.views = len(self.made_of)  # offset between the tables of the two players in `pattern_of`
        self.stones_of = stones_of_arms(alphabet)
        # with exact length, a stone beside a segment matters too, so no number of stones is enough
        exactly = alphabet.exactly
        self.least_own, self.least_other = (0, 0) if exactly else (alphabet.run - 3, alphabet.run - 2)
        along = neighbours_along(game, steps, alphabet.reach)
        self.along, self.first_code = along.reshape(-1), first_codes(along, alphabet.bits).reshape(-1)
        self.lengths = (along >= 0).sum(axis=3).astype(np.uint8).reshape(-1)  # codes of the arms of every place
        self.strides = np.array([(layer * game.rows + row) * game.columns + column for layer, row, column in steps])
        self.strides *= self.directions  # distance from a place to the next one on its line
        self.near, self.near_from = cells_near(game)
        self.columns = game.actions if game.gravity else 1  # distance between the cells of a column
        self.may_be_played = (game.closed == 0).astype(np.int16)
        self.capacity = round_up(self.cells, 4)

    def new_memory(self) -> Array:
        """Return memory with the codes of the empty board."""
        memory = np.zeros(1, self.memory_type())
        for number in range(self.codes):
            at = number * self.capacity * self.directions
            memory[0].code[at : at + self.first_code.size] = self.first_code
        memory[0].landing[:] = -1
        if not self.near.size:
            memory[0].near[: self.cells] = self.may_be_played
        if self.reach == 1:  # with two in a row every stone makes something
            for cell in np.flatnonzero(self.may_be_played).tolist():
                for place in range(cell * self.directions, (cell + 1) * self.directions):
                    mark(self, memory[0], place, cell, made_by_codes(self, memory[0], place))
        return memory

    def memory_type(self) -> np.dtype[np.void]:
        """Return the NumPy type of the memory."""
        return record_type(self.fields())

    def fields(self) -> list[Any]:
        """Return the fields of the memory."""
        size = self.capacity * self.directions
        return [
            # by player if the players have codes of their own, then by cell and direction
            ("code", "u4", self.codes * size),
            ("made", "u2", size),  # what a stone of each player would make in an empty cell: four bits a player
            ("board", "i1", self.capacity),  # 0 empty, 1.. a player's stone
            ("near", "i2", self.capacity),  # number of stones nearby
            ("busy", "u1", self.capacity),  # number of directions in which a stone would make something
            ("threat", "u2", self.players * self.capacity),  # sum for each player: see `mark`
            ("active", "i2", self.capacity),  # cells with such a direction, in any order
            ("place", "i2", self.capacity),  # index of a cell in this list
            ("actives", "i8"),  # length of this list
            ("landing", "i2", self.capacity if self.gravity else 1),  # the playable cell of each column, or -1
            # number of empty cells and directions in which a player makes this class
            ("tally", "i2", 4 * MOST_PLAYERS),
            ("hits", "u1", self.capacity),  # written by `find_defences`
            # fours in progress: stone, reply, number of candidates, next candidate
            ("line", "i2", 4 * (MOST_FOURS + 1)),
            ("fours", "i2", MOST_CHOICES * (MOST_FOURS + 1)),  # candidates at each depth
            # threats in progress, for two players without gravity: see `continuous_threats`
            ("threats", "i2", (THREAT_PLIES, THREAT_FIELDS) if self.players == 2 and not self.gravity else (1, 1)),
            ("known", "i8", KNOWN_POSITIONS if self.players == 2 and not self.gravity else 1),
            # rounds with three and more players: the stone, number of candidates, next candidate, the replies
            ("chain", "i2", (self.players + 2) * (MOST_ROUNDS + 1)),
        ]


# Stones ---------------------------------------------------------------------------------------------------------


@apart
def follow(codes: LineCodes, game: Lines, state: State, memory: State) -> None:
    """Update the codes to a state."""
    for cell in range(codes.cells):
        lay(codes, memory, cell, signed(game.stone_at(state, cell)))
    if codes.gravity:
        for column in range(codes.columns):
            open_cell(codes, memory, column, signed(state.landing[column]))


@apart
def follow_board(codes: LineCodes, game: Lines, boards: Array, row: int, memory: State) -> int:
    """Update the codes to a row of an array of boards. Return the number of empty cells."""
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
def lay(codes: LineCodes, memory: State, cell: int, stone: int) -> None:
    """Set a cell to this stone, or to empty (0 or less)."""
    stone, before = max(0, stone), signed(memory.board[cell])
    if stone != before:
        if before > 0:
            take(codes, memory, cell, before - 1)
        if stone > 0:
            put(codes, memory, cell, stone - 1)


@inline
def open_cell(codes: LineCodes, memory: State, column: int, cell: int) -> None:
    """Set the playable cell of a column, or -1 if it is full."""
    before = signed(memory.landing[column])
    if cell != before:
        if before >= 0 and codes.falling:
            change(codes, memory, before, -1)
        if cell >= 0 and codes.falling:
            change(codes, memory, cell, -1)
        memory.landing[column] = cell


@apart
def put(codes: LineCodes, memory: State, cell: int, player: int) -> None:
    """Place a stone in an empty cell."""
    try_stone(codes, memory, cell, player)
    count_near(codes, memory, cell, 1)


@apart
def take(codes: LineCodes, memory: State, cell: int, player: int) -> None:
    """Remove a stone."""
    withdraw(codes, memory, cell, player)
    count_near(codes, memory, cell, -1)


@apart
def try_stone(codes: LineCodes, memory: State, cell: int, player: int) -> None:
    """Place a stone temporarily, without updating the cells nearby."""
    for place in range(cell * codes.directions, (cell + 1) * codes.directions):
        if memory.made[unsigned(place)] != 0:
            mark(codes, memory, place, cell, 0)
    memory.board[unsigned(cell)] = player + 1
    change(codes, memory, cell, player)


@apart
def withdraw(codes: LineCodes, memory: State, cell: int, player: int) -> None:
    """Remove such a stone."""
    memory.board[unsigned(cell)] = 0
    change(codes, memory, cell, player)
    for place in range(cell * codes.directions, (cell + 1) * codes.directions):
        made = made_by_codes(codes, memory, place)
        if made != 0:
            mark(codes, memory, place, cell, made)


@inline
def count_near(codes: LineCodes, memory: State, cell: int, step: int) -> None:
    if codes.near.size > 0:
        for index in range(unsigned(codes.near_from[cell]), unsigned(codes.near_from[cell + 1])):
            memory.near[unsigned(codes.near[index])] += step


@inline
def change(codes: LineCodes, memory: State, cell: int, player: int) -> None:
    """Write a stone of a player, or that a cell is playable (player -1), into all codes that see it, or remove it."""
    if codes.joint:
        change_joint(codes, memory, cell, player)
    else:
        change_each(codes, memory, cell, player)


@apart
def change_joint(codes: LineCodes, memory: State, cell: int, player: int) -> None:
    """The same for codes with the stones of both players."""
    for direction in range(codes.directions):
        line = cell * codes.directions + direction
        matters = player < 0 or can_matter(codes, signed(memory.code[unsigned(line)]), player)
        for arm in range(2):
            symbol = OPEN if player < 0 else player + 1
            symbol <<= codes.width if arm == 0 else 0  # from the other players' view
            place, step = line, signed(codes.strides[direction])
            step = step if arm == 0 else -step
            for _ in range(codes.lengths[unsigned(2 * line + arm)]):
                place += step
                memory.code[unsigned(place)] ^= symbol
                symbol <<= codes.bits
                if matters:
                    revise(codes, memory, place, signed(codes.made_of[row_of(codes, memory, unsigned(place))]))


@inline
def can_matter(codes: LineCodes, code: int, player: int) -> bool:
    """Return whether a stone in the middle of a code can change what other players would make on its line.

    This takes all but two stones of a win, including the new one, or all but two of the other player's, whom it blocks.
    All of them are in sight, since they belong to one win.
    """
    stones = signed(codes.stones_of[unsigned(code & ((1 << codes.width) - 1))])
    stones += signed(codes.stones_of[unsigned(code >> codes.width)])
    one, two = stones & 15, stones >> 4
    own, other = (one, two) if player == 0 else (two, one)
    return own >= codes.least_own or other >= codes.least_other


@apart
def change_each(codes: LineCodes, memory: State, cell: int, player: int) -> None:
    """The same for codes of each player."""
    size = codes.capacity * codes.directions
    for direction in range(codes.directions):
        line = cell * codes.directions + direction
        for arm in range(2):
            shift = codes.width if arm == 0 else 0
            place, step = line, signed(codes.strides[direction])
            step = step if arm == 0 else -step
            for _ in range(codes.lengths[unsigned(2 * line + arm)]):
                place += step
                for number in range(codes.codes):
                    symbol = OPEN if player < 0 else OWN if player == number else WALL
                    memory.code[unsigned(number * size + place)] ^= symbol << shift
                shift += codes.bits
                revise(codes, memory, place, made_by_codes(codes, memory, place))


@inline
def revise(codes: LineCodes, memory: State, place: int, made: int) -> None:
    """Store what a stone would make in a place, if it has changed and the cell is empty."""
    if made != memory.made[unsigned(place)]:
        cell = place // codes.directions
        if memory.board[unsigned(cell)] == 0:
            mark(codes, memory, place, cell, made)


@apart
def mark(codes: LineCodes, memory: State, place: int, cell: int, made: int) -> None:
    """Store what a stone would make in a cell and direction, and update the sums.

    The sum over the directions of a cell is the number of cells that would complete a win, at most two a line, or at
    least A_WIN if a stone wins itself.
    """
    before = signed(memory.made[unsigned(place)])
    memory.made[unsigned(place)] = made
    if (made != 0) != (before != 0):
        count_busy(memory, cell, 1 if made != 0 else -1)
    for player in range(codes.players):
        now, earlier = made & 3, before & 3
        memory.tally[unsigned(4 * player + earlier)] -= 1
        memory.tally[unsigned(4 * player + now)] += 1
        step = (A_WIN if now == WIN else now) - (A_WIN if earlier == WIN else earlier)
        memory.threat[unsigned(player * codes.capacity + cell)] += step
        before >>= 4
        made >>= 4


@inline
def count_busy(memory: State, cell: int, step: int) -> None:
    """Count one direction more or less that means something for a cell, which may enter or leave the list."""
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
def made_by_codes(codes: LineCodes, memory: State, place: int) -> int:
    """Return what a stone of each player would make in a cell and direction, computed from the codes alone."""
    if codes.joint:
        return signed(codes.made_of[row_of(codes, memory, unsigned(place))])
    made, size = 0, codes.capacity * codes.directions
    for player in range(codes.players):
        row = row_of(codes, memory, unsigned(player * size) + unsigned(place))
        made |= (signed(codes.made_of[row]) & 15) << (4 * player)
    return made


@inline
def row_of(codes: LineCodes, memory: State, place: int) -> int:
    """Return the row of the tables for a code."""
    code = unsigned(memory.code[place])
    if codes.direct:
        return code
    one, two = codes.arm_of[code & unsigned((1 << codes.width) - 1)], codes.arm_of[code >> unsigned(codes.width)]
    return unsigned(one) * unsigned(codes.arms) + unsigned(two)
