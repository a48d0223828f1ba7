"""What a game's board looks like: a description as plain data, which pages, pictures and coordinates are made from.

`Described` is the part of `Game` that a class may write to be drawn; nothing of it is ever compiled. `view` is a whole
position as plain data.
"""

from __future__ import annotations

import itertools
import reprlib
from collections.abc import Collection, Iterable, Sequence
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
NEUTRAL = -1  # the player of a piece that is nobody's

Piece = tuple[int, int, str]  # cell, player, kind: "" for a plain stone, else a word such as "queen"


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
    style: str = CELLS  # crossings: stones stand on lines; columns: they fall, and any cell of a column plays it
    column_names: tuple[str, ...] = ()
    row_names: tuple[str, ...] = ()  # the top row first
    offset: tuple[float, ...] = ()  # hexagons: how far each row is moved to the right, in cells
    missing: tuple[int, ...] = ()  # cells that do not exist
    forbidden: tuple[int, ...] = ()  # cells that exist, but that nobody may use
    stars: tuple[int, ...] = ()  # marked points
    edges: tuple[int, ...] = ()  # hexagons: whose the top, the right, the bottom and the left side is; -1: nobody's
    points: tuple[tuple[float, float], ...] = ()  # points: where each is, x to the right and y down
    lines: tuple[tuple[int, int], ...] = ()  # points: which are joined

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
        """A flat board; letters name its columns and numbers its rows from the bottom, unless names are given."""
        return cls(GRID, rows, columns, 1, style, **_names(rows, columns, **more))

    @classmethod
    def stack(cls, layers: int, rows: int, columns: int, style: str = CELLS, **more: Any) -> Board:
        """Grids above each other, the lowest first; `columns` as the style: stones fall down the layers."""
        return cls(LAYERS, rows, columns, layers, style, **_names(rows, columns, **more))

    @classmethod
    def hexagons(cls, rows: int, columns: int, slant: float = 0.5, **more: Any) -> Board:
        """Hexagons, each row `slant` of a cell further to the right than the one above; numbers count from the top."""
        names = {"row_names": tuple(str(row + 1) for row in range(rows))} | more
        offset = tuple(max(0.0, -slant * (rows - 1)) + slant * row for row in range(rows))
        return cls(HEXAGONS, rows, columns, **_names(rows, columns, **({"offset": offset} | names)))

    @classmethod
    def network(
        cls, points: Iterable[tuple[float, float]], lines: Iterable[tuple[int, int]] = (), **more: Any
    ) -> Board:
        """Points anywhere, some of them joined by lines."""
        return cls(POINTS, points=tuple(points), lines=tuple(lines), **more)

    @property
    def cells(self) -> int:
        """How many cells are numbered, those that do not exist too."""
        return len(self.points) if self.kind == POINTS else self.layers * self.rows * self.columns

    def place(self, cell: int) -> tuple[int, int, int]:
        """A cell's layer, row and column."""
        layer, rest = divmod(cell, self.rows * self.columns)
        return layer, *divmod(rest, self.columns)

    def name_of(self, cell: int) -> str:
        """A cell's coordinates, as people write them; the number of a point that is in no row."""
        if self.kind == POINTS:
            return str(cell + 1)
        layer, row, column = self.place(cell)
        return f"{layer + 1 if self.layers > 1 else ''}{self.column_names[column]}{self.row_names[row]}"

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data that `json.dumps` takes."""
        found = asdict(self)
        pairs = {name: [list(pair) for pair in found[name]] for name in ("points", "lines")}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()} | pairs


def _names(rows: int, columns: int, **more: Any) -> dict[str, Any]:
    """Names of columns and rows, where none are given."""
    letters = tuple(map(column_letters, range(columns)))
    return {"column_names": letters, "row_names": tuple(map(str, range(rows, 0, -1)))} | more


class Described:
    """How a game is drawn; plain Python, never compiled. A class that writes nothing of it is shown as text."""

    if TYPE_CHECKING:
        players: int

        def player_name(self, player: int) -> str: ...

    def show(self, state: State) -> str:
        """The position as text."""
        board = board_of(self)
        if board is None:
            return str(state)
        return points_text(self, board, state) if board.kind == POINTS else board_text(self, board, state)

    def action_to_string(self, state: State, action: int) -> str:
        """An action's name; here the cells that are clicked for it, else its number."""
        board, clicks = board_of(self), cells_of(self, "clicks", state, action)
        return "-".join(map(board.name_of, clicks)) if board is not None and clicks else str(action)

    def board(self) -> Board | None:
        """The board; None: there is no description, only the text of `show`."""
        return None

    def pieces(self, state: State) -> Sequence[Piece]:
        """What stands on the board; here by a field `board` with 0 for an empty cell and 1.. for a player's stone."""
        board = board_of(self)
        stones = np.asarray(state["board"]).reshape(-1) if "board" in (state.dtype.names or ()) else np.zeros(0)
        if board is None or len(stones) < board.cells:
            return []
        return [(cell, int(stones[cell]) - 1, "") for cell in np.flatnonzero(stones[: board.cells] > 0).tolist()]

    def clicks(self, state: State, action: int) -> Sequence[int]:
        """The cells to click for an action, in order; here the cell of that number, none if there is no such cell."""
        board = board_of(self)
        return [action] if board is not None and 0 <= action < board.cells else []

    def from_pieces(self, state: State, pieces: Sequence[Piece], to_move: int) -> None:
        """Change the start into the position with these pieces, for an editor; a LuoziError if there is none."""
        raise LuoziError("{name} can't be given a position: its class has no from_pieces", name=type(self).__name__)

    def piece_kinds(self) -> Sequence[tuple[int, str]]:
        """The pieces that an editor offers, as (player, kind); none: those of the start, and each player's stone."""
        return []

    def has_fixed_moves(self) -> bool:
        """Whether an action has one name and the same cells in every position: pages then look both up."""
        return type(self).clicks is Described.clicks and type(self).action_to_string is Described.action_to_string

    def winning_cells(self, state: State) -> Sequence[int]:
        """What to mark when somebody has won."""
        return []

    def threat_cells(self, state: State) -> Sequence[int]:
        """Cells where somebody wins with the next stone."""
        return []


