"""A search that is under way: look at it, end it, wait for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from luozi.position import Position
from luozi.running import STOP_SECONDS, waited
from luozi.search.budget import Budget
from luozi.search.thought import Namer, Thought


class Task(NamedTuple):
    """What is to be thought about."""

    position: Position
    budget: Budget
    namer: Namer  # of lines
    kept: int  # visits that came with the kept tree
    began: float
    moves: frozenset[int] = frozenset()  # those that alone are to be searched; none: all of them


class Search:
    """What `Engine.start` returns at once, while the engine thinks in a thread of its own.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> search = luozi.Engine(game, seed=1).start(game.new_state(), seconds=60)
    >>> search.snapshot().player
    0
    >>> search.stop()
    >>> search.result().action in range(9)
    True
    """

    def __init__(
        self,
        task: Task,
        answer: Callable[[Task], Thought],
        look: Callable[[Task], Thought],
        stop: Callable[[], None],
        leave: Callable[[], None],
    ) -> None:
        self._task, self._answer, self._look, self._stop, self._leave = task, answer, look, stop, leave
        self._over = False  # the engine may be another search's now
        self._done = threading.Event()
        self._thought: Thought | None = None
        self._failure: BaseException | None = None
        self._begin()

    def __repr__(self) -> str:
        """Whether it has ended, and how much it has found."""
        return f"<Search: {'ended' if self.is_done else 'under way'}>"

    def _begin(self) -> None:
        thread = threading.Thread(target=self._run, daemon=True)
        try:
            thread.start()
        except BaseException:
            if thread.ident is None:  # it never ran, so that nobody else gives the engine back
                self._leave()
            else:  # Ctrl-C while it was starting
                self.stop()
                self._done.wait()
            raise

    def _run(self) -> None:
        try:
            self._thought = self._answer(self._task)
        except BaseException as error:
            self._failure = error
        finally:
            self._over = True
            try:
                self._leave()
            finally:
                self._done.set()

    @property
    def is_done(self) -> bool:
        """Whether the answer is there."""
        return self._done.is_set()

    def snapshot(self) -> Thought:
        """What is known so far; the answer itself when it is there."""
        if self._failure is not None:
            raise self._failure
        return self._thought if self._thought is not None else self._look(self._task)

    def stop(self) -> None:
        """End the search; whenever this comes, it is not lost. `result` gives the best move so far."""
        if not self._over:
            self._stop()

    def result(self, timeout: float | None = None) -> Thought:
        """Wait for the answer; after `timeout` seconds, if given, the search is stopped. So it is by Ctrl-C.

        Ctrl-C is raised when the search has ended, or 1.5 s later where a rule does not return.
        """
        try:
            if not waited(self._done, timeout):
                self.stop()
                waited(self._done)
        except BaseException:
            self.stop()
            self._done.wait(STOP_SECONDS)
            raise
        if self._failure is not None:
            raise self._failure
        assert self._thought is not None
        return self._thought
