"""Experiments: the tables of the sources, measured again with 95 % intervals from a seed and a budget.

Each experiment is one module. `frame` carries designs out, `table` has their results, `drawing` and `report` show them.
"""

from __future__ import annotations

from luozi.experiments.ablation import measure_ablation
from luozi.experiments.accuracy import measure_accuracy
from luozi.experiments.budgets import measure_budgets
from luozi.experiments.cost import measure_cost
from luozi.experiments.exploration import measure_exploration
from luozi.experiments.frame import Experiment
from luozi.experiments.levels import measure_levels
from luozi.experiments.opponents import measure_opponents
from luozi.experiments.scaling import measure_scaling
from luozi.experiments.three_player import measure_three_player
from luozi.messages import LuoziError, nearest
from luozi.util.old_names import EXPERIMENTS as RENAMED

__all__ = ["EXPERIMENTS", "find_experiment"]

EXPERIMENTS: dict[str, Experiment] = {
    one.name: one
    for one in (
        measure_three_player,
        measure_cost,
        measure_exploration,
        measure_opponents,
        measure_ablation,
        measure_budgets,
        measure_accuracy,
        measure_levels,
        measure_scaling,
    )
}


def find_experiment(name: str) -> Experiment:
    """Return the experiment of this name.

    >>> find_experiment("opponents").title
    'The ladder of opponents'
    """
    name = RENAMED.get(name, name)
    if name not in EXPERIMENTS:
        raise LuoziError(
            "there is no experiment '{name}'{nearest}", name=name, nearest=nearest(name, ["list", *EXPERIMENTS])
        )
    return EXPERIMENTS[name]
