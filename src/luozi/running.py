"""How a kernel is run: compiled or not, with a clock, and so that Ctrl-C and `stop` always get through."""

from __future__ import annotations

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
from luozi.errors import BrokenRuleError, LuoziError
from luozi.guards import Guarded
from luozi.rules import Game

PATIENCE_SECONDS = 2.0
STOP = 0  # the place of the stop flag in every kernel's `progress`


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
        while not done.is_set():  # a second Ctrl-C must not leave it running: who comes next takes the memory
            with suppress(BaseException):
                done.wait()
        raise
    if not finished:
        progress[STOP] = 1
        done.wait()
    if failure:
        raise failure[0]
