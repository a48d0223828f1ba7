"""The other side of a server's conversation, for tests."""

from __future__ import annotations

import io
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TextIO

from luozi.search import Options
from luozi.servers.conversation import Conversation, InputLine, InputRules

PATIENCE = 60.0  # seconds; only a server that hangs needs them
Serve = Callable[[TextIO, TextIO, Options], int]


def recite(serve: Serve, options: Options, text: str) -> list[str]:
    """All answers to a whole text, read to its end."""
    output = io.StringIO()
    assert serve(io.StringIO(text), output, options) == 0
    return output.getvalue().splitlines()


class Talk:
    """A session of a server that answers one line at a time, so that a test can look at it in between."""

    def __init__(self, rules: InputRules, make_session: Callable[[Conversation], Any]) -> None:
        self.output = io.StringIO()
        self.conversation = Conversation(io.StringIO(), self.output, rules)
        self.session = make_session(self.conversation)

    def ask(self, *lines: str) -> str:
        """All that is said to some lines, which come at once."""
        begin, now = self.output.tell(), time.monotonic()
        for line in lines:
            self.conversation.answer_line(InputLine(0, line, now), self.session.answer, self.session.complain)
        return self.output.getvalue()[begin:].rstrip("\n")


class Partner:
    """Talks with a server line by line; the answers are read in a thread, so that a wait can end."""

    def __init__(self, to_server: TextIO, from_server: TextIO) -> None:
        self._to_server, self._from_server = to_server, from_server
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._from_server:
            self._answers.put(line.rstrip("\n"))
        self._answers.put(None)

    def send(self, *lines: str) -> None:
        self._to_server.write("".join(line + "\n" for line in lines))
        self._to_server.flush()

    def hear(self) -> str | None:
        """The next line; None when the server has left."""
        return self._answers.get(timeout=PATIENCE)

    def ask(self, *lines: str) -> str | None:
        """Send lines; the next answer that is no remark."""
        self.send(*lines)
        while (answer := self.hear()) is not None and answer.startswith(("MESSAGE", "DEBUG")):
            pass
        return answer

    def leave(self) -> None:
        """Close the server's input."""
        self._to_server.close()


class ServerInThread(Partner):
    """A server in a thread of this process."""

    def __init__(self, serve: Serve, options: Options) -> None:
        read_questions, write_questions = os.pipe()
        read_answers, write_answers = os.pipe()
        self.status: int | None = None
        self._thread = threading.Thread(
            target=self._serve,
            args=(serve, options, os.fdopen(read_questions), os.fdopen(write_answers, "w")),
            daemon=True,
        )
        self._thread.start()
        super().__init__(os.fdopen(write_questions, "w"), os.fdopen(read_answers))

    def _serve(self, serve: Serve, options: Options, input: TextIO, output: TextIO) -> None:
        with input, output:
            self.status = serve(input, output, options)

    def gone(self) -> int | None:
        """Wait until the server has left; its status."""
        self._thread.join(PATIENCE)
        return self.status


class ServerProcess(Partner):
    """A command of the command line in a process of its own."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "luozi.cli", *arguments],
            text=True,
            encoding="utf-8",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        super().__init__(self.process.stdin, self.process.stdout)

    def gone(self) -> int | None:
        """Wait until the server has left; its status."""
        return self.process.wait(PATIENCE)
