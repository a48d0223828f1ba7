"""SQLite files read page by page without SQLite, and how SQLite opens a file without changing it (`reading_mode`).

SQLite stops at the first damaged page; `read_pages` and `rows_in` read each page alone. The layout is that of SQLite's
description of its file format: pages of b-trees, in which cells hold records; overflow pages hold the rest of long
records; a write-ahead log beside the file holds newer pages.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from luozi.util.machine import memory_megabytes
from luozi.util.parsing import SqlValue, content_of, is_file

COPIES = 8  # most copies of a file in memory while it is read
HEADER = 100  # bytes, before what is on the first page
USUAL_SIZE = 4096
INDEX_INSIDE, INDEX_LEAF, TABLE_LEAF = 0x02, 0x0A, 0x0D  # the kinds of pages that hold records
LOG_HEADER, FRAME_HEADER = 32, 24
LOG_MAGIC = 0x377F0682  # the last bit tells how checksums read their words
RULED_OUT = "mode=ro&immutable=1"  # no program writes: SQLite takes no locks and looks for no log
SHARED = "mode=ro"  # a program writes: the files that SQLite needs are there already
LOCKED_BYTE = 128  # of the index: each program that has the file open in write-ahead mode locks it
INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # bytes of each kind of integer


class SqlitePages(NamedTuple):
    """The pages of a file by number, from 1."""

    size: int
    usable: int  # of a page
    content: dict[int, bytes]

    @property
    def image(self) -> bytes:
        """The file as bytes, with the pages of its log."""
        whole = b"".join(self.content.get(number, bytes(self.size)) for number in range(1, max(self.content) + 1))
        return whole[:18] + b"\1\1" + whole[20:]


class SqliteRow(NamedTuple):
    """One record, or None for a cell without a readable one."""

    values: tuple[SqlValue, ...] | None


def read_pages(path: Path) -> SqlitePages:
    """Return the pages of a file, the newest version of each."""
    most = (memory_megabytes() << 20) // COPIES
    file = content_of(path, most)
    size = int.from_bytes(file[16:18], "big")
    size = 65536 if size == 1 else size
    if size < 512 or size & (size - 1):
        size = USUAL_SIZE
    reserved = file[20] if len(file) > 20 and file[20] <= size - 480 else 0
    padded = file + bytes(-len(file) % size)
    content = {place // size + 1: padded[place : place + size] for place in range(0, len(padded), size)}
    log = path.with_name(path.name + "-wal")
    if is_file(log):
        content.update(logged_pages(content_of(log, most), size))
    return SqlitePages(size, size - reserved, content)


def logged_pages(log: bytes, size: int) -> dict[int, bytes]:
    """Return the pages of a write-ahead log, as far as it is undamaged and committed."""
    if len(log) < LOG_HEADER:
        return {}
    magic, _, found_size, _, *salts = struct.unpack(">6I", log[:24])
    if magic & ~1 != LOG_MAGIC or found_size != size:
        return {}
    order = ">" if magic & 1 else "<"
    sums = checksum(log[:24], (0, 0), order)
    committed: dict[int, bytes] = {}
    waiting: dict[int, bytes] = {}
    for place in range(LOG_HEADER, len(log) - FRAME_HEADER - size + 1, FRAME_HEADER + size):
        number, pages, *rest = struct.unpack(">6I", log[place : place + FRAME_HEADER])
        page = log[place + FRAME_HEADER : place + FRAME_HEADER + size]
        sums = checksum(page, checksum(log[place : place + 8], sums, order), order)
        if rest != [*salts, *sums] or not number:
            break
        waiting[number] = page
        if pages:  # the last frame of what was written together
            committed.update(waiting)
            waiting = {}
    return committed


def checksum(data: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    """Return the checksums of a log, continued over more data."""
    first, second = sums
    for one, other in struct.iter_unpack(f"{order}2I", data):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second


# Records --------------------------------------------------------------------------------------------------------------


def rows_in(pages: SqlitePages) -> Iterator[SqliteRow]:
    """Yield every record of every page."""
    for number, page in pages.content.items():
        start = HEADER if number == 1 else 0
        kind = page[start]
        if kind not in (INDEX_INSIDE, INDEX_LEAF, TABLE_LEAF):
            continue
        first = start + (12 if kind == INDEX_INSIDE else 8)
        for cell in range(int.from_bytes(page[start + 3 : start + 5], "big")):
            place = int.from_bytes(page[first + 2 * cell : first + 2 * cell + 2], "big")
            if first + 2 * cell + 2 > pages.size:
                break
            try:
                yield SqliteRow(record_at(pages, page, place, kind))
            except (IndexError, ValueError, KeyError):
                yield SqliteRow(None)


def record_at(pages: SqlitePages, page: bytes, place: int, kind: int) -> tuple[SqlValue, ...]:
    """Return the record of one cell. Raises IndexError, ValueError or KeyError if there is none."""
    if kind == INDEX_INSIDE:
        place += 4  # the page below
    length, place = number_at(page, place)
    if kind == TABLE_LEAF:
        _, place = number_at(page, place)  # the row's own number
    if length > pages.size * len(pages.content):
        raise ValueError("longer than the file")
    return values_of(payload_at(pages, page, place, length, kind))


def payload_at(pages: SqlitePages, page: bytes, place: int, length: int, kind: int) -> bytes:
    """Return the bytes of a record, with those on overflow pages."""
    usable = pages.usable
    most = usable - 35 if kind == TABLE_LEAF else (usable - 12) * 64 // 255 - 23
    least = (usable - 12) * 32 // 255 - 23
    if length <= most:
        return page[place : place + length]
    here = least + (length - least) % (usable - 4)
    here = here if here <= most else least
    found = bytearray(page[place : place + here])
    following = int.from_bytes(page[place + here : place + here + 4], "big")
    while len(found) < length:
        page = pages.content[following]
        following = int.from_bytes(page[:4], "big")
        found += page[4:usable]
    return bytes(found[:length])


def values_of(payload: bytes) -> tuple[SqlValue, ...]:
    """Return the columns of a record."""
    end, place = number_at(payload, 0)
    at, values = end, []
    while place < end:
        kind, place = number_at(payload, place)
        width = INTEGERS.get(kind, 8 if kind == 7 else (kind - 12) // 2 if kind >= 12 else 0)
        if at + width > len(payload):
            raise ValueError("longer than its record")
        values.append(value_of(kind, payload[at : at + width]))
        at += width
    return tuple(values)


def value_of(kind: int, data: bytes) -> SqlValue:
    """Return the value of one column."""
    if kind in INTEGERS:
        return int.from_bytes(data, "big", signed=True)
    if kind >= 12:
        return data.decode() if kind % 2 else data
    return {0: None, 7: None if kind != 7 else struct.unpack(">d", data)[0], 8: 0, 9: 1}[kind]


def number_at(data: bytes, place: int) -> tuple[int, int]:
    """Return a number of one to nine bytes (a varint), and the place after it."""
    number = 0
    for index in range(9):
        byte = data[place + index]
        if index == 8:
            return number << 8 | byte, place + 9
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return number, place + index + 1


# How SQLite opens a file without changing it -------------------------------------------------------------------------

# In write-ahead mode SQLite makes two files beside the one that it reads, a log and an index of the log, and changes
# the index. With `immutable` it does neither, which is right only while no program writes.


def reading_mode(path: Path) -> str | None:
    """Return what to add to a file's address to read it; None if SQLite would change something.

    SQLite would write where a program was killed and left a log that is not yet in the file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     reading_mode(Path(folder, "results.db"))
    'mode=ro&immutable=1'
    """
    log, index = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    if is_locked(index):
        return SHARED
    with suppress(OSError):
        if os.stat(log).st_size:
            return None
    return RULED_OUT


def is_locked(index: Path) -> bool:
    """Return whether a program, this one or another, holds the lock of an index.

    A file that this process may have open is not opened: closing it would release its locks.
    """
    if not index.exists():
        return False
    if sys.platform not in ("linux", "darwin") or is_open_here(index):
        return True
    import fcntl

    wanted = (fcntl.F_WRLCK, os.SEEK_SET, LOCKED_BYTE, 1, 0)
    order = "hhqqi4x" if sys.platform == "linux" else "qqihh"
    values = wanted if sys.platform == "linux" else (LOCKED_BYTE, 1, 0, fcntl.F_WRLCK, os.SEEK_SET)
    try:
        descriptor = os.open(index, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        found = struct.unpack(order, fcntl.fcntl(descriptor, fcntl.F_GETLK, struct.pack(order, *values)))
        return found[0 if sys.platform == "linux" else 3] != fcntl.F_UNLCK
    except OSError:
        return True
    finally:
        os.close(descriptor)


def is_open_here(path: Path) -> bool:
    """Return whether this process has a file open; true if that is unknown.

    >>> with open(__file__) as file:
    ...     is_open_here(Path(__file__))
    True
    """
    folder = "/proc/self/fd" if sys.platform == "linux" else "/dev/fd"
    try:
        about = path.stat()
        for number in os.listdir(folder):
            with suppress(OSError, ValueError):
                one = os.fstat(int(number))
                if (one.st_dev, one.st_ino) == (about.st_dev, about.st_ino):
                    return True
    except OSError:
        return True
    return False
