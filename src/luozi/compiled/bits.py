"""The bits of a number."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types, uint64
from numba.extending import intrinsic, overload

from luozi.compiled.arrays import Array
from luozi.compiled.kernels import inline
from luozi.compiled.linking import PART

LOW = 0xFFFFFFFF


def ranked(score: float, index: int) -> int:
    """A whole number that orders (score, lowest index first) as their pair would; the score is 0 or more.

    The largest of many is then found by integer comparison, which needs no branch and can be vectorised: the bits of
    floats that are not negative are in the order of their values.

    >>> keys = [ranked(np.float32(score), index) for index, score in enumerate((0.25, 0.75, 0.75))]
    >>> index_of(max(keys))
    1
    """
    return (int(np.float32(score).view(np.uint32)) << 32) | (LOW ^ int(index))


def index_of(key: int) -> int:
    """The index in a ranked number."""
    return (key & LOW) ^ LOW


def count_ones(bits: int) -> int:
    """How many bits of a number that is not negative are ones.

    >>> count_ones(0b1011)
    3
    """
    return int(bits).bit_count()


@intrinsic
def _bits_of(typingctx, value):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.bitcast(args[0], ir.IntType(32))

    return types.uint32(types.float32), codegen


@overload(ranked, jit_options=PART)
def _compiled_ranked(score, index):  # type: ignore[no-untyped-def]
    return lambda score, index: (uint64(_bits_of(score)) << uint64(32)) | (uint64(LOW) ^ uint64(index))


@overload(index_of, jit_options=PART)
def _compiled_index_of(key):  # type: ignore[no-untyped-def]
    return lambda key: np.int64((key & uint64(LOW)) ^ uint64(LOW))


@intrinsic
def _population(typingctx, bits):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


@overload(count_ones, jit_options=PART)
def _compiled_count_ones(bits):  # type: ignore[no-untyped-def]
    return lambda bits: _population(np.int64(bits))


# Hashing -------------------------------------------------------------------------------------------------------------

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
