"""Compilation: plain Python functions and objects become machine code. It contains no game and no search.

Start with `kernels.py` (functions), then `object_type.py` (objects whose methods compile), then `cache.py`.
"""

from luozi.compiled.arrays import Array, float32
from luozi.compiled.kernels import KERNEL_PART, apart, freely, inline, is_among, kernel, signed, unsigned
from luozi.compiled.object_type import Compilable
from luozi.compiled.random import new_rng, random_below

__all__ = [
    "KERNEL_PART",
    "Array",
    "Compilable",
    "apart",
    "float32",
    "freely",
    "inline",
    "is_among",
    "kernel",
    "new_rng",
    "random_below",
    "signed",
    "unsigned",
]
