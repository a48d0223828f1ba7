"""Hex: X connects top and bottom, O connects left and right. There are no draws."""

from __future__ import annotations

from typing import Annotated

from luozi.games.hexagons import Hexagons
from luozi.rules.board import Board
from luozi.rules.state import State
from luozi.util.parameters import ParameterInfo

TOP, BOTTOM, LEFT, RIGHT = 1, 2, 4, 8
SWAPPED = 1  # number of moves after which the second player may swap


class Hex(Hexagons):
    """Hex: X connects the top and the bottom of a rhombus, O the left and the right."""

    def __init__(
        self,
        size: Annotated[int, ParameterInfo("cells a side", 2, 26)] = 11,
        swap: Annotated[
            bool, ParameterInfo("instead of the second move O may take over the first stone, mirrored to O's own sides")
        ] = False,
    ) -> None:
        def sides(row: int, column: int) -> int:
            upright = TOP * (row == 0) + BOTTOM * (row == size - 1)
            return upright + LEFT * (column == 0) + RIGHT * (column == size - 1)

        self.lay_out(size, sides, (TOP | BOTTOM, LEFT | RIGHT))
        self.swap = swap
        self.actions = self.cells + swap  # the last action is the swap
        self.max_length += swap

    def is_legal(self, state: State, action: int) -> bool:
        if action == self.cells:
            return state.moves == SWAPPED
        return state.stones[action] == 0

    def apply_action(self, state: State, action: int) -> None:
        if action == self.cells:
            for cell in range(self.cells):
                if state.stones[cell] == 1:
                    state.stones[cell] = 0
                    action = cell % self.size * self.size + cell // self.size
        self.put(state, action, state.to_move)
        state.to_move = 1 - state.to_move
        state.moves += 1

    def why_illegal(self, state: State, action: int) -> str:
        return "only the second move may be a swap" if action == self.cells else ""

    def action_to_string(self, state: State, action: int) -> str:
        return "swap" if action == self.cells else Hexagons.action_to_string(self, state, action)

    def has_fixed_moves(self) -> bool:
        return True

    def board(self) -> Board:
        return Board.hexagons(self.size, self.size, edges=(0, 1, 0, 1))
