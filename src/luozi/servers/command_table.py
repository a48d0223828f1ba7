"""Tables of commands: a command is one function, with its name, what it takes and what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Session = TypeVar("Session")
Words = TypeVar("Words")


@dataclass(frozen=True)
class Command(Generic[Session, Words]):
    """A command for those who call it and for those who read about it."""

    name: str
    usage: str
    family: str
    meaning: str
    run: Callable[[Session, Words], str]


class CommandTable(dict[str, Command[Session, Words]]):
    """Commands by name.

    >>> commands = CommandTable[list[str], str]()
    >>> @commands.add("play", "POINT")
    ... def play(session, words):
    ...     '''A move.'''
    ...     return f"played {words}"
    >>> commands["play"].run([], "D4"), commands["play"].meaning
    ('played D4', 'A move.')
    """

    def __init__(self, family: str = "") -> None:
        super().__init__()
        self.family = family  # of commands that name no other

    def add(
        self, name: str, usage: str = "", family: str = ""
    ) -> Callable[[Callable[[Session, Words], str]], Callable[[Session, Words], str]]:
        """Make a function a command of this table; its first paragraph says what it does."""

        def register(function: Callable[[Session, Words], str]) -> Callable[[Session, Words], str]:
            meaning = " ".join((function.__doc__ or "").strip().split("\n\n")[0].split())
            self[name] = Command(name, usage, family or self.family, meaning, function)
            return function

        return register

    def add_text(self, name: str, text: str, meaning: str, family: str = "") -> None:
        """Add a command that always answers the same."""
        self[name] = Command(name, "", family or self.family, meaning, lambda _session, _words: text)
