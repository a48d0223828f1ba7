"""What goes wrong on the user's side: one sentence that says what to do, never a traceback."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Callable, Iterable

_told: set[str] = set()
_notice: list[Callable[[str], None]] = []


class LuoziError(Exception):
    """Bad input. The message is one sentence for the user; the command line prints it and exits with status 2."""


class BrokenRuleError(Exception):
    """What a compiled rule says can't be; the message begins with the method and may name attributes of the game."""


class RulesWarning(UserWarning):
    """Rules that a search has noticed to be wrong: what it finds may be worth nothing."""


def on_warning(notice: Callable[[str], None]) -> None:
    """Have `notice` called with each sentence instead of a Python warning; it replaces an earlier one."""
    _notice[:] = [notice]


def warn_once(kind: str, sentence: str, category: type[Warning] = RulesWarning) -> None:
    """Say something that the user should know, the first time that it comes up; `kind` tells what is the same.

    >>> heard, before = [], list(_notice)
    >>> on_warning(heard.append)
    >>> warn_once("an example", "this is said")
    >>> warn_once("an example", "this is not")
    >>> heard
    ['this is said']
    >>> _notice[:] = before
    """
    if kind in _told:
        return
    _told.add(kind)
    if _notice:
        _notice[0](sentence)
    else:
        warnings.warn(sentence, category, stacklevel=4)  # where `think` or `choose` was called


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
