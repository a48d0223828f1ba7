"""What the full search costs: with everything switched off beside plain UCT, and until it is compiled."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from rich.table import Table

import luozi
from benchmarks.measure import in_turn

# name: how many iterations take about a quarter of a second.
GAMES = {"tictactoe": 400_000, "connect4": 300_000, "gomoku": 60_000, "five3d": 60_000, "go": 30_000}
COMPILE = """
import time
from benchmarks.variants import FullEngine
import luozi
engine = FullEngine(luozi.game("%s"), seed=1)
began = time.process_time()
engine.compile()
print(time.process_time() - began)
"""


class FullEngine(luozi.Engine):
    """The full search, whether an option asks for it or not."""

    always_full = True


def seconds_to_compile(game: str) -> float:
    """CPU time to compile the full search in a fresh process with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "LUOZI_CACHE": cache}
        command = [sys.executable, "-c", COMPILE % game]
        output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(output.stdout)


def run(rounds: int = 9) -> Table:
    """The table of ratios."""
    table = Table(title=f"the full search with everything off, medians of {rounds} rounds in turn")
    for column in ("game", "plain, per CPU-second", "full", "ratio (at least 0.75)", "CPU-s to compile (at most 30)"):
        table.add_column(column, justify="left" if column == "game" else "right")
    for spelling, iterations in GAMES.items():
        game = luozi.game(spelling)
        engines = {kind.__name__: kind(game, seed=1) for kind in (luozi.Engine, FullEngine)}
        for engine in engines.values():
            engine.compile()

        def search(engine: luozi.Engine, count: int = iterations) -> None:
            engine.think(engine.game.begin(), iterations=count)

        work = {name: (lambda engine=engine: search(engine)) for name, engine in engines.items()}
        times = in_turn(work, rounds)
        plain, full = iterations / times["Engine"], iterations / times["FullEngine"]
        cells = (f"{plain:,.0f}", f"{full:,.0f}", f"{full / plain:.2f}", f"{seconds_to_compile(spelling):.1f}")
        table.add_row(spelling, *cells)
    return table
