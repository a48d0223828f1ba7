"""The short check of every custom class before it is played: random games, uncompiled, for at most a second.

It plays the first games of `luozi check`, so both report the same problems. Compiled rules are not compared, since
compilation takes longer than a second.
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

SECONDS = 0.6  # time after which no further rule is called
PATIENCE_SECONDS = 0.5  # time allowed for one call of a rule
MOST_MOVES = 10_000  # maximum length of a game; there is hardly time for more


def check_shortly(game: Game) -> str:
    """Play random games by a game's rules for a moment. Return the first problem, as `luozi check` would report it, or
    "".

    Raises:
        EndlessRuleError: a rule has not returned.

    >>> import luozi
    >>> check_shortly(luozi.game("tictactoe"))
    ''
    """
    checker = ShortChecker(game)
    try:
        with patience(game, PATIENCE_SECONDS), suppress(OutOfTimeError, Exception, SystemExit):
            checker.run()  # if the check itself fails, the player will meet the same error
    except EndlessRuleError:
        if not checker.problems:
            raise
    return next(iter(checker.problems.values()), "")


class OutOfTimeError(BaseException):
    """The time is up. Not an Exception, so that a rule does not catch it by mistake."""


class ShortChecker(Checker):
    """A check that ends when its time is up."""

    def __init__(self, game: Game) -> None:
        super().__init__(game, WATCHED_GAMES, 0)
        self.end = time.monotonic() + SECONDS

    def look_at_clock(self, method: str) -> None:
        """Stop the check before the next call of a rule if the time is up."""
        if time.monotonic() >= self.end:
            raise OutOfTimeError

    def note(self, problem: RuleError) -> None:
        """Keep a problem. Ambiguous names are ignored: such actions can be typed as #17."""
        if problem.kind != AMBIGUOUS and READING not in problem.kind:
            super().note(problem)

    def run(self) -> None:
        """Play two games without observing the rules, which is fast, then observed games while there is time."""
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
        """Play a game unobserved. If it shows a problem, observe the same game, which may reveal the cause."""
        try:
            GameCheck(self.game, number, self.seed, heard).play_uncompiled(MOST_MOVES)
        except RuleError as problem:
            try:
                self.watch_one(GameCheck(self.game, number, self.seed, rules), MOST_MOVES)
            finally:
                if not self.problems:
                    self.note(problem)
