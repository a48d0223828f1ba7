"""The short check that every class of a user's gets before it is played: some random games, uncompiled, in a second.

It plays the first games of `luozi check`, so that both find the same and say it in the same words. Compiled rules are
not compared here: compiling them takes longer than a second.
"""

from __future__ import annotations

import time
from contextlib import suppress

from luozi.check.checker import WATCHED_GAMES, Checker
from luozi.check.names import AMBIGUOUS, READING
from luozi.check.playing import GameCheck
from luozi.check.problems import RuleError, wrong_signatures
from luozi.check.watched import watched_game
from luozi.rules.game import Game
from luozi.rules.watchdog import EndlessRuleError, patience

SECONDS = 0.6  # until no further rule is asked
PATIENCE_SECONDS = 0.5  # with one call of a rule
MOST_MOVES = 10_000  # of a game: in this time hardly more are played


def check_shortly(game: Game) -> str:
    """Play random games by a game's rules for a moment; the first sentence that `luozi check` would say, if any.

    Raises:
        EndlessRuleError: a rule has not returned.

    >>> import luozi
    >>> check_shortly(luozi.game("tictactoe"))
    ''
    """
    checker = ShortChecker(game)
    try:
        with patience(game, PATIENCE_SECONDS), suppress(OutOfTimeError, Exception, SystemExit):
            checker.run()  # where the check itself fails, whoever plays will hear why
    except EndlessRuleError:
        if not checker.problems:
            raise
    return next(iter(checker.problems.values()), "")


class OutOfTimeError(BaseException):
    """The time is up; not an Exception, so that a rule does not catch it by mistake."""


class ShortChecker(Checker):
    """A check that ends when its time is up."""

    def __init__(self, game: Game) -> None:
        super().__init__(game, WATCHED_GAMES, 0)
        self.end = time.monotonic() + SECONDS

    def look_at_clock(self, method: str) -> None:
        """Before each call of a rule: no further one is asked when the time is up."""
        if time.monotonic() >= self.end:
            raise OutOfTimeError

    def note(self, problem: RuleError) -> None:
        """Keep what is wrong; actions with unclear names can be played all the same: they are written as #17."""
        if problem.kind != AMBIGUOUS and READING not in problem.kind:
            super().note(problem)

    def run(self) -> None:
        """Two games as they come, since watching is slow; then as many as there is time for, watched."""
        for problem in wrong_signatures(self.game):
            self.note(problem)
        heard, rules = (watched_game(self.game, self.look_at_clock, looks) for looks in (False, True))
        for number in (1, 2):
            if not self.problems:
                self.play_unwatched(number, heard, rules)
        for number in range(1, self.games + 1):
            if not self.problems:
                self.watch_one(GameCheck(self.game, number, self.seed, rules), MOST_MOVES)

    def play_unwatched(self, number: int, heard: Game, rules: Game) -> None:
        """Play a game. What is wrong in it may come from something that is seen only by watching: so that is done."""
        try:
            GameCheck(self.game, number, self.seed, heard).play_uncompiled(MOST_MOVES)
        except RuleError as problem:
            try:
                self.watch_one(GameCheck(self.game, number, self.seed, rules), MOST_MOVES)
            finally:
                if not self.problems:
                    self.note(problem)
