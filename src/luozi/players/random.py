"""`random`: any legal move, each as likely as the others."""

from __future__ import annotations

import secrets

from luozi.compiled import new_rng, random_below
from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits
from luozi.players.answer import legal_or_error
from luozi.players.base import Player
from luozi.rules.game import Game, State
from luozi.rules.position import Position


class RandomPlayer(Player):
    """Plays any legal move."""

    def __init__(self, game: Game, seed: int | None = None) -> None:
        super().__init__(game)
        self.seed = secrets.randbits(32) if seed is None else seed
        self._begin_game()

    def _begin_game(self) -> None:
        self.rng = new_rng(self.seed)

    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        legal = legal_or_error(self._follow(position))
        return legal[random_below(self.rng, len(legal))]
