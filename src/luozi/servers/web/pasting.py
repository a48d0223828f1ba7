"""Boards as text, as `luozi` prints them, read back: stones and who is to move."""

from __future__ import annotations

from collections.abc import Callable

from luozi.games.go.rules import Go
from luozi.games.lines.rules import Lines
from luozi.rules import Game

EMPTY = ".+*-·_"
CLOSED = "#"


def read_board(game: Game, text: str) -> tuple[list[tuple[int, int]], int | None] | None:
    """The stones of a picture and who is to move; None if it is no picture of this game's board.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> read_board(game, game.show(game.after(game.new_state(), 4)))
    ([(4, 0)], None)
    """
    if isinstance(game, Go):
        layers, rows, columns = 1, game.size, game.size
    elif isinstance(game, Lines):
        layers, rows, columns = game.layers, game.rows, game.columns
    else:
        return None
    signs = {sign: player for player, sign in enumerate(game.signs[: game.players])}
    found = [[cell for cell in map(meaning(signs), cells(line)) if cell is not None] for line in text.splitlines()]
    found = [row for row in found if row and len(row) % columns == 0]
    if layers == 1:
        found = [row for row in found if len(row) == columns]
    if sum(map(len, found)) != layers * rows * columns:
        return None
    return stones_of(found, rows, columns), None


def cells(line: str) -> list[str]:
    """The cells of a line: marks of one letter, without names of rows and brackets of the last stone."""
    words = line.replace("[", " ").replace("]", " ").replace("(", " ").replace(")", " ").split()
    single = [word for word in words if not word.isdigit()]
    if len(single) == 1 and len(single[0]) > 1:  # written without blanks
        return list(single[0])
    return single if all(len(word) == 1 for word in single) else []


def meaning(signs: dict[str, int]) -> Callable[[str], int | None]:
    """What a mark stands for: a player, -1 for nothing; None if it is no mark."""

    def of(mark: str) -> int | None:
        if mark in signs:
            return signs[mark]
        return -1 if mark in EMPTY or mark == CLOSED else None

    return of


def stones_of(found: list[list[int]], rows: int, columns: int) -> list[tuple[int, int]]:
    """Cells and players; layers may stand side by side."""
    stones: list[tuple[int, int]] = []
    begin = 0  # the first layer of the shelf
    for first in range(0, len(found), rows):
        shelf = found[first : first + rows]
        side_by_side = len(shelf[0]) // columns
        for row, line in enumerate(shelf):
            for place, player in enumerate(line):
                layer, column = begin + place // columns, place % columns
                if player >= 0:
                    stones.append(((layer * rows + row) * columns + column, player))
        begin += side_by_side
    return stones
