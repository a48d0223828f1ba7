"""Panels of a match or tournament, and `overview`, a figure of the most important ones.

Each `draw_...` fills one panel from a run and its summary; `panel_figure` returns a figure of one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import add

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.typing import HashableList

from luozi.matches.runner import Run, first_player_score, no_encounters, points_of
from luozi.matches.summary import Summary, ordered
from luozi.messages import counted
from luozi.reports.figures import (
    BLUE,
    DASHED,
    FAINT,
    INK,
    MARKERS,
    ORANGE,
    SERIES,
    WIDTH,
    FloatArray,
    at_right,
    beside,
    empty_figure,
    heading,
    height_for,
    list_of_names,
    new_figure,
    shares,
    styled,
    whole_numbers,
)
from luozi.reports.labels import short_labels
from luozi.statistics.matches import MatchScore, score_interval
from luozi.util.formats import percent, percent_interval

Panel = Callable[[Axes, Run, Summary], None]

STEPS = 240  # points of a curve over the games: more can't be seen
LONGEST_BAR = 300.0  # Elo: an error bar that is longer may leave the picture
BESIDE = 7  # a cross table of more players needs the whole width
SEATS_BESIDE = 4  # and so does a legend of more seats
PAIR_POINTS = ("0", "½", "1", "1½", "2")


# A match of two -------------------------------------------------------------------------------------------------------


def draw_score(axes: Axes, run: Run, summary: Summary) -> None:
    """Draw the score after each pair of games with its interval."""
    first, second = short_labels([row.label for row in summary.rows])
    games, scores, lows, highs = running_score(run)
    axes.axhline(0.5, color=FAINT, linewidth=1, linestyle=DASHED)
    axes.fill_between([0, *games], [0, *lows], [1, *highs], color=BLUE, alpha=0.16, linewidth=0)
    axes.plot(games, scores, color=BLUE, linewidth=2)
    axes.plot(games[-1:], scores[-1:], color=BLUE, marker="o", markersize=5, clip_on=False)
    settled = games >= games[-1] / 12  # the wild beginning may leave the picture
    low, high = min(0.48, *lows[settled]), max(0.52, *highs[settled])
    axes.set_ylim(max(-0.02, low - 0.03), min(1.02, high + 0.03))
    axes.set_xlim(0, games[-1])
    shares(axes.yaxis)
    whole_numbers(axes.xaxis)
    axes.set_xlabel("games")
    said = f"{percent(scores[-1])}, 95 % interval {percent_interval(lows[-1], highs[-1])}"
    both = f"Score of {first} against {second}"
    heading(axes, both if len(both) < 60 else f"Score of {first}", said, BLUE)


def running_score(run: Run) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return games, score and its 95 % interval after the pairs of a match, in the order of the schedule."""
    pairs: dict[int, list[float]] = {}
    for game in run.counted:
        pairs.setdefault(game.encounter, []).append(first_player_score(game))
    tallies = list(accumulate((MatchScore.of([scores]) for scores in pairs.values()), add))
    steps = [tallies[step - 1] for step in some_of(len(tallies))]
    intervals = np.array([score_interval(tally) for tally in steps])
    games, scores = np.array([tally.games for tally in steps]), np.array([tally.score for tally in steps])
    return games, scores, intervals[:, 0], intervals[:, 1]


def some_of(last: int) -> list[int]:
    """Return steps from 1 to the last, at most as many as can be seen."""
    return sorted({int(step) for step in np.linspace(1, last, min(last, STEPS))})


def draw_test(axes: Axes, run: Run, _summary: Summary) -> None:
    """Draw the log-likelihood ratio of the sequential test and its bounds."""
    assert run.sprt is not None
    games, ratios = running_test(run)
    for bound, elo, colour in ((run.sprt.upper, run.sprt.elo1, BLUE), (run.sprt.lower, run.sprt.elo0, ORANGE)):
        axes.axhline(bound, color=colour, linewidth=1.2, linestyle=DASHED)
        beside(axes, f"accepts Elo {elo:g}", (0.01, bound), (0, -8 if bound > 0 else 8), color=colour)
    axes.plot(games, ratios, color=INK, linewidth=1.6)
    axes.plot(games[-1:], ratios[-1:], color=INK, marker="o", markersize=4.5, clip_on=False)
    axes.set_ylim(min(run.sprt.lower, *ratios) * 1.12, max(run.sprt.upper, *ratios) * 1.12)
    axes.set_xlim(0, max(games[-1], 2))
    whole_numbers(axes.xaxis)
    axes.set_xlabel("games")
    heading(axes, "Log-likelihood ratio of the test", f"{ratios[-1]:.2f}", INK)


