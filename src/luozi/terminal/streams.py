"""The standard streams as they are found: any of them may be closed, or full, or left by whoever read it."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import NoReturn

from luozi.messages import LuoziError

STREAMS = 3  # input, output and errors have the first numbers


class ClosedInput(io.TextIOBase):
    """A standard input that is closed: whoever reads it gets a sentence."""

    def readline(self, size: int | None = -1, /) -> NoReturn:
        """Nothing can be read."""
        raise LuoziError("the standard input is closed: give it something to read, if only < /dev/null")

    read = readline


def take_streams() -> None:
    """Make the standard streams usable, whatever the caller has done with them; one sentence if that can't be."""
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
    """Open what is closed, so that no file of ours gets the number of a standard stream."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        while (opened := os.open(os.devnull, os.O_RDWR)) < STREAMS:
            pass
        os.close(opened)


def say_error(sentence: str) -> None:
    """One sentence on standard error, if anybody can hear it; what is still in the output goes first, or nowhere."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):
        quiet_output()
    with suppress(OSError, ValueError):
        print("luozi:", " ".join(sentence.split()), file=sys.stderr or sys.stdout, flush=True)


def quiet_output() -> None:
    """Nobody reads on: let the last flush at exit go nowhere."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
