"""The page and figures of a tuning: result in one sentence, figures, the command that verifies it, all trials."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from scipy.special import expit, logit

from luozi.matches.tuning.ranges import Choices, Range, Tuned, written
from luozi.matches.tuning.result import (
    Evidence,
    TunedParameter,
    TuningResult,
    certainty,
    choice_counts,
    encounters,
    findings_table,
    points_of,
    snap,
)
from luozi.matches.tuning.trials import Trial, Values
from luozi.messages import counted
from luozi.reports.figures import (
    BLUE,
    DASHED,
    FAINT,
    INK,
    ORANGE,
    WIDTH,
    FloatArray,
    at_right,
    distances,
    empty_figure,
    heading,
    height_for,
    list_of_names,
    shares,
    styled,
    svg_text,
)
from luozi.reports.pages import Code, DefinitionList, Details, Item, Line, Section, SvgFigure, Tiles, page
from luozi.statistics.matches import mean_interval
from luozi.statistics.surface import SurfacePoints, candidates, cautious
from luozi.util.formats import percent, percent_interval
from luozi.util.tables import COUNT, FIGURE, SHARE, SHARE_INTERVAL, Table, TextColumn

LISTED = 1000  # trials
SCORE = TextColumn("score", SHARE), TextColumn("95 % interval", SHARE_INTERVAL)
HOW = (
    "Each trial is a match of its own. Its games come in groups of one opening in which everybody takes every seat. "
    "Values are proposed by Optuna's TPE. A surface is fitted to all games: its logit is a parabola with smooth "
    "deviations, a Gaussian process. Intervals say where the maximum lies in 95 % of the surfaces that could have "
    "given these results. The same command repeats all of it:"
)


def tuning_page(result: TuningResult) -> str:
    """Return the whole page."""
    sections = [Section("How it was played", how_played(result))]
    if result.findings:
        sections = [
            Section("", [tiles(result)]),
            Section("Result", result_items(result)),
            Section("Figures", figures(result)),
            Section("Verify it", verifying(result)),
            *sections,
            Section("Trials", [trials(result)]),
        ]
    names = " and ".join(result.parameters)
    title = f"Tuning {names} of {result.player.partition(':')[0]} at {result.game}"
    return page(title, sections, headline(result), f"Luozi tuning {result.id}")


def headline(result: TuningResult) -> Line:
    """Return the result in one sentence, and a second one if games are missing."""
    if not result.findings:
        return "No game is finished yet."
    rate = f"{percent(result.rate)} (95 % interval {percent_interval(*result.interval)})"
    said = ("The best is ", Code(result.best), ", which should win ", rate, " against ", Code(result.against), ".")
    notes = tuple(f" {finding.name}: {finding.note}." for finding in result.findings if finding.note)
    if result.complete:
        return (*said, *notes)
    missing = f" It is not complete: {result.finished:,} of {counted(result.wanted, 'game')} are finished."
    return (*said, *notes, missing)


def tiles(result: TuningResult) -> Tiles:
    """Return the most important numbers."""
    best = [(f"best {one.name}", written(one.best), certain(one)) for one in result.findings[:4]]
    rate = ("win rate to expect", percent(result.rate), f"95 %: {percent_interval(*result.interval)}")
    return Tiles([*best, rate, ("games", f"{result.finished:,}", f"in {counted(len(result.rows), 'trial')}")])


def certain(finding: TunedParameter) -> str:
    """Return how certain a best value is."""
    return certainty(finding) if finding.interval is None else f"95 %: {certainty(finding)}"


def result_items(result: TuningResult) -> list[Item]:
    """Return the table of the parameters."""
    forfeits = [f"Forfeit: {who} {what} ({counted(times, 'game')})." for who, what, times in result.forfeits]
    return [findings_table(result), *forfeits]


def figures(result: TuningResult) -> list[Item]:
    """Return a figure for each parameter."""
    found: list[Item] = []
    for finding in result.findings:
        alt = f"Win rate over {finding.name}; best {written(finding.best)}, {certain(finding)}"
        picture = svg_text(finding_figure(result, finding))
        found.append(SvgFigure(picture, alt, caption(finding, len(result.findings) > 1)))
    return found


def caption(finding: TunedParameter, others: bool) -> str:
    """Return the caption of a figure."""
    if finding.interval is None:
        return "What each choice should win" + (", each with the best of the other parameters." if others else ".")
    adjusted = ", as they would be with the other parameters at their best" if others else ""
    points = f"Points: games of trials near each other with 95 % intervals{adjusted}."
    return f"{points} Blue: the fitted curve and its 95 % band. Orange: the best value and its 95 % interval."


def verifying(result: TuningResult) -> list[Item]:
    """Return how to verify the best player with new games."""
    why = "The win rate above comes from the games that chose these values. New games verify it:"
    return [why, Code(result.verify)]


def how_played(result: TuningResult) -> list[Item]:
    """Return the conditions of the tuning."""
    facts: list[tuple[str, Line]] = [
        ("game", (Code(result.game),)),
        ("player", (Code(result.player),)),
        ("opponent", (Code(result.against),)),
        ("openings", result.openings),
        ("seed", str(result.seed)),
        ("trials", f"{len(result.rows):,} of {counted(result.rows[0].games, 'game')}" if result.rows else "none"),
    ]
    return [DefinitionList(facts), HOW, Code(result.command)]


def trials(result: TuningResult) -> Item:
    """Return the table of all trials, folded."""
    names = [TextColumn(name, FIGURE) for name in result.parameters]
    columns = TextColumn("trial", COUNT), *names, TextColumn("games", COUNT), *SCORE
    rows = [
        (row.number, *(written(row.values[name]) for name in result.parameters), row.games, row.score, row.interval)
        for row in result.rows[:LISTED]
    ]
    return Details(f"{counted(len(rows), 'trial')}", [Table(columns, rows)])


# Figures --------------------------------------------------------------------------------------------------------------


BINS = 10
STEPS = 121  # points of a curve
PANEL_HEIGHT = 3.1


@styled
def tuning_figure(result: TuningResult) -> Figure:
    """Return a figure with a panel for each parameter."""
    if not result.findings:
        return empty_figure("no game is finished yet")
    columns = 1 if len(result.findings) == 1 else 2
    rows = -(-len(result.findings) // columns)
    figure = Figure(figsize=(WIDTH * (1 if columns == 1 else 1.25), PANEL_HEIGHT * rows + 0.4))
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, finding in zip(panels, result.findings, strict=False):
        draw_finding(axes, result, finding)
    for axes in panels[len(result.findings) :]:
        axes.set_axis_off()
    words = f"{result.game}   {result.player} against {result.against}, {result.finished:,} games, seed {result.seed}"
    figure.suptitle(words, x=0.012, ha="left", color=FAINT, fontsize=9)
    figure.set_layout_engine("constrained", w_pad=0.12, h_pad=0.09)
    return figure


@styled
def finding_figure(result: TuningResult, finding: TunedParameter, width: float = WIDTH) -> Figure:
    """Return the figure of one parameter."""
    height = PANEL_HEIGHT if finding.shares is None else height_for(len(finding.shares))
    figure = Figure(figsize=(width, height))
    draw_finding(figure.add_subplot(), result, finding)
    return figure


def draw_finding(axes: Axes, result: TuningResult, finding: TunedParameter) -> None:
    """Draw the panel of one parameter."""
    assert result.evidence is not None  # where there are findings there were games
    one = next(one for one in result.evidence.tuning.tuned if one.name == finding.name)
    if isinstance(one, Range):
        draw_number(axes, result, result.evidence, one, finding)
    else:
        draw_choices(axes, result.evidence, one, finding)


# A number -------------------------------------------------------------------------------------------------------------


def draw_number(axes: Axes, result: TuningResult, evidence: Evidence, one: Range, finding: TunedParameter) -> None:
    """Draw the curve with its band, the games in bins with intervals, and the best value with its interval."""
    units = np.linspace(0, 1, STEPS)
    places = points_of(evidence.tuning.tuned, [result.best_values] * STEPS)
    places.numbers[:, numbers_of(evidence.tuning.tuned).index(one.name)] = units
    rates = expit(evidence.surface.draws(places))
    low, high = np.quantile(rates, [0.025, 0.975], axis=1)
    values = [one.value(unit, 12) for unit in units]
    assert finding.interval is not None
    axes.axvspan(*finding.interval, color=ORANGE, alpha=0.12, linewidth=0)
    axes.axvline(finding.best, color=ORANGE, linewidth=1.6)
    axes.axhline(1 / evidence.tuning.base.seats, color=FAINT, linewidth=1, linestyle=DASHED)
    axes.fill_between(values, low, high, color=BLUE, alpha=0.16, linewidth=0)
    axes.plot(values, rates.mean(axis=1), color=BLUE, linewidth=2)
    draw_bins(axes, bins_of(result, evidence, one))
    scale_of(axes, one)
    heading(axes, f"Win rate over {one.name}", f"best {written(finding.best)} (95 %: {certainty(finding)})", ORANGE)


class Bin(NamedTuple):
    """The games of trials with values near each other."""

    value: float
    rate: float
    interval: tuple[float, float]


def bins_of(result: TuningResult, evidence: Evidence, one: Range) -> list[Bin]:
    """Return trials pooled by their values."""
    gathered: dict[int, list[Trial]] = {}
    for trial in evidence.trials:
        gathered.setdefault(min(BINS - 1, int(one.unit(trial.values[one.name]) * BINS)), []).append(trial)
    return [bin_of(result, evidence, one, trials) for _, trials in sorted(gathered.items())]


def bin_of(result: TuningResult, evidence: Evidence, one: Range, trials: Sequence[Trial]) -> Bin:
    """Return the pooled rate, adjusted to the best values of the other parameters."""
    groups = [group for trial in trials for group in encounters(trial)]
    weights = [len(trial.run.played) for trial in trials]
    value = one.value(float(np.average([one.unit(trial.values[one.name]) for trial in trials], weights=weights)), 12)
    shift = np.average(shifts(result, evidence, one, [trial.values for trial in trials]), weights=weights)
    low, high = mean_interval(groups)
    rate, low, high = (float(expit(logit(rate) + shift)) for rate in (float(np.concatenate(groups).mean()), low, high))
    return Bin(value, rate, (low, high))


def shifts(result: TuningResult, evidence: Evidence, one: Range, values: Sequence[Values]) -> FloatArray:
    """Return how much higher the surface is with the best values of the other parameters, in logits."""
    tuned = evidence.tuning.tuned
    if len(tuned) == 1:
        return np.zeros(len(values))
    moved = [{**result.best_values, one.name: line[one.name]} for line in values]
    there, here = (evidence.surface.draws(points_of(tuned, lines)).mean(axis=1) for lines in (moved, values))
    return there - here


def draw_bins(axes: Axes, bins: Sequence[Bin]) -> None:
    """Draw points with error bars."""
    rates, intervals = [one.rate for one in bins], [one.interval for one in bins]
    values, errors = [one.value for one in bins], distances(rates, intervals)
    axes.errorbar(values, rates, errors, fmt="o", color=INK, markersize=5, elinewidth=1.2, capsize=2.5)


def scale_of(axes: Axes, one: Range) -> None:
    """Set the axes of a number's panel."""
    if one.logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if one.high / one.low < 2000 else (1,)))
    else:
        axes.locator_params(axis="x", nbins=7, integer=one.whole)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    shares(axes.yaxis)
    axes.set_xlabel(one.name)
    axes.set_ylabel("win rate")


