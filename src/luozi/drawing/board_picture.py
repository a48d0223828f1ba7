"""A position as a picture, from the game's description of its board: for pages, replays and notebooks.

`scene_of` returns shapes; `picture` returns what a notebook shows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from luozi.drawing.primitives import Area, Disc, Point, Scene, Shape, Stroke, Words, is_dark, mixed, moved, polygon
from luozi.rules.board import (
    CELLS,
    COLUMNS,
    CROSSINGS,
    GRID,
    HEXAGONS,
    LAYERS,
    POINTS,
    Board,
    Piece,
    board_of,
    cells_of,
    pieces_of,
)
from luozi.rules.game import Game, needed_game, refuse_other_position
from luozi.rules.state import State

UNIT = 32.0  # the side of a cell
EDGE = 22.0  # around the board, for names
ROW = math.sqrt(3) / 2  # from one row of hexagons to the next
BLACK, WHITE, RED, BLUE, GREEN = "#15181b", "#fbfbf8", "#c8322b", "#1d6fb8", "#0b8f5a"
WOOD, GRAIN, LIGHT, SHADE, TABLE, PANEL, HOLE, CLOSED = (
    "#e3b566", "#6b5433", "#f4ead6", "#e9d9b8", "#cfc3ab", "#2b5c9e", "#e6edf6", "#8d8577"
)  # fmt: skip
TWO, FALLING = (BLACK, WHITE), ("#d5412f", "#f5c73d")
MANY = ("#0072b2", "#d55e00", "#00805c", "#c1639a", "#f0d637", "#56b4e9", "#15181b", "#fbfbf8", "#8a5a2b")
MOST_SIGNS = 25  # cells of a board whose pieces are crosses and rings
SIDES = (4, 5, 1, 2)  # hexagons: the corners at which the top, right, bottom and left sides begin


@dataclass(frozen=True)
class Marks:
    """What is drawn on a position beside its pieces."""

    last: Sequence[int] = ()  # the cells of the last move
    winning: Sequence[int] = ()
    words: Mapping[int, str] = field(default_factory=dict)  # short words on cells
    heat: Mapping[int, tuple[float, str]] = field(default_factory=dict)  # the share of visits of a cell, 0 to 1; a word
    owners: Mapping[int, tuple[int, float]] = field(default_factory=dict)  # the owner of a cell, and the certainty
    others: Sequence[int] = ()  # the last moves of the other players, in games of three or more


# Where things are -----------------------------------------------------------------------------------------------------


class PictureLayout:
    """The places of a board's cells in its picture."""

    def __init__(self, board: Board) -> None:
        self.board = board
        least = math.ceil(math.sqrt(board.layers))
        self.shelf = min(range(least, least + 3), key=lambda side: (-board.layers % side, side))  # layers side by side
        self.missing = frozenset(board.missing)
        if board.kind == POINTS:
            self.centres = spread(board.points)
        else:
            self.centres = [self.centre(*board.place(cell)) for cell in range(board.cells)]
        shown = [place for cell, place in enumerate(self.centres) if cell not in self.missing]
        rim = EDGE + UNIT / 2
        self.width = max(x for x, _ in shown) + rim
        self.height = max(y for _, y in shown) + rim

    def centre(self, layer: int, row: int, column: int) -> Point:
        """Return the middle of a cell."""
        board = self.board
        if board.kind == HEXAGONS:
            return EDGE + UNIT * (column + board.offset[row] + 0.5), EDGE + UNIT * (ROW * row + 0.5)
        left = (layer % self.shelf) * (UNIT * board.columns + 1.5 * EDGE)
        top = (layer // self.shelf) * (UNIT * board.rows + 2.2 * EDGE)
        return EDGE + left + UNIT * (column + 0.5), EDGE + top + UNIT * (row + 0.5)

    def corners(self, cell: int) -> tuple[Point, ...]:
        """Return the outline of a cell."""
        x, y = self.centres[cell]
        if self.board.kind == HEXAGONS:
            return tuple((x + px, y + py) for px, py in polygon(6, UNIT / math.sqrt(3), -30))
        half = UNIT / 2
        return (x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)


def spread(points: Sequence[Point]) -> list[Point]:
    """Return the places of points in a picture, scaled so that the nearest two have room."""
    apart = [math.dist(one, other) for place, one in enumerate(points) for other in points[:place]]
    scale = 1.6 * UNIT / min((gap for gap in apart if gap > 0), default=1.0)
    left, top, rim = min(x for x, _ in points), min(y for _, y in points), EDGE + UNIT / 2
    return [(rim + scale * (x - left), rim + scale * (y - top)) for x, y in points]


# The empty board ------------------------------------------------------------------------------------------------------


def board_shapes(layout: PictureLayout, players: int = 2) -> list[Shape]:
    """Return the board without pieces."""
    board = layout.board
    ground = WOOD if on_lines(board) else TABLE if board.edges else WHITE
    shapes: list[Shape] = [Area(box(0, 0, layout.width, layout.height), ground)]
    shapes += line_shapes(layout) if on_lines(board) else cell_shapes(layout)
    shapes += [Disc(*layout.centres[cell], 2.6, GRAIN) for cell in board.stars]
    for cell in board.forbidden:
        (x, y), size = layout.centres[cell], 0.22 * UNIT
        shapes.append(Area(box(x - 1.5 * size, y - 1.5 * size, x + 1.5 * size, y + 1.5 * size), CLOSED))
        shapes.append(Stroke(((x - size, y - size), (x + size, y + size)), WHITE, 2))
        shapes.append(Stroke(((x - size, y + size), (x + size, y - size)), WHITE, 2))
    return shapes + edge_shapes(layout, players) + name_shapes(layout)


def on_lines(board: Board) -> bool:
    """Return whether pieces stand on lines, not in cells."""
    return board.style == CROSSINGS or board.kind == POINTS


def box(left: float, top: float, right: float, bottom: float) -> tuple[Point, ...]:
    """Return a rectangle."""
    return (left, top), (right, top), (right, bottom), (left, bottom)


def line_shapes(layout: PictureLayout) -> list[Shape]:
    """Return the lines between crossings or points."""
    board, centres = layout.board, layout.centres
    if board.kind == POINTS:
        joined: list[Shape] = [Stroke((centres[one], centres[other]), GRAIN, 2) for one, other in board.lines]
        return joined + [Disc(*place, 4, GRAIN) for place in centres]
    shapes: list[Shape] = []
    for first in range(0, board.cells, board.rows * board.columns):
        last = first + board.rows * board.columns - 1
        for row in range(board.rows):
            left = first + row * board.columns
            shapes.append(Stroke((centres[left], centres[left + board.columns - 1]), GRAIN))
        for column in range(board.columns):
            shapes.append(Stroke((centres[first + column], centres[last - board.columns + 1 + column]), GRAIN))
    return shapes


def cell_shapes(layout: PictureLayout) -> list[Shape]:
    """Return the cells, in two shades on a grid; holes where stones fall."""
    board, shapes = layout.board, list[Shape]()
    for cell in range(board.cells):
        if cell in layout.missing:
            continue
        _layer, row, column = board.place(cell)
        if board.style == COLUMNS and board.kind == GRID:
            shapes += [Area(layout.corners(cell), PANEL, PANEL, 0.5), Disc(*layout.centres[cell], 0.41 * UNIT, HOLE)]
        elif board.kind == HEXAGONS:
            shapes.append(Area(layout.corners(cell), LIGHT, GRAIN, 1))
        else:
            fill = SHADE if (row + column) % 2 else LIGHT
            shapes.append(Area(layout.corners(cell), fill, mixed(GRAIN, LIGHT, 0.4), 0.7))
    return shapes


def edge_shapes(layout: PictureLayout, players: int) -> list[Shape]:
    """Return the sides of a hexagonal board in the colours of the players who connect them."""
    board, shapes = layout.board, list[Shape]()
    cells, columns = board.cells, max(1, board.columns)
    lines = range(columns), range(columns - 1, cells, columns), range(cells - columns, cells), range(0, cells, columns)
    for line, first, player in zip(lines, SIDES, board.edges, strict=False):
        if player >= 0:
            colour = colours(board, players)[player]
            paths = [tuple(layout.corners(cell)[(first + step) % 6] for step in range(3)) for cell in line]
            shapes += [Stroke(path, GRAIN, 6.5) for path in paths] + [Stroke(path, colour, 5) for path in paths]
    return shapes


def name_shapes(layout: PictureLayout) -> list[Shape]:
    """Return the names of columns, rows and layers."""
    board, shapes = layout.board, list[Shape]()
    if board.kind == POINTS:
        return shapes
    ink = GRAIN if on_lines(board) else mixed(BLACK, WHITE, 0.65)
    per_layer = board.rows * board.columns
    for layer in range(board.layers):
        first = layer * per_layer
        shown = [cell for cell in range(first, first + per_layer) if cell not in layout.missing]
        for column, name in enumerate(board.column_names):
            cells = [cell for cell in shown if cell % board.columns == column]
            at = cells[0] if board.kind == HEXAGONS and cells else cells[-1] if cells else first
            x, y = layout.centres[at]
            shift = -0.95 * UNIT if board.kind == HEXAGONS else 0.5 * UNIT + 0.5 * EDGE
            shapes.append(Words(x - (0.3 * UNIT if board.kind == HEXAGONS else 0), y + shift, name, 10, ink))
        for row, name in enumerate(board.row_names):
            cells = [cell for cell in shown if cell % per_layer // board.columns == row]
            if cells:
                x, y = layout.centres[cells[0]]
                shapes.append(Words(x - 0.5 * UNIT - 0.45 * EDGE, y, name, 10, ink))
        if board.kind == LAYERS:
            x, y = layout.centres[first]
            shapes.append(Words(x - 0.5 * UNIT + 4, y - 0.5 * UNIT - 0.4 * EDGE, str(layer + 1), 12, BLACK, True))
    return [shape for shape in shapes if not isinstance(shape, Words) or shape.text]


# Pieces ---------------------------------------------------------------------------------------------------------------


def colours(board: Board, players: int) -> Sequence[str]:
    """Return the players' colours: dark and light for two, colours that the colour-blind can tell apart for more."""
    if players > len(TWO) or has_signs(board, players):
        return MANY
    return FALLING if board.style == COLUMNS and board.kind == GRID else TWO


def has_signs(board: Board, players: int) -> bool:
    """Return whether pieces are crosses and rings: on small boards of two players, and on layers."""
    small = board.kind == GRID and board.style == CELLS and board.cells <= MOST_SIGNS
    return players == len(TWO) and (board.kind == LAYERS or small)


def sign_shapes(player: int, radius: float, fill: str) -> list[Shape]:
    """Return a cross or a ring around 0."""
    arm = 0.72 * radius
    if player == 0:
        arms = ((-arm, -arm), (arm, arm)), ((-arm, arm), (arm, -arm))
        return [Stroke(line, fill, 0.36 * radius) for line in arms]
    return [Disc(0, 0, 0.76 * radius, "none", fill, 0.36 * radius)]


def piece_shapes(board: Board, players: int, player: int, kind: str) -> list[Shape]:
    """Return a piece around 0; with three or more players each has a colour and an outline."""
    radius = 0.41 * UNIT
    if player < 0:
        return [Disc(0, 0, 0.8 * radius, "#9a7b4f", BLACK, 0.8)] if not kind else arrow_shapes(radius)
    fill = colours(board, players)[player % len(MANY)]
    if has_signs(board, players) and not kind:
        return sign_shapes(player, radius, fill)
    shapes: list[Shape] = [body(player if players > len(TWO) else 0, radius, fill)]
    ink = WHITE if is_dark(fill) else BLACK
    if kind in ("queen", "king"):
        crown = ((-5.5, 5), (-7, -4.5), (-3, 0), (0, -6.5), (3, 0), (7, -4.5), (5.5, 5))
        shapes.append(Area(crown, ink))
    elif kind:
        shapes.append(Words(0, 0, kind[:1].upper(), 0.9 * radius, ink, True))
    return shapes


def body(player: int, radius: float, fill: str) -> Shape:
    """Return the outline of a player's pieces."""
    outlines = (
        polygon(4, 1.2 * radius, -45), polygon(3, 1.15 * radius), polygon(4, 1.1 * radius), polygon(5, 1.08 * radius),
        polygon(5, 1.15 * radius, inner=0.5), polygon(3, 1.15 * radius, 90), polygon(4, 1.15 * radius, inner=0.45),
        polygon(6, 1.05 * radius),
    )  # fmt: skip
    if player == 0:
        return Disc(0, 0, radius, fill, BLACK, 0.8)
    return Area(outlines[(player - 1) % len(outlines)], fill, BLACK, 0.8)


def arrow_shapes(radius: float) -> list[Shape]:
    """Return the piece that blocks a cell for good."""
    size = 0.8 * radius
    return [
        Area(box(-size, -size, size, size), "#5b5346", BLACK, 0.6),
        Stroke(((-0.5 * size, -0.5 * size), (0.5 * size, 0.5 * size)), LIGHT, 1.6),
        Stroke(((-0.5 * size, 0.5 * size), (0.5 * size, -0.5 * size)), LIGHT, 1.6),
    ]


# Marks ----------------------------------------------------------------------------------------------------------------


def heat_shapes(layout: PictureLayout, marks: Marks) -> list[Shape]:
    """Return discs that are larger and bluer with more visits."""
    shapes: list[Shape] = []
    for cell, (share, word) in marks.heat.items():
        fill = mixed(BLUE, LIGHT, 0.25 + 0.75 * share)
        x, y = layout.centres[cell]
        shapes.append(Disc(x, y, (0.22 + 0.22 * math.sqrt(share)) * UNIT, fill, WHITE, 0.8))
        if word:
            shapes.append(Words(x, y, word, 9.5, WHITE if is_dark(fill) else BLACK, True))
    return shapes


def mark_shapes(layout: PictureLayout, marks: Marks, taken: Mapping[int, str]) -> list[Shape]:
    """Return the last move, the winning line, owners and words; `taken` has the kind of the piece on each occupied
    cell.
    """
    shapes: list[Shape] = []
    for cell in marks.winning:
        shapes.append(Disc(*layout.centres[cell], 0.45 * UNIT, "none", GREEN, 3))
    for one, other in zip(marks.last, marks.last[1:], strict=False):
        shapes.append(Stroke((layout.centres[one], layout.centres[other]), RED, 1.8))
    for cell in marks.others:
        shapes.append(Disc(*layout.centres[cell], 0.1 * UNIT, "none", RED, 1.4))
    for cell in marks.last[-1:]:
        shapes.append(Disc(*layout.centres[cell], 0.16 * UNIT, "none", RED, 2.2))
    for cell, (player, sure) in marks.owners.items():
        (x, y), half = layout.centres[cell], (0.04 + 0.15 * sure) * UNIT
        fill, edge = (BLACK, WHITE) if player == 0 else (WHITE, BLACK)
        shapes.append(Area(box(x - half, y - half, x + half, y + half), fill, edge, 0.6))
    for cell, word in marks.words.items():
        x, y = layout.centres[cell]
        if cell not in taken:
            shapes.append(Disc(x, y, 0.3 * UNIT, BLUE))
        shapes.append(Words(x, y, word, 12, RED if cell in taken else WHITE, True))
    return shapes


# The whole ------------------------------------------------------------------------------------------------------------


def scene_of(game: Game, state: State, marks: Marks | None = None) -> Scene | None:
    """Return the picture of a position; None if the game does not describe its board.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> scene_of(game, game.after(game.after(game.new_state(), 4), 0)).svg().count("<circle")  # O is a ring
    1
    """
    board = board_of(game)
    if board is None:
        return None
    layout, marks, pieces = PictureLayout(board), marks or Marks(), pieces_of(game, state)
    shapes = board_shapes(layout, game.players) + heat_shapes(layout, marks)
    for cell, player, kind in pieces:
        shapes += moved(piece_shapes(board, game.players, player, kind), *layout.centres[cell])
    taken = {cell: kind for cell, _player, kind in pieces}
    shapes += mark_shapes(layout, marks, taken)
    return Scene(layout.width, layout.height, tuple(shapes), in_words(game, board, pieces))


def in_words(game: Game, board: Board, pieces: Iterable[Piece]) -> str:
    """Return a position as text for people who can't see it."""
    found: dict[int, list[str]] = {}
    for cell, player, kind in pieces:
        found.setdefault(player, []).append(f"{kind} {board.name_of(cell)}".strip())
    told = [
        f"{game.player_name(player) if player >= 0 else 'nobody'}: {', '.join(cells[:40])}"
        for player, cells in sorted(found.items())
    ]
    return "; ".join(told) or "an empty board"


@dataclass(frozen=True)
class BoardPicture:
    """A position for a notebook; `svg` is empty if the game does not describe its board."""

    svg: str
    text: str

    def _repr_html_(self) -> str:
        if not self.svg:
            return f"<pre>{escape(self.text)}</pre>"
        return f'<div style="max-width:26rem">{self.svg}</div>'

    def __repr__(self) -> str:
        return self.text


def picture(game: Game, state: State | None = None, action: int | str | None = None) -> BoardPicture:
    """Return a position as a drawing in notebooks and as text elsewhere; `action` plays a move and marks it.

    >>> import luozi
    >>> luozi.picture(luozi.game("tictactoe"), action=4)
       a  b  c
    3  .  .  .
    2  . (X) .
    1  .  .  .
    """
    game = needed_game(game, "picture")
    state, last = game.new_state() if state is None else state, list[int]()
    refuse_other_position(game, state)
    if action is not None:
        action = game.action_of(state, action)
        state, last = game.after(state, action), cells_of(game, "clicks", state, action)
    won = cells_of(game, "winning_cells", state) if game.is_terminal(state) else []
    scene = scene_of(game, state, Marks(last, won))
    text = "\n".join(line.rstrip() for line in game.show(state).splitlines())
    return BoardPicture("" if scene is None else scene.svg(), text)
