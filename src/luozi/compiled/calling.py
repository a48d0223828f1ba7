"""Calls of kernels without a look at all types again.

Numba looks at every argument of every call, down to the last array of the last object: a millisecond for a search.
`Caller` remembers the arguments of its last call and the machine code that they led to. Where the next ones are of the
same types for certain, which is nearly always, it goes straight there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from luozi.compiled.object_type import Compilable
from luozi.util.interruptible import compiling

SMALLEST, LARGEST = -(2**63), 2**63 - 1  # beyond them a number has another type


class Caller:
    """A kernel, to be called again and again with much the same arguments; by several threads too."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self._known: tuple[tuple[Any, ...], dict[int, Any], Callable[..., Any]] | None = None

    def __call__(self, *arguments: Any) -> Any:
        known = self._known
        if known is not None and are_alike(known[0], arguments, known[1]):
            return known[2](*arguments)
        types = tuple(self.kernel.typeof_pyval(argument) for argument in arguments)
        compiled = self.kernel.overloads.get(types)
        if compiled is None:
            with compiling():
                return self.kernel(*arguments)
        self._known = arguments, object_types(arguments), compiled.entry_point
        return compiled.entry_point(*arguments)


def machine_code(kernel: Any, *arguments: Any) -> Callable[..., Any]:
    """What a kernel runs for arguments of these types, compiled if it has to be; for callers that keep them."""
    types = tuple(kernel.typeof_pyval(argument) for argument in arguments)
    if types not in kernel.overloads:
        kernel.compile(types)
    code: Callable[..., Any] = kernel.overloads[types].entry_point
    return code


def object_types(value: Any) -> dict[int, Any]:
    """The types of all objects among some values, by the objects' numbers."""
    if isinstance(value, tuple):
        return {number: one for part in value for number, one in object_types(part).items()}
    return {id(value): type_of(value)} if isinstance(value, Compilable) else {}


def type_of(value: Compilable) -> Any:
    """The compiled type of an object, or None since one of its attributes was set."""
    return vars(value).get("_object_type")


def are_alike(before: Any, now: Any, objects: dict[int, Any]) -> bool:
    """Whether a value has the type that another one had for certain; `objects` are those of that time."""
    if isinstance(now, Compilable):
        return now is before and type_of(now) is not None and type_of(now) is objects.get(id(now))
    if isinstance(now, tuple):
        if type(now) is not type(before) or len(now) != len(before):
            return False
        for one, other in zip(before, now, strict=True):  # noqa: SIM110 (`all` takes a call more for each)
            if not are_alike(one, other, objects):
                return False
        return True
    if isinstance(now, np.ndarray):
        return now is before or (
            type(now) is type(before)
            and now.ndim == before.ndim
            and now.flags.num == before.flags.num
            and now.dtype == before.dtype
        )
    if type(now) is not type(before):
        return False
    if isinstance(now, np.generic):
        return bool(now.dtype == before.dtype)
    return isinstance(now, (bool, float)) or (isinstance(now, int) and SMALLEST <= now <= LARGEST)
