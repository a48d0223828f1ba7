"""Explain a failed compilation in one sentence about the user's own line.

Numba's messages are pages long and mostly about Numba. Their innermost place in a file of the user's is found first
(`_innermost`); what is written before it decides between a few dozen known causes (`_REASONS`).
"""

from __future__ import annotations

import ast
import inspect
import linecache
import os
import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numba
import numpy
from numba.core.errors import NumbaError, UnsupportedBytecodeError

from luozi.compiled.digest import names_in
from luozi.compiled.object_type import Compilable, methods_of
from luozi.messages import BrokenRuleError, LuoziError, like, nearest

_OURS = (str(Path(__file__).parents[1]), *(str(Path(file).parent) for file in (numba.__file__, numpy.__file__)))
_COMPILERS = (NumbaError, UnsupportedBytecodeError, KeyError, NotImplementedError, RecursionError)
_RECURSION = "a method that calls itself can't be compiled; make it a loop"
_NOWHERE = object()
Subject = Compilable | type[Compilable]  # whose rules are compiled, or its class
_INSTEAD = "use a field of the state, or a table made in __init__"


@contextmanager
def compile_errors(subject: Subject) -> Iterator[None]:
    """Compile and run rules inside: what Numba or a rule raises becomes one sentence. `subject`: the game."""
    try:
        yield
    except (LuoziError, KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:
        raise LuoziError(explain(error, subject)) from None


def explain(error: BaseException, subject: Subject) -> str:
    """Return one sentence about an error of the compiler, or of a rule, for an object or its class."""
    if isinstance(error, LuoziError):
        return error.message
    if isinstance(error, BrokenRuleError):
        said = str(error).format(self=subject)
        return f"{_class_of(subject).__name__}.{said} (`luozi check` tells in which game and move)"
    if users_frame(error, subject) and not isinstance(error, _COMPILERS):
        return explain_exception(error, subject)
    place, cause = _innermost(error, subject)
    if place.file:
        where = f"{os.path.basename(place.file)}, line {place.line}, in {place.method}"
        source = linecache.getline(place.file, place.line).strip()
        return f"{where}: {cause}" + (f": `{source}`" if source else "")
    return f"{_class_of(subject).__name__}: {cause}"


def explain_exception(error: BaseException, subject: Subject) -> str:
    """Return one sentence about an exception that an uncompiled rule raised."""
    frame = users_frame(error, subject)
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if frame is None:
        return f"{_class_of(subject).__name__}: {text}"
    source = f": `{frame.line}`" if frame.line else ""
    return f"{os.path.basename(frame.filename)}, line {frame.lineno}, in {frame.name}: {text}{source}"


def users_frame(error: BaseException, subject: Subject) -> traceback.FrameSummary | None:
    """Return the innermost line of the user's code that an exception went through."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if _is_users(f.filename, subject)]
    return frames[-1] if frames else None


class SourceLine(NamedTuple):
    """A line of the user's; an empty file where it is not known."""

    file: str = ""
    line: int = 0
    method: str = ""


def _class_of(subject: Subject) -> type:
    return subject if isinstance(subject, type) else type(subject)


def _innermost(error: BaseException, subject: Subject) -> tuple[SourceLine, str]:
    """Return the line that the compiler refused, and the reason."""
    if isinstance(error, RecursionError):
        return _self_calling(subject), _RECURSION
    if not isinstance(error, _COMPILERS):
        return SourceLine(), f"a compiled rule raised {type(error).__name__}: {error}; `luozi check` says where"
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    place, before = _first_place(text, subject)
    unknown = _missing_name(error, text, subject)
    if unknown:
        return unknown
    for pattern, reason in _REASONS:
        matches = list(re.finditer(pattern, before))
        if matches:  # the last one is the nearest to the place
            return place if place.file else _method_named(before, subject), reason(matches[-1], place, subject)
    return place, _core(before)


def _first_place(text: str, subject: Subject) -> tuple[SourceLine, str]:
    """Return the first line of the user's code that a message names, and the message up to there."""
    for found in re.finditer(r'(?:at|from) (?P<a>[^\n]+?) \((?P<i>\d+)\)|File "(?P<b>[^\n"]+)", line (?P<j>\d+)', text):
        file = os.path.abspath(found["a"] or found["b"])
        if _is_users(file, subject):
            line = int(found["i"] or found["j"])
            end = text.find("\n", found.end())
            return SourceLine(file, line, _function_at(file, line)), text[: end if end > 0 else None]
    return SourceLine(), text


def _is_users(file: str, subject: Subject) -> bool:
    """Return whether a file holds the subject's class or a base of it, or is at least neither Numba's nor ours."""
    own = {inspect.getfile(function) for function in methods_of(_class_of(subject)).values()}
    bases = {str(Path(_OURS[0]) / "rules.py")}
    return file in own - bases or not file.startswith((*_OURS, "<frozen"))


def _function_at(file: str, line: int) -> str:
    """Return the name of the function around a line."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return "a rule"
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return max(around, key=lambda node: node.lineno).name if around else "a rule"


# Names that are not there: Numba says which, but not where ---------------------------------------------------------


def _missing_name(error: BaseException, text: str, subject: Subject) -> tuple[SourceLine, str] | None:
    if isinstance(error, KeyError) and error.args:  # a field that the record does not have
        name = str(error.args[0])
        fields = [field[0] for field in getattr(subject, "state", ())]
        place = _search(subject, lambda node: isinstance(node, ast.Attribute) and node.attr == name)
        return place, f"state has no field '{name}'" + nearest(name, fields)
    undefined = re.search(r"NameError: name '(\w+)' is not defined", text)
    if undefined:
        name = undefined[1]
        place = _search(subject, lambda node: isinstance(node, ast.Name) and node.id == name)
        return place, f"the name '{name}' is not defined"
    if "'with (context manager)" in text:
        return _search(subject, lambda node: isinstance(node, ast.With)), "`with` can't be compiled"
    field = re.search(r"No definition for lowering .*\)\.(\w+) = ", text)
    if field:
        return _search(subject, lambda node: _sets_self(node, field[1])), _set_self(field[1])
    return None


def _sets_self(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store)


def _search(subject: Subject, wanted: Callable[[ast.AST], bool]) -> SourceLine:
    """Return the first place in the methods of a class where the source has something."""
    for name, function in methods_of(_class_of(subject)).items():
        if name == "__init__" or not _is_users(inspect.getfile(function), subject):
            continue
        try:
            lines, first = inspect.getsourcelines(function)
            tree = ast.parse(inspect.cleandoc("\n" + "".join(lines)))
        except (OSError, SyntaxError):
            continue
        for node in ast.walk(tree):
            if wanted(node):
                return SourceLine(inspect.getfile(function), first + node.lineno - 1, function.__name__)  # type: ignore[attr-defined]
    return SourceLine()


def _self_calling(subject: Subject) -> SourceLine:
    """Return the first line of a method that calls itself."""
    for name, function in methods_of(_class_of(subject)).items():
        if name in names_in(function.__code__) and _is_users(inspect.getfile(function), subject):
            return SourceLine(inspect.getfile(function), function.__code__.co_firstlineno, name)
    return SourceLine()


def _method_named(text: str, subject: Subject) -> SourceLine:
    """Return the method that a message calls by its name, where it names no line."""
    names = re.findall(r"<function (?:[\w<>]+\.)*(\w+) at", text)
    for name in names:
        function = methods_of(_class_of(subject)).get(name)
        if function and _is_users(inspect.getfile(function), subject):
            return SourceLine(inspect.getfile(function), function.__code__.co_firstlineno, name)
    return SourceLine()


# The causes --------------------------------------------------------------------------------------------------------


def _set_self(name: str) -> str:
    return f"a rule can't change self.{name}; keep what changes during a game in a field of the state"


def _self_attribute(found: re.Match[str], place: SourceLine, subject: Subject) -> str:
    name = found[1]
    if f"set attribute '{name}'" in found.string:
        return _set_self(name)
    there = inspect.getattr_static(subject, name, _NOWHERE)
    if there is None:
        return f"self.{name} is None, which compiled rules can't read; make it a number, such as -1"
    if isinstance(there, property):
        return f"self.{name} is a property; make it a method, or set it in __init__"
    if isinstance(there, (staticmethod, classmethod)):
        return f"self.{name} is a {type(there).__name__}; make it a plain method with self first"
    if name.startswith("_") and there is not _NOWHERE:
        return f"compiled rules don't see names that begin with _; call it '{name.lstrip('_')}'"
    if there is not _NOWHERE:
        if isinstance(there, int):
            return f"self.{name} has more than 64 bits; compiled rules can't hold such a number"
        kind = type(there).__name__
        return f"self.{name} is a {kind}; compiled rules read numbers, NumPy arrays of numbers and tuples of numbers"
    known = [known for known in (*dir(_class_of(subject)), *getattr(subject, "__dict__", ())) if known[0] != "_"]
    return f"self has no attribute '{name}'" + (like(name, known) or "; set it in __init__")


def _global(found: re.Match[str], place: SourceLine, subject: Subject) -> str:
    name, kind = found[1], found[2]
    if name == "super":
        return "super() can't be compiled; give the base's method another name and call that"
    if kind == "type":
        return f"compiled rules can't use the class {name}; write self.… and give the base's method another name"
    if "function" in kind:
        return f"{name} can't be called from compiled rules"
    return f"the global {name} is a {kind}; make it a number, a NumPy array or a tuple of numbers"


_MADE = (
    (r"""f["']|\bstr\(|["']""", "text"), (r"\bnp\.\w+\(|\.copy\(", "a new array"),
    (r"\[.* for |\bsorted\(|\blist\(", "a list"),
    (r"\bset\(|\bfrozenset\(|\{[^:]* for ", "a set"), (r"\bdict\(|\bCounter\(", "a dict"),
)  # fmt: skip
_MADE_BY_TYPE = (
    (r"DictType|build_map", "a dict"), (r"build_set|\bset\(", "a set"), (r"build_list|list\(", "a list"),
    (r"unicode_type", "text"),
)  # fmt: skip


def _allocates(found: re.Match[str], place: SourceLine, subject: Subject) -> str:
    """Kernels run without Numba's reference counts, so that nothing new can be made; name what the line makes."""
    line = linecache.getline(place.file, place.line)
    by_line = [kind for pattern, kind in _MADE if re.search(pattern, line)]
    by_type = [kind for pattern, kind in _MADE_BY_TYPE if re.search(pattern, found.string)]
    made = (by_line + by_type + ["a new array"])[0]
    return "compiled rules can't work with text" if made == "text" else f"compiled rules can't make {made}; {_INSTEAD}"


def _arguments(found: re.Match[str], place: SourceLine, subject: Subject) -> str:
    names = re.findall(r"<function (?:[\w<>]+\.)*(\w+) at [^>]*>", found.string[found.start() :])
    if not names:
        return "a call has the wrong number of arguments"
    return f"{names[0]} is called with another number of arguments than {names[0]}{found[1]}"


def _kind(text: str) -> str:
    """Return a Numba type in plain words."""
    words = (
        (r"none|NoneType", "None"), (r"Literal\[str\]|unicode", "text"), (r"array", "an array"),
        (r"bool", "a truth value"), (r"list", "a list"), (r"[Dd]ict", "a dict"), (r"[Tt]uple", "a tuple"),
        (r"float", "a fraction"), (r"int", "a whole number"), (r"@", "the game itself"), (r"Record", "a state"),
    )  # fmt: skip
    return next((word for pattern, word in words if re.search(pattern, text)), text)


_SIGNS = {"getitem": "[ ]", "setitem": "[ ] =", "add": "+", "sub": "-", "mul": "*", "eq": "==", "ne": "!=", "lt": "<",
          "gt": ">", "le": "<=", "ge": ">=", "iadd": "+=", "isub": "-=", "contains": "in", "and_": "&", "or_": "|",
          "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "neg": "-", "not_": "not"}  # fmt: skip


def _no_implementation(found: re.Match[str], place: SourceLine, subject: Subject) -> str:
    name = _SIGNS.get(found[1], found[1])
    if name == found[1] and name not in linecache.getline(place.file, place.line):
        return "this can't be compiled"  # a function deep in NumPy's own
    call = re.search(r">>> \w+\((.*)\)", found.string[found.end() :])
    arguments = re.sub(r"\([^()]*(\([^()]*\)[^()]*)*\)", "", call[1]) if call else ""
    given = " and ".join(_kind(part) for part in arguments.split(", ")) if arguments else ""
    return f"'{name}' can't be compiled" + (f" with {given}" if given else "")


Reason = Callable[[re.Match[str], SourceLine, Subject], str]


def _say(sentence: str) -> Reason:
    """Return a fixed sentence; {1}, {2} are the groups of the pattern."""
    return lambda found, place, subject: sentence.format(found[0], *found.groups())


_REASONS: tuple[tuple[str, Reason], ...] = (
    (r"compiled rules can't read self\.(\w+)", _self_attribute),
    (r"Untyped global name '(\w+)': Cannot determine Numba type of <class '([\w.]+)'>", _global),
    (r"variable '(\w+)' in globals", _say("the global {1} is a list; make it a tuple or a NumPy array of numbers")),
    (r"re-entrant|runaway recursion", _say(_RECURSION)),
    (r"yield in a closure", _say("a generator expression can't be compiled; write the loop out")),
    (r"exception_match|Exception matching|SETUP_FINALLY", _say("try can't be compiled; test for the case with if")),
    (r"imprecise type: (?:set|list|DictType)|Unknown attribute 'add' of type", _allocates),
    (r"NRT required|<built-in function (?:empty|zeros|ones|full|arange)>|class 'str'", _allocates),
    (r"unexpected keyword argument '(\w+)'", _say("compiled methods take no keywords; leave out '{1}='")),
    (r"Cannot bind .* to signature '(\([^']*\))'", _arguments),
    (r"Cannot unify (.*) and (.*) for '(\w+)[.\d]*'", lambda found, place, subject: (
        f"'{found[3]}' is {_kind(found[1])} here and {_kind(found[2])} there; make it one kind everywhere")),
    (r"Can't unify return type from the following types: (.*)", _say("this method must return one kind of value")),
    (r"unsupported NumPy function '([\w.]+)'", _say("{1} can't be compiled")),
    (r"Unknown attribute '(\w+)' of type ([^\n]*)", lambda found, place, subject: (
        f"{_kind(found[2])} has no '{found[1]}' in compiled rules")),
    (r"Cannot cast (.*?) to nestedarray", _say("a whole array can't be set with =; write into its elements")),
    (r"Cannot cast (.*?) to (.*?)(?::|\n|$)", lambda found, place, subject: (
        f"{_kind(found[1])} can't become {_kind(found[2])}")),
    (r"unsupported opcode \((\w+)\)", _say("this statement can't be compiled ({1})")),
    (r"No implementation of function Function\(<(?:built-in function|class|function|ufunc) '?(\w+)'?.*?>\)",
     _no_implementation),
)  # fmt: skip


def _core(text: str) -> str:
    """Return the last line of the compiler's own message that is no noise."""
    noise = r"^\s*($|During|File|raised|- |Rejected|Overload|With arg|There are|Failed in|No match|>>>|\^|Enable|def )"
    lines = [line.strip() for line in text.splitlines() if not re.match(noise, line)]
    return f"Numba can't compile this: {lines[-1][:200]}" if lines else "Numba can't compile this"
