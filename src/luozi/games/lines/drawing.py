"""Line games as text: the names of cells and the picture of a board, its layers side by side."""

from __future__ import annotations

from typing import Any

GAP = "    "


def column_letters(column: int) -> str:
    """A column's name, as in a spreadsheet.

    >>> column_letters(0), column_letters(25), column_letters(26)
    ('a', 'z', 'aa')
    """
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def action_name(game: Any, action: int) -> str:
    """A move's name: `h8` on a flat board, `2c4` in layer 2 of a deep one, the column's number with gravity."""
    row, column = divmod(action % (game.rows * game.columns), game.columns)
    if game.gravity:
        return str(action + 1) if game.layers == 1 else f"{column_letters(column)}{game.rows - row}"
    cell = f"{column_letters(column)}{game.rows - row}"
    return cell if game.layers == 1 else f"{action // (game.rows * game.columns) + 1}{cell}"


def draw_layers(game: Any, state: Any) -> str:
    """The board with coordinates; the last stone stands in brackets."""
    layers = [draw_layer(game, state, layer) for layer in range(game.layers)]
    if game.layers == 1:
        return "\n".join(layers[0])
    shelves = []
    per_shelf = max(1, 110 // (len(layers[0][0]) + len(GAP)))
    for begin in range(0, game.layers, per_shelf):
        group = layers[begin : begin + per_shelf]
        shelves.append("\n".join(GAP.join(lines).rstrip() for lines in zip(*group, strict=True)))
    return "\n\n".join(shelves)


def draw_layer(game: Any, state: Any, layer: int) -> list[str]:
    """The lines of one layer, all of one width."""
    margin = len(str(game.rows)) + 1
    wide = 2 + max(1, len(str(game.columns)) if game.gravity and game.layers == 1 else 1)
    names = [column_name(game, column).center(wide) for column in range(game.columns)]
    lines = [" " * margin + "".join(names)]
    if game.layers > 1:
        lines.insert(0, f"layer {layer + 1}")
    for row in range(game.rows):
        first = (layer * game.rows + row) * game.columns
        cells = [cell_text(game, state, first + column).center(wide) for column in range(game.columns)]
        label = "" if game.gravity and game.layers == 1 else str(game.rows - row)
        lines.append(label.rjust(margin - 1) + " " + "".join(cells))
    width = max(len(line) for line in lines)
    return [line.ljust(width) for line in lines]


def column_name(game: Any, column: int) -> str:
    """What stands above a column: its number where stones fall, else its letter."""
    return str(column + 1) if game.gravity and game.layers == 1 else column_letters(column)


def cell_text(game: Any, state: Any, cell: int) -> str:
    """A cell in three characters."""
    stone = game.stone_at(state, cell)
    if stone < 0:
        return " # "
    if stone == 0:
        return " . "
    sign = game.player_name(stone - 1)
    return f"({sign})" if cell == state.last else f" {sign} "
