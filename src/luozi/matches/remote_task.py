"""A task for another process or machine: what is sent, and how the other machine runs it. Nothing here needs Ray.

Only plain values and bytes are sent, so that a machine without Luozi, or with another version, can report that. The
files that a task names are sent with it.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import socket
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import cloudpickle

from luozi.compiled.cache import cache_folder
from luozi.messages import LuoziError, Message
from luozi.util.files import write_whole
from luozi.util.parsing import read_bounded

MOST_BYTES = 1 << 30  # of a file that is sent

Files = tuple[tuple[str, str, bytes], ...]  # name, digest, content
Shared = TypeVar("Shared")
Part = TypeVar("Part")
Result = TypeVar("Result")


@dataclass(frozen=True)
class PortableCall(Generic[Shared, Part, Result]):
    """The call `function(shared, part)`, all of which can be pickled, with the same result in any process."""

    name: str  # for messages, such as `game 17`
    function: Callable[[Shared, Part], Result]
    shared: Shared  # what many tasks have in common, hashable; sent to each machine once
    part: Part  # what differs between these tasks
    files: tuple[tuple[str, str], ...] = ()  # names and digests of the files that other machines need


class Parcel(NamedTuple):
    """What tasks with the same shared part need on another machine."""

    work: bytes  # their function and shared part, pickled
    folder: str  # of the command
    machine: str  # of the command
    files: Files


@lru_cache(maxsize=4)
def packed(function: Callable[[Shared, Part], Result], shared: Shared) -> bytes:
    """Return a function and its first argument as bytes."""
    content: bytes = cloudpickle.dumps((function, shared))
    return content


@lru_cache(maxsize=4)
def unpacked(work: bytes) -> tuple[Callable[[Any, Any], Any], Any]:
    """Return the inverse of `packed`, once for each process."""
    function, shared = cloudpickle.loads(work)
    return function, shared


def parcel_of(task: PortableCall[Shared, Part, Result]) -> Parcel:
    """Return what is sent of a task, with the content of its files."""
    files = tuple((name, digest, read_bounded(name, MOST_BYTES)) for name, digest in task.files)
    return Parcel(packed(task.function, task.shared), os.getcwd(), socket.gethostname(), files)


# On the other machine -------------------------------------------------------------------------------------------------


def luozi_task() -> Callable[[str, dict[str, str], Parcel, Part], tuple[bytes | None, str]]:
    """Return the function that Ray runs. It is nested, so that Ray sends its code: Luozi may be missing there."""

    def luozi_game(version: str, settings: dict[str, str], parcel: Parcel, part: Part) -> tuple[bytes | None, str]:
        import os
        import socket

        os.environ.update(settings)  # before the first import of the compiler
        try:
            import luozi
        except ImportError:
            return None, Message(
                "the machine {name} has no Luozi. Install version {version} there.",
                name=socket.gethostname(),
                version=version,
            )
        if luozi.__version__ != version:
            return None, (
                Message(
                    "the machine {name} has Luozi {found} instead of {wanted}. Install the same version on all "
                    "machines.",
                    name=socket.gethostname(),
                    found=luozi.__version__,
                    wanted=version,
                )
            )
        from luozi.matches.remote_task import do_there

        return do_there(parcel, part)

    return luozi_game


def do_there(parcel: Parcel, part: Part) -> tuple[bytes | None, str]:
    """Run a task of another machine; return its pickled result, or why there is none."""
    work, folder, machine, files = parcel
    try:
        enter_folder(folder, files)
        function, shared = unpacked(work)
        return pickle.dumps(function(shared, part)), ""
    except LuoziError as error:
        here = socket.gethostname()
        return None, error.message if here == machine else Message(
            "{error} (on the machine {name})", error=error, name=here
        )


def enter_folder(folder: str, files: Files) -> None:
    """Change to a folder in which the named files have the contents that they have for the command."""
    try:
        os.chdir(folder_with(folder, files))
    except OSError as error:
        raise LuoziError("can't copy the files of this match: {reason}", reason=error) from None


@lru_cache(maxsize=8)
def folder_with(folder: str, files: Files) -> Path:
    """Return the folder of that name if it has the same files here, else one with copies of them."""
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
                "'{name}' is missing or different. Copy it there, or name it by a path below the current folder.",
                name=name,
            )
        (copies / name).parent.mkdir(parents=True, exist_ok=True)
        write_whole(copies / name, content)
    return copies


def content_at(path: Path) -> bytes | None:
    """Return what is in a file, or None if there is none."""
    try:
        return read_bounded(path, MOST_BYTES)
    except OSError:
        return None
