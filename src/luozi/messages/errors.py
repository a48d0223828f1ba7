"""Errors caused by the user's input: one message that says what to do, never a traceback."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Callable, Iterable

from luozi.messages.message import Message

_told: set[str] = set()
_notice: list[Callable[[str], None]] = []


class LuoziError(Exception):
    """Bad input. The command line prints the message and exits with status 2.

    >>> error = LuoziError("only {count} moves were played", count=3)
    >>> str(error), error.message.values
    ('only 3 moves were played', {'count': 3})
    """

    def __init__(self, text: str = "", /, **values: object) -> None:
        """Make an error from a message, or from a template and its values."""
        super().__init__(Message(text, **values))

    @property
    def message(self) -> Message:
        """The message, which is translated where it is shown."""
        message: Message = self.args[0]
        return message


LuoziError.__module__ = "luozi"  # the name under which users import it


class BrokenRuleError(Exception):
    """A compiled rule returned something invalid. The message begins with the method and may name attributes of the
    game.
    """


class RulesWarning(UserWarning):
    """A search found that the rules are wrong. Its results may be worthless."""


def on_warning(notice: Callable[[str], None]) -> None:
    """Call `notice` with each warning instead of issuing a Python warning. It replaces an earlier function."""
    _notice[:] = [notice]


def warn_once(kind: str, sentence: str, category: type[Warning] = RulesWarning) -> None:
    """Warn the first time that a problem occurs. Equal problems have the same `kind`.

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
        warnings.warn(sentence, category, stacklevel=4)  # the caller of `think` or `choose`


MOST_COMPARED = 400  # characters of a wrong name: comparing 500,000 takes seconds


def like(wrong: str, valid: Iterable[str]) -> str:
    """Return the end of a message that suggests a similar valid choice, or an empty string.

    >>> like("gomuku", ["gomoku", "go"]), like("?", ["gomoku", "go"])
    ("; did you mean 'gomoku'?", '')
    """
    close = difflib.get_close_matches(wrong[:MOST_COMPARED].lower(), list(valid), n=1, cutoff=0.6)
    return Message("; did you mean '{near}'?", near=close[0]) if close else ""


def nearest(wrong: str, valid: Iterable[str]) -> str:
    """Return the end of a message that suggests the nearest valid choice, or an empty string without choices.

    >>> nearest("gomuku", ["gomoku", "go"])
    "; did you mean 'gomoku'?"
    >>> nearest("?", ["gomoku", "go"])
    '; choose one of: gomoku, go'
    """
    choices = list(valid)
    return like(wrong, choices) or (Message("; choose one of: {names}", names=", ".join(choices)) if choices else "")


# The most frequent reasons of the operating system; others stay in English.
SYSTEM = (
    Message("No such file or directory"),
    Message("Permission denied"),
    Message("Is a directory"),
    Message("Not a directory"),
    Message("File exists"),
    Message("File name too long"),
    Message("No space left on device"),
    Message("Read-only file system"),
)


def reason_of(error: BaseException) -> Message:
    """Return why something failed: our own message, or the reason of the operating system.

    >>> reason_of(OSError(2, "No such file or directory", "a.txt")), reason_of(ValueError("no number"))
    ('No such file or directory', 'no number')
    """
    if isinstance(error, LuoziError):
        return error.message
    said = error.strerror if isinstance(error, OSError) else None
    return said if isinstance(said, Message) else Message(said or str(error))
