"""Output files and folders: check them before the work begins, and write them completely or not at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from zlib import crc32

from luozi.messages import LuoziError, reason_of
from luozi.util.parsing import path_of

UNFINISHED = ".unfinished-"  # prefix of the names of unfinished files


def refuse_unwritable(path: str | os.PathLike[str]) -> None:
    """Check that a file can be written, before the work begins.

    An existing device or pipe is accepted. For any other file, an empty file is created beside it and removed.

    Raises:
        LuoziError: the file cannot be written.

    >>> refuse_unwritable("no such folder/table.csv")
    Traceback (most recent call last):
    luozi.LuoziError: there is no folder 'no such folder' for 'table.csv'
    """
    path = path_of(path)
    try:
        target = path.resolve()  # the target of a link
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
    except (OSError, RuntimeError):  # RuntimeError: links in a circle
        raise LuoziError("'{name}' can't be written: name another file", name=path) from None


def refuse_no_folder(path: str | os.PathLike[str]) -> None:
    """Check that a folder exists or can be created.

    Raises:
        LuoziError: it cannot be created.

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
    """Check that nothing has this name yet.

    Raises:
        LuoziError: there is a file or folder.

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
    """Write a file completely, or leave the old one unchanged."""
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
    """Yield the name of a temporary file that replaces `path` at the end, or is removed after an error.

    With `on_disk`, its content is synchronized to the disk first, so that it survives a power failure.
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
    """Return the name of the temporary file, short enough for the file system and unique to this thread."""
    own = f"{crc32(os.fsencode(path.name)):08x}.{os.getpid()}.{threading.get_ident()}"
    return path.with_name(f"{UNFINISHED}{path.stem[:30]}-{own}{path.suffix[:8]}")


def check_plot_name(path: Path) -> None:
    """Check that a plot has a supported file name.

    Raises:
        LuoziError: it is neither .png nor .svg.
    """
    if path.suffix.lower() not in (".png", ".svg"):
        raise LuoziError("a plot is a .png or an .svg file, not '{name}'", name=path.name)
