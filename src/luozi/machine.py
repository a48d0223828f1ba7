"""What this machine is: times that were measured mean nothing without it."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def memory_megabytes() -> int:
    """The machine's memory.

    >>> memory_megabytes() > 100
    True
    """
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20


def processor_name() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