def numbers_of(tuned: Sequence[Tuned]) -> list[str]:
    """Return the names of the numeric parameters."""
    return [one.name for one in tuned if isinstance(one, Range)]


# Choices --------------------------------------------------------------------------------------------------------------


def draw_choices(axes: Axes, evidence: Evidence, one: Choices, finding: TunedParameter) -> None:
    """Draw a bar for each choice, with the best values of the other parameters."""
    drawn = [choice_rates(evidence, one, place) for place in range(len(one.values))]
    rates = [float(rate.mean()) for rate in drawn]
    intervals = [tuple(np.quantile(rate, [0.025, 0.975])) for rate in drawn]
    places = range(len(one.values))
    colours = [ORANGE if value == finding.best else BLUE for value in one.values]
    axes.barh(places, rates, color=colours, alpha=0.85, height=0.62)
    errors = distances(rates, intervals)
    axes.errorbar(rates, places, xerr=errors, fmt="none", color=INK, elinewidth=1.4, capsize=3.5, capthick=1.2)
    axes.axvline(1 / evidence.tuning.base.seats, color=FAINT, linewidth=1, linestyle=DASHED)
    list_of_names(axes, [written(value) for value in one.values])
    at_right(axes, [percent(rate) for rate in rates])
    shares(axes.xaxis)
    axes.set_xlabel("win rate")
    likely = (finding.shares or {})[written(finding.best)]
    said = f"likelihood that {written(finding.best)} is the best: {100 * likely:.0f} %"
    heading(axes, f"Win rate by {one.name}", said, ORANGE)


def choice_rates(evidence: Evidence, one: Choices, choice: int) -> FloatArray:
    """Return draws of the win rate of one choice, with the best values of the other parameters."""
    ranges = [other for other in evidence.tuning.tuned if isinstance(other, Range)]
    all_choices = [other for other in evidence.tuning.tuned if isinstance(other, Choices)]
    zeros, ones = np.zeros(len(ranges)), np.ones(len(ranges))
    found = candidates(zeros, ones, choice_counts(evidence.tuning.tuned), partial(snap, ranges))
    choices = found.choices.copy()
    choices[:, all_choices.index(one)] = choice
    drawn = evidence.surface.draws(SurfacePoints(found.numbers, choices))
    return expit(drawn[cautious(drawn).argmax()])
