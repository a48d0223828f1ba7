"""Connection games on hexagons: Hex and Y.

A union-find structure represents each group by one of its stones, which stores as bits the sides that the group
touches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from luozi.compiled import Array
from luozi.games.bag import Bag
from luozi.rules.board import Piece
from luozi.rules.game import Game
from luozi.rules.playout import Playout
from luozi.rules.state import State, Values

AROUND = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))  # (rows down, columns to the right)


class Hexagons(Game):
    """Two players place stones on hexagons. The first to connect all required sides wins."""

    single_winner = True
    fixed_names = True
    # union-find tables: whatever the order of stones, they connect the same sides
    scratch_fields = ("group", "touched")

    if TYPE_CHECKING:
        size: int
        cells: int
        around: Array
        sides: Array
        goals: Array

    def lay_out(self, size: int, sides: Callable[[int, int], int], goals: tuple[int, int]) -> None:
        """Build the tables of a board with `size` rows and columns.

        `sides` gives for each row and column the sides that the cell touches as bits, or -1 for a missing cell. `goals`
        are the sides that each player must connect.
        """
        self.size, self.cells, self.points = size, size * size, size * size
        self.actions = self.cells
        self.sides = np.array([sides(cell // size, cell % size) for cell in range(self.cells)] + [0], np.int8)
        self.goals = np.array(goals, np.int8)
        self.around = np.array([self.neighbours(cell) for cell in range(self.cells)], np.int16)
        self.max_length = int((self.sides[:-1] >= 0).sum())
        self.state = [
            # 0 empty, 1 and 2 the players' stones; the last entry stands for cells outside the board
            ("stones", "i1", self.cells + 1),
            ("group", "i2", self.cells),
            ("touched", "i1", self.cells),  # sides of the group that a stone represents
            ("to_move", "i1"),
            ("winner", "i1"),
            ("moves", "i2"),
        ]

    def neighbours(self, cell: int) -> list[int]:
        """Return the six cells around a cell, with the last index for missing ones."""
        found = []
        for down, right in AROUND:
            row, column = cell // self.size + down, cell % self.size + right
            inside = 0 <= row < self.size and 0 <= column < self.size
            other = row * self.size + column
            found.append(other if inside and self.sides[other] >= 0 else self.cells)
        return found

    def start(self, state: State) -> None:
        for cell in range(self.cells):
            state.group[cell] = cell
            state.touched[cell] = self.sides[cell]
            state.stones[cell] = -1 if self.sides[cell] < 0 else 0

    def current_player(self, state: State) -> int:
        return state.to_move

    def is_legal(self, state: State, action: int) -> bool:
        return state.stones[action] == 0

    def head(self, state: State, cell: int) -> int:
        """Return the stone that represents a group. The path to it is halved on the way."""
        while state.group[cell] != cell:
            state.group[cell] = state.group[state.group[cell]]
            cell = state.group[cell]
        return cell

    def apply_action(self, state: State, action: int) -> None:
        self.put(state, action, state.to_move)
        state.to_move = 1 - state.to_move
        state.moves += 1

    def put(self, state: State, cell: int, player: int) -> None:
        """Add a stone and join it with its neighbours."""
        head = cell
        state.stones[cell] = player + 1
        for side in range(6):
            neighbour = self.around[cell, side]
            if state.stones[neighbour] == player + 1:
                other = self.head(state, neighbour)
                if other != head:
                    state.group[head] = other
                    state.touched[other] |= state.touched[head]
                    head = other
        if state.touched[head] & self.goals[player] == self.goals[player]:
            state.winner = player + 1

    def is_terminal(self, state: State) -> bool:
        return state.winner != 0

    def returns(self, state: State, returns: Values) -> None:
        returns[0] = 1.0 if state.winner == 1 else 0.0
        returns[1] = 1.0 - returns[0]

    def random_playout(self) -> Playout:
        return Bag(self.cells)

    def is_free(self, state: State, cell: int) -> bool:
        """Return whether a cell is free, for the bag."""
        return state.stones[cell] == 0

    def point_owners(self, state: State, owners: Array) -> None:
        for cell in range(self.cells):
            owners[cell] = max(0, state.stones[cell])

    def pieces(self, state: State) -> list[Piece]:
        return [(cell, state.stones[cell] - 1, "") for cell in range(self.cells) if state.stones[cell] > 0]

    def from_pieces(self, state: State, pieces: Sequence[Piece], to_move: int) -> None:
        for cell, player, _ in pieces:
            self.put(state, cell, player)
        state.moves, state.to_move = len(pieces), to_move

    def winning_cells(self, state: State) -> list[int]:
        """Return all cells of the group that has won."""
        state = state.copy()  # finding the representative changes paths
        for cell in range(self.cells if state.winner else 0):
            head = self.head(state, cell)
            won = state.touched[head] & self.goals[state.winner - 1] == self.goals[state.winner - 1]
            if state.stones[cell] == state.winner and won:
                return [other for other in range(self.cells) if self.head(state, other) == head]
        return []
