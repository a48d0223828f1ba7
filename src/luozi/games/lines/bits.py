"""Line games on small boards: the rules of `Lines` with each player's stones as the bits of one number.

A board fits if its cells take at most 62 bits, with an empty column and row between lines so that no segment wraps
around: tic-tac-toe, Connect Four 7x6, most boards for teaching. Playouts are about twice as fast.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from luozi.compiled import Array, random_below, unsigned
from luozi.games.lines.playouts import round_up
from luozi.games.lines.rules import Lines
from luozi.rules.playout import Advised, Playout
from luozi.rules.setup import Setup
from luozi.rules.state import State

MAX_BITS, MAX_RUN = 62, 8
ALL_BITS = 63  # the longest shift


def fits_in_bits(layers: int, rows: int, columns: int, run: int) -> bool:
    """Return whether a board is small enough.

    >>> fits_in_bits(1, 6, 7, 4), fits_in_bits(1, 15, 15, 5)
    (True, False)
    """
    return layers * (rows + 1) * (columns + 1) <= MAX_BITS and run <= MAX_RUN


class BitLines(Lines):
    """k in a row on a small board."""

    exact_solver = Lines.exact_solver  # the rules are the same

    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        height, width = self.rows + 1, self.columns + 1
        places = np.indices((self.layers, self.rows, self.columns)).reshape(3, -1)
        self.bit = ((places[0] * height + places[1]) * width + places[2]).astype(np.int64)
        steps = [step for step in itertools.product((-1, 0, 1), repeat=3) if step > (0, 0, 0)]
        shifts = sorted(
            {(layer * height + row) * width + column for layer, row, column in steps if self._room(layer, row, column)}
        )
        # Compiled shifts must stay below 64. A shift by 63 removes everything: the highest bits are never stones.
        self.shifts = np.minimum(shifts, ALL_BITS).astype(np.int64)
        # from the first cell of a segment past its end
        self.lengths = np.minimum(self.run * np.array(shifts, np.int64), ALL_BITS)
        # k in a row along a shift: AND the stones with themselves, shifted three times so that the length doubles
        lengths = [1, min(2, self.run), min(4, self.run), self.run]
        moves = [[shift * (longer - length) for length, longer in itertools.pairwise(lengths)] for shift in shifts]
        self.moves = np.array(moves, np.int64).reshape(-1)
        bits = np.int64(1) << np.asarray(self.bit)[np.asarray(self.segment_cells).reshape(-1, self.run)]
        self.masks = np.bitwise_or.reduce(bits, axis=1)  # of each winning segment
        self.open_board = int(np.bitwise_or.reduce(1 << self.bit[self.closed == 0]))  # all cells that may be used
        self.decisive = self.playable - self.players * (self.run - 1) - 1  # with more empty cells nobody can have won
        self.state = [
            ("stones", "i8", self.players),  # each player's stones, one bit a cell
            ("taken", "i8"),  # all stones and the forbidden cells
            ("landing", "i1", round_up(self.actions, 4) if self.gravity else 1),
            ("to_move", "i2"),
            ("winner", "i2"),
            ("empty", "i2"),
            ("last", "i2"),
        ]

    def _room(self, layer: int, row: int, column: int) -> bool:
        """Return whether a segment fits into the board in a direction."""
        box = (self.layers, self.rows, self.columns)
        return all(not d or size >= self.run for d, size in zip((layer, row, column), box, strict=True))

    def start(self, state: State) -> None:
        state.to_move = 0
        state.winner = 0
        state.empty = self.playable
        state.last = -1
        stones, landing, taken = state.stones, state.landing, 0
        for cell, is_closed in enumerate(self.closed):
            if is_closed:
                taken |= 1 << self.bit[cell]
        state.taken = taken
        for player in range(self.players):
            stones[player] = 0
        if self.gravity:
            for column, bottom in enumerate(self.bottom):
                landing[column] = bottom

    def is_legal(self, state: State, action: int) -> bool:
        if self.gravity:
            return state.landing[action] >= 0
        return (state.taken >> self.bit[action]) & 1 == 0

    def apply_action(self, state: State, action: int) -> None:
        cell = action
        if self.gravity:
            cell = state.landing[action]
            state.landing[action] = self.above[cell]
        player = state.to_move
        stone = 1 << self.bit[cell]
        stones = state.stones[player] | stone
        state.stones[player] = stones
        state.taken |= stone
        state.last = cell
        state.empty -= 1
        if state.empty <= self.decisive and self.has_run(stones):
            state.winner = player + 1
        state.to_move = player + 1 if player + 1 < self.players else 0

    def from_setup(self, state: State, setup: Setup) -> None:
        Lines.from_setup(self, state, setup)
        for player in range(self.players):  # in any order
            if self.has_run(state.stones[player]):
                state.winner = player + 1

    def has_run(self, stones: int) -> bool:
        """Return whether there are k in a row, and not more if the rule requires exactly k."""
        found = 0
        for direction in range(unsigned(len(self.shifts))):
            first = unsigned(3) * unsigned(direction)
            run = stones & (stones >> self.moves[first])
            run &= run >> self.moves[first + unsigned(1)]
            run &= run >> self.moves[first + unsigned(2)]
            if self.exactly:
                run &= ~(stones << self.shifts[direction]) & ~(stones >> self.lengths[direction])
            found |= run
        return found != 0

    def owner_of(self, state: State, segment: int) -> tuple[int, int]:
        mask = self.masks[segment]
        for player in range(self.players):
            own = state.stones[player] & mask
            if own:
                if own != state.taken & mask:
                    return -1, 0
                missing = self.run
                while own:
                    own &= own - 1
                    missing -= 1
                return player, missing
        return -1, 0

    def stone_at(self, state: State, cell: int) -> int:
        for player in range(self.players):
            if (state.stones[player] >> self.bit[cell]) & 1:
                return player + 1
        return -self.closed[cell]

    def stones_by_cell(self, state: State) -> Array:
        """Return `stone_at` of each cell."""
        stones = -np.asarray(self.closed).astype(np.int64)
        for player in range(self.players):
            stones[np.int64(state.stones[player]) >> np.asarray(self.bit) & 1 == 1] = player + 1
        return stones

    def random_playout(self) -> Playout:
        """Return random playouts. On a small board, drawing until a cell is free is cheaper than a bag."""
        return Playout()

    def policy_playout(self) -> Playout:
        return Advised()

    # What makes it play better, from bits ---------------------------------------------------------------------------

    def is_free(self, state: State, cell: int) -> bool:
        return (state.taken >> self.bit[cell]) & 1 == 0

    def open_stones(self, state: State, player: int, segment: int) -> int:
        own = state.stones[player] & self.masks[segment]
        if own != state.taken & self.masks[segment]:
            return -1
        stones = 0
        while own:
            own &= own - 1
            stones += 1
        return stones

    def next_with(self, state: State, player: int, segment: int, counter: int) -> int:
        while segment < self.segments and self.open_stones(state, player, segment) != counter + self.run - 128:
            segment += 1
        return segment

    def outlook(self, state: State, mover: int, segment: int) -> int:
        owner, missing = self.owner_of(state, segment)
        if owner < 0:
            return self.run if state.taken & self.masks[segment] else 0
        if owner == mover:
            return (self.run - missing) * (self.run + 1)
        turns = (owner + self.players - mover) % self.players
        return (turns - 1) * (self.run + 1) * (self.run + 1) + self.run - missing

    def winning_bits(self, state: State, player: int) -> int:
        """Return as bits the empty cells in which a stone of the player would win. With gravity they may be out of
        reach.
        """
        stones, empty, cells = state.stones[player], self.open_board & ~state.taken, 0
        for direction in range(unsigned(len(self.shifts))):
            shift = self.shifts[direction]
            # of the segments that start at each cell: full so far, and full except for one empty cell
            full, nearly, moved = -1, 0, 0
            for _ in range(self.run):
                own = stones >> moved
                nearly = (nearly & own) | (full & (empty >> moved))
                full &= own
                moved += shift
            if self.exactly:
                nearly &= ~(stones << shift) & ~(stones >> self.lengths[direction])
            if nearly:
                for _ in range(self.run):
                    cells |= nearly
                    nearly <<= shift
        return cells & empty

    def can_win(self, state: State, player: int) -> bool:
        cells = self.winning_bits(state, player)
        if not self.gravity:
            return cells != 0
        for action in range(self.actions):
            if state.landing[action] >= 0 and (cells >> self.bit[state.landing[action]]) & 1:
                return True
        return False

    def policy_action(self, state: State, rng: Array, actions: Array) -> int:
        for turns in range(self.players):
            count = self.winning_actions(state, (state.to_move + turns) % self.players, actions)
            if count > 0 and count >= turns:
                return int(actions[random_below(rng, count)])
        return self.random_action(state, rng) if state.empty > 0 else -1

    def winning_actions(self, state: State, player: int, actions: Array) -> int:
        cells = self.winning_bits(state, player)
        if cells == 0:
            return 0
        count = 0
        for action in range(self.actions):
            if self.is_legal(state, action) and (cells >> self.bit[self.cell_of(state, action)]) & 1:
                actions[count] = action
                count += 1
        return count
