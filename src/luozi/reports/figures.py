"""Figures with matplotlib's object interface, in one style with colours for the colour-blind.

A panel is a function of axes. `list_figure` and `curve_figure` draw any values with intervals; the figures of matches,
tuning and learning are beside their pages. `figure_bytes` and `svg_text` write figures.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator
from numpy.typing import NDArray

from luozi.reports.pages import COLOURS
from luozi.util.formats import percent

Interval = tuple[float, float]
FloatArray = NDArray[np.float64]
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

INK, FAINT, LINE, GROUND = (COLOURS[name].light for name in ("ink", "faint", "line", "ground"))
BLUE, ORANGE, GREEN, PURPLE, YELLOW = (COLOURS[name].light for name in ("blue", "orange", "green", "purple", "yellow"))
SERIES = (BLUE, ORANGE, GREEN, PURPLE, YELLOW, INK)
MARKERS = "osD^vPX*h"  # with the colours, so that no series is told by its colour alone
WIDTH = 8.4  # inches, for the full width of a page
HALF_WIDTH = 4.05  # for half of it
DOTS = 200  # per inch in a PNG
DASHED = (0, (4, 3))
DODGE = 0.06  # how far lines are moved apart on a logarithmic scale
PUBLISHED: dict[str, Any] = {  # how the figures of a source are drawn
    "color": ORANGE,
    "marker": "D",
    "markersize": 6,
    "markerfacecolor": GROUND,
    "markeredgewidth": 1.8,
    "linestyle": DASHED,
    "linewidth": 1.2,
    "zorder": 3,
}
STYLE: dict[str, str | float | bool] = {
    "font.family": "DejaVu Sans",  # it comes with matplotlib: figures are the same everywhere
    "font.size": 9,
    "text.parse_math": False,  # a dollar in a player's command is a dollar
    "text.color": INK,
    "figure.facecolor": GROUND,
    "figure.constrained_layout.use": True,
    "axes.facecolor": "none",
    "axes.edgecolor": LINE,
    "axes.labelcolor": FAINT,
    "axes.labelsize": 9,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlecolor": INK,
    "axes.titlepad": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": False,  # as in all other numbers here
    "grid.color": LINE,
    "grid.linewidth": 0.7,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": FAINT,
    "ytick.labelcolor": FAINT,
    "ytick.major.size": 0,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "lines.solid_capstyle": "round",
    "svg.hashsalt": "luozi",  # the same figure is the same file
}


def styled(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Return a function that draws in the style of this module, whatever matplotlib's settings are."""

    @wraps(function)
    def inner(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with matplotlib.rc_context(STYLE):  # type: ignore[arg-type]  # newer versions list all keys
            return function(*args, **kwargs)

    return inner


# Ways out ---------------------------------------------------------------------------------------------------------


@styled
def figure_bytes(figure: Figure, kind: str = "png") -> bytes:
    """Return a figure as the content of a file, `png` or `svg`."""
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a label in letters that the font lacks shows boxes
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(file, format=kind, dpi=DOTS, metadata=metadata, pad_inches=0.1)
    return file.getvalue()


def svg_text(figure: Figure) -> str:
    """Return a figure as SVG for `SvgFigure`: without a background, its words as text."""
    figure.patch.set_facecolor("none")
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        return figure_bytes(figure, "svg").decode()


# Axes -----------------------------------------------------------------------------------------------------------------


def new_figure(height: float, width: float = WIDTH) -> tuple[Figure, Axes]:
    """Return a figure of one panel, and the panel."""
    figure = Figure(figsize=(width, height))
    return figure, figure.add_subplot()


def whole_numbers(axis: Axis) -> None:
    """Put ticks at whole numbers, with commas between thousands."""
    axis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def shares(axis: Axis) -> None:
    """Put ticks in per cent, with labels that are not rounded."""
    axis.set_major_locator(MaxNLocator(nbins="auto", steps=[1, 2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.6g} %"))


def list_of_names(axes: Axes, names: Sequence[str]) -> None:
    """Put names on the y axis, from the top down."""
    axes.set_yticks(range(len(names)), names, color=INK)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)


def distances(values: Sequence[float], intervals: Sequence[Interval]) -> FloatArray:
    """Return the distances between values and the ends of their intervals, for error bars."""
    ends = [(max(0.0, v - low), max(0.0, high - v)) for v, (low, high) in zip(values, intervals, strict=True)]
    return np.array(ends).T


def heading(axes: Axes, title: str, said: str = "", colour: str = FAINT) -> None:
    """Set the title of a panel, and a few words of result on the right."""
    axes.set_title(title)
    axes.set_title(said, loc="right", color=colour, fontweight="normal", fontsize=9)


def height_for(lines: int) -> float:
    """Return the height in inches for a list of so many names."""
    return 1.0 + 0.4 * max(2, lines)


def at_right(axes: Axes, words: Sequence[str], head: str = "") -> None:
    """Write a column of words to the right of the panel."""
    for place, said in enumerate(words):
        beside(axes, said, (1, place), (8, 0), color=INK)
    beside(axes, head, (1, -0.5), (8, 9), va="baseline", color=FAINT)


def beside(axes: Axes, words: str, place: Interval, offset: tuple[int, int], color: str, va: str = "center") -> None:
    """Write words at a share of the panel's width and a value of its y axis, moved by some points."""
    axes.annotate(
        words,
        place,
        xycoords=("axes fraction", "data"),
        xytext=offset,
        textcoords="offset points",
        annotation_clip=False,
        va=va,
        color=color,
    )


# Values with intervals by name ----------------------------------------------------------------------------------------


class IntervalPanel(NamedTuple):
    """A value with its interval for each name, None where there is none, and published figures."""

    title: str
    values: Sequence[float | None]
    intervals: Sequence[Interval | None]
    published: Sequence[float | None] = ()


class ListGuides(NamedTuple):
    """Lines in a list: a value that all are compared with, and the places where a part of the list begins."""

    even: float | None = None
    parts: Sequence[int] = ()


NO_GUIDES = ListGuides()


@styled
def list_figure(
    names: Sequence[str],
    panels: Sequence[IntervalPanel],
    text: Callable[[float], str] = percent,
    x_label: str = "",
    published: str = "source",
    guides: ListGuides = NO_GUIDES,
) -> Figure:
    """Return panels side by side with one list of names."""
    figure = Figure(figsize=(WIDTH, 0.5 + height_for(len(names)) * (0.65 if len(names) > 9 else 0.9)))
    all_axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, panel in zip(all_axes, panels, strict=True):
        for part in guides.parts:
            axes.axhline(part - 0.5, color=FAINT, linewidth=0.8)
        if guides.even is not None:
            axes.axvline(guides.even, color=FAINT, linewidth=1, linestyle=DASHED)
        draw_intervals(axes, panel, text, published)
        axes.grid(axis="y", visible=False)
        heading(axes, panel.title)
    list_of_names(all_axes[0], names)
    if len(panels) == 1:
        all_axes[0].set_xlabel(x_label)
    else:
        figure.supxlabel(x_label, color=FAINT, fontsize=9)
    legend_of_all(figure, all_axes[:1])
    return figure


def draw_intervals(axes: Axes, panel: IntervalPanel, text: Callable[[float], str], published: str) -> None:
    """Draw values as points with their intervals, and as text on the right; a point may have no interval."""
    known = [
        (value, at, interval or (value, value))
        for at, (value, interval) in enumerate(zip(panel.values, panel.intervals, strict=True))
        if value is not None
    ]
    theirs = [(value, at) for at, value in enumerate(panel.published) if value is not None]
    if known:
        values, places, intervals = zip(*known, strict=True)
        label = "ours, with 95 % intervals" if theirs else "_"
        errors = distances(values, intervals)
        axes.errorbar(
            values, places, xerr=errors, fmt="o", color=BLUE, label=label, elinewidth=1.6, capsize=2.5, ms=5.5
        )
    if theirs:
        axes.plot(*zip(*theirs, strict=True), label=published, **{**PUBLISHED, "linestyle": ""})
    if text is percent:
        axes.set_xlim(-0.02, 1.02)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
    else:
        amounts(axes, text, [*(one[0] for one in known), *(one[0] for one in theirs)])
    at_right(axes, ["" if value is None else text(value) for value in panel.values])


def amounts(axes: Axes, text: Callable[[float], str], values: Sequence[float]) -> None:
    """Set an x axis for amounts, logarithmic if they are positive and far apart."""
    if values and min(values) > 0 and max(values) > 10 * min(values):
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(numticks=6))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.margins(x=0.1)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: text(value)))


