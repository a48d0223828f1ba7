"""The one hash: bits stirred by a product, and the high ones folded into the low ones (multiplicative hashing)."""

from __future__ import annotations

from luozi.compiled.arrays import Array
from luozi.compiled.kernels import inline

KEY_BITS = 63  # of a position's hash: never negative
_FACTOR = 0x1E3779B97F4A7C15  # odd, so that no two numbers get the same product


@inline
def stir(bits: int, width: int) -> int:
    """Another number of `width` bits; no two numbers of so many get the same.

    >>> len({stir(number, 8) for number in range(256)})
    256
    """
    bits = (bits * _FACTOR) & ((1 << width) - 1)
    return bits ^ (bits >> ((width + 1) >> 1))


@inline
def hash_words(words: Array, mask: Array) -> int:
    """Sixty-three bits that depend on all the bits of some words that the mask lets through.

    >>> import numpy as np
    >>> mask = np.array([-1, 255])
    >>> one, same, other = (hash_words(np.array([5, word]), mask) for word in (7, 256 + 7, 8))
    >>> one == same != other
    True
    """
    bits = 1
    for index in range(mask.shape[0]):
        bits = stir(bits ^ int(words[index] & mask[index]), KEY_BITS)
    return bits
