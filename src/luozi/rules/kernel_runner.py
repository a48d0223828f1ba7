"""Run a kernel, compiled or uncompiled, until it ends, is cancelled, or its time is up."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np

from luozi.compiled import Array, new_rng, random_below
from luozi.compiled.calling import Binding, bind
from luozi.compiled.explaining import explain, users_frame
from luozi.limits import NEVER, Cancel, calling_at
from luozi.messages import BrokenRuleError, LuoziError
from luozi.rules.game import Game
from luozi.rules.guards import Guarded
from luozi.util.interruptible import is_main_thread, run_interruptibly

PATIENCE_SECONDS = 2.0
STOP = 0  # index of the stop flag in every kernel's `progress`

T = TypeVar("T")


class KernelProgress(Protocol):
    """The progress of a search in several trees, combined."""

    def __setitem__(self, place: int, value: int) -> None: ...


class CompiledKernel:
    """A compiled kernel of a game. Several threads may call it.

    Exceptions of compiled rules, and a failed `assert` of a custom class, become a message with the user's line.
    """

    def __init__(self, game: Game, function: Any) -> None:
        self.game, self.function = game, function
        self._binding: Binding | None = None

    def prepare(self, *arguments: Any) -> None:
        """Compile the kernel for these arguments, or load it from the cache."""
        try:
            self._binding = bind(self.function, arguments)
        except (LuoziError, MemoryError):
            raise
        except Exception as error:
            raise LuoziError(explain(self._cause(error), self.game)) from None

    @property
    def is_prepared(self) -> bool:
        """Whether it is compiled, and no object among the arguments has changed since."""
        return self._binding is not None and self._binding.holds()

    def __call__(self, *arguments: Any) -> Any:
        binding = self._binding
        try:
            if binding is None or not binding.fits(arguments):
                self._binding = binding = bind(self.function, arguments)
            return binding.entry_point(*arguments)
        except (LuoziError, MemoryError):
            raise
        except Exception as error:
            raise LuoziError(explain(self._cause(error), self.game)) from None

    def _cause(self, error: Exception) -> Exception:
        """Return the exception that the uncompiled rules raise, which has a line number, or the given one."""
        unplaced = isinstance(error, (ArithmeticError, AssertionError, IndexError, ValueError))
        if not unplaced or users_frame(error, self.game) is not None:
            return error
        return same_error(self.game) or error


class UncompiledKernel:
    """The plain Python twin of a kernel. Only messages of guards are converted, so that exceptions can be debugged."""

    is_prepared = True

    def __init__(self, game: Game, function: Any) -> None:
        self.game, self.function = game, function.py_func

    def prepare(self, *arguments: Any) -> None:
        """Do nothing."""

    def __call__(self, first: Any, *arguments: Any) -> Any:
        """Run the kernel. The first argument is the game, or a named tuple with a field `game`."""
        game = self.game
        if not game.checked:
            return self.function(first, *arguments)
        try:
            guarded = Guarded(first) if first is game else first._replace(game=Guarded(game))
            return self.function(guarded, *arguments)
        except BrokenRuleError as error:
            raise LuoziError(explain(error, game)) from None


def kernel_for(game: Game, function: Any, compiled: bool = True) -> CompiledKernel | UncompiledKernel:
    """Return the kernel for a game: compiled, or plain Python if the rules cannot be compiled."""
    return (CompiledKernel if compiled and game.compilable else UncompiledKernel)(game, function)


def same_error(game: Game) -> Exception | None:
    """Return the exception that the uncompiled rules raise in random games, or None if there is none within 2
    seconds.
    """
    rng, end = new_rng(1), time.perf_counter() + PATIENCE_SECONDS
    while time.perf_counter() < end:
        try:
            play_uncompiled(game, rng)
        except Exception as error:
            return error
    return None


def play_uncompiled(game: Game, rng: Array) -> None:
    """Play one random game and call every optional method in every position."""
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


def run_stoppable(
    work: Callable[[], T], progress: Array | KernelProgress, cancel: Cancel = NEVER, end: float | None = None
) -> T:
    """Run a kernel until it ends, is cancelled, or reaches its deadline on the clock `time.perf_counter`.

    `cancel` and the deadline set the stop flag in `progress`, which stays set until the next run. In the main thread,
    Ctrl-C does so too, and KeyboardInterrupt is raised after the kernel has ended: see `run_interruptibly`.

    >>> progress = np.zeros(8, np.int64)
    >>> run_stoppable(lambda: 42, progress)
    42
    """
    progress[STOP] = 0
    stop = partial(progress.__setitem__, STOP, 1)
    with cancel.calling(stop), calling_at(end, stop):
        return run_interruptibly(work, stop) if is_main_thread() else work()
