"""The Go Text Protocol, version 2: commands, responses and colours. Points have their names in `games.go.points`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

COLOURS = ("black", "white")  # by the number of the player
PASS, RESIGN = "pass", "resign"


class GtpCommand(NamedTuple):
    """One line of a controller: the number it gave the command, if any, its name and its words."""

    number: str
    name: str
    words: tuple[str, ...]


class Response(NamedTuple):
    """What an engine answers to one command: whether it could do it, and a text."""

    success: bool
    text: str


def read_response(lines: Sequence[str]) -> Response | None:
    """The lines up to the blank one as a response; None if they are not one.

    >>> read_response(["= D4"]), read_response(["?3 unknown command"])
    (Response(success=True, text='D4'), Response(success=False, text='unknown command'))
    >>> read_response(["D4"]) is None
    True
    """
    match = re.match(r"([=?])[0-9]*(.*)", lines[0]) if lines else None
    if match is None:
        return None
    return Response(match[1] == "=", "\n".join([match[2], *lines[1:]]).strip())


def read_command(line: str) -> GtpCommand:
    """A line as a command: control characters go, a tab is a space, `#` begins a comment. No name: nothing was asked.

    >>> read_command("12 play\\tb D4 # a remark\\r")
    GtpCommand(number='12', name='play', words=('b', 'D4'))
    >>> read_command("# only a remark").name
    ''
    """
    text = "".join(letter for letter in line.replace("\t", " ") if letter >= " " and letter != "\x7f")
    words = text.partition("#")[0].split()
    number = words.pop(0) if words and words[0].isascii() and words[0].isdigit() else ""
    return GtpCommand(number, words[0] if words else "", tuple(words[1:]))


def response_text(response: Response, number: str = "") -> str:
    """An answer as it is sent, but for its last line end: no line inside it may be blank.

    >>> response_text(Response(False, "unknown command"), "3")
    '?3 unknown command\\n'
    """
    lines = [line.rstrip() or " " for line in response.text.splitlines()]
    start = f"{'=' if response.success else '?'}{number}"
    return "\n".join([f"{start} {lines[0]}" if lines else start, *lines[1:], ""])


def read_colour(word: str) -> int | None:
    """The number of the player that a word means.

    >>> read_colour("W"), read_colour("black"), read_colour("red")
    (1, 0, None)
    """
    return next((player for player, name in enumerate(COLOURS) if word.lower() in (name, name[0])), None)
