"""Playouts of games that use each cell once: free cells are drawn from a bag, so that no draw is rejected."""

from __future__ import annotations

from typing import Any

from luozi.compiled import Array, random_below
from luozi.rules.playout import Playout
from luozi.rules.state import Actions, State


class Bag(Playout):
    """Random moves, drawn without replacement from a bag of the free cells."""

    def __init__(self, capacity: int) -> None:
        self.fields = [
            ("left", "i2"),  # number of cells in the bag
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
        """Take a random cell out of the bag."""
        place = random_below(rng, memory.left)
        memory.left -= 1
        action = int(memory.bag[place])
        memory.bag[place] = memory.bag[memory.left]
        return action
