"""Random numbers that are the same compiled and uncompiled: SplitMix64 (Steele, Lea and Flood, 2014).

A generator is an array with one 64-bit number in it, so that a search can be repeated from a seed.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import uint64
from numba.extending import overload

from luozi.compiled.linking import PART

# Ids of stored matches of custom games contain the code and docstrings of `random_bits` and `random_below`.

Rng = npt.NDArray[np.uint64]

_STEP, _MIX_1, _MIX_2, _MASK = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, (1 << 64) - 1


def new_rng(seed: int) -> Rng:
    """A generator; the same seed gives the same numbers.

    >>> rng = new_rng(1)
    >>> [random_below(rng, 6) for _ in range(5)]
    [4, 5, 2, 2, 4]
    """
    rng = np.array([seed & _MASK], np.uint64)
    random_bits(rng)  # neighbouring seeds part here
    return rng


def random_bits(rng: Rng) -> int:
    """Sixty-four random bits."""
    x = (int(rng[0]) + _STEP) & _MASK
    rng[0] = x
    x = ((x ^ (x >> 30)) * _MIX_1) & _MASK
    x = ((x ^ (x >> 27)) * _MIX_2) & _MASK
    return x ^ (x >> 31)


def random_below(rng: Rng, bound: int) -> int:
    """A random whole number from 0 to bound - 1 (Lemire's multiplication; its bias is below bound / 2**32)."""
    return ((random_bits(rng) >> 32) * bound) >> 32


@overload(random_bits, jit_options=PART)
def _compiled_random_bits(rng):  # type: ignore[no-untyped-def]
    def bits(rng):  # type: ignore[no-untyped-def]
        x = rng[0] + uint64(_STEP)
        rng[0] = x
        x = (x ^ (x >> uint64(30))) * uint64(_MIX_1)
        x = (x ^ (x >> uint64(27))) * uint64(_MIX_2)
        return x ^ (x >> uint64(31))

    return bits


@overload(random_below, jit_options=PART)
def _compiled_random_below(rng, bound):  # type: ignore[no-untyped-def]
    def below(rng, bound):  # type: ignore[no-untyped-def]
        return np.int64(((random_bits(rng) >> uint64(32)) * uint64(bound)) >> uint64(32))

    return below
