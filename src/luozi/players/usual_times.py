"""How long compiling takes: what it took on this machine before, or else what is typical."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from luozi.compiled.cache import cache_folder
from luozi.util.files import replacing
from luozi.util.parsing import read_bounded

PLAIN = "Uct RandomPlayout NoProofs"
MOST_BYTES = 1 << 20  # of the file
TYPICAL_PLAIN, TYPICAL = 10.0, 30.0  # seconds on one core of 2020


def times_file() -> Path:
    """Where the times are kept."""
    return cache_folder() / "compiling.json"


def noted() -> dict[str, float]:
    """The seconds that each kind of compilation took here; nothing where nothing can be read."""
    try:
        found = json.loads(read_bounded(times_file(), MOST_BYTES))
        return {str(kind): float(seconds) for kind, seconds in found.items() if 0 < float(seconds) < 1e6}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def note_seconds(kind: str, seconds: float) -> None:
    """Remember how long it took; half of what was known before stays, since a machine may be busy for once."""
    times = noted()
    times[kind] = round((times[kind] + seconds) / 2 if kind in times else seconds, 1)
    with suppress(OSError), replacing(times_file()) as unfinished:
        unfinished.write_text(json.dumps(times), encoding="utf-8")


def usual_seconds(kind: str) -> float:
    """About how long it will take: as the last of its kind, or the same search of another game, or a typical one.

    >>> usual_seconds("NoSuchGame Uct RandomPlayout NoProofs") > 0
    True
    """
    times = noted()
    same = [seconds for other, seconds in times.items() if other.partition(" ")[2] == kind.partition(" ")[2]]
    return times.get(kind) or max(same, default=TYPICAL_PLAIN if PLAIN in kind else TYPICAL)
