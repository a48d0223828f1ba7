"""What goes wrong on the user's side: one sentence that says what to do, never a traceback."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Callable, Iterable

from luozi.messages.message import Message

_told: set[str] = set()
_notice: list[Callable[[str], None]] = []


class LuoziError(Exception):
    """Bad input. The message is one sentence for the user; the command line prints it and exits with status 2.

    >>> error = LuoziError("only {count} moves were played", count=3)
    >>> str(error), error.message.values
    ('only 3 moves were played', {'count': 3})
    """

    def __init__(self, text: str = "", /, **values: object) -> None:
        """What to tell: a message, or the template of one and its values."""
        super().__init__(Message(text, **values))

    @property
    def message(self) -> Message:
        """The sentence, to be translated where it is shown."""
        message: Message = self.args[0]
        return message


LuoziError.__module__ = "luozi"  # as users import it


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


def like(wrong: str, valid: Iterable[str]) -> str:
    """The end of an error sentence that names a valid choice that looks like a wrong one, if one does.

    >>> like("gomuku", ["gomoku", "go"]), like("?", ["gomoku", "go"])
    ("; did you mean 'gomoku'?", '')
    """
    close = difflib.get_close_matches(wrong.lower(), list(valid), n=1, cutoff=0.6)
    return Message("; did you mean '{near}'?", near=close[0]) if close else ""


def nearest(wrong: str, valid: Iterable[str]) -> str:
    """The end of an error sentence that names the valid choice closest to a wrong one; empty if there is no choice.

    >>> nearest("gomuku", ["gomoku", "go"])
    "; did you mean 'gomoku'?"
    >>> nearest("?", ["gomoku", "go"])
    '; choose one of: gomoku, go'
    """
    choices = list(valid)
    return like(wrong, choices) or (Message("; choose one of: {names}", names=", ".join(choices)) if choices else "")


# What systems say most often about files; every other reason stays in English.
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
    """Why something failed: our own sentence, or what the system says.

    >>> reason_of(OSError(2, "No such file or directory", "a.txt")), reason_of(ValueError("no number"))
    ('No such file or directory', 'no number')
    """
    if isinstance(error, LuoziError):
        return error.message
    said = error.strerror if isinstance(error, OSError) else None
    return said if isinstance(said, Message) else Message(said or str(error))
