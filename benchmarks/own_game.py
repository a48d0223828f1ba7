"""Gomoku as a user writes it, and our own class copied into a user's file, beside the built-in."""

from __future__ import annotations

import inspect
import re
import tempfile
from pathlib import Path

from rich.table import Table

import luozi
from benchmarks.measure import in_turn
from luozi.games.lines import drawing
from luozi.games.lines.rules import Lines

ITERATIONS = 200_000
PLAIN = Path(__file__).with_name("plain_gomoku.py")


def copied_class(folder: Path) -> Path:
    """Our Lines in a file of a user's, with a small class for gomoku."""
    source = Path(inspect.getfile(Lines)).read_text(encoding="utf-8")
    helpers = Path(drawing.__file__).read_text(encoding="utf-8").replace("from __future__ import annotations\n", "")
    source = re.sub(r"from luozi\.games\.drawing import.*\n", lambda _: helpers, source)
    path = folder / "copied.py"
    gomoku = "\n\nclass Gomoku(Lines):\n    def __init__(self) -> None:\n        super().__init__(1, 15, 15, 5)\n"
    path.write_text(source + gomoku, encoding="utf-8")
    return path


def run(rounds: int = 5) -> Table:
    """The table of ratios to the built-in."""
    table = Table(title=f"gomoku 15x15, {ITERATIONS:,} iterations, medians of {rounds} rounds in turn")
    for column in ("class", "iterations per CPU-second", "ratio", "target"):
        table.add_column(column, justify="left" if column == "class" else "right")
    with tempfile.TemporaryDirectory() as folder:
        copied = copied_class(Path(folder))
        games = {"built-in": "gomoku", "plain, with is_legal": str(PLAIN), "our class, copied": str(copied)}
        made = {name: luozi.game(spelling) for name, spelling in games.items()}
        for game in made.values():
            luozi.Engine(game, seed=1).compile()
        work = {
            name: (lambda game=game: luozi.Engine(game, c=1.0, seed=1).think(game.new_state(), iterations=ITERATIONS))
            for name, game in made.items()
        }
        times = in_turn(work, rounds)
    targets = {"built-in": "", "plain, with is_legal": "0.5", "our class, copied": "1"}
    for name, seconds in times.items():
        ratio = times["built-in"] / seconds
        table.add_row(name, f"{ITERATIONS / seconds:,.0f}", f"{ratio:.2f}", targets[name])
    return table
