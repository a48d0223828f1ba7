"""All options of the search, in one place: meaning, range, default and source of each.

Command-line help, spellings such as `mcts:iterations=10000,c=0.7` and later forms and tuning ranges come from here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

from luozi.parameters import About, parameters_of, refuse_unknown

# name: (the formula, k for c = 1, the formula's own c). All are reduced to one weight k on sqrt(ln N / n).
FORMULAS = {
    "uct": ("w/n + c sqrt(ln N / n)", 1.0, 0.7),
    "ucb1": ("w/n + c sqrt(2 ln N / n)", math.sqrt(2), 1.0),
    "cp": ("w/n + 2 c sqrt(2 ln N / n)", 2 * math.sqrt(2), 1 / math.sqrt(2)),
}

# Where an option comes from.
UCT = "Auer et al. 2002; Kocsis and Szepesvari 2006"
BUDGET = "Browne et al. 2012"
ERICA = "agreement: Erica, Huang 2011"


@dataclass(frozen=True)
class Options:
    """How `mcts` searches.

    >>> Options(formula="cp").weight      # 2 Cp sqrt(2 ln n / n_j) with Cp = 1/sqrt(2)
    2.0
    >>> round(Options(formula="ucb1", rewards="plus_minus", c=0.7).weight, 3)
    0.495
    """

    iterations: Annotated[int, About("stop after so many iterations; 0 is no limit", 0, 10**15, source=BUDGET)] = 0
    seconds: Annotated[float, About("stop after so many seconds; 0 is no limit", 0, 10**6, source=BUDGET)] = 0.0
    nodes: Annotated[int, About("stop when the tree holds so many nodes; 0 is no limit", 0, 10**10, source=BUDGET)] = 0
    formula: Annotated[
        str,
        About(
            "how a child is scored: w/n + k sqrt(ln N / n), N and n the parent's and the child's visits, k as below",
            choices=tuple(FORMULAS),
            source=UCT,
        ),
    ] = "uct"
    c: Annotated[float | None, About("the formula's constant; not given, the formula's own", 0, 100, source=UCT)] = None
    rewards: Annotated[
        str,
        About(
            "zero_one: win 1, draw 0.5, loss 0; plus_minus: +1, 0, -1, which doubles the scale and so halves k",
            choices=("zero_one", "plus_minus"),
            source="Browne et al. 2012",
        ),
    ] = "zero_one"
    final: Annotated[
        str,
        About(
            "the move played: visits: the most visited; mean: the best mean; margin: the best mean minus the best "
            "opponent's; agreement: search on until the most visited is the best mean too",
            choices=("visits", "mean", "margin", "agreement"),
            source=ERICA,
        ),
    ] = "visits"
    patience: Annotated[
        float, About("with final=agreement, the most extra search, in multiples of the budget", 0, 100, source=ERICA)
    ] = 1.0
    keep: Annotated[bool, About("keep the tree from move to move")] = True
    pool: Annotated[int, About("room in the node pool, in nodes", 16, 500_000_000)] = 5_000_000
    memory: Annotated[float, About("the most megabytes the node pool may take; 0 is no cap", 0, 10**6)] = 0.0
    seed: Annotated[int | None, About("the same seed gives the same search; not given, one is drawn", 0, 2**63 - 1)] = (
        None
    )

    @classmethod
    def of(cls, **values: Any) -> Options:
        """Options from keywords or text, checked: an unknown name or a wrong value gets one sentence."""
        refuse_unknown(values, parameters_of(cls), "mcts")
        return cls(**values)

    def __post_init__(self) -> None:
        for name, parameter in parameters_of(type(self)).items():
            object.__setattr__(self, name, parameter.convert(getattr(self, name), "mcts"))

    @property
    def weight(self) -> float:
        """The k of k * sqrt(ln N / n), for results in [0, 1]."""
        _, scale, own = FORMULAS[self.formula]
        k = scale * (own if self.c is None else self.c)
        return k / 2 if self.rewards == "plus_minus" else k
