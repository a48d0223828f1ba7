"""What this machine is: times that were measured mean nothing without it."""

from __future__ import annotations

import ctypes
import os
import platform
from contextlib import suppress
from pathlib import Path

from luozi.messages import LuoziError
from luozi.util.parsing import plain, whole_number

MOST_THREADS = 256


def memory_megabytes() -> int:
    """The machine's memory.

    >>> memory_megabytes() > 100
    True
    """
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20


def resident_bytes() -> int:
    """Return the memory that this process takes now.

    >>> resident_bytes() > 10**6
    True
    """
    import psutil

    return int(psutil.Process().memory_info().rss)


def give_back_memory() -> None:
    """Let the C library give back to the system what it holds and nobody uses; only glibc has to be told.

    Machine code is loaded by threads that come and go: what one of them needed for it, others do not find.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def usual_threads() -> int:
    """How many threads search where one person or program is waiting, and none were asked for: as many as there are
    cores for this process, or what the environment variable LUOZI_THREADS says.

    >>> usual_threads() >= 1
    True
    """
    written = os.environ.get("LUOZI_THREADS", "").strip()
    if written:
        wanted = whole_number(written, 1, MOST_THREADS)
        if wanted is None:
            raise LuoziError(
                "LUOZI_THREADS is '{written}'; write a whole number from 1 to {most}",
                written=plain(written),
                most=MOST_THREADS,
            )
        return wanted
    return min(cores(), MOST_THREADS)


def cores() -> int:
    """Return how many cores this process may use.

    >>> cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor_name() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
