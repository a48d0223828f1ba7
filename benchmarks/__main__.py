"""`python -m benchmarks [NAME ...]`: run some or all of the benchmarks."""

from __future__ import annotations

import importlib
import sys

from rich.console import Console

NAMES = (
    "openspiel",
    "memory",
    "own_game",
    "variants",
    "first_move",
    "match",
    "random_match",
    "solver",
    "snapshot",
    "shared_lines",
    "board_networks",
    "networks",
    "calls",
    "lost_games",
)


def main() -> int:
    wrong = [name for name in sys.argv[1:] if name not in NAMES]
    if wrong:
        print(f"there is no benchmark '{wrong[0]}'; choose one of: {', '.join(NAMES)}", file=sys.stderr)
        return 2
    for name in sys.argv[1:] or NAMES:
        Console().print(importlib.import_module(f"benchmarks.{name}").run())
    return 0


if __name__ == "__main__":
    sys.exit(main())
