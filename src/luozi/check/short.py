"""The short check that every class of a user's gets before it is played: some random games, uncompiled, in a second.

It plays the first games of `luozi check`, so that both find the same and say it in the same words. Compiled rules are
not compared here: compiling them takes longer than a second.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import NamedTuple

from luozi.check.checker import AMBIGUOUS, READING, WATCHED_GAMES, Checker
from luozi.check.problems import RuleError, wrong_signatures
from luozi.check.room import CheckScratch, new_room
from luozi.check.watched import Watched, WatchedCall
from luozi.rules.game import Game
from luozi.util.interruptible import end_call

SECONDS = 0.6  # until no further rule is asked
MOST_SECONDS = 0.9  # until a rule that has not returned is left alone
LEAVING_SECONDS = 0.1  # for the thread to end
LONG_SECONDS = 0.5  # of one call: worth a word
MOST_MOVES = 10_000  # of a game: in this time hardly more are played


class ShortFinding(NamedTuple):
    """What a short check has found."""

    problem: str = ""  # the first sentence that `luozi check` would say
    unreturned: str = ""  # a method that was asked and has not returned
    seconds: float = 0.0  # in so many


def check_shortly(game: Game) -> ShortFinding:
    """Play random games by a game's rules for a moment; what is wrong, if anything.

    >>> import luozi
    >>> check_shortly(luozi.game("tictactoe"))
    ShortFinding(problem='', unreturned='', seconds=0.0)
    """
    return ShortChecker(game).found()


class OutOfTimeError(BaseException):
    """The time is up; not an Exception, so that a rule does not catch it by mistake."""


class ShortChecker(Checker):
    """A check in a thread of its own, which can be left behind if a rule never returns."""

    def __init__(self, game: Game) -> None:
        super().__init__(game, WATCHED_GAMES, 0, lambda line: None)
        self.asked, self.watched = WatchedCall(game, self.look_at_clock), Watched(game, self.look_at_clock)
        self.over, self.end = threading.Event(), 0.0
        self.calling: tuple[str, float] = ("", 0.0)  # the method that was asked last, and when

    def look_at_clock(self, method: str) -> None:
        """Before each call of a rule: no further one is asked when the time is up."""
        now = time.monotonic()
        if now >= self.end:
            raise OutOfTimeError
        self.calling = method, now

    def note(self, problem: RuleError) -> None:
        """Keep what is wrong; actions with unclear names can be played all the same: they are written as #17."""
        if problem.kind != AMBIGUOUS and READING not in problem.kind:
            super().note(problem)

    def found(self) -> ShortFinding:
        """Check, and end it when the time is up."""
        thread = threading.Thread(target=self.run_to_the_end, daemon=True)
        self.end = time.monotonic() + SECONDS
        thread.start()
        if self.over.wait(MOST_SECONDS):
            return ShortFinding(next(iter(self.problems.values()), ""))
        method, began = self.calling
        seconds = time.monotonic() - began
        self.leave(thread)
        unreturned = method if seconds >= LONG_SECONDS else ""
        return ShortFinding(next(iter(self.problems.values()), ""), unreturned, seconds if unreturned else 0.0)

    def leave(self, thread: threading.Thread) -> None:
        """End what the thread is doing, as far as that is possible: a rule may hang outside of Python."""
        end = time.monotonic() + LEAVING_SECONDS
        while not self.over.wait(LEAVING_SECONDS / 10) and time.monotonic() < end:
            end_call(thread.ident or 0, OutOfTimeError)

    def run_to_the_end(self) -> None:
        """The whole check, until something ends it; where the check itself fails, whoever plays will hear why."""
        try:
            with suppress(BaseException):
                self.run()
        finally:
            self.over.set()

    def run(self) -> None:
        """Two games as they come, since watching is slow; then as many as there is time for, watched."""
        for problem in wrong_signatures(self.game):
            self.note(problem)
        room = new_room(self.game, MOST_MOVES)
        for number in (1, 2):
            if not self.problems:
                self.play_unwatched(room, number)
        for number in range(1, self.games + 1):
            if not self.problems:
                self.watch_one(self.watched, room, number)

    def play_unwatched(self, room: CheckScratch, number: int) -> None:
        """Play a game. What is wrong in it may come from something that is seen only by watching: so that is done."""
        problem = self.problem_in(room, number)
        if problem is not None:
            try:
                self.watch_one(self.watched, room, number)
            finally:
                if not self.problems:
                    self.note(problem)

    def problem_in(self, room: CheckScratch, number: int) -> RuleError | None:
        """What is wrong with the rules in a game, as far as the game itself tells."""
        try:
            self.refuse(self.play_uncompiled(self.asked, room, number), room, number)
        except RuleError as problem:
            return problem
        return None
