"""How much memory a program really uses.

A limit on its address space would hit programs that only reserve much: Wine, virtual machines, threads with their
stacks. So what counts is what is resident and its own, without the files and libraries that it shares with others, and
somebody must look from time to time.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

PROCESSES = Path("/proc")


def resident_bytes(number: int) -> int:
    """Of a process and all that it has started; 0 where the system does not tell."""
    total, waiting = 0, [number]
    while waiting:
        folder = PROCESSES / str(waiting.pop())
        with suppress(OSError, ValueError, IndexError):  # it may end at any time
            pages = (folder / "statm").read_text().split()
            total += (int(pages[1]) - int(pages[2])) * os.sysconf("SC_PAGE_SIZE")
            for thread in (folder / "task").iterdir():
                waiting += map(int, (thread / "children").read_text().split())
    return total
