"""Operations that threads may do at the same time on one array element."""

from __future__ import annotations

import os

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.extending import intrinsic, overload

from luozi.compiled.arrays import Array
from luozi.compiled.linking import PART


def compare_and_swap(array: Array, index: int, expected: int, new: int) -> int:
    """Store `new` at `array[index]` if it holds `expected`; return what it held."""
    held = int(array[index])
    if held == expected:
        array[index] = new
    return held


def fetch_add(array: Array, index: int, amount: int) -> int:
    """Add to `array[index]`; return what it held before."""
    held = int(array[index])
    array[index] = held + amount
    return held


def fetch_or(array: Array, index: int, bits: int) -> int:
    """Set bits of `array[index]`; return what it held before."""
    held = int(array[index])
    array[index] = held | bits
    return held


def store_release(array: Array, index: int, value: int) -> None:
    """Store a value that tells other threads that everything written before is complete."""
    array[index] = value


def load_acquire(array: Array, index: int) -> int:
    """A value that another thread stored: everything that it wrote before is seen from here on."""
    return int(array[index])


def fetch_for_write(array: Array, index: int) -> None:
    """Ask for the cache line of `array[index]`, which is written soon, and don't wait for it."""


def give_way() -> None:
    """Let another thread have the processor."""


def _element(
    context: BaseContext, builder: ir.IRBuilder, array_type: types.Array, array: ir.Value, index: ir.Value
) -> ir.Value:
    """The address of an element of a one-dimensional array."""
    struct = context.make_array(array_type)(context, builder, value=array)
    return cgutils.get_item_pointer(context, builder, array_type, struct, [index], wraparound=False)


@intrinsic
def _cas(typingctx, array, index, expected, new):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        pointer = _element(context, builder, array, args[0], args[1])
        result = builder.cmpxchg(pointer, args[2], args[3], ordering="acq_rel", failordering="acquire")
        return builder.extract_value(result, 0)

    return array.dtype(array, types.intp, array.dtype, array.dtype), codegen


@intrinsic
def _add(typingctx, array, index, amount):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        pointer = _element(context, builder, array, args[0], args[1])
        return builder.atomic_rmw("add", pointer, args[2], "acq_rel")

    return array.dtype(array, types.intp, array.dtype), codegen


@intrinsic
def _or(typingctx, array, index, bits):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        pointer = _element(context, builder, array, args[0], args[1])
        return builder.atomic_rmw("or", pointer, args[2], "acq_rel")

    return array.dtype(array, types.intp, array.dtype), codegen


@intrinsic
def _store(typingctx, array, index, value):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        pointer = _element(context, builder, array, args[0], args[1])
        builder.store_atomic(args[2], pointer, "release", array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, array.dtype), codegen


@intrinsic
def _load(typingctx, array, index):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        pointer = _element(context, builder, array, args[0], args[1])
        return builder.load_atomic(pointer, "acquire", array.dtype.bitwidth // 8)

    return array.dtype(array, types.intp), codegen


@intrinsic
def _fetch(typingctx, array, index):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        pointer = builder.bitcast(_element(context, builder, array, args[0], args[1]), cgutils.voidptr_t)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(prefetch, [pointer, number(1), number(3), number(1)])  # to write; for the first cache; data
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen


_yield = types.ExternalFunction("sched_yield", types.int32()) if hasattr(os, "sched_yield") else None


@overload(give_way, jit_options=PART)
def _compiled_give_way():  # type: ignore[no-untyped-def]
    if _yield is None:
        return lambda: None

    def give() -> None:
        _yield()

    return give


@overload(fetch_for_write, jit_options=PART)
def _compiled_fetch_for_write(array, index):  # type: ignore[no-untyped-def]
    return lambda array, index: _fetch(array, index)


@overload(fetch_or, jit_options=PART)
def _compiled_fetch_or(array, index, bits):  # type: ignore[no-untyped-def]
    return lambda array, index, bits: _or(array, index, bits)


@overload(store_release, jit_options=PART)
def _compiled_store_release(array, index, value):  # type: ignore[no-untyped-def]
    return lambda array, index, value: _store(array, index, value)


@overload(load_acquire, jit_options=PART)
def _compiled_load_acquire(array, index):  # type: ignore[no-untyped-def]
    return lambda array, index: _load(array, index)


@overload(compare_and_swap, jit_options=PART)
def _compiled_compare_and_swap(array, index, expected, new):  # type: ignore[no-untyped-def]
    return lambda array, index, expected, new: _cas(array, index, expected, new)


@overload(fetch_add, jit_options=PART)
def _compiled_fetch_add(array, index, amount):  # type: ignore[no-untyped-def]
    return lambda array, index, amount: _add(array, index, amount)
