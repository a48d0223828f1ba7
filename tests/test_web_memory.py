"""The memory of the page's server while people play."""

from __future__ import annotations

import sys

import pytest

from benchmarks.web_memory import short_games
from luozi.web.limits import ServerLimits

MEMORY = 256.0  # megabytes, as --memory
GAMES = 600
SECONDS = 900.0
GROWTH = 1.15  # of the most memory in the last third of the games, over that of the second third


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is read from /proc")
def test_many_short_games_leave_the_server_within_its_memory_and_a_base():
    samples = short_games(MEMORY, 4, lambda one: one.games < GAMES and one.seconds < SECONDS)
    assert samples[-1].games > 60
    assert max(one.megabytes for one in samples) <= MEMORY + ServerLimits().base_megabytes
    most = [
        max(one.megabytes for one in samples if 3 * one.games // (samples[-1].games + 1) == part) for part in (1, 2)
    ]
    assert most[1] <= GROWTH * most[0]