def running_test(run: Run) -> tuple[list[int], list[float]]:
    """Return games and the ratio after the complete encounters of the test."""
    assert run.sprt is not None
    size, seen = run.contest.seats, [no_encounters(run.contest.seats)]
    while len(seen) * size <= run.last and len(games := run.encounters.get(len(seen) - 1, [])) == size:
        seen.append(seen[-1].copy())
        seen[-1][points_of(games)] += 1
    steps = [0, *some_of(len(seen) - 1)]
    return [step * size for step in steps], [run.sprt.ratio(seen[step], size) for step in steps]


def draw_pairs(axes: Axes, _run: Run, summary: Summary) -> None:
    """Draw the number of pairs of games by points."""
    assert summary.duel is not None
    pairs = summary.duel.pairs
    bars = axes.bar(PAIR_POINTS, pairs, color=(ORANGE, ORANGE, FAINT, BLUE, BLUE), width=0.72)
    axes.bar_label(bars, [f"{count:,}" for count in pairs], padding=3, color=INK)
    axes.set_ylim(0, max(1, *pairs) * 1.14)
    axes.grid(axis="x", visible=False)
    whole_numbers(axes.yaxis)
    axes.set_xlabel(f"points of {short_labels([row.label for row in summary.rows])[0]} in a pair")
    heading(axes, "Pairs of games", counted(sum(pairs), "pair"))


def draw_lengths(axes: Axes, run: Run, summary: Summary) -> None:
    """Draw the lengths of games."""
    moves = np.array([game.moves for game in run.counted])
    width = max(1, math.ceil((np.ptp(moves) + 1) / 30))
    edges = np.arange(moves.min(), moves.max() + width + 1, width) - 0.5
    axes.hist(moves, edges.tolist(), color=BLUE, rwidth=0.88)
    axes.axvline(summary.moves, color=INK, linewidth=1.2)
    axes.set_xlim(edges[0] - width, edges[-1] + width)
    axes.grid(axis="x", visible=False)
    axes.set_xlabel("moves, with those of the opening")
    axes.set_ylabel("games")
    whole_numbers(axes.xaxis)
    whole_numbers(axes.yaxis)
    heading(axes, "Game length", f"mean {summary.moves:.1f}")


# A tournament, or any number of players -------------------------------------------------------------------------------


def ordered_labels(summary: Summary) -> list[str]:
    """Return the players' short labels, the best first."""
    labels = short_labels([row.label for row in summary.rows])
    return [labels[player] for player in ordered(summary)]


def draw_ratings(axes: Axes, _run: Run, summary: Summary) -> None:
    """Draw Elo with its 95 % interval, the best on top."""
    rows = [summary.rows[player] for player in ordered(summary)]
    elos, errors = [drawable(row.elo) for row in rows], [drawable(row.error) for row in rows]
    axes.axvline(0, color=FAINT, linewidth=1, linestyle=DASHED)
    axes.errorbar(elos, range(len(rows)), xerr=errors, fmt="o", color=BLUE, markersize=6.5, elinewidth=2.2, capsize=0)
    low = min(elo - min(error, LONGEST_BAR) for elo, error in zip(elos, errors, strict=True))
    high = max(elo + min(error, LONGEST_BAR) for elo, error in zip(elos, errors, strict=True))
    axes.set_xlim(low - (high - low) / 20 - 1, high + (high - low) / 20 + 1)
    list_of_names(axes, ordered_labels(summary))
    at_right(axes, [f"{elo:+.0f} ± {error:.0f}" for elo, error in zip(elos, errors, strict=True)])
    axes.set_xlabel("Elo; the mean of all is 0")
    heading(axes, "Ratings with 95 % intervals")


def drawable(value: float | None) -> float:
    """Return a number that can be drawn; 0 for none."""
    return value if value is not None and math.isfinite(value) else 0.0


def draw_cross_table(axes: Axes, run: Run, summary: Summary) -> None:
    """Draw the cross table with the players' names."""
    draw_cross_cells(axes, run, summary)
    list_of_names(axes, [f"{label}\u2003{place}" for place, label in enumerate(ordered_labels(summary), 1)])


