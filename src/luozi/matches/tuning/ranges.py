"""Tuned parameters and their values: ranges such as `c=0.2:2` and `iterations=100:10000:log`, choices such as
`reuse_tree=true|false`. A heuristic weight is a parameter too: `heuristic_weights.prior_near=5:40`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from luozi.compiled import Array
from luozi.messages import LuoziError, Message
from luozi.players import PlayerKind
from luozi.util.old_names import new_name, new_value, old_name, old_value
from luozi.util.parameters import Parameter, part_of, refuse_unknown
from luozi.util.parsing import OptionValue

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

DIGITS = 4  # significant digits of tried values, so that specifications stay short
WAYS = "write NAME=LOW:HIGH, NAME=LOW:HIGH:log or NAME=ONE|OTHER"


@dataclass(frozen=True)
class Range:
    """A number from low to high. Its place in the range is `unit`, from 0 to 1, by ratios if logarithmic.

    >>> cubes = Range("iterations", 10, 1000, whole=True, logarithmic=True)
    >>> cubes.value(0.5), cubes.unit(100), str(cubes)
    (100, 0.5, '10:1000:log')
    """

    name: str
    low: float
    high: float
    whole: bool = False
    logarithmic: bool = False
    lowest: float | None = None  # what the parameter allows
    highest: float | None = None

    def value(self, unit: float, digits: int = DIGITS) -> float | int:
        """Return the value at a place, rounded."""
        if self.logarithmic:
            exact = self.low * (self.high / self.low) ** unit
        else:
            exact = self.low + (self.high - self.low) * unit
        return self.rounded(exact, digits)

    def rounded(self, exact: float, digits: int = DIGITS) -> float | int:
        """Return the nearest value in the range that has so many significant digits."""
        near = round(exact) if self.whole else float(f"{exact:.{digits}g}")
        return min(max(near, self.low), self.high)

    def unit(self, value: float) -> float:
        """Return the place of a value, the inverse of `value`."""
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def snap(self, units: Array) -> Array:
        """Return the nearest places of whole numbers."""
        return np.array([self.unit(self.value(unit)) for unit in units]) if self.whole else units

    def distribution(self) -> BaseDistribution:
        """Return the range for Optuna."""
        from optuna.distributions import FloatDistribution, IntDistribution

        kind = IntDistribution if self.whole else FloatDistribution
        return kind(self.low, self.high, log=self.logarithmic)

    def __str__(self) -> str:
        return f"{self.low}:{self.high}{':log' if self.logarithmic else ''}"


@dataclass(frozen=True)
class Choices:
    """One of a few values.

    >>> str(Choices("reuse_tree", (True, False)))
    'true|false'
    """

    name: str
    values: tuple[OptionValue, ...]

    def rounded(self, value: OptionValue) -> OptionValue:
        """Return the value itself."""
        return value

    def distribution(self) -> BaseDistribution:
        """Return the range for Optuna."""
        from optuna.distributions import CategoricalDistribution

        return CategoricalDistribution(self.values)

    def __str__(self) -> str:
        return "|".join(map(written, self.values))


Tuned = Range | Choices


def with_old_names(one: Tuned, kind: str) -> Tuned:
    """Return the range with the first names of parameters and values, which ids and proposals depend on.

    >>> with_old_names(Choices("selection", ("uct", "ucb1_tuned")), "mcts")
    Choices(name='formula', values=('uct', 'tuned'))
    """
    name = old_name(one.name, kind)
    if isinstance(one, Range):
        return replace(one, name=name)
    return Choices(name, tuple(old_value(one.name, value, kind) for value in one.values))


def written(value: OptionValue) -> str:
    """Return a value as text.

    >>> written(True), written(0.25)
    ('true', '0.25')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_ranges(texts: Sequence[str], kind: PlayerKind, fixed: Mapping[str, OptionValue]) -> tuple[Tuned, ...]:
    """Return the ranges that a user writes, checked against the player's parameters and those that it fixes.

    >>> from luozi.players import PLAYERS
    >>> [str(one) for one in read_ranges(["c=0.2:2", "final=robust|max"], PLAYERS["mcts"], {"iterations": 100})]
    ['0.2:2.0', 'robust|max']
    """
    if not texts:
        raise LuoziError("no parameter to tune. Name one with --param, as in --param {text}.", text=example(kind))
    found: list[Tuned] = []
    for text in texts:
        one = read_range(text, kind)
        if one.name in fixed:
            raise LuoziError(
                "{name} can't be tuned: the player sets {name}={written}. Remove one of them.",
                name=one.name,
                written=written(fixed[one.name]),
            )
        if one.name in [other.name for other in found]:
            raise LuoziError("{name} is tuned twice. Give one --param for it.", name=one.name)
        found.append(one)
    return tuple(found)


def example(kind: PlayerKind) -> str:
    """Return an example of a range of this player."""
    names = [name for name, parameter in kind.parameters.items() if parameter.kind in (int, float)]
    return "c=0.2:2" if "c" in names else f"{(names or ['NAME'])[0]}=LOW:HIGH"


def read_range(text: str, kind: PlayerKind) -> Tuned:
    """Return one parameter and its values."""
    name, equals, values = (part.strip() for part in text.partition("="))
    if not (name and equals and values):
        raise LuoziError("--param {text} is not valid; {reason}", text=text, reason=Message(WAYS))
    name = new_name(name, kind.name)
    parameter = part_of(name, kind.parameters)
    if parameter is None:
        refuse_unknown({name: values}, kind.parameters, kind.name)
        parameter = kind.parameters[name]
    if "|" in values:
        return read_choices(text, parameter, values.split("|"), kind.name)
    if parameter.kind not in (int, float):
        options = parameter.range.split(" | ")
        shown = "|".join(options[:2]) if len(options) > 1 else "ONE|OTHER"
        raise LuoziError(
            "--param {text} is not valid; {name} is no number: write {name}={shown}", text=text, name=name, shown=shown
        )
    return read_numbers(text, parameter, values.split(":"), kind.name)


def read_choices(text: str, parameter: Parameter, values: Sequence[str], of: str) -> Choices:
    """Return choices. Raises LuoziError if a value is named twice."""
    found = tuple(parameter.convert(new_value(parameter.name, value.strip(), of), of) for value in values)
    if len(set(found)) < len(found):
        raise LuoziError("--param {text} is not valid; it names a value twice", text=text)
    return Choices(parameter.name, found)


def read_numbers(text: str, parameter: Parameter, parts: Sequence[str], of: str) -> Range:
    """Return a range from its two ends and perhaps `log`."""
    if not 2 <= len(parts) <= 3 or parts[2:] not in ([], ["log"]):
        raise LuoziError("--param {text} is not valid; {reason}", text=text, reason=Message(WAYS))
    low, high = (parameter.convert(part, of) for part in parts[:2])
    if not (low < high and math.isfinite(high - low)):
        raise LuoziError("--param {text} is not valid; the first number must be the smaller one", text=text)
    if parts[2:] and low <= 0:
        raise LuoziError("--param {text} is not valid; a range by ratios, 'log', must begin above 0", text=text)
    return Range(
        parameter.name, low, high, parameter.kind is int, bool(parts[2:]), parameter.about.low, parameter.about.high
    )
