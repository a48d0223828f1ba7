"""How SQLite opens a file of results only to read it, so that the file and its folder stay as they are.

In write-ahead mode SQLite makes two files beside the one that it reads, a log and an index of the log, and changes the
index. It does neither where it is told that nobody writes; so it must be known whether anybody does.
"""

from __future__ import annotations

import os
import struct
import sys
from contextlib import suppress
from pathlib import Path

RULED_OUT = "mode=ro&immutable=1"  # nobody writes: SQLite takes no locks and looks for no log
SHARED = "mode=ro"  # somebody writes: what SQLite needs to read is there already
LOCKED_BYTE = 128  # of the index: whoever has the file open in write-ahead mode holds a lock on it


def reading_mode(path: Path) -> str | None:
    """What to add to a file's address to read it; None if SQLite can't without changing anything.

    The last is so where a program was killed, and left a log that nobody has put into the file.

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
    """Whether a program holds the lock on an index, this one or another.

    A file is not opened to find out where this process may have it open: to close it would give up its locks.
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
    """Whether this process has a file open; true where that can't be known.

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
