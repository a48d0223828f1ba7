"""`python -m tests.fuzz [NAME...] --inputs 100000 --messages 100000 --commands 100 --seed 1`: run fuzzers.

All of them are run if none is named.
"""

from __future__ import annotations

import argparse
import resource
import sys

from .commands import fuzz_commands
from .harness import FUZZERS, fuzz
from .server import fuzz_server

MOST_MEMORY = 4 * 2**30  # bytes; what takes more is a failure here, not a machine that stands still


def main() -> int:
    """Run what is asked for; 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Feed nonsense to Luozi.")
    known = ", ".join(FUZZERS)
    parser.add_argument("names", nargs="*", choices=[[], *FUZZERS], metavar="NAME", help=f"{known}; not given, all")
    parser.add_argument("--inputs", type=int, default=100_000, help="inside this process, in all")
    parser.add_argument("--files", type=int, default=0, help="of those, damaged files of each kind at least")
    parser.add_argument("--commands", type=int, default=0, help="whole commands, each a process")
    parser.add_argument("--messages", type=int, default=0, help="to a server that runs")
    parser.add_argument("--workers", type=int, default=None, help="commands at once; not given, one a core")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first try, to repeat one")
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    failures = (
        fuzz(given.names or list(FUZZERS), given.inputs, given.seed, given.first, given.files) if given.inputs else 0
    )
    if given.messages:
        failures += fuzz_server(given.messages, given.seed)
    if given.commands:
        failures += fuzz_commands(given.commands, given.seed, given.first, given.workers)
    print("no failures" if not failures else f"{failures} failures")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
