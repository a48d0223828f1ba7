"""Where machine code is kept between runs: one file for each kernel and each set of argument types.

A file's name is a digest of everything that went into it, so that old code is never found, one game can't disturb
another, and two processes that compile the same thing at once write the same file (each by an atomic rename). One of
them compiles and the others wait (`turns`).
"""

from __future__ import annotations

import gc
import hashlib
import os
import pickle
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numba
import numpy as np
from numba import types
from numba.core.base import BaseContext
from numba.core.codegen import CPUCodegen
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.serialize import dumps
from numba.core.typing.templates import Signature

from luozi.compiled.digest import digest_of, source_digest
from luozi.compiled.shortening import shortcuts
from luozi.messages import LuoziError, Message, reason_of
from luozi.util.files import replacing
from luozi.util.tempdirs import lock

SUFFIX = ".machinecode"
RARELY = (200_000, 50, 100)  # thresholds of the garbage collector: saves some 15 % of the time to compile
LIMIT_BYTES = 500_000_000  # the least recently used files go when the cache grows past this

Arguments: TypeAlias = Signature | tuple[types.Type, ...]  # their types, with or without that of the result
Compile: TypeAlias = Callable[[Arguments], Callable[..., Any]]

_notice: list[Callable[[str], None]] = []
_here = threading.local()  # how this thread compiles: `kept_only`, `loads`, `quiet`
_in_memory = [0]  # kernels of this process, one for each set of argument types: they stay until it ends


class NotKeptError(LuoziError):
    """The machine code is not in the cache."""


@contextmanager
def kept_only(loads: bool = True) -> Iterator[None]:
    """In this thread nothing is compiled in here: what is not in the cache raises `NotKeptError`, and soon. So does, if
    nothing may be loaded either, what is not in this process yet.

    >>> with kept_only():
    ...     pass
    """
    _here.kept_only, _here.loads = True, loads
    try:
        yield
    finally:
        _here.kept_only, _here.loads = False, True


def kernels_in_memory() -> int:
    """Return how many kernels this process has, compiled or loaded: each takes some megabytes until the process ends.

    >>> kernels_in_memory() >= 0
    True
    """
    return _in_memory[0]


@contextmanager
def quietly() -> Iterator[None]:
    """In this thread nobody is told of what is compiled in here: who waits for it was told in other words.

    >>> with quietly():
    ...     say("compiling")
    """
    _here.quiet = True
    try:
        yield
    finally:
        _here.quiet = False


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect garbage rarely in here: a compiler makes many objects and few cycles.

    >>> with rare_collections():
    ...     print(gc.get_threshold())
    (200000, 50, 100)
    """
    before = gc.get_threshold()
    if before[0]:  # 0: somebody has turned it off
        gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def cache_folder() -> Path:
    """Return the folder of compiled code: `$LUOZI_CACHE`, or the user's cache folder where that is not set or empty."""
    if os.environ.get("LUOZI_CACHE"):
        return Path(os.environ["LUOZI_CACHE"]).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData/Local"))) / "luozi" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "luozi"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "luozi"


