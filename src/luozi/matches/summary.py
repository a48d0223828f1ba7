"""What the games of a contest say, as plain numbers: everything that tables, files, plots and pages show.

`summarise(run)` is a function of the finished games alone; no clock times are in it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from luozi.matches.runner import Run, first_player_score
from luozi.matches.store import ScoredGame
from luozi.matches.tables import summary_html, summary_text
from luozi.statistics.matches import (
    MatchScore,
    Sprt,
    elo,
    elo_interval,
    likelihood_of_superiority,
    mean_interval,
    normalized_elo,
    score_interval,
)
from luozi.statistics.ratings import cross_table, fit_ratings
from luozi.util.parsing import JsonObject

Interval = tuple[float, float]


@dataclass(frozen=True)
class PlayerScore:
    """One player of a contest. A point is a win; players who tie for the first place share it."""

    label: str
    games: int
    wins: int
    draws: int  # first places that were shared
    losses: int
    forfeits: int
    score: float  # points per game
    interval: Interval
    seats: tuple[float, ...]  # points per game in each seat
    elo: float | None  # fitted to all finishing orders, with the mean at 0
    error: float | None  # half the width of its 95 % interval


@dataclass(frozen=True)
class Duel:
    """A match of two, from the first player's side."""

    score: float
    interval: Interval
    elo: float
    elo_interval: Interval
    normalized_elo: float | None
    superiority: float  # the likelihood that the first player is the better one
    pairs: tuple[int, ...]  # how many pairs of games gave 0, 0.5, 1, 1.5, 2 points


@dataclass(frozen=True)
class Summary:
    """A contest and its result."""

    id: str
    kind: str
    game: str
    seed: int
    openings: str
    wanted: int  # games in all, if no test stops them
    finished: int
    counted: int
    complete: bool
    moves: float  # a game, on average
    rows: tuple[PlayerScore, ...]
    duel: Duel | None
    sprt: dict[str, float | str | None] | None
    points: tuple[tuple[float, ...], ...]  # of each player against each other one
    meetings: tuple[tuple[int, ...], ...]
    forfeits: tuple[tuple[str, str, int], ...]  # who, what, how often

    def as_dict(self) -> JsonObject:
        """For JSON, which has no infinity: an endless Elo is null there."""
        return finite(asdict(self))

    def __str__(self) -> str:
        return summary_text(self)

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        return summary_html(self)


def summarise(run: Run) -> Summary:
    """The result of the games that are finished.

    >>> from luozi.matches.schedule import MatchSchedule
    >>> summarise(Run(MatchSchedule.of("tictactoe", ["random", "flat"]), games=10)).finished
    0
    """
    games, contest = run.counted, run.contest
    orders = [(game.encounter, game.seats, game.results) for game in games]
    points, meetings = cross_table(orders, len(contest.players))
    reasons = Counter((contest.labels[game.loser], game.forfeit) for game in games if game.forfeit)
    return Summary(
        contest.id,
        contest.kind,
        contest.game,
        contest.seed,
        str(contest.openings),
        run.wanted,
        len(run.played),
        len(games),
        run.complete,
        sum(game.moves for game in games) / max(1, len(games)),
        rows(contest.labels, contest.seats, games),
        duel(games) if contest.kind == "match" and contest.seats == 2 and games else None,
        sprt_state(run.sprt, run) if run.sprt else None,
        tuple(map(tuple, points.tolist())),
        tuple(map(tuple, meetings.tolist())),
        tuple((*who, count) for who, count in sorted(reasons.items())),
    )


def finite(value: Any) -> Any:
    """The same with None for numbers that JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    return [finite(part) for part in value] if isinstance(value, list | tuple) else value


def share(game: ScoredGame, player: int) -> float:
    """A player's share of the first place."""
    best = max(game.results)
    if game.results[game.seats.index(player)] < best:
        return 0.0
    return 1 / game.results.count(best)


def rows(labels: Sequence[str], seats: int, games: Sequence[ScoredGame]) -> tuple[PlayerScore, ...]:
    """All players, in the order in which they were named."""
    orders = [(game.encounter, game.seats, game.results) for game in games]
    ratings = fit_ratings(orders, len(labels)) if games else None
    found = []
    for player, label in enumerate(labels):
        own = [game for game in games if player in game.seats]
        shares = [share(game, player) for game in own]
        encounters: dict[int, list[float]] = {}
        by_seat: list[list[float]] = [[] for _ in range(seats)]
        for game, points in zip(own, shares, strict=True):
            encounters.setdefault(game.encounter, []).append(points)
            by_seat[game.seats.index(player)].append(points)
        found.append(
            PlayerScore(
                label,
                len(own),
                shares.count(1.0),
                sum(0 < points < 1 for points in shares),
                shares.count(0.0),
                sum(game.loser == player and bool(game.forfeit) for game in own),
                mean(shares),
                mean_interval(list(encounters.values())) if own else (0.0, 1.0),
                tuple(mean(points) for points in by_seat),
                None if ratings is None else ratings.players[player].elo,
                None if ratings is None else ratings.players[player].half_width,
            )
        )
    return tuple(found)


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def duel(games: Sequence[ScoredGame]) -> Duel:
    """Everything that is known of a match of two."""
    tally = tally_of(games)
    return Duel(
        tally.score,
        score_interval(tally),
        elo(tally.score),
        elo_interval(tally),
        normalized_elo(tally),
        likelihood_of_superiority(tally),
        tuple(tally.pairs),
    )


def tally_of(games: Sequence[ScoredGame]) -> MatchScore:
    """A match of two as pairs of scores."""
    pairs: dict[int, list[float]] = {}
    for game in games:
        pairs.setdefault(game.encounter, []).append(first_player_score(game))
    return MatchScore.of(tuple(scores) for scores in pairs.values())


def sprt_state(sprt: Sprt, run: Run) -> dict[str, float | str | None]:
    """Where a sequential test stands."""
    bounds = {"lower": sprt.lower, "upper": sprt.upper}
    return {**asdict(sprt), **bounds, "llr": run.llr, "verdict": run.verdict, "biased": run.verdict is not None}
