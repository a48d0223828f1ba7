"""A rule that never returns is told, and not waited for."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from luozi.check.problems import RuleError
from luozi.messages import Message

PATIENCE_SECONDS = 10.0


class EndlessRuleError(RuleError):
    """A method that has not returned."""


@contextmanager
def patience(title: str, method: str) -> Iterator[None]:
    """Raise `EndlessRuleError` if what runs inside takes too long; where there are no timers, it may take for ever."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def give_up(number: int, frame: Any) -> None:
        told = Message(
            "{text}.{name} has not returned in {seconds} s; look for a loop that never ends",
            text=title,
            name=method,
            seconds=f"{PATIENCE_SECONDS:g}",
        )
        raise EndlessRuleError(f"endless {method}", told)

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
