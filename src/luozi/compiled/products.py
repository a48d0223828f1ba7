"""Products of rows with a matrix in vector registers: the inner loop of convolutions.

Numba's own vectoriser keeps sums in memory and reaches a quarter of what the processor can do. Here a block of sums
stays in registers while all taps and channels are added to it, as in the "indirect convolution" of Dukhan 2019.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.extending import intrinsic, overload

from luozi.compiled.arrays import Array
from luozi.compiled.kernels import apart
from luozi.compiled.linking import PART


class Registers(NamedTuple):
    """How many sums this processor keeps in registers."""

    lanes: int  # numbers of four bytes in a register
    vectors: int  # registers beside each other for a row
    rows: tuple[int, int, int, int]  # how many rows a block may have


def registers_of(features: dict[str, bool]) -> Registers:
    """What a processor with these features has room for, beside the weights and one number of a row.

    >>> registers_of({"avx512f": True})
    Registers(lanes=16, vectors=2, rows=(8, 9, 10, 11))
    >>> registers_of({})
    Registers(lanes=4, vectors=2, rows=(3, 4, 5, 6))
    """
    if features.get("avx512f"):
        return Registers(16, 2, (8, 9, 10, 11))
    if features.get("avx2"):
        return Registers(8, 2, (3, 4, 5, 6))
    return Registers(4, 4 if features.get("neon") else 2, (3, 4, 5, 6))


def features_here() -> dict[str, bool]:
    """Return the features of this processor; none of one that LLVM does not know."""
    try:
        return dict(binding.get_host_cpu_features())
    except RuntimeError:
        return {}


HERE = registers_of(features_here())
WIDTH = HERE.lanes * HERE.vectors  # sums of a row in a block
FEW, SOME, MORE, MOST = HERE.rows


def block_rows(rows: int) -> int:
    """How many rows a block of this processor should have, so that few are left empty in the last one.

    >>> block_rows(81) in HERE.rows
    True
    """
    return min(reversed(HERE.rows), key=lambda size: -(-rows // size) * size)


class Rows(NamedTuple):
    """Rows of `values` that are multiplied, and with which weights."""

    offsets: Array  # i4: where in `values` each row begins
    at: int  # the first of the offsets that count: those of all rows of a block for the first tap, then the next
    taps: int
    inputs: int  # numbers of a row
    start: int  # the first weight
    place: int  # where the sums of the first row begin
    stride: int  # from one row of sums to the next


def add_products(size: int, values: Array, rows: Rows, weights: Array, to: Array) -> None:
    """Add the products of `size` rows of values with weights to WIDTH columns of as many rows of `to`.

    Row r of the block, at `to[place + r * stride]`, gets the sum over all taps t and inputs c of the number
    `values[offsets[at + t * size + r] + c]` times the WIDTH weights from `start + (t * inputs + c) * WIDTH` on.
    """
    first = np.asarray(rows.offsets)[rows.at : rows.at + rows.taps * size].reshape(rows.taps, size)
    seen = np.asarray(values)[first[:, :, None] + np.arange(rows.inputs)]
    end = rows.start + rows.taps * rows.inputs * WIDTH
    block = np.asarray(weights)[rows.start : end].reshape(rows.taps, rows.inputs, WIDTH)
    sums = np.einsum("trc,tcw->rw", seen, block, optimize=True)
    for row in range(size):
        begin = rows.place + row * rows.stride
        to[begin : begin + WIDTH] = np.asarray(to)[begin : begin + WIDTH] + sums[row]


def _pointer(context: BaseContext, builder: ir.IRBuilder, kind: types.Array, array: ir.Value) -> ir.Value:
    """The address of an array's first element."""
    return context.make_array(kind)(context, builder, value=array).data


