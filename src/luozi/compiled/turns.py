"""One process at a time compiles a kernel; the others wait for what it keeps.

A turn is a lock on an empty file beside the one to be made. The system frees it when its owner ends, however it ends,
so that nobody waits for the dead; and nobody waits for long, since compiling twice does no harm.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from luozi.util.tempdirs import lock

SUFFIX = ".turn"
LONGEST_WAIT_SECONDS = 120.0
_PAUSE_SECONDS = 0.05


class Turn:
    """The right to make a file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     turn, other = Turn(Path(folder) / "file"), Turn(Path(folder) / "file")
    ...     print(turn.take(), other.take(), turn.end(), other.take(), other.end())
    True False None True None
    """

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(path.name + SUFFIX)
        self._descriptor: int | None = None

    def wait(self, on_wait: Callable[[], None]) -> None:
        """Return when it is ours, or when it took too long; call `on_wait` if it is somebody else's now."""
        end = time.monotonic() + LONGEST_WAIT_SECONDS
        if self.take():
            return
        on_wait()
        while time.monotonic() < end and not self.take():
            time.sleep(_PAUSE_SECONDS)

    def take(self) -> bool:
        """Whether it is not somebody else's. Where files can't be locked it is everybody's."""
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return True
        try:
            lock(descriptor)
        except OSError as error:
            os.close(descriptor)
            return not isinstance(error, BlockingIOError)
        self._descriptor = descriptor
        return True

    def end(self) -> None:
        """Leave it to the next one."""
        if self._descriptor is not None:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None
