"""Statistics of a match of two: score with interval, Elo, likelihood of superiority, sequential test.

The two games of a pair have one opening with the seats swapped. They are not independent, so the statistics use the
scores of pairs: 0, 0.5, 1, 1.5 or 2 points (the pentanomial).

SciPy is imported in the functions that need it: importing it takes longer than a server needs to start without it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from luozi.messages import LuoziError

SCORES = (0.0, 0.5, 1.0)  # of one game
PRIOR_DEGREES = 2.0  # weight of the variance of independent games without draws, in pairs
ABSENT = 1e-3  # count of a score that did not occur, in the sequential test; as on Fishtest
LARGEST_ELO = 2000.0
NORMALIZED_ELO = 800 / math.log(10)  # so that it is about Elo where draws are few


@dataclass(frozen=True)
class MatchScore:
    """The results of the first player: all games, pairs by points, and games without a complete pair.

    >>> tally = MatchScore.of([(1, 0.5), (1, 1), (0,)])
    >>> tally.wins, tally.draws, tally.losses, tally.pairs, tally.singles
    (3, 1, 1, (0, 0, 0, 1, 1), (1, 0, 0))
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)  # with 0, 0.5, 1, 1.5, 2 points
    singles: tuple[int, int, int] = (0, 0, 0)  # lost, drawn, won

    def __post_init__(self) -> None:
        lead = sum(count * step for step, count in zip((-2, -1, 0, 1, 2), self.pairs, strict=True))
        lead += self.singles[2] - self.singles[0]
        if self.games != 2 * sum(self.pairs) + sum(self.singles) or self.wins - self.losses != lead:
            raise ValueError(f"the games of {self} are not those of its pairs and singles")

    @classmethod
    def of(cls, results: Iterable[Sequence[float]]) -> MatchScore:
        """Count the scores of the first player, 0, 0.5 or 1: two for a pair, one for an unfinished pair.

        >>> MatchScore.of([(1, 0), (0.5,)]).score
        0.5
        """
        games, pairs, singles = [0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0]
        for scores in results:
            places = [_place(score) for score in scores]
            if len(places) not in (1, 2):
                raise LuoziError("a pair has one or two games, not {count}", count=len(places))
            for place in places:
                games[place] += 1
            (pairs if len(places) == 2 else singles)[sum(places)] += 1
        return cls(games[2], games[1], games[0], _five(pairs), _three(singles))

    @classmethod
    def of_games(cls, wins: int, draws: int, losses: int) -> MatchScore:
        """Return the score of games that were not played in pairs.

        >>> MatchScore.of_games(3, 1, 1).score
        0.7
        """
        return cls(wins, draws, losses, singles=(losses, draws, wins))

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def groups(self) -> int:
        """The number of independent results: pairs, and games without a pair."""
        return sum(self.pairs) + sum(self.singles)

    @property
    def lead(self) -> float:
        """The score above one half."""
        return (self.wins - self.losses) / (2 * self.games) if self.games else 0.0

    @property
    def score(self) -> float:
        """Points a game, 0 to 1; one half without games."""
        return _from_lead(self.lead)

    def mirrored(self) -> MatchScore:
        """Return the score of the other player.

        >>> MatchScore.of([(1, 0.5)]).mirrored() == MatchScore.of([(0, 0.5)])
        True
        """
        return MatchScore(self.losses, self.draws, self.wins, _five(self.pairs[::-1]), _three(self.singles[::-1]))

    def __add__(self, other: MatchScore) -> MatchScore:
        pairs = [mine + more for mine, more in zip(self.pairs, other.pairs, strict=True)]
        singles = [mine + more for mine, more in zip(self.singles, other.singles, strict=True)]
        wins, draws, losses = self.wins + other.wins, self.draws + other.draws, self.losses + other.losses
        return MatchScore(wins, draws, losses, _five(pairs), _three(singles))


def _place(score: float) -> int:
    if score not in SCORES:
        raise LuoziError("a game is lost, drawn or won: its score is 0, 0.5 or 1, not {score}", score=score)
    return SCORES.index(score)


def _five(counts: Sequence[int]) -> tuple[int, int, int, int, int]:
    return counts[0], counts[1], counts[2], counts[3], counts[4]


def _three(counts: Sequence[int]) -> tuple[int, int, int]:
    return counts[0], counts[1], counts[2]


# Score ----------------------------------------------------------------------------------------------------------------


