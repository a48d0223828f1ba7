"""Figures for any experiment, and the names that fit into them."""

from __future__ import annotations

import pytest

from luozi.reports.plots import bar_plot, figure_bytes, rate_plot, short_labels, svg_text


def test_plots_of_experiments_stand_beside_their_source():
    intervals = [(0.3, 0.5), (0.5, 0.7)]
    rates = rate_plot([0.5, 1], [0.4, 0.6], intervals, [None, 0.5], title="Title", x_label="c", logarithmic=True)
    bars = bar_plot(["one", "two"], [0.4, 0.6], intervals, [0.5, None], reference_label="paper")
    bare = bar_plot(["one", "two"], [4, 6], even=None, text="{:.0f} games".format)
    for figure, words in ((rates, ("Title", "source")), (bars, ("paper", "40.0 %")), (bare, ("two", "6 games"))):
        assert figure_bytes(figure).startswith(b"\x89PNG")
        assert all(word in svg_text(figure) for word in words)


@pytest.mark.parametrize(
    ("labels", "short"),
    [
        (["mcts:c=0.7,seconds=1", "mcts:c=1,seconds=1"], ["mcts:c=0.7", "mcts:c=1"]),
        (["mcts:c=0.7", "mcts:c=0.7,keep=false", "random"], ["mcts", "mcts:keep=false", "random"]),
        (["mcts:c=0.7", "mcts:c=0.7 #2"], ["mcts", "mcts #2"]),
        (["mcts:c=0.7", "flat:simulations=9"], ["mcts:c=0.7", "flat:simulations=9"]),
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