def reason_not_to_keep(folder: Path) -> str:
    """Return why no file can be stored in a folder, or an empty string. A missing folder is made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return reason_of(error)


def on_compile(notice: Callable[[str], None]) -> None:
    """Have `notice` called with one line whenever something must be compiled; it replaces an earlier one."""
    _notice[:] = [notice]


@dataclass(frozen=True)
class CachedKernel:
    """One file of the cache."""

    path: Path
    kernel: str
    bytes: int
    used: float


def cached_kernels() -> list[CachedKernel]:
    """Return what is in the cache, the most recently used first."""
    found = []
    for path in cache_folder().glob(f"[!.]*{SUFFIX}"):
        try:
            stat = path.stat()
        except OSError:  # another process cleared it
            continue
        found.append(CachedKernel(path, path.name.rsplit("-", 1)[0], stat.st_size, stat.st_mtime))
    return sorted(found, key=lambda entry: -entry.used)


def clear_cache() -> int:
    """Delete all compiled code; return the number of files."""
    entries = cached_kernels()
    try:
        for entry in entries:
            entry.path.unlink(missing_ok=True)
    except OSError as error:
        raise LuoziError(
            "can't delete what is kept in '{name}': {reason}", name=cache_folder(), reason=reason_of(error)
        ) from None
    return len(entries)


class KernelCache:
    """The cache of one kernel, in the form in which Numba's dispatcher asks for it."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self.py_func = py_func
        self.stamp = ""
        self._turns: list[Turn] = []

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def load_overload(self, signature: Arguments, target_context: BaseContext) -> CompileResult | None:
        if not getattr(_here, "loads", True):
            raise NotKeptError(f"{self.py_func.__name__} is not loaded for {_subject(signature)}, and may not be")
        found = self._find(signature, target_context)
        _in_memory[0] += 1  # under Numba's lock; what was not found is compiled now
        return found

    def _find(self, signature: Arguments, target_context: BaseContext) -> CompileResult | None:
        """Return what is cached; if there is nothing, take this process's turn to compile it."""
        target_context.refresh()
        path = self._path(signature, target_context.codegen())
        result = _read(path, target_context)
        if result is not None:
            return result
        if getattr(_here, "kept_only", False):
            raise NotKeptError(f"{self.py_func.__name__} is not compiled for {_subject(signature)} yet")
        what = f"{self.py_func.__name__} for {_subject(signature)}"
        often = how_often(path.parent)
        self._turns.append(Turn(path))
        self._turns[-1].wait(lambda: say(Message("waiting for {what}, which another process compiles", what=what)))
        result = _read(path, target_context)
        if result is None:
            say(Message("compiling {what} ({often})", what=what, often=often))
        return result

    def in_turn(self, compile_for: Compile) -> Compile:
        """Return Numba's `compile`; it ends the turn that `load_overload` may have taken, also when compiling fails."""

        def compile_and_end(signature: Arguments) -> Callable[..., Any]:
            with global_compiler_lock, rare_collections(), shortcuts():  # no other thread comes between
                before = len(self._turns)
                try:
                    return compile_for(signature)
                finally:
                    while len(self._turns) > before:
                        self._turns.pop().end()

        return compile_and_end

    def save_overload(self, signature: Arguments, result: CompileResult) -> None:
        path = self._path(signature, result.codegen)
        if reason_not_to_keep(path.parent):
            return  # a cache that can't be written costs time, nothing else; that was said before
        try:
            with replacing(path) as unfinished:
                unfinished.write_bytes(dumps(result._reduce()))
            _prune()
        except OSError as error:  # a full disk
            told = Message("{name} could not be kept in {place}: {reason}")
            say(told.with_values(name=self.py_func.__name__, place=path.parent, reason=reason_of(error)))

    def _path(self, signature: Arguments, codegen: CPUCodegen) -> Path:
        if not self.stamp:
            self.stamp = digest_of(self.py_func) + source_digest(str(Path(__file__).parent))
        versions = (numba.__version__, np.__version__, sys.version_info[:3])
        key = repr((self.stamp, str(signature), codegen.magic_tuple(), versions))
        digest = hashlib.sha256(key.encode()).hexdigest()[:24]
        return cache_folder() / f"{self.py_func.__name__}-{_subject(signature)}-{digest}{SUFFIX}"

    # Numba's dispatcher calls these too; the cache is always on, and files are never rewritten.
    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...


def _read(path: Path, target_context: BaseContext) -> CompileResult | None:
    try:
        result = CompileResult._rebuild(target_context, *pickle.loads(path.read_bytes()))
        os.utime(path)
        return result
    except Exception:  # no such file, or a damaged one, which is only a slow start: it is written again
        return None


def say(line: str) -> None:
    """Call the function of `on_compile` with a line, unless this thread is quiet."""
    for notice in () if getattr(_here, "quiet", False) else _notice:
        notice(line)


def how_often(folder: Path) -> str:
    """Return whether the machine code is cached for the next time, as part of a notice."""
    reason = reason_not_to_keep(folder)
    if not reason:
        return Message("once; it is kept for the next time")
    return Message(
        "it can't be kept in {folder}: {reason}; LUOZI_CACHE may name another folder", folder=folder, reason=reason
    )


def _subject(signature: Arguments) -> str:
    """Return the name of the class that a kernel is compiled for: that of its first argument."""
    arguments = getattr(signature, "args", signature)
    return getattr(arguments[0], "title", "all") if arguments else "all"


def _prune() -> None:
    total = 0
    for entry in cached_kernels():
        total += entry.bytes
        if total > LIMIT_BYTES:
            entry.path.unlink(missing_ok=True)


# Turns ---------------------------------------------------------------------------------------------------------------

TURN_SUFFIX = ".turn"
LONGEST_WAIT_SECONDS = 120.0
_PAUSE_SECONDS = 0.05


class Turn:
    """The right of one process to make a file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     turn, other = Turn(Path(folder) / "file"), Turn(Path(folder) / "file")
    ...     print(turn.take(), other.take(), turn.end(), other.take(), other.end())
    True False None True None
    """

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(path.name + TURN_SUFFIX)
        self._descriptor: int | None = None

    def wait(self, on_wait: Callable[[], None]) -> None:
        """Return when it is ours, or when it took too long; call `on_wait` if it is somebody else's now."""
        end = time.monotonic() + LONGEST_WAIT_SECONDS
        if self.take():
            return
        on_wait()
        while time.monotonic() < end and not self.take():
            time.sleep(_PAUSE_SECONDS)

    def take(self) -> bool:
        """Take the turn; return False if another process has it. Where files can't be locked, return True."""
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return True
        try:
            lock(descriptor)
        except OSError as error:
            os.close(descriptor)
            return not isinstance(error, BlockingIOError)
        self._descriptor = descriptor
        return True

    def end(self) -> None:
        """End the turn."""
        if self._descriptor is not None:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None
