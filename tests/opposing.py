"""Opponents of our own for outside players, built from `opponents/`, and games against them."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from luozi.players import player
from luozi.players.base import ForfeitError

SOURCES = Path(__file__).parent / "opponents"


@cache
def folder() -> tempfile.TemporaryDirectory:
    """Where they are built; it is removed at the end."""
    return tempfile.TemporaryDirectory(prefix="opponents-")


@cache
def built(source: str, *options: str) -> str:
    """The path of an opponent."""
    compiler, place = shutil.which("cc"), Path(folder().name)
    if compiler is None:
        pytest.skip("there is no C compiler: install gcc, or build-essential")
    path = place / f"{len(list(place.iterdir()))}-{source}"
    subprocess.run([compiler, "-w", "-O1", *options, "-o", path, SOURCES / source], check=True)
    return str(path)


def play_out(outside, seat, expected=None, opening=(), seed=1, most=10_000):
    """A game against random moves; what the outside player did to forfeit it, or nothing."""
    game = outside.game
    rival, position = player("random", game, seed=seed), game.begin().after(opening)
    for _ in range(most):
        if position.returns is not None:
            break
        own = position.to_move == seat
        try:
            action = outside.choose(position) if own else rival.choose(position)
        except ForfeitError as error:
            return str(error)
        assert not own or expected is None or action == expected(game, position.state)
        position = position.play(action)
    return ""


def number_of(game, state, own, other):
    """What the opponents of our own make of a position: its stones, weighted by their cells."""
    player = game.current_player(state)
    stones = [game.stone_at(state, cell) for cell in range(game.cells)]
    return sum((cell + 1) * (own if stone == player + 1 else other) for cell, stone in enumerate(stones) if stone > 0)


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def running_with(word: str) -> list[int]:
    """The processes with a word in their command, whatever became of them."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if word.encode() in (place / "cmdline").read_bytes() and is_running(int(place.name)):
                found.append(int(place.name))
    return found


def eventually(condition) -> bool:
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()
