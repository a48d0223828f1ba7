"""Parse text from outside, typed or written by another program, as numbers, paths and values.

`int`, `Path.expanduser`, `Path.is_file` and `json.loads` fail in many ways on hostile text: endless digits, digits of
other scripts, unknown users, names too long for the system, endless brackets. The functions here return a value or
None, or raise one clear error.
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

# The values of JSON, as strings because the alias refers to itself.
JsonValue = Union[None, bool, int, float, str, Sequence["JsonValue"], Mapping[str, "JsonValue"]]  # noqa: UP007
JsonObject = dict[str, JsonValue]
OptionValue = bool | int | float | str | None  # an option of a player or a game
SqlValue = str | int | float | bytes | None  # a value in a column of a database

SHOWN_CHARACTERS = 60
MOST_BYTES = 64 << 20  # default limit of a file that is read whole
OPENING = os.O_RDONLY | sum(getattr(os, f"O_{flag}", 0) for flag in ("NONBLOCK", "NOCTTY", "CLOEXEC", "BINARY"))
MOST_LONG, PART = 1 << 38, 1 << 20  # limit of a file that is read in parts, and size of a part


def plain(text: str) -> str:
    """Return text from outside in a form that is safe and short enough for one line of a message.

    >>> plain("d4\\x1b[2J"), len(plain("x" * 1000))
    ('d4?[2J', 63)
    """
    line = "".join(letter if letter.isprintable() else "?" for letter in text[: SHOWN_CHARACTERS + 1])
    return line if len(line) <= SHOWN_CHARACTERS else f"{line[:SHOWN_CHARACTERS]}..."


def shown(text: str) -> str:
    """Return the same text in quotes.

    >>> shown("d4\\x1b[2J")
    "'d4?[2J'"
    """
    return f"'{plain(text)}'"


def whole_number(text: str, least: int, most: int) -> int | None:
    """Return the whole number in a text, or None if it is none or out of range. A sign and blanks are allowed.

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
    if len(digits) > len(str(max(abs(least), abs(most)))):  # `int` refuses very long numbers
        return None
    number = -int(digits) if word[0] == "-" else int(digits)
    return number if least <= number <= most else None


def path_of(text: str | os.PathLike[str]) -> Path:
    """Return the path of a text. `~` means a home folder.

    Raises:
        LuoziError: the system allows no such path.

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
    """Return whether there is such a file. A file that cannot be examined counts as missing.

    >>> is_file(__file__), is_file("x" * 300), is_file("\\0")
    (True, False, False)
    """
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file to read bytes. A device that never ends is refused.

    Raises:
        OSError: it is a folder, a device, a pipe or a socket; `strerror` has a reason for people.

    >>> open_regular("/dev/zero")
    Traceback (most recent call last):
    OSError: [Errno 22] a folder, a device or a pipe: '/dev/zero'
    """
    refuse_irregular(os.stat(path).st_mode, path)  # check before opening: opening some devices has effects
    descriptor = os.open(path, OPENING)
    try:
        refuse_irregular(os.fstat(descriptor).st_mode, path)  # check again: the file may have been replaced
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def refuse_irregular(mode: int, path: str | os.PathLike[str]) -> None:
    """Raise OSError if this is not a regular file."""
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, Message("a folder, a device or a pipe"), os.fspath(path))


def read_bounded(path: str | os.PathLike[str], most: int = MOST_BYTES) -> bytes:
    """Return the content of a regular file of at most `most` bytes. The bytes read count, since a stated size may be
    wrong.

    Every file that a user names is read by this function or by `content_of`.

    Raises:
        OSError: `strerror` has a reason for people.

    >>> read_bounded(__file__, 3)
    Traceback (most recent call last):
    OSError: [Errno 27] more than 0.0 MB: ...
    """
    return b"".join(parts_of(path, most))


def parts_of(path: str | os.PathLike[str], most: int = MOST_LONG) -> Iterator[bytes]:
    """Yield the content of a regular file in parts; it may be larger than the memory.

    Raises:
        OSError: `strerror` has a reason for people.

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
    """Return the content of a regular file of at most `most` bytes.

    Raises:
        LuoziError: it cannot be read.

    >>> content_of("no such file")
    Traceback (most recent call last):
    luozi.LuoziError: 'no such file' can't be read: No such file or directory
    """
    try:
        return read_bounded(path, most)
    except (OSError, ValueError) as error:
        raise LuoziError("'{name}' can't be read: {reason}", name=plain(str(path)), reason=reason_of(error)) from None


def json_value(text: str | bytes, of: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        LuoziError: it is not JSON. The message begins with `of`.

    >>> json_value("[1, 2]", "the clock"), json_value("[" * 10**5, "the clock")
    Traceback (most recent call last):
    luozi.LuoziError: the clock is not JSON
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # endless digits or brackets, invalid characters
        raise LuoziError("{of} is not JSON", of=of) from None
