"""`person`: somebody at the keyboard."""

from __future__ import annotations

from collections.abc import Callable

from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits
from luozi.messages import LuoziError
from luozi.players.base import Player
from luozi.rules.game import Game, State
from luozi.rules.move_names import read_move
from luozi.rules.position import Position


class Person(Player):
    """Somebody who types moves."""

    spelling = "person"
    moves_at_once = False

    def __init__(self, game: Game, ask: Callable[[str], str] = input, tell: Callable[[str], None] = print) -> None:
        super().__init__(game)
        self.ask, self.tell = ask, tell

    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        """Ask until the answer is a legal move. The terminal asks in its own way, with commands beside moves."""
        position = self._follow(position)
        sign = self.game.player_name(position.to_move)
        while True:
            try:
                return read_move(self.game, position.state, self.ask(f"{sign}> "))
            except LuoziError as error:
                self.tell(error.message)
