"""Fuzzers: nonsense for everything that reads what others wrote. `python -m tests.fuzz`, or `make fuzz`.

Each fuzzer is a class in a file of its own; its `run` makes up one piece of nonsense from a source of chance, feeds it
to Luozi, and raises if the answer is anything but a value or one sentence. `harness` runs them by the hundred thousand
inside one process. `server` feeds messages to a server that runs, `commands` runs whole commands. The same seed gives
the same inputs.
"""

from __future__ import annotations
