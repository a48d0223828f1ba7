"""The result of a tuning: the best values, their intervals and the expected win rate, without clock times."""

from __future__ import annotations

import io
import math
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text
from scipy.special import expit

from luozi.compiled import Array
from luozi.matches.openings import Openings, seed_of
from luozi.matches.store import Store
from luozi.matches.summary import Interval, finite, share
from luozi.matches.tuning.ranges import Choices, Range, Tuned, written
from luozi.matches.tuning.trials import TRIAL_GAMES, Trial, Tuning, TuningRun, Values
from luozi.matches.workers import chosen_executor
from luozi.messages import Message, counted, translate
from luozi.rules.game import Game
from luozi.statistics.matches import mean_interval
from luozi.statistics.surface import Optimum, Surface, SurfacePoints, find_optimum, fit_surface
from luozi.util.console import TextConsole
from luozi.util.formats import page_width, percent, percent_interval
from luozi.util.parsing import JsonObject
from luozi.util.tables import SPELLING, Kind, Said, Table, TextColumn

SHOWN_DIGITS = 3  # significant digits of the best values
DECIMALS = 6  # of rates: the last bits differ between machines
NEARLY_ALL = 0.8  # share of a range: a wider interval means that nothing is known
AT_EDGE = 0.25  # share of draws with their maximum on an edge: from here on it may lie beyond
DECIDED = 0.95  # share of draws that agree on a choice
UNDECIDED = "not decided, more games are needed or it hardly matters"
PRIOR_ENCOUNTERS = 2.0  # weight of the variance of independent games without draws, in encounters
LEAST_NOISE = 0.02
MOST_VERIFYING = 1000  # games


@dataclass(frozen=True)
class TrialRow:
    """The result of one trial."""

    number: int
    values: Values
    games: int
    score: float
    interval: Interval


@dataclass(frozen=True)
class TunedParameter:
    """The best value of one parameter, and how certain it is."""

    name: str
    values: str  # what was allowed
    best: Any
    interval: Interval | None  # of a number: its best value lies there with 95 % confidence
    shares: dict[str, float] | None  # of choices: how likely each is the best
    note: str  # what to do about it, or nothing


@dataclass(frozen=True)
class Evidence:
    """The trials and the surface fitted to them."""

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
        """Return the values for JSON."""
        plain = asdict(replace(self, evidence=None))
        return {key: finite(value) for key, value in plain.items() if key != "evidence"}

    def __str__(self) -> str:
        return result_text(self)


def conclude(run: TuningRun, openings_file: str = "") -> TuningResult:
    """Return the result of the finished games; commands in it name `openings_file`."""
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
    """Return the result with the best values, their win rate and its interval."""
    tuning, surface = evidence.tuning, evidence.surface
    result = replace(result, findings=findings_of(tuning.tuned, optimum_of(tuning, surface)), evidence=evidence)
    rates = expit(surface.draws(points_of(tuning.tuned, [result.best_values]))[0])
    rate, low, high = (round(float(one), DECIMALS) for one in (rates.mean(), *np.quantile(rates, [0.025, 0.975])))
    return replace(result, best=tuning.spelling(result.best_values), rate=rate, interval=(low, high))


def optimum_of(tuning: Tuning, surface: Surface) -> Optimum:
    """Return the maximum of the surface among the allowed values."""
    ranges = [one for one in tuning.tuned if isinstance(one, Range)]
    return find_optimum(surface, choice_counts(tuning.tuned), partial(snap, ranges))


# From games to the surface --------------------------------------------------------------------------------------------


def encounters(trial: Trial) -> list[list[float]]:
    """Return the tuned player's points in the games of each opening."""
    found: dict[int, list[float]] = {}
    for game in trial.run.counted:
        found.setdefault(game.encounter, []).append(share(game, 0))
    return list(found.values())


def row_of(trial: Trial) -> TrialRow:
    """Return the result of a trial."""
    interval = mean_interval(encounters(trial))
    return TrialRow(trial.number + 1, trial.values, len(trial.run.played), trial.score, interval)


def forfeits_of(tuning: Tuning, trials: Sequence[Trial]) -> tuple[tuple[str, str, int], ...]:
    """Return who forfeited, why, and how often."""
    forfeited = [game for trial in trials for game in trial.run.counted if game.forfeit]
    reasons = Counter((tuning.against if game.loser else "the tuned player", game.forfeit) for game in forfeited)
    return tuple((*who, count) for who, count in sorted(reasons.items()))


