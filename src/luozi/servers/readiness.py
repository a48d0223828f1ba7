"""Engines for a game that get ready in the background: at once one that is not compiled, then plain UCT, then all.

Where a network that is not compiled plays better than plain UCT (`by_network`), it plays until all is ready.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from luozi.players.engine import is_plain
from luozi.players.preparing import (
    Preparation,
    Stage,
    by_network,
    kind_of,
    plain_options,
    plain_stage,
    slow_options,
    small_engine,
)
from luozi.rules.game import Game
from luozi.search import Engine, Options
from luozi.search.engine_pool import EnginePool
from luozi.servers.background import spelled

SLOW, PLAIN, FULL = 0, 1, 2
READY_SECONDS = 0.5  # what is compiled already is loaded in this time, or the first answer is a slow one


class Readiness:
    """What can search a game now. `engine` is always there; ask again after each move, for a better one."""

    def __init__(
        self,
        game: Game,
        options: Options,
        workers: EnginePool | None = None,
        turn: AbstractContextManager[Any] | None = None,
        has_room: Callable[[], bool] = lambda: True,
    ) -> None:
        if workers is not None:
            options = workers.options_for(options, game)
        self.game, self.options, self.workers = game, options, workers
        self._plain = plain_stage(game, lambda: None)
        kind = kind_of(small_engine(game, options))
        self._full = Stage(spelled(options), kind, lambda: small_engine(game, options).compile())
        needless = (is_plain(options) and options.threads == 1) or by_network(game, options)
        first = None if needless else self._plain
        self.preparation = Preparation(game.spelling, [self._full], first, turn=turn, has_room=has_room)
        self.preparation.known.wait(READY_SECONDS)
        self._stage: int = -1
        self._engine: Engine | None = None

    @property
    def stage(self) -> int:
        """How much is ready."""
        if self._full.done.is_set():
            return FULL
        return PLAIN if self._plain.done.is_set() else SLOW

    @property
    def engine_stage(self) -> int:
        """How much of the engine in use is compiled; -1 before there is one."""
        return self._stage

    @property
    def has_better(self) -> bool:
        """Whether `engine` would be another one now."""
        return self.stage > self._stage

    @property
    def engine_in_use(self) -> Engine | None:
        """The engine that answered last, if any has."""
        return self._engine

    @property
    def engine(self) -> Engine:
        """The best that can answer now."""
        stage = self.stage
        if self._engine is None or stage > self._stage:
            self._stage, self._engine = stage, self._new_engine(stage)
        return self._engine

    def _new_engine(self, stage: int) -> Engine:
        if stage == FULL:
            return Engine(self.game, self.options, workers=self.workers)
        options = plain_options(self.options) if stage == PLAIN else slow_options(self.game, self.options)
        if self.workers is not None and options.seed is None:  # with a seed it has one thread, as it was compiled for
            options = replace(options, seed=secrets.randbits(32))
        return Engine(self.game, options, compiled=stage == PLAIN, workers=self.workers)

    def small(self) -> Engine | None:
        """An engine that tells whose the points are, for questions beside the game, if the full search is ready."""
        return small_engine(self.game, self.options) if self.stage == FULL and self.options.ownership else None

    def for_game(self, game: Game) -> Readiness:
        """The same for a game that differs in numbers only: what is compiled for one is compiled for the other."""
        other = object.__new__(Readiness)
        vars(other).update(vars(self))
        other.game, other._stage, other._engine = game, -1, None
        return other

    def close(self) -> None:
        """Nobody waits for it any more."""
        self.preparation.close()
