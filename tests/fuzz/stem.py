"""A process with all of Luozi loaded, from which commands branch off: each is a process of its own, without the start.

Reads one command a line as JSON (folder, words, seconds), and answers with its status, or null if it had to be ended.
"""

from __future__ import annotations

import json
import os
import pkgutil
import resource
import signal
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import luozi

LIMITS = ((resource.RLIMIT_AS, 12 * 2**30), (resource.RLIMIT_CPU, 100), (resource.RLIMIT_FSIZE, 2**28))
LIMITS += ((resource.RLIMIT_CORE, 0),)


def limit() -> None:
    """The limits of a process that is about to become a command."""
    for kind, most in LIMITS:
        resource.setrlimit(kind, (most, most))


def load_all() -> None:
    """Import every module, as the commands would."""
    for module in pkgutil.walk_packages(luozi.__path__, "luozi."):
        if not module.name.endswith(("__main__", "library_host", "keeper", "cluster")):
            import_module(module.name)


def become(folder: str, words: list[str]) -> int:
    """Be the command: its folder, its files for the three streams, its limits."""
    os.setsid()
    os.chdir(folder)
    for number, name, flags in ((0, ".input", os.O_RDONLY), (1, ".output", os.O_WRONLY), (2, ".errors", os.O_WRONLY)):
        os.dup2(os.open(name, flags | os.O_CREAT), number)
    sys.stdin, sys.stdout, sys.stderr = open(0, closefd=False), open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
    limit()
    sys.argv = ["luozi", *words]
    from luozi.cli.__main__ import main

    status = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    return status


def branch(folder: str, words: list[str], seconds: float) -> int | None:
    """Run one command; its status, or None if it did not end in time."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = become(folder, words)
        except SystemExit as left:
            status = left.code if isinstance(left.code, int) else 1
        except BaseException as error:
            os.write(2, f"Traceback: {error!r}".encode())
        finally:
            os._exit(status)
    end, done, ended = time.monotonic() + seconds, 0, 0
    while not done and time.monotonic() < end:
        done, ended = os.waitpid(child, os.WNOHANG)
        time.sleep(0 if done else 0.01)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if not done:
        os.waitpid(child, 0)
        return None
    return os.waitstatus_to_exitcode(ended)


def main() -> None:
    """Answer until the input ends."""
    load_all()
    os.environ["COLUMNS"] = "100"
    os.environ.pop("LUOZI_DEBUG", None)
    for line in sys.stdin:
        asked = json.loads(line)
        status = branch(str(Path(asked["folder"])), asked["words"], asked["seconds"])
        print(json.dumps(status), flush=True)


if __name__ == "__main__":
    main()
