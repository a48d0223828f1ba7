"""The lines that an outside program writes, and how much of them is too much."""

from __future__ import annotations

from luozi.messages import Message

LINE_BYTES = 2**16  # the longest line
ANSWER_BYTES = 2**20  # the most that a program may write from one question to the next
ANSWER_LINES = 2**16  # and in so many lines


class LineSplitter:
    """Bytes as they come become lines, which may end with LF, CR LF or CR. Each byte is looked at once.

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
        """The lines that are complete now."""
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
        """A new question: what came before does not count."""
        self.bytes = self.lines = 0

    @property
    def flood(self) -> str:
        """What is too much, as the end of a sentence; empty while nothing is."""
        if self.bytes > ANSWER_BYTES:
            return Message("wrote more than {most} MB at once", most=ANSWER_BYTES // 2**20)
        if self.lines > ANSWER_LINES:
            return Message("wrote more than {most} lines at once", most=f"{ANSWER_LINES:,}")
        return (
            Message("wrote a line of more than {most} KB", most=LINE_BYTES // 2**10)
            if self.longest > LINE_BYTES
            else ""
        )
