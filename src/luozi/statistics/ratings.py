"""Ratings of any number of players from any mixture of games; games that share an opening are not independent.

The model of two players is that of Bradley and Terry (1952), of more that of Plackett (1975): a finishing order is a
sequence of choices, first the best of all players, then the best of the others, and so on.

SciPy is imported in the functions that need it, as in `matches`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from luozi.messages import LuoziError

ELO = 400 / math.log(10)  # of one unit of the logarithm of the odds
PRIOR_DEGREES = 2.0  # weight of the model's variance, in encounters
CERTAINTY = 0.975  # quantile of a 95 % interval

Array = NDArray[np.float64]
# Which encounter (games of one opening share it), the players by number, and their results in the same order: higher is
# better, equal is a shared place.
PlayedGame = tuple[Hashable, Sequence[int], Sequence[float]]


class RatingEstimate(NamedTuple):
    """A rating or a difference of ratings, in Elo."""

    elo: float
    error: float  # the standard error
    degrees: float  # of freedom of the error

    @property
    def half_width(self) -> float:
        """Half the width of the 95 % interval (Student's t)."""
        from scipy.special import stdtrit

        return float(stdtrit(self.degrees, CERTAINTY)) * self.error

    @property
    def superiority(self) -> float:
        """The likelihood that it is above zero."""
        from scipy.special import stdtr

        return float(stdtr(self.degrees, self.elo / self.error)) if self.error > 0 else 0.5


@dataclass(frozen=True)
class Ratings:
    """The result of `fit_ratings`."""

    elo: Array  # one a player, with the mean 0
    model: Array  # their covariance if all games were independent
    robust: Array  # their covariance from the differences between encounters
    encounters: NDArray[np.int64]  # of each player
    choices: float  # an encounter: two for a pair of games

    @cached_property
    def players(self) -> tuple[RatingEstimate, ...]:
        """The rating of each player, relative to the mean of all."""
        centre = _centre(len(self.elo))
        return tuple(self._estimate(weights, int(met)) for weights, met in zip(centre, self.encounters, strict=True))

    def difference(self, one: int, other: int) -> RatingEstimate:
        """Return the rating difference of two players.

        >>> ratings = fit_ratings([(pair, (0, 1), (1, 0)) for pair in range(3)] + [(3, (0, 1), (0.5, 0.5))] * 2, 2)
        >>> round(ratings.difference(0, 1).elo), round(ratings.difference(1, 0).elo)
        (210, -210)
        """
        if one == other:
            return RatingEstimate(0.0, 0.0, math.inf)
        weights = np.zeros(len(self.elo))
        weights[one], weights[other] = 1.0, -1.0
        return self._estimate(weights, int(min(self.encounters[one], self.encounters[other])))

    def superiority(self) -> Array:
        """Return the likelihoods that the player of the row is stronger than that of the column.

        >>> fit_ratings([(0, (0, 1), (0.5, 0.5))], 2).superiority().tolist()
        [[0.5, 0.5], [0.5, 0.5]]
        """
        numbers = range(len(self.elo))
        return np.array([[self.difference(one, other).superiority for other in numbers] for one in numbers])

    def _estimate(self, weights: Array, encounters: int) -> RatingEstimate:
        """Return a weighted sum of ratings. Its variance is that between encounters, averaged with that of the model.

        The weight of the former is the number of encounters between equal players that would be as certain: a hundred
        games that one player won all contain little about the variance.
        """
        model, robust = float(weights @ self.model @ weights), float(weights @ self.robust @ weights)
        degrees = 0.0
        if encounters > 1 and model > 0:
            # After one fair choice of two the difference of two strengths, weighed 1 and -1, has the variance 4.
            equivalent = 2 * ELO**2 * float(weights @ weights) / model / self.choices
            degrees = max(0.0, min(encounters, equivalent) - 1)
            robust *= encounters / (encounters - 1)
        variance = (degrees * robust + PRIOR_DEGREES * model) / (degrees + PRIOR_DEGREES)
        return RatingEstimate(float(weights @ self.elo), math.sqrt(variance), degrees + PRIOR_DEGREES)


def fit_ratings(games: Iterable[PlayedGame], players: int, prior: float = 1.0) -> Ratings:
    """Return the most likely ratings of the players 0, 1, ... and their errors.

    A shared best place is an equal share of the choice, so that a draw of two is half a win for both; players who share
    the last place are not compared with each other. As a prior every player has drawn one more game (`prior`) with a
    player of average strength: ratings stay finite, and players who never met can be compared, with large errors.
    The errors are robust, with encounters as clusters (Liang and Zeger 1986).

    >>> rotation = [(0, (0, 1, 2), (2, 1, 0)), (0, (1, 2, 0), (1, 0, 2)), (0, (2, 0, 1), (1, 0, 2))]
    >>> [round(player.elo) for player in fit_ratings(rotation, 3).players]
    [51, 75, -126]
    """
    if players < 1 or prior <= 0:
        raise LuoziError(
            "ratings need at least one player and a prior above 0, not {players} and {prior}",
            players=players,
            prior=prior,
        )
    model = _StrengthLikelihood(games, players, prior)
    strengths, centre = model.fitted(), ELO * _centre(players)
    bread: Array = centre @ np.linalg.inv(model.hessian(strengths))
    robust: Array = bread @ model.meat(strengths) @ bread.T
    return Ratings(centre @ strengths, bread @ centre, robust, model.met(), model.choices_an_encounter())


def _centre(count: int) -> Array:
    """Return the matrix that subtracts the mean of ratings."""
    return np.eye(count) - 1 / count


def _choices(results: Sequence[float]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the choices of a finishing order: the remaining seats, and those that share the best place."""
    remaining = list(range(len(results)))
    while len(remaining) > 1:
        best = max(results[seat] for seat in remaining)
        chosen = [seat for seat in remaining if results[seat] == best]
        if len(chosen) == len(remaining) < len(results):
            return  # a shared last place
        yield remaining, chosen
        remaining = [seat for seat in remaining if results[seat] != best]


class _StrengthLikelihood:
    """The likelihood of strengths (logarithms), in flat arrays with a row for each player in each choice."""

    def __init__(self, games: Iterable[PlayedGame], players: int, prior: float) -> None:
        self.players, self.prior = players, prior
        starts: list[int] = []  # the first rows of the choices
        rows: list[tuple[int, int, float]] = []  # encounter, player, share of the choice
        numbers: dict[Hashable, int] = {}
        for identifier, seats, results in games:
            _check(seats, results, players)
            encounter = numbers.setdefault(identifier, len(numbers))
            for remaining, chosen in _choices(results):
                starts.append(len(rows))
                rows += [(encounter, seats[seat], (seat in chosen) / len(chosen)) for seat in remaining]
        table = np.array(rows, dtype=np.float64).reshape(-1, 3)
        self.encounter, self.player = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
        self.share, self.starts, self.encounters = table[:, 2], np.array(starts, dtype=np.int64), len(numbers)
        self.choice = np.repeat(np.arange(len(starts)), np.diff([*starts, len(rows)]))

    def chances(self, strengths: Array) -> tuple[Array, Array]:
        """Return the probability of each row to be chosen, and the logarithm of each choice's denominator."""
        values = strengths[self.player]
        peaks = np.maximum.reduceat(values, self.starts) if len(self.starts) else np.zeros(0)
        odds = np.exp(values - peaks[self.choice])
        totals = np.bincount(self.choice, odds, len(self.starts))
        return odds / totals[self.choice], peaks + np.log(totals)

    def loss(self, strengths: Array) -> float:
        """Return the negative logarithm of the likelihood with the prior, which is convex."""
        chosen = self.share @ strengths[self.player] - self.chances(strengths)[1].sum()
        return float(self.prior * np.logaddexp(strengths / 2, -strengths / 2).sum() - chosen)

    def gradient(self, strengths: Array) -> Array:
        from scipy.special import expit

        surplus = np.bincount(self.player, self.share - self.chances(strengths)[0], self.players)
        return self.prior * (expit(strengths) - 0.5) - surplus

    def hessian(self, strengths: Array) -> Array:
        from scipy.sparse import csr_array

        chances = self.chances(strengths)[0]
        table = csr_array((chances, (self.choice, self.player)), shape=(len(self.starts), self.players))
        information = np.diag(np.bincount(self.player, chances, self.players)) - (table.T @ table).toarray()
        return information + self._prior_information(strengths)

    def meat(self, strengths: Array) -> Array:
        """Return the variance of the gradient between encounters; that of the prior's games is the model's."""
        from scipy.sparse import csr_array

        surplus = self.share - self.chances(strengths)[0]
        table = csr_array((surplus, (self.encounter, self.player)), shape=(self.encounters, self.players))
        return (table.T @ table).toarray() + self._prior_information(strengths)

    def _prior_information(self, strengths: Array) -> Array:
        from scipy.special import expit

        return np.diag(self.prior * expit(strengths) * expit(-strengths))

    def fitted(self) -> Array:
        """Return the most likely strengths."""
        from scipy.optimize import minimize

        start, options = np.zeros(self.players), {"gtol": 1e-6}
        found = minimize(self.loss, start, jac=self.gradient, hess=self.hessian, method="trust-exact", options=options)
        strengths: Array = found.x
        return strengths - np.linalg.solve(self.hessian(strengths), self.gradient(strengths))  # Newton's last step

    def met(self) -> NDArray[np.int64]:
        """Return the number of encounters of each player."""
        pairs = set(zip(self.encounter.tolist(), self.player.tolist(), strict=True))
        return np.bincount([player for _, player in pairs], minlength=self.players).astype(np.int64)

    def choices_an_encounter(self) -> float:
        return len(self.starts) / max(1, self.encounters)


def _check(seats: Sequence[int], results: Sequence[float], players: int) -> None:
    if len(seats) != len(results):
        raise LuoziError(
            "a game of {count} players needs {count} results, not {given}", count=len(seats), given=len(results)
        )
    if not all(0 <= player < players for player in seats):
        raise LuoziError("the players are 0 to {last}, not {given}", last=players - 1, given=tuple(seats))


# Cross table ----------------------------------------------------------------------------------------------------------


class CrossTable(NamedTuple):
    """Points and games of the player of the row against that of the column."""

    points: Array
    games: NDArray[np.int64]


def cross_table(games: Iterable[PlayedGame], players: int) -> CrossTable:
    """Return points and games of all players against each other: 1 for the better result, 0.5 for equal ones.

    >>> points, games = cross_table([(0, (0, 1, 2), (1, 0, 0)), (1, (0, 1), (0.5, 0.5))], 3)
    >>> points.tolist()
    [[0.0, 1.5, 1.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.0]]
    >>> games.tolist()
    [[0, 2, 1], [2, 0, 1], [1, 1, 0]]
    """
    points, counts = np.zeros((players, players)), np.zeros((players, players), dtype=np.int64)
    for _, seats, results in games:
        _check(seats, results, players)
        for (one, mine), (other, theirs) in permutations(zip(seats, results, strict=True), 2):
            points[one, other] += (mine > theirs) + 0.5 * (mine == theirs)
            counts[one, other] += 1
    return CrossTable(points, counts)
