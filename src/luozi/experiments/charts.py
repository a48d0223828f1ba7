"""Figures of several panels, for experiments that ask more than one question. The style is that of `reports.plots`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from luozi.experiments.table import number
from luozi.reports.plots import (
    BLUE,
    DASHED,
    FAINT,
    GROUND,
    INK,
    MARKERS,
    ORANGE,
    SERIES,
    WIDTH,
    at_right,
    distances,
    heading,
    height_for,
    list_of_names,
    shares,
    styled,
)

Interval = tuple[float, float]
DODGE = 0.06  # how far series are moved apart, so that their intervals don't hide each other


class Points(NamedTuple):
    """One panel of a list: a value with its interval for each name, None where there is none."""

    title: str
    values: Sequence[float | None]
    intervals: Sequence[Interval | None]
    reference: Sequence[float | None] = ()  # a source's own figures


class Series(NamedTuple):
    """One line of a panel."""

    label: str
    x: Sequence[float]
    rates: Sequence[float]
    intervals: Sequence[Interval]


@styled
def score_panels(names: Sequence[str], panels: Sequence[Points], label: str, parts: Sequence[int] = ()) -> Any:
    """Scores as points on one list of names, a colour a panel, beside the line of equal players.

    `parts` are the places where a new part of the list begins.
    """
    figure, all_axes = side_by_side(names, panels)
    for place, (axes, panel) in enumerate(zip(all_axes, panels, strict=True)):
        axes.axvline(0.5, color=INK, linewidth=1, linestyle=DASHED)
        for part in parts:
            axes.axhline(part - 0.5, color=FAINT, linewidth=0.8)
        draw_points(axes, panel, SERIES[place], MARKERS[place])
        axes.set_xlim(-0.02, 1.02)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
        at_right(axes, ["" if value is None else f"{100 * value:.0f}" for value in panel.values])
        heading(axes, panel.title)
    figure.supxlabel(label, color=FAINT, fontsize=9)
    return figure


@styled
def amount_panels(names: Sequence[str], panels: Sequence[Points], label: str, reference_label: str) -> Any:
    """Amounts as points on a logarithmic scale, beside those of a source."""
    figure, all_axes = side_by_side(names, panels)
    for axes, panel in zip(all_axes, panels, strict=True):
        axes.set_xscale("log")
        draw_points(axes, panel, BLUE, "o", label)
        known = [(value, at) for at, value in enumerate(panel.reference) if value is not None]
        if known:
            style = {"markerfacecolor": GROUND, "markeredgewidth": 1.8, "linewidth": 0}
            axes.plot(*zip(*known, strict=True), color=ORANGE, marker="D", markersize=6, label=reference_label, **style)
        axes.xaxis.set_major_locator(LogLocator(numticks=6))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
        axes.margins(x=0.1)
        at_right(axes, ["" if value is None else number(value) for value in panel.values])
        heading(axes, panel.title)
    handles, labels = all_axes[0].get_legend_handles_labels()
    figure.legend(handles[::-1], labels[::-1], loc="outside lower center", ncols=2)
    return figure


@styled
def line_panels(panels: Sequence[tuple[str, Sequence[Series]]], x_label: str) -> Any:
    """Rates over a budget on a logarithmic scale, a line a board; all panels share their axes."""
    rows = -(-len(panels) // 2)
    figure = Figure(figsize=(WIDTH, 0.6 + 2.7 * rows))
    all_axes = figure.subplots(rows, 2, sharex=True, sharey=True, squeeze=False).flat
    for axes, (title, lines) in zip(all_axes, panels, strict=True):
        axes.axhline(0.5, color=FAINT, linewidth=1, linestyle=DASHED)
        for place, line in enumerate(lines):
            draw_line(axes, line, place, SERIES[place % len(SERIES)], place - (len(lines) - 1) / 2)
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_locator(NullLocator())
        ticks = sorted({value for line in lines for value in line.x})
        axes.set_xticks(ticks[-1::-2][::-1], [f"{value:,g}" for value in ticks[-1::-2][::-1]])
        axes.set_ylim(-0.03, 1.03)
        shares(axes.yaxis)
        heading(axes, title)
    for axes in all_axes[-2:]:
        axes.set_xlabel(x_label)
    for axes in all_axes[::2]:
        axes.set_ylabel("win rate")
    figure.legend(*all_axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


@styled
def scaling_panels(
    speeds: Sequence[tuple[str, Sequence[Series]]],
    rates: Sequence[tuple[str, Sequence[Series]]],
    cores: int,
    yardstick: str = "",
) -> Any:
    """Speed-ups by number of threads, a panel a game, beside the line of as many times the speed; then win rates.

    The series of this name is what the others are measured by, and grey.
    """
    panels = [*speeds, *rates]
    rows, columns = -(-len(panels) // 2), min(2, len(panels))
    figure = Figure(figsize=(WIDTH, 0.4 + 3.2 * rows))
    all_axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for place, (axes, (title, lines)) in enumerate(zip(all_axes, panels, strict=False)):
        counts = sorted({value for line in lines for value in line.x})
        if place < len(speeds):
            axes.plot(counts, counts, color=FAINT, linewidth=1, linestyle=DASHED, label="as many times")
            values = [*counts, *(value for line in lines for value in line.rates)]
            axes.set_yscale("log", base=2)
            axes.set_ylim(0.8 * min(values), 1.25 * max(values))
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axes.set_ylabel("speed-up")
        else:
            axes.axhline(0.5, color=FAINT, linewidth=1, linestyle=DASHED)
            axes.set_ylim(-0.03, 1.03)
            shares(axes.yaxis)
            axes.set_ylabel("win rate against one thread")
        for number_of, line in enumerate(lines):
            colour = FAINT if line.label == yardstick else SERIES[number_of % len(SERIES)]
            draw_line(axes, line, number_of, colour, 0 if place < len(speeds) else number_of - (len(lines) - 1) / 2)
        if counts and counts[0] <= cores <= counts[-1]:
            axes.axvline(cores, color=INK, linewidth=0.8, linestyle=":", label="cores of this machine")
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticks(counts, [f"{value:g}" for value in counts])
        axes.set_xlabel("threads")
        if place in (0, len(speeds)):  # the panels of a kind have the same lines
            axes.legend(fontsize=7, loc="upper left" if place < len(speeds) else "lower right")
        heading(axes, title)
    for axes in all_axes[len(panels) :]:
        axes.remove()
    return figure


def draw_line(axes: Any, line: Series, place: int, colour: str, aside: float) -> None:
    """One line with its intervals, moved aside by so many steps so that it hides no other's."""
    x, marker = [value * (1 + DODGE * aside) for value in line.x], MARKERS[place % len(MARKERS)]
    errors = distances(line.rates, line.intervals)
    axes.errorbar(x, line.rates, yerr=errors, color=colour, linewidth=0, elinewidth=1.1, capsize=2, alpha=0.6)
    axes.plot(x, line.rates, color=colour, marker=marker, markersize=4.5, linewidth=1.5, label=line.label)


def side_by_side(names: Sequence[str], panels: Sequence[Points]) -> tuple[Any, Any]:
    """A figure with a panel for each, and one list of names on the left."""
    figure = Figure(figsize=(WIDTH, 0.2 + 0.65 * height_for(len(names))))
    all_axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    list_of_names(all_axes[0], names)
    for axes in all_axes[1:]:
        axes.grid(axis="y", visible=False)
    return figure, all_axes


def draw_points(axes: Any, panel: Points, colour: str, marker: str, label: str = "") -> None:
    """The values of a panel with their intervals; a point without an interval stands alone."""
    known = [
        (value, at, interval or (value, value))
        for at, (value, interval) in enumerate(zip(panel.values, panel.intervals, strict=True))
        if value is not None
    ]
    if known:
        values, places, intervals = zip(*known, strict=True)
        style = {"linewidth": 0, "elinewidth": 1.6, "capsize": 2.5, "markersize": 5.5, "label": label}
        axes.errorbar(values, places, xerr=distances(values, intervals), color=colour, marker=marker, **style)
