"""Keep the main thread free for Ctrl-C, which only the main thread of Python receives: a worker thread does the
work.
"""

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

STOP_SECONDS = 1.5  # seconds from Ctrl-C until a rule that has not returned is abandoned
WAIT_SECONDS = 0.1  # seconds of one wait
AGAIN_SECONDS = 0.05  # seconds between two exceptions sent to a rule that runs uncompiled

COMPILER_CALLBACKS = "_raw_object_cache"  # prefix of llvmlite's functions that LLVM calls

T = TypeVar("T")


class StillRunningError(KeyboardInterrupt):
    """Ctrl-C was pressed, and a rule has not returned. The work continues, and its memory must not be used."""


class WaitedCall(Generic[T]):
    """Work in a waiting worker thread, from its start to its result.

    >>> job = WaitedCall(lambda: 6 * 7)
    >>> job.start()
    >>> job.wait(), job.result()
    (True, 42)
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work: Callable[[], T] | None = work
        self.results: list[T] = []  # contains the result after success
        self.failure: BaseException | None = None
        self.done = threading.Event()
        self._claimed = threading.Lock()  # held once the work has begun, or after it was withdrawn
        self._ending = threading.Lock()
        self._thread, self._over, self._interrupted = 0, False, False

    def start(self) -> None:
        """Give the work to a waiting thread, or to a new one."""
        idle = idle_workers.setdefault(os.getpid(), [])
        try:
            idle.pop().put(self)
        except IndexError:
            queue: SimpleQueue[WaitedCall[Any]] = SimpleQueue()
            queue.put(self)
            threading.Thread(target=_work, args=(queue, idle), name="luozi worker", daemon=True).start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait at most `seconds` for the end. Return whether it came. Ctrl-C interrupts the wait.

        Each wait is short. A longer wait would end only for operating-system signals, not for the interrupts of Windows
        and IDLE, nor for an exception sent by another thread (`end_call`), as notebooks do.
        """
        end = None if seconds is None else time.monotonic() + seconds
        while not self.done.is_set():
            left = WAIT_SECONDS if end is None else min(WAIT_SECONDS, end - time.monotonic())
            if left <= 0:
                return False
            self.done.wait(left)
        return True

    def result(self) -> T:
        """Return the result of the work, or raise its exception."""
        if self.failure is not None:
            raise self.failure
        return self.results[0]

    def withdraw(self) -> bool:
        """Withdraw the work. Return whether it had not begun."""
        if not self._claimed.acquire(blocking=False):
            return False
        self.done.set()
        return True

    def is_left(self) -> bool:
        """Return whether the work still runs `STOP_SECONDS` after it was told to end, and must be abandoned.

        Further Ctrl-C do not shorten this wait, because the next search uses the same memory. A rule that runs
        uncompiled is ended by an exception.
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
        """Return the work to the thread that does it, or None if it was withdrawn."""
        if not self._claimed.acquire(blocking=False):
            return None
        self._thread = threading.get_ident()
        return self._work

    def finish(self) -> bool:
        """Finish the work. Return whether the thread can be used again. If not, an exception may still be sent to
        it.
        """
        self._work = None
        with self._ending:
            self._over = True
            return not self._interrupted


idle_workers: dict[int, list[SimpleQueue[WaitedCall[Any]]]] = {}  # by process id: a forked process has no threads


def _work(queue: SimpleQueue[WaitedCall[Any]], idle: list[SimpleQueue[WaitedCall[Any]]]) -> None:
    """Do one job after another."""
    reusable = True
    while reusable:
        job = queue.get()
        try:
            if (work := job.take()) is not None:
                try:
                    job.results.append(work())
                except BaseException as error:
                    job.failure = error
            work = None  # release what it references
            reusable = job.finish()
            if reusable:
                idle.append(queue)
        except BaseException:  # an exception for the last job's rules that arrived late
            reusable = False
        finally:
            job.done.set()
        del job


def is_main_thread() -> bool:
    """Return whether this is the thread that receives Ctrl-C.

    >>> is_main_thread()
    True
    """
    return threading.current_thread() is threading.main_thread()


def run_interruptibly(work: Callable[[], T], stop: Stop) -> T:
    """Run work for the main thread. Ctrl-C calls `stop` and waits for the end.

    If a rule never returns, StillRunningError (a KeyboardInterrupt) is raised `STOP_SECONDS` after Ctrl-C.

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
    """Raise an exception in the next line of Python that a thread runs. Call it again if the thread catches the
    exception.
    """
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


@contextmanager
def compiling() -> Iterator[None]:
    """Delay Ctrl-C inside callbacks of LLVM while code is compiled.

    LLVM works for seconds without a line of Python, so a signal is often received in its first callback. An exception
    raised there is printed and dropped, and the machine code is lost. The signal is therefore delayed for a moment.
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
    """Return whether a Python function that LLVM has called is on the stack."""
    while frame is not None and not frame.f_code.co_name.startswith(COMPILER_CALLBACKS):
        frame = frame.f_back
    return frame is not None