# Lines ----------------------------------------------------------------------------------------------------------------


class Series(NamedTuple):
    """A line: values over x with their intervals. Published figures have none."""

    label: str
    x: Sequence[float]
    values: Sequence[float]
    intervals: Sequence[Interval | None] = ()
    x_intervals: Sequence[Interval | None] = ()
    published: bool = False


class CurvePanel(NamedTuple):
    """Lines over the same x."""

    title: str
    lines: Sequence[Series]
    y_label: str = "win rate"
    even: float | None = None  # where a line stands
    proportional: bool = False  # beside the line of as many times, on a logarithmic scale


@styled
def curve_figure(
    panels: Sequence[CurvePanel],
    x_label: str = "",
    logarithmic: bool = False,
    mark: tuple[float, str] | None = None,
    yardstick: str = "",
) -> Figure:
    """Return panels with lines, two in a row. `mark` is a vertical line; the line called `yardstick` is grey."""
    rows, columns = -(-len(panels) // 2), min(2, len(panels))
    figure = Figure(figsize=(WIDTH, 0.6 + 2.9 * rows))
    all_axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axes, panel in zip(all_axes, panels, strict=False):
        draw_curves(axes, panel, logarithmic, yardstick)
        x = {value for line in panel.lines for value in line.x}
        if mark is not None and min(x) <= mark[0] <= max(x):
            axes.axvline(mark[0], color=INK, linewidth=0.8, linestyle=":", label=mark[1])
        axes.set_xlabel(x_label)
        heading(axes, panel.title)
    for axes in all_axes[len(panels) :]:
        axes.remove()
    legends(figure, all_axes[: len(panels)])
    return figure


def draw_curves(axes: Axes, panel: CurvePanel, logarithmic: bool, yardstick: str) -> None:
    """Draw the lines of a panel, moved aside so that intervals do not overlap."""
    if panel.even is not None:
        axes.axhline(panel.even, color=FAINT, linewidth=1, linestyle=DASHED)
        axes.set_ylim(-0.03, 1.03)
    x = sorted({value for line in panel.lines for value in line.x})
    for place, line in enumerate(panel.lines):
        aside = 1 + DODGE * (place - (len(panel.lines) - 1) / 2) if logarithmic and not panel.proportional else 1.0
        draw_series(axes, line, place, aside, FAINT if line.label == yardstick else "")
    if logarithmic:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_locator(NullLocator())
        shown = x if len(x) < 8 else x[-1::-2][::-1]
        axes.set_xticks(shown, [f"{value:,g}" for value in shown])
    if panel.proportional:
        values = [*x, *(value for line in panel.lines for value in line.values)]
        axes.plot(x, x, color=FAINT, linewidth=1, linestyle=DASHED, label="as many times")
        axes.set_yscale("log", base=2)
        axes.set_ylim(0.8 * min(values), 1.25 * max(values))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        shares(axes.yaxis)
    axes.set_ylabel(panel.y_label)


def draw_series(axes: Axes, line: Series, place: int, aside: float = 1.0, colour: str = "") -> None:
    """Draw a line with its intervals; `place` chooses its colour and marker."""
    colour = colour or SERIES[place % len(SERIES)]
    x = [value * aside for value in line.x]
    if line.published:
        axes.plot(x, line.values, label=line.label, **PUBLISHED)
        return
    for values, intervals in ((line.values, line.intervals), (x, line.x_intervals)):
        if intervals:
            ends = [end or (value, value) for value, end in zip(values, intervals, strict=True)]
            errors = distances(values, ends)
            across, along = (errors, None) if values is x else (None, errors)
            axes.errorbar(x, line.values, along, across, color=colour, lw=0, elinewidth=1.4, capsize=2.5, alpha=0.7)
    marker = MARKERS[place % len(MARKERS)]
    axes.plot(x, line.values, color=colour, marker=marker, markersize=5, linewidth=1.6, label=line.label)


def legends(figure: Figure, all_axes: Sequence[Axes]) -> None:
    """Add one legend below if all panels have the same lines, else one to each panel that differs from the last."""
    labels = [axes.get_legend_handles_labels()[1] for axes in all_axes]
    if all(one == labels[0] for one in labels):
        legend_of_all(figure, all_axes[:1])
        return
    for place, axes in enumerate(all_axes):
        if place == 0 or labels[place] != labels[place - 1]:
            axes.legend(fontsize=7, loc="best")


def legend_of_all(figure: Figure, all_axes: Sequence[Axes]) -> None:
    """Add a legend below the panels, if they have more than one label."""
    handles, labels = all_axes[0].get_legend_handles_labels()
    if len(labels) > 1:
        figure.legend(handles, labels, loc="outside lower center", ncols=3)


def empty_figure(words: str) -> Figure:
    """Return a figure of words, where nothing can be drawn."""
    figure = Figure(figsize=(WIDTH, 1.2))
    figure.text(0.5, 0.5, words, ha="center", va="center", color=FAINT, fontsize=11)
    return figure
