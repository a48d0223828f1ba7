"""How a kernel is run: compiled or not, with a clock, and so that Ctrl-C and `stop` always get through."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from luozi.game import Game
from luozi.search.tree import Array

STOP = 0  # the place of the stop flag in every kernel's `progress`


def kernel_for(game: Game, function: Any, compiled: bool = True) -> Callable[..., Any]:
    """A kernel as it runs for a game: compiled, or as plain Python where the rules can't be compiled."""
    chosen: Callable[..., Any] = function if compiled and game.compilable else function.py_func
    return chosen


def run_with_clock(work: Callable[[], Any], progress: Array, seconds: float | None = None) -> None:
    """Run a kernel in a thread of its own until it ends or its time is up.

    Waiting for an event and not for the thread: an interrupted `Thread.join` takes a running thread for a dead one.
    """
    failure: list[BaseException] = []
    done = threading.Event()

    def guarded() -> None:
        try:
            work()
        except BaseException as error:
            failure.append(error)
        finally:
            done.set()

    threading.Thread(target=guarded, daemon=True).start()
    try:
        finished = done.wait(seconds)
    except BaseException:
        progress[STOP] = 1
        done.wait()
        raise
    if not finished:
        progress[STOP] = 1
        done.wait()
    if failure:
        raise failure[0]
