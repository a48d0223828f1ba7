"""Plain functions that compiled rules call: they are compiled too.

Numba calls only what is compiled. A rule is therefore compiled as its twin, which differs in one thing: where its
globals, closures and helper modules hold a plain function of the user's, the twin's hold the compiled one.
"""

from __future__ import annotations

import contextlib
import dis
import os
import types
from typing import Any

from numba import njit
from numba.core.dispatcher import Dispatcher

from luozi.compiled.digest import LIBRARIES, names_in
from luozi.messages import LuoziError

JitOptions = dict[str, Any]  # of Numba
Twins = dict[int, Dispatcher | None]  # the compiled forms of functions, by their ids; None while one is made
_NOT_HELPERS = (*LIBRARIES, "luozi")  # whose functions are compiled by other means, or not at all


def compile_with_helpers(function: types.FunctionType, options: JitOptions) -> Dispatcher:
    """Compile a function and the plain functions it calls; the options are Numba's, for each of them."""
    return _compiled_twin(function, options, {})


def _compiled_twin(function: types.FunctionType, options: JitOptions, made: Twins) -> Dispatcher:
    if id(function) in made:
        known = made[id(function)]
        if known is None:  # Numba would compile it, and crash when it loads the code from the cache
            raise LuoziError(
                "{place}: a function that calls itself can't be compiled; make it a loop",
                place=_place_of(function),
            )
        return known
    made[id(function)] = None  # until its own helpers are done
    cells = tuple(types.CellType() for _ in function.__closure__ or ())
    code, values = function.__code__, dict(function.__globals__)
    twin = types.FunctionType(code, values, function.__name__, function.__defaults__, cells)
    twin.__module__, twin.__qualname__ = function.__module__, function.__qualname__
    names = names_in(code)
    for name in _global_names(code) & values.keys():
        values[name] = _compiled(values[name], names, options, made)
    for cell, original in zip(cells, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # an empty cell stays empty
            cell.cell_contents = _compiled(original.cell_contents, names, options, made)
    made[id(function)] = compiled = njit(twin, **options)
    return compiled


def _compiled(value: Any, names: set[str], options: JitOptions, made: Twins) -> Any:
    """Return the compiled form of a helper function or of a module with helpers; anything else as it is."""
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


def _place_of(function: types.FunctionType) -> str:
    code = function.__code__
    return f"{os.path.basename(code.co_filename)}, line {code.co_firstlineno}, in {function.__name__}"


def _is_own(module: str | None) -> bool:
    return (module or "").split(".")[0] not in _NOT_HELPERS


def _global_names(code: types.CodeType) -> set[str]:
    """Return the names that a function looks up among its globals; `names_in` has those of attributes too."""
    loads = (one for one in dis.get_instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    inner = (_global_names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return {str(load.argval) for load in loads}.union(*inner)
