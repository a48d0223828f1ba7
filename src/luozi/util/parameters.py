"""Specifications with parameters: `name:key=value,key=value`, for games and players alike.

The parameters are read from the signature of the function or class that is called. `ParameterInfo` adds meaning, range
and source. Help, lists and error messages are generated from `Parameter`.
"""

from __future__ import annotations

import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

from luozi.messages import LuoziError, Message, nearest
from luozi.util.old_names import new_names
from luozi.util.parsing import OptionValue, shown

T = TypeVar("T")

CLASS = "class"  # parameter for the name of a class in a user's file, which is written without a key
LONGEST = 60  # maximum length of a value in a message, in characters


@dataclass(frozen=True)
class ParameterInfo:
    """Meaning, range and choices of a parameter, for `Annotated[int, ParameterInfo("points a side", 2, 25)]`."""

    meaning: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    source: str = ""
    parts: bool = False  # a value is a list of numbers by name, one:2+other:3; each may also be given as NAME.one=2
    names: Callable[[], Iterable[str]] | None = None  # names to choose from, where other values are possible too
    joined: bool = False  # several of these names may be joined by +
    plain: bool = False  # the text is used literally: it never names a file or a command


KINDS = {int: Message("a whole number"), float: Message("a number"), str: Message("text")}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a game or a player."""

    name: str
    kind: type
    default: OptionValue
    about: ParameterInfo
    required: bool = False  # no default

    @property
    def range(self) -> str:
        """The allowed values, in words."""
        if self.about.choices:
            return " | ".join(self.about.choices)
        if self.kind is bool:
            return "true | false"
        low, high = self.about.low, self.about.high
        if low is None and high is None:
            return KINDS[self.kind]
        if high is None:
            return Message("{low} or more", low=_number(low))
        return Message("{low} to {high}", low=_number(low), high=_number(high))

    def convert(self, value: OptionValue, of: str) -> Any:
        """Return the value with the type of this parameter.

        Raises:
            LuoziError: the value is not valid.
        """
        if value is None and self.default is None:
            return None
        try:
            converted = self._typed(value)
        except (KeyError, ValueError, OverflowError):
            raise LuoziError("{what}; it must be {range}", what=self._wrong(value, of), range=self.range) from None
        if self.about.choices and converted not in self.about.choices:
            near = nearest(str(value), self.about.choices)
            raise LuoziError("{what}{nearest}", what=self._wrong(value, of), nearest=near)
        too_low = self.about.low is not None and converted < self.about.low
        too_high = self.about.high is not None and converted > self.about.high
        if too_low or too_high or converted != converted:
            raise LuoziError("{what}; it must be {range}", what=self._wrong(value, of), range=self.range)
        return converted

    def _wrong(self, value: OptionValue, of: str) -> Message:
        """Return the error for a value that is not valid."""
        return Message("{of}: {name}={value} is not valid", of=of, name=self.name, value=shown(str(value))[1:-1])

    @property
    def offered(self) -> tuple[str, ...]:
        """The names from which an untrusted client may choose; empty if there is no list."""
        return self.about.choices or (tuple(self.about.names()) if self.about.names is not None else ())

    def convert_offered(self, value: OptionValue, of: str) -> Any:
        """Convert a value from an untrusted client: a number, a boolean, or a name from the offered list.

        Other texts are refused, whether they name a file or not. A parameter without a list accepts no text, so new
        parameters are safe by default.

        >>> about = ParameterInfo("a network, or a file", names=lambda: ["gomoku"])
        >>> Parameter("network", str, "", about).convert_offered("gomoku", "mcts")
        'gomoku'
        >>> Parameter("network", str, "", about).convert_offered("/dev/zero", "mcts")
        Traceback (most recent call last):
        luozi.LuoziError: mcts: network=/dev/zero is not offered here; choose one of: gomoku
        """
        if self.kind is str and value != self.default and not self._is_offered(str(value)):
            text = str(value)[:LONGEST]
            raise LuoziError(
                "{of}: {name}={value} is not offered here{nearest}",
                of=of,
                name=self.name,
                value=shown(text)[1:-1],
                nearest=nearest(text, filter(None, self.offered)) or Message("; leave out {option}", option=self.name),
            )
        return self.convert(value, of)

    def _is_offered(self, text: str) -> bool:
        if self.about.parts:  # numbers by name, checked by the parser of the whole value
            return all(re.fullmatch(r"[+-]?[0-9.]+", value) for value in split_parts(text).values())
        words = text.split("+") if self.about.joined else [text]
        return self.about.plain or all(word in self.offered for word in words)

    def _typed(self, value: OptionValue) -> Any:
        text = str(value).strip().lower()
        if self.kind is bool:
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text]
        if self.kind is int and re.fullmatch(r"[+-]?[0-9_]+", text):
            return int(text)  # exactly: a seed may be too long for a float
        if self.kind is int:
            number = float(text.replace("_", ""))
            if number != int(number):
                raise ValueError
            return int(number)
        return float(text) if self.kind is float else str(value)


def _number(value: float | None) -> str:
    """Return a bound as people write it, without an exponent or superfluous zeros.

    >>> _number(1e6), _number(10**15), _number(2**63 - 1), _number(0.001)
    ('1,000,000', '10^15', '2^63 - 1', '0.001')
    """
    if value is None or math.isinf(value) or value != int(value):
        return f"{value:g}"
    whole = int(value)
    if whole == 10 ** (len(str(whole)) - 1) >= 10**9:
        return f"10^{len(str(whole)) - 1}"
    return f"2^{(whole + 1).bit_length() - 1} - 1" if whole >= 2**31 and not whole & (whole + 1) else f"{whole:,}"


def option(default: T, meaning: str, low: float | None = None, high: float | None = None, **more: Any) -> T:
    """Return a field of a dataclass that is an option, with what a `ParameterInfo` holds of it.

    >>> @dataclass
    ... class Options:
    ...     size: int = option(15, "points a side", 1, 45)
    >>> parameters_of(Options)["size"].range, Options().size
    ('1 to 45', 15)
    """
    found: T = field(default=default, metadata={"info": ParameterInfo(meaning, low, high, **more)})
    return found


def parameters_of(function: Callable[..., Any]) -> dict[str, Parameter]:
    """Return the parameters of a function, a dataclass or a game's class, by name.

    >>> def gomoku(size: typing.Annotated[int, ParameterInfo("points a side", 1, 45)] = 15): ...
    >>> parameters_of(gomoku)["size"].range
    '1 to 45'
    """
    return _parameters_of(function)


@cache  # evaluating annotations takes milliseconds
def _parameters_of(function: Any) -> dict[str, Parameter]:
    try:
        signature = inspect.signature(function)
        hints = typing.get_type_hints(function, include_extras=True)
        if inspect.isclass(function) and not is_dataclass(function):
            hints |= typing.get_type_hints(function.__init__, include_extras=True)
    except (NameError, TypeError, ValueError):
        return {}
    infos = {one.name: one.metadata.get("info") for one in fields(function)} if is_dataclass(function) else {}
    found = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        default = None if parameter.default is parameter.empty else parameter.default
        hint = hints.get(name, type(default) if default is not None else str)
        info = infos.get(name) or _about(hint)
        found[name] = Parameter(name, _kind(hint), default, info, parameter.default is parameter.empty)
    return found


def _about(hint: Any) -> ParameterInfo:
    return next(
        (extra for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, ParameterInfo)), ParameterInfo("")
    )


def _kind(hint: Any) -> type:
    """Return the plain type behind `Annotated[...]` and `... | None`."""
    if hasattr(hint, "__metadata__"):
        return _kind(hint.__origin__)
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return _kind(next(part for part in typing.get_args(hint) if part is not type(None)))
    return hint if hint in (bool, int, float) else str


def split_spelling(text: str) -> tuple[str, dict[str, str]]:
    """Split a specification into its name and values. The path of a user's file may be followed by the name of a class.

    >>> split_spelling("gomoku:size=9,exact_length=true"), split_spelling("mine.py:Small,size=9")
    (('gomoku', {'size': '9', 'exact_length': 'true'}), ('mine.py', {'class': 'Small', 'size': '9'}))
    """
    name, _colon, rest = text.strip().partition(":")
    values: dict[str, str] = {}
    # A comma inside brackets belongs to the value, as in openspiel:name=breakthrough(rows=6,columns=6).
    for part in filter(None, (piece.strip() for piece in re.split(r",(?![^(]*\))", rest))):
        if name.strip().endswith(".py") and not values and part.isidentifier():
            values[CLASS] = part
            continue
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise LuoziError("'{text}': write each parameter as name=value, not '{part}'", text=text, part=part)
        if key.strip() in values:
            raise LuoziError("'{text}' gives {name} twice", text=text, name=key.strip())
        values[key.strip()] = value.strip()
    return name.strip(), values


def join_spelling(name: str, values: Mapping[str, OptionValue]) -> str:
    """Return the specification of a name and its values; the opposite of `split_spelling`.

    >>> join_spelling("gomoku", {"size": 9, "exact_length": True})
    'gomoku:size=9,exact_length=true'
    """
    parts = [str(values[CLASS])] if CLASS in values else []
    parts += [
        f"{key}={str(value).lower() if isinstance(value, bool) else value}"
        for key, value in values.items()
        if key != CLASS
    ]
    return f"{name}:{','.join(parts)}" if parts else name


def refuse_unknown(values: Iterable[str], parameters: dict[str, Parameter], of: str) -> None:
    """Raise a LuoziError for the first unknown name, with the nearest known one."""
    for key in values:
        if key not in parameters:
            raise LuoziError(
                "{of} has no parameter '{name}'{nearest}", of=of, name=key, nearest=nearest(key, parameters)
            )


def split_parts(text: str) -> dict[str, str]:
    """Return a list of numbers by name as a dictionary.

    >>> split_parts("save:1+pattern:0.9")
    {'save': '1', 'pattern': '0.9'}
    """
    parts: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split("+"))):
        name, colon, value = (word.strip() for word in part.partition(":"))
        if not colon or not name:
            raise LuoziError("'{part}' is not valid in '{text}'; write each part as name:value", part=part, text=text)
        if name in parts:
            raise LuoziError("'{text}' gives {name} twice", text=text, name=name)
        parts[name] = value
    return parts


def part_of(name: str, parameters: dict[str, Parameter]) -> Parameter | None:
    """Return the parameter of which a name is a part, such as knowledge for knowledge.pattern, or None."""
    whole, dot, part = name.partition(".")
    if not dot or not part or whole not in parameters or not parameters[whole].about.parts:
        return None
    return Parameter(name, float, None, ParameterInfo(parameters[whole].about.meaning))


def with_parts_joined(values: dict[str, Any], parameters: dict[str, Parameter]) -> dict[str, Any]:
    """Return the values with parts joined into one value."""
    if "." not in "".join(values):
        return values
    joined = {key: value for key, value in values.items() if part_of(key, parameters) is None}
    # in their order, so that equal options have equal specifications
    parts = [key for key in values if key not in joined]
    for key in parts:
        whole, _dot, part = key.partition(".")
        joined[whole] = "+".join(filter(None, (str(joined.get(whole, "")), f"{part}:{values[key]}")))
    return joined


def convert_values(
    values: Mapping[str, OptionValue], parameters: dict[str, Parameter], of: str, offered: bool = False
) -> dict[str, Any]:
    """Check and convert all values. The error for an unknown name suggests the nearest known one."""
    given = with_parts_joined(new_names(values, of, parameters), parameters)
    refuse_unknown(given, parameters, of)
    for name, parameter in parameters.items():
        if parameter.required and name not in given:
            raise LuoziError("{of} needs {name}: write {text}:{value}=...", of=of, name=name, text=of, value=name)
    if offered:
        return {key: parameters[key].convert_offered(value, of) for key, value in given.items()}
    return {key: parameters[key].convert(value, of) for key, value in given.items()}
