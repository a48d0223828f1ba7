"""The surface that is fitted to noisy scores: its maximum lies where it says, as often as it says."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from luozi.matches.tuning.ranges import Choices, Range
from luozi.matches.tuning.result import findings_of, noise_of, points_of
from luozi.matches.tuning.trials import propose
from luozi.statistics.surface import Optimum, SurfacePoints, find_optimum, fit_surface


def lopsided(unit: float) -> float:
    """As a constant of exploration behaves: too little hurts at once, too much only slowly. The best is at 0.278."""
    return 0.3 - 0.7 * float(np.log((0.2 + 1.8 * unit) / 0.7)) ** 2


def simulated(curve: Callable[[float], float], seed: int, trials: int = 100, adaptive: bool = False) -> Optimum:
    """The maximum that is found by trials of twenty games with this win rate, as logit."""
    noise, tuned = np.random.default_rng(seed), [Range("c", 0.0, 1.0)]
    told: list[tuple[dict[str, Any], float]] = []
    while len(told) < trials:
        values = (
            propose(tuned, told, 10, seed=1000 * seed + len(told))
            if adaptive
            else [{"c": (len(told) + place + 0.5) / trials} for place in range(10)]
        )
        told += [(one, noise.binomial(20, expit(curve(one["c"]))) / 20) for one in values]
    scores = np.array([score for _, score in told])
    return find_optimum(fit_surface(points_of(tuned, [one for one, _ in told]), scores, np.full(trials, 20.0)))


def covered(curve: Callable[[float], float], best: float, runs: int, **more: Any) -> float:
    """How often the true optimum lies in the interval."""
    intervals = [simulated(curve, seed, **more).interval(0) for seed in range(runs)]
    return float(np.mean([low - 0.002 <= best <= high + 0.002 for low, high in intervals]))


@pytest.mark.long
def test_a_lopsided_maximum_is_found_and_lies_in_its_interval() -> None:
    found = [simulated(lopsided, seed) for seed in range(8)]
    best = [one.best.numbers[0, 0] for one in found]
    assert abs(np.median(best) - 0.278) < 0.1
    lost = [expit(lopsided(0.278)) - expit(lopsided(unit)) for unit in best]
    assert np.mean(lost) < 0.01
    assert np.mean([one.interval(0)[0] <= 0.278 <= one.interval(0)[1] for one in found]) >= 6 / 8


def test_a_flat_curve_is_not_decided() -> None:
    findings = [findings_of([Range("c", 0.0, 1.0)], simulated(lambda _: 0.1, seed))[0] for seed in range(5)]
    assert sum(finding.note.startswith("not decided") for finding in findings) >= 3
    assert all(finding.interval and finding.interval[1] - finding.interval[0] > 0.5 for finding in findings)


@pytest.mark.parametrize(("sign", "word"), [(1, "above 1.0"), pytest.param(-1, "below 0.0", marks=pytest.mark.long)])
def test_a_maximum_at_an_edge_asks_for_a_wider_range(sign: int, word: str) -> None:
    notes = [
        findings_of([Range("c", 0.0, 1.0)], simulated(lambda unit: sign * 2 * (unit - 0.5), seed))[0].note
        for seed in range(4)
    ]
    assert sum(note == f"the best value may lie {word}: widen the range" for note in notes) >= 3


def test_the_end_of_what_is_allowed_can_not_be_widened() -> None:
    best = simulated(lambda unit: -2 * unit, seed=1)
    [finding] = findings_of([Range("c", 0.0, 1.0, lowest=0)], best)
    assert finding.best == pytest.approx(0, abs=0.1)
    assert finding.note == ""


@pytest.mark.long
def test_numbers_that_depend_on_each_other_and_choices_are_found_together() -> None:
    noise = np.random.default_rng(3)
    tuned = [Range("a", 0.0, 1.0), Choices("kind", ("bad", "good")), Range("b", 1, 5, whole=True)]
    values = [
        {"a": float(noise.random()), "b": int(noise.integers(1, 6)), "kind": str(noise.choice(["bad", "good"]))}
        for _ in range(300)
    ]

    def rate(one: dict[str, Any]) -> float:
        best = 0.1 + 0.1 * one["b"]  # of a, for this b
        return float(expit(0.5 * (one["kind"] == "good") - 8 * (one["a"] - best) ** 2 - 0.15 * (one["b"] - 4) ** 2))

    scores = np.array([noise.binomial(20, rate(one)) / 20 for one in values])
    surface = fit_surface(points_of(tuned, values), scores, np.full(300, 20.0), [2])
    a, kind, b = findings_of(tuned, find_optimum(surface, [2], lambda numbers: numbers))
    assert kind.best == "good"
    assert kind.shares is not None
    assert kind.shares["good"] > 0.95
    assert a.interval is not None
    assert b.interval is not None
    assert a.interval[0] <= 0.5 <= a.interval[1]
    assert b.interval[0] <= 4 <= b.interval[1]
    assert rate({"a": a.best, "b": b.best, "kind": kind.best}) > expit(0.5) - 0.03


def test_more_games_make_the_interval_narrower() -> None:
    widths = [np.subtract(*simulated(lopsided, 1, trials=trials).interval(0)[::-1]) for trials in (40, 1000)]
    assert widths[1] < widths[0] / 2


def test_one_trial_says_little() -> None:
    surface = fit_surface(SurfacePoints(np.array([[0.5]]), np.zeros((1, 0), int)), np.array([1.0]), np.array([20.0]))
    low, high = find_optimum(surface).interval(0)
    assert high - low > 0.8


def test_noise_is_less_where_openings_decide_and_as_in_independent_games_else() -> None:
    draws = random.Random(1)
    alone = [[[float(draws.random() < 0.6) for _ in range(2)] for _ in range(10)] for _ in range(200)]
    assert noise_of(alone) == pytest.approx(1, abs=0.1)
    decided = [[[1.0, 0.0] if draws.random() < 0.9 else [1.0, 1.0] for _ in range(10)] for _ in range(200)]
    assert noise_of(decided) < 0.3


@pytest.mark.long
@pytest.mark.parametrize("adaptive", [False, True])
def test_the_interval_holds_the_true_optimum_as_often_as_it_says(adaptive: bool) -> None:
    assert covered(lopsided, 0.2778, 100, adaptive=adaptive) >= 0.88
    assert covered(lambda unit: 0.4 - 4 * (unit - 0.5) ** 2, 0.5, 100, adaptive=adaptive) >= 0.92
    assert covered(lambda unit: unit - 0.8, 1.0, 100, adaptive=adaptive) >= 0.92
