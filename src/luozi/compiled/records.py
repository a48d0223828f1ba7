"""The bytes of a record, by their places: for code that is one for all games, whatever their fields are called."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from luozi.compiled.linking import PART


def byte_of(record: Any, place: int) -> int:
    """The byte at a place of a record, from 0 to 255.

    >>> import numpy as np
    >>> byte_of(np.array([(7, 258)], "i1,<i2")[0], 1)
    2
    """
    return int(record.tobytes()[place])


@intrinsic
def _byte_of(typingctx, record, place):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        start = builder.bitcast(args[0], ir.IntType(8).as_pointer())
        return builder.zext(builder.load(builder.gep(start, [args[1]])), ir.IntType(64))

    if isinstance(record, types.Record):
        return types.int64(record, types.int64), codegen
    return None


@overload(byte_of, jit_options=PART)
def _compiled_byte_of(record, place):  # type: ignore[no-untyped-def]
    return lambda record, place: _byte_of(record, place)