def draw_cross_cells(axes: Axes, _run: Run, summary: Summary) -> None:
    """Draw points against each other in per cent; the colour is deeper further from an even result."""
    order = ordered(summary)
    for line, player in enumerate(order):
        for column, other in enumerate(order):
            if player != other and summary.meetings[player][other]:
                score = summary.points[player][other] / summary.meetings[player][other]
                draw_cell(axes, column, line, score, min(9, 120 / len(order)))
    places = [str(place) for place in range(1, len(order) + 1)]
    list_of_names(axes, places)
    axes.set_xlim(-0.5, len(order) - 0.5)
    axes.set_xticks(range(len(order)), places, color=INK)
    axes.tick_params(axis="x", length=0)
    axes.spines["bottom"].set_visible(False)
    axes.grid(visible=False)
    heading(axes, "Points against each other, %")


def draw_cell(axes: Axes, column: int, line: int, score: float, size: float) -> None:
    """Draw one cell of a cross table. Its number is readable on a light and on a dark background."""
    colour, depth = (BLUE if score >= 0.5 else ORANGE), 0.05 + 0.55 * abs(2 * score - 1)
    corner = (column - 0.47, line - 0.46)
    axes.add_patch(Rectangle(corner, 0.94, 0.92, facecolor=colour, alpha=depth, linewidth=0))
    axes.text(column, line, f"{100 * score:.0f}", ha="center", va="center", size=size)


def draw_seats(axes: Axes, _run: Run, summary: Summary) -> None:
    """Draw each player's score in each seat."""
    rows = [summary.rows[player] for player in ordered(summary)]
    seats = len(rows[0].seats)
    axes.axvline(1 / seats, color=FAINT, linewidth=1, linestyle=DASHED)
    for seat in range(seats):
        colour, marker = SERIES[seat % len(SERIES)], MARKERS[seat % len(MARKERS)]
        places = np.arange(len(rows)) + (seat - (seats - 1) / 2) * 0.5 / seats  # none covers another
        shown = [row.seats[seat] for row in rows]
        axes.plot(shown, places, color=colour, marker=marker, linestyle="", label=f"{seat + 1}", markersize=6)
    axes.set_xlim(-0.03, 1.03)
    shares(axes.xaxis)
    list_of_names(axes, ordered_labels(summary))
    at_right(axes, [percent(row.score) for row in rows], "all seats")
    axes.set_xlabel("score in this seat")
    heading(axes, "Score by seat")
    spaces = {"borderaxespad": 0.4, "handletextpad": -0.2, "columnspacing": 0.7}
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=seats, **spaces)


# Figures --------------------------------------------------------------------------------------------------------------


@styled
def panel_figure(panel: Panel, run: Run, summary: Summary, height: float = 2.9, width: float = WIDTH) -> Figure:
    """Return one panel as a figure."""
    figure, axes = new_figure(height, width)
    panel(axes, run, summary)
    return figure


@styled
def overview(run: Run, summary: Summary) -> Figure:
    """Return the most important panels in one figure."""
    if not summary.counted:
        return empty_figure("no game is finished yet")
    if summary.duel is not None:
        last = draw_test if run.sprt else draw_lengths
        return combine([[draw_score, draw_score], [draw_pairs, last]], (3.0, 2.6), run, summary)
    height = height_for(len(summary.rows))
    if len(summary.rows) == 2:
        return combine([[draw_ratings, draw_seats]], [height], run, summary)
    if len(summary.rows) > BESIDE or run.contest.seats > SEATS_BESIDE:
        return combine([[draw_ratings], [draw_cross_table]], [height, height], run, summary)
    return combine([[draw_ratings, draw_cross_cells], [draw_seats, draw_lengths]], [height, height], run, summary)


def combine(rows: Sequence[Sequence[Panel]], heights: Sequence[float], run: Run, summary: Summary) -> Figure:
    """Return panels in rows; a panel that is named twice in a row has both places."""
    panels = {panel.__name__: panel for row in rows for panel in row}
    figure = Figure(figsize=(WIDTH, sum(heights) + 0.4))
    names: list[HashableList[str]] = [[panel.__name__ for panel in row] for row in rows]
    axes = figure.subplot_mosaic(names, height_ratios=heights)
    for name, panel in panels.items():
        panel(axes[name], run, summary)
    words = f"{summary.game}, {counted(summary.counted, 'game')}, {summary.openings}, seed {summary.seed}"
    figure.suptitle(words, x=0.012, ha="left", color=FAINT, fontsize=9)
    figure.set_layout_engine("constrained", w_pad=0.12, h_pad=0.1)
    return figure
