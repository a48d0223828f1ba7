"""`luozi check`: random games, compiled and uncompiled, compared move by move.

`questions.py` asks the rules, `playing.py` has the game that is played and the sentences about it, `watched.py` the
eyes on the uncompiled rules; start with `checker.py`, which puts them together.
"""

from luozi.check.checker import CheckReport, check_game

__all__ = ["CheckReport", "check_game"]
