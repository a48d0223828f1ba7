"""A rule that never returns is told, and not waited for, wherever a user's rules run uncompiled.

A thread looks now and then at what all others are doing. A call of a user's method that goes on and on is ended from
outside, and becomes one sentence; what runs as compiled code can't be seen, nor ended.
"""

from __future__ import annotations

import inspect
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from luozi.compiled import new_rng
from luozi.compiled.object_type import is_ours, is_wholly_ours, methods_of
from luozi.messages import LuoziError, Message
from luozi.rules.game import Game
from luozi.rules.kernel_runner import play_uncompiled
from luozi.util.interruptible import end_call

PATIENCE_SECONDS = 10.0
LOOKS = 10  # in that time


class EndlessRuleError(LuoziError):
    """A rule that has not returned."""


class _GiveUpError(BaseException):
    """Raised inside a rule that does not return; not an Exception, so that a rule does not catch it by mistake."""


@contextmanager
def patience(game: Game, seconds: float = 0.0) -> Iterator[None]:
    """Play a game inside: a rule that has not returned after 10 s, or those given, is one sentence that names it.

    >>> import luozi
    >>> with patience(luozi.game("tictactoe")):
    ...     pass
    """
    watch = _Watch(game, seconds or PATIENCE_SECONDS)
    try:
        try:
            yield
        finally:
            watch.stop()
    except _GiveUpError:
        if not watch.method:  # it comes from a watch around this one
            raise
        raise EndlessRuleError(
            Message(
                "{text}.{name} has not returned in {seconds} s; look for a loop that never ends",
                text=type(game).__name__,
                name=watch.method,
                seconds=f"{watch.seconds:g}",
            )
        ) from None
    finally:
        watch.over.set()


def try_patiently(game: Game) -> None:
    """Play one random game uncompiled before compiled code, which can't be watched, is asked; only loops are told.

    >>> import luozi
    >>> try_patiently(luozi.game("tictactoe"))
    """
    if game.checked and game.compilable:
        with patience(game), suppress(Exception):
            play_uncompiled(game, new_rng(1))


class _Watch:
    """Looks at all threads until it is over."""

    def __init__(self, game: Game, seconds: float) -> None:
        cls: type = type(game)
        methods = {} if is_wholly_ours(cls) else methods_of(cls)
        self.rules = {inspect.unwrap(rule).__code__: name for name, rule in methods.items() if not is_ours(rule)}
        self.seconds, self.method, self.over = seconds, "", threading.Event()
        self.ending = threading.Lock()
        self.since: dict[FrameType, float] = {}  # the calls that go on; held, so that none is taken for another
        if self.rules and sys.implementation.name == "cpython":
            threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while not self.over.wait(self.seconds / LOOKS):
            now, calls = time.monotonic(), self._calls()
            self.since = {call: self.since.get(call, now) for call in calls}
            for call, began in self.since.items():
                if now - began >= self.seconds:
                    self._give_up(call, calls[call])
        self.since.clear()

    def _give_up(self, call: FrameType, thread: int) -> None:
        with self.ending:
            if not self.over.is_set():
                self.method = self.rules[call.f_code]
                end_call(thread, _GiveUpError)

    def stop(self) -> None:
        """Look no more: when this has returned, no exception is on its way."""
        with self.ending:
            self.over.set()
        for _ in range(2):  # where Python raises what `end_call` has left
            pass

    def _calls(self) -> dict[FrameType, int]:
        """The outermost call of a user's method in each thread, and the thread."""
        found: dict[FrameType, int] = {}
        for thread, top in sys._current_frames().items():
            frame: FrameType | None = top
            rule = None
            while frame is not None:
                rule = frame if frame.f_code in self.rules else rule
                frame = frame.f_back
            if rule is not None:
                found[rule] = thread
        return found
