"""A game's text board in colours; players differ by their signs too, not by colour alone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection
from string import ascii_letters

from rich.text import Text

from luozi.games.lines.drawing import GAP, draw_layers
from luozi.games.lines.rules import Lines
from luozi.records.replay import LOOKED_BACK
from luozi.rules.board import POINTS, Described, board_of, cells_of
from luozi.rules.board import board_text as text_of_board
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.rules.state import State

# legible on dark and light backgrounds; more players reuse them
COLOURS = (
    "dodger_blue1", "dark_orange", "medium_orchid", "green3", "red1", "dark_cyan", "gold3", "hot_pink", "grey62"
)  # fmt: skip


STYLES = tuple(f"bold {name}" for name in COLOURS)


def colour(player: int) -> str:
    """Return a player's style."""
    return STYLES[player % len(STYLES)]


def player_text(game: Game, player: int) -> Text:
    """Return a player's name in that player's colour."""
    return Text(game.player_name(player), colour(player))


def board_text(game: Game, state: State, width: int = 10_000, marks: Collection[int] = ()) -> Text:
    """Return a position as coloured text; cells of `marks` are in brackets if the game's text does not mark the last
    move.

    Layers side by side are folded to the width of the screen.
    """
    board = Text()
    for line in fold_layers(marked_text(game, state, marks).rstrip("\n"), width).split("\n"):
        board.append_text(colour_line(game, line.rstrip())).append("\n")
    board.rstrip()
    return board


def marked_text(game: Game, state: State, marks: Collection[int]) -> str:
    """Return a position as text, with the pieces on some cells in brackets.

    >>> import luozi
    >>> game = luozi.game("tictactoe:players=3,size=2,win_length=2")
    >>> position = game.begin().after(["a1", "b1"])
    >>> print(marked_text(game, position.state, last_cells(position)))
       a  b
    2  .  .
    1 (X)(O)
    """
    board = board_of(game)
    if board is None or not marks:
        return game.show(state)
    if isinstance(game, Lines) and type(game).show is Lines.show:
        standing = {cell: player for cell, player, _ in game.pieces(state)}
        words = {cell: f"({game.player_name(standing[cell])})" for cell in marks if cell in standing}
        return "\n".join(line.rstrip() for line in draw_layers(game, state, words).split("\n"))
    if type(game).show is Described.show and board.kind != POINTS:
        return text_of_board(game, board, state, marks)
    return game.show(state)


def last_cells(position: Position) -> set[int]:
    """Return the cell of the last move; with three or more players of each player's last move."""
    game, moves = position.game, position.moves[-LOOKED_BACK * position.game.players :]
    if board_of(game) is None:
        return set()
    found: dict[int, list[int]] = {}
    for place, action in enumerate(moves):
        before = position.back(len(moves) - place)
        found[before.to_move if game.players > 2 else 0] = cells_of(game, "clicks", before.state, action)[-1:]
    return {cell for cells in found.values() for cell in cells}


def colour_line(game: Game, line: str) -> Text:
    """Return one line with pieces in colour and coordinates dimmed."""
    text, signs = Text(line), game.signs[: game.players]
    others = ascii_letters.translate(dict.fromkeys(map(ord, signs)))
    in_words = re.search("[a-z]{3,}", line) is not None
    # a row of column names may hold a sign: O is a column of a 19x19 Go board
    if not in_words and re.search(rf"(?<![{ascii_letters}])[{others}](?![{ascii_letters}])", line):
        text.stylize("dim")
        return text
    if not in_words:
        text.highlight_regex("[0-9.+]", "dim")
    for player, sign in enumerate(signs):
        shape = re.escape(sign)
        text.highlight_regex(rf"(?<![{others}]){shape}(?![{others}])", STYLES[player % len(STYLES)])
        if not in_words:
            text.highlight_regex(rf"\({shape}\)", "reverse")
    return text


def fold_layers(text: str, width: int) -> str:
    """Put fewer layers side by side if a line is wider than the screen.

    >>> print(fold_layers("layer 1   layer 2\\nX . .     O . .", 12))
    layer 1
    X . .
    <BLANKLINE>
    layer 2
    O . .
    """
    if max(map(len, text.split("\n"))) <= width:
        return text
    layers = [layer for shelf in text.split("\n\n") for layer in _layers(shelf.split("\n"))]
    wide = max(len(line) for layer in layers for line in layer)
    fitting = max(1, (width + len(GAP)) // (wide + len(GAP)))
    shelves = []
    for begin in range(0, len(layers), fitting):
        rows = itertools.zip_longest(*layers[begin : begin + fitting], fillvalue="")
        shelves.append("\n".join(GAP.join(part.ljust(wide) for part in row).rstrip() for row in rows))
    return "\n\n".join(shelves)


def _layers(shelf: list[str]) -> list[list[str]]:
    """Return the layers of a text that stand side by side, each as its lines."""
    starts = [match.start() for match in re.finditer(r"layer \d+", shelf[0])] or [0]
    ends = [*starts[1:], None]
    return [[line[start:end].rstrip() for line in shelf] for start, end in zip(starts, ends, strict=True)]
