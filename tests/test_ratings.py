"""Ratings against published fits, against closed forms and against simulated tournaments."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from luozi.messages import LuoziError
from luozi.statistics.matches import MatchScore, elo
from luozi.statistics.ratings import ELO, Ratings, cross_table, fit_ratings

WITHOUT_PRIOR = 1e-6


def model_error(ratings: Ratings, one: int, other: int) -> float:
    """The standard error of a difference as if all games were independent, in units of the logarithm of the odds."""
    weights = np.zeros(len(ratings.elo))
    weights[one], weights[other] = 1, -1
    return math.sqrt(weights @ ratings.model @ weights) / ELO


# Published figures ----------------------------------------------------------------------------------------------------

# Agresti (2002), Categorical Data Analysis, section 10.6: the Eastern Division of the American League in 1987. Home
# team, away team, wins at home and wins away as two digits (the data are in the R package BradleyTerry2).
TEAMS = ["Baltimore", "Boston", "Cleveland", "Detroit", "Milwaukee", "New York", "Toronto"]
BASEBALL = {
    "Milwaukee": {"Detroit": 43, "Toronto": 42, "New York": 43, "Boston": 61, "Cleveland": 42, "Baltimore": 60},
    "Detroit": {"Milwaukee": 33, "Toronto": 42, "New York": 43, "Boston": 60, "Cleveland": 61, "Baltimore": 43},
    "Toronto": {"Milwaukee": 25, "Detroit": 43, "New York": 24, "Boston": 43, "Cleveland": 42, "Baltimore": 60},
    "New York": {"Milwaukee": 33, "Detroit": 51, "Toronto": 25, "Boston": 43, "Cleveland": 42, "Baltimore": 61},
    "Boston": {"Milwaukee": 51, "Detroit": 25, "Toronto": 33, "New York": 42, "Cleveland": 52, "Baltimore": 60},
    "Cleveland": {"Milwaukee": 25, "Detroit": 33, "Toronto": 34, "New York": 43, "Boston": 42, "Baltimore": 24},
    "Baltimore": {"Milwaukee": 25, "Detroit": 15, "Toronto": 16, "New York": 24, "Boston": 16, "Cleveland": 34},
}
# The fit without home advantage, Baltimore at 0: estimates as in Agresti's table 10.11, with the errors of the saved
# test output of BradleyTerry2 (tests/baseball.Rout.save).
BASEBALL_FIT = {
    "Boston": (1.1077, 0.3339),
    "Cleveland": (0.6839, 0.3319),
    "Detroit": (1.4364, 0.3396),
    "Milwaukee": (1.5814, 0.3433),
    "New York": (1.2476, 0.3359),
    "Toronto": (1.2945, 0.3367),
}


def test_two_player_games_give_the_published_bradley_terry_fit():
    games = []
    for home, rivals in BASEBALL.items():
        for away, record in rivals.items():
            seats = (TEAMS.index(home), TEAMS.index(away))
            games += [((home, away, game), seats, (1, 0)) for game in range(record // 10)]
            games += [((away, home, game), seats, (0, 1)) for game in range(record % 10)]
    ratings = fit_ratings(games, len(TEAMS), WITHOUT_PRIOR)
    for team, (estimate, error) in BASEBALL_FIT.items():
        number = TEAMS.index(team)
        assert (ratings.elo[number] - ratings.elo[0]) / ELO == pytest.approx(estimate, abs=0.0001)
        assert model_error(ratings, number, 0) == pytest.approx(error, abs=0.0001)


# PrefLib 00004-00000138, from the Netflix prize: how often four films were ranked so. The README of the R package
# PlackettLuce shows the fit; its default prior is the same as here, half a win and half a loss against another one.
FILMS = [
    (68, 2143), (53, 1243), (49, 2134), (44, 1234), (39, 2413), (37, 3214), (37, 2314), (36, 2341), (31, 3241),
    (29, 2431), (22, 1324), (19, 3124), (17, 3421), (17, 4231), (16, 4213), (14, 1423), (10, 1342), (10, 4123),
    (9, 4312), (8, 3412), (8, 1432), (7, 3142), (7, 4321), (1, 4132),
]  # fmt: skip


def test_finishing_orders_give_the_published_plackett_luce_fit():
    orders = [[int(digit) - 1 for digit in str(order)] for count, order in FILMS for _ in range(count)]
    ratings = fit_ratings([(number, order, (3, 2, 1, 0)) for number, order in enumerate(orders)], 4)
    worth = np.exp(ratings.elo / ELO)
    assert worth / worth.sum() == pytest.approx([0.2306285, 0.4510655, 0.1684719, 0.1498342], abs=1e-7)
    assert (ratings.elo - ratings.elo[0])[1:] / ELO == pytest.approx([0.67080, -0.31404, -0.43128], abs=1e-5)
    errors = [model_error(ratings, film, 0) for film in (1, 2, 3)]
    assert errors == pytest.approx([0.07472, 0.07593, 0.07489], abs=5e-5)  # theirs are without the prior


def test_orders_of_different_length_give_the_published_fit():
    # The Python package choix, tests/data/testcase-rankings-2.json.
    games = [(0, (0, 1, 2), (2, 1, 0)), (1, (3, 2, 0), (2, 1, 0)), (2, (1, 3), (1, 0))]
    published = [-0.44328117, 0.69506219, -0.67061442, 0.4188334]
    assert fit_ratings(games, 4, WITHOUT_PRIOR).elo / ELO == pytest.approx(published, abs=1e-4)


# Closed forms ---------------------------------------------------------------------------------------------------------

PAIRS = [(1, 0.5)] * 9 + [(1, 0)] * 20 + [(0, 0.5)] * 4 + [(1, 1)] * 6 + [(0, 0)] * 3


def match(pairs: list[tuple[float, ...]]) -> list[tuple[int, tuple[int, ...], tuple[float, ...]]]:
    return [(number, (0, 1), (score, 1 - score)) for number, pair in enumerate(pairs) for score in pair]


def test_the_ratings_of_two_players_are_the_elo_of_their_score():
    difference = fit_ratings(match(PAIRS), 2, WITHOUT_PRIOR).difference(0, 1)
    assert difference.elo == pytest.approx(elo(MatchScore.of(PAIRS).score), abs=0.001)


def test_the_robust_error_of_two_players_is_that_between_pairs():
    ratings = fit_ratings(match(PAIRS), 2, WITHOUT_PRIOR)
    means = np.mean(PAIRS, axis=1)
    slope = ELO / (means.mean() * (1 - means.mean()))  # of Elo over the score
    assert 2 * math.sqrt(ratings.robust[0, 0]) == pytest.approx(slope * means.std() / math.sqrt(len(PAIRS)), rel=1e-4)


def test_a_game_with_one_winner_is_one_choice():
    wins = [6, 3, 1]
    games = [((player, game), (0, 1, 2), np.eye(3)[player]) for player in range(3) for game in range(wins[player])]
    strengths = fit_ratings(games, 3, WITHOUT_PRIOR).elo / ELO
    assert np.exp(strengths) / np.exp(strengths).sum() == pytest.approx([0.6, 0.3, 0.1], abs=1e-5)


def test_losers_who_tie_are_not_compared_and_those_in_order_are():
    tied = fit_ratings([(0, (0, 1, 2), (1, 0, 0))], 3)
    assert tied.elo[0] > tied.elo[1]
    assert tied.elo[1] == pytest.approx(tied.elo[2])
    ordered = fit_ratings([(0, (0, 1, 2), (2, 1, 0))], 3)
    assert ordered.elo[0] > ordered.elo[1] > ordered.elo[2]


def test_a_shared_first_place_is_shared():
    both = fit_ratings([(0, (0, 1, 2), (1, 1, 0))], 3)
    halves = fit_ratings([(0, (0, 1, 2), (1, 0, 0)), (0, (0, 1, 2), (0, 1, 0))], 3)
    assert both.elo[0] == pytest.approx(both.elo[1])
    assert 0 < both.elo[0] < halves.elo[0]  # one choice, not two


def test_draws_of_all_players_pull_them_together():
    decisive = [(0, (0, 1, 2), (1, 0, 0))] * 4
    drawn = [(1, (0, 1, 2), (0.5, 0.5, 0.5))] * 4
    assert 0 < fit_ratings(decisive + drawn, 3).elo[0] < fit_ratings(decisive, 3).elo[0]


# What must never happen -----------------------------------------------------------------------------------------------


def test_who_wins_everything_has_a_finite_rating_and_a_large_error():
    ratings = fit_ratings(match([(1, 1)] * 500), 2)
    difference = ratings.difference(0, 1)
    assert 600 < difference.elo < 2000
    assert 300 < difference.half_width < 3000
    assert difference.superiority > 0.95
    assert ratings.players[0].error == pytest.approx(difference.error / 2)


def test_players_who_never_met_are_compared_with_large_errors():
    games = [(number, (0, 1), (1, 0)) for number in range(40)] + [(number, (2, 3), (0, 1)) for number in range(40, 80)]
    ratings = fit_ratings(games, 5)
    assert ratings.elo == pytest.approx([ratings.elo[0], -ratings.elo[0], -ratings.elo[0], ratings.elo[0], 0])
    assert ratings.difference(0, 4).half_width > 500
    assert ratings.difference(0, 3).half_width > 500


@pytest.mark.parametrize("players", [1, 3])
def test_without_games_nothing_is_known(players):
    ratings = fit_ratings([], players)
    assert ratings.elo.tolist() == [0] * players
    assert ratings.superiority().tolist() == [[0.5] * players] * players


def test_a_long_chain_of_one_sided_matches_is_rated():
    games = [((better, game), (better, better + 1), (1, 0)) for better in range(30) for game in range(100)]
    strengths = fit_ratings(games, 31).elo
    assert np.isfinite(strengths).all()
    assert (np.diff(strengths) < 0).all()


def test_games_that_make_no_sense_are_refused():
    with pytest.raises(LuoziError, match="2 players needs 2 results, not 3"):
        fit_ratings([(0, (0, 1), (1, 0, 0))], 2)
    with pytest.raises(LuoziError, match="the players are 0 to 1"):
        cross_table([(0, (0, 2), (1, 0))], 2)
    with pytest.raises(LuoziError, match="a prior above 0"):
        fit_ratings([], 2, prior=0)


# Symmetry -------------------------------------------------------------------------------------------------------------


@st.composite
def tournaments(draw: st.DrawFn) -> list[tuple[int, list[int], list[int]]]:
    """Games of two to four of five players, with ties."""
    games = []
    for _ in range(draw(st.integers(1, 15))):
        seats = draw(st.permutations(range(5)))[: draw(st.integers(2, 4))]
        results = draw(st.lists(st.integers(0, 2), min_size=len(seats), max_size=len(seats)))
        games.append((draw(st.integers(0, 7)), seats, results))
    return games


@settings(max_examples=40, deadline=None)
@given(tournaments(), st.permutations(range(5)))
def test_names_of_players_do_not_matter(games, names):
    ratings = fit_ratings(games, 5)
    renamed = fit_ratings([(game, [names[player] for player in seats], results) for game, seats, results in games], 5)
    assert renamed.elo[names] == pytest.approx(ratings.elo, abs=1e-6)
    for one, other in itertools.combinations(range(5), 2):
        here, there = ratings.difference(one, other), renamed.difference(names[one], names[other])
        assert there == pytest.approx(here, abs=1e-6)
        assert ratings.difference(other, one).elo == -here.elo
    assert ratings.elo.sum() == pytest.approx(0, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(tournaments())
def test_the_order_of_seats_and_games_does_not_matter(games):
    turned = [(game, seats[::-1], results[::-1]) for game, seats, results in reversed(games)]
    assert fit_ratings(turned, 5).elo == pytest.approx(fit_ratings(games, 5).elo, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(tournaments())
def test_likelihoods_of_superiority_are_complements_and_follow_the_ratings(games):
    ratings = fit_ratings(games, 5)
    superiority = ratings.superiority()
    assert superiority + superiority.T == pytest.approx(np.ones((5, 5)))
    for one, other in itertools.permutations(range(5), 2):
        lead = ratings.elo[one] - ratings.elo[other]
        assert (superiority[one, other] > 0.5) == (lead > 0) or lead == pytest.approx(0, abs=1e-6)


@given(tournaments())
def test_the_cross_table_shares_a_point_a_meeting(games):
    points, meetings = cross_table(games, 5)
    assert (points + points.T).tolist() == meetings.tolist()
    assert (meetings == meetings.T).all()
    assert meetings.sum() == sum(len(seats) * (len(seats) - 1) for _, seats, _ in games)


# Simulated tournaments ------------------------------------------------------------------------------------------------


def rotations(encounters: int, strengths: np.ndarray, bias: float, rng: np.random.Generator) -> list:
    """Every opening is played with each seating in turn; it favours seats at random; full finishing orders."""
    games, players = [], len(strengths)
    for encounter in range(encounters):
        favour = rng.normal(0, bias, players)
        for first in range(players):
            seats = np.roll(np.arange(players), -first)
            games.append((encounter, seats.tolist(), (strengths[seats] + favour + rng.gumbel(size=players)).tolist()))
    return games


def covered(encounters: int, strengths: np.ndarray, bias: float, tournaments: int, seed: int) -> int:
    """How often the true difference of the first two players is in its 95 % interval."""
    rng, count = np.random.default_rng(seed), 0
    truth = ELO * (strengths[0] - strengths[1])
    for _ in range(tournaments):
        difference = fit_ratings(rotations(encounters, strengths, bias, rng), len(strengths)).difference(0, 1)
        count += abs(difference.elo - truth) <= difference.half_width
    return count


@pytest.mark.parametrize(
    ("strengths", "bias"),  # with bias only equal players have a known difference: bias makes others more alike
    [
        *(((1, -1), 0), ((0, 0, 0), 2)),
        *(pytest.param((0, 0), bias, marks=pytest.mark.long) for bias in (0, 2)),
        *(pytest.param(one, 0, marks=pytest.mark.long) for one in ((0, 0, 0), (1, 0, -1))),
    ],
)
def test_the_intervals_of_ratings_cover_in_95_of_100_tournaments(strengths, bias):
    count = covered(40, np.array(strengths, float), bias, tournaments=120, seed=2)
    assert count >= binom.ppf(0.0005, 120, 0.95)


@pytest.mark.long
@pytest.mark.parametrize("encounters", [5, 10, 20, 100])
@pytest.mark.parametrize(("strengths", "bias"), [((0, 0), 2), ((3, 0), 0), ((0, 0, 0), 2), ((1, 0, -1), 0)])
def test_the_intervals_of_ratings_cover_in_95_of_100_tournaments_of_any_length(encounters, strengths, bias):
    count = covered(encounters, np.array(strengths, float), bias, tournaments=400, seed=5)
    assert count >= binom.ppf(0.0005, 400, 0.95)
    assert encounters < 100 or count <= binom.ppf(0.9995, 400, 0.96)


def test_openings_that_decide_games_make_pairs_more_certain_than_single_games():
    pairs = match([(1, 0)] * 80 + [(1, 1)] * 12 + [(0, 0)] * 8)
    apart = [(number, seats, results) for number, (_, seats, results) in enumerate(pairs)]
    assert fit_ratings(pairs, 2).difference(0, 1).error < 0.7 * fit_ratings(apart, 2).difference(0, 1).error
