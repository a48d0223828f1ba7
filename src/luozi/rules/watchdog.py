"""Report a rule that never returns, wherever the rules of a custom class run uncompiled.

A thread inspects the stacks of all other threads from time to time. It ends a call of a custom method that takes too
long, by raising an exception in it. Compiled code can be neither inspected nor ended.
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
    """Raised inside a rule that does not return. Not an Exception, so that the rule does not catch it by mistake."""


@contextmanager
def patience(game: Game, seconds: float = 0.0) -> Iterator[None]:
    """Watch the rules while a game is played inside: raise EndlessRuleError if one has not returned after `seconds`.

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
        if not watch.method:  # raised by an outer watch
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
    """Play one random game uncompiled before the rules run compiled, where they cannot be watched. Only endless rules
    are reported.

    >>> import luozi
    >>> try_patiently(luozi.game("tictactoe"))
    """
    if game.checked and game.compilable:
        with patience(game), suppress(Exception):
            play_uncompiled(game, new_rng(1))


class _Watch:
    """The thread that inspects all others until it is stopped."""

    def __init__(self, game: Game, seconds: float) -> None:
        cls: type = type(game)
        methods = {} if is_wholly_ours(cls) else methods_of(cls)
        self.rules = {inspect.unwrap(rule).__code__: name for name, rule in methods.items() if not is_ours(rule)}
        self.seconds, self.method, self.over = seconds, "", threading.Event()
        self.ending = threading.Lock()
        # the calls in progress; kept alive, so that none is mistaken for another
        self.since: dict[FrameType, float] = {}
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
        """Stop watching. No exception is raised after this has returned."""
        with self.ending:
            self.over.set()
        for _ in range(2):  # where Python raises the exception that `end_call` has set
            pass

    def _calls(self) -> dict[FrameType, int]:
        """Return the outermost call of a custom method in each thread, with the thread."""
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
