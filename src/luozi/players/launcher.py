"""Becomes another program, which is killed when whoever started it is gone. Run as a script, with nothing of Luozi.

`launcher.py PARENT PROGRAM ARGUMENT...`: in a process of its own, since code between fork and exec is not safe beside
other threads. It is for Linux only.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, *command = sys.argv[1:]
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != int(parent):  # it was gone before we asked
        sys.exit(1)
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python; a program expects them
        signal.signal(ignored, signal.SIG_DFL)
    try:
        os.execv(command[0], command)
    except OSError as error:
        sys.exit(f"can't be started: {error.strerror}")


if __name__ == "__main__":
    main()
