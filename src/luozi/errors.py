"""What goes wrong on the user's side: one sentence that says what to do, never a traceback."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class LuoziError(Exception):
    """Bad input. The message is one sentence for the user; the command line prints it and exits with status 2."""


class BrokenRuleError(Exception):
    """What a compiled rule says can't be; the message begins with the method and may name attributes of the game."""


def nearest(wrong: str, valid: Iterable[str]) -> str:
    """The end of an error sentence that names the valid choice closest to a wrong one.

    >>> nearest("gomuku", ["gomoku", "go"])
    "; did you mean 'gomoku'?"
    >>> nearest("?", ["gomoku", "go"])
    '; choose one of: gomoku, go'
    """
    choices = list(valid)
    close = difflib.get_close_matches(wrong.lower(), choices, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; choose one of: {', '.join(choices)}" if choices else ""
