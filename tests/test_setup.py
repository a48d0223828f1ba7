"""A position that was set up is the position: for every built-in game, whatever led there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import luozi
from luozi import Setup
from luozi.messages import LuoziError

GAMES = [
    "tictactoe",
    "tictactoe:players=3,size=4,win_length=3",
    "gomoku:size=7",
    "gomoku:size=15,exact_length=true",
    "connect4",
    "connect4:rows=5,columns=6,blocked=2.3",
    "qubic",
    "five3d:size=3,win_length=3",
    "lines:layers=3,rows=3,columns=3,win_length=3,gravity=true",
    "go:size=5,superko=false",
    "go:size=9,superko=false,handicap=2",
    "hex:size=4",
    "y:size=4",
    "othello:size=6",
    "breakthrough:rows=5,columns=4",
    "amazons:size=5",
    "nim",
]


@pytest.mark.parametrize("spelling", GAMES)
@settings(max_examples=15, deadline=None)
@given(plies=st.integers(0, 60), seed=st.integers(0, 2**20))
def test_a_position_survives_the_way_out_and_back_in(spelling: str, plies: int, seed: int) -> None:
    game, rng = luozi.game(spelling), np.random.default_rng(seed)
    position = game.begin()
    for _ in range(plies):
        following = position.play(int(rng.choice(position.actions)))
        if following.returns is not None:
            break
        position = following
    setup = game.setup_of(position.state)
    again = game.begin(setup)
    assert game.setup_of(again.state) == setup
    assert again.to_move == position.to_move
    assert again.actions == position.actions
    assert game.show(again.state) == game.show(position.state)
    for action in position.actions[:8]:
        one, other = position.play(action), again.play(action)
        assert one.returns == other.returns
        assert game.setup_of(one.state) == game.setup_of(other.state)


@pytest.mark.parametrize(
    ("spelling", "setup", "sentence"),
    [
        ("tictactoe", Setup(((4, 0, ""), (4, 1, ""))), "two stones are on one cell"),
        ("tictactoe", Setup(((9, 0, ""),)), "a stone is on a cell outside the board"),
        ("tictactoe", Setup(((4, 2, ""),)), "players are 0 to 1"),
        ("connect4", Setup(((0, 0, ""),)), "a stone has nothing below it"),
        ("go:size=2", Setup(((0, 0, ""), (1, 1, ""), (2, 1, ""))), "has no liberty; leave it out"),
        ("nim", Setup(), "put a stone at least into one of the heaps"),
        ("amazons", Setup(), "each player has 4 queens"),
        ("go:size=5", Setup(extra={"colour": 1}), "a setup of this game has no 'colour' that is 1"),
        ("go:size=5", Setup(extra={"captured.7": 1}), "a setup of this game has no 'captured.7' that is 1"),
    ],
)
def test_a_setup_that_is_no_position_is_refused_with_its_rule(spelling: str, setup: Setup, sentence: str) -> None:
    game = luozi.game(spelling)
    with pytest.raises(LuoziError, match=sentence):
        game.begin(setup)
    with pytest.raises(LuoziError, match=sentence):
        game.begin().edit(setup)
