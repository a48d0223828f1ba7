"""Text from outside - typed, or written by another program - as numbers, paths and values: the one place for it.

`int`, `Path.expanduser`, `Path.is_file` and `json.loads` fail in many ways on text that nobody foresaw: digits without
end, letters that are digits elsewhere, users that do not exist, names too long for the system, brackets without end.
Here each answers with a value, with None, or with one sentence.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Union

from luozi.messages import LuoziError, Message, reason_of

# What JSON holds; a union of words, since an alias that names itself needs quotes.
JsonValue = Union[None, bool, int, float, str, Sequence["JsonValue"], Mapping[str, "JsonValue"]]  # noqa: UP007
JsonObject = dict[str, JsonValue]
OptionValue = bool | int | float | str | None  # of a player or a game
SqlValue = str | int | float | bytes | None  # in a column of a database

SHOWN_CHARACTERS = 60
MOST_BYTES = 64 << 20  # of a file that is read whole, where nobody says otherwise
OPENING = os.O_RDONLY | sum(getattr(os, f"O_{flag}", 0) for flag in ("NONBLOCK", "NOCTTY", "CLOEXEC", "BINARY"))
MOST_LONG, PART = 1 << 38, 1 << 20  # of one that is read part by part, and of a part


def plain(text: str) -> str:
    """Text from outside, safe and short enough for one line of a message.

    >>> plain("d4\\x1b[2J"), len(plain("x" * 1000))
    ('d4?[2J', 63)
    """
    line = "".join(letter if letter.isprintable() else "?" for letter in text[: SHOWN_CHARACTERS + 1])
    return line if len(line) <= SHOWN_CHARACTERS else f"{line[:SHOWN_CHARACTERS]}..."


def shown(text: str) -> str:
    """The same in quotes.

    >>> shown("d4\\x1b[2J")
    "'d4?[2J'"
    """
    return f"'{plain(text)}'"


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
    luozi.LuoziError: nobody's home is '~nosuchuser'; write the whole path
    """
    words = os.fspath(text)
    try:
        path = Path(words).expanduser()
        os.lstat(path)
    except RuntimeError:
        raise LuoziError(
            "nobody's home is '{text}'; write the whole path", text=plain(words.partition("/")[0])
        ) from None
    except ValueError:
        raise LuoziError(
            "'{text}' can't be a file's name: it holds a character that none may hold", text=plain(words)
        ) from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise LuoziError("'{text}' is too long for a file's name", text=plain(words)) from None
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


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file to read its bytes; what a user names may as well be a device that never ends.

    Raises: OSError with a reason for people in `strerror`; a folder, a device, a pipe and a socket are refused.

    >>> open_regular("/dev/zero")
    Traceback (most recent call last):
    OSError: [Errno 22] a folder, a device or a pipe: '/dev/zero'
    """
    refuse_irregular(os.stat(path).st_mode, path)  # before it is opened: to open some devices is to use them
    descriptor = os.open(path, OPENING)
    try:
        refuse_irregular(os.fstat(descriptor).st_mode, path)  # it may be another one by now
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def refuse_irregular(mode: int, path: str | os.PathLike[str]) -> None:
    """Raise OSError about what is no regular file."""
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, Message("a folder, a device or a pipe"), os.fspath(path))


def read_bounded(path: str | os.PathLike[str], most: int = MOST_BYTES) -> bytes:
    """Read a whole regular file of at most `most` bytes: those really read count, since sizes are told falsely.

    Everything that reads a file which a user named reads it with this function, or with `content_of`.

    Raises: OSError with a reason for people in `strerror`.

    >>> read_bounded(__file__, 3)
    Traceback (most recent call last):
    OSError: [Errno 27] more than 0.0 MB: ...
    """
    return b"".join(parts_of(path, most))


def parts_of(path: str | os.PathLike[str], most: int = MOST_LONG) -> Iterator[bytes]:
    """What is in a regular file that may be longer than the memory, part by part.

    Raises: OSError with a reason for people in `strerror`.

    >>> sum(map(len, parts_of(__file__))) == len(read_bounded(__file__))
    True
    """
    with open_regular(path) as file:
        read = 0
        while part := file.read(PART):
            read += len(part)
            if read > most:
                raise OSError(
                    errno.EFBIG, Message("more than {number} MB", number=f"{most / 2**20:,.1f}"), os.fspath(path)
                )
            yield part


def content_of(path: str | os.PathLike[str], most: int = MOST_BYTES) -> bytes:
    """What is in a regular file of at most `most` bytes; one sentence if it can't be read.

    >>> content_of("no such file")
    Traceback (most recent call last):
    luozi.LuoziError: 'no such file' can't be read: No such file or directory
    """
    try:
        return read_bounded(path, most)
    except (OSError, ValueError) as error:
        raise LuoziError("'{name}' can't be read: {reason}", name=plain(str(path)), reason=reason_of(error)) from None


def json_value(text: str | bytes, of: str) -> Any:
    """The value that is written as JSON; one sentence, which begins with `of`, if it is not JSON.

    >>> json_value("[1, 2]", "the clock"), json_value("[" * 10**5, "the clock")
    Traceback (most recent call last):
    luozi.LuoziError: the clock is not JSON
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # digits or brackets without end, letters that are none
        raise LuoziError("{of} is not JSON", of=of) from None
