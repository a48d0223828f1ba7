"""Text from outside - typed, or written by another program - as numbers, paths and values: the one place for it.

`int`, `Path.expanduser`, `Path.is_file` and `json.loads` fail in many ways on text that nobody foresaw: digits without
end, letters that are digits elsewhere, users that do not exist, names too long for the system, brackets without end.
Here each answers with a value, with None, or with one sentence.
"""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

from luozi.errors import LuoziError

SHOWN_CHARACTERS = 60


def shown(text: str) -> str:
    """Text from outside in quotes, safe and short enough for one line of a message.

    >>> shown("d4\\x1b[2J"), len(shown("x" * 1000))
    ("'d4?[2J'", 65)
    """
    line = "".join(letter if letter.isprintable() else "?" for letter in text[: SHOWN_CHARACTERS + 1])
    return f"'{line}'" if len(line) <= SHOWN_CHARACTERS else f"'{line[:SHOWN_CHARACTERS]}...'"


def whole_number(text: str, least: int, most: int) -> int | None:
    """A whole number in plain digits, with or without a sign, blanks around it; None if it is not one in the range.

    >>> whole_number(" 19 ", 1, 25), whole_number("-3", -9, 9), whole_number("26", 1, 25), whole_number("²", 0, 9)
    (19, -3, None, None)
    >>> whole_number("9" * 5000, 0, 10**9) is None
    True
    """
    word = text.strip()
    digits = word[1:] if word[:1] in ("+", "-") else word
    if not (digits.isascii() and digits.isdigit()):
        return None
    digits = digits.lstrip("0") or "0"
    if len(digits) > len(str(max(abs(least), abs(most)))):  # so that no length is too much for `int`
        return None
    number = -int(digits) if word[0] == "-" else int(digits)
    return number if least <= number <= most else None


def path_of(text: str | os.PathLike[str]) -> Path:
    """The path that is written, `~` read as a home; one sentence if the system can have no such path.

    >>> path_of("games/mine.txt").name
    'mine.txt'
    >>> path_of("~nosuchuser/game.txt")
    Traceback (most recent call last):
    luozi.errors.LuoziError: nobody's home is '~nosuchuser'; write the whole path
    """
    words = os.fspath(text)
    try:
        path = Path(words).expanduser()
        os.lstat(path)
    except RuntimeError:
        raise LuoziError(f"nobody's home is {shown(words.partition('/')[0])}; write the whole path") from None
    except ValueError:
        raise LuoziError(f"{shown(words)} can't be a file's name: it holds a character that none may hold") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise LuoziError(f"{shown(words)} is too long for a file's name") from None
    return path


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is such a file; whatever can't be looked at is none.

    >>> is_file(__file__), is_file("x" * 300), is_file("\\0")
    (True, False, False)
    """
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def content_of(path: Path) -> bytes:
    """What is in a file; one sentence if it can't be read.

    >>> content_of(Path("no such file"))
    Traceback (most recent call last):
    luozi.errors.LuoziError: 'no such file' can't be read: No such file or directory
    """
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise LuoziError(f"{shown(str(path))} can't be read: {reason}") from None


def json_value(text: str | bytes, of: str) -> Any:
    """The value that is written as JSON; one sentence, which begins with `of`, if it is not JSON.

    >>> json_value("[1, 2]", "the clock"), json_value("[" * 10**5, "the clock")
    Traceback (most recent call last):
    luozi.errors.LuoziError: the clock is not JSON
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # digits or brackets without end, letters that are none
        raise LuoziError(f"{of} is not JSON") from None
