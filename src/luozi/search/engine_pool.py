"""One set of threads and one memory for all engines of a server.

Searches take turns in short time slices, in the order in which they came. The threads are divided evenly among the
waiting searches, so that a single search uses all of them. Slices are distributed first by owner, then by search: an
owner with many searches does not slow down an owner with one.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from luozi.limits import NEVER, Cancel, calling_at
from luozi.messages import LuoziError
from luozi.rules.game import Game
from luozi.search.option_requirements import refuse_missing
from luozi.search.options import Options
from luozi.search.tree.pool import LOCK_BYTES

STRETCH_SECONDS = 0.05  # how long a search has its threads before others get a turn
FIRST_SECONDS = 0.01  # the first time, which everybody gets, however late: nobody's move is left to chance
MOST_OWNERS = 1_000  # that are remembered
LEAST_POOL = 0.5  # of an engine's memory: what is beside its pool takes the rest
ROUNDING = 0.01  # megabytes: engines that have their shares take no more than all of it


def room_beside(options: Options, beside: int) -> Options:
    """Return options whose pool leaves room for so many bytes beside it, if these are not most of the memory.

    >>> [round(room_beside(Options(max_memory_mb=4.0), bytes).max_memory_mb, 2) for bytes in (1_000_000, 9_000_000)]
    [2.74, 2.0]
    """
    megabytes = options.max_memory_mb - (beside + LOCK_BYTES) / 1e6
    return replace(options, max_memory_mb=max(LEAST_POOL * options.max_memory_mb, megabytes))


class Waiter(NamedTuple):
    """A search that waits for a turn."""

    called: threading.Event
    owner: str


class EnginePool:
    """So many threads, and so many megabytes for the trees of so many engines at most.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> workers = EnginePool(threads=2, megabytes=100, engines=50)
    >>> engine = luozi.Engine(game, seed=1, workers=workers)
    >>> engine.options.max_memory_mb, engine.think(game.new_state(), iterations=2000).name
    (2.0, 'b2')

    `each` is how many turns one owner may have at once.
    """

    def __init__(self, threads: int, megabytes: float, engines: int, each: int | None = None) -> None:
        if min(threads, megabytes, engines) <= 0:
            raise LuoziError("workers need a thread, a megabyte and an engine at least")
        self.threads, self.megabytes, self.engines = threads, megabytes, engines
        self.each = threads if each is None else each
        self._free = threads
        self._waiting: list[Waiter] = []  # in the order in which they came
        self._searching = 0
        self._busy: Counter[str] = Counter()  # turns that owners have now
        self._served: OrderedDict[str, None] = OrderedDict()  # owners, who had a turn last at the end
        self._members: weakref.WeakKeyDictionary[Any, float] = weakref.WeakKeyDictionary()  # and their megabytes
        self._lock = threading.Lock()
        self.make_room: Callable[[Callable[[], bool]], None] | None = None  # asks others to leave

    def __repr__(self) -> str:
        """The threads, the memory and the engines that have a part of it."""
        return f"<Workers: {self.threads} threads, {self.used} of {self.engines} engines, {self.megabytes:g} MB>"

    @property
    def share(self) -> float:
        """Return the megabytes that one engine may have."""
        return self.megabytes / self.engines

    @property
    def used(self) -> int:
        """Return how many engines there are now."""
        return len(self._members)

    @property
    def taken(self) -> float:
        """Return the megabytes that all of them may take together."""
        return sum(list(self._members.values()))

    @property
    def crowding(self) -> float:
        """Return how much of what there is for engines is in use, from 0 to 1."""
        return max(self.used / self.engines, self.taken / self.megabytes)

    def share_of(self, engine: Any) -> float:
        """Return how much of what there is for engines one of them takes, from 0 to 1."""
        return max(1 / self.engines, self._members.get(engine, 0.0) / self.megabytes)

    def has_room(self, megabytes: float) -> bool:
        """Return whether there is room for one more engine of so many megabytes."""
        return len(self._members) < self.engines and self.taken + megabytes <= self.megabytes + ROUNDING

    def options_for(self, options: Options, game: Game) -> Options:
        """Return an engine's options, with its share of the memory, and all threads unless something asks for fewer."""
        if options.parallel != "tree":
            raise LuoziError(
                "parallel={parallel} needs its threads for itself, and engines share them here",
                parallel=options.parallel,
            )
        memory = min(options.max_memory_mb or self.share, self.share)
        options = replace(options, max_memory_mb=memory, threads=min(options.threads, self.threads))
        if options.threads > 1 or options.seed is not None:
            return options
        try:
            shared = replace(options, threads=self.threads)
            refuse_missing(game, shared)
        except LuoziError:
            return options
        return shared

    def admit(self, engine: Any, megabytes: float | None = None) -> None:
        """An engine is one of those that share, with so much memory at most, or its share of it; it leaves when nobody
        uses it any more. So does whatever else has a table: an exact player, say.
        """
        wanted = self.share if megabytes is None else megabytes
        if self.make_room is not None:
            self.make_room(lambda: self.has_room(wanted))
        with self._lock:
            if len(self._members) >= self.engines:
                raise LuoziError("all {count} engines are in use: wait until a game is over", count=self.engines)
            if not self.has_room(wanted):
                raise LuoziError(
                    "{wanted} MB more are needed, and the engines in use may take {taken} of {all} MB: wait until a "
                    "game is over, or start the server with more --max-memory-mb",
                    wanted=f"{wanted:,.0f}",
                    taken=f"{self.taken:,.0f}",
                    all=f"{self.megabytes:,.0f}",
                )
            self._members[engine] = wanted

    @contextmanager
    def turn(self, wanted: int, cancel: Cancel = NEVER, end: float | None = None, owner: str = "") -> Iterator[int]:
        """Wait for a turn; how many threads it has, or 0 if the request was cancelled before, or its time was up.

        The time is one of the clock `time.perf_counter`.
        """
        threads = self._take(wanted, cancel, end, owner)
        try:
            yield threads
        finally:
            if threads:
                with self._lock:
                    self._free += threads
                    self._searching -= 1
                    self._busy[owner] -= 1
                    self._call_next()

    def _take(self, wanted: int, cancel: Cancel, end: float | None, owner: str) -> int:
        """Wait at the end of the queue. Only who is first is called: of many, each would wake for nothing."""
        waiter = Waiter(threading.Event(), owner)
        with self._lock:
            self._waiting.append(waiter)
            self._call_next()  # with more rivals, fewer threads are a fair share
        try:
            with cancel.calling(waiter.called.set), calling_at(end, waiter.called.set):
                while not cancel.is_set() and (end is None or time.perf_counter() < end):
                    with self._lock:
                        threads = self._threads_for(waiter, wanted)
                        if threads:
                            self._serve(owner, threads)
                            return threads
                    waiter.called.wait()
                    waiter.called.clear()
            return 0
        finally:
            with self._lock:
                self._waiting.remove(waiter)
                self._call_next()

    def _serve(self, owner: str, threads: int) -> None:
        """An owner has a turn, and is the last to have another."""
        self._free -= threads
        self._searching += 1
        self._busy[owner] += 1
        self._served[owner] = None
        self._served.move_to_end(owner)
        if len(self._served) > MOST_OWNERS:
            gone, _ = self._served.popitem(last=False)
            if not self._busy[gone]:
                del self._busy[gone]

    def _next(self) -> Waiter | None:
        """Return the next waiter: of the owners who may have one more turn, the one served longest ago."""
        able = [one for one in self._waiting if self._busy[one.owner] < self.each]
        owners = {one.owner for one in able}
        if len(owners) <= 1:  # as on one's own machine
            return able[0] if able else None
        order = {owner: number for number, owner in enumerate(self._served, 1) if owner in owners}
        return min(able, key=lambda one: order.get(one.owner, 0))

    def _threads_for(self, waiter: Waiter, wanted: int) -> int:
        """Return the fair share of threads for the first waiter, or 0 while fewer are free."""
        if self._next() is not waiter:
            return 0
        fair = max(1, min(wanted, self.threads // (self._searching + len(self._waiting))))
        return fair if self._free >= fair else 0

    def _call_next(self) -> None:
        following = self._next() if self._free else None
        if following is not None:
            following.called.set()
