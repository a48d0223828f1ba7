"""A smooth surface of the win rate over parameters, fitted to noisy scores, and the place of its maximum.

The logit of the win rate is a Gaussian process: a parabola, as in CLOP (Coulom 2011), plus smooth deviations from it (a
Matérn 5/2 process), because a parabola alone misplaces the maximum of a lopsided curve. The hyperparameters (size,
smoothness, difference between choices) are averaged over, weighted by their evidence (Laplace's approximation;
Rasmussen and Williams 2006, chapters 3 and 5). Results come from draws: each is one surface that could have given these
scores. In simulated tunings of 100 trials of 20 games the true maximum was in its 95 % interval in 92 to 100 % of the
runs, least often for a cliff beside a gentle slope.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, ndtri

Array = npt.NDArray[Any]  # numbers of any kind

SETTINGS = 64  # settings of the hyperparameters that are averaged over
CLOSER = 1  # times that the settings are spread again, nearer to those that explain the scores
NARROWEST = 0.25  # their least spread then, in standard deviations of the prior
PAIRS = 200  # draws come in pairs that mirror each other, so that their mean is exact
PLACES = 64  # most inducing places
NEGLIGIBLE = 1e-4  # variance of a logit that they may leave unexplained
ELSEWHERE = 128  # places without trials among the candidates, so that the surface is uncertain there
CANDIDATES = 2048  # places at which a maximum is looked for
STRETCH = 1.1  # candidates are spread so much wider, and clipped: some lie on every edge
ROUNDS = 3  # each looks closer, where one alone would be too coarse
CAUTION = 0.5  # the best has the highest mean minus so many standard deviations: corners without trials are avoided
LEVEL = 1.0  # the standard deviation of the mean logit

# The prior of each property of the surface: its median, and the standard deviation of its logarithm.
LENGTH, LENGTH_SPREAD = 0.35, 0.8
DEVIATION, DEVIATION_SPREAD = 0.5, 1.0
PARABOLA, PARABOLA_SPREAD = 0.5, 1.0
SHIFT, SHIFT_SPREAD = 0.4, 0.8
LIKENESS_SPREAD = 1.5  # of its logit, whose median is 0


class SurfacePoints(NamedTuple):
    """Places on a surface."""

    numbers: Array  # a line for each place: numeric parameters, from 0 to 1 over their ranges
    choices: Array  # a line for each place: the numbers of the choices

    def at(self, places: Array | Sequence[int]) -> SurfacePoints:
        """Return some of the places."""
        return SurfacePoints(self.numbers[places], self.choices[places])


class Setting(NamedTuple):
    """One setting of the hyperparameters."""

    lengths: Array  # by numeric parameter: over how much of its range deviations stay alike
    deviation: float  # their size
    parabola: float  # the size of the parabola's coefficients
    likeness: Array  # by choice parameter: how much of the shape its choices share
    shifts: Array  # by choice parameter: how far apart they are


def setting_of(line: Array, numbers: int, choices: int) -> Setting:
    """Return the setting of standard normal numbers, one for each hyperparameter."""
    lengths, likeness, shifts = np.split(line[2:], [numbers, numbers + choices])
    return Setting(
        LENGTH * np.exp(LENGTH_SPREAD * lengths),
        DEVIATION * math.exp(DEVIATION_SPREAD * line[0]),
        PARABOLA * math.exp(PARABOLA_SPREAD * line[1]),
        expit(LIKENESS_SPREAD * likeness),
        SHIFT * np.exp(SHIFT_SPREAD * shifts),
    )


def spread(dimensions: int, count: int) -> Array:
    """Return places that fill a cube evenly: multiples of powers of the generalised golden ratio (Roberts 2018).

    >>> spread(1, 3).round(3).tolist()
    [[0.118], [0.736], [0.354]]
    """
    ratio = 2.0
    for _ in range(60):
        ratio = (1 + ratio) ** (1 / (dimensions + 1))
    steps = ratio ** -np.arange(1.0, dimensions + 1)
    return (0.5 + np.arange(1, count + 1)[:, None] * steps) % 1


def covariance(one: SurfacePoints, other: SurfacePoints, setting: Setting) -> Array:
    """Return the covariance of the surface for all pairs of places."""
    squares = np.zeros((len(one.numbers), len(other.numbers)))
    for place, length in enumerate(setting.lengths):
        squares += (np.subtract.outer(one.numbers[:, place], other.numbers[:, place]) / length) ** 2
    distance = np.sqrt(5 * squares)
    shape = setting.deviation**2 * (1 + distance + distance**2 / 3) * np.exp(-distance)
    products = (2 * one.numbers - 1) @ (2 * other.numbers - 1).T
    shape += setting.parabola**2 * (products + products**2) / 2
    shifts = np.full_like(shape, LEVEL**2)
    for place, (likeness, shift) in enumerate(zip(setting.likeness, setting.shifts, strict=True)):
        same = np.equal.outer(one.choices[:, place], other.choices[:, place])
        shape *= np.where(same, 1.0, likeness)
        shifts += shift**2 * same
    return shape + shifts


def variances(points: SurfacePoints, setting: Setting) -> Array:
    """Return the variance of the surface at each place."""
    products = ((2 * points.numbers - 1) ** 2).sum(axis=1)
    parabola = setting.parabola**2 * (products + products**2) / 2
    return setting.deviation**2 + parabola + LEVEL**2 + (setting.shifts**2).sum()


# Fitting --------------------------------------------------------------------------------------------------------------


class Basis(NamedTuple):
    """Inducing places of the surface under one setting, with features that have its covariance."""

    setting: Setting
    places: SurfacePoints
    mixing: Array  # from covariances with the places to features

    def values(self, points: SurfacePoints, weights: Array) -> Array:
        """Return the surface at points, a line for each, for columns of weights of the features."""
        return covariance(points, self.places, self.setting) @ (self.mixing @ weights)


class Fit(NamedTuple):
    """The surface under one setting: weights of features, with the Cholesky factor of their precision."""

    basis: Basis
    weights: Array
    factor: Array
    evidence: float


class SurfaceDraws(NamedTuple):
    """Draws of the surface under one setting, a column of weights for each."""

    basis: Basis
    drawn: Array


@dataclass(frozen=True)
class Surface:
    """Draws of surfaces that could have given the scores."""

    even: float  # the logit of the win rate without any games
    parts: tuple[SurfaceDraws, ...]

    @property
    def width(self) -> int:
        """The number of numeric parameters."""
        return int(self.parts[0].basis.places.numbers.shape[1])

    def draws(self, points: SurfacePoints) -> Array:
        """Return the logit of the win rate: a line for each place, a column for each draw."""
        columns = [part.basis.values(points, part.drawn) for part in self.parts]
        return self.even + np.concatenate(columns, axis=1)


def fit_surface(
    points: SurfacePoints, scores: Array, games: Array, counts: Sequence[int] = (), even: float = 0.5, seed: int = 1
) -> Surface:
    """Return the surface of scores at points, each the mean of so many independent games (those of a pair count less).

    `counts` says how many choices each choice parameter has.

    >>> tried = SurfacePoints(np.linspace(0, 1, 9)[:, None], np.zeros((9, 0), int))
    >>> scores = 0.6 - (tried.numbers[:, 0] - 0.3) ** 2
    >>> found = find_optimum(fit_surface(tried, scores, np.full(9, 1000.0)))
    >>> bool(abs(found.best.numbers[0, 0] - 0.3) < 0.05)
    True
    """
    level, width = math.log(even / (1 - even)), points.numbers.shape[1]
    elsewhere = candidates(np.zeros(width), np.ones(width), counts, count=ELSEWHERE)
    pool = SurfacePoints(*(np.concatenate(both) for both in zip(points, elsewhere, strict=True)))

    def fit_all(lines: Array) -> list[Fit]:
        settings = (setting_of(line, width, len(counts)) for line in lines)
        return [fit_under(basis_of(setting, pool), points, level, scores, games) for setting in settings]

    fits, weights = average(fit_all, 2 + width + 2 * len(counts))
    random = np.random.default_rng(seed)
    drawn = zip(fits, fair_counts(weights, PAIRS), strict=True)
    return Surface(level, tuple(draw_from(fit, count, random) for fit, count in drawn if count))


def average(fit_all: Callable[[Array], list[Fit]], properties: int) -> tuple[list[Fit], Array]:
    """Return fits under settings of so many hyperparameters, and their weights: over the prior, then near the best.

    This is importance sampling that adapts (Oh and Berger 1992).
    """
    evenly = ndtri(spread(properties, SETTINGS))
    centre, width = np.zeros(properties), np.ones(properties)
    for _ in range(1 + CLOSER):
        lines = centre + width * evenly
        fits = fit_all(lines)
        prior = (evenly**2 - lines**2).sum(axis=1) / 2  # relative to how densely these settings lie
        weights = likely(np.array([fit.evidence for fit in fits]) + prior)
        centre = weights @ lines
        width = np.clip(np.sqrt(weights @ (lines - centre) ** 2), NARROWEST, 1)
    return fits, weights


def likely(logarithms: Array) -> Array:
    """Return weights that sum to 1 for logarithms of likelihoods."""
    weights = np.exp(logarithms - logarithms.max())
    return weights / weights.sum()


def basis_of(setting: Setting, pool: SurfacePoints) -> Basis:
    """Return the most informative places of a pool, one after the other: a pivoted Cholesky decomposition."""
    left = variances(pool, setting)
    factor = np.zeros((len(left), PLACES))
    chosen: list[int] = []
    while len(chosen) < PLACES and left.max() > NEGLIGIBLE:
        best, done = int(left.argmax()), len(chosen)
        known = factor[:, :done] @ factor[best, :done]
        factor[:, done] = (covariance(pool, pool.at([best]), setting)[:, 0] - known) / math.sqrt(left[best])
        left = np.maximum(left - factor[:, done] ** 2, 0)
        left[best] = 0
        chosen.append(best)
    return Basis(setting, pool.at(chosen), np.linalg.inv(np.tril(factor[chosen, : len(chosen)])).T)


def fit_under(basis: Basis, points: SurfacePoints, level: float, scores: Array, games: Array) -> Fit:
    """Return a logistic regression on features whose weights have a standard normal prior."""
    features = basis.values(points, np.eye(basis.mixing.shape[1]))
    weights, factor = regress(features, level, scores, games)
    logits = level + features @ weights
    likelihood = games @ (scores * logits - np.logaddexp(0, logits))
    evidence = likelihood - weights @ weights / 2 - np.log(np.diag(factor)).sum()
    return Fit(basis, weights, factor, float(evidence))


def regress(features: Array, level: float, scores: Array, games: Array) -> tuple[Array, Array]:
    """Return the likeliest weights, by Newton's method, and the Cholesky factor of their precision."""
    weights = np.zeros(features.shape[1])
    for _ in range(50):
        rates = expit(level + features @ weights)
        steepness = games * rates * (1 - rates)
        factor = np.linalg.cholesky(features.T @ (features * steepness[:, None]) + np.eye(len(weights)))
        slope = features.T @ (games * (scores - rates)) - weights
        step = np.linalg.solve(factor.T, np.linalg.solve(factor, slope))
        farthest = np.abs(features @ step).max()
        weights += step * min(1.0, 3 / max(farthest, 1e-300))
        if farthest < 1e-8:
            break
    return weights, factor


