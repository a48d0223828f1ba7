"""Any game for the exact solver: the memory that the compiled search, depth first, works in."""

from __future__ import annotations

from typing import Any

import numpy as np

from luozi.compiled import Array
from luozi.games.lines.rules import Lines
from luozi.rules import Game
from luozi.running import kernel_for
from luozi.solvers.depth_first import BEST, FRAME_SIZE, NOTE_BITS, RESULTS, TIED, WINDOW_SIZE, Proof, prove
from luozi.solvers.stack import new_stack
from luozi.solvers.table import new_table


class GeneralSearch:
    """A game, a stack and a table that is kept from position to position."""

    brief = -1  # a few positions can take long already where the rules are plain Python: always with a clock

    def __init__(self, game: Game, millions: int, compiled: bool) -> None:
        self.game, self.millions = game, millions
        self.alone = game.is_rivalry
        self.cuts = game.players == 2 and self.alone
        self.proof = new_proof(game)
        self.forget()
        self._prove = kernel_for(game, prove, compiled)

    def forget(self) -> None:
        """Start with an empty table."""
        place_bits = (self.millions << 20).bit_length() - 1
        self.table = new_table(place_bits, NOTE_BITS, RESULTS + self.game.players)

    def begin(self, state: Any) -> None:
        """Take a position up."""
        self.proof.stack.states[0] = state
        self.proof.rank[:] = search_order(self.game) if self.cuts else np.arange(self.game.actions)

    def work(self, progress: Array, limit: int) -> None:
        """Solve it."""
        self._prove(self.game, self.proof, self.table, progress, limit, self.cuts, self.alone)

    def give_up_cuts(self) -> None:
        """Results do not add up to 1: alpha-beta would be wrong."""
        self.cuts, self.alone = False, False
        self.table.words[:] = 0

    def values(self) -> tuple[float, ...]:
        """The result of each player."""
        return tuple(self.proof.results[0].tolist())

    def certain(self) -> bool:
        """Whether these do not depend on how ties are broken."""
        return not self.proof.stack.frames[0, TIED]

    def best(self) -> int:
        """A move that reaches these; -1 if the game is over."""
        return int(self.proof.stack.frames[0, BEST])


def new_proof(game: Game) -> Proof:
    """Room for one line of play."""
    size = game.length_limit + 2
    return Proof(
        stack=new_stack(game, size, FRAME_SIZE),
        results=np.zeros((size, game.players), np.float64),
        windows=np.zeros((size, WINDOW_SIZE), np.float64),
        legal=np.zeros(game.actions, np.int32),
        rank=np.zeros(game.actions, np.int32),
    )


def search_order(game: Game) -> Array:
    """The rank of each action: in line games those with the most winning segments first, else the natural order."""
    rank = np.arange(game.actions)
    if isinstance(game, Lines):
        weights = np.diff(game.first_segment.astype(np.int64))
        weights = weights[game.bottom] if game.gravity else weights
        rank[np.argsort(-weights, kind="stable")] = np.arange(game.actions)
    return rank
