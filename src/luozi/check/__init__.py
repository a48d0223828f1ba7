"""`luozi check`: random games, compiled and uncompiled, compared move by move.

`playing.py` has the game that is played, `watched.py` the eyes on the uncompiled rules, `problems.py` the sentences;
start with `checker.py`, which puts them together.
"""

from luozi.check.checker import CheckReport, check_game

__all__ = ["CheckReport", "check_game"]
