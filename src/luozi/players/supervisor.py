"""Runs an external program and ends with it and all its descendants: a script that imports nothing of Luozi.

`supervisor.py PARENT PROGRAM ARGUMENT...`, for Linux. On SIGTERM, or when its parent is gone, it kills the program and
all descendants, also those in sessions of their own. Where the system allows it, they live in a process namespace,
which the kernel ends with its first process, so nothing can leave it. Elsewhere orphans become children of the
supervisor (a subreaper), which kills them. The supervisor ends with the status of the program. Read `main`.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import time
from contextlib import suppress
from typing import NoReturn

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID = 0x0002_0000, 0x0800_0000, 0x2000_0000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 2, 4, 8, 0x4000, 0x4_0000
LAST_SECONDS = 2.0  # for the descendants to end
READY = b"!"


class EndRequestedError(Exception):
    """SIGTERM came, from Luozi or because Luozi is gone."""


def main() -> None:
    parent, *command = sys.argv[1:]
    library = ctypes.CDLL(None, use_errno=True)
    signal.signal(signal.SIGTERM, request_received)
    status = None
    try:
        die_with_parent(library, signal.SIGTERM, int(parent))
        status = live_in_namespace(library, command or ["/bin/true"])
        if not command:  # only asked whether there are namespaces
            os._exit(status is None)
        status = live_with_subreaper(library, command) if status is None else status
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    except EndRequestedError:
        pass
    end_family()
    end_as(status)


def request_received(*_about: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second SIGTERM would end it before its descendants
    raise EndRequestedError


def die_with_parent(library: ctypes.CDLL, how: int, parent: int) -> None:
    """Let the system send a signal when the parent is gone, as it may be already."""
    library.prctl(PR_SET_PDEATHSIG, how, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def start(library: ctypes.CDLL, command: list[str]) -> int:
    """Start the program in a session of its own; return its number."""
    keeper = os.getpid()
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            for changed in (signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ):  # changed by Python and by this script
                signal.signal(changed, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
            die_with_parent(library, signal.SIGKILL, keeper)
            os.execv(command[0], command)
        except OSError as error:
            os.write(2, f"can't be started: {error.strerror}\n".encode())
        finally:
            os._exit(1)
    leave_pipes()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    return child


def leave_pipes() -> None:
    """Close the pipes to Luozi: whoever reads must notice when the program closes them."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


def wait_for(child: int) -> int:
    """Return the status of a child when it ends; wait for orphans too."""
    while True:
        number, status = os.wait()
        if number == child:
            return status


# A namespace ----------------------------------------------------------------------------------------------------------


def live_in_namespace(library: ctypes.CDLL, command: list[str]) -> int | None:
    """Run the program in a process namespace; return its status, or None if there is none to be had."""
    own = os.open("/proc/self/ns/pid", os.O_RDONLY)
    if library.unshare(CLONE_NEWPID) != 0:
        return None
    reading, writing = os.pipe()
    our_end, lifeline = os.pipe()  # the second end closes with the supervisor
    first = os.fork()
    if first == 0:
        os.close(reading)
        os.close(lifeline)
        be_first_process(library, command, writing, our_end)
    os.close(writing)
    os.close(our_end)
    if os.read(reading, 1) != READY:
        os.waitpid(first, 0)
        library.setns(own, CLONE_NEWPID)  # so that children can be started again
        return None
    leave_pipes()
    words = os.read(reading, 32)
    os.waitpid(first, 0)
    return int(words) if words else int(signal.SIGKILL)


def be_first_process(library: ctypes.CDLL, command: list[str], writing: int, lifeline: int) -> NoReturn:
    """Run as the first process, with which the namespace ends; nothing inside can signal it."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    library.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    os.set_blocking(lifeline, False)
    try:
        with suppress(BlockingIOError):
            os.read(lifeline, 1)
            os._exit(1)  # the supervisor was gone before PR_SET_PDEATHSIG
        library.unshare(CLONE_NEWIPC)  # shared memory that nobody removes would survive the program
        if show_own_processes(library):
            os.write(writing, READY)
            os.write(writing, str(wait_for(start(library, command))).encode())
    finally:
        os._exit(0)


def show_own_processes(library: ctypes.CDLL) -> bool:
    """Mount /proc again: a program must find itself by its number."""
    if library.unshare(CLONE_NEWNS) != 0 or library.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) != 0:
        return False
    return library.mount(b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, None) == 0


# Elsewhere ------------------------------------------------------------------------------------------------------------


def live_with_subreaper(library: ctypes.CDLL, command: list[str]) -> int:
    """Run the program; orphans become children of this process. Return the program's status."""
    library.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return wait_for(start(library, command))


def end_family() -> None:
    """Kill all descendants, also those that start meanwhile."""
    end = time.monotonic() + LAST_SECONDS
    while (family := descendants()) and time.monotonic() < end:
        for number in family:
            with suppress(OSError):
                os.kill(number, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.002)


def descendants() -> list[int]:
    """Return the processes below this one."""
    children: dict[int, list[int]] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
            parent = int(file.read().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(name))
    found = list(children.get(os.getpid(), ()))
    for number in found:
        found += children.get(number, ())
    return found


def end_as(status: int | None) -> None:
    """End with the status of the program: the same number, or by the same signal."""
    if status is None or not os.WIFSIGNALED(status):
        os._exit(1 if status is None else os.waitstatus_to_exitcode(status))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    number = os.WTERMSIG(status)
    with suppress(OSError):  # SIGKILL can't be changed
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)


if __name__ == "__main__":
    main()
