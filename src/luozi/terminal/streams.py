"""The standard streams, any of which may be closed or full."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import NoReturn

from luozi.messages import LuoziError

STREAMS = 3  # input, output and errors have the first descriptors


class ClosedInput(io.TextIOBase):
    """A standard input that is closed: reading raises LuoziError."""

    def readline(self, size: int | None = -1, /) -> NoReturn:
        """Raise LuoziError."""
        raise LuoziError("the standard input is closed: give it something to read, if only < /dev/null")

    read = readline


def take_streams() -> None:
    """Make the standard streams usable in UTF-8.

    Raises:
        LuoziError: the standard output is closed.
    """
    fill_places()
    if sys.stdin is None:
        sys.stdin = ClosedInput()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  for as long as the program runs
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    if sys.stdout is None:
        raise LuoziError("the standard output is closed: let it go somewhere, if only to /dev/null")


def fill_places() -> None:
    """Open closed descriptors, so that no other file gets the number of a standard stream."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        while (opened := os.open(os.devnull, os.O_RDWR)) < STREAMS:
            pass
        os.close(opened)


def say_error(sentence: str) -> None:
    """Print a message on standard error, after what is still in the output."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):
        quiet_output()
    with suppress(OSError, ValueError):
        print("luozi:", " ".join(sentence.split()), file=sys.stderr or sys.stdout, flush=True)


def quiet_output() -> None:
    """Let the last flush at exit write to /dev/null, since nobody reads on."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