def surface_of(tuning: Tuning, trials: Sequence[Trial]) -> Surface:
    """Return the surface fitted to all games."""
    games = np.array([float(len(trial.run.played)) for trial in trials])
    games /= noise_of([encounters(trial) for trial in trials])
    scores = np.array([trial.score for trial in trials])
    points = points_of(tuning.tuned, [trial.values for trial in trials])
    counts, seed = choice_counts(tuning.tuned), seed_of("draws", tuning.base.seed)
    return fit_surface(points, scores, games, counts, 1 / tuning.base.seats, seed)


def choice_counts(tuned: Sequence[Tuned]) -> list[int]:
    """Return the number of choices of each parameter that is no number."""
    return [len(one.values) for one in tuned if isinstance(one, Choices)]


def noise_of(trials: Sequence[Sequence[Sequence[float]]]) -> float:
    """Return the variance within trials, relative to independent games without draws.

    >>> round(noise_of([[[1, 0]] * 20]), 2)  # who begins wins: there is no noise, but for what was believed before
    0.09
    """
    expected = found = PRIOR_ENCOUNTERS / 4
    for groups in trials:
        games = sum(map(len, groups))
        mean = math.fsum(map(math.fsum, groups)) / games
        if games > len(groups) > 1:
            squares = sum((sum(group) - len(group) * mean) ** 2 for group in groups)
            found += squares * len(groups) / games
            expected += (len(groups) - 1) * mean * (1 - mean) * games / (games - 1)
    return max(found / expected, LEAST_NOISE)


def points_of(tuned: Sequence[Tuned], values: Sequence[Values]) -> SurfacePoints:
    """Return the places of values on the surface."""
    numbers = [[one.unit(line[one.name]) for one in tuned if isinstance(one, Range)] for line in values]
    choices = [[one.values.index(line[one.name]) for one in tuned if isinstance(one, Choices)] for line in values]
    return SurfacePoints(
        np.array(numbers, float).reshape(len(values), -1), np.array(choices, int).reshape(len(values), -1)
    )


def snap(ranges: Sequence[Range], numbers: Array) -> Array:
    """Return the nearest places of allowed values."""
    return np.column_stack([numbers[:, :0], *(one.snap(numbers[:, place]) for place, one in enumerate(ranges))])


# Findings -------------------------------------------------------------------------------------------------------------


def findings_of(tuned: Sequence[Tuned], optimum: Optimum) -> tuple[TunedParameter, ...]:
    """Return the findings about all parameters."""
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
    """Return the best value of a number."""
    best = one.value(float(optimum.best.numbers[0, place]), SHOWN_DIGITS)
    low, high = optimum.interval(place)
    ends = one.value(low, SHOWN_DIGITS), one.value(high, SHOWN_DIGITS)
    interval = min(ends[0], best), max(ends[1], best)
    return TunedParameter(
        one.name, str(one), best, interval, None, number_note(one, high - low, optimum.at_edges(place))
    )


def number_note(one: Range, width: float, at_edges: tuple[float, float]) -> str:
    """Return what to do about a number that is not decided, or nothing."""
    if width > NEARLY_ALL:
        return UNDECIDED
    below, above = at_edges
    if below > AT_EDGE and one.low != one.lowest:
        return Message("the best value may lie below {low}: widen the range", low=one.low)
    if above > AT_EDGE and one.high != one.highest:
        return Message("the best value may lie above {high}: widen the range", high=one.high)
    return ""


def choice_finding(one: Choices, optimum: Optimum, place: int) -> TunedParameter:
    """Return the best choice."""
    winners = np.bincount(optimum.winners.choices[:, place], minlength=len(one.values)) / len(optimum.winners.choices)
    shares = {written(value): float(winner) for value, winner in zip(one.values, winners, strict=True)}
    best = one.values[int(optimum.best.choices[0, place])]
    note = "" if shares[written(best)] >= DECIDED else UNDECIDED
    return TunedParameter(one.name, str(one), best, None, shares, note)


