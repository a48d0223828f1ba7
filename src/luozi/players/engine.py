"""`mcts`: Monte-Carlo tree search, with all options of `luozi.search.Options`."""

from __future__ import annotations

from collections import Counter

from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits
from luozi.players.base import Player, ResignationError
from luozi.players.resignation import gives_up
from luozi.rules.game import Game, State
from luozi.rules.position import Position
from luozi.search import Engine, Options
from luozi.search.ready_engine import REMARKS, ReadyEngine


class EnginePlayer(Player):
    """Monte-Carlo tree search."""

    ready: ReadyEngine | None = None  # where another may move as long as the engine itself is being compiled

    def __init__(self, game: Game, options: Options) -> None:
        super().__init__(game)
        self.serves_all_seats = options.self_play_tree
        self.engine = Engine(game, options)
        self._least = options.resign_threshold
        self._hopeless: Counter[int] = Counter()  # moves without hope, in a row, of every player that it plays for

    @property
    def threads(self) -> int:
        """How many threads search."""
        return self.engine.options.threads

    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        position = self._follow(position)
        engine = self.engine if self.ready is None else self.ready.best(self.ready.least)
        self.remark = "" if self.ready is None else REMARKS[self.ready.engine_stage]
        self.thought = engine.think(position, limits, cancel)
        if self._least and engine is self.engine and gives_up(self._hopeless, self.thought, self._least):
            raise ResignationError("resigned")
        return self.thought.action

    def _begin_game(self) -> None:
        self._hopeless.clear()

    def _go_back(self) -> None:
        self._hopeless.clear()

    def prepare(self) -> None:
        self.engine.compile()
