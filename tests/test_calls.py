"""Bounds on the Python calls of common requests and on the chains of frames, at most 2 % above what was measured last.

A change that lowers a count lowers its bound here. `python -m benchmarks calls` has more requests.
"""

from __future__ import annotations

import sys

import pytest

from benchmarks import calls

pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="counts are for Python 3.11: later, comprehensions are no calls"
)


@pytest.mark.parametrize(
    ("game", "player", "most"),
    [
        ("gomoku", "mcts:iterations=200", 1_350),
        ("gomoku", "strong:iterations=200", 1_870),
        ("go:size=9", "mcts:iterations=200", 1_375),
        ("othello", "mcts:iterations=200", 1_145),
        ("connect4", "mcts:iterations=200", 1_430),
    ],
)
def test_think(game: str, player: str, most: int) -> None:
    count = calls.think(game, player)
    assert count.calls <= most
    assert count.deepest <= 12


def test_one_iteration() -> None:
    count = calls.one_iteration()
    assert count.calls <= 204
    assert count.deepest <= 9


@pytest.mark.parametrize(("game", "most"), [("gomoku:size=9", 330), ("othello", 360)])
def test_a_move_in_a_match(game: str, most: int) -> None:
    count = calls.move_in_match(game, 2, 4)
    assert count.calls <= most
    assert count.deepest <= 14


def test_a_click() -> None:
    assert calls.click("gomoku", calls.CLICKS["gomoku"]).calls <= 160
