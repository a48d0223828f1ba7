"""A game that is played on another machine: what travels there, and what is done with it there. All without Ray.

Plain values travel (the contest as text, the numbers of the fixture, the files that the contest names), so that a task
arrives, and can say what is wrong, where Luozi is missing or another one.
"""

from __future__ import annotations

import hashlib
import os
import socket
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from luozi.compiled.cache import cache_folder
from luozi.contests.contest import Contest, Fixture, read_contest
from luozi.contests.playing import play_fixture
from luozi.messages import LuoziError, Message
from luozi.outside_text import read_bounded

MOST_BYTES = 1 << 30  # of a file that travels

Files = tuple[tuple[str, str, bytes], ...]  # name, digest, content


class Parcel(NamedTuple):
    """All that the games of a contest need on another machine."""

    definition: str  # the contest
    folder: str  # where the command runs
    machine: str  # and on which machine
    files: Files  # those that the contest names
    packed: bytes  # its game, where no spelling leads to it


def parcel_of(contest: Contest) -> Parcel:
    """What travels, read here."""
    named = [file for file in contest.files if contest.own is None or file[0] != contest.game]
    files = tuple((name, digest, read_bounded(name, MOST_BYTES)) for name, digest in named)
    return Parcel(contest.definition, os.getcwd(), socket.gethostname(), files, contest.packed)


# On the other machine -------------------------------------------------------------------------------------------------


def game_task() -> Callable[..., Any]:
    """The function that Ray runs. It travels as a whole, since it is inside another one: Luozi may be missing there."""

    def luozi_game(version: str, settings: dict[str, str], entrance: str, parcel: Any, part: Any) -> tuple[Any, str]:
        import importlib
        import os
        import socket

        os.environ.update(settings)  # before the first import of the compiler
        try:
            import luozi
        except ImportError:
            return None, Message(
                "the machine {name} has no Luozi: install version {version} there",
                name=socket.gethostname(),
                version=version,
            )
        if luozi.__version__ != version:
            return None, (
                Message(
                    "the machine {name} has Luozi {found} instead of {wanted}: install the same version on all "
                    "machines",
                    name=socket.gethostname(),
                    found=luozi.__version__,
                    wanted=version,
                )
            )
        module, _, function = entrance.partition(":")
        return getattr(importlib.import_module(module), function)(parcel, part)

    return luozi_game


def play_there(parcel: Any, fixture: Any) -> tuple[Any, str]:
    """Play a game here for another machine: its outcome, or the sentence that says why not."""
    definition, folder, machine, files, packed = parcel
    try:
        enter_folder(folder, files)
        return tuple(play_fixture(read_contest(definition, packed), Fixture(*fixture))), ""
    except LuoziError as error:
        here = socket.gethostname()
        return None, error.message if here == machine else Message(
            "{error} (on the machine {name})", error=error, name=here
        )


def enter_folder(folder: str, files: Files) -> None:
    """Go where the names of a contest's files mean here what they mean where the command runs."""
    try:
        os.chdir(folder_with(folder, files))
    except OSError as error:
        raise LuoziError("can't copy the files of this match: {reason}", reason=error) from None


@lru_cache(maxsize=8)
def folder_with(folder: str, files: Files) -> Path:
    """The same folder if it has the same files, or one with copies of them."""
    if Path(folder).is_dir() and all(content_at(Path(folder, name)) == content for name, _, content in files):
        return Path(folder)
    names = repr([(name, digest) for name, digest, _ in files])
    copies = cache_folder().absolute() / "files" / hashlib.blake2b(names.encode(), digest_size=8).hexdigest()
    copies.mkdir(parents=True, exist_ok=True)
    for name, _, content in files:
        if content_at(copies / name) == content:  # an absolute name stands for itself
            continue
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise LuoziError(
                "'{name}' is missing or different: copy it there, or name it by a path below the current folder",
                name=name,
            )
        write_at_once(copies / name, content)
    return copies


def content_at(path: Path) -> bytes | None:
    """What is in a file, if there is one."""
    try:
        return read_bounded(path, MOST_BYTES)
    except OSError:
        return None


def write_at_once(path: Path, content: bytes) -> None:
    """Write a file that other processes may write or read at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    unfinished.write_bytes(content)
    unfinished.replace(path)
