"""The Connect Four platform: its boards, as numbers and as the arrays that its strategies get.

X is the row, from 0 at the top, and Y the column, from 0 at the left; at most one cell, (noX, noY), is forbidden.
"""

from __future__ import annotations

from typing import NamedTuple

from luozi.games.lines.rules import Lines
from luozi.rules.game import Game
from luozi.rules.state import State

RUN = 4
OPPONENT, OWN = 1, 2  # the mark of a stone on the board that a player gets
NOWHERE = (-1, -1)  # no last move; no forbidden cell


class BlockedBoard(NamedTuple):
    """Size and forbidden cell of a board, as the platform writes them."""

    rows: int  # M
    columns: int  # N
    no_x: int = -1
    no_y: int = -1


def can_play(game: Game) -> bool:
    """Return whether the platform has a game: flat Connect Four of two players with at most one forbidden cell.

    >>> import luozi
    >>> can_play(luozi.game("connect4:blocked=0.0")), can_play(luozi.game("connect4:blocked=0.0+0.1"))
    (True, False)
    """
    return (
        isinstance(game, Lines)
        and (game.layers, game.players, game.run) == (1, 2, RUN)
        and game.gravity
        and not game.exactly
        and int(game.closed.sum()) <= 1
    )


def game_spelling(board: BlockedBoard) -> str:
    """Return the spelling of the game on a board.

    >>> game_spelling(BlockedBoard(9, 12, 3, 4)), game_spelling(BlockedBoard(6, 7))
    ('connect4:rows=9,columns=12,blocked=3.4', 'connect4:rows=6,columns=7')
    """
    closed = "" if (board.no_x, board.no_y) == NOWHERE else f",blocked={board.no_x}.{board.no_y}"
    return f"connect4:rows={board.rows},columns={board.columns}{closed}"


def board_of(game: Lines) -> BlockedBoard:
    """Return a game's board; the inverse of `game_spelling`.

    >>> import luozi
    >>> tuple(board_of(luozi.game("connect4:rows=9,columns=12,blocked=3.4")))
    (9, 12, 3, 4)
    """
    closed = [cell for cell in range(game.cells) if game.closed[cell]]
    return BlockedBoard(game.rows, game.columns, *(divmod(closed[0], game.columns) if closed else NOWHERE))


def place_of(game: Lines, state: State, action: int) -> tuple[int, int]:
    """Return row and column of the cell where an action's stone falls."""
    row, column = divmod(int(state.landing[action]), game.columns)
    return row, column


def action_of(game: Lines, state: State, place: tuple[int, int]) -> int | None:
    """Return the action whose stone falls on a cell, or None.

    >>> import luozi
    >>> game = luozi.game("connect4")
    >>> action_of(game, game.new_state(), (5, 3)), action_of(game, game.new_state(), (4, 3))
    (3, None)
    """
    row, column = place
    falls = 0 <= column < game.columns and row >= 0 and state.landing[column] == row * game.columns + column
    return column if falls else None


def last_place(game: Lines, state: State) -> tuple[int, int]:
    """Return row and column of the last stone; (-1, -1) before the first move."""
    if state.last < 0:
        return NOWHERE
    row, column = divmod(int(state.last), game.columns)
    return row, column


def tops(game: Lines, state: State) -> list[int]:
    """Return for each column one more than the row where the next stone falls, 0 for a full column.

    >>> import luozi
    >>> game = luozi.game("connect4:blocked=5.1")
    >>> tops(game, game.after(game.new_state(), 0))
    [5, 5, 6, 6, 6, 6, 6]
    """
    landing = [int(state.landing[column]) for column in range(game.columns)]
    return [cell // game.columns + 1 if cell >= 0 else 0 for cell in landing]


def cells(game: Lines, state: State, player: int) -> list[int]:
    """Return the board row by row for a player: 0 empty or forbidden, 1 an opponent's stone, 2 an own one."""
    stones = [int(game.stone_at(state, cell)) for cell in range(game.cells)]
    return [0 if stone <= 0 else OWN if stone == player + 1 else OPPONENT for stone in stones]
