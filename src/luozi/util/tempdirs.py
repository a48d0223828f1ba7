"""Private temporary folders that are always removed.

The owner of a folder holds a lock on a file in it. A folder with a free lock was left by a process that was killed. The
next process removes it, and ends the processes that belong to it.
"""

from __future__ import annotations

import os
import shutil
import signal
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PREFIX, OWNER = "luozi-own-", "owner"
MARK = "LUOZI_FOLDER"  # environment variable of processes that belong to a folder
YOUNG_SECONDS = 60.0  # a younger folder without a lock may be about to get one


class OwnFolder:
    """A temporary folder at `path`, which exists until `remove`.

    >>> folder = OwnFolder()
    >>> folder.path.is_dir(), folder.remove(), folder.path.exists()
    (True, None, False)
    """

    def __init__(self, parent: str | None = None) -> None:
        remove_stale(parent)
        self.base = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        self._lock: int | None = os.open(self.base / OWNER, os.O_RDWR | os.O_CREAT, 0o600)
        lock(self._lock, wait=True)
        os.write(self._lock, b"locked\n")  # from now on, a free lock means that the owner is gone
        self.path = self.base / "files"
        self.path.mkdir()

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment that marks a process as belonging to this folder."""
        return {MARK: str(self.base)}

    def remove(self) -> None:
        """Remove the folder with its content."""
        if self._lock is not None:
            shutil.rmtree(self.base, ignore_errors=True)
            os.close(self._lock)
            self._lock = None

    def end_processes(self) -> None:
        """End all processes that belong to this folder."""
        end_marked(self.base)


def remove_stale(parent: str | None = None) -> None:
    """Remove the folders whose owners are gone. A folder that cannot be removed stays.

    >>> remove_stale()
    """
    with suppress(OSError):
        for entry in os.scandir(parent or tempfile.gettempdir()):
            if entry.name.startswith(PREFIX):
                with suppress(OSError):
                    remove_if_stale(Path(entry.path))


def remove_if_stale(base: Path) -> None:
    """Remove a folder if its lock is free."""
    about = base.lstat()
    if os.name != "posix" or not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid():
        return
    old = time.time() > about.st_mtime + YOUNG_SECONDS
    if old and not os.listdir(base):
        base.rmdir()
        return
    descriptor = os.open(base / OWNER, os.O_RDWR | os.O_NOFOLLOW)
    try:
        lock(descriptor)
        if old or os.fstat(descriptor).st_size:
            end_marked(base)
            shutil.rmtree(base, ignore_errors=True)
    finally:
        os.close(descriptor)


def lock(descriptor: int, wait: bool = False) -> None:
    """Lock a file until it is closed.

    Raises:
        BlockingIOError: another process holds the lock, and `wait` is off.
    """
    if os.name == "posix":
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def end_marked(base: Path) -> None:
    """End the processes that belong to a folder, including those that start meanwhile."""
    for _ in range(10):
        found = list(marked(base))
        for number in found:
            with suppress(OSError):
                os.kill(number, signal.SIGKILL)
        if not found:
            return
        time.sleep(0.01)


def marked(base: Path) -> Iterator[int]:
    """Return the processes that belong to a folder, or none if the system does not show them."""
    mark = os.fsencode(f"{MARK}={base}")
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # another user's process, or it has ended
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)
