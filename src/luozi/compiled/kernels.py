"""The kinds of compiled functions.

* `@kernel`: called from Python, runs without the GIL, kept in the cache. Its uncompiled twin is `function.py_func`.
* `@inline`: called from kernels and from games. In plain Python it is the plain function.
* `@apart`: the same for what is long and runs rarely: it stays a function of its own, which compiles faster.
* `@freely`: as `@apart`, for the arithmetic of networks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core.base import BaseContext
from numba.core.typing.templates import Signature, signature
from numba.extending import overload, register_jitable

from luozi.compiled.arrays import Array
from luozi.compiled.cache import KernelCache
from luozi.compiled.linking import APART, INSIDE, PART, WholeCompiler, compile_as

Function = TypeVar("Function", bound=Callable[..., Any])

# Scores are never NaN and the sign of a zero never matters; that is all the licence the vectoriser needs.
_FLOATS = {"nnan", "nsz"}
# Without Numba's reference counts: nothing is allocated in a kernel, and counting halved the speed or worse.
_OPTIONS = {"fastmath": _FLOATS, "error_model": "numpy", "_nrt": False}
KERNEL_PART = {**PART, **_OPTIONS}  # of a class whose methods are to be compiled as `@inline` functions are
# Where sums may be added up in any order, the vectoriser can do all of them.
_FREELY = {**_OPTIONS, "fastmath": _FLOATS | {"reassoc", "contract", "arcp"}}


def kernel(function: Function) -> Any:
    """Compile a function when it is called, once for each set of argument types, and keep the result on disk."""
    dispatcher = njit(nogil=True, no_cfunc_wrapper=True, pipeline_class=WholeCompiler, **_OPTIONS)(function)
    dispatcher._cache = cache = KernelCache(function)
    dispatcher.compile = cache.in_turn(dispatcher.compile)
    return dispatcher


def inline(function: Function) -> Function:
    """Make a function part of every kernel that calls it."""
    registered: Function = register_jitable(forceinline=True, **_OPTIONS, **INSIDE)(function)
    return registered


def apart(function: Function) -> Function:
    """Make a function that kernels call where they need it, compiled once for all of them."""
    APART.add(function)
    return inline(function)


def freely(function: Function) -> Function:
    """The same as `apart`, and sums may be added up in any order: for networks, whose numbers are no exact ones."""
    APART.add(function)
    registered: Function = register_jitable(forceinline=True, **_FREELY, **INSIDE)(function)
    return registered


def signed(number: int) -> int:
    """The same number; compiled, as wide as all others: each width of an argument compiles a function anew."""
    return int(number)


def unsigned(number: int) -> int:
    """The same number; compiled, one that can't be negative, which saves every array access a test."""
    return int(number)


def _convert(function: Callable[[int], int], wide: types.Integer) -> None:
    """Compile a function as the conversion of a number."""

    def lowered(context: BaseContext, builder: ir.IRBuilder, call: Signature, values: Sequence[ir.Value]) -> ir.Value:
        return context.cast(builder, values[0], call.args[0], wide)

    compile_as(function, lambda number: signature(wide, number), lowered)


_convert(signed, types.int64)
_convert(unsigned, types.uint64)


def is_among(number: int, array: Array, count: int) -> bool:
    """Whether a number is one of the first `count` of an array; uncompiled, all are compared at once.

    >>> is_among(7, np.array([5, 7, 9]), 2), is_among(9, np.array([5, 7, 9]), 2)
    (True, False)
    """
    return bool((np.asarray(array)[:count] == number).any())


@overload(is_among, jit_options=PART)
def _compiled_is_among(number, array, count):  # type: ignore[no-untyped-def]
    def found_in(number, array, count):  # type: ignore[no-untyped-def]
        found = False
        for place in range(count):
            found |= array[place] == number
        return found

    return found_in
