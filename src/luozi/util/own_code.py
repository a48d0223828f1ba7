"""The code of users' own games, which runs as modules of a name of their own."""

from __future__ import annotations

import traceback

OWN = "luozi_own_"  # how the names of these modules begin


def place_in_own_game(error: BaseException) -> str | None:
    """Where in a user's own game an error happened, and what; None if it happened elsewhere."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if frame.f_globals.get("__name__", "").startswith(OWN):
            return f"{frame.f_code.co_filename}, line {line}: {type(error).__name__}: {error}".splitlines()[0]
    return None
