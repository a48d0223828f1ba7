"""What all thinkers of a server share: threads and memory, what is compiled already, how many programs may run."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from luozi.compiled.cache import kernels_in_memory
from luozi.messages import LuoziError, Message, warn_once
from luozi.rules.game import Game
from luozi.search import Options
from luozi.search.engine_pool import EnginePool
from luozi.search.readiness import CompileSettings
from luozi.search.ready_engine import ReadyEngine, spelling_of
from luozi.web.limits import ServerLimits
from luozi.web.shares import CLIENT

if TYPE_CHECKING:
    from luozi.web.cluster_search import ClusterMachines

KEPT = 200  # searches of which it is remembered that they are compiled


class Resources:
    """What all thinkers of a server share."""

    def __init__(self, threads: int, megabytes: float, limits: ServerLimits) -> None:
        self.limits = limits
        self.workers = EnginePool(threads, megabytes, limits.engines)
        self._turns = EnginePool(1, 1, 1)  # to compile: one thing after another, and clients take turns
        self._known: OrderedDict[tuple[str, str], ReadyEngine] = OrderedDict()
        self._lock = threading.Lock()
        self._programs = 0
        self.make_program_room: Callable[[Callable[[], bool]], None] | None = None  # as of `workers`
        self.brains: ClusterMachines | None = None  # of a cluster, where searches think then
        self.one_at_a_time = threading.Lock()  # of those who put what they thought into words
        # Players without a tree keep their core until they move: of one owner as many as there are, and as many again.
        self.cores = EnginePool(2 * threads, 1, 1, each=threads)

    def readiness(self, game: Game, options: Options) -> ReadyEngine:
        """A search of this kind, whose engine is the caller's own; it begins to be compiled if it is not."""
        key = (game.spelling, spelling_of(options))
        with self._lock:
            known = self._known.get(key)
        made = known or ReadyEngine.of(game, options, self.compiling(), self.workers)  # may take a moment
        with self._lock:
            if key not in self._known:
                self._known[key] = made
                made.start()
            self._known.move_to_end(key)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)[1].close()
            return self._known[key].for_game(game)

    def compiling(self) -> CompileSettings:
        """How to compile for the client at hand: clients take turns."""
        return CompileSettings(turn=partial(self._turns.turn, 1, owner=CLIENT.get()), has_room=self.has_room)

    def has_room(self) -> bool:
        """Whether more may be compiled: what is, stays in memory as long as the server runs."""
        if kernels_in_memory() < self.limits.kernels:
            return True
        warn_once(
            "kernels",
            Message(
                "{count} compiled functions are in memory, as many as there may be: games and players that need "
                "others play uncompiled; start the server again to make room",
                count=self.limits.kernels,
            ),
        )
        return False

    def take_program(self) -> None:
        """Room for one more outside program; one sentence if there is none."""
        if self.make_program_room is not None:
            self.make_program_room(lambda: self._programs < self.limits.programs)
        with self._lock:
            if self._programs >= self.limits.programs:
                raise LuoziError(
                    "{count} outside programs are running already: wait until a game is over", count=self._programs
                )
            self._programs += 1

    def give_program(self) -> None:
        """An outside program has ended."""
        with self._lock:
            self._programs -= 1

    def close(self) -> None:
        """Nobody thinks any more."""
        with self._lock:
            for one in self._known.values():
                one.close()
            self._known.clear()
        if self.brains is not None:
            self.brains.close()
