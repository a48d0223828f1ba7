"""The process that compiles for `readiness`, and how long compiling takes on this machine.

The process says a line for each player that is ready. It leaves when its input ends, also while it compiles: whoever
started it is gone then. Ctrl-C is not for it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from luozi.compiled.cache import cache_folder
from luozi.util.files import replacing
from luozi.util.parsing import read_bounded
from luozi.util.trust import environment

PLAIN = "Uct RandomPlayout NoSolver"
MOST_BYTES = 1 << 20  # of the file of times
TYPICAL_PLAIN, TYPICAL = 10.0, 30.0  # seconds on one core of 2020


def start_process(game: str, players: Sequence[str]) -> subprocess.Popen[str]:
    """Start a process that compiles for players of a game, into the cache."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "luozi.search.compile_process", game, *players],
        env={**os.environ, **environment(), "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


# In the other process -----------------------------------------------------------------------------------------------


def main(game: str, *players: str) -> None:
    """Compile for each player."""
    heard, said = own_streams()
    threading.Thread(target=leave_with, args=(heard,), daemon=True).start()
    import luozi

    chosen = luozi.game(game)
    for spelling in players:
        luozi.player(spelling, chosen).prepare()
        os.write(said, b"ready\n")


def own_streams() -> tuple[int, int]:
    """Input and output for ourselves alone: a game of the user's own may read and print what it likes."""
    heard, said = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for place in (0, 1, 2):
        os.dup2(nothing, place)
    return heard, said


def leave_with(heard: int) -> None:
    """End the process when its input ends."""
    while os.read(heard, 1):
        pass
    os._exit(1)


# How long it takes --------------------------------------------------------------------------------------------------


def times_file() -> Path:
    """Return the file of compilation times."""
    return cache_folder() / "compiling.json"


def noted_seconds() -> dict[str, float]:
    """Return the seconds that each kind of compilation took here; nothing where nothing can be read."""
    try:
        found = json.loads(read_bounded(times_file(), MOST_BYTES))
        return {str(kind): float(seconds) for kind, seconds in found.items() if 0 < float(seconds) < 1e6}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def note_seconds(kind: str, seconds: float) -> None:
    """Store the seconds as a mean with the stored ones, since a machine may be busy for once."""
    times = noted_seconds()
    times[kind] = round((times[kind] + seconds) / 2 if kind in times else seconds, 1)
    with suppress(OSError), replacing(times_file()) as unfinished:
        unfinished.write_text(json.dumps(times), encoding="utf-8")


def usual_seconds(kind: str) -> float:
    """Return the seconds it will take: as the last of its kind, the same search of another game, or a typical one.

    >>> usual_seconds("NoSuchGame Uct RandomPlayout NoSolver") > 0
    True
    """
    times = noted_seconds()
    same = [seconds for other, seconds in times.items() if other.partition(" ")[2] == kind.partition(" ")[2]]
    return times.get(kind) or max(same, default=TYPICAL_PLAIN if PLAIN in kind else TYPICAL)


if __name__ == "__main__":
    main(*sys.argv[1:])
