"""A SQLite file read page by page, without SQLite: what is whole in a damaged file, and files that can't be opened.

SQLite gives up at the first page that is wrong; here each page is looked at alone. The layout is that of SQLite's own
description of its file format: pages of b-trees, in which cells hold records; what is too long for a page goes on in
others; a write-ahead log beside the file holds newer pages. Start with `read_pages`, then `rows_in`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from luozi.util.machine import memory_megabytes
from luozi.util.parsing import SqlValue, content_of, is_file

COPIES = 8  # of a file, at most, that are in the memory while it is read
HEADER = 100  # bytes, before what is on the first page
USUAL_SIZE = 4096
INDEX_INSIDE, INDEX_LEAF, TABLE_LEAF = 0x02, 0x0A, 0x0D  # the kinds of pages that hold records
LOG_HEADER, FRAME_HEADER = 32, 24
LOG_MAGIC = 0x377F0682  # the last bit tells how checksums read their words
INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # bytes of each kind of integer


class SqlitePages(NamedTuple):
    """The pages of a file by number, from 1."""

    size: int
    usable: int  # of a page
    content: dict[int, bytes]

    @property
    def image(self) -> bytes:
        """All of it as one file that needs no log."""
        whole = b"".join(self.content.get(number, bytes(self.size)) for number in range(1, max(self.content) + 1))
        return whole[:18] + b"\1\1" + whole[20:]


class SqliteRow(NamedTuple):
    """One record; None where a cell holds none that can be read."""

    values: tuple[SqlValue, ...] | None


def read_pages(path: Path) -> SqlitePages:
    """The pages of a file, the newest of each, whatever they hold."""
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
    """The pages of a write-ahead log, as far as it is whole and committed."""
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
    """The sums of a log, gone on with."""
    first, second = sums
    for one, other in struct.iter_unpack(f"{order}2I", data):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second


# Records --------------------------------------------------------------------------------------------------------------


def rows_in(pages: SqlitePages) -> Iterator[SqliteRow]:
    """Every record that stands on any page."""
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
    """The record of one cell; an error of some kind if it is none."""
    if kind == INDEX_INSIDE:
        place += 4  # the page below
    length, place = number_at(page, place)
    if kind == TABLE_LEAF:
        _, place = number_at(page, place)  # the row's own number
    if length > pages.size * len(pages.content):
        raise ValueError("longer than the file")
    return values_of(payload_at(pages, page, place, length, kind))


def payload_at(pages: SqlitePages, page: bytes, place: int, length: int, kind: int) -> bytes:
    """The bytes of a record, with those that are on other pages."""
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
    """The columns of a record."""
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
    """One column."""
    if kind in INTEGERS:
        return int.from_bytes(data, "big", signed=True)
    if kind >= 12:
        return data.decode() if kind % 2 else data
    return {0: None, 7: None if kind != 7 else struct.unpack(">d", data)[0], 8: 0, 9: 1}[kind]


def number_at(data: bytes, place: int) -> tuple[int, int]:
    """A number of one to nine bytes, and the place after it."""
    number = 0
    for index in range(9):
        byte = data[place + index]
        if index == 8:
            return number << 8 | byte, place + 9
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return number, place + index + 1
