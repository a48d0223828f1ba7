"""The codes of lines: for every cell and direction what lies around, kept up to date stone by stone.

A code is two arms of cells, a few bits each (`patterns`). A new stone changes the codes of the cells around it, and
with them what a stone there would make. `follow` brings the codes from the position they are at to another one, by the
stones that differ: leaves of a search that come one after the other have most stones in common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from luozi.compiled import Array, Compilable, apart, inline, signed, unsigned
from luozi.games.lines.code_tables import cells_near, first_codes, lookup_tables, neighbours_along, stones_of_arms
from luozi.games.lines.patterns import OPEN, OWN, WALL, WIN, alphabet_of, directions_of, patterns_of
from luozi.games.lines.playouts import round_up
from luozi.messages import LuoziError
from luozi.rules.state import State, record_type

if TYPE_CHECKING:
    from luozi.games.lines.rules import Lines

MOST_PLAYERS = 4
MOST_FOURS, MOST_CHOICES = 40, 32  # in a row, and at one position
MOST_ROUNDS = 8  # of stones that force all others, among three and more
A_WIN = 100  # what a stone that wins counts for, where others count the cells that would complete a win
DIRECT_BITS = 16  # codes of so many bits are looked up as they are; longer ones by their two arms


class LineCodes(Compilable):
    """The lines of one game, as codes."""

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
        self.codes = 1 if alphabet.joint else game.players  # of a cell and direction
        self.width = alphabet.bits * alphabet.reach
        self.direct, self.arms = 2 * self.width <= DIRECT_BITS, round(len(patterns.pattern_of) ** 0.5)
        self.arm_of = patterns.arm_of.astype(np.uint8)
        self.pattern_of, self.made_of = lookup_tables(patterns, self.direct, alphabet.joint)
        self.views = len(self.made_of)  # of a player: the other's patterns stand so much further in `pattern_of`
        self.stones_of = stones_of_arms(alphabet)
        exactly = alphabet.exactly  # a stone beside a win matters too: no number of stones is enough then
        self.least_own, self.least_other = (0, 0) if exactly else (alphabet.run - 3, alphabet.run - 2)
        along = neighbours_along(game, steps, alphabet.reach)
        self.along, self.first_code = along.reshape(-1), first_codes(along, alphabet.bits).reshape(-1)
        self.lengths = (along >= 0).sum(axis=3).astype(np.uint8).reshape(-1)  # of the arms of every place
        self.strides = np.array([(layer * game.rows + row) * game.columns + column for layer, row, column in steps])
        self.strides *= self.directions  # from a place to the next one in its line
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
        memory[0].landing[:] = -1
        if not self.near.size:
            memory[0].near[: self.cells] = self.may_be_played
        if self.reach == 1:  # of two in a row every stone makes something
            for cell in np.flatnonzero(self.may_be_played).tolist():
                for place in range(cell * self.directions, (cell + 1) * self.directions):
                    mark(self, memory[0], place, cell, made_by_codes(self, memory[0], place))
        return memory

    def memory_type(self) -> np.dtype[np.void]:
        """What is kept of a position."""
        return record_type(self.fields())

    def fields(self) -> list[Any]:
        """The fields of the memory."""
        size = self.capacity * self.directions
        return [
            ("code", "u4", self.codes * size),  # by player where they have their own, then by cell and direction
            ("made", "u2", size),  # what a stone of each player would make in an empty cell: four bits a player
            ("board", "i1", self.capacity),  # 0 empty, 1.. a player's stone
            ("near", "i2", self.capacity),  # how many stones are near
            ("busy", "u1", self.capacity),  # in how many directions a stone would make something
            ("threat", "u2", self.players * self.capacity),  # for each player the sum of it: see `mark`
            ("active", "i2", self.capacity),  # the cells with such a direction, in any order,
            ("place", "i2", self.capacity),  # where a cell is among these,
            ("actives", "i8"),  # and how many they are
            ("landing", "i2", self.capacity if self.gravity else 1),  # the open cell of each column, or -1
            ("tally", "i2", 4 * MOST_PLAYERS),  # in how many empty cells and directions a player makes this
            ("hits", "u1", self.capacity),  # of `find_defences`
            ("line", "i2", 4 * (MOST_FOURS + 1)),  # of fours: stone, reply, how many there are, and which comes next
            ("fours", "i2", MOST_CHOICES * (MOST_FOURS + 1)),  # the fours at each of these positions
            # Of rounds among three and more: the stone, how many could be tried, which comes next, and the replies.
            ("chain", "i2", (self.players + 2) * (MOST_ROUNDS + 1)),
        ]


# Stones ---------------------------------------------------------------------------------------------------------


@apart
def follow(codes: LineCodes, game: Lines, state: State, memory: State) -> None:
    """Bring the codes to a position."""
    for cell in range(codes.cells):
        lay(codes, memory, cell, signed(game.stone_at(state, cell)))
    if codes.gravity:
        for column in range(codes.columns):
            open_cell(codes, memory, column, signed(state.landing[column]))


@apart
def follow_board(codes: LineCodes, game: Lines, boards: Array, row: int, memory: State) -> int:
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
def lay(codes: LineCodes, memory: State, cell: int, stone: int) -> None:
    """Let a cell hold this stone, or none (0 or less), whatever it held."""
    stone, before = max(0, stone), signed(memory.board[cell])
    if stone != before:
        if before > 0:
            take(codes, memory, cell, before - 1)
        if stone > 0:
            put(codes, memory, cell, stone - 1)


@inline
def open_cell(codes: LineCodes, memory: State, column: int, cell: int) -> None:
    """With gravity: the next stone of a column falls into this cell, or -1 if it is full."""
    before = signed(memory.landing[column])
    if cell != before:
        if before >= 0 and codes.falling:
            change(codes, memory, before, -1)
        if cell >= 0 and codes.falling:
            change(codes, memory, cell, -1)
        memory.landing[column] = cell


@apart
def put(codes: LineCodes, memory: State, cell: int, player: int) -> None:
    """Put a stone into an empty cell."""
    try_stone(codes, memory, cell, player)
    count_near(codes, memory, cell, 1)


@apart
def take(codes: LineCodes, memory: State, cell: int, player: int) -> None:
    """Take a stone away."""
    withdraw(codes, memory, cell, player)
    count_near(codes, memory, cell, -1)


@apart
def try_stone(codes: LineCodes, memory: State, cell: int, player: int) -> None:
    """Put a stone that does not stay, so that what is near to it need not be known."""
    for place in range(cell * codes.directions, (cell + 1) * codes.directions):
        if memory.made[unsigned(place)] != 0:
            mark(codes, memory, place, cell, 0)
    memory.board[unsigned(cell)] = player + 1
    change(codes, memory, cell, player)


@apart
def withdraw(codes: LineCodes, memory: State, cell: int, player: int) -> None:
    """Take such a stone back."""
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
    """Write a stone of a player, or that a cell is open (player -1), into all codes that see it; or wipe it out."""
    if codes.joint:
        change_joint(codes, memory, cell, player)
    else:
        change_each(codes, memory, cell, player)


@apart
def change_joint(codes: LineCodes, memory: State, cell: int, player: int) -> None:
    """The same where a code has the stones of both players."""
    for direction in range(codes.directions):
        line = cell * codes.directions + direction
        matters = player < 0 or can_matter(codes, signed(memory.code[unsigned(line)]), player)
        for arm in range(2):
            symbol = OPEN if player < 0 else player + 1
            symbol <<= codes.width if arm == 0 else 0  # from the others' side
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
    """Whether a stone in the middle of a code can change what others would make in its line.

    That takes all but two stones of a win, the new one among them, or all but two of the other player's, whom it
    blocks. All of them are in sight of the middle, as they are in one win with it.
    """
    stones = signed(codes.stones_of[unsigned(code & ((1 << codes.width) - 1))])
    stones += signed(codes.stones_of[unsigned(code >> codes.width)])
    one, two = stones & 15, stones >> 4
    own, other = (one, two) if player == 0 else (two, one)
    return own >= codes.least_own or other >= codes.least_other


@apart
def change_each(codes: LineCodes, memory: State, cell: int, player: int) -> None:
    """The same where every player has codes."""
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
    """Keep what a stone would make in a place, if that has changed and the cell is empty."""
    if made != memory.made[unsigned(place)]:
        cell = place // codes.directions
        if memory.board[unsigned(cell)] == 0:
            mark(codes, memory, place, cell, made)


@apart
def mark(codes: LineCodes, memory: State, place: int, cell: int, made: int) -> None:
    """Keep what a stone would make in a cell and direction, which has changed, and the sums of it.

    The sum over all directions of a cell is that of the cells that would complete a win, two at most for each line;
    A_WIN or more if a stone wins itself.
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
def made_by_codes(codes: LineCodes, memory: State, place: int) -> int:
    """What a stone of each player would make in a cell and direction, by the codes alone."""
    if codes.joint:
        return signed(codes.made_of[row_of(codes, memory, unsigned(place))])
    made, size = 0, codes.capacity * codes.directions
    for player in range(codes.players):
        row = row_of(codes, memory, unsigned(player * size) + unsigned(place))
        made |= (signed(codes.made_of[row]) & 15) << (4 * player)
    return made


@inline
def row_of(codes: LineCodes, memory: State, place: int) -> int:
    """Where the tables have what is known of a code."""
    code = unsigned(memory.code[place])
    if codes.direct:
        return code
    one, two = codes.arm_of[code & unsigned((1 << codes.width) - 1)], codes.arm_of[code >> unsigned(codes.width)]
    return unsigned(one) * unsigned(codes.arms) + unsigned(two)
