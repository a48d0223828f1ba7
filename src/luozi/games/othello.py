"""Othello: the opponent's discs between a new disc and another of the same colour are turned. A player who can't
turn any must pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import numpy.typing as npt

from luozi.compiled import Array
from luozi.messages import LuoziError
from luozi.rules.board import Board, Piece, board_of
from luozi.rules.game import Game
from luozi.rules.state import Actions, State, Values
from luozi.util.parameters import ParameterInfo

CORNER, BESIDE, DIAGONAL, EDGE, INSIDE = 20.0, -3.0, -7.0, 2.0, -1.0  # value of a disc in these cells before the end
EVEN = 20.0  # a lead of this value is half of a win
Size = Annotated[int, ParameterInfo("cells a side, an even number", 4, 26)]


class Othello(Game):
    """Othello: discs between two of the other colour are turned. The player with more discs at the end wins."""

    single_winner = True
    fixed_names = True

    def __init__(self, size: Size = 8) -> None:
        if size % 2:
            raise LuoziError("othello: size={value} is not valid; it must be an even number", value=size)
        width = size + 2  # a border of empty places ends lines without a test for the edge
        self.size, self.cells, self.points = size, size * size, size * size
        self.actions = self.cells + 1  # the last action is the pass
        self.max_length = 2 * self.cells  # in the worst case there is a pass between any two moves
        self.place = np.array([(cell // size + 1) * width + cell % size + 1 for cell in range(self.cells)], np.int16)
        self.steps = np.array([-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1], np.int16)
        self.worth = cell_worth(size)
        self.state = [("squares", "i1", width * width), ("to_move", "i1"), ("empty", "i2"), ("passes", "i1")]

    def start(self, state: State) -> None:
        corner = (self.size // 2 - 1) * self.size + self.size // 2 - 1
        for row in range(2):
            for column in range(2):
                state.squares[self.place[corner + row * self.size + column]] = 2 if row == column else 1
        state.empty = self.cells - 4

    def current_player(self, state: State) -> int:
        return state.to_move

    def turned(self, state: State, place: int, step: int) -> int:
        """Return the number of discs that a disc of the player to move turns in one direction."""
        squares, own, count, at = state.squares, state.to_move + 1, 0, place + step
        while squares[at] == 3 - own:
            count += 1
            at += step
        return count if squares[at] == own else 0

    def turns_some(self, state: State, cell: int) -> bool:
        """Return whether a disc may be placed on a cell."""
        place = self.place[cell]
        if state.squares[place] == 0:
            for step in self.steps:
                if self.turned(state, place, step) > 0:
                    return True
        return False

    def is_legal(self, state: State, action: int) -> bool:
        if action < self.cells:
            return self.turns_some(state, action)
        moves = 0
        for cell in range(self.cells):
            moves += self.turns_some(state, cell)
        return moves == 0

    def legal_actions(self, state: State, actions: Actions) -> int:
        count = 0
        for cell in range(self.cells):
            if self.turns_some(state, cell):
                actions[count] = cell
                count += 1
        if count == 0:
            actions[0] = self.cells
        return max(count, 1)

    def apply_action(self, state: State, action: int) -> None:
        if action == self.cells:
            state.passes += 1
        else:
            place = self.place[action]
            for step in self.steps:
                for distance in range(self.turned(state, place, step) + 1):
                    state.squares[place + distance * step] = state.to_move + 1
            state.empty -= 1
            state.passes = 0
        state.to_move = 1 - state.to_move

    def is_terminal(self, state: State) -> bool:
        return state.empty == 0 or state.passes == 2

    def returns(self, state: State, returns: Values) -> None:
        lead = 0
        for place in self.place:
            lead += (state.squares[place] == 1) - (state.squares[place] == 2)
        returns[0] = 0.5 if lead == 0 else 1.0 * (lead > 0)
        returns[1] = 1.0 - returns[0]

    def evaluate(self, state: State, values: Values) -> None:
        """Evaluate by the cells of the discs: a disc in a corner is safe, and one beside an empty corner gives it
        away.
        """
        lead = 0.0
        for cell in range(self.cells):
            disc = state.squares[self.place[cell]]
            lead += self.worth[cell] * ((disc == 1) - (disc == 2))
        values[0] = 0.5 + 0.5 * lead / (abs(lead) + EVEN)
        values[1] = 1.0 - values[0]

    def point_owners(self, state: State, owners: Array) -> None:
        for cell in range(self.cells):
            owners[cell] = state.squares[self.place[cell]]

    def why_illegal(self, state: State, action: int) -> str:
        if action == self.cells:
            return "who has another move may not pass"
        return "" if state.squares[self.place[action]] else "no disc would turn over"

    def action_to_string(self, state: State, action: int) -> str:
        board = board_of(self)
        assert board is not None
        return "pass" if action == self.cells else board.name_of(action)

    def board(self) -> Board:
        return Board.grid(self.size, self.size, row_names=tuple(str(row + 1) for row in range(self.size)))

    def has_fixed_moves(self) -> bool:
        return True

    def pieces(self, state: State) -> list[Piece]:
        squares = np.asarray(state["squares"]).tolist()
        discs = [squares[place] for place in self.place.tolist()]
        return [(cell, disc - 1, "") for cell, disc in enumerate(discs) if disc]

    setup_fields = ("passes",)

    def from_pieces(self, state: State, pieces: Sequence[Piece], to_move: int) -> None:
        state.squares[self.place] = 0
        for cell, player, _ in pieces:
            state.squares[self.place[cell]] = player + 1
        state.empty, state.passes, state.to_move = self.cells - len(pieces), 0, to_move


def cell_worth(size: int) -> npt.NDArray[np.float64]:
    """Return the value of a disc in each cell.

    >>> cell_worth(4).reshape(4, 4).tolist()[:2]
    [[20.0, -3.0, -3.0, 20.0], [-3.0, -7.0, -7.0, -3.0]]
    """
    worth = np.full((size, size), INSIDE)
    worth[[0, -1], :] = worth[:, [0, -1]] = EDGE
    for row in (0, -1):
        for column in (0, -1):
            down, right = 1 if row == 0 else -2, 1 if column == 0 else -2
            worth[row, column], worth[down, right] = CORNER, DIAGONAL
            worth[row, right] = worth[down, column] = BESIDE
    return worth.reshape(-1)
