"""Positions that somebody sets up, as a game and the moves that lead there: so records and restarts know them.

In line games stones never move, so that any order of them leads to the position; in Go stones are part of the game's
spelling, and so is the position of any other game that can be given one (`luozi.rules.text_position`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from luozi.games.go.points import point_name
from luozi.games.go.rules import Go
from luozi.games.lines.rules import Lines
from luozi.messages import LuoziError
from luozi.rules.board import board_of
from luozi.rules.game import Game
from luozi.rules.state import State
from luozi.rules.text_position import KEY as POSITION
from luozi.rules.text_position import Kind, can_be_given, kinds_of, position_text
from luozi.util.parameters import join_spelling, split_spelling

MOST_TRIES = 200_000
MOST_LAID = 3_000  # looks at where a stone that does not fall may lie
MOST_FALLEN = 300  # stones of a board with gravity, of which an order is looked for


class EditedPosition(NamedTuple):
    """A game and the moves that were played."""

    game: str
    moves: list[int]


def can_set_up(game: Game) -> bool:
    """Whether positions of a game can be set up by stones."""
    return isinstance(game, (Lines, Go)) or can_be_given(game)


def kinds_to_put(game: Game) -> list[Kind]:
    """The pieces that an editor offers; none where nothing can be set up."""
    if isinstance(game, (Lines, Go)):
        return [(player, "") for player in range(game.players)]
    return kinds_of(game) if can_be_given(game) else []


def set_up(game: Game, spelling: str, pieces: Sequence[Sequence[Any]], to_move: int | None) -> EditedPosition:
    """The position with these pieces, each a cell and a player, and a kind where there are several.

    >>> import luozi
    >>> set_up(luozi.game("tictactoe"), "tictactoe", [(4, 0), (0, 1)], None)
    EditedPosition(game='tictactoe', moves=[4, 0])
    >>> set_up(luozi.game("hex:size=2"), "hex:size=2", [(0, 0), (3, 0)], 1)
    EditedPosition(game='hex:size=2,position=X1/1X.O', moves=[])
    """
    cells = [one[0] for one in pieces]
    if len(set(cells)) < len(cells):
        raise LuoziError("there are two stones on one cell")
    if any(player >= game.players for player in (*(one[1] for one in pieces), to_move or 0)):
        raise LuoziError("players are 0 to {most}", most=game.players - 1)
    if not can_set_up(game):
        raise LuoziError("{game} can't be given a position: play or paste the moves that lead there", game=spelling)
    if can_be_given(game):
        return EditedPosition(with_position(game, spelling, pieces, to_move or 0), [])
    stones = [(one[0], one[1]) for one in pieces]
    if any(player < 0 for _, player in stones):
        raise LuoziError("players are 0 to {most}", most=game.players - 1)
    if isinstance(game, Go):
        return set_up_go(game, spelling, stones, to_move)
    assert isinstance(game, Lines)
    return EditedPosition(spelling, lines_moves(game, stones, to_move))


def with_position(game: Game, spelling: str, pieces: Sequence[Sequence[Any]], to_move: int) -> str:
    """The spelling of a game that begins with these pieces."""
    board, usual = board_of(game), dict(reversed(kinds_of(game)))
    gone = {*board.missing, *board.forbidden} if board is not None else set()
    if board is None or any(one[0] in gone or one[0] >= board.cells for one in pieces):
        raise LuoziError("there is a stone on a cell that is not there")
    whole = [(one[0], one[1], one[2] if len(one) > 2 else usual.get(one[1], "")) for one in pieces]
    name, values = split_spelling(spelling)
    return join_spelling(name, {**values, POSITION: position_text(game, whole, to_move)})


def set_up_go(game: Go, spelling: str, pieces: Sequence[tuple[int, int]], to_move: int | None) -> EditedPosition:
    """Go: stones are part of the spelling."""
    name, values = split_spelling(spelling)
    if any(cell >= game.points for cell, _ in pieces):
        raise LuoziError("there is a stone beside the board")
    for key in ("handicap", "placed", "black", "white", "first"):
        values.pop(key, None)
    for key, player in (("black", 0), ("white", 1)):
        points = [point_name(game.size, cell) for cell, owner in sorted(pieces) if owner == player]
        if points:
            values[key] = ".".join(points)
    if to_move is not None:
        values["first"] = ("black", "white")[to_move] if to_move < 2 else ""
    return EditedPosition(join_spelling(name, values), [])


def lines_moves(game: Lines, pieces: Sequence[tuple[int, int]], to_move: int | None) -> list[int]:
    """An order in which the stones of a line game can have been played."""
    counts = [sum(owner == player for _, owner in pieces) for player in range(game.players)]
    first, total = 0, len(pieces)
    expected = [(total - player + game.players - 1) // game.players for player in range(game.players)]
    turn = (first + total) % game.players
    if counts != expected or (to_move is not None and to_move != turn):
        signs = ", ".join(f"{game.player_name(player)} {count}" for player, count in enumerate(counts))
        raise LuoziError("players move in turn, so these stones can't all have been played: {signs}", signs=signs)
    if any(cell >= game.cells or game.closed[cell] for cell, _ in pieces):
        raise LuoziError("there is a stone on a cell that is not there")
    search = _Order(game, dict(pieces))
    if not (search.find(game.new_state()) if game.gravity and total <= MOST_FALLEN else search.lay(game.new_state())):
        raise LuoziError(
            "these stones can't have been played: a stone has nothing below it, or the game was over before"
        )
    return search.moves


class _Order:
    """An order in which stones can have been played; where they fall it is looked for, depth first."""

    def __init__(self, game: Lines, owners: dict[int, int]) -> None:
        self.game, self.owners, self.tries = game, owners, 0
        self.moves: list[int] = []
        self.left = set(owners)
        self.dead: set[frozenset[int]] = set()  # stones that can't be the last ones

    def lay(self, state: State) -> bool:
        """Stones that do not fall: one is as good as another, unless it ends the game."""
        game = self.game
        while self.left:
            player = game.player_to_move(state)
            own = sorted(cell for cell in self.left if self.owners[cell] == player and game.allows(state, cell))
            safe = (cell for cell in own if not self._ends(state, cell))
            cell = next(safe, own[0] if own and len(self.left) == 1 else -1)
            if cell < 0 or self.tries > MOST_LAID:
                return False
            state = game.after(state, cell)
            self.left.discard(cell)
            self.moves.append(cell)
        return True

    def _ends(self, state: State, cell: int) -> bool:
        """Whether a stone would end the game; what is looked at for too long counts as an end."""
        self.tries += 1
        return self.tries > MOST_LAID or bool(self.game.is_terminal(self.game.after(state, cell)))

    def find(self, state: State) -> bool:
        """Whether the stones that are left can fall from here."""
        if not self.left:
            return True
        game, key = self.game, frozenset(self.left)
        if key in self.dead or game.is_terminal(state):
            return False
        player = game.player_to_move(state)
        for action in game.legal_list(state):
            cell = int(state.landing[action])
            self.tries += 1
            if cell not in self.left or self.owners[cell] != player:
                continue
            if self.tries > MOST_TRIES:
                return False
            self.left.discard(cell)
            self.moves.append(action)
            if self.find(game.after(state, action)):
                return True
            self.moves.pop()
            self.left.add(cell)
        self.dead.add(key)
        return False
