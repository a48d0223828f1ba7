"""Y: connecting all three sides of a triangle wins. There are no draws."""

from __future__ import annotations

from typing import Annotated

from luozi.games.hexagons import Hexagons
from luozi.rules.board import Board
from luozi.util.parameters import ParameterInfo

TOP, LEFT, RIGHT = 1, 2, 4
ALL = TOP | LEFT | RIGHT


class Y(Hexagons):
    """Y: the first player to connect all three sides of a triangle wins."""

    def __init__(self, size: Annotated[int, ParameterInfo("cells a side", 2, 26)] = 11) -> None:
        def sides(row: int, column: int) -> int:
            if row + column >= size:
                return -1
            return TOP * (row == 0) + LEFT * (column == 0) + RIGHT * (row + column == size - 1)

        self.lay_out(size, sides, (ALL, ALL))

    def board(self) -> Board:
        missing = tuple(cell for cell in range(self.cells) if self.sides[cell] < 0)
        return Board.hexagons(self.size, self.size, missing=missing)
