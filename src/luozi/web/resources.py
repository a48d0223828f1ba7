"""What all players of a server share: threads, memory, compiled searches and places for external programs."""

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

MOST_KNOWN = 200  # searches whose compilation is remembered


class Resources:
    """Threads, memory and compiled searches of one server."""

    def __init__(self, threads: int, megabytes: float, limits: ServerLimits) -> None:
        self.limits = limits
        self.pool = EnginePool(threads, megabytes, limits.engines)
        self.machines: ClusterMachines | None = None  # of a cluster, which searches then
        self.one_at_a_time = threading.Lock()  # for writing search results as data
        # Players without a tree keep their core until they move: one owner gets as many as there are, all together
        # twice as many.
        self.cores = EnginePool(2 * threads, 1, 1, each=threads)
        self.make_program_room: Callable[[Callable[[], bool]], None] | None = None  # as `pool.make_room`
        self._turns = EnginePool(1, 1, 1)  # to compile: one search after another, and clients take turns
        self._known: OrderedDict[tuple[str, str], ReadyEngine] = OrderedDict()
        self._lock = threading.Lock()
        self._programs = 0

    def readiness(self, game: Game, options: Options) -> ReadyEngine:
        """Return a search of this kind with an engine of its own; begin to compile it if it is not compiled."""
        key = (game.spelling, spelling_of(options))
        with self._lock:
            known = self._known.get(key)
        made = known or ReadyEngine.of(game, options, self.compiling(), self.pool)  # takes long: not under the lock
        with self._lock:
            if key not in self._known:
                self._known[key] = made
                made.start()
            self._known.move_to_end(key)
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)[1].close()
            return self._known[key].for_game(game)

    def compiling(self) -> CompileSettings:
        """Return how to compile for the current client: clients take turns."""
        return CompileSettings(turn=partial(self._turns.turn, 1, owner=CLIENT.get()), has_room=self.has_room)

    def has_room(self) -> bool:
        """Return whether more may be compiled: compiled functions stay in memory until the server ends."""
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
        """Reserve a place for an external program; raise LuoziError if there is none."""
        if self.make_program_room is not None:
            self.make_program_room(lambda: self._programs < self.limits.programs)
        with self._lock:
            if self._programs >= self.limits.programs:
                raise LuoziError(
                    "{count} external programs are running already: wait until a game is over", count=self._programs
                )
            self._programs += 1

    def give_program(self) -> None:
        """Return the place of an external program."""
        with self._lock:
            self._programs -= 1

    def close(self) -> None:
        """Stop compiling and leave the cluster."""
        with self._lock:
            for one in self._known.values():
                one.close()
            self._known.clear()
        if self.machines is not None:
            self.machines.close()
