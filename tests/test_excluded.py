"""Moves that were left out without a reason prove nothing; those that lose for certain do."""

from __future__ import annotations

import numpy as np
import pytest
from auditing import Exact, wrong_proofs

import luozi

DEPTH, MOVES = 4, 4


class Fork(luozi.Game):
    """Four moves four times, then a result out of a table, by two or three players; some moves are no candidates."""

    players, actions, max_length, points, single_winner = 2, MOVES, DEPTH, 2, True
    state = (("path", "i4"), ("moves", "i4"))

    def __init__(self, seed: int, players: int = 2):
        generator, self.players = np.random.default_rng(seed), players
        vectors = np.array([*np.eye(players), [0.5] * players])
        drawn = generator.integers(len(vectors), size=MOVES**DEPTH)
        drawn[generator.random(MOVES**DEPTH) < 0.6] = seed % players  # so that some positions are decided
        self.table = vectors[drawn].reshape(-1)
        self.worth_a_look = generator.integers(1, 1 << MOVES, size=MOVES**DEPTH)  # bits, by path

    def start(self, state):
        pass

    def current_player(self, state):
        return state.moves % self.players

    def is_legal(self, state, action):
        return True

    def apply_action(self, state, action):
        state.path = MOVES * state.path + action
        state.moves += 1

    def is_terminal(self, state):
        return state.moves == DEPTH

    def returns(self, state, returns):
        for player in range(self.players):
            returns[player] = self.table[self.players * state.path + player]

    def priors(self, state, actions, count, values):
        for index in range(count):
            values[index] = (1 + (self.worth_a_look[state.path] >> actions[index] & 1)) / 3

    def candidates(self, state, actions, count):
        kept = 0
        for index in range(count):
            action = actions[index]
            if self.worth_a_look[state.path] >> action & 1:
                actions[index], actions[kept] = actions[kept], action
                kept += 1
        return max(kept, 1)

    def point_owners(self, state, owners):
        owners[1] = 1
        owners[0] = 1 + (self.table[self.players * state.path] > 0.5)


SETTINGS = {
    "candidates": {"candidates_only": True},
    "candidates, puct": {"candidates_only": True, "selection": "puct"},
    "candidates, decisive_moves": {"candidates_only": True, "decisive_moves": True, "avoid_immediate_loss": True},
    "candidates, keep_proven_win": {"candidates_only": True, "keep_proven_win": True, "keep_playout_win": True},
    "candidates, share": {"candidates_only": True, "transpositions": True},
    "territory": {"territory_playouts": 4, "ownership": True, "territory_min_share": 0.9, "territory_max_share": 1.1},
    "decisive_moves, avoid_immediate_loss": {"decisive_moves": True, "avoid_immediate_loss": True},
    "keep_proven_win, keep_playout_win": {"keep_proven_win": True, "keep_playout_win": True},
    "uncertain": {"prune_ratio": 0.9, "prune_after": 0.1, "prune_min_visits": 2},
    "expand_after": {"expand_after": 3},
    "a small pool": {"pool_size": 40},
}


def problems_of(game: luozi.Game, iterations: int = 250, **options: object) -> list[str]:
    """The false proofs of one search."""
    options = {"mcts_solver": "standard", "pool_size": 3000, **options}
    engine = luozi.Engine(game, seed=3, compiled=False, **options)
    engine.think(game.new_state(), iterations=iterations)
    return [one for one in wrong_proofs(engine, Exact(game), 0) if one != "nothing is proven"]


def settings_for(name: str, players: int) -> dict[str, object]:
    if players > 2 and name == "territory":
        pytest.skip("a point has two owners here")
    return SETTINGS[name]


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("players", [2, 3])
def test_no_rule_of_pruning_makes_a_false_proof(name: str, players: int) -> None:
    for seed in range(6):
        assert problems_of(Fork(seed, players), **settings_for(name, players)) == []


@pytest.mark.long
@pytest.mark.parametrize("prove", ["standard", "paranoid", "first_winner"])
@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("players", [2, 3])
def test_no_rule_of_pruning_makes_a_false_proof_in_many_games(name: str, players: int, prove: str) -> None:
    for seed in range(100, 160):
        assert problems_of(Fork(seed, players), mcts_solver=prove, **settings_for(name, players)) == []


class OneWayOut(Fork):
    """Whoever moves first loses, but by the move that is no candidate."""

    def __init__(self, result: float = 1.0):
        super().__init__(0)
        self.table = np.tile([0.0, 1.0], MOVES**DEPTH)
        first = np.arange(MOVES**DEPTH) // MOVES ** (DEPTH - 1) == MOVES - 1
        self.table[:] = np.where(np.repeat(first, 2), np.tile([result, 1 - result], MOVES**DEPTH), self.table)
        self.worth_a_look = np.full(MOVES**DEPTH, (1 << MOVES) - 1)
        self.worth_a_look[0] = (1 << (MOVES - 1)) - 1

    def candidates(self, state, actions, count):
        if state.moves > 0:
            return count
        kept = 0
        for index in range(count):
            action = actions[index]
            if action < MOVES - 1:
                actions[index], actions[kept] = actions[kept], action
                kept += 1
        return kept


@pytest.mark.parametrize("result", [1.0, 0.5])
def test_a_position_whose_candidates_all_lose_is_not_proven_to_lose(result: float) -> None:
    game = OneWayOut(result)
    engine = luozi.Engine(game, seed=1, compiled=False, mcts_solver="standard", candidates_only=True, pool_size=3000)
    thought = engine.think(game.new_state(), iterations=3000)
    assert not engine.subtree(depth=1).proven
    assert all(one.proven and one.means[0] == 0 for one in thought.candidates if not one.cut)
    assert not any(one.proven for one in thought.candidates if one.cut)
    assert thought.iterations < 3000  # nothing is left to look at


def test_a_win_among_the_candidates_is_proven_all_the_same() -> None:
    game = OneWayOut()
    game.table[: 2 * MOVES ** (DEPTH - 1)] = np.tile([1.0, 0.0], MOVES ** (DEPTH - 1))  # the first move wins
    engine = luozi.Engine(game, seed=1, compiled=False, mcts_solver="standard", candidates_only=True, pool_size=3000)
    thought = engine.think(game.new_state(), iterations=3000)
    assert (thought.action, thought.best.proven) == (0, True)
    assert engine.subtree(depth=1).proven


def test_a_position_whose_moves_all_lose_but_those_that_territory_cuts_is_not_proven_to_lose() -> None:
    game = OneWayOut()
    options = {"territory_playouts": 20, "ownership": True, "territory_min_share": 0.0, "territory_max_share": 1.0}
    engine = luozi.Engine(game, seed=1, compiled=False, mcts_solver="standard", pool_size=3000, **options)
    thought = engine.think(game.new_state(), iterations=3000)
    assert thought.pruned["territory_playouts"] == 1
    assert not engine.subtree(depth=1).proven
    assert thought.iterations < 3000


def test_moves_searched_alone_say_nothing_of_the_position() -> None:
    game = OneWayOut()
    engine = luozi.Engine(game, seed=1, compiled=False, mcts_solver="standard", pool_size=3000)
    thought = engine.think(game.new_state(), iterations=3000, moves=[0, 1])
    assert not engine.subtree(depth=1).proven
    assert thought.iterations < 3000
    assert engine.think(game.new_state(), iterations=3000).action == MOVES - 1
    assert engine.subtree(depth=1).proven
