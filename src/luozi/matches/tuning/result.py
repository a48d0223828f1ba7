"""What the games of a tuning say, as plain numbers: the best values, how certain they are, the win rate to expect.

`conclude(run)` is a function of the finished games alone; no clock times are in it.
"""

from __future__ import annotations

import csv
import io
import json
import math
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit

from luozi.compiled import Array
from luozi.matches.openings import Openings, seed_of
from luozi.matches.store import Store
from luozi.matches.summary import Interval, finite, share
from luozi.matches.tuning.ranges import Choices, Range, Tuned, written
from luozi.matches.tuning.tables import result_text
from luozi.matches.tuning.trials import TRIAL_GAMES, Trial, Tuning, TuningRun, Values
from luozi.matches.workers import chosen_executor
from luozi.messages import Message
from luozi.rules.game import Game
from luozi.statistics.matches import mean_interval
from luozi.statistics.surface import Optimum, Surface, SurfacePoints, find_optimum, fit_surface
from luozi.util.parsing import JsonObject

SHOWN_DIGITS = 3  # of what is best
DECIMALS = 6  # of rates: the last bits differ between machines
NEARLY_ALL = 0.8  # of a range: an interval that covers more says nothing
AT_EDGE = 0.25  # of the draws with their maximum on an edge: it may lie beyond
DECIDED = 0.95  # of the draws that agree on a choice
UNDECIDED = "not decided, more games are needed or it hardly matters"
PRIOR_ENCOUNTERS = 2.0  # how much the variance of independent games without draws weighs
LEAST_NOISE = 0.02
MOST_VERIFYING = 1000  # games


@dataclass(frozen=True)
class TrialRow:
    """One trial."""

    number: int
    values: Values
    games: int
    score: float
    interval: Interval


@dataclass(frozen=True)
class TunedParameter:
    """What is known of one parameter."""

    name: str
    values: str  # what was allowed
    best: Any
    interval: Interval | None  # of a number: its best value lies there with 95 % confidence
    shares: dict[str, float] | None  # of choices: how likely each is the best
    note: str  # what to do about it, or nothing


@dataclass(frozen=True)
class Evidence:
    """What a result rests on."""

    tuning: Tuning
    trials: tuple[Trial, ...]
    surface: Surface


@dataclass(frozen=True)
class TuningResult:
    """A tuning and its result; without games it has no findings."""

    id: str
    game: str
    player: str
    against: str
    parameters: dict[str, str]  # what is tuned, and the values that are allowed
    seed: int
    openings: str
    command: str  # that asked for it
    wanted: int
    finished: int
    complete: bool
    rows: tuple[TrialRow, ...]
    forfeits: tuple[tuple[str, str, int], ...] = ()  # who, what, how often
    findings: tuple[TunedParameter, ...] = ()
    best: str = ""  # the best player
    rate: float = 0.0  # its win rate against the opponent, by the surface
    interval: Interval = (0.0, 1.0)
    verify: str = ""  # the command that measures the best player in games that it was not chosen by
    evidence: Evidence | None = field(default=None, repr=False, compare=False)  # for figures; not in JSON

    @property
    def best_values(self) -> Values:
        """The best value of each parameter."""
        return {finding.name: finding.best for finding in self.findings}

    def as_dict(self) -> JsonObject:
        """For JSON."""
        plain = asdict(replace(self, evidence=None))
        return {key: finite(value) for key, value in plain.items() if key != "evidence"}

    def __str__(self) -> str:
        return result_text(self)


def conclude(run: TuningRun, openings_file: str = "") -> TuningResult:
    """The result of the games that are finished; `openings_file` is named in commands."""
    tuning, base = run.tuning, run.tuning.base
    trials = tuple(trial for trial in run.trials if trial.run.played)
    parameters = {one.name: str(one) for one in tuning.tuned}
    about = (tuning.id, base.game, tuning.player, tuning.against, parameters, base.seed, str(base.openings))
    command = command_of(tuning, run.wanted, openings_file)
    games = (run.wanted, run.finished, run.complete, tuple(map(row_of, trials)), forfeits_of(tuning, trials))
    result = TuningResult(*about, command, *games)
    if not trials:
        return result
    result = with_the_best(result, Evidence(tuning, trials, surface_of(tuning, trials)))
    return replace(result, verify=verifying(tuning, result.best, run.wanted, openings_file))


