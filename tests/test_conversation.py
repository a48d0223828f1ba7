"""A conversation in lines: what is read ahead is bounded, and nobody waits for a side that has left."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import TextIO

import pytest

from luozi.messages import LuoziError
from luozi.search import Options
from luozi.servers import connect4_agent as course
from luozi.servers.conversation import MOST_WAITING, Conversation, InputRules, NobodyListensError
from luozi.servers.gomocup import server as gomocup
from luozi.servers.gtp import server as gtp

FLOOD = 50_000
PATIENCE = 30.0  # seconds; only a conversation that hangs needs them


class Flood(io.TextIOBase):
    """Many lines, and how many of them were read."""

    def __init__(self, lines: int) -> None:
        self.lines, self.read_lines = lines, 0

    def readline(self, size: int = -1) -> str:  # type: ignore[override]
        self.read_lines += 1
        return "INFO x 1\n" if self.read_lines <= self.lines else ""


class Echo:
    """Answers nothing before it may."""

    def __init__(self, flood: Flood, leaves: bool = False) -> None:
        self.conversation = Conversation(flood, io.StringIO(), InputRules())  # type: ignore[arg-type]
        self.may, self.leaves, self.answered = threading.Event(), leaves, 0

    def answer(self, text: str) -> None:
        self.may.wait(PATIENCE)
        if self.leaves:
            raise NobodyListensError
        self.answered += 1

    def complain(self, sentence: str) -> None:
        raise AssertionError(sentence)


def talk(echo: Echo) -> threading.Thread:
    thread = threading.Thread(target=echo.conversation.run, args=(echo.answer, echo.complain), daemon=True)
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


class Endless(io.TextIOBase):
    """One text again and again after a first line, and how much of it was read."""

    def __init__(self, text: str, first: str = "") -> None:
        self.text, self.first, self.characters = text, first, 0

    def readline(self, size: int = -1) -> str:  # type: ignore[override]
        self.characters += len(self.text)
        text, self.first = self.first or self.text, ""
        return text


def converse(server: ModuleType, input: TextIO, most_nonsense: int = 100) -> str:
    """What one of the servers says to an input, of which it takes only so much nonsense."""
    output = io.StringIO()
    conversation = Conversation(input, output, replace(server.INPUT_RULES, most_nonsense=most_nonsense))
    session = server.new_session(conversation, Options(iterations=1))
    assert conversation.run(session.answer, session.complain) == 0
    return output.getvalue()


@pytest.mark.parametrize("server", [gomocup, course, gtp])
@pytest.mark.parametrize(
    ("text", "sentence"), [("\0" * 500, "a line of more than"), ("nonsense\n", "no commands"), ("\0\n", "no commands")]
)
def test_input_that_is_no_protocol_ends_with_a_sentence(server: ModuleType, text: str, sentence: str) -> None:
    endless = Endless(text)
    with pytest.raises(LuoziError, match=sentence):
        converse(server, endless)  # type: ignore[arg-type]
    assert endless.characters < 2 * 10**7


def test_what_came_before_an_endless_line_is_answered() -> None:
    output = io.StringIO()
    with pytest.raises(LuoziError):
        gomocup.serve(Endless("\0" * 500, "ABOUT\n"), output)  # type: ignore[arg-type]
    assert 'name="Luozi"' in output.getvalue()


def test_commands_between_nonsense_are_answered() -> None:
    said = converse(gomocup, io.StringIO("what\nwhat\nABOUT\n" * 5), most_nonsense=3)
    assert said.count("UNKNOWN") == 10
    assert said.count("name=") == 5
