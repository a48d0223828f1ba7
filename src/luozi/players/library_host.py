"""Loads one strategy library of the course platform and asks it for moves. Run as a script, with nothing of Luozi.

`library_host.py LIBRARY FOLDER MEMORY`: loading a library runs its code, so before that `confine` gives up all
that a strategy does not need: files, network, other processes, root. Each measure stands for itself; what a kernel or
a container does not offer is left out. Read `main`, then `confine`.

A question is a line of numbers: M N lastX lastY noX noY, top, board. The answer is `X Y`, or `none`.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys
from contextlib import suppress
from typing import Any, TextIO

NOBODY = 65534
DESCRIPTORS = 32
# What a library may need to read: other libraries, and random numbers.
READABLE = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/dev/urandom")

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWNET = 0x0800_0000, 0x1000_0000, 0x4000_0000
CAPABILITY_VERSION = 0x2008_0522

LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446  # numbers of system calls
LANDLOCK_GET_VERSION, LANDLOCK_BENEATH = 1, 1
FILE_RIGHTS = (0, 13, 14, 15, 15)  # how many kinds of access to files a version of Landlock knows; later ones 16
READ_FILE, READ_FOLDER = 1 << 2, 1 << 3

# Programs of the kernel's packet filter, with which seccomp judges system calls.
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF_0000, 0x0005_0000 | 13  # with EACCES
NUMBER_AT, MACHINE_AT, ARGUMENTS_AT = 0, 4, 16  # where a filter finds what a call is; each argument takes 8 bytes
MACHINES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
# The calls that a strategy may need: each with its number on x86_64 and on aarch64, where there is one. They use memory
# and time, read what Landlock leaves to be read, and concern the process alone.
CALLS = """
    read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, lseek 8 62, close 3 57, fstat 5 80,
    newfstatat 262 79, statx 332 291, openat 257 56, faccessat 269 48, faccessat2 439 439, readlinkat 267 78,
    getdents64 217 61, getcwd 79 17, fcntl 72 25, dup 32 23, open 2 -, stat 4 -, lstat 6 -, access 21 -, readlink 89 -,
    mmap 9 222, munmap 11 215, mprotect 10 226, mremap 25 216, madvise 28 233, brk 12 214, futex 202 98,
    sched_yield 24 124, sched_getaffinity 204 123, getcpu 309 168, nanosleep 35 101, clock_nanosleep 230 115,
    clock_gettime 228 113, clock_getres 229 114, gettimeofday 96 169, time 201 -, times 100 153, getrusage 98 165,
    getitimer 36 102, setitimer 38 103, alarm 37 -, pause 34 -, poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72,
    sysinfo 99 179, uname 63 160, getrlimit 97 163, getpid 39 172, getppid 110 173, gettid 186 178, getuid 102 174,
    geteuid 107 175, getgid 104 176, getegid 108 177, getrandom 318 278, rt_sigaction 13 134, rt_sigprocmask 14 135,
    rt_sigreturn 15 139, rt_sigpending 127 136, rt_sigsuspend 130 133, sigaltstack 131 132, restart_syscall 219 128,
    set_tid_address 218 96, set_robust_list 273 99, rseq 334 293, arch_prctl 158 -, exit 60 93, exit_group 231 94
"""
# Those that it may need with one value of one argument: about itself, or whether something is a terminal.
OWN_CALLS = "kill 62 129, tgkill 234 131, prlimit64 302 261, ioctl 16 29"
TERMINAL_QUESTION = 0x5401  # TCGETS


class Point(ctypes.Structure):
    """What a strategy returns."""

    _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_int))


Numbers = ctypes.POINTER(ctypes.c_int)


def main() -> None:
    path, folder, memory = sys.argv[1:]
    parent = os.getppid()
    questions, answers = private_pipes()
    try:
        name = private_copy(path)
        confine(folder, parent, int(memory))
        strategy = Strategy(name)
    except (OSError, AttributeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error).split(": ", 1)[-1]
        print(reason, file=answers, flush=True)
        return
    print("ready", file=answers, flush=True)
    for line in questions:
        print(strategy.answer([int(word) for word in line.split()]), file=answers, flush=True)


def private_pipes() -> tuple[TextIO, TextIO]:
    """The pipes to Luozi, out of the library's way: whatever it prints or reads by the usual names goes nowhere."""
    questions, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nowhere, descriptor)
    return questions, answers


