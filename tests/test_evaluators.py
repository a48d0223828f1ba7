"""What a leaf is worth: a simulation, the game's own estimate, or both, for any number of players."""

from __future__ import annotations

import numpy as np
import pytest
from auditing import problems_of
from variant_trees import uncompiled

import luozi
from luozi.search.tree.pool import FIXED_POINT

GAMES = ["lines:rows=3,columns=4,win_length=3", "lines:rows=3,columns=3,win_length=3,players=3"]


def estimate_at(game, state):
    """What the game says of a position, or its result."""
    if game.is_terminal(state):
        return game.result(state)
    values = np.zeros(game.players)
    game.evaluate(state.copy()[()], values)
    return values.tolist()


@pytest.mark.parametrize("spelling", GAMES)
@pytest.mark.parametrize("values", [{}, {"selection": "puct"}, {"rave": "fuego", "mcts_solver": "standard"}], ids=str)
def test_a_static_search_credits_the_games_own_estimate_and_plays_nothing(spelling, values):
    engine = uncompiled(spelling, evaluation="static", **values)
    game = engine.game
    for _ in range(60):
        step, state = engine.trace(game.new_state()), game.new_state()
        for one in step.path:
            state = game.after(state, one.chosen)
        assert step.simulation == ()
        assert step.credit == pytest.approx(estimate_at(game, state), abs=1e-6)
    assert problems_of(engine) == []


@pytest.mark.parametrize("spelling", GAMES)
def test_a_mixed_search_weighs_the_estimate_and_the_game_that_was_played(spelling):
    engine = uncompiled(spelling, evaluation="mix", mix=0.3)
    game = engine.game
    for _ in range(60):
        step, state = engine.trace(game.new_state()), game.new_state()
        for one in step.path:
            state = game.after(state, one.chosen)
        estimated = estimate_at(game, state)
        for name in step.simulation:
            state = game.after(state, game.string_to_action(state, name))
        expected = [0.3 * guess + 0.7 * result for guess, result in zip(estimated, game.result(state), strict=True)]
        assert step.credit == pytest.approx(expected, abs=1e-6)


STATIC = pytest.param({"evaluation": "static"}, marks=pytest.mark.long)


@pytest.mark.parametrize(
    "values", [pytest.param({"evaluation": "mix", "static_weight": 0.7}, marks=pytest.mark.long), STATIC], ids=str
)
def test_compiled_and_uncompiled_value_leaves_alike(values):
    game = luozi.game("connect4:rows=4,columns=4")
    found = []
    for compiled in (True, False):
        engine = luozi.Engine(game, seed=2, compiled=compiled, pool_size=5000, **values)
        found.append([candidate[:4] for candidate in engine.think(game.new_state(), iterations=300).candidates])
        assert engine.tree.sums[0] <= 300 * FIXED_POINT
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"static_weight": 0.2}, "static_weight has no effect without evaluation=mix"),
        (
            {"evaluation": "static", "playout_policy": True},
            "evaluation=static plays no playouts. Remove playout_policy",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(values, sentence):
    with pytest.raises(luozi.LuoziError, match=sentence):
        luozi.Options(**values)


class Silent(luozi.Game):
    """One move, and nothing to say about it."""

    actions = 1
    state = (("over", "?"),)

    def start(self, state):
        state.over = False

    def current_player(self, state):
        return 0

    def is_legal(self, state, action):
        return True

    def apply_action(self, state, action):
        state.over = True

    def is_terminal(self, state):
        return state.over

    def returns(self, state, returns):
        returns[0], returns[1] = 1.0, 0.0


def test_a_game_without_an_estimate_is_refused():
    with pytest.raises(luozi.LuoziError, match="evaluation=static needs a game that has evaluate, and Silent has none"):
        luozi.Engine(Silent(), evaluation="static")
