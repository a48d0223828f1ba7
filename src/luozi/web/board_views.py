"""What a page is shown of a position: the board's description, and the position as plain data."""

from __future__ import annotations

from typing import Any

from luozi.rules.board import board_of, view
from luozi.rules.game import Game
from luozi.rules.state import State


def board_data(game: Game) -> dict[str, Any] | None:
    """A game's board as plain data; None for a class that describes none."""
    board = board_of(game)
    return None if board is None else board.as_dict()


def clicks_of(game: Game, state: State, action: int) -> list[int]:
    """The cells of a move."""
    return [int(cell) for cell in game.clicks(state, action)] if board_of(game) is not None else []


__all__ = ["board_data", "clicks_of", "view"]
