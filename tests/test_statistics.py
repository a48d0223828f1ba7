"""The statistics of matches against published figures, against exact coverage and against simulated matches."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, multinomial

from luozi.messages import LuoziError
from luozi.statistics.matches import (
    MatchScore,
    Sprt,
    elo,
    elo_interval,
    expected_score,
    likelihood_of_superiority,
    mean_interval,
    normalized_elo,
    score_interval,
)

POINTS = np.array([0, 0.25, 0.5, 0.75, 1])  # a game, in a pair


def of_pairs(*counts: int) -> MatchScore:
    """A tally of whole pairs, those with one point as a win and a loss."""
    lost, less, even, more, won = (int(count) for count in counts)
    return MatchScore(2 * won + more + even, less + more, 2 * lost + less + even, (lost, less, even, more, won))


def pair_distribution(strength: float, draws: float = 0.0, bias: float = 0.0) -> np.ndarray:
    """How likely pairs give 0, 0.5, ... 2 points if openings favour the side to move or the other by `bias`.

    Draws are the share that equal players have without bias.
    """
    margin = math.log((1 + draws) / (1 - draws))

    def game(lead: float) -> np.ndarray:
        won, lost = 1 / (1 + math.exp(margin - lead)), 1 / (1 + math.exp(margin + lead))
        return np.array([lost, max(0.0, 1 - won - lost), won])

    found = sum(np.convolve(game(strength + sign * bias), game(strength - sign * bias)) for sign in (1, -1))
    return found / found.sum()


def all_tallies(pairs: int) -> np.ndarray:
    """Every pentanomial of so many pairs."""
    bars = np.array(list(itertools.combinations(range(pairs + 4), 4)))
    edges = np.hstack([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), pairs + 4)])
    return np.diff(edges, axis=1) - 1


@st.composite
def tallies(draw: st.DrawFn, most: int = 60) -> MatchScore:
    """Any tally of at least one game."""
    pairs = draw(st.tuples(*[st.integers(0, most)] * 5))
    singles = draw(st.tuples(*[st.integers(0, 3)] * 3))
    drawn = draw(st.integers(0, pairs[2]))  # pairs of two draws
    whole = of_pairs(*pairs)
    tally = MatchScore(whole.wins - drawn, whole.draws + 2 * drawn, whole.losses - drawn, pairs)
    tally += MatchScore.of_games(singles[2], singles[1], singles[0])
    return tally if tally.games else MatchScore.of([(1, 0.5)])


# Published figures ----------------------------------------------------------------------------------------------------

# Passed tests of Stockfish's Fishtest in 2020, when its bounds were in logistic Elo: from the pull requests 2913, 2950,
# 2951, 2971, 3098, 3099, 3103 and 3209 of official-stockfish/Stockfish.
STOCKFISH = [
    ((2073, 13759, 27890, 13977, 1973), (-1.5, 0.5), 2.97),
    ((284, 3870, 12995, 3876, 311), (-1.5, 0.5), 2.95),
    ((133, 1751, 5094, 1849, 165), (-0.5, 1.5), 2.94),
    ((149, 4748, 32785, 5063, 159), (0.25, 1.75), 2.95),
    ((59, 754, 2467, 865, 75), (-0.5, 1.5), 2.95),
    ((33, 1185, 8378, 1302, 50), (0.25, 1.75), 2.95),
    ((17, 253, 1042, 337, 39), (-0.5, 1.5), 2.96),
    ((11, 407, 3238, 513, 11), (0.25, 1.75), 2.93),
    ((491, 7345, 29693, 7670, 465), (-0.25, 1.25), 2.96),
    ((168, 2442, 10094, 2567, 153), (-1.25, 0.25), 2.95),
    ((74, 3600, 32361, 3650, 71), (-0.75, 0.25), 2.96),
    ((293, 5085, 20082, 5070, 326), (-1.25, 0.25), 2.95),
    ((47, 2568, 23495, 2604, 58), (-0.75, 0.25), 2.94),
    ((253, 4282, 17604, 4431, 286), (-0.25, 1.25), 2.94),
    ((58, 3302, 33130, 3518, 84), (0.25, 1.25), 2.97),
    # The unit tests of fastchess (Disservin/fastchess, sprt_test.cpp), "logistic pentanomial" 1 and 2.
    ((223, 9863, 20279 + 1000, 10037, 246), (0.5, 2.5), -3.07),
    ((871, 26175, 55003 + 980, 26678, 821), (0, 2), -4.98),
]


@pytest.mark.parametrize(("pairs", "bounds", "published"), STOCKFISH)
def test_the_likelihood_ratio_of_pairs_is_the_published_one(pairs, bounds, published):
    assert Sprt(*bounds).llr(of_pairs(*pairs)) == pytest.approx(published, abs=0.0051)


@pytest.mark.parametrize(
    ("games", "bounds", "published"),  # fastchess, sprt_test.cpp, "logistic trinomial" 1 and 2: won, drawn, lost
    [((21404, 40708, 21184), (0.5, 2.5), -1.57), ((57433, 106593, 57030), (0, 2), -2.59)],
)
def test_the_likelihood_ratio_of_unpaired_games_is_the_published_one(games, bounds, published):
    assert Sprt(*bounds).llr(MatchScore.of_games(*games)) == pytest.approx(published, abs=0.0051)


@pytest.mark.parametrize(
    ("pairs", "normalized", "difference", "half", "superiority"),  # fastchess, elo_test.cpp, "EloPentanomial" 1 to 3
    [
        ((34, 54, 31 + 32, 64, 75), 57.94, 55.58, 27.65, 1.0),
        ((332, 433, 457 + 41, 333, 334), -9.17, -8.64, 10.33, 0.0505),
        ((7895, 8757, 5485 + 200, 568, 9999), -19.01, -21.04, 2.95, 0.0),
    ],
)
def test_elo_of_pairs_is_the_published_one(pairs, normalized, difference, half, superiority):
    tally = of_pairs(*pairs)
    low, high = elo_interval(tally)
    assert normalized_elo(tally) == pytest.approx(normalized, abs=0.006)
    assert elo(tally.score) == pytest.approx(difference, abs=0.006)
    assert (high - low) / 2 == pytest.approx(half, rel=0.005)  # theirs is of the normal distribution
    assert likelihood_of_superiority(tally) == pytest.approx(superiority, abs=0.0005)


@pytest.mark.parametrize(
    ("games", "normalized", "superiority"),
    [  # won, drawn, lost; fastchess, elo_test.cpp, "EloWDL" 1 to 3
        ((76, 123, 89), -20.76, 0.1553),
        ((136, 111, 96), 49.77, 0.9960),
        ((34, 0, 356), -508.44, 0.0),
        # The example of the thread on LOS in the forum TalkChess of January 2014 (K. Laskos: exactly 0.17642).
        ((5975, 26894, 6077), None, 0.1764),
    ],
)
def test_elo_of_unpaired_games_is_the_published_one(games, normalized, superiority):
    tally = MatchScore.of_games(*games)
    assert normalized is None or normalized_elo(tally) == pytest.approx(normalized, abs=0.006)
    assert likelihood_of_superiority(tally) == pytest.approx(superiority, abs=0.002)


# Tallies --------------------------------------------------------------------------------------------------------------


def test_a_tally_counts_games_pairs_and_unfinished_pairs():
    tally = MatchScore.of([(1, 0.5), (0.5, 0.5), (1, 0), (0, 0), (1,), (0.5,)])
    assert (tally.wins, tally.draws, tally.losses) == (3, 4, 3)
    assert tally.pairs == (1, 0, 2, 1, 0)
    assert tally.singles == (0, 1, 1)
    assert (tally.games, tally.groups, tally.score) == (10, 6, 0.5)


@given(tallies(), tallies())
def test_tallies_add_up_and_mirror(one, other):
    both = one + other
    assert both.games == one.games + other.games
    assert both.mirrored() == one.mirrored() + other.mirrored()
    assert both.mirrored().mirrored() == both
    assert both.mirrored().score == 1 - both.score


def test_what_is_no_result_is_refused():
    with pytest.raises(LuoziError, match=r"0, 0\.5 or 1, not 0\.7"):
        MatchScore.of([(0.7, 1)])
    with pytest.raises(LuoziError, match="one or two games, not 3"):
        MatchScore.of([(1, 1, 1)])
    with pytest.raises(ValueError, match="not those of its pairs"):
        MatchScore(3, 0, 0, (0, 0, 1, 0, 0))


# Intervals ------------------------------------------------------------------------------------------------------------


@given(tallies(), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_intervals_mirror_to_the_last_bit(tally, confidence):
    low, high = score_interval(tally, confidence)
    assert score_interval(tally.mirrored(), confidence) == (1 - high, 1 - low)
    worse, better = elo_interval(tally, confidence)
    assert elo_interval(tally.mirrored(), confidence) == (-better, -worse)


@given(tallies())
def test_intervals_hold_the_score_and_have_a_width(tally):
    low, high = score_interval(tally)
    assert 0 <= low <= tally.score <= high <= 1
    assert low < high
    wider = score_interval(tally, 0.99)
    assert wider[0] <= low
    assert wider[1] >= high


@given(tallies())
def test_more_of_the_same_is_more_certain(tally):
    low, high = score_interval(tally)
    more = score_interval(tally + tally + tally)
    assert more[1] - more[0] < high - low


@given(tallies())
def test_superiority_and_the_interval_agree(tally):
    superiority = likelihood_of_superiority(tally)
    assert superiority + likelihood_of_superiority(tally.mirrored()) == pytest.approx(1)
    low, high = score_interval(tally)
    assert (superiority > 0.975) == (low > 0.5) or low == pytest.approx(0.5)
    assert (superiority < 0.025) == (high < 0.5) or high == pytest.approx(0.5)


@given(tallies())
def test_normalized_elo_mirrors_and_has_the_sign_of_the_lead(tally):
    assert normalized_elo(tally.mirrored()) == -normalized_elo(tally)
    assert math.copysign(1, normalized_elo(tally)) == math.copysign(1, tally.lead) or tally.lead == 0


def test_nothing_played_says_nothing():
    assert score_interval(MatchScore()) == (0, 1)
    assert elo_interval(MatchScore()) == (-math.inf, math.inf)
    assert likelihood_of_superiority(MatchScore()) == 0.5
    assert normalized_elo(MatchScore()) == 0
    assert Sprt(0, 5).llr(MatchScore()) == 0


def test_one_sided_results_have_an_interval():
    low, high = score_interval(of_pairs(0, 0, 0, 0, 50))
    assert high == 1
    assert 0.95 < low < 0.98  # 100 games: the rule of three says 0.97
    assert elo_interval(of_pairs(0, 0, 0, 0, 50))[1] == math.inf
    assert likelihood_of_superiority(of_pairs(0, 0, 0, 0, 50)) > 0.9999


def test_pairs_that_all_are_even_have_an_interval():
    low, high = score_interval(of_pairs(0, 0, 50, 0, 0))
    assert low == 1 - high
    assert 0.01 < high - 0.5 < 0.04


def test_a_pair_of_equal_games_is_less_certain_than_two_games():
    equal, mixed = of_pairs(50, 0, 0, 0, 50), MatchScore.of_games(100, 0, 100)
    assert np.ptp(score_interval(equal)) == pytest.approx(math.sqrt(2) * np.ptp(score_interval(mixed)), rel=0.05)


@given(tallies())
def test_shares_of_a_point_have_the_same_interval_as_scores(tally):
    groups = [[points] * 2 for points, count in zip(POINTS, tally.pairs, strict=True) for _ in range(count)]
    groups += [[points] for points, count in zip((0, 0.5, 1), tally.singles, strict=True) for _ in range(count)]
    assert mean_interval(groups) == pytest.approx(score_interval(tally))


@given(st.floats(-3000, 3000))
def test_elo_and_score_are_inverse(difference):
    assert elo(expected_score(difference)) == pytest.approx(difference, abs=1e-3)
    assert expected_score(math.inf) == 1
    assert elo(0) == -math.inf


CASES = list(itertools.product((0.0, 0.3, 0.6), (0.0, 2.0)))  # draws, bias of the openings


@pytest.mark.parametrize(("draws", "bias"), CASES)
@pytest.mark.parametrize("pairs", [5, 10, 20])
def test_the_interval_covers_the_true_score_of_few_pairs(pairs, draws, bias):
    """Exactly, over all possible tallies; for equal players and for about 0.7 and 0.95 points a game."""
    possible = all_tallies(pairs)
    intervals = np.array([score_interval(of_pairs(*counts)) for counts in possible])
    for strength in (0.0, 1.2, 3.5):
        distribution = pair_distribution(strength, draws, bias)
        truth = float(POINTS @ distribution)
        inside = (intervals[:, 0] <= truth) & (truth <= intervals[:, 1])
        assert multinomial.pmf(possible[inside], pairs, distribution).sum() > 0.945


@pytest.mark.parametrize(("draws", "bias"), CASES)
def test_equal_players_differ_by_nothing_in_95_of_100_matches(draws, bias):
    matches = np.random.default_rng(8).multinomial(200, pair_distribution(0, draws, bias), 1000)
    intervals = [elo_interval(of_pairs(*counts)) for counts in matches]
    covered = sum(low <= 0 <= high for low, high in intervals)
    assert binom.ppf(0.0005, 1000, 0.95) <= covered <= binom.ppf(0.9995, 1000, 0.95)


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.99])
def test_other_confidences_are_kept_too(confidence):
    distribution = pair_distribution(0.4, 0.3)
    truth = float(POINTS @ distribution)
    matches = np.random.default_rng(9).multinomial(200, distribution, 2000)
    intervals = [score_interval(of_pairs(*counts), confidence) for counts in matches]
    covered = sum(low <= truth <= high for low, high in intervals)
    assert binom.ppf(0.0005, 2000, confidence) <= covered <= binom.ppf(0.9995, 2000, confidence)


# Sequential test ------------------------------------------------------------------------------------------------------


@given(tallies(), st.floats(-100, 100), st.floats(1, 100))
def test_the_sequential_test_mirrors(tally, elo0, gap):
    forward = Sprt(elo0, elo0 + gap).llr(tally)
    backward = Sprt(-elo0 - gap, -elo0).llr(tally.mirrored())
    assert backward == pytest.approx(-forward, abs=1e-6, rel=1e-6)


@given(tallies(), st.floats(-100, 100), st.floats(1, 100), st.floats(1, 100))
def test_likelihood_ratios_add_up_over_neighbouring_hypotheses(tally, elo0, one, other):
    whole = Sprt(elo0, elo0 + one + other).llr(tally)
    parts = Sprt(elo0, elo0 + one).llr(tally) + Sprt(elo0 + one, elo0 + one + other).llr(tally)
    assert parts == pytest.approx(whole, abs=1e-6, rel=1e-6)


def test_an_unfinished_pair_waits_for_its_second_game():
    pairs = of_pairs(1, 2, 5, 4, 2)
    assert Sprt(0, 20).llr(pairs + MatchScore.of([(1,)])) == Sprt(0, 20).llr(pairs)


@pytest.mark.parametrize("counts", [(0, 0, 0, 0, 10**6), (0, 0, 10**7, 1, 0), (1, 0, 0, 0, 0), (0, 0, 1, 0, 0)])
def test_extreme_results_have_a_finite_likelihood_ratio(counts):
    for test in (Sprt(-2000, 2000), Sprt(0, 0.1), Sprt(-1, 1)):
        assert math.isfinite(test.llr(of_pairs(*counts)))


def test_senseless_tests_are_refused():
    with pytest.raises(LuoziError, match="less than elo1"):
        Sprt(5, 5)
    with pytest.raises(LuoziError, match="within"):
        Sprt(0, 1e9)
    with pytest.raises(LuoziError, match="error rates"):
        Sprt(0, 5, alpha=0.6, beta=0.5)


def wrong_verdicts(test: Sprt, draws: float, bias: float, matches: int, seed: int) -> tuple[int, int]:
    """How many of so many matches wrongly end with H1 at elo0, and with H0 at elo1."""
    rng, wrong = np.random.default_rng(seed), []
    for truth, error in ((test.elo0, "H1"), (test.elo1, "H0")):
        distribution = distribution_of(expected_score(truth), draws, bias)
        wrong.append(sum(verdict_of(test, distribution, rng) == error for _ in range(matches)))
    return wrong[0], wrong[1]


def distribution_of(score: float, draws: float, bias: float) -> np.ndarray:
    low, high = -20.0, 20.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if POINTS @ pair_distribution(middle, draws, bias) < score else (low, middle)
    return pair_distribution(low, draws, bias)


def verdict_of(test: Sprt, distribution: np.ndarray, rng: np.random.Generator) -> str:
    counts = [0] * 5
    for result in itertools.chain.from_iterable(rng.choice(5, 50, p=distribution) for _ in itertools.count()):
        counts[result] += 1
        verdict = test.verdict(test.llr(of_pairs(*counts)))
        if verdict:
            return verdict
    raise AssertionError


@pytest.mark.parametrize(("draws", "bias"), [pytest.param(0.0, 0.0, marks=pytest.mark.long), (0.3, 0.5)])
def test_the_sequential_test_errs_as_rarely_as_it_says(draws, bias):
    for errors in wrong_verdicts(Sprt(-50, 50), draws, bias, matches=250, seed=3):
        assert binom.ppf(0.001, 250, 0.02) <= errors <= binom.ppf(0.9995, 250, 0.05)


@pytest.mark.long
@pytest.mark.parametrize(("draws", "bias"), CASES)
@pytest.mark.parametrize("elos", [(0, 60), (-30, 30), (60, 120)])
def test_the_sequential_test_errs_as_rarely_as_it_says_in_many_matches(elos, draws, bias):
    """Within 1.5 % of 5 %: the likelihood ratio is exact only in the long run."""
    for errors in wrong_verdicts(Sprt(*elos), draws, bias, matches=500, seed=4):
        assert binom.ppf(0.0005, 500, 0.01) <= errors <= binom.ppf(0.9995, 500, 0.065)


def three_seats(rng: np.random.Generator, difference: float, limit: int = 4_000) -> tuple[str | None, int]:
    """A test of one against two equal others, by invented games: who comes first is as Plackett and Luce have it."""
    strength = 10 ** (difference / 400)
    first, test, counts = strength / (strength + 2), Sprt(0, 50), [0] * 13
    for number in range(limit):
        won = rng.random(3) < first
        counts[int(sum(np.where(won, 4, 1)))] += 1  # half points: 2 from each of two, or 1 from who did not win either
        verdict = test.verdict(test.ratio(counts, seats=3))
        if verdict:
            return verdict, number + 1
    return None, limit


@pytest.mark.long
@pytest.mark.parametrize(("difference", "right"), [(0, "H0"), (50, "H1")])
def test_the_test_of_one_against_two_errs_as_seldom_as_it_says(difference, right):
    rng = np.random.default_rng(8)
    found = [three_seats(rng, difference)[0] for _ in range(200)]
    assert found.count(None) == 0
    assert found.count(right) >= 182  # 5 % of 200 may err, give or take two standard deviations


def test_the_expected_score_among_more_is_that_of_plackett_and_luce():
    for seats in (2, 3, 5):
        for difference in (-200, 0, 70):
            strength = 10 ** (difference / 400)
            first = strength / (strength + seats - 1)
            expected = first + (1 - first) * (seats - 2) / (seats - 1) / 2
            assert expected_score(difference, seats) == pytest.approx(expected)
