"""`python -m luozi.cli` is `luozi`. Ctrl-C prints nothing here either, while modules are being imported."""

from __future__ import annotations

import sys

INTERRUPTED = 130


def main() -> int:
    """Run the command and return its exit status."""
    try:
        from luozi.cli.app import main as run
    except KeyboardInterrupt:
        return INTERRUPTED
    return run()


if __name__ == "__main__":
    sys.exit(main())
