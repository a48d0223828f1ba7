"""How a kernel is run: compiled or not, with a clock, and so that Ctrl-C and `stop` always get through."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from luozi.compiled import Array, new_rng, random_below
from luozi.compiled.calling import Caller
from luozi.compiled.explaining import compile_errors, explain, users_frame
from luozi.guards import Guarded
from luozi.messages import BrokenRuleError, LuoziError
from luozi.rules import Game

PATIENCE_SECONDS = 2.0
STOP_SECONDS = 1.5  # from Ctrl-C until a rule that has not returned is left alone
WAIT_SECONDS = 0.1  # of one wait
STOP = 0  # the place of the stop flag in every kernel's `progress`


class StillRunningError(KeyboardInterrupt):
    """Ctrl-C came, and a rule has not returned: the kernel still runs, and nobody else may use its memory."""


def kernel_for(game: Game, function: Any, compiled: bool = True) -> Callable[..., Any]:
    """A kernel as it runs for a game: compiled, or as plain Python where the rules can't be compiled.

    What compiled rules raise, a user's own `assert` too, becomes one sentence with the user's line.
    """
    plain: Callable[..., Any] = function.py_func
    if not (compiled and game.compilable):
        return partial(run_uncompiled, plain, game) if game.checked else plain

    call = Caller(function)

    def run(*arguments: Any) -> Any:
        with compile_errors(game):
            try:
                return call(*arguments)
            except (ArithmeticError, AssertionError, IndexError, ValueError) as error:
                if users_frame(error, game) is not None:
                    raise
                raise same_error(game) or error from None  # compiled code does not always tell where

    return run


def run_uncompiled(plain: Callable[..., Any], game: Game, first: Any, *arguments: Any) -> Any:
    """Run a kernel's plain twin: only what the guards say becomes a sentence, so that exceptions can be debugged.

    Its first argument is the game, or a named tuple that has it.
    """
    try:
        return plain(Guarded(first) if first is game else first._replace(game=Guarded(game)), *arguments)
    except BrokenRuleError as error:
        raise LuoziError(explain(error, game)) from None


def same_error(game: Game) -> Exception | None:
    """What the rules raise uncompiled, in random games from the start; None if nothing comes up in a short time."""
    rng, end = new_rng(1), time.perf_counter() + PATIENCE_SECONDS
    while time.perf_counter() < end:
        try:
            play_uncompiled(game, rng)
        except Exception as error:
            return error
    return None


def play_uncompiled(game: Game, rng: Array) -> None:
    """One random game in which every optional method is asked in every position."""
    state, actions, values = game.new_state(), np.zeros(game.actions, np.int32), np.zeros(game.actions)
    for _ in range(game.length_limit + 1):
        if game.is_terminal(state):
            game.result(state)
            return
        legal, _ = game.legal_list(state), game.current_player(state)
        for player in range(game.players):
            game.winning_actions(state, player, actions)
        actions[: len(legal)] = legal
        game.priors(state, actions, len(legal), values)
        if hasattr(game, "evaluate"):
            game.evaluate(state, np.zeros(game.players))
        playout = game.policy_playout()
        copied, memory = state.copy(), playout.new_memory()[0]
        playout.begin(game, copied, memory)
        playout.next(game, copied, memory, rng, actions)
        game.apply_action(state, legal[random_below(rng, len(legal))])


def run_with_clock(work: Callable[[], Any], progress: Array, seconds: float | None = None) -> None:
    """Run a kernel in a thread of its own until it ends or its time is up.

    Ctrl-C stops the kernel and is raised when the kernel has ended. A rule that never returns keeps the kernel running:
    then `StillRunningError`, a KeyboardInterrupt, is raised `STOP_SECONDS` after Ctrl-C.
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

    thread = threading.Thread(target=guarded, daemon=True)
    try:
        thread.start()
        if not waited(done, seconds):
            progress[STOP] = 1
            waited(done)
    except BaseException:
        progress[STOP] = 1
        if not ended(done, thread):
            raise StillRunningError from None
        raise
    if failure:
        raise failure[0]


def waited(event: threading.Event, seconds: float | None = None) -> bool:
    """Wait for an event, not longer than some seconds; whether it came.

    Waiting for an event and not for a thread: an interrupted `Thread.join` takes a running thread for a dead one. The
    wait is short each time, since an exception that another thread sends (`end_call`) arrives only between two waits.
    """
    end = None if seconds is None else time.monotonic() + seconds
    while not event.is_set():
        left = WAIT_SECONDS if end is None else min(WAIT_SECONDS, end - time.monotonic())
        if left <= 0:
            return False
        event.wait(left)
    return True


def ended(done: threading.Event, thread: threading.Thread) -> bool:
    """Wait until a stopped kernel has ended, `STOP_SECONDS` at most; whether it has.

    Further Ctrl-C do not shorten this wait: the next search uses the memory of the kernel. A rule that runs uncompiled
    is ended from outside.
    """
    began = time.monotonic()
    while not done.is_set() and (seconds := time.monotonic() - began) < STOP_SECONDS:
        with suppress(BaseException):
            done.wait(WAIT_SECONDS / 2)
            if seconds > STOP_SECONDS / 2 and thread.ident is not None and not done.is_set():
                end_call(thread.ident, KeyboardInterrupt)
    return done.is_set()


def end_call(thread: int, error: type[BaseException]) -> None:
    """Let the next line of Python in a thread raise; again and again, if that is caught."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))
