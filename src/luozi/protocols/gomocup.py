"""The Gomocup (piskvork) protocol: its games, coordinates, boards and rule numbers.

Coordinates are `x,y` from 0: the column from the left, then the row from the top.
"""

from __future__ import annotations

import re

from luozi.games.lines.rules import Lines
from luozi.rules.game import Game
from luozi.rules.state import State

RUN = 5
OWN, OPPONENT = 1, 2  # the mark of a stone in a line of BOARD
EXACTLY_FIVE, CONTINUOUS, RENJU, CARO = 1, 2, 4, 8  # the bits of INFO rule
MAX_SIZE = 45  # the largest square board of `gomoku`
COMMENTS = ("MESSAGE", "DEBUG", "UNKNOWN")  # lines of an engine that are no answer


def can_play(game: Game) -> bool:
    """Return whether the protocol has a game: five in a row of two players on a flat board without forbidden cells.

    >>> import luozi
    >>> can_play(luozi.game("gomoku")), can_play(luozi.game("connect4")), can_play(luozi.game("tictactoe"))
    (True, False, False)
    """
    return (
        isinstance(game, Lines)
        and (game.layers, game.players, game.run) == (1, 2, RUN)
        and not game.gravity
        and not game.closed.any()
    )


def game_spelling(width: int, height: int, exactly: bool = False) -> str:
    """Return the spelling of the game on a board.

    >>> game_spelling(20, 20), game_spelling(15, 12, exactly=True)
    ('gomoku:size=20', 'lines:rows=12,columns=15,win_length=5,exact_length=true')
    """
    rule = ",exact_length=true" if exactly else ""
    if width == height <= MAX_SIZE:
        return f"gomoku:size={width}{rule}"
    return f"lines:rows={height},columns={width},win_length={RUN}{rule}"


def rule_number(game: Lines) -> int:
    """Return the number of a game's rule for INFO rule."""
    return EXACTLY_FIVE if game.exactly else 0


def read_place(text: str) -> tuple[int, int] | None:
    """Return the column and row of a text `x,y`, or None.

    >>> read_place("7, 3"), read_place("7 3"), read_place("-1,3")
    ((7, 3), None, None)
    """
    match = re.fullmatch(r"\s*([0-9]{1,9})\s*,\s*([0-9]{1,9})\s*", text)
    return (int(match[1]), int(match[2])) if match else None


def place_name(game: Lines, action: int) -> str:
    """Return the coordinates of an action."""
    row, column = divmod(int(action), game.columns)
    return f"{column},{row}"


def action_of(game: Lines, place: tuple[int, int]) -> int | None:
    """Return the action at a column and row, legal or not; None off the board.

    >>> import luozi
    >>> action_of(luozi.game("gomoku"), (3, 1)), action_of(luozi.game("gomoku"), (15, 0))
    (18, None)
    """
    column, row = place
    return row * game.columns + column if 0 <= column < game.columns and 0 <= row < game.rows else None


def stones(game: Lines, state: State) -> dict[int, int]:
    """Return every stone on the board: its cell, and the number of its player."""
    return {cell: int(stone) - 1 for cell in range(game.cells) if (stone := game.stone_at(state, cell)) > 0}


def board_lines(game: Lines, placed: dict[int, int], player: int) -> list[str]:
    """Return stones as the lines between BOARD and DONE for a player, in the order given.

    >>> import luozi
    >>> board_lines(luozi.game("gomoku"), {16: 0, 0: 1}, player=1)
    ['1,1,2', '0,0,1']
    """
    return [f"{place_name(game, cell)},{OWN if owner == player else OPPONENT}" for cell, owner in placed.items()]


def read_board_line(text: str) -> tuple[int, int, int] | None:
    """Return column, row and field of a line `x,y,field` between BOARD and DONE, or None.

    >>> read_board_line("7,3,2"), read_board_line("DONE")
    ((7, 3, 2), None)
    """
    match = re.fullmatch(r"\s*([0-9]{1,9})\s*,\s*([0-9]{1,9})\s*,\s*([0-9])\s*", text)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def is_comment(line: str) -> bool:
    """Return whether a line of an engine is no answer.

    >>> is_comment("MESSAGE depth 7"), is_comment("7,7")
    (True, False)
    """
    return line.split(" ", 1)[0].upper() in COMMENTS
