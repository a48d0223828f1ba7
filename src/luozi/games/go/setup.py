"""Ways to a position that are no moves of a game: stones at the start, one colour twice, a past that is cut short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from luozi.games.go.points import point_name
from luozi.messages import LuoziError
from luozi.rules.state import State

if TYPE_CHECKING:
    from luozi.games.go.rules import Go

NOWHERE = -1


def refuse_stones(game: Go) -> None:
    """One sentence if stones at the start stand on each other or have no liberty."""
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
    """Let a player move, whoever's turn it is: one colour may play twice. A ko binds the other one only."""
    if state.to_move != player:
        state.to_move, state.ko = player, NOWHERE


def forget_moves(state: State, kept: int) -> None:
    """Count only the last moves against the longest game; superko goes on looking at the positions after them."""
    dropped = max(0, int(state.moves) - kept)
    for move in range(dropped, int(state.moves) + 1):
        state.history[move - dropped] = state.history[move]
    state.moves -= dropped
