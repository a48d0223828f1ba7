"""From the command to the first move: with an empty cache, and with a warm one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.table import Table

GAMES = ("tictactoe", "connect4", "gomoku", "five3d", "go")


def first_move(game: str, cache: str) -> float:
    """Seconds on the clock until `luozi think` has printed a move."""
    command = [str(Path(sys.executable).with_name("luozi")), "think", game, "--player", "mcts:iterations=1000"]
    began = time.perf_counter()
    subprocess.run(command, env={**os.environ, "LUOZI_CACHE": cache}, check=True, capture_output=True)
    return time.perf_counter() - began


def run(rounds: int = 3) -> Table:
    """The table of waits; these are clock times, so leave the machine alone meanwhile."""
    table = Table(title="seconds from the command to the first move")
    for column in ("game", "empty cache (at most 20)", "warm cache (at most 2)"):
        table.add_column(column, justify="left" if column == "game" else "right")
    for game in GAMES:
        with tempfile.TemporaryDirectory() as cache:
            cold = first_move(game, cache)
            warm = min(first_move(game, cache) for _ in range(rounds))
        table.add_row(game, f"{cold:.1f}", f"{warm:.2f}")
    return table
