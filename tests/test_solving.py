"""The option `solve`: the exact solver before the search."""

from __future__ import annotations

import random

import pytest

import luozi
from luozi.solvers.solver import solve


def random_state(game, plies, seed):
    rng = random.Random(seed)
    while True:
        state = game.new_state()
        for _ in range(plies):
            if not game.is_terminal(state):
                state = game.after(state, rng.choice(game.legal_list(state)))
        if not game.is_terminal(state):
            return state


@pytest.mark.parametrize(("spelling", "plies"), [("tictactoe", 3), ("connect4:rows=4,columns=5", 6)])
def test_only_moves_that_keep_the_result_stay(spelling, plies):
    """Whatever the search thinks: it has 20 iterations."""
    game = luozi.game(spelling)
    engine = luozi.Engine(game, seed=1, exact_solver_nodes=10**6, iterations=20)
    thrown = 0
    for seed in range(25):
        state = random_state(game, plies, seed)
        thought = engine.think(state)
        optimal = solve(game, state).optimal_actions()
        assert thought.action in optimal
        assert {candidate.action for candidate in thought.candidates if not candidate.cut} == set(optimal)
        assert all(candidate.proven for candidate in thought.candidates)
        assert thought.pruned.get("exact_solver_nodes", 0) == len(thought.candidates) - len(optimal)
        thrown += len(optimal) < len(thought.candidates)
    assert thrown > 5


def test_candidates_carry_their_exact_results():
    game = luozi.game("tictactoe")
    state = random_state(game, 4, 3)
    thought = luozi.Engine(game, seed=1, exact_solver_nodes=10**6, iterations=20).think(state)
    for candidate in thought.candidates:
        assert candidate.means == solve(game, game.after(state, candidate.action)).values


def test_too_few_positions_leave_the_search_as_it_is():
    game = luozi.game("connect4")
    state = game.new_state()
    plain = luozi.Engine(game, seed=5, iterations=500).think(state)
    solved = luozi.Engine(game, seed=5, iterations=500, exact_solver_nodes=10).think(state)
    assert solved.candidates == plain.candidates


def test_a_solved_game_repeats_in_another_game():
    game = luozi.game("connect4:rows=4,columns=5")
    engine = luozi.Engine(game, seed=2, exact_solver_nodes=2000, iterations=100)
    moves = [0, 4, 1, 3, 2, 2, 0, 4]

    def answers() -> list[object]:
        begun = game.begin()
        return [engine.think(begun.after(moves[:plies])).candidates for plies in (2, 4, 6, 8)]

    assert answers() == answers()


def test_three_players_are_refused():
    with pytest.raises(luozi.LuoziError, match="exact_solver_nodes needs a game of two players, and five3d has 3"):
        luozi.Engine(luozi.game("five3d"), exact_solver_nodes=100)
