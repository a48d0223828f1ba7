"""Changes of a position that are not moves: stones at the start, one colour twice, a shortened history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from luozi.games.go.points import point_name
from luozi.messages import LuoziError
from luozi.rules.state import State

if TYPE_CHECKING:
    from luozi.games.go.rules import Go

NOWHERE = -1


def refuse_stones(game: Go) -> None:
    """Check the stones at the start.

    Raises:
        LuoziError: two are on one point, or one has no liberty.
    """
    placed = [*game.handicap_stones, *game.white_stones]
    doubled = next((point for point in placed if placed.count(point) > 1), None)
    if doubled is not None:
        raise LuoziError("go: two stones stand at {point}; name each point once", point=point_name(game.size, doubled))
    state = game.new_state()
    for point in placed:
        if state.board[point] == 0 or state.liberties[state.chain[point]] == 0:
            raise LuoziError(
                "go: the stone at {point} has no liberty; leave it out", point=point_name(game.size, point)
            )


def give_turn(state: State, player: int) -> None:
    """Set the player to move; one colour may move twice. A ko restricts only the other colour."""
    if state.to_move != player:
        state.to_move, state.ko = player, NOWHERE


def forget_moves(state: State, kept: int) -> None:
    """Count only the last `kept` moves towards the maximum length. Superko keeps the positions after them."""
    dropped = max(0, int(state.moves) - kept)
    for move in range(dropped, int(state.moves) + 1):
        state.history[move - dropped] = state.history[move]
    state.moves -= dropped
