"""Boards as plain data: cells, coordinates, neighbours and pieces. Pages, pictures and move names are made from them.

`Described` is the part of `Game` that a class may define to be drawn. None of it is ever compiled. `view` returns a
whole position as plain data.
"""

from __future__ import annotations

import itertools
import reprlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from luozi.compiled.object_type import is_description
from luozi.messages import LuoziError, Message
from luozi.rules.state import State

if TYPE_CHECKING:
    from luozi.rules.game import Game

GRID, HEXAGONS, LAYERS, POINTS = KINDS = ("grid", "hexagons", "layers", "points")
CELLS, CROSSINGS, COLUMNS = STYLES = ("cells", "crossings", "columns")
MAX_CELLS = 4096
NEUTRAL = -1  # the player of a piece that belongs to nobody

Piece = tuple[int, int, str]  # cell, player, kind: "" for a plain stone, else a word such as "queen"


def column_letters(column: int) -> str:
    """Return the name of a column, as in a spreadsheet.

    >>> column_letters(0), column_letters(25), column_letters(26)
    ('a', 'z', 'aa')
    """
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


@dataclass(frozen=True)
class Board:
    """A board. Cells are numbered row by row from the top left, layer by layer.

    >>> board = Board.grid(3, 3)
    >>> board.name_of(0), board.name_of(8)
    ('a3', 'c1')
    """

    kind: str  # grid, hexagons, layers (grids that lie above each other) or points
    rows: int = 0
    columns: int = 0
    layers: int = 1
    style: str = CELLS  # crossings: stones on lines; columns: stones fall, any cell plays its column
    column_names: tuple[str, ...] = ()
    row_names: tuple[str, ...] = ()  # the top row first
    offset: tuple[float, ...] = ()  # hexagons: shift of each row to the right, in cells
    missing: tuple[int, ...] = ()  # numbers without a cell
    forbidden: tuple[int, ...] = ()  # cells where nobody may play
    stars: tuple[int, ...] = ()  # marked points
    edges: tuple[int, ...] = ()  # hexagons: the players of the top, right, bottom and left side; -1 for nobody
    points: tuple[tuple[float, float], ...] = ()  # points: position of each point, x to the right and y down
    lines: tuple[tuple[int, int], ...] = ()  # points: pairs of connected points

    def __post_init__(self) -> None:
        if self.kind not in KINDS or self.style not in STYLES:
            raise LuoziError(
                "a board's kind is one of {kinds} and its style one of {styles}",
                kinds=", ".join(KINDS),
                styles=", ".join(STYLES),
            )
        if not 1 <= self.cells <= MAX_CELLS:
            raise LuoziError(
                "a board has 1 to {most} cells, not {cells}", most=f"{MAX_CELLS:,}", cells=f"{self.cells:,}"
            )
        numbered = itertools.chain(self.missing, self.forbidden, self.stars, *self.lines)
        cells = self.cells
        outside = [cell for cell in numbered if not 0 <= cell < cells]
        if outside:
            raise LuoziError(
                "a board of {cells} cells has no cell {cell}; cells are numbered from 0",
                cells=self.cells,
                cell=outside[0],
            )
        for told, names, count in (("column", self.column_names, self.columns), ("row", self.row_names, self.rows)):
            if names and len(names) != count:
                raise LuoziError(
                    "a board with {count} {what}s needs as many {what}_names, not {given}",
                    count=count,
                    what=told,
                    given=len(names),
                )

    @classmethod
    def grid(cls, rows: int, columns: int, style: str = CELLS, **more: Any) -> Board:
        """Return a flat board. By default, letters name the columns and numbers name the rows from the bottom."""
        return cls(GRID, rows, columns, 1, style, **_names(rows, columns, **more))

    @classmethod
    def stack(cls, layers: int, rows: int, columns: int, style: str = CELLS, **more: Any) -> Board:
        """Return grids above each other, the lowest first. With style "columns", stones fall down the layers."""
        return cls(LAYERS, rows, columns, layers, style, **_names(rows, columns, **more))

    @classmethod
    def hexagons(cls, rows: int, columns: int, slant: float = 0.5, **more: Any) -> Board:
        """Return a board of hexagons. Each row is shifted by `slant` cells against the row above; rows are numbered
        from the top.
        """
        names = {"row_names": tuple(str(row + 1) for row in range(rows))} | more
        offset = tuple(max(0.0, -slant * (rows - 1)) + slant * row for row in range(rows))
        return cls(HEXAGONS, rows, columns, **_names(rows, columns, **({"offset": offset} | names)))

    @classmethod
    def network(
        cls, points: Iterable[tuple[float, float]], lines: Iterable[tuple[int, int]] = (), **more: Any
    ) -> Board:
        """Return a board of points at any coordinates, some of them joined by lines."""
        return cls(POINTS, points=tuple(points), lines=tuple(lines), **more)

    @property
    def cells(self) -> int:
        """The number of cell numbers, including those of missing cells."""
        return len(self.points) if self.kind == POINTS else self.layers * self.rows * self.columns

    def place(self, cell: int) -> tuple[int, int, int]:
        """Return the layer, row and column of a cell."""
        layer, rest = divmod(cell, self.rows * self.columns)
        return layer, *divmod(rest, self.columns)

    def name_of(self, cell: int) -> str:
        """Return the coordinates of a cell as people write them; for a point, its number."""
        if self.kind == POINTS:
            return str(cell + 1)
        layer, rest = divmod(cell, self.rows * self.columns)  # as `place` does: this is called for every move shown
        row, column = divmod(rest, self.columns)
        return f"{layer + 1 if self.layers > 1 else ''}{self.column_names[column]}{self.row_names[row]}"

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as plain data for `json.dumps`."""
        found = asdict(self)
        pairs = {name: [list(pair) for pair in found[name]] for name in ("points", "lines")}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()} | pairs


def _names(rows: int, columns: int, **more: Any) -> dict[str, Any]:
    """Return the default names of columns and rows, replaced by the given ones."""
    letters = tuple(map(column_letters, range(columns)))
    return {"column_names": letters, "row_names": tuple(map(str, range(rows, 0, -1)))} | more


class Described:
    """How a game is drawn, in plain Python that is never compiled. A class that defines none of it is shown as text."""

    if TYPE_CHECKING:
        players: int

        def player_name(self, player: int) -> str: ...

    def show(self, state: State) -> str:
        """Return the position as text."""
        board = board_of(self)
        if board is None:
            return str(state)
        return points_text(self, board, state) if board.kind == POINTS else board_text(self, board, state)

    def action_to_string(self, state: State, action: int) -> str:
        """Return the name of an action. By default: the cells to click for it, or its number."""
        board, clicks = board_of(self), cells_of(self, "clicks", state, action)
        return "-".join(map(board.name_of, clicks)) if board is not None and clicks else str(action)

    def board(self) -> Board | None:
        """Return the board. Default: None, the game is shown only by the text of `show`."""
        return None

    def pieces(self, state: State) -> Sequence[Piece]:
        """Return the pieces on the board. By default they come from a field `board`: 0 is empty, 1 and more are
        players' stones.
        """
        board = board_of(self)
        stones = np.asarray(state["board"]).reshape(-1) if "board" in (state.dtype.names or ()) else np.zeros(0)
        if board is None or len(stones) < board.cells:
            return []
        return [(cell, int(stones[cell]) - 1, "") for cell in np.flatnonzero(stones[: board.cells] > 0).tolist()]

    def clicks(self, state: State, action: int) -> Sequence[int]:
        """Return the cells to click for an action, in order. By default: the cell with the number of the action, if
        there is one.
        """
        board = board_of(self)
        return [action] if board is not None and 0 <= action < board.cells else []

    def from_pieces(self, state: State, pieces: Sequence[Piece], to_move: int) -> None:
        """Turn the start into the position with these pieces, for the position editor.

        Raises:
            LuoziError: there is no such position.
        """
        raise LuoziError("{name} can't be given a position: its class has no from_pieces", name=type(self).__name__)

    def piece_kinds(self) -> Sequence[tuple[int, str]]:
        """Return the pieces that the editor offers, as (player, kind). Default: those of the start, and a stone for
        each player.
        """
        return []

    def has_fixed_moves(self) -> bool:
        """Return whether each action has the same name and cells in all positions. Pages then use a table."""
        return type(self).clicks is Described.clicks and type(self).action_to_string is Described.action_to_string

    def winning_cells(self, state: State) -> Sequence[int]:
        """Return the cells to mark in a won position."""
        return []

    def threat_cells(self, state: State) -> Sequence[int]:
        """Return the cells where a player wins with the next stone."""
        return []


def board_of(game: Described) -> Board | None:
    """Return the board of a game, described once and then cached.

    Raises:
        LuoziError: the class returns something else than a board.

    >>> import luozi
    >>> board_of(luozi.game("connect4")).style
    'columns'
    """
    if "_board" not in vars(game):
        own = "board" in vars(game)  # `board` may be a table of the rules instead
        board = game.board() if not own and is_description(type(game).board) else None
        if board is not None and not isinstance(board, Board):
            raise LuoziError(
                "{game}.board returned {value}; it must return a luozi.Board",
                game=type(game).__name__,
                value=reprlib.repr(board),
            )
        vars(game)["_board"] = board
    found: Board | None = vars(game)["_board"]
    return found


class MoveData(TypedDict):
    """A move for the page, with the cells to click for it in order."""

    action: int
    name: str
    clicks: list[int]


class PositionData(TypedDict):
    """A position for the page."""

    to_move: int | None
    terminal: bool
    result: list[float] | None
    pieces: list[Piece]
    moves: list[MoveData]
    winning: list[int]
    threats: list[int]
    text: str


def view(game: Game, state: State) -> PositionData:
    """Return a position as plain data: the player to move, the pieces, and each legal move with the cells to click.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> found = view(game, game.after(game.new_state(), 4))
    >>> found["to_move"], found["pieces"], found["moves"][0]
    (1, [(4, 0, '')], {'action': 0, 'name': 'a3', 'clicks': [0]})
    """
    over = bool(game.is_terminal(state))
    result = game.result(state) if over else None
    found = board_data(game, state, -1 if over else game.player_to_move(state), result, game.legal_list(state))
    return {**found, "text": game.show(state)}


def board_data(
    game: Game, state: State, to_move: int, result: Sequence[float] | None, actions: Iterable[int]
) -> PositionData:
    """Return the same data as `view` without the text, when the mover, the result and the legal actions are known."""
    has_board, over = board_of(game) is not None, result is not None
    return {
        "to_move": None if over else to_move,
        "terminal": over,
        "result": None if result is None else list(result),
        "pieces": pieces_of(game, state),
        "moves": moves_of(game, state, actions),
        "winning": cells_of(game, "winning_cells", state) if has_board and over else [],
        "threats": cells_of(game, "threat_cells", state) if has_board and not over else [],
        "text": "",
    }


def moves_of(game: Described, state: State, actions: Iterable[int]) -> list[MoveData]:
    """Return each of these moves with its name and cells. Moves with a fixed name are made once per game.

    >>> import luozi
    >>> game = luozi.game("connect4")
    >>> moves_of(game, game.new_state(), [3])
    [{'action': 3, 'name': '4', 'clicks': [38]}]
    """
    if not game.has_fixed_moves():
        return [move_data(game, state, action) for action in actions]
    known: dict[int, MoveData] = vars(game).setdefault("_moves", {})
    found = []
    for action in actions:
        if action not in known:
            known[action] = move_data(game, state, action)
        found.append(known[action])
    return found


def move_data(game: Described, state: State, action: int) -> MoveData:
    """Return a legal move with its name and cells."""
    return {
        "action": action,
        "name": game.action_to_string(state, action),
        "clicks": cells_of(game, "clicks", state, action),
    }


def pieces_of(game: Described, state: State) -> list[Piece]:
    """Return the pieces on the board.

    Raises:
        LuoziError: the class returns something else than pieces.
    """
    board = board_of(game)
    if board is None:
        return []
    found, cells = [], board.cells
    for piece in game.pieces(state):
        whole = isinstance(piece, tuple) and len(piece) == 3 and isinstance(piece[2], str)
        if not whole or not 0 <= piece[0] < cells or not NEUTRAL <= piece[1] < game.players:
            told = Message("{game}.pieces gives {value}", game=type(game).__name__, value=reprlib.repr(piece))
            raise LuoziError(
                "{what}; a piece is (cell, player, kind) as in (0, 1, ''), and nobody's has player -1", what=told
            )
        found.append((int(piece[0]), int(piece[1]), piece[2]))
    return found


def cells_of(game: Described, method: str, *given: Any) -> list[int]:
    """Return the cells that a method of the description names.

    Raises:
        LuoziError: the class names cells outside the board.
    """
    board = board_of(game)
    if board is None:
        return []
    found = list(getattr(game, method)(*given))
    for cell in found:
        if not isinstance(cell, (int, np.integer)) or not 0 <= cell < board.cells:
            told = Message(
                "{game}.{method} gives {value}", game=type(game).__name__, method=method, value=reprlib.repr(cell)
            )
            raise LuoziError("{what}; the cells of this board are 0 to {last}", what=told, last=board.cells - 1)
    return [int(cell) for cell in found]


NO_WORDS: dict[int, str] = {}
NEUTRAL_SIGNS = {"": "o"}  # signs of pieces that belong to nobody; other kinds are drawn as "#", like forbidden cells


def signs_on(game: Described, board: Board, state: State) -> list[str]:
    """Return one letter for each cell."""
    signs = ["#" if cell in board.forbidden else "." for cell in range(board.cells)]
    for cell in board.missing:
        signs[cell] = " "
    for cell, player, kind in pieces_of(game, state):
        signs[cell] = NEUTRAL_SIGNS.get(kind, "#") if player < 0 else game.player_name(player)[:1]
    return signs


def rows_of_points(board: Board) -> list[list[int]]:
    """Return the points row by row from the top, each row from the left.

    >>> rows_of_points(Board.network([(1, 2), (0, 0), (2, 0)]))
    [[1, 2], [0]]
    """
    there = [cell for cell in range(board.cells) if cell not in board.missing]
    heights = sorted({board.points[cell][1] for cell in there})
    rows = ([cell for cell in there if board.points[cell][1] == height] for height in heights)
    return [sorted(row, key=lambda cell: board.points[cell][0]) for row in rows]


def points_text(game: Described, board: Board, state: State) -> str:
    """Return a position on points as text. Points with the same x are in the same column."""
    signs = signs_on(game, board, state)
    columns = sorted({x for x, _ in board.points})
    lines = []
    for row in rows_of_points(board):
        at = {board.points[cell][0]: signs[cell] for cell in row}
        lines.append(" ".join(at.get(column, " ") for column in columns).rstrip())
    return "\n".join(lines)


def board_text(
    game: Described,
    board: Board,
    state: State,
    marks: Collection[int] = (),
    words: Mapping[int, str] = NO_WORDS,
) -> str:
    """Return a position as text with coordinates, the lowest layer first, with marked cells in brackets.

    Cells of `words` show their word instead of what stands there.

    >>> import luozi
    >>> game = luozi.game("hex:size=2")
    >>> print(board_text(game, game.board(), game.after(game.new_state(), 1)))
       a b
     1 . X
      2 . .
    >>> print(board_text(game, game.board(), game.after(game.new_state(), 1), marks=[1]))
       a b
     1 .(X)
      2 . .
    >>> print(board_text(game, game.board(), game.after(game.new_state(), 1), words={0: "31"}))
        a  b
     1 31  X
       2  .  .
    """
    signs = [words.get(cell, sign) for cell, sign in enumerate(signs_on(game, board, state))]
    width, margin = max(map(len, (*board.column_names, *words.values()))), max(2, *map(len, board.row_names))
    lines = []
    for layer in range(board.layers):
        lines += [f"layer {layer + 1}"] if board.layers > 1 else []
        lines.append(" " * (margin + 1) + " ".join([name.rjust(width) for name in board.column_names]))
        for row, name in enumerate(board.row_names):
            first = (layer * board.rows + row) * board.columns
            cells = "".join([" " + sign.rjust(width) for sign in signs[first : first + board.columns]]) + " "
            for column in range(board.columns):
                if first + column in marks:
                    at = (column + 1) * (width + 1)
                    cells = f"{cells[: at - 2]}({cells[at - 1]}){cells[at + 1 :]}"
            shift = " " * round((width + 1) * board.offset[row]) if board.offset else ""
            lines.append(f"{shift}{name:>{margin}}{cells}".rstrip())
    return "\n".join(lines)
