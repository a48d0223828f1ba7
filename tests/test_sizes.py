"""Boards of about one size share their machine code: another size of a game compiles nothing new."""

from __future__ import annotations

import pytest
from numba import typeof

import luozi
from luozi.players.presets import strong_options


def argument_types(spelling: str) -> set[str]:
    """What a kernel is compiled for: the types of the game, of a position, and of the parts of its strongest search."""
    game = luozi.game(spelling)
    engine = luozi.Engine(game, pool_size=10_000, **strong_options(game))
    return {str(typeof(one)) for one in (game, game.empty_states(1), *engine.components, engine.tree)}


@pytest.mark.parametrize(
    "sizes",
    [
        ["gomoku", "gomoku:size=13", "gomoku:size=9", "gomoku:size=14"],
        ["gomoku:size=15,exact_length=true", "gomoku:size=9,exact_length=true", "gomoku:size=13,exact_length=true"],
        ["gomoku:size=19", "gomoku:size=20", "gomoku:size=17"],
        ["five3d", "five3d:size=5"],
        ["connect4", "connect4:rows=5,columns=6"],
        ["connect4:rows=9,columns=9", "connect4:rows=9,columns=12,blocked=3.4", "connect4:rows=12,columns=12"],
        ["qubic", "five3d:size=4,win_length=4,players=2"],
        ["lines:rows=7,columns=8,win_length=4", "lines:rows=6,columns=9,win_length=4"],
        ["tictactoe", "tictactoe:size=4,win_length=4"],
        ["go", "go:size=5", "go:size=9,komi=6.5"],
    ],
)
def test_sizes_of_a_game_share_their_code(sizes: list[str]) -> None:
    assert len({frozenset(argument_types(spelling)) for spelling in sizes}) == 1


def test_a_board_that_is_much_smaller_does_not_pay_for_a_large_one() -> None:
    sizes = ["gomoku:size=7", "gomoku", "gomoku:size=20"]
    assert [luozi.game(spelling).dtype.itemsize for spelling in sizes] == sorted(
        {luozi.game(spelling).dtype.itemsize for spelling in sizes}
    )
