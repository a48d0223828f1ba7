"""Compiled and uncompiled rules say the same of every position, and the same sentences about illegal moves."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import luozi
from luozi.games import GAMES
from luozi.messages import LuoziError
from luozi.records.play import play_game
from luozi.records.record import move_text
from luozi.rules.compiled_rules import MANY, compile_rules, loaded_rules
from luozi.rules.move_names import read_move

SMALL = {  # of every built-in game; uncompiled rules are slow on large boards
    "gomoku": ("gomoku:size=7", "gomoku:size=7,exactly=true,forbidden=3.3"),
    "connect4": ("connect4", "connect4:forbidden=2.3"),
    "go": ("go:size=5", "go:size=5,superko=false"),
    "lines": ("lines:rows=4,columns=5,run=3,players=3",),
    "othello": ("othello:size=6", "othello:size=6,position=6/6/2OX2/2XO2/6/6.O"),
    "hex": ("hex:size=4", "hex:size=4,swap=true"),
    "y": ("y:size=4",),
    "breakthrough": ("breakthrough:rows=5,columns=4",),
    "amazons": ("amazons:size=4", "amazons:size=7"),
}
SPELLINGS = [spelling for name in GAMES for spelling in SMALL.get(name, (name,))]
MOST_MOVES = 60


@pytest.mark.parametrize("spelling", SPELLINGS)
@settings(max_examples=4, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1))
def test_compiled_and_uncompiled_rules_agree(spelling, seed):
    compiled, plain, rng = luozi.game(spelling), luozi.game(spelling), random.Random(seed)
    plain.compilable = False
    assert compile_rules(compiled)
    one, other = compiled.begin(), plain.begin()
    for _ in range(MOST_MOVES):
        assert loaded_rules(compiled)
        assert loaded_rules(plain) is None
        assert fields(compiled, one.state) == fields(plain, other.state)
        assert (one.to_move, one.returns, one.actions) == (other.to_move, other.returns, other.actions)
        action = rng.randrange(-1, plain.actions + 1)
        assert refusal(one, action) == refusal(other, action)
        if not one.actions:
            return
        action = rng.choice(one.actions)
        one, other = one.play(action), other.play(action)


def fields(game, state):
    """What of a state counts: all fields but those that the rules use as scratch."""
    names = [name for name in state.dtype.names if name not in game.scratch_fields]
    return {name: state[name].tolist() for name in names}


def refusal(position, action):
    """What is said about an action that is not legal; nothing if it is."""
    try:
        position.play(action)
    except LuoziError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("spelling", [one for one in SPELLINGS if luozi.game(one).fixed_names])
def test_fixed_names_are_fixed_and_lead_back(spelling):
    game, rng = luozi.game(spelling), random.Random(1)
    position, start = game.begin(), game.new_state()
    for _ in range(8):
        if position.returns is not None:
            return
        for action in rng.sample(position.actions, min(5, len(position.actions))):
            name = game.action_to_string(position.state, action)
            assert name == position.name(action) == game.action_to_string(start, action) == move_text(position, action)
            assert read_move(game, position.state, name) == action
        names = [game.action_to_string(start, action) for action in position.actions[:200]]
        assert len(set(names)) == len(names)
        position = position.play(rng.choice(position.actions))


def test_a_position_that_was_dropped_is_played_again():
    game = luozi.game("othello:size=6")
    compile_rules(game)
    line = [game.begin()]
    while line[-1].returns is None:
        line.append(line[-1].play(line[-1].actions[-1]))
    again = luozi.game("othello:size=6")
    again.compilable = False
    for position in line:
        assert position.state == again.begin().after(position.moves).state


def test_rules_are_compiled_after_many_games():
    game = luozi.game("breakthrough:rows=5,columns=4,position=OOOO/4/4/4/XXXX.X")
    players = [luozi.player(f"random:seed={seed}", game) for seed in range(2)]
    for _ in range(MANY // 5):
        play_game(game, players)
    assert loaded_rules(game)


def test_an_attribute_that_is_set_counts_at_once():
    game = luozi.game("go:size=5")
    compile_rules(game)
    over = game.begin().after([12, 25, 25])
    assert over.returns == (1.0, 0.0)
    game.head_start = 30.0
    assert game.begin().after([12, 25, 25]).returns == (0.0, 1.0)


class Counted(luozi.Game):
    """Say 0 or 1, three times."""

    players, actions, max_length = 2, 2, 3
    state = (("said", "i1"),)

    def start(self, state):
        pass

    def current_player(self, state):
        return state.said % 2

    def is_legal(self, state, action):
        return True

    def apply_action(self, state, action):
        state.said += 1

    def is_terminal(self, state):
        return state.said == 3

    def returns(self, state, returns):
        returns[:] = 0.5


def test_rules_of_users_stay_plain_python():
    assert compile_rules(Counted()) is None
    assert Counted().begin().after([0, 1, 0]).returns == (0.5, 0.5)
