"""Modules of custom games, which are imported under a name of their own."""

from __future__ import annotations

import traceback

OWN = "luozi_own_"  # prefix of the names of these modules


def place_in_own_game(error: BaseException) -> str | None:
    """Return where in a custom game an error happened, and what, or None if it happened elsewhere."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if frame.f_globals.get("__name__", "").startswith(OWN):
            return f"{frame.f_code.co_filename}, line {line}: {type(error).__name__}: {error}".splitlines()[0]
    return None
