"""Files and folders that a command writes: checked before the work begins, then written whole or not at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from zlib import crc32

from luozi.messages import LuoziError, reason_of
from luozi.util.parsing import path_of

UNFINISHED = ".unfinished-"  # how the names of files begin that are not whole yet


def refuse_unwritable(path: str | os.PathLike[str]) -> None:
    """Raise one sentence if no file can be written there: better now than when all work is done.

    A device or a pipe that exists is written as it is. For any other file an empty one is made beside it, as
    `write_whole` does, and removed.

    >>> refuse_unwritable("no such folder/table.csv")
    Traceback (most recent call last):
    luozi.LuoziError: there is no folder 'no such folder' for 'table.csv'
    """
    path = path_of(path)
    try:
        target = path.resolve()  # where a link leads
        if target.is_dir():
            raise LuoziError("'{name}' is a folder: name a file in it", name=path)
        if not target.parent.is_dir():
            raise LuoziError("there is no folder '{name}' for '{file}'", name=path.parent, file=path.name)
        if target.exists() and not os.access(target, os.W_OK):
            raise LuoziError("'{name}' can't be written: name another file", name=path)
        if target.is_file() or not target.exists():
            probe = beside(target)
            probe.touch(exist_ok=True)
            probe.unlink()
    except (OSError, RuntimeError):  # the second for links that lead to each other
        raise LuoziError("'{name}' can't be written: name another file", name=path) from None


def refuse_no_folder(path: str | os.PathLike[str]) -> None:
    """Raise one sentence if there is no such folder and none can be made: its parent, which exists, is written to.

    >>> refuse_no_folder(__file__)
    Traceback (most recent call last):
    luozi.LuoziError: can't write into '...': Not a directory; name a new folder
    """
    path = path_of(path)
    try:
        existing = next(one for one in (path.absolute(), *path.absolute().parents) if os.path.lexists(one))
        if existing != path.absolute():
            beside(existing / path.name).mkdir()
            beside(existing / path.name).rmdir()
        elif not path.is_dir():
            raise NotADirectoryError(None, "Not a directory")
    except OSError as error:
        raise LuoziError(
            "can't write into '{name}': {reason}; name a new folder", name=path, reason=reason_of(error)
        ) from None


def refuse_existing(path: str | os.PathLike[str]) -> None:
    """Raise one sentence if there is a file already, or anything else of that name.

    >>> refuse_existing(__file__)
    Traceback (most recent call last):
    luozi.LuoziError: there is already a file '...': it was not overwritten
    """
    path = path_of(path)
    if path.is_dir():
        raise LuoziError("'{name}' is a folder: name a file in it", name=path)
    if os.path.lexists(path):
        raise LuoziError("there is already a file '{name}': it was not overwritten", name=path)


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file, or leave what was there as it was."""
    path = path_of(path)
    if path.is_dir():
        raise LuoziError("can't write '{path}': it is a folder", path=path)
    try:
        target = path.resolve()  # a link stays a link
        if path.exists() and not path.is_file():  # a device or a pipe
            path.write_bytes(content)
            return
        with replacing(target) as unfinished:
            unfinished.write_bytes(content)
    except (OSError, RuntimeError) as error:
        raise LuoziError("can't write '{name}': {reason}", name=path, reason=reason_of(error)) from None


@contextmanager
def replacing(path: Path, on_disk: bool = False) -> Iterator[Path]:
    """Give the name of a file to write, which takes the other's place at once at the end, or is removed.

    With `on_disk` it is on the disk by then: the other file is there whole even if the power fails.
    """
    unfinished = beside(path)
    try:
        yield unfinished
        if on_disk:
            with open(unfinished, "rb+") as file:
                os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def beside(path: Path) -> Path:
    """Where a file is until it is whole: a name that fits where the file's own does, and no other thread's."""
    own = f"{crc32(os.fsencode(path.name)):08x}.{os.getpid()}.{threading.get_ident()}"
    return path.with_name(f"{UNFINISHED}{path.stem[:30]}-{own}{path.suffix[:8]}")


def check_plot_name(path: Path) -> None:
    """One sentence if this is no name for a picture."""
    if path.suffix.lower() not in (".png", ".svg"):
        raise LuoziError("a plot is a .png or an .svg file, not '{name}'", name=path.name)
