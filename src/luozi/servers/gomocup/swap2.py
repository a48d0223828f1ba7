"""The Swap2 opening by win rates: three stones that suit both sides, and which side to take.

The first player places black, white, black. The second takes white and moves, or takes black, or places a white and a
black stone more and leaves the choice to the first. White is to move after three stones and after five.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from luozi.rules.state import State
from luozi.servers.gomocup.position import GomocupGame

TRIES = 16  # openings that are looked at
ROUNDS = 2  # each with as much time as the other; after a round a quarter of them is left
REACH = 4  # stones are placed at most so far from the middle of the board, or of the stones there are
EVEN = 0.02  # win rates that are this near to one half do not tell which side is better

WinRate = Callable[[State, float], float]  # of the side to move in a position, after thinking for a share of the time


def balanced_opening(position: GomocupGame, count: int, win_rate: WinRate, seed: int) -> list[int]:
    """The cells of so many more stones after which both sides stand about as well."""
    chance = random.Random(seed)
    near = cells_near(position)
    left = [chance.sample(near, count) for _ in range(TRIES)]
    for _ in range(ROUNDS):
        share = 1 / ROUNDS / len(left)
        unfair = [abs(win_rate(after(position, cells), share) - 0.5) for cells in left]
        order = sorted(range(len(left)), key=unfair.__getitem__)
        left = [left[index] for index in order[: max(1, len(left) // 4)]]
    return left[0]


def after(position: GomocupGame, cells: list[int]) -> State:
    """The record after some more stones, of both sides in turn."""
    following = GomocupGame(position.game, position.continuous, position.history)
    for cell in cells:
        following.play(cell)
    return following.state


def cells_near(position: GomocupGame) -> list[int]:
    """The empty cells in the middle of the board, or around the stones there are; all of them on a small board."""
    game = position.game
    stones = [divmod(cell, game.columns) for cell in position.owners] or [(game.rows // 2, game.columns // 2)]
    middle_row = sum(row for row, _ in stones) / len(stones)
    middle_column = sum(column for _, column in stones) / len(stones)
    empty = [cell for cell in range(game.cells) if cell not in position.owners]
    near = [
        cell
        for cell in empty
        if max(abs(cell // game.columns - middle_row), abs(cell % game.columns - middle_column)) <= REACH
    ]
    return near if len(near) >= 2 * REACH else empty
