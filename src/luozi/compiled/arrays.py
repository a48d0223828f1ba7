"""The memory that compiled code works in: allocated by Python, of any kind of number."""

from __future__ import annotations

import mmap
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
float32: Any = np.float32  # a number of half the width; uncompiled, Numba's own takes five times as long
LINES = 128  # bytes: what processors pass to and fro, one cache line or two
SMALL_PAGES = 4 << 20  # so many bytes of an array are not worth a large page


def lazy_zeros(count: int, dtype: Any) -> Array:
    """Zeros straight from the operating system, which gets them back when the array is gone; after the first, large
    pages where it offers them.

    `np.zeros` may take memory that was used before, and must then write all of it, so that all of it is resident. What
    it gives back, the process may keep.

    >>> lazy_zeros(3, np.int64)
    array([0, 0, 0])
    """
    size = max(1, count * np.dtype(dtype).itemsize)
    memory = mmap.mmap(-1, size)
    if hasattr(mmap, "MADV_HUGEPAGE") and size > SMALL_PAGES:
        with suppress(OSError):
            memory.madvise(mmap.MADV_HUGEPAGE, SMALL_PAGES, size - SMALL_PAGES)
    return np.frombuffer(memory, dtype, count)


def in_own_lines(array: Array) -> Array:
    """The same array where no other one shares a cache line with it: threads that write neighbours hold each other up.

    >>> in_own_lines(np.arange(3)), in_own_lines(np.arange(3)).ctypes.data % LINES
    (array([0, 1, 2]), 0)
    """
    room = np.zeros(array.nbytes + 2 * LINES, np.uint8)
    start = -room.ctypes.data % LINES
    place = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    place[...] = array
    return place
