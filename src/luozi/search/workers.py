"""One set of threads and one memory for all engines of a server.

Searches take turns: a short stretch each, in the order in which they came, with as many threads as there are for each
of those who want some. So a search that is alone has all threads, and of many none starves.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from luozi.errors import LuoziError
from luozi.rules import Game
from luozi.search.needs import refuse_missing
from luozi.search.options import Options

STRETCH_SECONDS = 0.05  # how long a search has its threads before others get a turn
FIRST_SECONDS = 0.01  # the first time, which everybody gets, however late: nobody's move is left to chance
LOOK_SECONDS = 0.1  # how often whoever waits looks whether it was stopped


class Workers:
    """So many threads, and so many megabytes for the trees of so many engines at most.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> workers = Workers(threads=2, megabytes=100, engines=50)
    >>> engine = luozi.Engine(game, seed=1, workers=workers)
    >>> engine.options.memory, engine.think(game.new_state(), iterations=2000).name
    (2.0, 'b2')
    """

    def __init__(self, threads: int, megabytes: float, engines: int) -> None:
        if min(threads, megabytes, engines) <= 0:
            raise LuoziError("workers need a thread, a megabyte and an engine at least")
        self.threads, self.megabytes, self.engines = threads, megabytes, engines
        self._free = threads
        self._waiting: deque[threading.Event] = deque()  # in the order in which they came
        self._searching = 0
        self._members: weakref.WeakSet[Any] = weakref.WeakSet()
        self._lock = threading.Lock()

    @property
    def share(self) -> float:
        """The megabytes that one engine may have."""
        return self.megabytes / self.engines

    @property
    def used(self) -> int:
        """How many engines there are now."""
        return len(self._members)

    def options_for(self, options: Options, game: Game) -> Options:
        """An engine's options, with its share of the memory, and all threads unless something asks for fewer."""
        if options.parallel != "tree":
            raise LuoziError(f"parallel={options.parallel} needs its threads for itself, and engines share them here")
        memory = min(options.memory or self.share, self.share)
        options = replace(options, memory=memory, threads=min(options.threads, self.threads))
        if options.threads > 1 or options.seed is not None:
            return options
        try:
            shared = replace(options, threads=self.threads)
            refuse_missing(game, shared)
        except LuoziError:
            return options
        return shared

    def admit(self, engine: Any) -> None:
        """An engine is one of those that share; it leaves when nobody uses it any more."""
        with self._lock:
            if len(self._members) >= self.engines:
                raise LuoziError(f"all {self.engines} engines are in use: wait until a game is over")
            self._members.add(engine)

    @contextmanager
    def turn(self, wanted: int, is_stopped: Callable[[], bool]) -> Iterator[int]:
        """Wait for a turn; how many threads it has, or 0 if the search was stopped before."""
        threads = self._take(wanted, is_stopped)
        try:
            yield threads
        finally:
            if threads:
                with self._lock:
                    self._free += threads
                    self._searching -= 1
                    self._call_next()

    def _take(self, wanted: int, is_stopped: Callable[[], bool]) -> int:
        """Wait at the end of the queue. Only who is first is called: of many, each would wake for nothing."""
        called = threading.Event()
        with self._lock:
            self._waiting.append(called)
            self._call_next()  # with more rivals, fewer threads are a fair share
        try:
            while not is_stopped():
                with self._lock:
                    threads = self._threads_for(called, wanted)
                    if threads:
                        self._free -= threads
                        self._searching += 1
                        return threads
                called.wait(LOOK_SECONDS)
                called.clear()
            return 0
        finally:
            with self._lock:
                self._waiting.remove(called)
                self._call_next()

    def _threads_for(self, called: threading.Event, wanted: int) -> int:
        """A fair share for who is first in the queue, if there are as many free threads; else none."""
        if self._waiting[0] is not called:
            return 0
        fair = max(1, min(wanted, self.threads // (self._searching + len(self._waiting))))
        return fair if self._free >= fair else 0

    def _call_next(self) -> None:
        if self._waiting and self._free:
            self._waiting[0].set()
