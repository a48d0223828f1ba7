"""`luozi check`: play random games compiled and uncompiled, and compare them move by move.

Start with `checker.py`. `playing.py` plays one game and makes the messages, `questions.py` calls the rules,
`watched.py` observes the uncompiled rules.
"""

from luozi.check.checker import CheckReport, check_game

__all__ = ["CheckReport", "check_game"]
