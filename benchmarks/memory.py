"""Time and resident memory of 1,000,000 iterations on 6x6x6 with three players, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

from rich.table import Table

ITERATIONS = 1_000_000
CHILD = """
import json, resource, time
import luozi
game = luozi.game("five3d")
luozi.Engine(game, seed=1).compile()
luozi.Engine(game, seed=1).think(game.new_state(), iterations=10)
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
before, began = resident(), time.process_time()
engine = luozi.Engine(game, seed=1)
thought = engine.think(game.new_state(), iterations=%d)
print(json.dumps({"seconds": time.process_time() - began, "bytes": resident() - before, "tree": thought.bytes,
                  "nodes": thought.nodes}))
"""


def run(rounds: int = 3) -> Table:
    """The table; resident memory is read from the Linux process table."""
    table = Table(title=f"five3d, {ITERATIONS:,} iterations from the empty board")
    for column in ("round", "CPU-seconds (at most 5)", "resident MB more (at most 100)", "tree MB", "nodes"):
        table.add_column(column, justify="right")
    for number in range(1, rounds + 1):
        output = subprocess.run([sys.executable, "-c", CHILD % ITERATIONS], capture_output=True, text=True, check=True)
        row = json.loads(output.stdout)
        megabytes, tree = row["bytes"] / 1e6, row["tree"] / 1e6
        table.add_row(str(number), f"{row['seconds']:.2f}", f"{megabytes:.1f}", f"{tree:.1f}", f"{row['nodes']:,}")
    return table
