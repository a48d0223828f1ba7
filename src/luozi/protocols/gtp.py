"""The Go Text Protocol, version 2: commands, responses, and their words as values."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from luozi.games.go.points import point_of
from luozi.messages import LuoziError
from luozi.util.parsing import shown, whole_number

COLOURS = ("black", "white")  # by the number of the player
PASS, RESIGN = "pass", "resign"
SYNTAX = "syntax error"
MOST_SECONDS = 10**6


class GtpCommand(NamedTuple):
    """One line of a controller: the number of the command, if it has one, its name and its words."""

    number: str
    name: str
    words: tuple[str, ...]


class Response(NamedTuple):
    """The response to a command: success, and a text."""

    success: bool
    text: str


def read_response(lines: Sequence[str]) -> Response | None:
    """Return the response in the lines up to the blank one, or None.

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
    """Return the command of a line without control characters and comment; its name is empty if there is none.

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
    """Return a response as it is sent, without its last line end; no line inside it may be blank.

    >>> response_text(Response(False, "unknown command"), "3")
    '?3 unknown command\\n'
    """
    lines = [line.rstrip() or " " for line in response.text.splitlines()]
    start = f"{'=' if response.success else '?'}{number}"
    return "\n".join([f"{start} {lines[0]}" if lines else start, *lines[1:], ""])


def read_colour(word: str) -> int | None:
    """Return the number of the player of a colour, or None.

    >>> read_colour("W"), read_colour("black"), read_colour("red")
    (1, 0, None)
    """
    return next((player for player, name in enumerate(COLOURS) if word.lower() in (name, name[0])), None)


def colour_in(words: Sequence[str], place: int = 0) -> int:
    """Return the colour in a place of a command; raise LuoziError if there is none.

    >>> colour_in(["w", "D4"])
    1
    """
    player = read_colour(words[place]) if len(words) > place else None
    if player is None:
        raise LuoziError("{syntax}: name a colour, b or w", syntax=SYNTAX)
    return player


def point_in(words: Sequence[str], place: int, size: int) -> int:
    """Return the point or pass in a place of a command; raise LuoziError if there is none on a board of this size.

    >>> point_in(["w", "A19"], 1, size=19)
    0
    """
    action = point_of(size, words[place]) if len(words) > place else None
    if action is None:
        what = shown(words[place]) if len(words) > place else "nothing"
        raise LuoziError("{syntax}: {what} is no point of this board, nor pass", syntax=SYNTAX, what=what)
    return action


def stones_in(words: Sequence[str], size: int) -> list[int]:
    """Return all words as points; raise LuoziError for a pass.

    >>> stones_in(["A2", "b2"], size=2)
    [0, 1]
    """
    points = [point_in(words, place, size) for place in range(len(words))]
    if size * size in points:
        raise LuoziError("{syntax}: a stone can't pass", syntax=SYNTAX)
    return points


def whole_in(words: Sequence[str], place: int, least: int, most: int) -> int:
    """Return the whole number in a place of a command; raise LuoziError if there is none within the bounds.

    >>> whole_in(["9"], 0, 2, 25)
    9
    """
    number = whole_number(words[place], least, most) if len(words) > place else None
    if number is None:
        raise LuoziError("{syntax}: give a whole number from {least} to {most}", syntax=SYNTAX, least=least, most=most)
    return number


def number_in(words: Sequence[str], place: int) -> float:
    """Return the number in a place of a command; raise LuoziError if there is none.

    >>> number_in(["-7.5"], 0)
    -7.5
    """
    try:
        number = float(words[place])
    except (IndexError, ValueError):
        raise LuoziError("{syntax}: give a number", syntax=SYNTAX) from None
    if not math.isfinite(number) or abs(number) > MOST_SECONDS:
        raise LuoziError("{syntax}: this number is too large", syntax=SYNTAX)
    return number


def seconds_in(words: Sequence[str], place: int) -> float:
    """Return the seconds in a place of a command; raise LuoziError if there are none.

    >>> seconds_in(["b", "0.5"], 1)
    0.5
    """
    seconds = number_in(words, place)
    if seconds < 0:
        raise LuoziError("{syntax}: no time is less than 0 seconds", syntax=SYNTAX)
    return seconds
