"""What ends a request: `Limits`, `Cancel` and the clock.

A kernel reads one word, its stop flag. A `Cancel` and the clock both raise that flag: each calls a function that does.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, fields
from typing import Any

from luozi.messages import LuoziError

MOST = 10**15  # of any limit

Stop = Callable[[], None]  # raises a stop flag, or wakes a thread; called once or more, also by a signal handler


@dataclass(frozen=True)
class Limits:
    """What ends a search: iterations, seconds, nodes of the tree. 0 means no limit.

    >>> Limits(seconds=0.5)
    Limits(iterations=0, seconds=0.5, nodes=0)
    """

    iterations: int = 0
    seconds: float = 0.0
    nodes: int = 0

    def __post_init__(self) -> None:
        for name in LIMITS:
            value = getattr(self, name)
            if value == 0:
                continue
            known = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= MOST
            if not known or (name != "seconds" and value != int(value)):
                kind = "a number" if name == "seconds" else "a whole number"
                raise LuoziError(
                    "limits: {name}={value} is not valid; it must be {kind} from 0 to 10^15",
                    name=name,
                    value=value,
                    kind=kind,
                )
            if name != "seconds":
                object.__setattr__(self, name, int(value))

    def __bool__(self) -> bool:
        """Return whether there is a limit.

        >>> bool(Limits()), bool(Limits(nodes=5))
        (False, True)
        """
        return bool(self.iterations or self.seconds or self.nodes)

    def times(self, factor: float) -> Limits:
        """Return limits that are `factor` times as large.

        >>> Limits(1000, 0.5).times(1.1)
        Limits(iterations=1100, seconds=0.55, nodes=0)
        """
        return Limits(round(self.iterations * factor), self.seconds * factor, round(self.nodes * factor))


LIMITS = tuple(one.name for one in fields(Limits))
NO_LIMITS = Limits()
UNTIL_CANCELLED = Limits(iterations=MOST)  # for pondering and analysis, which end by their Cancel


def limits_in_force(given: Limits, own: Limits, default: Limits = NO_LIMITS) -> Limits:
    """Return the limits in force: of each the smaller non-zero one of the caller's and the player's.

    If neither has any limit, it is the player's default.

    >>> limits_in_force(Limits(iterations=500, seconds=2.0), Limits(iterations=100))
    Limits(iterations=100, seconds=2.0, nodes=0)
    >>> limits_in_force(Limits(), Limits(), default=Limits(seconds=1.0))
    Limits(iterations=0, seconds=1.0, nodes=0)
    """
    smaller: dict[str, Any] = {}
    for name in LIMITS:
        one, other = getattr(given, name), getattr(own, name)
        smaller[name] = min(one, other) if one and other else one or other
    return Limits(**smaller) if any(smaller.values()) else default


def limits_given(limits: Limits | None, iterations: int, seconds: float, nodes: int) -> Limits:
    """Return the limits of a call that takes them as an object, by name, or both.

    >>> limits_given(Limits(seconds=1.0), iterations=100, seconds=0.0, nodes=0)
    Limits(iterations=100, seconds=1.0, nodes=0)
    """
    if not isinstance(limits, Limits | None):
        raise LuoziError("limits: {limits} is not valid. Write Limits(seconds=1), or seconds=1.", limits=repr(limits))
    named = Limits(iterations or 0, seconds or 0.0, nodes or 0)
    return named if limits is None else limits_in_force(limits, named)


class Cancel:
    """End one request early: before it begins, while it runs, or after it has ended. It is never lost.

    Make one for each request. `set` may be called at any time, from any thread and by a signal handler: it takes no
    lock that the handler's thread could hold.

    >>> cancel = Cancel()
    >>> cancel.set()
    >>> cancel.is_set()
    True
    """

    def __init__(self) -> None:
        self._is_set = False  # never cleared
        self._stops: dict[object, Stop] = {}  # of what runs for this request now
        self._told = threading.Event()  # whether `set` has called all of them

    def __repr__(self) -> str:
        """Whether it was set."""
        return f"<Cancel: {'set' if self._is_set else 'not set'}>"

    def is_set(self) -> bool:
        """Return whether the request is to end."""
        return self._is_set

    def set(self) -> None:
        """End the request. What begins later for the same request ends at once."""
        if self._is_set:
            return
        self._is_set = True  # before the calls: `calling` adds a function first and looks at this afterwards
        try:
            for stop in list(self._stops.values()):
                stop()
        finally:
            self._told.set()

    def calling(self, stop: Stop) -> AbstractContextManager[None]:
        """Call `stop` when this is set while the block runs, or at once if it was set before.

        No call comes after the block: the stop flag may belong to another request then.
        """
        return self._calling(stop)

    @contextmanager
    def _calling(self, stop: Stop) -> Iterator[None]:
        key = object()
        self._stops[key] = stop
        try:
            if self._is_set:
                stop()
            yield
        finally:
            del self._stops[key]
            if self._is_set:
                self._told.wait()  # another thread may be about to call `stop`

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until this is set, at most so many seconds; whether it is."""
        gate = threading.Lock()  # a lock, since a signal handler can release it whoever holds what
        gate.acquire()

        def open_gate() -> None:
            if gate.locked():
                gate.release()

        with self.calling(open_gate):
            gate.acquire(timeout=-1 if seconds is None else max(0.0, seconds))
        return self._is_set


class _Never(Cancel):
    """The Cancel of a request that nobody ends early."""

    def set(self) -> None:
        raise LuoziError("NEVER can't be set: give the request a Cancel() of its own")

    def calling(self, stop: Stop) -> AbstractContextManager[None]:
        return nullcontext()


NEVER: Cancel = _Never()


class DeadlineClock:
    """Calls functions at given times: one thread for all deadlines of the process.

    The thread starts with the first deadline. A function runs under the clock's lock, so that none is called after its
    `calling` block has ended.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._due: dict[object, tuple[float, Stop]] = {}
        self._wakes = math.inf  # when the thread looks again by itself
        self._thread: threading.Thread | None = None

    @contextmanager
    def calling(self, stop: Stop, end: float) -> Iterator[None]:
        """Call `stop` at a time of `time.perf_counter`, unless the block has ended before."""
        key = object()
        with self._changed:
            self._due[key] = end, stop
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="luozi clock", daemon=True)
                self._thread.start()
            elif end < self._wakes:
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._due.pop(key, None)

    def _run(self) -> None:
        with self._changed:
            while True:
                now = time.perf_counter()
                for key, (end, stop) in list(self._due.items()):
                    if end <= now:
                        del self._due[key]
                        stop()
                self._wakes = min((end for end, _stop in self._due.values()), default=math.inf)
                left = self._wakes - time.perf_counter()
                self._changed.wait(None if left > threading.TIMEOUT_MAX else max(0.0, left))


_clocks: dict[int, DeadlineClock] = {}  # by process id: a fork has the memory of a clock and not its thread


def calling_at(end: float | None, stop: Stop) -> AbstractContextManager[None]:
    """Call `stop` at a time of `time.perf_counter` if the block runs until then; without a time, never.

    >>> with calling_at(time.perf_counter() + 60, lambda: print("too late")):
    ...     pass
    """
    if end is None:
        return nullcontext()
    clock = _clocks.get(os.getpid()) or _clocks.setdefault(os.getpid(), DeadlineClock())
    return clock.calling(stop, end)
