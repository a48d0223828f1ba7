"""Positions that somebody sets up. A game begins there: its spelling says the position, so that records, other players
and a restart of the server know it (`luozi.rules.text_position`; Go has words of its own for stones).
"""

from __future__ import annotations

from collections.abc import Sequence

from luozi.games.go.points import point_name
from luozi.games.go.rules import Go
from luozi.games.lines.drawing import all_stones, full_segments
from luozi.games.lines.rules import Lines
from luozi.messages import LuoziError
from luozi.rules.board import Piece, board_of
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.rules.setup import Setup
from luozi.rules.text_position import KEY as POSITION
from luozi.rules.text_position import Kind, can_be_given, kinds_of, position_text
from luozi.util.old_names import new_names
from luozi.util.parameters import join_spelling, split_spelling
from luozi.web.requests import PlacedPiece


def kinds_to_put(game: Game) -> list[Kind]:
    """The pieces that an editor offers; none where nothing can be set up."""
    return kinds_of(game) if can_be_given(game) else []


def set_up(game: Game, spelling: str, pieces: Sequence[PlacedPiece], to_move: int | None) -> str:
    """The game that begins with these pieces, as it is written; one sentence, which names the rule, if it can't.

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
    text = position_text(game, setup.pieces, setup.to_move)  # one sentence about a piece that the game does not have
    begun = game.begin(setup)
    if isinstance(game, Lines):
        refuse_unplayed(game, begun)
    name, values = split_spelling(spelling)
    if isinstance(game, Go):
        first = {} if to_move is None else {"first": ("black", "white")[to_move]}
        return join_spelling(name, {**go_stones(game, values, setup), **first})
    return join_spelling(name, {**values, POSITION: text})


def placed(game: Game, pieces: Sequence[PlacedPiece]) -> tuple[Piece, ...]:
    """The pieces with their kinds, each on a cell of its own that is there."""
    board, usual = board_of(game), dict(reversed(kinds_of(game)))
    assert board is not None
    gone = {*board.missing, *board.forbidden}
    if any(one.cell in gone or one.cell >= board.cells for one in pieces):
        raise LuoziError("there is a stone on a cell that is not there")
    if len({one.cell for one in pieces}) < len(pieces):
        raise LuoziError("there are two stones on one cell")
    return tuple((one.cell, one.player, usual.get(one.player, "") if one.kind is None else one.kind) for one in pieces)


def mover_of(game: Game, pieces: Sequence[PlacedPiece]) -> int:
    """Who is to move where nobody says it: in line games by the number of stones, elsewhere the first player."""
    return len(pieces) % game.players if isinstance(game, Lines) else 0


def refuse_unplayed(game: Lines, position: Position) -> None:
    """One sentence about stones of a line game that can't all have been played: the rules look for wins by turns."""
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
    """The words of Go's spelling with these stones in place of others."""
    replaced = ("handicap", "handicap_at", "black", "white", "first")
    kept = {key: value for key, value in new_names(values, "go").items() if key not in replaced}
    for key, player in (("black", 0), ("white", 1)):
        points = [point_name(game.size, cell) for cell, owner, _ in sorted(setup.pieces) if owner == player]
        if points:
            kept[key] = ".".join(points)
    return kept