@intrinsic(prefer_literal=True)
def _add_products(typingctx, size, values, rows, weights, to):  # type: ignore[no-untyped-def]
    if not isinstance(size, types.IntegerLiteral):
        return None
    count = size.literal_value

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        whole, real = ir.IntType(64), ir.FloatType()
        vector = ir.VectorType(real, HERE.lanes)
        values_at, weights_at, to_at = (_pointer(context, builder, signature.args[i], args[i]) for i in (1, 3, 4))
        offsets, *numbers = (builder.extract_value(args[2], field) for field in range(len(rows.types)))
        offsets_at = _pointer(context, builder, rows.types[0], offsets)
        first, taps, inputs, start, place, stride = (
            context.cast(builder, number, kind, types.int64)
            for number, kind in zip(numbers, rows.types[1:], strict=True)
        )
        fused = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(vector, [vector] * 3), f"llvm.fmuladd.v{HERE.lanes}f32"
        )
        places = []
        for row in range(count):
            begin = builder.gep(to_at, [builder.add(place, builder.mul(stride, whole(row)))])
            places += [
                builder.bitcast(builder.gep(begin, [whole(one * HERE.lanes)]), vector.as_pointer())
                for one in range(HERE.vectors)
            ]

        def splat(number: ir.Value) -> ir.Value:
            one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.IntType(32)(0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), HERE.lanes), None)
            return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), zeros)

        before = builder.block
        sums = [builder.load(one, align=4) for one in places]
        outer, inner = builder.append_basic_block("taps"), builder.append_basic_block("inputs")
        after, end = builder.append_basic_block("next"), builder.append_basic_block("end")
        weight = builder.gep(weights_at, [start])
        builder.branch(outer)

        builder.position_at_end(outer)
        tap = builder.phi(whole)
        tap.add_incoming(whole(0), before)
        weight_then = builder.phi(weight.type)
        weight_then.add_incoming(weight, before)
        held = [builder.phi(vector) for _ in sums]
        for one, value in zip(held, sums, strict=True):
            one.add_incoming(value, before)
        bases = []
        for row in range(count):
            number = builder.add(builder.add(first, builder.mul(tap, whole(count))), whole(row))
            offset = builder.load(builder.gep(offsets_at, [number]))
            bases.append(builder.gep(values_at, [builder.sext(offset, whole)]))
        builder.branch(inner)

        builder.position_at_end(inner)
        channel = builder.phi(whole)
        channel.add_incoming(whole(0), outer)
        weight_now = builder.phi(weight.type)
        weight_now.add_incoming(weight_then, outer)
        running = [builder.phi(vector) for _ in sums]
        for one, value in zip(running, held, strict=True):
            one.add_incoming(value, outer)
        columns = [
            builder.load(
                builder.bitcast(builder.gep(weight_now, [whole(one * HERE.lanes)]), vector.as_pointer()), align=4
            )
            for one in range(HERE.vectors)
        ]
        totals = []
        for row in range(count):
            seen = splat(builder.load(builder.gep(bases[row], [channel])))
            totals += [
                builder.call(fused, [seen, columns[one], running[row * HERE.vectors + one]])
                for one in range(HERE.vectors)
            ]
        channel_next = builder.add(channel, whole(1))
        weight_next = builder.gep(weight_now, [whole(WIDTH)])
        channel.add_incoming(channel_next, inner)
        weight_now.add_incoming(weight_next, inner)
        for one, value in zip(running, totals, strict=True):
            one.add_incoming(value, inner)
        builder.cbranch(builder.icmp_signed("<", channel_next, inputs), inner, after)

        builder.position_at_end(after)
        tap_next = builder.add(tap, whole(1))
        tap.add_incoming(tap_next, after)
        weight_then.add_incoming(weight_next, after)
        for one, value in zip(held, totals, strict=True):
            one.add_incoming(value, after)
        builder.cbranch(builder.icmp_signed("<", tap_next, taps), outer, end)

        builder.position_at_end(end)
        for one, value in zip(places, totals, strict=True):
            builder.store(value, one, align=4)
        return context.get_dummy_value()

    return types.void(size, values, rows, weights, to), codegen


@overload(add_products, jit_options=PART, prefer_literal=True)
def _compiled_add_products(size, values, rows, weights, to):  # type: ignore[no-untyped-def]
    def added(size, values, rows, weights, to):  # type: ignore[no-untyped-def]
        _add_products(size, values, rows, weights, to)

    return added


@apart
def add_block(size: int, values: Array, rows: Rows, weights: Array, to: Array) -> None:
    """The same for a size that is known at run time: one of those that `block_rows` chooses from."""
    if size == FEW:
        add_products(FEW, values, rows, weights, to)
    elif size == SOME:
        add_products(SOME, values, rows, weights, to)
    elif size == MORE:
        add_products(MORE, values, rows, weights, to)
    else:
        add_products(MOST, values, rows, weights, to)
