"""Boards as text, as `luozi` prints them, read back: stones and who is to move."""

from __future__ import annotations

import re
from collections.abc import Mapping

from luozi.rules.board import NEUTRAL_SIGNS, POINTS, Board, Piece, board_of, rows_of_points
from luozi.rules.game import Game
from luozi.rules.text_position import Kind, can_be_given, rows_of
from luozi.web.position_editor import kinds_to_put

EMPTY = ".+*-·_"
CLOSED = "#"
DRAWN = re.compile(r"[-|/\\─│╱╲]")  # lines between points


def read_board(game: Game, text: str) -> tuple[list[Piece], int | None] | None:
    """The pieces of a picture and who is to move, if it says so; None if it is no picture of this game's board.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> read_board(game, game.show(game.after(game.new_state(), 4)))
    ([(4, 0, '')], None)
    """
    board = board_of(game)
    if board is None or not can_be_given(game):
        return None
    mover = re.search(r"^\s*(\S+)(?: \(\S+\))? to move\b", text, re.MULTILINE)
    players = [one for one in range(game.players) if mover is not None and game.player_name(one) == mover[1]]
    rows, found = marks_in_rows(board, text, marks_on(game))
    if [len(row) for row in found] != [len(row) for row in rows]:
        return None
    pairs = [pair for row, line in zip(rows, found, strict=True) for pair in zip(row, line, strict=True)]
    pieces = [(cell, *kind) for cell, kind in pairs if kind is not None and cell not in board.forbidden]
    return pieces, players[0] if players else None


def marks_in_rows(
    board: Board, text: str, marks: Mapping[str, Kind | None]
) -> tuple[list[list[int]], list[list[Kind | None]]]:
    """The cells of a board in rows as they are printed, and what a text has there; points are one long row."""
    if board.kind == POINTS:
        read = [mark for line in text.splitlines() for mark in marked(DRAWN.sub(" ", line), marks)]
        return [[cell for row in rows_of_points(board) for cell in row]], [read]
    found = [row for row in (marked(line, marks) for line in text.splitlines()) if row]
    if board.layers > 1:
        found = [row for row in found if len(row) % board.columns == 0]
        found = unshelved(found, board.rows, board.columns)
    return rows_of(board), found


def looks_like_a_board(game: Game, text: str) -> bool:
    """Whether a text is a picture of this game's board, though it can't be given a position.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> looks_like_a_board(game, game.show(game.new_state())), looks_like_a_board(game, "b2 a1")
    (True, False)
    """
    board, signs = board_of(game), [game.player_name(player)[:1] for player in range(game.players)]
    if board is None:
        return False
    rows, found = marks_in_rows(board, text, dict.fromkeys((*EMPTY, CLOSED, *signs)))
    return sum(map(len, found)) == sum(map(len, rows))


def marks_on(game: Game) -> dict[str, Kind | None]:
    """What a mark on a board as text stands for: a piece, or nothing."""
    marks: dict[str, Kind | None] = dict.fromkeys(EMPTY + CLOSED)
    for player, kind in reversed(kinds_to_put(game)):  # of several that look alike, the first
        named = "" if player < 0 else game.player_name(player)[:1] + game.signs[player : player + 1]
        marks |= dict.fromkeys(named or NEUTRAL_SIGNS.get(kind, CLOSED), (player, kind))
    return marks


def marked(line: str, marks: Mapping[str, Kind | None]) -> list[Kind | None]:
    """The cells of a line; names of columns are none."""
    found = cells(line)
    return [marks[mark] for mark in found] if all(mark in marks for mark in found) else []


def cells(line: str) -> list[str]:
    """The cells of a line: marks of one letter, without names of rows and brackets of the last stone."""
    words = line.replace("[", " ").replace("]", " ").replace("(", " ").replace(")", " ").split()
    single = [word for word in words if not word.rstrip(":").isdigit()]
    if len(single) == 1 and len(single[0]) > 1:  # written without blanks
        return list(single[0])
    return single if all(len(word) == 1 for word in single) else []


def unshelved(found: list[list[Kind | None]], rows: int, columns: int) -> list[list[Kind | None]]:
    """Rows of one layer after another, where layers stood side by side."""
    layers: list[list[Kind | None]] = []
    for first in range(0, len(found), rows):
        shelf = found[first : first + rows]
        for begin in range(0, max(map(len, shelf)), columns):
            layers += [row[begin : begin + columns] for row in shelf]
    return layers
