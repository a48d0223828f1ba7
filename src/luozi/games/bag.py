"""Random games in which each place is used once: a bag of the free cells, and nothing is drawn in vain."""

from __future__ import annotations

from typing import Any

from luozi.compiled import Array, random_below
from luozi.rules.playout import Playout
from luozi.rules.state import Actions, State


class Bag(Playout):
    """Random moves, drawn from a bag of the cells that the game calls free: each draw takes one out."""

    def __init__(self, capacity: int) -> None:
        self.fields = [
            ("left", "i2"),  # how many cells are in the bag
            ("bag", "u2", capacity),
        ]

    def begin(self, game: Any, state: State, memory: State) -> None:
        self.fill(game, state, memory)

    def fill(self, game: Any, state: State, memory: State) -> None:
        """Put all free cells into the bag."""
        left = 0
        for cell in range(game.cells):
            memory.bag[left] = cell
            left += game.is_free(state, cell)
        memory.left = left

    def next(self, game: Any, state: State, memory: State, rng: Array, actions: Actions) -> int:
        return self.draw(memory, rng)

    def draw(self, memory: State, rng: Array) -> int:
        """Take a cell out of the bag."""
        place = random_below(rng, memory.left)
        memory.left -= 1
        action = int(memory.bag[place])
        memory.bag[place] = memory.bag[memory.left]
        return action
