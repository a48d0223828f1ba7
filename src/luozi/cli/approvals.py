"""What a command line names may run: game files, libraries and commands of external programs."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from luozi.messages import LuoziError
from luozi.players import read_spelling
from luozi.util.parameters import split_spelling
from luozi.util.parsing import is_file
from luozi.util.trust import name_command, name_file, name_folder

PROGRAM = re.compile(r"\s*(gtp|gomocup|connect4_library|library)\s*:")
TRUST = "trust"

TrustOption = Annotated[
    list[str] | None,
    typer.Option(
        "--trust",
        metavar="FILE",
        help="Allow a record or a database to run this file or program, such as my_game.py or 'gtp:gnugo "
        "--mode gtp'. You can repeat it.",
    ),
]


def name_arguments(values: Mapping[str, Any]) -> None:
    """Approve what the words of a command line name; paths of files to read or write are no words."""
    for text in values.get(TRUST) or ():
        name_trusted(text)
    for value in values.values():
        for text in [value] if isinstance(value, str) else value if isinstance(value, list) else ():
            name_words(text)


def name_trusted(text: str) -> None:
    """Approve what --trust names.

    Raises:
        LuoziError: it is no file and no program.
    """
    if not PROGRAM.match(text) and not is_file(os.path.expanduser(split_spelling(text)[0])):
        raise LuoziError(
            "--trust {text}: there is no such file; name a file, or a program as in gtp:gnugo", text=shlex.quote(text)
        )
    name_words(text)


def name_words(text: Any) -> None:
    """Approve what a word names, or sets as in `--set game=my_game.py`."""
    for one in possible(text) if isinstance(text, str) else ():
        if PROGRAM.match(one):
            name_player(one)
        elif is_file(name := os.path.expanduser(one.partition(":")[0])) and name.endswith((".py", ".so", ".dylib")):
            name_file(name)
        elif one is not text and os.path.isdir(one):
            name_folder(one)


def possible(text: str) -> Iterable[str]:
    """Return a word, and what it sets."""
    _, equals, value = text.partition("=")
    return (text, value) if equals else (text,)


def name_player(spelling: str) -> None:
    """Approve the command or the library of a player."""
    try:
        kind, values = read_spelling(spelling)
    except LuoziError:  # the command itself raises it
        return
    command = values["command"].strip()
    if kind.name == "connect4_library":
        name_file(os.path.expanduser(command))
    else:
        name_command(command)
