"""Where machine code is kept between runs: one file for each kernel and each set of argument types.

A file's name is a digest of everything that went into it, so that old code is never found, one game can't disturb
another, and two processes that compile the same thing at once write the same file (each by an atomic rename).
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from luozi.compiled.digest import digest_of, source_digest

SUFFIX = ".machinecode"
LIMIT_BYTES = 500_000_000  # the least recently used files go when the cache grows past this

_notice: list[Callable[[str], None]] = []


def cache_folder() -> Path:
    """The folder of compiled code: `$LUOZI_CACHE`, or the user's cache folder."""
    if "LUOZI_CACHE" in os.environ:
        return Path(os.environ["LUOZI_CACHE"]).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData/Local"))) / "luozi" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "luozi"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "luozi"


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
    """What is in the cache, the most recently used first."""
    found = []
    for path in cache_folder().glob("*" + SUFFIX):
        try:
            stat = path.stat()
        except OSError:  # another process cleared it
            continue
        found.append(CachedKernel(path, path.name.rsplit("-", 1)[0], stat.st_size, stat.st_mtime))
    return sorted(found, key=lambda entry: -entry.used)


def clear_cache() -> int:
    """Delete all compiled code; return the number of files."""
    entries = cached_kernels()
    for entry in entries:
        entry.path.unlink(missing_ok=True)
    return len(entries)


class KernelCache:
    """The cache of one kernel, in the form in which Numba's dispatcher asks for it."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self.py_func = py_func
        self.stamp = ""

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def load_overload(self, signature: Any, target_context: Any) -> CompileResult | None:
        target_context.refresh()
        path = self._path(signature, target_context.codegen())
        try:
            payload = pickle.loads(path.read_bytes())
            result = CompileResult._rebuild(target_context, *payload)
            os.utime(path)
            return result
        except Exception:  # no such file, or a damaged one, which is only a slow start: it is written again
            pass
        for notice in _notice:
            notice(f"compiling {self.py_func.__name__} for {_subject(signature)} (once; it is kept for the next time)")
        return None

    def save_overload(self, signature: Any, result: CompileResult) -> None:
        path = self._path(signature, result.codegen)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_name(f"{path.name}.{os.getpid()}.{time.monotonic_ns()}")
            unfinished.write_bytes(dumps(result._reduce()))
            unfinished.replace(path)
            _prune()
        except OSError:
            pass  # a cache that can't be written costs time, nothing else

    def _path(self, signature: Any, codegen: Any) -> Path:
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


def _subject(signature: Any) -> str:
    """The name of the class that a kernel is compiled for: that of its first argument."""
    arguments = getattr(signature, "args", signature)
    return getattr(arguments[0], "title", "all") if arguments else "all"


def _prune() -> None:
    total = 0
    for entry in cached_kernels():
        total += entry.bytes
        if total > LIMIT_BYTES:
            entry.path.unlink(missing_ok=True)
