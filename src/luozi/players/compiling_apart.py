"""The other process of `preparing`: compiles what players of a game need, and says a line for each that is ready.

It leaves when its input ends, also while it compiles: whoever started it is gone then.
"""

from __future__ import annotations

import os
import sys
import threading


def main(game: str, *players: str) -> None:
    """Compile for each player; the cache keeps it."""
    heard, said = own_streams()
    threading.Thread(target=leave_with, args=(heard,), daemon=True).start()
    import luozi
    from luozi.players import player

    chosen = luozi.game(game)
    for spelling in players:
        player(spelling, chosen).prepare()
        os.write(said, b"ready\n")


def own_streams() -> tuple[int, int]:
    """Input and output for ourselves alone: a game of the user's own may read and print what it likes."""
    heard, said = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for place in (0, 1, 2):
        os.dup2(nothing, place)
    return heard, said


def leave_with(heard: int) -> None:
    """End when the input does."""
    while os.read(heard, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
