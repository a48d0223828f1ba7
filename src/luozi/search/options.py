"""`Options`: the options of a search, checked. `Fields` lists them."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import compress
from operator import attrgetter, ne
from typing import TYPE_CHECKING, Any

from luozi.evaluators.variants import Variants
from luozi.limits import Limits
from luozi.messages import LuoziError, Message, nearest
from luozi.removed import missing
from luozi.search.as_numbers import PERSONALITIES, variants_of, weight_of
from luozi.search.fields import Fields
from luozi.search.option_conflicts import CONFLICTS
from luozi.util.old_names import new_names
from luozi.util.parameters import parameters_of, refuse_unknown, with_parts_joined
from luozi.util.parsing import OptionValue

DEFAULTS = {one.name: one.default for one in fields(Fields)}
VALUES = attrgetter(*DEFAULTS)  # of all options, in the same order


@dataclass(frozen=True)
class Options(Fields):
    """How `mcts` searches.

    >>> Options(formula="cp").weight      # 2 Cp sqrt(2 ln n / n_j) with Cp = 1/sqrt(2)
    2.0
    >>> Options(formula="tuned")          # old names stay valid
    Options(selection='ucb1_tuned')
    >>> round(Options(formula="ucb1", rewards="plus_minus", c=0.7).weight, 3)
    0.495
    """

    @classmethod
    def of(cls, **values: Any) -> Options:
        """Return options from keywords or text; raise LuoziError for an unknown name or a wrong value."""
        values = with_parts_joined(new_names(values, "mcts"), parameters_of(cls))
        refuse_unknown(values, parameters_of(cls), "mcts")
        return cls(**values)

    if not TYPE_CHECKING:
        __signature__ = inspect.signature(Fields)

        def __init__(self, *given: Any, **values: Any) -> None:
            """Options by name; old names are accepted."""
            super().__init__(*given, **new_names(values, "mcts"))
            for name, parameter in parameters_of(Options).items():
                value = getattr(self, name)
                if value is not parameter.default:
                    object.__setattr__(self, name, parameter.convert(value, "mcts"))
            for name in self.playing_style.split("+") if self.playing_style else ():
                if name not in PERSONALITIES:
                    raise LuoziError(
                        "mcts: there is no playing_style '{name}'{nearest}",
                        name=name,
                        nearest=nearest(name, PERSONALITIES),
                    )
            for conflict in CONFLICTS:
                if reason := conflict(self):
                    raise LuoziError("mcts: {reason}", reason=Message(reason))

        def __getattr__(self, name: str) -> Any:
            """Nothing: it names what replaces an attribute that is gone."""
            raise missing(type(self), name)

    def __repr__(self) -> str:
        """The options that are not at their defaults."""
        return f"Options({', '.join(f'{name}={value!r}' for name, value in self.changed().items())})"

    def changed(self) -> dict[str, OptionValue]:
        """Return the options that are not at their defaults.

        >>> Options(c=0.7, exact_solver_nodes=0).changed(), Options(c=0.7)
        ({'c': 0.7}, Options(c=0.7))
        """
        return {name: getattr(self, name) for name in DEFAULTS if name in self.on}

    @cached_property
    def on(self) -> frozenset[str]:
        """Return the options that are not at their defaults."""
        return frozenset(compress(DEFAULTS, map(ne, VALUES(self), DEFAULTS.values())))

    @property
    def is_raced(self) -> bool:
        """Return whether several threads search one tree, so that a seed can't repeat the result."""
        return self.threads > 1 and self.parallel == "tree"

    @property
    def trees(self) -> int:
        """Return how many trees there are."""
        return self.threads if self.parallel == "root" else 1

    def is_on(self, name: str) -> bool:
        """Return whether an option is not at its default."""
        return name in self.on

    @property
    def limits(self) -> Limits:
        """Return the limits of the player itself."""
        return Limits(self.iterations, self.seconds, self.nodes)

    def without_limits(self) -> Options:
        """Return the same search, for a caller that gives the limits each time.

        >>> Options(c=0.7, iterations=100).without_limits()
        Options(c=0.7)
        """
        return replace(self, iterations=0, seconds=0.0, nodes=0) if self.limits else self

    @property
    def weight(self) -> float:
        """Return the k of k * sqrt(ln N / n), for results in [0, 1]."""
        return weight_of(self)

    def variants(self, player: int) -> Variants:
        """Return the options as numbers for compiled code, when this player searches."""
        return variants_of(self, player)

    def every_variants(self) -> Variants:
        """Return the variants of the seat that needs most: one search serves all seats."""
        seats = list(map(self.variants, range(len(self.playing_style.split("+")))))
        return next((seat for seat in seats if not (seat.plain or seat.ordered)), seats[0])

    @property
    def is_plain(self) -> bool:
        """Return whether plain UCT suffices for every seat."""
        return self.every_variants().off

    def is_personal(self, one: int, other: int) -> bool:
        """Return whether two players' searches leave different trees.

        >>> Options().is_personal(0, 1), Options(opponents="paranoid").is_personal(0, 1)
        (False, True)
        """
        if one == other:
            return False
        return (
            self.variants(one) != self.variants(other)
            or self.mcts_solver == "paranoid"
            or self.opponent_blunder_rate > 0
        )