def fair_counts(weights: Array, total: int) -> Array:
    """Return how many of a total each one gets by its weight."""
    shares = np.round(np.cumsum(weights) * total).astype(int)
    return np.diff(shares, prepend=0)


def draw_from(fit: Fit, pairs: int, random: np.random.Generator) -> SurfaceDraws:
    """Return pairs of draws that mirror each other."""
    noise = np.linalg.solve(fit.factor.T, random.standard_normal((len(fit.weights), pairs)))
    return SurfaceDraws(fit.basis, fit.weights[:, None] + np.hstack([noise, -noise]))


# The maximum ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Optimum:
    """The maximum: `best` is one place, `winners` has the place of the maximum of each draw."""

    best: SurfacePoints
    winners: SurfacePoints

    def interval(self, number: int, confidence: float = 0.95) -> tuple[float, float]:
        """Return the confidence interval of the best value of a numeric parameter."""
        tails = (1 - confidence) / 2
        low, high = np.quantile(self.winners.numbers[:, number], [tails, 1 - tails])
        best = self.best.numbers[0, number]
        return float(min(low, best)), float(max(high, best))

    def at_edges(self, number: int, within: float = 0.01) -> tuple[float, float]:
        """Return the shares of draws whose best value is the lowest or the highest that is allowed."""
        values = self.winners.numbers[:, number]
        return float((values <= within).mean()), float((values >= 1 - within).mean())


