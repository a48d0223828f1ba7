"""An external program: started under a supervisor process, asked line by line within deadlines, and always ended.

`Program` is what a player uses. One thread for each program starts it, reads its output and waits for its end. The
thread lives as long as the program: Linux signals a child when the thread that started it is gone (see `supervisor`),
so neither a program nor its children survive Luozi, however Luozi ends.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from luozi.limits import NEVER, Cancel
from luozi.messages import Message
from luozi.players.base import ForfeitError, StoppedError
from luozi.players.memory_usage import resident_bytes
from luozi.util.parsing import shown
from luozi.util.tempdirs import OwnFolder
from luozi.util.trust import VARIABLE

SUPERVISOR = Path(__file__).with_name("supervisor.py")
ERROR_BYTES = 2**12  # bytes of the end of its standard error that are kept
CHUNK_BYTES = 2**16
TICK = 0.1  # seconds between two measurements of its memory
LINE_BYTES = 2**16  # the longest line
ANSWER_BYTES = 2**20  # the most bytes from one question to the next
ANSWER_LINES = 2**16  # and the most lines
STOPPED = "the program was stopped before it answered"
LAST_SECONDS = 1.0  # for a program to end by itself
END_SECONDS = 3.0  # for the supervisor to end it; more than it needs


class ReplyDeadline:
    """The deadline of an answer, from now on. `grace` is for the pipes; `cancel` ends the wait."""

    def __init__(self, seconds: float, grace: float = 0.0, cancel: Cancel = NEVER) -> None:
        self.seconds, self.cancel = seconds, cancel
        self.end = time.monotonic() + seconds + grace

    @property
    def left(self) -> float:
        """The seconds left, never less than 0."""
        return max(0.0, self.end - time.monotonic())


class LineSplitter:
    """Splits bytes into lines that end with LF, CR LF or CR; each byte is read once.

    >>> splitter = LineSplitter()
    >>> splitter.feed(b"= D4\\r\\n\\r"), splitter.feed(b"\\nso"), splitter.feed(b"on\\n")
    ([b'= D4', b''], [], [b'soon'])
    """

    def __init__(self) -> None:
        self.rest = bytearray()  # the start of a line
        self.after_return = False  # the last byte was a CR, and a LF may follow it
        self.bytes = self.lines = 0  # since the last question
        self.longest = 0  # of the lines so far

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that are complete now."""
        if not chunk:
            return []
        self.bytes += len(chunk)
        text = chunk.removeprefix(b"\n") if self.after_return else chunk
        self.after_return = text.endswith(b"\r")
        first, *others = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self.rest += first
        lines = [bytes(self.rest), *others[:-1]] if others else []
        if others:
            self.rest = bytearray(others[-1])
        self.lines += len(lines)
        self.longest = max(self.longest, len(self.rest), *map(len, lines))
        return lines

    def forget(self) -> None:
        """Start counting bytes and lines again, for a new question."""
        self.bytes = self.lines = 0

    @property
    def flood(self) -> str:
        """The limit that was exceeded, as the end of a sentence; empty if none was."""
        if self.bytes > ANSWER_BYTES:
            return Message("wrote more than {most} MB at once", most=ANSWER_BYTES // 2**20)
        if self.lines > ANSWER_LINES:
            return Message("wrote more than {most} lines at once", most=f"{ANSWER_LINES:,}")
        return (
            Message("wrote a line of more than {most} KB", most=LINE_BYTES // 2**10)
            if self.longest > LINE_BYTES
            else ""
        )


class Program:
    """A running program. Whatever fails raises ForfeitError, and the program is ended."""

    def __init__(
        self,
        command: Sequence[str],
        folder: OwnFolder | None = None,
        memory: int | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """Start a program; `folder` is removed when it has ended, `memory` is in MB."""
        if sys.platform == "linux":
            command = [*supervisor_command(), *command]
        self._run = _Run(command, folder or OwnFolder(), memory, environment)
        self._run.start()
        self._run.begun.wait()
        weakref.finalize(self, self._run.end)  # when nobody refers to it, at the latest when Python ends

    @property
    def over(self) -> bool:
        """Whether the program has ended."""
        return self._run.over

    def send(self, text: str, clock: ReplyDeadline) -> None:
        """Write lines to the program, and discard what it wrote before."""
        run = self._run
        with run.changed:
            run.lines.clear()
            run.splitter.forget()
        data = f"{text}\n".encode()
        left = data[run.write(data) :]
        if left:
            self._send_rest(left, clock)
        elif clock.cancel.is_set():
            raise StoppedError(STOPPED)

    def _send_rest(self, left: bytes, clock: ReplyDeadline) -> None:
        """Write as the program reads, until the deadline or a cancel."""
        run, (heard, wake) = self._run, socket.socketpair()
        with heard, wake, clock.cancel.calling(lambda: wake.sendall(b"!")), selectors.DefaultSelector() as selector:
            selector.register(heard, selectors.EVENT_READ)
            with run.changed:
                if not run.over:
                    selector.register(run.process.stdin, selectors.EVENT_WRITE)  # type: ignore[union-attr, arg-type]
            while left and not run.over:
                selector.select(clock.left)
                if clock.cancel.is_set():
                    raise StoppedError(STOPPED)
                left = left[run.write(left) :]
                if left and not clock.left and not run.over:
                    self._give_up(Message("did not read its input within {seconds} s", seconds=f"{clock.seconds:g}"))

    def line(self, clock: ReplyDeadline) -> str:
        """Return the next line of the program; the time when it came counts, not the time when it is read."""
        run, cancel = self._run, clock.cancel
        with cancel.calling(run.wake), run.changed:
            run.changed.wait_for(lambda: run.lines or run.over or cancel.is_set(), clock.left)
            if run.lines and run.lines[0][0] <= clock.end:
                return run.lines.popleft()[1]
        if cancel.is_set():
            raise StoppedError(STOPPED)
        if not run.over:
            self._give_up(Message("did not answer within {seconds} s", seconds=f"{clock.seconds:g}"))
        raise ForfeitError(run.reason)

    def _give_up(self, reason: str) -> None:
        self._run.kill(reason)
        raise ForfeitError(reason)

    def end(self, farewell: str = "") -> None:
        """End the program: by its farewell command if it obeys soon, else by force."""
        if farewell and not self._run.over:
            self._run.write(f"{farewell}\n".encode())
            self._run.join(LAST_SECONDS)
        self._run.end()


class _Run(threading.Thread):
    """The thread of one process, from its start to its end."""

    def __init__(
        self, command: Sequence[str], folder: OwnFolder, memory: int | None, environment: Mapping[str, str]
    ) -> None:
        super().__init__(name="outside program", daemon=True)
        self.command, self.folder, self.memory = command, folder, memory
        # the program does not inherit the approvals of the user
        self.environment = {name: value for name, value in environment.items() if name != VARIABLE} | folder.environment
        self.luozi = os.getpid()
        self.begun = threading.Event()
        self.changed = threading.Condition()  # guards all that follows
        self.process: subprocess.Popen[bytes] | None = None
        self.lines: deque[tuple[float, str]] = deque()  # each with the time when it came
        self.splitter = LineSplitter()
        self.looked = 0.0  # the time of the last measurement of its memory
        self.errors = b""  # the end of its standard error
        self.killed = self.over = False
        self.reason = ""  # why it ended

    # Its owner calls these --------------------------------------------------------------------------------------------

    def write(self, data: bytes) -> int:
        """Write as much as the pipe takes; return the number of bytes."""
        with self.changed:
            if self.over or self.process is None or self.process.stdin is None:
                return len(data)
            try:
                return os.write(self.process.stdin.fileno(), data)
            except BlockingIOError:
                return 0
            except OSError:  # it closed its input: whoever reads notices its end
                return len(data)

    def wake(self) -> None:
        """Wake who waits for a line."""
        with self.changed:
            self.changed.notify_all()

    def kill(self, reason: str = "") -> None:
        """Kill the program and all its descendants."""
        with self.changed:
            if self.over or os.getpid() != self.luozi:  # a forked copy of this process must not kill it
                return
            self.killed, self.reason = True, self.reason or reason
            if self.process is not None:
                request_end(self.process.pid)

    def end(self) -> None:
        """Kill the program and wait until it is gone."""
        self.kill("was ended")
        if threading.current_thread() is not self:  # garbage collection may run in this thread
            self.join(LAST_SECONDS + END_SECONDS)

    # The thread ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        try:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=self.environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            self.reason, self.over = Message("can't be started ({text})", text=error), True
            self.begun.set()
        else:
            self._attend(self.process)
        self.folder.remove()

    def _attend(self, process: subprocess.Popen[bytes]) -> None:
        """Read until there is nothing more to read, then end the program."""
        for pipe in (process.stdin, process.stdout, process.stderr):
            os.set_blocking(pipe.fileno(), False)  # type: ignore[union-attr]
        self.begun.set()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ, self._take)  # type: ignore[arg-type]
            selector.register(process.stderr, selectors.EVENT_READ, self._take_errors)  # type: ignore[arg-type]
            while process.stdout in selector.get_map() and not self.killed:
                something = self._read(selector)
                if not something and has_ended(process.pid):  # but a child of it still holds the pipes
                    break
                self._watch_memory(process.pid)
        self._finish(process)

    def _read(self, selector: selectors.BaseSelector) -> bool:
        """Read what there is; return whether there was something before the tick."""
        ready = selector.select(TICK)
        for key, _events in ready:
            chunk = os.read(key.fd, CHUNK_BYTES)
            if chunk:
                key.data(chunk)
            else:
                selector.unregister(key.fileobj)
        return bool(ready)

    def _finish(self, process: subprocess.Popen[bytes]) -> None:
        """Wait a moment for the end, kill the descendants, and note why it ended."""
        ended = self.killed or has_ended(process.pid, LAST_SECONDS)
        if not has_ended(process.pid):
            request_end(process.pid)
            has_ended(process.pid, END_SECONDS)
        with suppress(OSError):
            self._take_errors(os.read(process.stderr.fileno(), CHUNK_BYTES))  # type: ignore[union-attr]
        with self.changed:  # no signal may reach the group once its number is free for others
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):  # as a program of another user
                process.wait(LAST_SECONDS)
            # the supervisor may have been killed before it killed the program
            if process.returncode in (None, -signal.SIGKILL):
                self.folder.end_processes()
            for pipe in (process.stdin, process.stdout, process.stderr):
                pipe.close()  # type: ignore[union-attr]
            how = describe_end(process.returncode, self.errors) if ended else "closed its output"
            self.reason, self.over = self.reason or how, True
            self.changed.notify_all()

    def _take(self, chunk: bytes) -> None:
        """Split what came into lines; end a program that writes too much."""
        with self.changed:
            now, lines = time.monotonic(), self.splitter.feed(chunk)
            if self.splitter.flood:
                self.kill(self.splitter.flood)
            else:
                self.lines.extend((now, line.decode(errors="replace")) for line in lines)
                self.changed.notify_all()

    def _take_errors(self, chunk: bytes) -> None:
        self.errors = (self.errors + chunk)[-ERROR_BYTES:]

    def _watch_memory(self, number: int) -> None:
        if self.memory is None or self.killed or time.monotonic() < self.looked + TICK:
            return
        self.looked = time.monotonic()
        used = resident_bytes(number, self.memory * 2**20) / 2**20
        if used > self.memory:
            self.kill(
                Message("used {used} MB of memory, and {most} MB are allowed", used=f"{used:.0f}", most=self.memory)
            )


def supervisor_command() -> list[str]:
    """Return the command that starts a supervisor; the program and its arguments follow it."""
    return [sys.executable, "-I", "-S", str(SUPERVISOR), str(os.getpid())]


def containment() -> str:
    """Return how external programs and their children are contained here, as the end of a sentence."""
    if sys.platform != "linux":
        return "in a process group: a process that leaves it may survive a game"
    if subprocess.run(supervisor_command(), check=False).returncode == 0:
        return "in a process namespace, which nothing can leave"
    return "under a subreaper: no process survives a game unless it kills its supervisor (a namespace would need root)"


def request_end(number: int) -> None:
    """Ask the supervisor to end its program; where there are no supervisors, kill the group."""
    with suppress(OSError):
        if sys.platform == "linux":
            os.kill(number, signal.SIGTERM)
        else:
            os.killpg(number, signal.SIGKILL)


def has_ended(number: int, seconds: float = 0.0) -> bool:
    """Return whether a child has ended, or ends in time; its status stays unread, so its number stays taken."""
    if not hasattr(os, "waitid"):  # on macOS the end of its output must do
        return seconds > 0
    end = time.monotonic() + seconds
    with suppress(ChildProcessError):  # where ended children are set to vanish
        while os.waitid(os.P_PID, number, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            if time.monotonic() >= end:
                return False
            time.sleep(0.005)
    return True


def describe_end(status: int | None, errors: bytes = b"") -> str:
    """Return how a program ended that should not have.

    >>> describe_end(-11), describe_end(0), describe_end(1, b"no such file\\n")
    ('crashed (signal SIGSEGV)', 'ended early', "crashed (exit status 1): 'no such file'")
    """
    if not status:
        return "ended early"
    if status < 0:
        known = {number.value: number.name for number in signal.Signals}
        return Message("crashed (signal {name})", name=known.get(-status, -status))
    last = errors.decode(errors="replace").strip().splitlines()[-1:]
    return Message("crashed (exit status {number})", number=status) + "".join(
        f": {shown(line.strip())}" for line in last
    )
