"""Pruning by candidates, and by how much a move changes whose the board is."""

from __future__ import annotations

import random
from statistics import fmean, pvariance

import numpy as np
import pytest
from test_go_playouts import board

import luozi
from luozi.messages import LuoziError
from luozi.search.root_solvers import kept_moves, shares_of_change


def test_the_shares_of_change_are_those_of_the_formula():
    """T = (black - white)/n, delta = T(before) - T(after), D its variance over the points, Phi = D / sum of D."""
    rng, games = random.Random(1), 50
    counts = [[[rng.randrange(games + 1) for _ in range(6)]] for _ in range(4)]
    owned = [[row[0], [games - black for black in row[0]]] for row in counts]
    after = [[(b - w) / games for b, w in zip(*row, strict=True)] for row in owned]
    before = [fmean(values) for values in zip(*after, strict=True)]
    spread = [pvariance([old - new for old, new in zip(before, values, strict=True)]) for values in after]
    phi, _sure = shares_of_change(np.array(owned, float), games)
    assert phi.tolist() == pytest.approx([one / sum(spread) for one in spread])


def test_noise_alone_cuts_nothing():
    owned = np.random.default_rng(2).binomial(40, 0.5, (9, 1, 81)).astype(float)
    phi, sure = shares_of_change(np.concatenate([owned, 40 - owned], axis=1), 40)
    assert not sure
    assert phi.sum() == pytest.approx(1.0)


def test_moves_outside_the_bounds_are_cut_only_where_one_is_inside():
    assert kept_moves(np.array([0.05, 0.45, 0.5]), [1, 2, 3], 0.25, 1.4) == [2]
    assert kept_moves(np.array([0.0, 0.0, 1.0]), [1, 2, 3], 0.5, 2.0) == [1, 2, 3]


class Claims(luozi.Game):
    """Two moves; after the first one that is 0 all four points are X's, after any other the last two are O's."""

    actions, points, max_length = 3, 4, 2
    state = (("first", "i1"), ("moves", "i1"))

    def start(self, state):
        state.first, state.moves = -1, 0

    def current_player(self, state):
        return state.moves % 2

    def is_legal(self, state, action):
        return True

    def apply_action(self, state, action):
        if state.moves == 0:
            state.first = action
        state.moves += 1

    def is_terminal(self, state):
        return state.moves == 2

    def returns(self, state, returns):
        returns[0], returns[1] = 0.5, 0.5

    def point_owners(self, state, owners):
        for point in range(4):
            owners[point] = 1 if state.first == 0 or point < 2 else 2


def engine_of(game, **values):
    return luozi.Engine(game, seed=1, compiled=False, pool_size=5000, **values)


@pytest.mark.parametrize(("low", "high", "kept"), [(1.0, 9.0, {0}), (0.0, 1.0, {1, 2}), (0.0, 9.0, {0, 1, 2})])
def test_moves_that_change_too_little_or_too_much_are_cut_and_counted(low, high, kept):
    """By hand: T after 0 is (1, 1, 1, 1), after the others (1, 1, -1, -1); D is 4/9, 1/9 and 1/9, Phi 2/3, 1/6, 1/6."""
    game = Claims()
    engine = engine_of(game, ownership=True, territory_playouts=3, territory_min_share=low, territory_max_share=high)
    thought = engine.think(game.new_state(), iterations=20)
    assert {candidate.action for candidate in thought.candidates if candidate.visits} == kept
    assert thought.pruned.get("territory_playouts", 0) == 3 - len(kept)


def test_candidates_leave_out_own_eyes_and_empty_edges_and_keep_the_pass():
    game, state = board(".XX.... XX..... XXX.... .X..... ....... ....... .......", 7, last="B4")
    engine = engine_of(game, candidates_only=True, rave="fuego")
    thought = engine.think(state, iterations=20)
    names = {branch.name for branch in engine.subtree(1, 0).children}
    assert not {"A7", "G1", "G2", "F1"} & names
    assert {"pass", "E4", "C4"} <= names
    assert thought.pruned["candidates_only"] > 0


def names_of(game, actions, count):
    return {game.action_to_string(None, int(action)) for action in actions[:count]}


def candidates_of(game, state):
    actions = np.zeros(game.actions, np.int64)
    count = game.legal_actions(state, actions)
    return names_of(game, actions, game.candidates(state, actions, count))


def test_a_move_that_throws_stones_into_an_eye_to_kill_is_a_candidate():
    """White fills an eye of five points but one: whoever takes four stones in a square has one eye."""
    game, state = board("O.XXO.. OO.XO.. XXXXO.. OOOOO.. ....... ....... .......", 7, last="E4", to_move="O")
    assert {"B7", "C6"} <= candidates_of(game, state)


def test_as_many_stones_thrown_away_for_nothing_are_none():
    game, state = board("O.XX... OO.X... XXXX... ....... ....... ....... .......", 7, last="D5", to_move="O")
    assert not {"B7", "C6"} & candidates_of(game, state)


@pytest.mark.parametrize(("size", "least"), [(2, 4), (3, 1), (4, 4), (5, 1)])
def test_small_boards_have_candidates_beside_the_pass(size, least):
    game = luozi.game(f"go:size={size}")
    found = candidates_of(game, game.new_state())
    assert "pass" in found
    assert len(found) == 1 + least


def test_the_pass_is_never_cut_by_territory():
    """Two moves that change everything, and a pass that changes nothing: it stays, whatever the bounds."""

    class Claimed(Claims):
        pass_action = 1

    game = Claimed()
    engine = engine_of(game, ownership=True, territory_playouts=3, territory_min_share=1.0, territory_max_share=9.0)
    thought = engine.think(game.new_state(), iterations=20)
    assert {candidate.action for candidate in thought.candidates if candidate.visits} == {0, 1}
    assert thought.pruned["territory_playouts"] == 1


def test_games_without_candidates_or_points_say_so():
    with pytest.raises(LuoziError, match="candidates_only needs a game that has candidates, and tictactoe has none"):
        luozi.Engine(luozi.game("tictactoe"), candidates_only=True)
    with pytest.raises(LuoziError, match="territory_playouts has no effect without ownership"):
        luozi.Options(territory_playouts=10)
