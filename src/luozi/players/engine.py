"""`mcts`: Monte-Carlo tree search, with all options of `luozi.search.Options`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from luozi.players.base import Player
from luozi.rules import Game
from luozi.search import Engine, Options

BY_STAND_IN = "by plain UCT: the full search is still being compiled"


def is_plain(options: Options) -> bool:
    """Whether options search by plain UCT, which is compiled soonest.

    >>> is_plain(Options(c=0.7)), is_plain(Options(take_wins=True))
    (True, False)
    """
    return options.is_plain and not options.fours and not options.solve


class EnginePlayer(Player):
    """Monte-Carlo tree search."""

    stand_in: Engine | None = None  # moves as long as the engine itself is being compiled

    def __init__(self, game: Game, options: Options) -> None:
        super().__init__(game)
        self.serves_all_seats = options.one_tree
        self.engine = Engine(game, options)
        self._thinking = self.engine

    @property
    def threads(self) -> int:
        """How many threads search."""
        return self.engine.options.threads

    def choose(self, state: Any) -> int:
        self._thinking = self.stand_in or self.engine
        self.remark = "" if self._thinking is self.engine else BY_STAND_IN
        self.thought = self._thinking.think(state)
        return self.thought.action

    def observe(self, state: Any, action: int) -> None:
        for engine in (self.engine, self.stand_in):
            if engine is not None:
                engine.advance(action)

    def take_back(self, states: Sequence[Any], actions: Sequence[int]) -> None:
        self.engine.take_back(states[-1])

    def new_game(self) -> None:
        for engine in (self.engine, self.stand_in):
            if engine is not None:
                engine.clear()

    def stop(self) -> None:
        self._thinking.stop()

    def prepare(self) -> None:
        self.engine.compile()
