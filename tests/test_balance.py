"""Balanced openings: kept where nobody is ahead, and nowhere else."""

from __future__ import annotations

from functools import cache
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import luozi
from luozi.cli.app import main
from luozi.games.lines.rules import winning_segments
from luozi.limits import NEVER, NO_LIMITS
from luozi.matches.openings import balanced_openings, judged_openings, load_openings, numbered_opening
from luozi.messages import LuoziError
from luozi.players import Player, player

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@cache
def value(crosses: frozenset[int], noughts: frozenset[int]) -> float:
    """What the first player gets at tic-tac-toe, by looking at all games."""
    if any(set(line) <= noughts for line in LINES):
        return 0.0
    if any(set(line) <= crosses for line in LINES):
        return 1.0
    free = [cell for cell in range(9) if cell not in crosses | noughts]
    if not free:
        return 0.5
    if len(crosses) == len(noughts):
        return max(value(crosses | {cell}, noughts) for cell in free)
    return min(value(crosses, noughts | {cell}) for cell in free)


def test_an_opening_is_kept_exactly_where_perfect_play_draws() -> None:
    game = luozi.game("tictactoe")
    judged = list(islice(judged_openings(game, player("exact", game), plies=3, seed=5), 100))
    even = [one for one in judged if one.within(0.1)]
    expected = [
        one.actions for one in judged if value(frozenset(one.actions[::2]), frozenset(one.actions[1::2])) == 0.5
    ]
    assert 0 < len(even) < 100
    assert [one.actions for one in even] == expected
    kept = balanced_openings(game, player("exact", game), plies=3, within=0.1, seed=5)
    assert [one.actions for one in islice(kept, len(even))] == expected


def test_the_command_writes_what_a_match_reads(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["openings", "tictactoe", "-n", "3", "--plies", "2", "--evaluator", "exact", "--seed", "4"]) == 0
    text = capfd.readouterr().out
    path = tmp_path / "even.txt"
    path.write_text(text)
    read = load_openings(path, luozi.game("tictactoe"))
    assert [len(line) for line in read.lines] == [2, 2, 2]
    assert text.count("50%, 50%") == 3
    assert main(["openings", "tictactoe", "-n", "3", "--plies", "2", "--evaluator", "exact", "--seed", "4"]) == 0
    assert capfd.readouterr().out == text


def test_no_opening_comes_twice_and_their_end_is_a_sentence() -> None:
    game = luozi.game("tictactoe")
    found = judged_openings(game, player("exact", game), plies=1, seed=1)
    assert sorted(next(found).actions[0] for _ in range(9)) == list(range(9))
    with pytest.raises(LuoziError, match="only 9 openings of 1 moves"):
        next(found)


def test_a_judge_without_win_rates_is_refused() -> None:
    board = luozi.game("connect4:rows=4,columns=5")
    with pytest.raises(LuoziError, match="reports no win rates"):
        next(balanced_openings(board, player("random", board), plies=1, within=0.1, seed=1))


class Certain(Player):
    """Expects the same of every position."""

    def choose(self, position, limits=NO_LIMITS, cancel=NEVER):
        self.thought = SimpleNamespace(static=False, best=SimpleNamespace(means=(0.9, 0.1)))
        return position.actions[0]


def test_openings_that_are_never_even_end_with_advice() -> None:
    game = luozi.game("gomoku:size=7")
    with pytest.raises(LuoziError, match=r"none of 1,000 openings was balanced within 10%\. Raise --max-imbalance"):
        next(balanced_openings(game, Certain(game), plies=4, within=0.1, seed=1))


def test_three_who_will_draw_are_even() -> None:
    game = luozi.game("lines:rows=3,columns=3,win_length=3,players=3")
    judge = player("mcts:iterations=300,seed=1", game)
    found = next(balanced_openings(game, judge, plies=3, within=0.1, seed=1))
    assert max(found.means) - min(found.means) <= 0.2
    assert max(found.means) > 1 / 3 + 0.1  # a draw is worth a half to each of three


def test_stones_of_lively_openings_lie_in_line_and_leave_nobody_a_win() -> None:
    game = luozi.game("five3d")

    def longest(state: Any, player: int) -> int:
        """Most stones of a player in a winning segment that nobody else has stones in, counted cell by cell."""
        counts = []
        for line in winning_segments((6, 6, 6), 5, set()):
            stones = [int(state.board[cell]) for cell in line]
            counts.append(stones.count(player + 1) if set(stones) <= {0, player + 1} else 0)
        return max(counts)

    def state_after(choices: int, number: int) -> Any:
        state = game.new_state()
        for action in numbered_opening(game, 30, seed=1, number=number, choices=choices):
            state = game.after(state, action)
        return state

    lively = [longest(state_after(16, number), player) for number in range(4) for player in range(3)]
    random = [longest(state_after(1, number), player) for number in range(4) for player in range(3)]
    assert max(lively) == 3  # four would be a threat
    assert sum(lively) > sum(random) + len(lively) / 2


def test_lively_openings_are_for_games_of_lines() -> None:
    with pytest.raises(LuoziError, match="for line games only, not for hex"):
        numbered_opening(luozi.game("hex"), 2, seed=1, number=0, choices=4)
