"""The value is learned as if all positions of drawn games had been kept, though only some are."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import luozi
from luozi.evaluators.line_weights import new_weights
from luozi.learning.learner import KINDS, Samples, joined, value_weights, with_targets
from luozi.learning.line_training import LineTrainer
from luozi.learning.lines import LineLearner
from luozi.learning.settings import LearningOptions

SHARE = 0.25
SMALL = "connect4:rows=3,columns=4,win_length=3"


def samples_of(results: list[list[float]], share: float) -> Samples:
    """Samples with these results, weighed as those of which only a share of drawn positions was kept."""
    rows, players = len(results), len(results[0])
    shapes = [(rows, 9), (rows,), (rows, 2), (rows, 2), (rows,), (rows, players), (rows, players), (rows,)]
    columns = Samples(*(np.zeros(shape, kind) for shape, kind in zip(shapes, KINDS, strict=True)))
    found = np.array(results, np.float32)
    return columns._replace(results=found, values=found, value_weight=value_weights(found, share))


def test_the_expectation_over_all_that_may_be_kept_is_that_of_all_positions() -> None:
    """Every choice of drawn positions, with its chance: exact, in fractions."""
    results = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], *([[0.5] * 3] * 6)]
    weights = [Fraction(float(one)) for one in value_weights(np.array(results), SHARE)]
    drawn = [place for place, one in enumerate(results) if max(one) < 1]
    total, count = [Fraction(0)] * 3, Fraction(0)
    for kept in product([False, True], repeat=len(drawn)):
        chance = Fraction(1)
        for stays in kept:
            chance *= Fraction(SHARE) if stays else 1 - Fraction(SHARE)
        rows = [place for place in range(len(results)) if place not in drawn or kept[drawn.index(place)]]
        count += chance * sum(weights[row] for row in rows)
        total = [total[p] + chance * sum(weights[row] * Fraction(results[row][p]) for row in rows) for p in range(3)]
    assert count == len(results)
    assert total == [sum(Fraction(one[player]) for one in results) for player in range(3)]


def test_the_mean_of_what_three_players_learn_is_that_of_all_their_games() -> None:
    share = 0.3
    decided, drawn = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] * 10, [[0.5] * 3] * 27  # of 90
    found = with_targets(samples_of(decided + drawn, share), 0.85)
    assert found.results.mean() == pytest.approx(0.4123, abs=1e-4)
    assert np.average(found.results.mean(axis=1), weights=found.value_weight) == pytest.approx(0.4583, abs=1e-4)
    assert found.value_weight.mean() == pytest.approx(1.0)  # so that policy and value count as they did


def test_parts_with_different_shares_are_weighed_by_their_own() -> None:
    whole = joined([samples_of([[0.5, 0.5]], 0.5), samples_of([[0.5, 0.5]], 0.1), samples_of([[1.0, 0.0]], 0.1)])
    assert with_targets(whole, 1.0).value_weight.tolist() == pytest.approx([6 / 13, 30 / 13, 3 / 13])


def test_samples_without_weights_count_once_each() -> None:
    whole = samples_of([[0.5, 0.5], [1.0, 0.0]], 0.1)
    assert with_targets(Samples(*whole[:7]), 1.0).value_weight.tolist() == [1.0, 1.0]


def played(share: float) -> tuple[Any, Samples]:
    game = luozi.game(SMALL)
    settings = LearningOptions(full_iterations=3, fast_iterations=2, full_share=1.0, drawn_share=share)
    return game, LineLearner(game).play_uncompiled(new_weights(game, 1), settings, 1, 8)


def test_self_play_weighs_the_positions_of_drawn_games() -> None:
    _, samples = played(0.5)
    drawn = samples.results.max(axis=1) < 1
    assert 0 < drawn.sum() < len(drawn)
    assert samples.value_weight.tolist() == np.where(drawn, 2.0, 1.0).tolist()


def test_the_gradient_of_the_kept_positions_is_that_of_all() -> None:
    """Each drawn position four times, of which one is kept: what the value learns of both is the same."""
    game, samples = played(1.0)
    samples = samples._replace(policy_weight=np.zeros_like(samples.policy_weight))
    drawn = np.flatnonzero(samples.results.max(axis=1) < 1)[:2]
    won = np.flatnonzero(samples.results.max(axis=1) == 1)[:2]
    trainer = LineTrainer(game, new_weights(game, 1), compiled=False)
    whole = trainer.gradients(samples, np.concatenate([won, np.repeat(drawn, 4)]))
    whole = {name: array.copy() for name, array in whole.items()}
    kept = samples._replace(value_weight=value_weights(samples.results, SHARE))
    few = trainer.gradients(kept, np.concatenate([won, drawn]))
    assert max(np.abs(array).max() for array in whole.values()) > 0.1
    for name, array in whole.items():
        assert few[name] == pytest.approx(array, abs=1e-5), name
