"""Files that are there whole or not at all, also when the current fails: written under another name, then renamed.

Arrays are NumPy's .npz without pickles, so that reading one never runs code. Whatever is wrong with a file is a
`DamagedFileError`, which names it.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np

from luozi.compiled import Array
from luozi.learning.learner import Samples, SelfPlayBatch, checked_samples
from luozi.messages import LuoziError, Message, reason_of
from luozi.util.files import replacing
from luozi.util.parsing import read_bounded

MOST_BYTES = 1 << 34  # of games of self-play and of what a learner knows


class DamagedFileError(LuoziError):
    """A file that was never written so, or not to its end."""


def written_by(path: Path, write: Callable[[Path], None]) -> None:
    """Let a function write a file; it gets its name when it is whole and on the disk."""
    try:
        with replacing(path, on_disk=True) as unfinished:
            write(unfinished)
    except OSError as error:
        raise LuoziError(
            "can't write '{name}': {reason}; what was finished before is kept", name=path, reason=reason_of(error)
        ) from None


def write_content(path: Path, content: bytes) -> None:
    """Write a file at once."""
    written_by(path, lambda unfinished: _discard(unfinished.write_bytes(content)))


def _discard(_: object) -> None:
    pass


def write_arrays(path: Path, arrays: dict[str, Array], compressed: bool = False) -> None:
    """Write arrays at once."""
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, allow_pickle=False, **arrays)
    write_content(path, file.getvalue())


def read_arrays(path: Path) -> dict[str, Array]:
    """All arrays of a file, whose checksums are looked at."""
    try:
        with np.load(io.BytesIO(read_bounded(path, MOST_BYTES)), allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except Exception as error:  # whatever bytes that make no sense let the reader say
        reason = reason_of(error) if isinstance(error, OSError) and error.strerror else Message("it is damaged")
        raise DamagedFileError(Message("'{name}' can't be read: {reason}", name=path, reason=reason)) from None


# Games of self-play ---------------------------------------------------------------------------------------------------

COUNTS = ("games", "moves", "draws")


def played_arrays(played: SelfPlayBatch) -> dict[str, Array]:
    """Games of self-play as plain arrays."""
    counts = {name: np.int64(getattr(played, name)) for name in COUNTS}
    others = {"wins": np.asarray(played.wins, np.int64), "cpu_seconds": np.float64(played.cpu_seconds)}
    return {**played.samples._asdict(), **counts, **others}


def read_played(arrays: dict[str, Array], path: Path) -> SelfPlayBatch:
    """The opposite of `played_arrays`."""
    try:
        samples = checked_samples(Samples(**{name: arrays[name] for name in Samples._fields if name in arrays}))
        games, moves, draws = (int(arrays[name]) for name in COUNTS)
        return SelfPlayBatch(
            samples, games, moves, arrays["wins"].astype(np.int64), draws, float(arrays["cpu_seconds"])
        )
    except (KeyError, TypeError, ValueError):
        raise DamagedFileError("'{name}' can't be read: it holds no games of self-play", name=path) from None
