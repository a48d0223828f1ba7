"""Go with learned move priors: a log-linear model gives the probability of each move."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

from luozi.compiled import Array, apart, signed
from luozi.games.go.features import features_of, pattern_classes, score_of
from luozi.rules.game import Game
from luozi.rules.state import State

if TYPE_CHECKING:
    from luozi.games.go.rules import Go

SLOPE = 0.5  # how much the prior value rises with the logarithm of the relative probability


class LearnedPriors:
    """Replaces the hand-made priors in a class of Go."""

    def priors(self, state: State, actions: Array, count: int, values: Array) -> None:
        guess_by_model(self, state, actions, count, values)


@apart
def guess_by_model(game: Any, state: State, actions: Array, count: int, values: Array) -> None:
    """Write the prior value of each move, from 0 to 1: one half for a move of average probability."""
    highest, total = -1e30, 0.0
    for index in range(count):
        values[index] = score_of(game.model, features_of(game, state, signed(actions[index])))
        highest = max(highest, values[index])
    for index in range(count):
        values[index] = math.exp(values[index] - highest)
        total += values[index]
    for index in range(count):
        odds = (values[index] * count / total) ** game.slope
        values[index] = odds / (1.0 + odds)


@cache
def learned_class(base: type[Game]) -> type[Go]:
    """Return a class of Go with learned priors."""
    return type(base.__name__, (LearnedPriors, base), {"__module__": base.__module__})


def with_model(game: Game, model: Array, slope: float = SLOPE) -> Go:
    """Return the same game with the priors of a model.

    >>> import luozi, numpy as np
    >>> from luozi.games.go.features import COUNT, ROOM, class_count
    >>> game = with_model(luozi.game("go:size=5"), np.zeros(ROOM * COUNT + class_count()))
    >>> values = np.full(2, 0.25)
    >>> game.priors(game.new_state(), np.array([12, 25]), 2, values)
    >>> values.tolist()
    [0.5, 0.5]
    """
    kind = learned_class(type(game))  # type: ignore[arg-type]
    learned = kind.__new__(kind)
    vars(learned).update(vars(game))
    learned.model, learned.classes, learned.slope = model, pattern_classes(), slope
    return learned
