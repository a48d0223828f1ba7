"""Breakthrough: pieces move one step forward, straight or diagonally, and capture diagonally. Reaching the last row
wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from luozi.compiled import Array, random_below
from luozi.messages import LuoziError
from luozi.rules.board import Board, Piece
from luozi.rules.game import Game
from luozi.rules.state import State, Values
from luozi.util.parameters import ParameterInfo

MAN, EVEN = 4.0, 10.0  # value of a piece, in steps; a lead of LEAD steps is half of a win
LARGE = 6  # boards with at least this number of rows start with two rows of pieces
AHEAD = 1  # the three directions: left, straight, right


class Breakthrough(Game):
    """Breakthrough: pieces step forward and capture diagonally. The first to reach the last row wins."""

    single_winner = True
    scratch_fields = ("men", "place_of")  # the same pieces as in `board`, as lists, for fast random moves

    def __init__(
        self,
        rows: Annotated[int, ParameterInfo("rows of the board", 4, 26)] = 8,
        columns: Annotated[int, ParameterInfo("columns of the board", 2, 26)] = 8,
    ) -> None:
        self.rows, self.columns, self.cells = rows, columns, rows * columns
        self.actions = 3 * self.cells  # action: a cell and a direction
        self.each = columns * (2 if rows >= LARGE else 1)  # pieces of each player at the start
        self.max_length = 2 * self.each * (rows - 1)  # every move brings a piece forward
        self.forward = np.array([-columns, columns], np.int16)
        self.state = [
            ("board", "i1", self.cells),
            ("men", "i2", (2, self.each)),  # cells of each player's pieces
            ("place_of", "i2", self.cells),  # index of each cell's piece in that list
            ("left", "i2", 2),  # number of pieces of each player
            ("to_move", "i1"),
            ("winner", "i1"),
        ]

    def start(self, state: State) -> None:
        for index in range(self.each):
            self.put(state, self.cells - 1 - index, 0)
            self.put(state, index, 1)

    def put(self, state: State, cell: int, player: int) -> None:
        """Add a piece."""
        state.board[cell] = player + 1
        state.men[player, state.left[player]] = cell
        state.place_of[cell] = state.left[player]
        state.left[player] += 1

    def current_player(self, state: State) -> int:
        return state.to_move

    def target(self, state: State, action: int) -> int:
        """Return the target of a move by the player to move, or -1 if it is illegal."""
        cell, turn = action // 3, action % 3 - AHEAD
        column = cell % self.columns + turn
        if state.board[cell] != state.to_move + 1 or column < 0 or column >= self.columns:
            return -1
        target = cell + self.forward[state.to_move] + turn
        free = state.board[target] == 0 or (turn != 0 and state.board[target] == 2 - state.to_move)
        return target if free else -1

    def is_legal(self, state: State, action: int) -> bool:
        return self.target(state, action) >= 0

    def random_action(self, state: State, rng: Array) -> int:
        """Return a random legal move. There is always one, since nothing of one's own stands before the foremost
        piece.
        """
        while True:
            man = state.men[state.to_move, random_below(rng, state.left[state.to_move])]
            action = 3 * man + random_below(rng, 3)
            if self.target(state, action) >= 0:
                return action

    def apply_action(self, state: State, action: int) -> None:
        player, cell, target = state.to_move, action // 3, self.target(state, action)
        other = 1 - player
        if state.board[target] != 0:
            state.left[other] -= 1
            last = state.men[other, state.left[other]]
            state.men[other, state.place_of[target]] = last
            state.place_of[last] = state.place_of[target]
        state.board[cell], state.board[target] = 0, player + 1
        state.men[player, state.place_of[cell]] = target
        state.place_of[target] = state.place_of[cell]
        across = target < self.columns if player == 0 else target >= self.cells - self.columns
        if across or state.left[other] == 0:
            state.winner = player + 1
        state.to_move = other

    def is_terminal(self, state: State) -> bool:
        return state.winner != 0

    def returns(self, state: State, returns: Values) -> None:
        returns[0] = 1.0 if state.winner == 1 else 0.0
        returns[1] = 1.0 - returns[0]

    def evaluate(self, state: State, values: Values) -> None:
        """Evaluate by the number of pieces and how far they have advanced."""
        lead = 0.0
        for player in range(2):
            for index in range(state.left[player]):
                row = state.men[player, index] // self.columns
                steps = self.rows - 1 - row if player == 0 else row
                lead += (1 - 2 * player) * (MAN + steps * steps / self.rows)
        values[0] = 0.5 + 0.5 * lead / (abs(lead) + EVEN)
        values[1] = 1.0 - values[0]

    def board(self) -> Board:
        return Board.grid(self.rows, self.columns)

    def clicks(self, state: State, action: int) -> list[int]:
        return [action // 3, self.target(state, action)]

    def from_pieces(self, state: State, pieces: Sequence[Piece], to_move: int) -> None:
        state.board[:], state.left[:] = 0, 0
        for cell, player, _ in pieces:
            if state.left[player] == self.each:
                raise LuoziError("breakthrough: each player has {each} men at most", each=self.each)
            if cell // self.columns == (0, self.rows - 1)[player]:
                raise LuoziError(
                    "breakthrough: {player} is across already, and the game over", player=self.player_name(player)
                )
            self.put(state, cell, player)
        if 0 in state.left:
            raise LuoziError("breakthrough: each player needs a man at least")
        state.to_move = to_move

    def winning_cells(self, state: State) -> list[int]:
        """Return the cell of the piece that reached the last row."""
        edges = [*range(self.columns), *range(self.cells - self.columns, self.cells)]
        goal = edges[: self.columns] if state.winner == 1 else edges[self.columns :]
        return [cell for cell in goal if state.board[cell] == state.winner]
