"""Line games for people: names of cells, boards as text with layers side by side, and the description of the board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from luozi.compiled import Array
from luozi.games.go.points import handicap_points
from luozi.rules.board import CELLS, COLUMNS, CROSSINGS, Board, Piece, board_of
from luozi.rules.state import State

if TYPE_CHECKING:
    from luozi.games.lines.rules import Lines

GAP = "    "
NOTHING: Mapping[int, str] = MappingProxyType({})
# from five in a row on, stones stand on crossings; from 9x9 on, some crossings are marked
LARGE_RUN, LARGE_BOARD = 5, 9


def action_name(game: Lines, action: int) -> str:
    """Return the name of a move: `h8` on a flat board, `2c4` in layer 2 of a deep one, the column's number with
    gravity.
    """
    board: Board = board_of(game) or board_of_lines(game)
    if not game.gravity:
        return board.name_of(action)
    row, column = divmod(action, game.columns)
    return board.column_names[column] + board.row_names[row]


def draw_layers(game: Lines, state: State, words: Mapping[int, str] = NOTHING) -> str:
    """Return the board as text with coordinates and the last stone in brackets. Empty cells may show up to three
    letters.
    """
    cells = draw_cells(game, state, words)
    layers = [draw_layer(game, cells, layer) for layer in range(game.layers)]
    if game.layers == 1:
        return "\n".join(layers[0])
    shelves = []
    per_shelf = max(1, 110 // (len(layers[0][0]) + len(GAP)))
    for begin in range(0, game.layers, per_shelf):
        group = layers[begin : begin + per_shelf]
        shelves.append("\n".join(GAP.join(lines).rstrip() for lines in zip(*group, strict=True)))
    return "\n\n".join(shelves)


def draw_cells(game: Lines, state: State, words: Mapping[int, str]) -> list[str]:
    """Return all cells as text of the same width."""
    stones, last = all_stones(game, state).tolist(), state.last
    drawn = {stone: cell_text(game, stone, False) for stone in range(-1, game.players + 1)}
    cells = [drawn[stone] for stone in stones]
    if last >= 0:
        cells[last] = cell_text(game, stones[last], True)
    for cell, word in words.items():
        cells[cell] = word or cells[cell]
    wide = width_of_cells(game, board_of(game) or board_of_lines(game))
    return [text.center(wide) for text in cells]


def width_of_cells(game: Lines, board: Board) -> int:
    """Return the width of a cell. With gravity, the names of columns may be wider than stones."""
    return 2 + max(map(len, board.column_names)) if game.gravity else 3


def draw_layer(game: Lines, cells: Sequence[str], layer: int) -> list[str]:
    """Return the lines of one layer, all of the same width."""
    board: Board = board_of(game) or board_of_lines(game)
    margin, wide = len(str(game.rows)) + 1, width_of_cells(game, board)
    lines = [" " * margin + "".join([name.center(wide) for name in board.column_names])]
    if game.layers > 1:
        lines.insert(0, f"layer {layer + 1}")
    for row in range(game.rows):
        first = (layer * game.rows + row) * game.columns
        texts = cells[first : first + game.columns]
        lines.append(board.row_names[row].rjust(margin - 1) + " " + "".join(texts))
    width = max(map(len, lines))
    return [line.ljust(width) for line in lines]


def cell_text(game: Lines, stone: int, is_last: bool) -> str:
    """Return a cell as three characters."""
    if stone < 0:
        return " # "
    if stone == 0:
        return " . "
    sign = game.player_name(stone - 1)
    return f"({sign})" if is_last else f" {sign} "


def board_of_lines(game: Lines) -> Board:
    """Return the board: crossings for five and more in a row, as Gomoku is played, otherwise cells."""
    closed = tuple(np.flatnonzero(game.closed).tolist())
    if game.layers > 1:
        style = COLUMNS if game.gravity else CELLS
        return Board.stack(game.layers, game.rows, game.columns, style, forbidden=closed)
    if game.gravity:
        numbers, none = tuple(str(column + 1) for column in range(game.columns)), ("",) * game.rows
        return Board.grid(game.rows, game.columns, COLUMNS, column_names=numbers, row_names=none, forbidden=closed)
    if game.run < LARGE_RUN:
        return Board.grid(game.rows, game.columns, CELLS, forbidden=closed)
    marked = game.rows == game.columns >= LARGE_BOARD
    stars = handicap_points(game.rows, 5 if game.rows % 2 else 4) if marked else []
    return Board.grid(game.rows, game.columns, CROSSINGS, forbidden=closed, stars=tuple(stars))


def all_stones(game: Lines, state: State) -> npt.NDArray[np.int64]:
    """Return 0 for each empty cell, 1.. for a player's stone, -1 for a forbidden cell."""
    if "board" in (state.dtype.names or ()):
        return np.asarray(state["board"])[: game.cells].astype(np.int64)
    stones: npt.NDArray[np.int64] = game.stones_by_cell(state)  # type: ignore[attr-defined]  # of `BitLines`
    return stones


def stones_of(game: Lines, state: State) -> list[Piece]:
    """Return every stone with its player."""
    stones = all_stones(game, state)
    return [(cell, int(stones[cell]) - 1, "") for cell in np.flatnonzero(stones > 0).tolist()]


def runs(game: Lines, stones: Array, player: int) -> Any:
    """Return every winning segment as a row, and whether a player's stones in it would not exceed an exact length."""
    segments = np.asarray(game.segment_cells).reshape(-1, game.run).astype(np.int64)
    if not game.exactly:
        return segments, np.ones(len(segments), bool)
    beyond = np.asarray(game.beyond)
    return segments, ~((beyond >= 0) & (stones[beyond] == player + 1)).any(axis=1)


def won_cells(game: Lines, state: State) -> list[int]:
    """Return the cells of all winning segments of the winner."""
    if state.winner <= 0:
        return []
    return np.unique(full_segments(game, all_stones(game, state), state.winner - 1)).tolist()


def full_segments(game: Lines, stones: npt.NDArray[np.int64], player: int) -> npt.NDArray[np.int64]:
    """Return the winning segments that are full of a player's stones, one a row."""
    segments, counts = runs(game, stones, player)
    found: npt.NDArray[np.int64] = segments[(stones[segments] == player + 1).all(axis=1) & counts]
    return found


def threatened_cells(game: Lines, state: State) -> list[int]:
    """Return the cells where a player's next stone wins, for each player as if it were their turn."""
    stones, found = all_stones(game, state), set[int]()
    for player in range(game.players):
        segments, counts = runs(game, stones, player)
        values = stones[segments]
        near = ((values == player + 1).sum(axis=1) == game.run - 1) & (values == 0).any(axis=1) & counts
        found.update(segments[near][values[near] == 0].tolist())
    reachable = set(np.asarray(state["landing"]).tolist()) if game.gravity else found
    return sorted(found & reachable)
