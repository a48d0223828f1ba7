"""The two players that need no search: `random`, and a person at the keyboard."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from luozi.compiled import new_rng, random_below
from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits
from luozi.messages import LuoziError
from luozi.players.answer import legal_or_error
from luozi.players.base import Player, Seed
from luozi.rules.game import Game, State
from luozi.rules.move_names import read_move
from luozi.rules.position import Position


class RandomPlayer(Player):
    """A random legal move, each with the same probability."""

    def __init__(self, game: Game, seed: Seed = None) -> None:
        super().__init__(game)
        self.seed = secrets.randbits(32) if seed is None else seed
        self._begin_game()

    def _begin_game(self) -> None:
        self.rng = new_rng(self.seed)

    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        legal = legal_or_error(self._follow(position))
        return legal[random_below(self.rng, len(legal))]


class Person(Player):
    """A person who types moves."""

    spelling = "person"
    moves_at_once = False

    def __init__(self, game: Game, ask: Callable[[str], str] = input, tell: Callable[[str], None] = print) -> None:
        super().__init__(game)
        self.ask, self.tell = ask, tell

    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        """Ask until the answer is a legal move. `luozi play` asks in its own way, with commands beside moves."""
        position = self._follow(position)
        sign = self.game.player_name(position.to_move)
        while True:
            try:
                return read_move(self.game, position.state, self.ask(f"{sign}> "))
            except LuoziError as error:
                self.tell(error.message)
