"""Facts about this machine, which belong to every measured time."""

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
    """Return the memory of the machine in megabytes.

    >>> memory_megabytes() > 100
    True
    """
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20


def resident_bytes() -> int:
    """Return the resident memory of this process in bytes.

    >>> resident_bytes() > 10**6
    True
    """
    import psutil

    return int(psutil.Process().memory_info().rss)


def give_back_memory() -> None:
    """Return unused memory of the C library to the system. Only glibc needs this call.

    Short-lived threads load machine code, and glibc does not give their memory to other threads.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def usual_threads() -> int:
    """Return the default number of threads: the environment variable LUOZI_THREADS, or the cores of this process.

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
    """Return the number of cores that this process may use.

    >>> cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor_name() -> str:
    """Return the name of the processor, as far as the system knows it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
