"""A digest of everything that ends up in machine code, so that an edited helper never runs old code.

Numba freezes the functions and constants that a function can reach through its globals. `digest_of` walks the same
way: byte code, constants, closures, module attributes, and on into every function found there.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

# Their versions are part of every cache key instead (see cache.py).
LIBRARIES = ("numpy", "numba", "llvmlite", "math", "builtins", "typing", "operator", "itertools", "functools")


def digest_of(*roots: Any) -> str:
    """A short name for the code and the constants that can be reached from some functions.

    >>> digest_of(lambda x: x + 1) == digest_of(lambda x: x + 1) != digest_of(lambda x: x + 2)
    True
    """
    pieces: list[str] = []
    seen: set[int] = set()
    for root in roots:
        _visit(root, pieces, seen)
    return hashlib.sha256("\n".join(pieces).encode()).hexdigest()[:20]


@cache
def source_digest(folder: str) -> str:
    """A digest of the Python files in a folder: for code that is reached by registration and not by name."""
    files = sorted(Path(folder).glob("*.py"))
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:20]


def _visit(value: Any, pieces: list[str], seen: set[int]) -> None:
    value = getattr(value, "py_func", value)
    if isinstance(value, (int, float, complex, str, bytes, bool, type(None), np.generic)):
        pieces.append(f"{type(value).__name__} {value!r}")
        return
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, types.FunctionType):
        _visit_function(value, pieces, seen)
    elif isinstance(value, np.ndarray):
        pieces.append(f"array {value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}")
    elif isinstance(value, (tuple, list, frozenset)):
        pieces.append(f"{type(value).__name__} of {len(value)}")
        _visit_all(value, pieces, seen)
    elif isinstance(value, type):
        pieces.append(f"class {value.__qualname__}")
        _visit_all((item for key, item in sorted(vars(value).items()) if not key.startswith("__")), pieces, seen)
    else:
        pieces.append(f"object {type(value).__qualname__}")


def _visit_all(values: Iterable[Any], pieces: list[str], seen: set[int]) -> None:
    for value in values:
        _visit(value, pieces, seen)


def _visit_function(function: types.FunctionType, pieces: list[str], seen: set[int]) -> None:
    if (function.__module__ or "").split(".")[0] in LIBRARIES:
        pieces.append(f"library {function.__module__}.{function.__qualname__}")
        return
    names = _visit_code(function.__code__, pieces)
    _visit_all(function.__defaults__ or (), pieces, seen)
    for cell in function.__closure__ or ():
        _visit(cell.cell_contents, pieces, seen)
    for name in sorted(names & function.__globals__.keys()):
        value = function.__globals__[name]
        pieces.append(f"global {name}")
        if not isinstance(value, types.ModuleType):
            _visit(value, pieces, seen)
        elif value.__name__.split(".")[0] not in LIBRARIES:  # the user's own helper module
            _visit_all((vars(value)[used] for used in sorted(names & vars(value).keys())), pieces, seen)


def _visit_code(code: types.CodeType, pieces: list[str]) -> set[str]:
    """Note the byte code, but not where it stands; return the names it uses."""
    pieces.append(f"code {code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars} {code.co_argcount}")
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _visit_code(constant, pieces)
        else:
            pieces.append(f"constant {type(constant).__name__} {constant!r}")
    return names