def with_the_best(result: TuningResult, evidence: Evidence) -> TuningResult:
    """The result with what follows from the evidence."""
    tuning, surface = evidence.tuning, evidence.surface
    result = replace(result, findings=findings_of(tuning.tuned, optimum_of(tuning, surface)), evidence=evidence)
    rates = expit(surface.draws(points_of(tuning.tuned, [result.best_values]))[0])
    rate, low, high = (round(float(one), DECIMALS) for one in (rates.mean(), *np.quantile(rates, [0.025, 0.975])))
    return replace(result, best=tuning.spelling(result.best_values), rate=rate, interval=(low, high))


def optimum_of(tuning: Tuning, surface: Surface) -> Optimum:
    """Where the surface is highest, among the values that are allowed."""
    ranges = [one for one in tuning.tuned if isinstance(one, Range)]
    return find_optimum(surface, choice_counts(tuning.tuned), partial(snap, ranges))


# From games to the surface --------------------------------------------------------------------------------------------


def encounters(trial: Trial) -> list[list[float]]:
    """The tuned player's points in the games of each opening."""
    found: dict[int, list[float]] = {}
    for game in trial.run.counted:
        found.setdefault(game.encounter, []).append(share(game, 0))
    return list(found.values())


def row_of(trial: Trial) -> TrialRow:
    """A trial as plain numbers."""
    interval = mean_interval(encounters(trial))
    return TrialRow(trial.number + 1, trial.values, len(trial.run.played), trial.score, interval)


def forfeits_of(tuning: Tuning, trials: Sequence[Trial]) -> tuple[tuple[str, str, int], ...]:
    """Who forfeited how often, and why."""
    forfeited = [game for trial in trials for game in trial.run.counted if game.forfeit]
    reasons = Counter((tuning.against if game.loser else "the tuned player", game.forfeit) for game in forfeited)
    return tuple((*who, count) for who, count in sorted(reasons.items()))


def surface_of(tuning: Tuning, trials: Sequence[Trial]) -> Surface:
    """The surface of all games."""
    games = np.array([float(len(trial.run.played)) for trial in trials])
    games /= noise_of([encounters(trial) for trial in trials])
    scores = np.array([trial.score for trial in trials])
    points = points_of(tuning.tuned, [trial.values for trial in trials])
    counts, seed = choice_counts(tuning.tuned), seed_of("draws", tuning.base.seed)
    return fit_surface(points, scores, games, counts, 1 / tuning.base.seats, seed)


def choice_counts(tuned: Sequence[Tuned]) -> list[int]:
    """How many choices each parameter has that is no number."""
    return [len(one.values) for one in tuned if isinstance(one, Choices)]


def noise_of(trials: Sequence[Sequence[Sequence[float]]]) -> float:
    """The variance within trials, in units of that of independent games without draws.

    >>> round(noise_of([[[1, 0]] * 20]), 2)  # who begins wins: there is no noise, but for what was believed before
    0.09
    """
    expected = found = PRIOR_ENCOUNTERS / 4
    for groups in trials:
        games, mean = sum(map(len, groups)), mean_of(groups)
        if games > len(groups) > 1:
            squares = sum((sum(group) - len(group) * mean) ** 2 for group in groups)
            found += squares * len(groups) / games
            expected += (len(groups) - 1) * mean * (1 - mean) * games / (games - 1)
    return max(found / expected, LEAST_NOISE)


def mean_of(groups: Sequence[Sequence[float]]) -> float:
    """Points a game."""
    return math.fsum(map(math.fsum, groups)) / sum(map(len, groups))


def points_of(tuned: Sequence[Tuned], values: Sequence[Values]) -> SurfacePoints:
    """Places on the surface."""
    numbers = [[one.unit(line[one.name]) for one in tuned if isinstance(one, Range)] for line in values]
    choices = [[one.values.index(line[one.name]) for one in tuned if isinstance(one, Choices)] for line in values]
    return SurfacePoints(
        np.array(numbers, float).reshape(len(values), -1), np.array(choices, int).reshape(len(values), -1)
    )


def snap(ranges: Sequence[Range], numbers: Array) -> Array:
    """Places that the values can have."""
    return np.column_stack([numbers[:, :0], *(one.snap(numbers[:, place]) for place, one in enumerate(ranges))])


# Findings -------------------------------------------------------------------------------------------------------------


def findings_of(tuned: Sequence[Tuned], optimum: Optimum) -> tuple[TunedParameter, ...]:
    """What is known of all parameters."""
    found, number, choice = [], 0, 0
    for one in tuned:
        if isinstance(one, Range):
            found.append(number_finding(one, optimum, number))
            number += 1
        else:
            found.append(choice_finding(one, optimum, choice))
            choice += 1
    return tuple(found)


