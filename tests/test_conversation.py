"""A conversation in lines: what is read ahead is bounded, and nobody waits for a side that has left."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Iterator

from luozi.servers.conversation import MOST_WAITING, Conversation, NobodyListensError

FLOOD = 50_000
PATIENCE = 30.0  # seconds; only a conversation that hangs needs them


class Flood(io.TextIOBase):
    """Many lines, and how many of them were read."""

    def __init__(self, lines: int) -> None:
        self.lines, self.read_lines = lines, 0

    def readline(self, size: int = -1) -> str:  # type: ignore[override]
        self.read_lines += 1
        return "INFO x 1\n" if self.read_lines <= self.lines else ""


class Echo(Conversation):
    """Answers nothing before it may."""

    def __init__(self, flood: Flood, leaves: bool = False) -> None:
        super().__init__(flood, io.StringIO())  # type: ignore[arg-type]
        self.may, self.leaves, self.answered = threading.Event(), leaves, 0

    def answer(self, text: str) -> None:
        self.may.wait(PATIENCE)
        if self.leaves:
            raise NobodyListensError
        self.answered += 1

    def complain(self, sentence: str) -> None:
        raise AssertionError(sentence)


def talk(conversation: Echo) -> threading.Thread:
    thread = threading.Thread(target=conversation.run, daemon=True)
    thread.start()
    return thread


def settled(flood: Flood) -> Iterator[int]:
    """How many lines were read, until no more are."""
    before = -1
    while before != flood.read_lines:
        before = flood.read_lines
        time.sleep(0.1)
        yield before


def test_a_flood_is_read_only_as_far_as_it_is_answered() -> None:
    flood = Flood(FLOOD)
    conversation = Echo(flood)
    thread = talk(conversation)
    *_, read = settled(flood)
    assert 0 < read <= MOST_WAITING + 2
    conversation.may.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert conversation.answered == FLOOD  # every line has its answer all the same


def test_a_flood_does_not_keep_it_when_nobody_listens() -> None:
    flood = Flood(FLOOD)
    conversation = Echo(flood, leaves=True)
    thread = talk(conversation)
    *_, read = settled(flood)
    conversation.may.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert read < FLOOD