def as_they_are(numbers: Array) -> Array:
    """Return the numbers: all are allowed."""
    return numbers


def find_optimum(surface: Surface, counts: Sequence[int] = (), snap: Callable[[Array], Array] = as_they_are) -> Optimum:
    """Return the maximum. `counts` are the numbers of choices, `snap` moves numbers to allowed values."""
    width = surface.width
    rounds = ROUNDS if width > 1 else 1
    low, high = np.zeros(width), np.ones(width)
    for _ in range(rounds):
        found = candidates(low, high, counts, snap)
        drawn = surface.draws(found)
        winners, best = found.at(drawn.argmax(axis=0)), found.at([int(cautious(drawn).argmax())])
        reach = (high - low) / 10
        low = np.maximum(0, winners.numbers.min(axis=0) - reach)
        high = np.minimum(1, winners.numbers.max(axis=0) + reach)
    for closer in range(1, rounds):
        half = 0.3**closer / 2
        low, high = np.maximum(0, best.numbers[0] - half), np.minimum(1, best.numbers[0] + half)
        found = candidates(low, high, counts, snap)
        best = found.at([int(cautious(surface.draws(found)).argmax())])
    return Optimum(best, winners)


def cautious(draws: Array) -> Array:
    """Return the mean of the draws at places, minus some standard deviations."""
    return draws.mean(axis=1) - CAUTION * draws.std(axis=1)


def candidates(
    low: Array,
    high: Array,
    counts: Sequence[int],
    snap: Callable[[Array], Array] = as_they_are,
    count: int = CANDIDATES,
) -> SurfacePoints:
    """Return places in a box, some of them on its edges, with all choices."""
    width = len(low)
    cube = spread(width + len(counts), count)
    numbers = low + (high - low) * np.clip((cube[:, :width] - 0.5) * STRETCH + 0.5, 0, 1)
    choices = (cube[:, width:] * np.array(counts, float)).astype(int)
    return SurfacePoints(snap(numbers), choices)
