"""Compute once what Numba computes over and over while it compiles one kernel.

A kernel is a hundred small functions, so that this is a good part of the time to compile. Nothing here changes what a
kernel does. The types of records are asked for at each call of a kernel, and are known from the first one on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any

from numba.core import dispatcher, event
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.targetconfig import ConfigStack
from numba.core.transforms import canonicalize_cfg
from numba.core.types.functions import BaseFunction
from numba.np import numpy_support

_find_signature = BaseFunction.get_call_type
_process = PostProcessor.run
_record_type = cache(lambda dtype, aligned, find=numpy_support.from_struct_dtype: find(dtype))

# What a call of a built-in function with these types means: Numba would try some twenty ways each time.
_known: dict[Any, tuple[Any, Any]] = {}


def known_signature(self: Any, context: Any, arguments: Any, named: Any) -> Any:
    """The signature by which a built-in function, such as `+`, is called with arguments of these types."""
    if named:
        return _find_signature(self, context, arguments, named)
    # Functions are equal if they are tried in the same ways; how callers are compiled decides about what they call.
    key = (context, self, tuple(arguments), ConfigStack.top_or_none())
    if key not in _known:
        signature = _find_signature(self, context, arguments, named)
        if signature is None:
            return None
        _known[key] = signature, self.get_impl_key(signature)
    signature, implementation = _known[key]
    self._impl_keys[signature.args] = implementation
    return signature


def process_lightly(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Numba's tidying up between two passes, without a list of live variables that only generators ask for."""
    if emit_dels or self.func_ir.is_generator:
        _process(self, emit_dels, extend_lifetimes)
        return
    self.func_ir.blocks = canonicalize_cfg(self.func_ir.blocks)
    self.func_ir.variable_lifetime = VariableLifetime(self.func_ir.blocks)  # works itself out if somebody asks
    self.func_ir.generator_info = None


class QuietEvents:
    """Numba's events without clocks: each function would time the compiling of all that it calls."""

    def __getattr__(self, name: str) -> Any:
        return getattr(event, name)

    @staticmethod
    def install_timer(_kind: str, _callback: Any) -> AbstractContextManager[None]:
        """No clock."""
        return nullcontext()


PLACES: tuple[tuple[Any, str, Any], ...] = (
    (BaseFunction, "get_call_type", known_signature),
    (PostProcessor, "run", process_lightly),
    (dispatcher, "ev", QuietEvents()),
)


def record_type(dtype: Any) -> Any:
    """The type of a record; equal ones may lie in memory unlike each other."""
    return _record_type(dtype, dtype.isalignedstruct)


numpy_support.from_struct_dtype = record_type


@contextmanager
def shortcuts() -> Iterator[None]:
    """Compile by the short way; for one thread at a time, the one that holds Numba's lock.

    >>> with shortcuts(), shortcuts():
    ...     BaseFunction.get_call_type is known_signature
    True
    >>> BaseFunction.get_call_type is known_signature
    False
    """
    before = [getattr(owner, name) for owner, name, _ in PLACES]
    for owner, name, short in PLACES:
        setattr(owner, name, short)
    try:
        yield
    finally:
        for (owner, name, _), one in zip(PLACES, before, strict=True):
            setattr(owner, name, one)