def number_finding(one: Range, optimum: Optimum, place: int) -> TunedParameter:
    """The best value of a number."""
    best = one.value(float(optimum.best.numbers[0, place]), SHOWN_DIGITS)
    low, high = optimum.interval(place)
    ends = one.value(low, SHOWN_DIGITS), one.value(high, SHOWN_DIGITS)
    interval = min(ends[0], best), max(ends[1], best)
    return TunedParameter(
        one.name, str(one), best, interval, None, number_note(one, high - low, optimum.at_edges(place))
    )


def number_note(one: Range, width: float, at_edges: tuple[float, float]) -> str:
    """What to do about a number that is not settled."""
    if width > NEARLY_ALL:
        return UNDECIDED
    below, above = at_edges
    if below > AT_EDGE and one.low != one.lowest:
        return Message("the best may lie below {low}, widen its range", low=one.low)
    if above > AT_EDGE and one.high != one.highest:
        return Message("the best may lie above {high}, widen its range", high=one.high)
    return ""


def choice_finding(one: Choices, optimum: Optimum, place: int) -> TunedParameter:
    """The best choice."""
    winners = np.bincount(optimum.winners.choices[:, place], minlength=len(one.values)) / len(optimum.winners.choices)
    shares = {written(value): float(winner) for value, winner in zip(one.values, winners, strict=True)}
    best = one.values[int(optimum.best.choices[0, place])]
    note = "" if shares[written(best)] >= DECIDED else UNDECIDED
    return TunedParameter(one.name, str(one), best, None, shares, note)


def command_of(tuning: Tuning, games: int, openings_file: str) -> str:
    """The command that asks for this tuning."""
    words = ["tune", tuning.player]
    for one in tuning.tuned:
        words += ["--param", f"{one.name}={one}"]
    words += ["--opponent", tuning.against]
    if tuning.trial_games != TRIAL_GAMES:
        words += ["--trial-games", str(tuning.trial_games)]
    return spelled_command(tuning, words, games, tuning.base.seed, openings_file)


def verifying(tuning: Tuning, best: str, games: int, openings_file: str) -> str:
    """The command that plays the best player in new games."""
    words = ["match", best, *tuning.base.players[1:]]
    return spelled_command(tuning, words, min(games, MOST_VERIFYING), tuning.base.seed + 1, openings_file)


def spelled_command(tuning: Tuning, words: Sequence[str], games: int, seed: int, openings_file: str) -> str:
    """A command at the same game with the same kind of openings."""
    openings: list[str] = []
    if tuning.base.openings.lines:
        openings = ["--openings", openings_file or "FILE"]
    elif tuning.base.openings.plies != 2 * tuning.base.seats:
        openings = ["--plies", str(tuning.base.openings.plies)]
    rest = ["--game", tuning.base.game, "--games", str(games), *openings, "--seed", str(seed)]
    return shlex.join(["luozi", *words, *rest])


# For others -----------------------------------------------------------------------------------------------------------


def json_text(result: TuningResult) -> str:
    """Everything about one tuning, for programs."""
    return json.dumps(result.as_dict(), indent=2, sort_keys=True, allow_nan=False, ensure_ascii=False)


def csv_text(result: TuningResult) -> str:
    """One line a trial."""
    file = io.StringIO()
    lines = csv.writer(file, lineterminator="\n")
    lines.writerow(["trial", *result.parameters, "games", "score", "low", "high"])
    for row in result.rows:
        values = [written(row.values[name]) for name in result.parameters]
        lines.writerow([row.number, *values, row.games, *(round(one, 6) for one in (row.score, *row.interval))])
    return file.getvalue()


def tune(
    player: str,
    parameters: Sequence[str],
    against: str,
    game: str | Game = "connect4",
    games: int = 2000,
    seed: int = 1,
    openings: Openings | None = None,
    trial_games: int = TRIAL_GAMES,
    store: str | Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
) -> TuningResult:
    """Tune a player on all cores and return what is best. With a store, what is there already is not played again.

    >>> found = tune("flat", ["playouts=1:50"], "random", game="tictactoe", games=40, workers=1)
    >>> found.finished, found.rate > 0.5
    (40, True)
    """
    tuning = Tuning.of(player, parameters, against, game, seed, openings).in_trials(trial_games)
    kept = Store.open(None if store is None else Path(store))
    executor = chosen_executor(workers, cluster)
    try:
        run = TuningRun(tuning, games, kept)
        run.play(executor)
    finally:
        executor.close()
        kept.close()
    return conclude(run)
