"""Bounds on the Python calls of common requests and on the chains of frames, 5 % above what was measured last.

A change that lowers a count lowers its bound here. `python -m benchmarks calls` has more requests.
"""

from __future__ import annotations

import sys

import pytest

from benchmarks import calls

pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="counts are for Python 3.11: later, comprehensions are no calls"
)


def test_think() -> None:
    count = calls.think("gomoku")
    assert count.calls <= 5_150
    assert count.deepest <= 17


@pytest.mark.parametrize(("game", "most"), [("gomoku:size=9", 605), ("othello", 682)])
def test_a_move_in_a_match(game: str, most: int) -> None:
    count = calls.move_in_match(game, 2, 4)
    assert count.calls <= most
    assert count.deepest <= 25


def test_a_click() -> None:
    assert calls.click("gomoku", calls.CLICKS["gomoku"]).calls <= 1_260
