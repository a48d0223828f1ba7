"""The memory that an external program and its children use.

A limit on the address space would hit programs that only reserve much: Wine, virtual machines, threads with their
stacks. So resident memory that belongs to no file counts, and it must be measured again and again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PROCESSES = Path("/proc")


def resident_bytes(keeper: int, limit: int) -> int:
    """Return the bytes that all processes below a supervisor use; 0 where the system does not say.

    The number is exact if it is above the limit.
    """
    family = list(family_of(keeper))
    used = sum(kilobytes(number, "status", rb"Rss(?:Anon|Shmem)") for number in family) * 1024
    if used <= limit:
        return used
    # Shared memory was counted for each process; dividing it takes the kernel longer.
    shared_out = sum(kilobytes(number, "smaps_rollup", rb"Pss_(?:Anon|Shmem)") for number in family) * 1024
    return shared_out or used


def family_of(keeper: int) -> Iterator[int]:
    """Yield the program and its descendants, without the supervisor and the first process of its namespace."""
    waiting = children_of(keeper)
    if len(waiting) == 1 and is_first(waiting[0]):
        waiting = children_of(waiting[0])
    while waiting:
        number = waiting.pop()
        yield number
        waiting += children_of(number)


def children_of(number: int) -> list[int]:
    """Return the children of a process, those that ended and were not waited for too."""
    found: list[int] = []
    with suppress(OSError, ValueError):  # it may end at any time
        for thread in (PROCESSES / str(number) / "task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    return found


def is_first(number: int) -> bool:
    """Return whether a process is the first one of a namespace."""
    return re.search(rb"^NSpid:.*\t1$", content(number, "status"), re.MULTILINE) is not None


def kilobytes(number: int, file: str, names: bytes) -> int:
    """Return the sum of some lines of a file about a process, in kB."""
    lines = re.findall(rb"^" + names + rb":\s+(\d+) kB$", content(number, file), re.MULTILINE)
    return sum(map(int, lines))


def content(number: int, file: str) -> bytes:
    """Return a file about a process; empty if the process has ended."""
    try:
        return (PROCESSES / str(number) / file).read_bytes()
    except OSError:
        return b""
