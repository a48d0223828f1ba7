"""Operations that threads may do at the same time on one array element."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.typing.templates import Signature, signature
from numba.extending import overload

from luozi.compiled.arrays import Array
from luozi.compiled.linking import PART, compile_as


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


def _compile(
    function: Callable[..., Any], result: Callable[[types.Type], types.Type], lower: Callable[..., Any]
) -> None:
    """Compile a function of an element of an array: `lower` gets the builder, the element's address and the values."""

    def typed(array: types.Array, index: types.Type, *values: types.Type) -> Signature:
        return signature(result(array.dtype), array, types.intp, *[array.dtype] * len(values))

    def lowered(
        context: BaseContext, builder: ir.IRBuilder, call: Signature, arguments: Sequence[ir.Value]
    ) -> ir.Value:
        array, index, *values = arguments
        struct = context.make_array(call.args[0])(context, builder, value=array)
        pointer = cgutils.get_item_pointer(context, builder, call.args[0], struct, [index], wraparound=False)
        found = lower(builder, pointer, *values)
        return context.get_dummy_value() if call.return_type == types.void else found

    compile_as(function, typed, lowered)


def _lower_compare_and_swap(builder: ir.IRBuilder, pointer: ir.Value, expected: ir.Value, new: ir.Value) -> ir.Value:
    found = builder.cmpxchg(pointer, expected, new, ordering="acq_rel", failordering="acquire")
    return builder.extract_value(found, 0)


def _lower_prefetch(builder: ir.IRBuilder, pointer: ir.Value) -> None:
    number = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
    prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
    address = builder.bitcast(pointer, cgutils.voidptr_t)
    builder.call(prefetch, [address, number(1), number(3), number(1)])  # to write; for the first cache; data


def _bytes(pointer: ir.Value) -> int:
    return int(pointer.type.pointee.width) // 8


_compile(compare_and_swap, lambda kind: kind, _lower_compare_and_swap)
_compile(fetch_add, lambda kind: kind, lambda builder, *at: builder.atomic_rmw("add", *at, "acq_rel"))
_compile(fetch_or, lambda kind: kind, lambda builder, *at: builder.atomic_rmw("or", *at, "acq_rel"))
_compile(load_acquire, lambda kind: kind, lambda builder, at: builder.load_atomic(at, "acquire", _bytes(at)))
_compile(
    store_release,
    lambda kind: types.void,
    lambda builder, at, value: builder.store_atomic(value, at, "release", _bytes(at)),
)
_compile(fetch_for_write, lambda kind: types.void, _lower_prefetch)

_yield = types.ExternalFunction("sched_yield", types.int32()) if hasattr(os, "sched_yield") else None


@overload(give_way, jit_options=PART)
def _compiled_give_way():  # type: ignore[no-untyped-def]
    if _yield is None:
        return lambda: None

    def give() -> None:
        _yield()

    return give
