"""Positions that a person sets up by pieces or pastes as text.

A game starts there: its spelling holds the position, so that records, other players and a restarted server know it
(`luozi.rules.text_position`; the game of Go has options of its own for stones).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from luozi.games.go.points import point_name
from luozi.games.go.rules import Go
from luozi.games.lines.drawing import all_stones, full_segments
from luozi.games.lines.rules import Lines
from luozi.messages import LuoziError
from luozi.rules.board import NEUTRAL_SIGNS, POINTS, Board, Piece, board_of, rows_of_points
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.rules.setup import Setup
from luozi.rules.text_position import KEY as POSITION
from luozi.rules.text_position import Kind, can_be_given, kinds_of, position_text, rows_of
from luozi.util.old_names import new_names
from luozi.util.parameters import join_spelling, split_spelling
from luozi.web.requests import PlacedPiece

EMPTY = ".+*-·_"
CLOSED = "#"
DRAWN = re.compile(r"[-|/\\─│╱╲]")  # lines between points


def kinds_to_put(game: Game) -> list[Kind]:
    """Return the pieces that an editor offers; none where no position can be set up."""
    return kinds_of(game) if can_be_given(game) else []


def set_up(game: Game, spelling: str, pieces: Sequence[PlacedPiece], to_move: int | None) -> str:
    """Return the spelling of a game that starts with these pieces.

    Raises:
        LuoziError: the rules do not allow the position; the message names the rule.

    >>> import luozi
    >>> set_up(luozi.game("hex:size=2"), "hex:size=2", [PlacedPiece(0, 0), PlacedPiece(3, 0)], 1)
    'hex:size=2,position=X1/1X.O'
    >>> set_up(luozi.game("tictactoe"), "tictactoe", [PlacedPiece(4, 0), PlacedPiece(0, 1)], None)
    'tictactoe:position=O2/1X1/3.X'
    """
    if not can_be_given(game):
        raise LuoziError("{game} can't be given a position: play or paste the moves that lead there", game=spelling)
    setup = Setup(placed(game, pieces), mover_of(game, pieces) if to_move is None else to_move)
    if setup.to_move >= game.players:
        raise LuoziError("players are 0 to {most}", most=game.players - 1)
    text = position_text(game, setup.pieces, setup.to_move)  # refuses pieces that the game does not have
    begun = game.begin(setup)
    if isinstance(game, Lines):
        refuse_unplayed(game, begun)
    name, values = split_spelling(spelling)
    if isinstance(game, Go):
        first = {} if to_move is None else {"first": ("black", "white")[to_move]}
        return join_spelling(name, {**go_stones(game, values, setup), **first})
    return join_spelling(name, {**values, POSITION: text})


def placed(game: Game, pieces: Sequence[PlacedPiece]) -> tuple[Piece, ...]:
    """Return the pieces with their kinds; raise LuoziError if a cell is off the board or taken twice."""
    board, usual = board_of(game), dict(reversed(kinds_of(game)))
    assert board is not None
    gone = {*board.missing, *board.forbidden}
    if any(one.cell in gone or one.cell >= board.cells for one in pieces):
        raise LuoziError("a stone is on a cell outside the board")
    if len({one.cell for one in pieces}) < len(pieces):
        raise LuoziError("two stones are on one cell")
    return tuple((one.cell, one.player, usual.get(one.player, "") if one.kind is None else one.kind) for one in pieces)


def mover_of(game: Game, pieces: Sequence[PlacedPiece]) -> int:
    """Return the side to move where it is not given: in line games by the number of stones, else the first player."""
    return len(pieces) % game.players if isinstance(game, Lines) else 0


def refuse_unplayed(game: Lines, position: Position) -> None:
    """Raise LuoziError for stones of a line game that players in turn could not have placed."""
    stones = all_stones(game, position.state)
    counts = [int((stones == player + 1).sum()) for player in range(game.players)]
    total = sum(counts)
    expected = [(total - player + game.players - 1) // game.players for player in range(game.players)]
    if counts != expected or position.to_move != total % game.players:
        signs = ", ".join(f"{game.player_name(player)} {count}" for player, count in enumerate(counts))
        raise LuoziError("players move in turn, so these stones can't all have been played: {signs}", signs=signs)
    last = (total - 1) % game.players
    if any(len(full_segments(game, stones, player)) for player in range(game.players) if player != last):
        raise LuoziError("these stones can't have been played: the game was over before")


def go_stones(game: Go, values: dict[str, str], setup: Setup) -> dict[str, str]:
    """Return the options of Go with these stones in place of others."""
    replaced = ("handicap", "handicap_at", "black", "white", "first")
    kept = {key: value for key, value in new_names(values, "go").items() if key not in replaced}
    for key, player in (("black", 0), ("white", 1)):
        points = [point_name(game.size, cell) for cell, owner, _ in sorted(setup.pieces) if owner == player]
        if points:
            kept[key] = ".".join(points)
    return kept


# Boards as text -------------------------------------------------------------------------------------------------------


def read_board(game: Game, text: str) -> tuple[list[Piece], int | None] | None:
    """Read a board as `luozi` prints it.

    Return its pieces and the side to move, None for a side that is not written; None if it is no board of this game.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> read_board(game, game.show(game.after(game.new_state(), 4)))
    ([(4, 0, '')], None)
    """
    board = board_of(game)
    if board is None or not can_be_given(game):
        return None
    mover = re.search(r"^[^\S\n]*(\S+)(?: \(\S+\))? to move\b", text, re.MULTILINE)
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
    """Return the cells of a board in printed rows, and what a text has there; a board of points is one long row."""
    if board.kind == POINTS:
        read = [mark for line in text.splitlines() for mark in marked(DRAWN.sub(" ", line), marks)]
        return [[cell for row in rows_of_points(board) for cell in row]], [read]
    found = [row for row in (marked(line, marks) for line in text.splitlines()) if row]
    if board.layers > 1:
        found = [row for row in found if len(row) % board.columns == 0]
        found = layers_in_order(found, board.rows, board.columns)
    return rows_of(board), found


def looks_like_a_board(game: Game, text: str) -> bool:
    """Return whether a text has as many marks as this game's board has cells.

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
    """Return the piece that each mark of a board as text stands for; None for an empty cell."""
    marks: dict[str, Kind | None] = dict.fromkeys(EMPTY + CLOSED)
    for player, kind in reversed(kinds_to_put(game)):  # of several that look alike, the first
        named = "" if player < 0 else game.player_name(player)[:1] + game.signs[player : player + 1]
        marks |= dict.fromkeys(named or NEUTRAL_SIGNS.get(kind, CLOSED), (player, kind))
    return marks


def marked(line: str, marks: Mapping[str, Kind | None]) -> list[Kind | None]:
    """Return the cells of a line; none for a line with anything else, such as names of columns."""
    words = line.translate(str.maketrans("[]()", "    ")).split()  # brackets are around the last stone
    cells = [word for word in words if not word.rstrip(":").isdigit()]  # numbers are names of rows
    if len(cells) == 1:  # written without blanks
        cells = list(cells[0])
    return [marks[mark] for mark in cells] if all(mark in marks for mark in cells) else []


def layers_in_order(found: list[list[Kind | None]], rows: int, columns: int) -> list[list[Kind | None]]:
    """Return rows of one layer after another, where layers are printed side by side."""
    layers: list[list[Kind | None]] = []
    for first in range(0, len(found), rows):
        printed = found[first : first + rows]
        for begin in range(0, max(map(len, printed)), columns):
            layers += [row[begin : begin + columns] for row in printed]
    return layers
