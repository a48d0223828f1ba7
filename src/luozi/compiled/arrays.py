"""The memory that compiled code works in: allocated by Python, of any kind of number."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
float32: Any = np.float32  # a number of half the width; uncompiled, Numba's own takes five times as long
LINES = 128  # bytes: what processors pass to and fro, one cache line or two


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
