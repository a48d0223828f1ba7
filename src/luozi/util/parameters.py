"""One spelling for things with parameters: `name:key=value,key=value`, for games and players alike.

What may be written is read off the signature of the function or class that is called with it; `ParameterInfo` adds a
meaning, a range and a source. Command-line help, lists and error sentences are generated from the same
`Parameter` records.
"""

from __future__ import annotations

import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, is_dataclass
from functools import cache
from typing import Any

from luozi.messages import LuoziError, Message, nearest
from luozi.util.old_names import new_names
from luozi.util.parsing import OptionValue, shown

CLASS = "class"  # stands for the name of a class in a user's file, which is written without a key
LONGEST = 60  # of a value in a sentence, in characters


@dataclass(frozen=True)
class ParameterInfo:
    """What a parameter means; put it into `Annotated[int, About("points a side", 2, 25)]`."""

    meaning: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    source: str = ""
    parts: bool = False  # a value is numbers by name, one:2+other:3, and each may be given by itself as NAME.one=2
    names: Callable[[], Iterable[str]] | None = None  # what may be chosen by name, where more can be written
    joined: bool = False  # several of these names may be joined by +
    plain: bool = False  # the text is read as what it says: it is never the name of a file or a command


KINDS = {int: Message("a whole number"), float: Message("a number"), str: Message("text")}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a game or a player."""

    name: str
    kind: type
    default: OptionValue
    about: ParameterInfo
    required: bool = False  # it has no default

    @property
    def range(self) -> str:
        """The values that are allowed, in words."""
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
        """The value as this parameter's type, or one sentence about what is wrong with it."""
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
        """That a value is not valid."""
        return Message("{of}: {name}={value} is not valid", of=of, name=self.name, value=shown(str(value))[1:-1])

    @property
    def offered(self) -> tuple[str, ...]:
        """The names of which a stranger may choose one; none where there is no list of them."""
        return self.about.choices or (tuple(self.about.names()) if self.about.names is not None else ())

    def convert_offered(self, value: OptionValue, of: str) -> Any:
        """The same as `convert` for a value that a stranger gives: a number, true or false, or a name that is offered.

        A text that could name a file, a command or code is refused, whether there is such a file or not. A parameter
        whose `ParameterInfo` says nothing of its texts takes none: a new one is safe until somebody says otherwise.

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
        if self.about.parts:  # numbers by name, which the reader of the whole checks
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
    """A bound as people write it: no thousands as 1e+03, and no 15 noughts either.

    >>> _number(1e6), _number(10**15), _number(2**63 - 1), _number(0.001)
    ('1,000,000', '10^15', '2^63 - 1', '0.001')
    """
    if value is None or math.isinf(value) or value != int(value):
        return f"{value:g}"
    whole = int(value)
    if whole == 10 ** (len(str(whole)) - 1) >= 10**9:
        return f"10^{len(str(whole)) - 1}"
    return f"2^{(whole + 1).bit_length() - 1} - 1" if whole >= 2**31 and not whole & (whole + 1) else f"{whole:,}"


def parameters_of(function: Callable[..., Any]) -> dict[str, Parameter]:
    """The parameters of a function, a dataclass or a game's class, by name.

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
        if inspect.isclass(function) and "__init__" in vars(function) and not is_dataclass(function):
            hints |= typing.get_type_hints(function.__init__, include_extras=True)
    except (NameError, TypeError, ValueError):
        return {}
    found = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        default = None if parameter.default is parameter.empty else parameter.default
        hint = hints.get(name, type(default) if default is not None else str)
        found[name] = Parameter(name, _kind(hint), default, _about(hint), parameter.default is parameter.empty)
    return found


def _about(hint: Any) -> ParameterInfo:
    return next(
        (extra for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, ParameterInfo)), ParameterInfo("")
    )


def _kind(hint: Any) -> type:
    """The plain type behind `Annotated[...]` and `... | None`."""
    if hasattr(hint, "__metadata__"):
        return _kind(hint.__origin__)
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return _kind(next(part for part in typing.get_args(hint) if part is not type(None)))
    return hint if hint in (bool, int, float) else str


def split_spelling(text: str) -> tuple[str, dict[str, str]]:
    """Take a spelling apart. A user's file may be followed by the name of a class in it.

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
    """The one spelling of a name and its values; the opposite of `split_spelling`.

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
    """One sentence, with the nearest known name, about the first name that is not known."""
    for key in values:
        if key not in parameters:
            raise LuoziError(
                "{of} has no parameter '{name}'{nearest}", of=of, name=key, nearest=nearest(key, parameters)
            )


def split_parts(text: str) -> dict[str, str]:
    """Numbers by name, taken apart.

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
    """A number that is part of a parameter, as knowledge.pattern of knowledge; None if there is no such thing."""
    whole, dot, part = name.partition(".")
    if not dot or not part or whole not in parameters or not parameters[whole].about.parts:
        return None
    return Parameter(name, float, None, ParameterInfo(parameters[whole].about.meaning))


def with_parts_joined(values: dict[str, Any], parameters: dict[str, Parameter]) -> dict[str, Any]:
    """The same values, where those that are given by parts are one."""
    if "." not in "".join(values):
        return values
    joined = {key: value for key, value in values.items() if part_of(key, parameters) is None}
    parts = [key for key in values if key not in joined]  # in their order: the same command must be the same spelling
    for key in parts:
        whole, _dot, part = key.partition(".")
        joined[whole] = "+".join(filter(None, (str(joined.get(whole, "")), f"{part}:{values[key]}")))
    return joined


def convert_values(
    values: Mapping[str, OptionValue], parameters: dict[str, Parameter], of: str, offered: bool = False
) -> dict[str, Any]:
    """Check and convert all values; unknown names get a sentence with the nearest known one.

    `offered`: they come from a stranger, who may choose only what is offered.
    """
    given = with_parts_joined(new_names(values, of, parameters), parameters)
    refuse_unknown(given, parameters, of)
    for name, parameter in parameters.items():
        if parameter.required and name not in given:
            raise LuoziError("{of} needs {name}: write {text}:{value}=...", of=of, name=name, text=of, value=name)
    if offered:
        return {key: parameters[key].convert_offered(value, of) for key, value in given.items()}
    return {key: parameters[key].convert(value, of) for key, value in given.items()}
