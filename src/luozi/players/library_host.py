"""Loads one strategy library of the Connect Four platform and asks it for moves: a script that imports nothing of
Luozi.

`library_host.py LIBRARY FOLDER MEMORY`: loading a library runs its code, so `confine` first gives up what a strategy
does not need: files, network, new processes, root. Each measure is independent; a measure that the system does not
offer is left out. The supervisor process ends this one. Read `main`, then `confine`.

A question is a line of integers: M N lastX lastY noX noY, top, board. The answer is `X Y`, or `none`.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys
from contextlib import suppress
from typing import TextIO

NOBODY = 65534
DESCRIPTORS = 32
# what a library may read: other libraries, and random numbers
READABLE = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/dev/urandom")

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWNET = 0x0800_0000, 0x1000_0000, 0x4000_0000
CAPABILITY_VERSION = 0x2008_0522

LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446  # numbers of system calls
LANDLOCK_GET_VERSION, LANDLOCK_BENEATH = 1, 1
FILE_RIGHTS = (0, 13, 14, 15, 15)  # by Landlock version: the number of kinds of access to files; later versions have 16
READ_FILE, READ_FOLDER = 1 << 2, 1 << 3


class Point(ctypes.Structure):
    """The move that a strategy returns."""

    _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_int))


Numbers = ctypes.POINTER(ctypes.c_int)


def main() -> None:
    path, folder, memory = sys.argv[1:]
    parent = os.getppid()
    questions, answers = private_pipes()
    try:
        name = private_copy(path)
        confine(folder, parent, int(memory))
        strategy = LibraryFunctions(name)
    except (OSError, AttributeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error).split(": ", 1)[-1]
        print(reason, file=answers, flush=True)
        return
    print("ready", file=answers, flush=True)
    for line in questions:
        print(strategy.answer([int(word) for word in line.split()]), file=answers, flush=True)


def private_pipes() -> tuple[TextIO, TextIO]:
    """Return the pipes to Luozi; what the library reads or prints by the usual names goes to /dev/null."""
    questions, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nowhere, descriptor)
    return questions, answers


def private_copy(path: str) -> str:
    """Return a name by which the library can be loaded after its folder can no longer be read.

    The copy is in memory, so that building the library again does not change it during a game.
    """
    if not hasattr(os, "memfd_create"):
        return path
    with open(path, "rb") as file:
        content = file.read()
    descriptor = os.memfd_create("library")
    with open(descriptor, "wb", closefd=False) as copy:
        copy.write(content)
    return f"/proc/self/fd/{descriptor}"


class LibraryFunctions:
    """The two functions of a library."""

    def __init__(self, name: str) -> None:
        library = ctypes.CDLL(name)
        self.get, self.clear = library.getPoint, library.clearPoint
        self.get.argtypes = [ctypes.c_int, ctypes.c_int, Numbers, Numbers, *[ctypes.c_int] * 4]
        self.get.restype = ctypes.POINTER(Point)
        self.clear.argtypes, self.clear.restype = [ctypes.POINTER(Point)], None

    def answer(self, numbers: list[int]) -> str:
        """Return the library's move for a question."""
        sizes, arrays = numbers[:6], numbers[6:]
        rows, columns, *places = sizes
        top, board = (array_of(part) for part in (arrays[:columns], arrays[columns:]))
        point = self.get(rows, columns, top, board, *places)
        if not point:
            return "none"
        text = f"{point.contents.x} {point.contents.y}"
        self.clear(point)
        return text


def array_of(numbers: list[int]) -> ctypes.Array[ctypes.c_int]:
    return (ctypes.c_int * len(numbers))(*numbers)


# What it gives up ------------------------------------------------------------------------------------------------


def confine(folder: str, parent: int, memory: int) -> None:
    """Give up what a strategy does not need."""
    os.environ.clear()
    os.chdir(folder)
    if sys.platform != "linux":
        limit_resources(memory)
        return
    library = ctypes.CDLL(None, use_errno=True)
    leave_network(library)
    leave_root(library)
    library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    restrict_files(library)
    limit_resources(memory)
    library.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # no strategy reads the memory of another one of the same user
    library.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # last, since a change of user cancels it
    if os.getppid() != parent:
        sys.exit(1)


def leave_network(library: ctypes.CDLL) -> None:
    """Enter a network without connections; without root this needs a user namespace."""
    if library.unshare(CLONE_NEWNET | CLONE_NEWIPC) != 0 and os.geteuid() != 0:
        library.unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC)


def leave_root(library: ctypes.CDLL) -> None:
    """Become nobody, without groups and capabilities."""
    if os.geteuid() == 0:
        with suppress(OSError):  # in a container without other users
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
    header, nothing = struct.pack("=Ii", CAPABILITY_VERSION, 0), bytes(24)
    library.capset(header, nothing)


def limit_resources(memory: int) -> None:
    """Forbid core files, writes to files and new processes; limit descriptors and memory (MB)."""
    size = memory * 2**20
    for kind, limit in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, DESCRIPTORS),
        (resource.RLIMIT_AS, size),
    ):
        hard = resource.getrlimit(kind)[1]
        least = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (least, least))


def restrict_files(library: ctypes.CDLL) -> None:
    """Allow reading the system's libraries and nothing else; no TCP, no signals to other processes (Landlock)."""
    version = library.syscall(LANDLOCK_CREATE, None, ctypes.c_size_t(0), LANDLOCK_GET_VERSION)
    if version < 1:
        return
    rights = (1 << (FILE_RIGHTS[version] if version < len(FILE_RIGHTS) else 16)) - 1
    # Each version has all fields of those before: files, TCP ports from 4 on, sockets and signals from 6 on.
    fields = [rights, 3, 3][: 1 + (version >= 4) + (version >= 6)]
    rules = struct.pack(f"={len(fields)}Q", *fields)
    ruleset = library.syscall(LANDLOCK_CREATE, rules, ctypes.c_size_t(len(rules)), 0)
    for place in READABLE:
        with suppress(OSError):
            descriptor = os.open(place, os.O_PATH)
            allowed = READ_FILE | (READ_FOLDER if os.path.isdir(place) else 0)
            library.syscall(LANDLOCK_ADD, ruleset, LANDLOCK_BENEATH, struct.pack("=Qi", allowed, descriptor), 0)
            os.close(descriptor)
    library.syscall(LANDLOCK_RESTRICT, ruleset, 0)
    os.close(ruleset)


if __name__ == "__main__":
    main()
