"""What it costs to look at a search while it goes on: one look, and ten a second."""

from __future__ import annotations

import time

from rich.table import Table

import luozi
from benchmarks.measure import in_turn

GAME, ITERATIONS = "gomoku:size=15", 200_000
MOST_SECONDS, A_SECOND = 1e-3, 10


def seconds_of_a_look(engine: luozi.Engine, looks: int = 50) -> float:
    """CPU time of `snapshot` at the end of a search, the best of some."""
    search = engine.start(engine.game.new_state(), seconds=600)
    while engine.tree.words[1] < ITERATIONS:  # the root's visits
        time.sleep(0.05)
    best = 1.0
    for _ in range(looks):
        began = time.thread_time()
        search.snapshot()
        best = min(best, time.thread_time() - began)
    search.stop()
    search.result()
    return best


def watched(engine: luozi.Engine, looks: int) -> None:
    """A search of which so many looks are taken a second of CPU time, as if nobody else used the machine."""
    search, looked_at = engine.start(engine.game.begin(), iterations=ITERATIONS), time.process_time()
    while not search.is_done:
        time.sleep(0.02)
        if looks and time.process_time() - looked_at >= 1 / looks:
            looked_at = time.process_time()
            search.snapshot()
    search.result()


def run(rounds: int = 5) -> Table:
    """The table of ratios."""
    engine = luozi.Engine(luozi.game(GAME), seed=1)
    engine.compile()
    look = seconds_of_a_look(engine)
    times = in_turn({"alone": lambda: watched(engine, 0), "watched": lambda: watched(engine, A_SECOND)}, rounds)
    table = Table(title=f"looking at a search of {ITERATIONS:,} iterations on {GAME}")
    for column in ("figure", "ratio", "at most"):
        table.add_column(column, justify="left" if column == "figure" else "right")
    ratio = times["watched"] / times["alone"]
    table.add_row("one look to a millisecond", f"{look / MOST_SECONDS:.3f}", "1")
    table.add_row(f"CPU time with {A_SECOND} looks a second to none", f"{ratio:.3f}", "1.01")
    return table