def command_of(tuning: Tuning, games: int, openings_file: str) -> str:
    """Return the command that repeats this tuning."""
    words = ["tune", tuning.player]
    for one in tuning.tuned:
        words += ["--param", f"{one.name}={one}"]
    words += ["--opponent", tuning.against]
    if tuning.trial_games != TRIAL_GAMES:
        words += ["--trial-games", str(tuning.trial_games)]
    return spelled_command(tuning, words, games, tuning.base.seed, openings_file)


def verifying(tuning: Tuning, best: str, games: int, openings_file: str) -> str:
    """Return the command that plays the best player in new games."""
    words = ["match", best, *tuning.base.players[1:]]
    return spelled_command(tuning, words, min(games, MOST_VERIFYING), tuning.base.seed + 1, openings_file)


def spelled_command(tuning: Tuning, words: Sequence[str], games: int, seed: int, openings_file: str) -> str:
    """Return a command with the same game and kind of openings."""
    openings: list[str] = []
    if tuning.base.openings.lines:
        openings = ["--openings", openings_file or "FILE"]
    elif tuning.base.openings.plies != 2 * tuning.base.seats:
        openings = ["--plies", str(tuning.base.openings.plies)]
    rest = ["--game", tuning.base.game, "--games", str(games), *openings, "--seed", str(seed)]
    return shlex.join(["luozi", *words, *rest])


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
    """Tune a player on all cores and return the result. With a store, games that it has are not played again.

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


# Tables ---------------------------------------------------------------------------------------------------------------


FINDINGS = (
    TextColumn("parameter", SPELLING),
    TextColumn("tried", SPELLING),
    TextColumn("best", Kind(str, left=True, code=True)),
    TextColumn("95 % interval"),
    TextColumn(""),
)


def findings_table(result: TuningResult) -> Table:
    """Return the table of the parameters."""
    lines = [(one.name, one.values, written(one.best), certainty(one), one.note) for one in result.findings]
    return Table(FINDINGS, lines)


def show_result(console: Console, result: TuningResult, said: Said = translate) -> None:
    """Print all of a result."""
    seed = said(Message("seed {seed}", seed=result.seed))
    about = f"   {result.game}, {said(result.openings)}, {seed}; {said(state_of(result))}"
    console.print(Text.assemble((said(Message("tuning {id}", id=result.id)), "bold"), about))
    if not result.findings:
        console.print(said("no game is finished yet"))
        return
    findings_table(result).show(console, said)
    forfeits = [
        Message("forfeit: {who} {what} ({times})", who=Message(who), what=Message(what), times=counted(times, "game"))
        for who, what, times in result.forfeits
    ]
    for line in (
        *forfeits,
        Message(
            "win rate of the best against {text}: {rate} (95 %: {interval})",
            text=result.against,
            rate=percent(result.rate),
            interval=percent_interval(*result.interval),
        ),
        Message("the best player: {text}", text=result.best),
        Message("verify it in new games: {text}", text=result.verify),
    ):
        console.print(Text(said(line)), soft_wrap=True)


def state_of(result: TuningResult) -> str:
    """Return how many games are finished."""
    trials = counted(len(result.rows), "trial")
    if result.complete:
        return Message("{games} in {trials}", games=counted(result.finished, "game"), trials=trials)
    return Message(
        "{finished} of {wanted} so far, in {trials}",
        finished=f"{result.finished:,}",
        wanted=counted(result.wanted, "game"),
        trials=trials,
    )


def certainty(finding: TunedParameter) -> str:
    """Return the interval of a number, or the likelihood of each choice to be the best.

    >>> from luozi.matches.tuning.result import TunedParameter
    >>> certainty(TunedParameter("reuse_tree", "true|false", True, None, {"true": 0.9, "false": 0.1}, ""))
    'true: 90 %, false: 10 %'
    """
    if finding.interval is not None:
        return Message("{low} to {high}", low=written(finding.interval[0]), high=written(finding.interval[1]))
    return ", ".join(f"{choice}: {100 * likely:.0f} %" for choice, likely in (finding.shares or {}).items())


def result_text(result: TuningResult, width: int | None = None) -> str:
    """Return the printed result as English text, by default as wide as the terminal."""
    console = TextConsole(file=io.StringIO(), width=width or page_width(), highlight=False)
    with console.capture() as captured:
        show_result(console, result, str)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