def score_interval(tally: MatchScore, confidence: float = 0.95) -> tuple[float, float]:
    """Return the confidence interval of the score, from the variance between pairs.

    This is the interval of Wilson (1927), with Student's t, for the number of independent games that would be as
    certain as these pairs. The variance between pairs is averaged with that of independent games without draws, which
    counts as two pairs: so there is an interval without pairs, and if all results are equal.

    >>> [round(bound, 3) for bound in score_interval(MatchScore.of([(1, 0)] * 20 + [(1, 1)] * 20 + [(0, 0)] * 10))]
    [0.491, 0.7]
    >>> [round(bound, 3) for bound in score_interval(MatchScore.of([(1, 1)] * 10))]
    [0.805, 1.0]
    """
    from scipy.special import stdtrit

    if not tally.games:
        return 0.0, 1.0
    games, degrees = _equivalent_games(tally)
    quantile = float(stdtrit(degrees, (1 + confidence) / 2))
    return _from_lead(-_upper_lead(-tally.lead, games, quantile)), _from_lead(_upper_lead(tally.lead, games, quantile))


def mean_interval(groups: Sequence[Sequence[float]], confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of the mean of shares from 0 to 1; games of a group are not independent.

    >>> [round(bound, 3) for bound in mean_interval([[1, 0, 0], [0, 0, 1], [1, 1, 0], [0, 0, 0]])]
    [0.105, 0.68]
    """
    from scipy.special import stdtrit

    games, mean = sum(map(len, groups)), math.fsum(map(math.fsum, groups)) / sum(map(len, groups))
    squares = math.fsum((math.fsum(group) - len(group) * mean) ** 2 for group in groups)
    equivalent, degrees = _equivalent(games, len(groups), mean - 0.5, squares)
    quantile = float(stdtrit(degrees, (1 + confidence) / 2))
    lead = mean - 0.5
    return _from_lead(-_upper_lead(-lead, equivalent, quantile)), _from_lead(_upper_lead(lead, equivalent, quantile))


def _upper_lead(lead: float, games: float, quantile: float) -> float:
    """Return the upper end of Wilson's interval, minus one half."""
    if lead == 0.5:
        return 0.5
    shrink = quantile * quantile / games
    half = quantile * math.sqrt((0.25 - lead * lead) / games + shrink / (4 * games))
    return min(0.5, (lead + half) / (1 + shrink))


def _from_lead(lead: float) -> float:
    """Return one half plus a lead, rounded so that the other player's score is exactly 1 minus it."""
    return 0.5 + lead if lead >= 0 else 1 - (0.5 - lead)


def _squares(tally: MatchScore) -> float:
    """Return the sum of squared differences between the scores of pairs (and single games) and the mean."""
    mean = 2 * tally.lead
    pairs = [count * (lead - 2 * mean) ** 2 for lead, count in zip((-2, -1, 0, 1, 2), tally.pairs, strict=True)]
    singles = [count * (lead - mean) ** 2 for lead, count in zip((-1, 0, 1), tally.singles, strict=True)]
    return math.fsum(pairs + singles) / 4


def _equivalent_games(tally: MatchScore) -> tuple[float, float]:
    """Return how many independent games without draws would be as certain, and the degrees of freedom."""
    return _equivalent(tally.games, tally.groups, tally.lead, _squares(tally))


def _equivalent(games: int, groups: int, lead: float, squares: float) -> tuple[float, float]:
    binomial = games * (0.25 - lead**2)  # the squares to expect of such games
    measured = groups * squares / binomial if binomial > 0 else groups - 1.0
    degrees = groups - 1 + PRIOR_DEGREES
    # The estimate of a variance with a prior one, as in Smyth (2004), Linear models and empirical Bayes methods.
    return games * degrees / (measured + PRIOR_DEGREES), degrees


def likelihood_of_superiority(tally: MatchScore) -> float:
    """Return the likelihood that the first player is stronger (LOS), if both were equally likely before the match.

    It is above 97.5 % exactly if the 95 % interval of the score is above one half.

    >>> round(likelihood_of_superiority(MatchScore.of([(1, 0.5)] * 6 + [(0, 0.5)] * 2 + [(1, 0)] * 12)), 3)
    0.882
    """
    from scipy.special import stdtr

    if not tally.games:
        return 0.5
    games, degrees = _equivalent_games(tally)
    return float(stdtr(degrees, 2 * tally.lead * math.sqrt(games)))


# Elo ------------------------------------------------------------------------------------------------------------------


def elo(score: float) -> float:
    """Return the Elo difference of a score, by the logistic form of the scale of Elo (1978).

    >>> round(elo(0.75), 1), elo(0.5), elo(1.0)
    (190.8, 0.0, inf)
    """
    if not 0 < score < 1:
        return math.copysign(math.inf, score - 0.5)
    return 400 * (math.log10(score) - math.log10(1 - score))


def expected_score(difference: float, seats: int = 2) -> float:
    """Return the expected score of an Elo difference; for two players the inverse of `elo`.

    For more players it is the mean score of one against each of several equal others. The winner follows Plackett and
    Luce (for two players Elo's formula); the others share the second place.

    >>> round(expected_score(100), 3), round(expected_score(100, seats=3), 3), expected_score(0, seats=3)
    (0.64, 0.603, 0.5)
    """
    from scipy.special import expit

    if seats == 2:
        return float(expit(difference * math.log(10) / 400))
    first = float(expit(difference * math.log(10) / 400 - math.log(seats - 1)))
    return first + (1 - first) * (seats - 2) / (2 * (seats - 1))


def elo_interval(tally: MatchScore, confidence: float = 0.95) -> tuple[float, float]:
    """Return the confidence interval of the Elo difference.

    >>> [round(bound) for bound in elo_interval(MatchScore.of([(1, 0)] * 60 + [(1, 1)] * 20 + [(0, 0)] * 20))]
    [-44, 44]
    """
    low, high = score_interval(tally, confidence)
    return elo(low), elo(high)


def normalized_elo(tally: MatchScore) -> float:
    """Return the lead in standard deviations of a game, scaled like Elo (normalized Elo; Van den Bergh, Fishtest).

    >>> round(normalized_elo(MatchScore.of([(1, 0.5)] * 30 + [(1, 0)] * 60 + [(0, 0.5)] * 10)), 1)
    81.9
    """
    if tally.lead == 0:
        return 0.0
    squares = _squares(tally)
    if squares == 0:
        return math.copysign(math.inf, tally.lead)
    return NORMALIZED_ELO * tally.lead / math.sqrt(squares / tally.games)


# Sequential test ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sprt:
    """The sequential probability ratio test (Wald 1945) of H0, the difference is elo0, against H1, it is elo1.

    Play until `verdict` returns one; H0 is rejected wrongly in about `alpha` of matches at most, H1 in `beta`.

    >>> test = Sprt(0, 10)
    >>> round(test.lower, 2), round(test.upper, 2)
    (-2.94, 2.94)
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -LARGEST_ELO <= self.elo0 < self.elo1 <= LARGEST_ELO:
            raise LuoziError(
                "elo0 must be less than elo1, not {elo0} and {elo1}, and both within ±2000",
                elo0=self.elo0,
                elo1=self.elo1,
            )
        if not (0 < self.alpha < 1 and 0 < self.beta < 1 and self.alpha + self.beta < 1):
            raise LuoziError(
                "alpha and beta are error rates such as 0.05, not {alpha} and {beta}", alpha=self.alpha, beta=self.beta
            )

    @property
    def lower(self) -> float:
        """H0 is accepted at or below this log-likelihood ratio."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted at or above this log-likelihood ratio."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, tally: MatchScore) -> float:
        """Return the generalized log-likelihood ratio of H1 to H0, of the likeliest distributions with their scores.

        Unfinished pairs count only if there are no pairs. For the other player, with the mirrored score and
        Sprt(-elo1, -elo0), the ratio changes its sign.

        >>> round(Sprt(0, 10).llr(MatchScore.of([(1, 0.5)] * 60 + [(1, 0)] * 100 + [(0, 0.5)] * 40)), 2)
        1.65
        """
        return self.ratio(tally.pairs if any(tally.pairs) else tally.singles)

    def ratio(self, counts: Sequence[int], seats: int = 2) -> float:
        """Return the ratio for encounters of any size, from the counts of each score from 0 to 1 in equal steps.

        >>> Sprt(0, 50).ratio([0, 0, 0, 3, 0, 0, 4, 0, 0, 9, 0, 0, 6], seats=3) > 0
        True
        """
        if not any(counts):
            return 0.0
        regular = [count or ABSENT for count in counts]
        low, high = expected_score(self.elo0, seats), expected_score(self.elo1, seats)
        return _deficit(regular, low) - _deficit(regular, high)

    def verdict(self, llr: float) -> Literal["H0", "H1"] | None:
        """Return the hypothesis to accept, or None to play on.

        >>> Sprt(0, 10).verdict(3.1), Sprt(0, 10).verdict(-3.1), Sprt(0, 10).verdict(1.2)
        ('H1', 'H0', None)
        """
        if llr >= self.upper:
            return "H1"
        return "H0" if llr <= self.lower else None


def _deficit(counts: Sequence[float], mean: float) -> float:
    """Return the log-likelihood of counts under their own distribution, minus the largest one under a given mean.

    The latter distribution gives the score a, observed with frequency p, the probability p / (1 + θ (a - mean)): Owen
    1988, Empirical likelihood ratio confidence intervals; so used by Van den Bergh on Fishtest.
    """
    from scipy.optimize import brentq

    total, steps = sum(counts), len(counts) - 1
    deviations = [place / steps - mean for place in range(steps + 1)]
    weights = [count / total * deviation for count, deviation in zip(counts, deviations, strict=True)]

    def excess(theta: float) -> float:
        return sum([weight / (1 + theta * a) for weight, a in zip(weights, deviations, strict=True)])

    # No probability is above 1, which bounds θ on both sides.
    low = (counts[-1] / total - 1) / deviations[-1]
    high = (counts[0] / total - 1) / deviations[0]
    theta = brentq(excess, low, high)
    return sum([count * math.log(1 + theta * a) for count, a in zip(counts, deviations, strict=True)])
