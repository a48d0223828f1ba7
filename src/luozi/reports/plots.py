"""Figures by matplotlib's objects alone: no window and no global state. One style, colours that all eyes tell apart.

`rate_plot` and `bar_plot` are for any experiment; `panels.py` draws matches and tournaments. `figure_bytes` and
`svg_text` are the ways out; `short_labels` are players' names that fit into a figure.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Collection, Sequence
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from luozi.messages import LuoziError
from luozi.parameters import split_spelling
from luozi.players import PLAYERS, split_command
from luozi.reports.pages import COLOURS
from luozi.text import percent

Interval = tuple[float, float]
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
STYLE: dict[str, Any] = {
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
    """Let a function draw in the one style, whatever the user's own settings are."""

    @wraps(function)
    def inner(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with matplotlib.rc_context(STYLE):
            return function(*args, **kwargs)

    return inner


# Ways out ---------------------------------------------------------------------------------------------------------


@styled
def figure_bytes(figure: Any, kind: str = "png") -> bytes:
    """A figure as a file of this kind, `png` or `svg`."""
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a label in letters that the font lacks shows boxes
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(file, format=kind, dpi=DOTS, metadata=metadata, pad_inches=0.1)
    return file.getvalue()


def svg_text(figure: Any) -> str:
    """A figure for `page.Picture`: without a ground, its words as text."""
    figure.patch.set_facecolor("none")
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        return figure_bytes(figure, "svg").decode()


# Labels -----------------------------------------------------------------------------------------------------------


class Label(NamedTuple):
    """A player's label, taken apart: `mcts` with its parameters, or a program with its options."""

    kind: str
    pieces: dict[str, str]  # by the name of the parameter or option
    between: str  # pieces
    number: str  # such as ` #2`

    def text(self, without: Collection[str] = ()) -> str:
        """The label again, with these pieces left out."""
        pieces = [piece for name, piece in self.pieces.items() if name not in without]
        start = ":" if self.between == "," else " "
        return f"{self.kind}{start if pieces else ''}{self.between.join(pieces)}{self.number}"


def short_labels(labels: Sequence[str], longest: int = 30) -> list[str]:
    """Players' labels with what tells them apart: what all players of a kind share is left out.

    >>> short_labels(["mcts:iterations=1000,c=0.7", "mcts:iterations=1000,c=1.4", "random", "random #2"])
    ['mcts:c=0.7', 'mcts:c=1.4', 'random', 'random #2']
    >>> short_labels(["gtp:/usr/games/gnugo --mode gtp --level 1", "gtp:/usr/games/gnugo --mode gtp --level 10"])
    ['gtp:gnugo --level 1', 'gtp:gnugo --level 10']
    """
    taken = [take_apart(" ".join(label.split())) for label in labels]
    found = []
    for label in taken:
        alike = [other.pieces for other in taken if other.kind == label.kind]
        shared = [name for name, piece in label.pieces.items() if all(other.get(name) == piece for other in alike)]
        found.append(label.text(shared if len(alike) > 1 else ()))
    for cut in (clip_end, clip):
        clipped = [cut(label, longest) for label in found]
        if len(set(clipped)) == len(clipped):
            return clipped
    return [f"{number} {label}" for number, label in enumerate(clipped, 1)]


def take_apart(label: str) -> Label:
    """A label's parts; what is no player's spelling is one part."""
    spelling, number = re.fullmatch(r"(.*?)( #\d+)?", label).groups("")  # type: ignore[union-attr]
    name, _, rest = spelling.partition(":")
    kind = PLAYERS.get(name)
    try:
        if kind is not None and kind.runs_command:
            values = split_command(rest, kind)
            program, *options = re.findall(r"-\S+ [^-\s]\S*|\S+", values.pop("command"))
            pieces = {f"{place} {option.split()[0]}": option for place, option in enumerate(options)}
            pieces |= {key: f"{key}={value}" for key, value in values.items()}
            return Label(f"{name}:{program.rpartition('/')[2]}", pieces, " ", number)
        name, values = split_spelling(spelling)
        return Label(name, {key: f"{key}={value}" for key, value in values.items()}, ",", number)
    except (LuoziError, ValueError):
        return Label(spelling, {}, ",", number)


def clip_end(text: str, longest: int) -> str:
    """A text with an ellipsis for its end, if it is too long."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def clip(text: str, longest: int) -> str:
    """A text with an ellipsis for its middle, if it is too long.

    >>> clip("mcts:iterations=1000,c=0.71", 20)
    'mcts:itera…00,c=0.71'
    """
    half = (longest - 1) // 2
    return text if len(text) <= longest else f"{text[: longest - 1 - half]}…{text[-half:]}"


# Axes -----------------------------------------------------------------------------------------------------------------


def new_figure(height: float, width: float = WIDTH) -> tuple[Any, Any]:
    """A figure of one panel, and the panel."""
    figure = Figure(figsize=(width, height))
    return figure, figure.add_subplot()


def whole_numbers(axis: Any) -> None:
    """Ticks at whole numbers, with commas between the thousands."""
    axis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def shares(axis: Any) -> None:
    """Ticks in per cent, never rounded to a number at which they are not."""
    axis.set_major_locator(MaxNLocator(nbins="auto", steps=[1, 2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.6g} %"))


def list_of_names(axes: Any, names: Sequence[str]) -> None:
    """One line a name, from the top down."""
    axes.set_yticks(range(len(names)), names, color=INK)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)


def distances(values: Sequence[float], intervals: Sequence[Interval]) -> Any:
    """How far the ends of intervals are from their values, as error bars want it."""
    ends = [(max(0.0, v - low), max(0.0, high - v)) for v, (low, high) in zip(values, intervals, strict=True)]
    return np.array(ends).T


def heading(axes: Any, title: str, said: str = "", colour: str = FAINT) -> None:
    """The title of a panel, and in a few words on the right what it says."""
    axes.set_title(title)
    axes.set_title(said, loc="right", color=colour, fontweight="normal", fontsize=9)


# Plots for any experiment ---------------------------------------------------------------------------------------------


def draw_rates(
    axes: Any, x: Sequence[float], rates: Sequence[float], intervals: Sequence[Interval] | None, label: str, place: int
) -> None:
    """One series of rates with their intervals; `place` chooses its colour and its marker."""
    colour = SERIES[place % len(SERIES)]
    errors = None if intervals is None else distances(rates, intervals)
    axes.errorbar(x, rates, yerr=errors, color=colour, linewidth=0, elinewidth=1.8, capsize=3.5, capthick=1.5)
    axes.plot(x, rates, color=colour, marker=MARKERS[place % len(MARKERS)], markersize=6, linewidth=1.8, label=label)


def draw_reference(axes: Any, points: Sequence[tuple[float, float]], label: str, line: Any) -> None:
    """The figures of a source, and the legend that they need; nothing if it has none."""
    if points:
        style = {"markerfacecolor": GROUND, "markeredgewidth": 1.8, "linestyle": line, "linewidth": 1.2, "zorder": 3}
        axes.plot(*zip(*points, strict=True), color=ORANGE, marker="D", markersize=6, label=label, **style)
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0.2)


@styled
def rate_plot(
    x: Sequence[float],
    rates: Sequence[float],
    intervals: Sequence[Interval] | None = None,
    reference: Sequence[float | None] | None = None,
    *,
    title: str = "",
    x_label: str = "",
    y_label: str = "win rate",
    label: str = "measured",
    reference_label: str = "source",
    even: float | None = 0.5,
    logarithmic: bool = False,
) -> Any:
    """A rate over a parameter with its intervals, beside the figures of a source where it has some."""
    figure, axes = new_figure(3.4)
    if even is not None:
        axes.axhline(even, color=FAINT, linewidth=1, linestyle=DASHED)
    draw_rates(axes, x, rates, intervals, label, 0)
    pairs = zip(x, reference or [None] * len(x), strict=True)
    draw_reference(axes, [(at, rate) for at, rate in pairs if rate is not None], reference_label, DASHED)
    if logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
    if len(x) <= 12:
        axes.set_xticks(x, [f"{value:,g}" for value in x])
    shares(axes.yaxis)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    heading(axes, title)
    return figure


@styled
def bar_plot(
    labels: Sequence[str],
    values: Sequence[float],
    intervals: Sequence[Interval] | None = None,
    reference: Sequence[float | None] | None = None,
    *,
    title: str = "",
    value_label: str = "win rate",
    reference_label: str = "source",
    even: float | None = 0.5,
    text: Callable[[float], str] = percent,
) -> Any:
    """One bar a label with its interval and its value, and a mark where a source has its own."""
    figure, axes = new_figure(height_for(len(labels)))
    places = range(len(labels))
    axes.barh(places, values, color=BLUE, height=0.62)
    if intervals is not None:
        errors = distances(values, intervals)
        axes.errorbar(values, places, xerr=errors, fmt="none", color=INK, elinewidth=1.4, capsize=3.5, capthick=1.2)
    if even is not None:
        axes.axvline(even, color=FAINT, linewidth=1, linestyle=DASHED)
    known = [(value, place) for place, value in enumerate(reference or []) if value is not None]
    draw_reference(axes, known, reference_label, "")
    list_of_names(axes, labels)
    at_right(axes, [text(value) for value in values])
    if text is percent:
        shares(axes.xaxis)
    else:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: text(value)))
    axes.set_xlabel(value_label)
    heading(axes, title)
    return figure


def height_for(lines: int) -> float:
    """Inches for a list of so many names."""
    return 1.0 + 0.4 * max(2, lines)


def at_right(axes: Any, words: Sequence[str], head: str = "") -> None:
    """A column of words right of the panel, one a line, where nothing can cover them."""
    where = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "annotation_clip": False}
    for place, said in enumerate(words):
        axes.annotate(said, (1, place), xytext=(8, 0), va="center", color=INK, **where)
    axes.annotate(head, (1, -0.5), xytext=(8, 9), va="baseline", color=FAINT, **where)
