"""A digest of everything that machine code depends on, so that an edited helper never runs old code.

Numba freezes the functions and constants that a function can reach through its globals. `digest_of` walks the same
way: byte code, constants, closures, module attributes, and on into every function found there.
"""

from __future__ import annotations

import dataclasses
import dis
import enum
import hashlib
import secrets
import types
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np

# Their versions are part of every cache key instead (see cache.py).
LIBRARIES = ("numpy", "numba", "llvmlite", "math", "builtins", "typing", "operator", "itertools", "functools")
# Ids of stored matches contain digests of games: classes that a game may hold keep the names they had in version 0.1.
FIRST_MODULES = {
    "luozi.rules.board": "luozi.boards",
    "luozi.rules.game": "luozi.rules",
    "luozi.rules.playout": "luozi.playout",
    "luozi.rules.state": "luozi.state",
}
_RAISE = dis.opmap["RAISE_VARARGS"]
_PLAIN = (int, float, complex, str, bytes, bool, type(None), type(...))


def digest_of(*roots: Any, lines: bool = True) -> str:
    """A short name for the code and the constants that can be reached from some functions.

    Code that raises something counts with its lines, which machine code tells, unless only its meaning is asked for.

    >>> digest_of(lambda x: x + 1) == digest_of(lambda x: x + 1) != digest_of(lambda x: x + 2)
    True
    """
    walk = _Walk(lines)
    for root in roots:
        walk.visit(root)
    return hashlib.sha256("\n".join(walk.pieces).encode()).hexdigest()[:20]


@cache
def source_digest(folder: str) -> str:
    """A digest of the Python files in a folder: for code that is reached by registration and not by name."""
    files = sorted(Path(folder).glob("*.py"))
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:20]


class _Walk:
    """Note all that can be reached, in order; an unknown object counts as new each time."""

    def __init__(self, lines: bool) -> None:
        self.lines = lines
        self.pieces: list[str] = []
        self.seen: dict[int, tuple[int, Any]] = {}  # the object is kept, so that its id stays its own

    def visit(self, value: Any) -> None:
        value = getattr(value, "py_func", value)
        if type(value) in _PLAIN or isinstance(value, np.generic):
            self.pieces.append(f"{type(value).__name__} {value!r}")
        elif id(value) in self.seen:
            self.pieces.append(f"the same as {self.seen[id(value)][0]}")
        else:
            self.seen[id(value)] = len(self.seen), value
            self._visit_new(value)

    def _visit_new(self, value: Any) -> None:
        if isinstance(value, types.FunctionType):
            self._visit_function(value)
        elif isinstance(value, np.ndarray):
            content = hashlib.sha256(value.tobytes()).hexdigest()
            self.pieces.append(f"array {value.dtype} {value.shape} {content}")
        elif isinstance(value, (tuple, list, frozenset)):
            self.pieces.append(f"{type(value).__qualname__} of {len(value)}")
            self._visit_all(sorted(value, key=repr) if isinstance(value, frozenset) else value)
        elif isinstance(value, dict):
            self.pieces.append(f"dict of {len(value)}")
            self._visit_all(item for pair in value.items() for item in pair)
        elif isinstance(value, enum.Enum):
            self.pieces.append(f"enum {type(value).__qualname__}.{value.name}")
            self.visit(value.value)
        elif isinstance(value, type):
            self._visit_class(value)
        elif isinstance(value, (numba.types.Type, types.BuiltinFunctionType, np.ufunc)) or _is_library(value):
            self.pieces.append(f"library {getattr(value, '__module__', '')} {_name(value)}")
        elif hasattr(value, "_defn"):  # an intrinsic
            self.visit(value._defn)
        elif dataclasses.is_dataclass(value):  # such as the description of a board
            self.pieces.append(f"record {_full_name(type(value))}")
            self._visit_all(getattr(value, one.name) for one in dataclasses.fields(value))
        else:
            self.pieces.append(f"unknown {type(value).__qualname__} {secrets.token_hex(16)}")

    def _visit_all(self, values: Iterable[Any]) -> None:
        for value in values:
            self.visit(value)

    def _visit_class(self, value: type) -> None:
        self.pieces.append(f"class {_full_name(value)}")
        if issubclass(value, enum.Enum):
            self._visit_all(value)
        elif issubclass(value, tuple) and hasattr(value, "_fields"):  # a named tuple
            self._visit_all(value._fields)
        elif not _is_library(value):
            for name, item in sorted(vars(value).items()):
                if not name.startswith("__"):
                    self.pieces.append(f"attribute {name}")
                    self.visit(item)

    def _visit_function(self, function: types.FunctionType) -> None:
        if _is_library(function):
            self.pieces.append(f"library {function.__module__} {function.__qualname__}")
            return
        self._visit_code(function.__code__)
        self._visit_all(function.__defaults__ or ())
        for name, value in sorted((function.__kwdefaults__ or {}).items()):
            self.pieces.append(f"keyword {name}")
            self.visit(value)
        for cell in function.__closure__ or ():
            try:
                self.visit(cell.cell_contents)
            except ValueError:  # not filled yet
                self.pieces.append("an empty cell")
        self._visit_names(names_in(function.__code__), function.__globals__)

    def _visit_names(self, names: set[str], scope: dict[str, Any]) -> None:
        """What the names stand for; in modules of the user's own, what the names after a dot stand for."""
        for name in sorted(names & scope.keys()):
            self.pieces.append(f"name {name}")
            value = scope[name]
            if not isinstance(value, types.ModuleType):
                self.visit(value)
            elif value.__name__.split(".")[0] in LIBRARIES or id(value) in self.seen:
                self.pieces.append(f"module {value.__name__}")
            else:
                self.seen[id(value)] = len(self.seen), value
                self._visit_names(names, vars(value))

    def _visit_code(self, code: types.CodeType) -> None:
        """Note the byte code, but not where it stands, unless it raises: then machine code tells the line."""
        self.pieces.append(
            f"code {code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars} {code.co_argcount}"
        )
        if self.lines and _RAISE in code.co_code[::2]:  # every second byte is an operation
            self.pieces.append(f"raises at {code.co_filename} {code.co_firstlineno} {code.co_linetable.hex()}")
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._visit_code(constant)
            else:
                self.pieces.append(f"constant {type(constant).__name__} {constant!r}")


def names_in(code: types.CodeType) -> set[str]:
    """All names that a function's code uses, its inner functions included."""
    inner = (names_in(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*inner)


def _is_library(value: Any) -> bool:
    return str(getattr(value, "__module__", "")).split(".")[0] in LIBRARIES


def _name(value: Any) -> str:
    return str(getattr(value, "__qualname__", getattr(value, "__name__", value)))


def _full_name(kind: type) -> str:
    return f"{FIRST_MODULES.get(kind.__module__, kind.__module__)}.{kind.__qualname__}"
