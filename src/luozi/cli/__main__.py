"""`python -m luozi.cli` is `luozi`. Ctrl-C is quiet here too, while the parts of the program are still being loaded."""

from __future__ import annotations

import sys

INTERRUPTED = 130


def main() -> int:
    """Run the command; the exit status."""
    try:
        from luozi.cli.app import main as run
    except KeyboardInterrupt:
        return INTERRUPTED
    return run()


if __name__ == "__main__":
    sys.exit(main())
