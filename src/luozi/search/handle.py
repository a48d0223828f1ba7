"""A search that is under way: look at it, end it, wait for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from luozi.limits import Cancel, Limits
from luozi.rules.position import Position
from luozi.search.result import Namer, SearchResult
from luozi.util.interruptible import StillRunningError, WaitedCall


class SearchRequest(NamedTuple):
    """What is to be thought about."""

    position: Position
    limits: Limits  # those in force
    cancel: Cancel  # of this search alone; the caller's sets it
    namer: Namer  # of lines
    kept: int  # visits that came with the kept tree
    began: float
    moves: frozenset[int]  # those that alone are to be searched; none: all of them
    seed: int
    kind: str  # what the mean of a move is: of results, or of values of positions


class SearchHandle:
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
        task: SearchRequest,
        answer: Callable[[SearchRequest], SearchResult],
        look: Callable[[SearchRequest], SearchResult],
        leave: Callable[[bool], None],
    ) -> None:
        """`leave` gives the engine back; it is told whether the search goes on all the same, in a rule."""
        self._task, self._answer, self._look, self._leave = task, answer, look, leave
        self._thought: SearchResult | None = None
        self._job = WaitedCall(self._run)
        try:
            self._job.start()
        except BaseException:  # Ctrl-C while it was starting
            self.stop()
            if self._job.withdraw():
                self._leave(False)
            elif self._job.is_left():
                self._leave(True)
            raise

    def __repr__(self) -> str:
        """Whether it has ended."""
        return f"<SearchHandle: {'ended' if self.is_done else 'under way'}>"

    def _run(self) -> SearchResult:
        try:
            self._thought = self._answer(self._task)
            return self._thought
        finally:
            self._leave(False)  # the engine may be another search's from here on

    @property
    def is_done(self) -> bool:
        """Return whether the result is there."""
        return self._job.done.is_set()

    def snapshot(self) -> SearchResult:
        """Return the result so far, or the result itself when it is there."""
        if self._thought is not None:
            return self._thought
        return self._job.result() if self.is_done else self._look(self._task)

    def stop(self) -> None:
        """End the search; whenever this comes, it is not lost. `result` gives the best move so far."""
        self._task.cancel.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the answer, at most so many seconds; whether it is there. Ctrl-C is raised and ends nothing."""
        return self._job.wait(seconds)

    def result(self, timeout: float | None = None) -> SearchResult:
        """Wait for the answer; after `timeout` seconds, if given, the search is stopped. So it is by Ctrl-C.

        Ctrl-C is raised when the search has ended, or 1.5 s later where a rule does not return.
        """
        try:
            if not self.wait(timeout):
                self.stop()
                self.wait()
        except BaseException:
            self.stop()
            if self._job.is_left():
                self._leave(True)
                raise StillRunningError from None
            raise
        return self._job.result()