def private_copy(path: str) -> str:
    """A name under which the library can be loaded when its own folder can't be read any more.

    It is a copy in memory, so that building the library anew does not pull it from under a game.
    """
    if not hasattr(os, "memfd_create"):
        return path
    with open(path, "rb") as file:
        content = file.read()
    descriptor = os.memfd_create("library")
    with open(descriptor, "wb", closefd=False) as copy:
        copy.write(content)
    return f"/proc/self/fd/{descriptor}"


class Strategy:
    """The two functions of a library."""

    def __init__(self, name: str) -> None:
        library = ctypes.CDLL(name)
        self.get, self.clear = library.getPoint, library.clearPoint
        self.get.argtypes = [ctypes.c_int, ctypes.c_int, Numbers, Numbers, *[ctypes.c_int] * 4]
        self.get.restype = ctypes.POINTER(Point)
        self.clear.argtypes, self.clear.restype = [ctypes.POINTER(Point)], None

    def answer(self, numbers: list[int]) -> str:
        """One move."""
        sizes, arrays = numbers[:6], numbers[6:]
        rows, columns, *places = sizes
        top, board = (array_of(part) for part in (arrays[:columns], arrays[columns:]))
        point = self.get(rows, columns, top, board, *places)
        if not point:
            return "none"
        text = f"{point.contents.x} {point.contents.y}"
        self.clear(point)
        return text


def array_of(numbers: list[int]) -> Any:
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
    library.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # no strategy looks into another one that the same user runs
    library.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # only now, since a change of user takes it back
    if os.getppid() != parent:
        sys.exit(1)
    restrict_calls(library)


def leave_network(library: Any) -> None:
    """A network of its own without any connection; somebody who is not root needs a user namespace for that."""
    if library.unshare(CLONE_NEWNET | CLONE_NEWIPC) != 0 and os.geteuid() != 0:
        library.unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC)


def leave_root(library: Any) -> None:
    """Become nobody, without groups and capabilities."""
    if os.geteuid() == 0:
        with suppress(OSError):  # in a container that has no other users
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
    header, nothing = struct.pack("=Ii", CAPABILITY_VERSION, 0), bytes(24)
    library.capset(header, nothing)


def limit_resources(memory: int) -> None:
    """No core files, nothing written to files, no new processes, few descriptors, so many megabytes."""
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


def restrict_files(library: Any) -> None:
    """Landlock: read the system's libraries and nothing else; no TCP; no signals to other processes."""
    version = library.syscall(LANDLOCK_CREATE, None, ctypes.c_size_t(0), LANDLOCK_GET_VERSION)
    if version < 1:
        return
    rights = (1 << (FILE_RIGHTS[version] if version < len(FILE_RIGHTS) else 16)) - 1
    # Each version knows all fields of those before it: files, TCP ports from 4 on, sockets and signals from 6 on.
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


def restrict_calls(library: Any) -> None:
    """Seccomp: the calls that a strategy may need and no others.

    So there are no sockets, programs, threads, other processes, changes to files that may not even be opened, memory
    that no limit counts, and no way to outlive the keeper.
    """
    machine = os.uname().machine
    if machine not in MACHINES:
        return
    program = filter_program(machine, os.getpid())
    steps = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in program))
    library.prctl(PR_SET_SECCOMP, 2, struct.pack("@HP", len(program), ctypes.addressof(steps)), 0, 0)


def filter_program(machine: str, process: int) -> list[tuple[int, int, int, int]]:
    """The steps that judge a call; a jump tells how many steps to leave out if it is so, and if not."""
    steps = [(LOAD, 0, 0, MACHINE_AT), (JUMP_IF_EQUAL, 1, 0, MACHINES[machine]), (RETURN, 0, 0, REFUSE)]
    steps.append((LOAD, 0, 0, NUMBER_AT))
    for number in numbers_of(CALLS, machine).values():
        steps += [(JUMP_IF_EQUAL, 0, 1, number), (RETURN, 0, 0, ALLOW)]
    needed = {"kill": (0, process), "tgkill": (0, process), "prlimit64": (0, 0), "ioctl": (1, TERMINAL_QUESTION)}
    for name, number in numbers_of(OWN_CALLS, machine).items():
        argument, value = needed[name]
        steps += [(JUMP_IF_EQUAL, 0, 4, number), (LOAD, 0, 0, ARGUMENTS_AT + 8 * argument)]
        steps += [(JUMP_IF_EQUAL, 0, 1, value), (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
    return [*steps, (RETURN, 0, 0, REFUSE)]


def numbers_of(calls: str, machine: str) -> dict[str, int]:
    """The numbers of calls on a machine, by name."""
    column = 1 + list(MACHINES).index(machine)
    rows = [row.split() for row in calls.split(",")]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


if __name__ == "__main__":
    main()
