"""Calls of kernels that do not inspect the types of all arguments again.

Numba looks at every argument of every call, down to the last array of the last object: a millisecond for a search.
A `Binding` is the machine code that some arguments led to. Later arguments of the same types, which is nearly always
the case, go straight there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.core.dispatcher import Dispatcher

from luozi.compiled.object_type import Compilable, ObjectType
from luozi.util.interruptible import compiling

SMALLEST, LARGEST = -(2**63), 2**63 - 1  # beyond them a number has another type


class Binding(NamedTuple):
    """A kernel's machine code for arguments of certain types."""

    arguments: tuple[Any, ...]  # that it was compiled or loaded for
    objects: list[tuple[Compilable, ObjectType | None]]  # all objects among them, with their types of that time
    entry_point: Callable[..., Any]

    def holds(self) -> bool:
        """Return whether no attribute of an object was set since."""
        for one, its_type in self.objects:
            if its_type is None or vars(one).get("_object_type") is not its_type:
                return False
        return True

    def fits(self, arguments: tuple[Any, ...]) -> bool:
        """Return whether arguments certainly have the same types."""
        if len(arguments) != len(self.arguments) or not self.holds():
            return False
        pairs = list(zip(self.arguments, arguments, strict=True))
        while pairs:
            before, now = pairs.pop()
            if now is before:
                continue
            if type(now) is not type(before) or isinstance(now, Compilable):
                return False
            if isinstance(now, tuple):
                if len(now) != len(before):
                    return False
                pairs += zip(before, now, strict=True)
            elif not has_type_of(before, now):
                return False
        return True


def has_type_of(before: Any, now: Any) -> bool:
    """Return whether an array or a number has the same compiled type as another one of its class."""
    if isinstance(now, np.ndarray):
        return now.ndim == before.ndim and now.flags.num == before.flags.num and now.dtype == before.dtype
    if isinstance(now, np.generic):
        return bool(now.dtype == before.dtype)
    return isinstance(now, (bool, float)) or (isinstance(now, int) and SMALLEST <= now <= LARGEST)


def bind(kernel: Dispatcher, arguments: tuple[Any, ...]) -> Binding:
    """Return the machine code for some arguments, which is compiled or loaded if it is not in this process yet."""
    types = tuple(map(kernel.typeof_pyval, arguments))
    if types not in kernel.overloads:
        with compiling():
            kernel._compile_for_args(*arguments)  # type: ignore[attr-defined]  # with the errors of a call
    return Binding(arguments, objects_among(arguments), kernel.overloads[types].entry_point)


def objects_among(values: tuple[Any, ...]) -> list[tuple[Compilable, ObjectType | None]]:
    """Return all objects among some values, and their compiled types.

    None for one of which an attribute was set since.
    """
    found, todo = [], list(values)
    while todo:
        value = todo.pop()
        if isinstance(value, tuple):
            todo += value
        elif isinstance(value, Compilable):
            found.append((value, vars(value).get("_object_type")))
    return found
