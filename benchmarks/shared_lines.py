"""What one iteration shares with other threads: atomic operations and cache lines, counted by address, uncompiled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

import luozi
from luozi.evaluators.thread_state import DEEPEST, ITERATIONS, TAKEN, KernelLimits
from luozi.search import loop
from luozi.search.context import SearchContext
from luozi.search.tree import locking
from luozi.search.tree import tree as tree_module
from luozi.search.tree.locking import MOST_BUFFERED, SharedTree

GAMES = ("connect4", "gomoku", "go:size=9", "five3d")
LINE = 64  # bytes
WARM, WATCHED = 20_000, 300  # iterations before, and while it is counted
OPERATIONS = ("fetch_add", "fetch_or", "compare_and_swap")
AT_A_TIME = 3  # operations once in many iterations: iterations are taken, there are no more, they are told
ARRAYS = ("nodes", "words", "floats", "sums", "used", "locks")
COLUMNS = ("game", "players", "depth", "atomic operations", "lines written", "always the same", "lines only read")
FLUSH = SharedTree.flush


class Iteration(NamedTuple):
    """What one iteration did."""

    depth: int
    operations: int  # atomic ones, which read, change and write
    written: set[int]  # lines
    read: set[int]


class Log:
    """What was touched since it was cleared."""

    operations = 0
    written: set[int] = set()  # noqa: RUF012
    read: set[int] = set()  # noqa: RUF012

    @classmethod
    def clear(cls) -> None:
        """Begin again."""
        cls.operations, cls.written, cls.read = 0, set(), set()


class Watched(np.ndarray[Any, Any]):
    """An array that notes which lines are read and written, by their address."""

    def line(self, place: Any) -> int:
        """The line of an element."""
        return (int(self.ctypes.data) + int(place) * self.itemsize) // LINE

    def lines(self) -> set[int]:
        """All of them, of a small array."""
        return {self.line(place) for place in range(len(self))}

    def __getitem__(self, place: Any) -> Any:
        Log.read.add(self.line(place))
        return self.view(np.ndarray)[place]

    def __setitem__(self, place: Any, value: Any) -> None:
        Log.written.add(self.line(place))
        self.view(np.ndarray)[place] = value


@contextmanager
def counted_operations() -> Iterator[None]:
    """Count atomic operations meanwhile."""
    modules = (locking, tree_module, loop)
    kept = [(module, name, getattr(module, name)) for module in modules for name in OPERATIONS if hasattr(module, name)]

    def counting(function: Any) -> Any:
        def inner(*arguments: Any) -> Any:
            Log.operations += 1
            return function(*arguments)

        return inner

    for module, name, function in kept:
        setattr(module, name, counting(function))
    try:
        yield
    finally:
        for module, name, function in kept:
            setattr(module, name, function)


@contextmanager
def not_flushed() -> Iterator[None]:
    """What a thread has seen of the root is not flushed meanwhile: that happens once in many iterations."""
    SharedTree.flush = lambda tree: None  # type: ignore[method-assign]
    try:
        yield
    finally:
        SharedTree.flush = FLUSH  # type: ignore[method-assign]


def iterations(game: luozi.Game, warm: int, count: int) -> Iterator[Iteration]:
    """Iterations of the lock-free tree, after it has grown a while; only growing is compiled."""
    engine = luozi.Engine(game, seed=1, threads=2, pool_size=max(20_000, 10 * warm))
    engine.think(game.new_state(), iterations=warm)
    engine.progress[:] = 0
    tree = engine.tree
    tree.set_fields(**{name: getattr(tree, name).view(Watched) for name in ARRAYS})
    progress = engine.progress.view(Watched)
    seldom = {progress.line(TAKEN), progress.line(ITERATIONS), tree.words.line(0), tree.sums.line(0)}
    seldom |= tree.used.lines() | {progress.line(DEEPEST)}
    variants = engine.kernel.variants(0)
    with counted_operations(), not_flushed():
        for done in range(1, count + 1):
            if done % MOST_BUFFERED == 0:
                FLUSH(tree)
            engine.progress[DEEPEST], engine.progress[TAKEN] = 0, done - 1
            Log.clear()
            limits = KernelLimits(progress, done, 2**62)
            loop.search.py_func(SearchContext(game, *engine.components, tree, engine.thread, limits, variants))
            operations, deepest = Log.operations - AT_A_TIME, int(engine.progress[DEEPEST])
            yield Iteration(deepest, operations, Log.written - seldom, Log.read - seldom)


def run() -> Table:
    """One line a game: means over iterations of plain UCT from the empty board."""
    table = Table(title="what an iteration shares with other threads")
    for column in COLUMNS:
        table.add_column(column, justify="left" if column == "game" else "right")
    for name in GAMES:
        game = luozi.game(name)
        all_of_them = list(iterations(game, WARM, WATCHED))
        same = len(set.intersection(*(one.written for one in all_of_them)))
        found = [
            (one.depth, one.operations, len(one.written), same, len(one.read - one.written)) for one in all_of_them
        ]
        table.add_row(name, str(game.players), *(f"{value:.1f}" for value in np.mean(found, axis=0)))
    return table
