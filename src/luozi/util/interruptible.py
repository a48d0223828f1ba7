"""Leaves the main thread free for Ctrl-C, which Python hears there only: a waiting thread does the work instead."""

from __future__ import annotations

import _thread
import ctypes
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from types import FrameType
from typing import Any, Generic, TypeVar

from luozi.limits import Stop

STOP_SECONDS = 1.5  # from Ctrl-C until a rule that has not returned is left alone
WAIT_SECONDS = 0.1  # of one wait
AGAIN_SECONDS = 0.05  # between two exceptions for a rule that runs uncompiled

COMPILER_CALLBACKS = "_raw_object_cache"  # llvmlite's functions that LLVM calls begin so

T = TypeVar("T")


class StillRunningError(KeyboardInterrupt):
    """Ctrl-C came, and a rule has not returned: the work goes on, and nobody else may use its memory."""


class WaitedCall(Generic[T]):
    """Work in a waiting thread of our own, from its start to its result.

    >>> job = WaitedCall(lambda: 6 * 7)
    >>> job.start()
    >>> job.wait(), job.result()
    (True, 42)
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work: Callable[[], T] | None = work
        self.results: list[T] = []  # one, when it has ended well
        self.failure: BaseException | None = None
        self.done = threading.Event()
        self._claimed = threading.Lock()  # held once the work has begun, or never will
        self._ending = threading.Lock()
        self._thread, self._over, self._interrupted = 0, False, False

    def start(self) -> None:
        """Give the work to a thread that waits for some, or to a new one."""
        idle = idle_workers.setdefault(os.getpid(), [])
        try:
            idle.pop().put(self)
        except IndexError:
            queue: SimpleQueue[WaitedCall[Any]] = SimpleQueue()
            queue.put(self)
            threading.Thread(target=_work, args=(queue, idle), name="luozi worker", daemon=True).start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end, at most so many seconds; whether it came. Ctrl-C interrupts this.

        Each wait is short: only a signal of the system ends a longer one, not the interrupts of Windows and IDLE, nor
        an exception that another thread sends (`end_call`), as notebooks do that run cells in threads.
        """
        end = None if seconds is None else time.monotonic() + seconds
        while not self.done.is_set():
            left = WAIT_SECONDS if end is None else min(WAIT_SECONDS, end - time.monotonic())
            if left <= 0:
                return False
            self.done.wait(left)
        return True

    def result(self) -> T:
        """What the work returned; what it raised is raised."""
        if self.failure is not None:
            raise self.failure
        return self.results[0]

    def withdraw(self) -> bool:
        """Never begin the work; whether it had not begun."""
        if not self._claimed.acquire(blocking=False):
            return False
        self.done.set()
        return True

    def is_left(self) -> bool:
        """After the work was told to end: whether it goes on after `STOP_SECONDS`, and has to be left alone.

        Further Ctrl-C do not shorten this wait: the next search uses the memory of this one. A rule that runs
        uncompiled is ended from outside.
        """
        self.withdraw()
        began = time.monotonic()
        while not self.done.is_set() and (seconds := time.monotonic() - began) < STOP_SECONDS:
            with suppress(BaseException):
                self.done.wait(AGAIN_SECONDS)
                if seconds > STOP_SECONDS / 2:
                    self._interrupt()
        return not self.done.is_set()

    def _interrupt(self) -> None:
        with self._ending:
            if self._thread and not self._over:
                self._interrupted = True
                end_call(self._thread, KeyboardInterrupt)

    def take(self) -> Callable[[], T] | None:
        """The work, for the thread that does it; None where it was withdrawn."""
        if not self._claimed.acquire(blocking=False):
            return None
        self._thread = threading.get_ident()
        return self._work

    def finish(self) -> bool:
        """After the work: whether the thread can do other work. If not, an exception may still be on its way to it."""
        self._work = None
        with self._ending:
            self._over = True
            return not self._interrupted


idle_workers: dict[int, list[SimpleQueue[WaitedCall[Any]]]] = {}  # by process id: a fork has no threads


def _work(queue: SimpleQueue[WaitedCall[Any]], idle: list[SimpleQueue[WaitedCall[Any]]]) -> None:
    """Do one job after the other."""
    reusable = True
    while reusable:
        job = queue.get()
        try:
            if (work := job.take()) is not None:
                try:
                    job.results.append(work())
                except BaseException as error:
                    job.failure = error
            work = None  # with all that it holds
            reusable = job.finish()
            if reusable:
                idle.append(queue)
        except BaseException:  # sent for the job's rules, and came late
            reusable = False
        finally:
            job.done.set()
        del job


def is_main_thread() -> bool:
    """Whether this is the thread in which Python hears Ctrl-C.

    >>> is_main_thread()
    True
    """
    return threading.current_thread() is threading.main_thread()


def run_interruptibly(work: Callable[[], T], stop: Stop) -> T:
    """Run something for the main thread, where Ctrl-C calls `stop` and waits for the end.

    A rule that never returns does not end: then `StillRunningError`, a KeyboardInterrupt, is raised `STOP_SECONDS`
    after Ctrl-C.

    >>> run_interruptibly(lambda: 6 * 7, lambda: None)
    42
    """
    job = WaitedCall(work)
    try:
        job.start()
        job.wait()
    except BaseException:
        stop()
        if job.is_left():
            raise StillRunningError from None
        raise
    return job.result()


def end_call(thread: int, error: type[BaseException]) -> None:
    """Let the next line of Python in a thread raise; again and again, if that is caught."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


@contextmanager
def compiling() -> Iterator[None]:
    """Compile inside: Ctrl-C is not lost in a callback of LLVM.

    LLVM works for seconds without a line of Python, so that a signal is often heard in its first callback. What a
    callback raises is printed and dropped, and the machine code that it was to keep is missing. There the signal is put
    off for a moment.
    """
    before = signal.getsignal(signal.SIGINT)
    if not (is_main_thread() and callable(before)):
        yield
        return
    waiting: list[threading.Timer] = []

    def press(number: int, frame: FrameType | None) -> None:
        while waiting:
            waiting.pop().cancel()
        if is_in_callback(frame):
            waiting.append(threading.Timer(AGAIN_SECONDS, _thread.interrupt_main))
            waiting[0].start()
        else:
            before(number, frame)

    signal.signal(signal.SIGINT, press)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if waiting:
            waiting.pop().cancel()
            before(signal.SIGINT, None)


def is_in_callback(frame: FrameType | None) -> bool:
    """Whether a function of Python runs that LLVM has called."""
    while frame is not None and not frame.f_code.co_name.startswith(COMPILER_CALLBACKS):
        frame = frame.f_back
    return frame is not None