def board_of(game: Described) -> Board | None:
    """A game's board, described once; one sentence if what the class gives is none.

    >>> import luozi
    >>> board_of(luozi.game("connect4")).style
    'columns'
    """
    if "_board" not in vars(game):
        own = "board" in vars(game)  # a table of the rules that has the name
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
    """A move for a page: the cells to click for it, in order."""

    action: int
    name: str
    clicks: list[int]


class PositionData(TypedDict):
    """A position for a page."""

    to_move: int | None
    terminal: bool
    result: list[float] | None
    pieces: list[Piece]
    moves: list[MoveData]
    winning: list[int]
    threats: list[int]
    text: str


def view(game: Game, state: State) -> PositionData:
    """A position as plain data: who moves, what stands where, and each legal move with the cells to click.

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
    """The same where it is known who is to move, how it ended and what is legal; without the text."""
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
    """Each of these moves with its name and its cells; those that never change are made once for each game.

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
    """A legal move with its name and its cells."""
    return {
        "action": action,
        "name": game.action_to_string(state, action),
        "clicks": cells_of(game, "clicks", state, action),
    }


def pieces_of(game: Described, state: State) -> list[Piece]:
    """What stands on a board; one sentence if a class tells something else."""
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
    """Some cells of a board; one sentence if a class names others."""
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


NEUTRAL_SIGNS = {"": "o"}  # nobody's pieces as text; other kinds are a number sign, as cells that nobody may use


def signs_on(game: Described, board: Board, state: State) -> list[str]:
    """One letter for each cell."""
    signs = ["#" if cell in board.forbidden else "." for cell in range(board.cells)]
    for cell in board.missing:
        signs[cell] = " "
    for cell, player, kind in pieces_of(game, state):
        signs[cell] = NEUTRAL_SIGNS.get(kind, "#") if player < 0 else game.player_name(player)[:1]
    return signs


def rows_of_points(board: Board) -> list[list[int]]:
    """The points of each height from the top, each row from the left: as one reads them.

    >>> rows_of_points(Board.network([(1, 2), (0, 0), (2, 0)]))
    [[1, 2], [0]]
    """
    there = [cell for cell in range(board.cells) if cell not in board.missing]
    heights = sorted({board.points[cell][1] for cell in there})
    rows = ([cell for cell in there if board.points[cell][1] == height] for height in heights)
    return [sorted(row, key=lambda cell: board.points[cell][0]) for row in rows]


def points_text(game: Described, board: Board, state: State) -> str:
    """A position on points as text: what lies below each other stands below each other."""
    signs = signs_on(game, board, state)
    columns = sorted({x for x, _ in board.points})
    lines = []
    for row in rows_of_points(board):
        at = {board.points[cell][0]: signs[cell] for cell in row}
        lines.append(" ".join(at.get(column, " ") for column in columns).rstrip())
    return "\n".join(lines)


def board_text(game: Described, board: Board, state: State, marks: Collection[int] = ()) -> str:
    """A position as text, with coordinates; layers below each other, the lowest first; marked cells in brackets.

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
    """
    signs = signs_on(game, board, state)
    width, margin = max(map(len, board.column_names)), max(2, *map(len, board.row_names))
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
