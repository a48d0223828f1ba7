"""Figures for any experiment, and the names that fit into them."""

from __future__ import annotations

import pytest

from luozi.reports.figures import (
    CurvePanel,
    IntervalPanel,
    Series,
    curve_figure,
    figure_bytes,
    list_figure,
    svg_text,
)
from luozi.reports.labels import short_labels


def test_values_with_intervals_stand_beside_published_ones():
    intervals = [(0.3, 0.5), None]
    series = Series("measured", [0.5, 1], [0.4, 0.6], intervals), Series("source", [1], [0.5], published=True)
    curves = curve_figure([CurvePanel("Title", series, even=0.5)], "c", logarithmic=True, mark=(0.7, "here"))
    lists = list_figure(["one", "two"], [IntervalPanel("T", [0.4, 0.6], intervals, [0.5, None])], published="paper")
    bare = list_figure(["one", "two"], [IntervalPanel("T", [4, None], [None, None])], "{:.0f} games".format)
    for figure, words in (
        (curves, ("Title", "source", "here")),
        (lists, ("paper", "40.0 %")),
        (bare, ("two", "4 games")),
    ):
        assert figure_bytes(figure).startswith(b"\x89PNG")
        assert all(word in svg_text(figure) for word in words)


def test_panels_with_the_same_lines_share_one_legend():
    one, other = Series("one", [1, 2], [0.1, 0.2]), Series("other", [1, 2], [0.1, 0.2])
    same = curve_figure([CurvePanel(title, [one, other]) for title in "ab"])
    assert (len(same.legends), [axes.get_legend() for axes in same.axes]) == (1, [None, None])
    apart = curve_figure([CurvePanel("a", [one]), CurvePanel("b", [one]), CurvePanel("c", [one, other])])
    assert (len(apart.legends), [axes.get_legend() is None for axes in apart.axes]) == (0, [False, True, False])


@pytest.mark.parametrize(
    ("labels", "short"),
    [
        (["mcts:c=0.7,seconds=1", "mcts:c=1,seconds=1"], ["mcts:c=0.7", "mcts:c=1"]),
        (["mcts:c=0.7", "mcts:c=0.7,reuse_tree=false", "random"], ["mcts", "mcts:reuse_tree=false", "random"]),
        (["mcts:c=0.7", "mcts:c=0.7 #2"], ["mcts", "mcts #2"]),
        (["mcts:c=0.7", "flat:playouts=9"], ["mcts:c=0.7", "flat:playouts=9"]),
        (["gtp:seconds=9,a/b --x 1 -q", "gtp:seconds=9,a/b --x 2 -q"], ["gtp:b --x 1", "gtp:b --x 2"]),
        (["no player: at all", "x" * 40], ["no player: at all", "x" * 29 + "…"]),
        (["y" * 40 + "1", "y" * 40 + "2"], ["y" * 15 + "…" + "y" * 13 + "1", "y" * 15 + "…" + "y" * 13 + "2"]),
    ],
)
def test_short_labels_keep_what_tells_players_apart(labels, short):
    assert short_labels(labels) == short


def test_short_labels_are_never_alike():
    found = short_labels([f"gtp:{'x' * 30}{number}{'y' * 30}" for number in range(5)])
    assert len(set(found)) == 5
