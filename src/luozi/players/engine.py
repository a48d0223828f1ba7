"""`mcts`: Monte-Carlo tree search, with all options of `luozi.search.Options`."""

from __future__ import annotations

from typing import Any

from luozi.players.base import Player
from luozi.rules import Game
from luozi.search import Engine, Options


class EnginePlayer(Player):
    """Monte-Carlo tree search."""

    def __init__(self, game: Game, options: Options) -> None:
        super().__init__(game)
        self.serves_all_seats = options.one_tree
        self.engine = Engine(game, options)

    def choose(self, state: Any) -> int:
        self.thought = self.engine.think(state)
        return self.thought.action

    def observe(self, state: Any, action: int) -> None:
        self.engine.advance(action)

    def new_game(self) -> None:
        self.engine.clear()

    def stop(self) -> None:
        self.engine.stop()

    def prepare(self) -> None:
        self.engine.compile()
