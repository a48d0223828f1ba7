"""`person`: somebody at the keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from luozi.messages import LuoziError
from luozi.move_names import read_move
from luozi.players.base import Player
from luozi.rules import Game


class Person(Player):
    """Somebody who types moves."""

    spelling = "person"

    def __init__(self, game: Game, ask: Callable[[str], str] = input, tell: Callable[[str], None] = print) -> None:
        super().__init__(game)
        self.ask, self.tell = ask, tell

    def choose(self, state: Any) -> int:
        """Ask until the answer is a legal move. The terminal asks in its own way, with commands beside moves."""
        sign = self.game.player_name(self.game.current_player(state))
        while True:
            try:
                return read_move(self.game, state, self.ask(f"{sign}> "))
            except LuoziError as error:
                self.tell(error.message)
