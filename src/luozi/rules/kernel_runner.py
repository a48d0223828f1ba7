"""How a kernel is run: compiled or not, until it ends, is cancelled or its time is up."""

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
STOP = 0  # the place of the stop flag in every kernel's `progress`

T = TypeVar("T")


class KernelProgress(Protocol):
    """How a search in several trees is going, seen as one."""

    def __setitem__(self, place: int, value: int) -> None: ...


class CompiledKernel:
    """A kernel as it runs for a game, compiled; several threads may call it.

    What compiled rules raise, a user's own `assert` too, becomes one sentence with the user's line.
    """

    def __init__(self, game: Game, function: Any) -> None:
        self.game, self.function = game, function
        self._binding: Binding | None = None

    def prepare(self, *arguments: Any) -> None:
        """Compile or load it for some arguments."""
        try:
            self._binding = bind(self.function, arguments)
        except (LuoziError, MemoryError):
            raise
        except Exception as error:
            raise LuoziError(explain(self._cause(error), self.game)) from None

    @property
    def is_prepared(self) -> bool:
        """Whether that was done, and no object among the arguments has changed since."""
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
        """What rules raise uncompiled where compiled code does not tell where it raised this; else the same error."""
        unplaced = isinstance(error, (ArithmeticError, AssertionError, IndexError, ValueError))
        if not unplaced or users_frame(error, self.game) is not None:
            return error
        return same_error(self.game) or error


class UncompiledKernel:
    """The plain twin of a kernel. Only what the guards say becomes a sentence, so that exceptions can be debugged."""

    is_prepared = True

    def __init__(self, game: Game, function: Any) -> None:
        self.game, self.function = game, function.py_func

    def prepare(self, *arguments: Any) -> None:
        """Do nothing."""

    def __call__(self, first: Any, *arguments: Any) -> Any:
        """Run it; the first argument is the game, or a named tuple that has it."""
        game = self.game
        if not game.checked:
            return self.function(first, *arguments)
        try:
            guarded = Guarded(first) if first is game else first._replace(game=Guarded(game))
            return self.function(guarded, *arguments)
        except BrokenRuleError as error:
            raise LuoziError(explain(error, game)) from None


def kernel_for(game: Game, function: Any, compiled: bool = True) -> CompiledKernel | UncompiledKernel:
    """A kernel as it runs for a game: compiled, or as plain Python where the rules can't be compiled."""
    return (CompiledKernel if compiled and game.compilable else UncompiledKernel)(game, function)


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


def run_stoppable(
    work: Callable[[], T], progress: Array | KernelProgress, cancel: Cancel = NEVER, end: float | None = None
) -> T:
    """Run a kernel until it ends by itself, is cancelled, or its time on the clock `time.perf_counter` is up.

    Cancel and clock put up the stop flag in `progress`; it stays up until the next run. In the main thread Ctrl-C does
    so too, and is raised when the kernel has ended: see `run_interruptibly`.

    >>> progress = np.zeros(8, np.int64)
    >>> run_stoppable(lambda: 42, progress)
    42
    """
    progress[STOP] = 0
    stop = partial(progress.__setitem__, STOP, 1)
    with cancel.calling(stop), calling_at(end, stop):
        return run_interruptibly(work, stop) if is_main_thread() else work()
