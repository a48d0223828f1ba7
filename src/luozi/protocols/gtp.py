"""The Go Text Protocol, version 2: commands, responses and colours. Points have their names in `games.go.points`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

COLOURS = ("black", "white")  # by the number of the player
PASS, RESIGN = "pass", "resign"


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
