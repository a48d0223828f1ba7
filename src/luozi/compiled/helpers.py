"""Plain functions beside a game: compiled rules may call them as they stand.

Numba calls only what is compiled. A rule is therefore compiled as its twin, which differs in one thing: where its
globals, closures and helper modules hold a plain function of the user's, the twin's hold the compiled one.
"""

from __future__ import annotations

import contextlib
import types
from typing import Any

from numba import njit

from luozi.compiled.digest import LIBRARIES

_NOT_HELPERS = (*LIBRARIES, "luozi")  # whose functions are compiled by other means, or not at all


def compile_with_helpers(function: Any, options: dict[str, Any]) -> Any:
    """Compile a function and the plain functions it calls; the options are Numba's, for each of them."""
    return _compiled_twin(function, options, {})


def _compiled_twin(function: Any, options: dict[str, Any], made: dict[int, Any]) -> Any:
    if id(function) in made:
        return made[id(function)]
    cells = tuple(types.CellType() for _ in function.__closure__ or ())
    code, values = function.__code__, dict(function.__globals__)
    twin = types.FunctionType(code, values, function.__name__, function.__defaults__, cells)
    twin.__module__, twin.__qualname__ = function.__module__, function.__qualname__
    dispatcher = made[id(function)] = njit(twin, **options)  # before its helpers: one of them may call it
    names = names_in(code)
    for name in names & values.keys():
        values[name] = _compiled(values[name], names, options, made)
    for cell, original in zip(cells, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # an empty cell stays empty
            cell.cell_contents = _compiled(original.cell_contents, names, options, made)
    return dispatcher


def _compiled(value: Any, names: set[str], options: dict[str, Any], made: dict[int, Any]) -> Any:
    """The compiled form of a helper function or of a module with helpers; anything else as it is."""
    if isinstance(value, types.FunctionType) and _is_own(value.__module__):
        return _compiled_twin(value, options, made)
    if isinstance(value, types.ModuleType) and _is_own(value.__name__):
        module = types.ModuleType(value.__name__)
        vars(module).update(vars(value))
        for name in names & vars(value).keys():
            if isinstance(vars(value)[name], types.FunctionType):
                vars(module)[name] = _compiled(vars(value)[name], names, options, made)
        return module
    return value


def _is_own(module: str | None) -> bool:
    return (module or "").split(".")[0] not in _NOT_HELPERS


def names_in(code: types.CodeType) -> set[str]:
    """The global and attribute names that a function uses, those of functions inside it too."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_in(constant)
    return names
