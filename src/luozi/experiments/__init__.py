"""Experiments: the tables of the sources again, with intervals, from a seed and a budget.

`frame` is what they share, `table` what they give, `report` how that is shown; each has a file of its own.
"""

from __future__ import annotations

from luozi.errors import LuoziError, nearest
from luozi.experiments.ablation import ablation
from luozi.experiments.budgets import budgets
from luozi.experiments.cost import cost
from luozi.experiments.exploration import exploration
from luozi.experiments.frame import Experiment
from luozi.experiments.ladder import ladder

__all__ = ["EXPERIMENTS", "find_experiment"]

EXPERIMENTS: dict[str, Experiment] = {one.name: one for one in (cost, exploration, ladder, ablation, budgets)}


def find_experiment(name: str) -> Experiment:
    """The experiment of this name.

    >>> find_experiment("ladder").title
    'The ladder of opponents'
    """
    if name not in EXPERIMENTS:
        raise LuoziError(f"there is no experiment '{name}'{nearest(name, ['list', *EXPERIMENTS])}")
    return EXPERIMENTS[name]
