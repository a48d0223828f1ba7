"""How much memory a program really uses.

A limit on its address space would hit programs that only reserve much: Wine, virtual machines, threads with their
stacks. So what counts is what is resident and no file's, in the program and all that it has started, wherever it went,
and somebody must look from time to time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PROCESSES = Path("/proc")


def resident_bytes(keeper: int, limit: int) -> int:
    """Of all processes that a keeper keeps, exact if it is above the limit; 0 where the system does not tell."""
    family = list(family_of(keeper))
    used = sum(kilobytes(number, "status", rb"Rss(?:Anon|Shmem)") for number in family) * 1024
    if used <= limit:
        return used
    # What several processes share was counted for each; to share it out takes the kernel longer.
    shared_out = sum(kilobytes(number, "smaps_rollup", rb"Pss_(?:Anon|Shmem)") for number in family) * 1024
    return shared_out or used


def family_of(keeper: int) -> Iterator[int]:
    """The program and all that it has started; not the keeper, nor the first process of its namespace."""
    waiting = children_of(keeper)
    if len(waiting) == 1 and is_first(waiting[0]):
        waiting = children_of(waiting[0])
    while waiting:
        number = waiting.pop()
        yield number
        waiting += children_of(number)


def children_of(number: int) -> list[int]:
    """The children that live, or lie unburied."""
    found: list[int] = []
    with suppress(OSError, ValueError):  # it may end at any time
        for thread in (PROCESSES / str(number) / "task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    return found


def is_first(number: int) -> bool:
    """Whether a process is the first one of a namespace."""
    return re.search(rb"^NSpid:.*\t1$", content(number, "status"), re.MULTILINE) is not None


def kilobytes(number: int, file: str, names: bytes) -> int:
    """The sum of some lines of a file about a process."""
    lines = re.findall(rb"^" + names + rb":\s+(\d+) kB$", content(number, file), re.MULTILINE)
    return sum(map(int, lines))


def content(number: int, file: str) -> bytes:
    """A file about a process; nothing if it has ended."""
    try:
        return (PROCESSES / str(number) / file).read_bytes()
    except OSError:
        return b""
