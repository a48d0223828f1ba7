"""Nodes that get their likeliest moves first, and more of them when these have been visited."""

from __future__ import annotations

import numpy as np
import pytest
from auditing import nodes_with_states, problems_of

import luozi
from luozi.search.tree.pool import CHANCE_OF, PRIOR_SIZE, TRIED

GAMES = ["gomoku:size=7", "lines:layers=4,rows=4,columns=4,win_length=4,players=3", "connect4:columns=16,rows=4"]
PUCT = {"selection": "puct", "prior_power": 3}


def chances_at(engine, state):
    """What each legal move should be expected by: the game's estimate to the power, adding up to 1."""
    game = engine.game
    actions = np.array(game.legal_list(state), np.int32)
    values = np.zeros(game.actions)
    game.priors(state.copy()[()], actions, len(actions), values)
    powers = values[: len(actions)] ** engine.options.prior_power
    return dict(zip(actions.tolist(), powers / powers.sum(), strict=True))


# One game uncompiled, and in the long tests all of them, compiled too: the search is the same code.
on_every_game = pytest.mark.parametrize(
    ("spelling", "compiled"),
    [(GAMES[2], False), *(pytest.param(game, False, marks=pytest.mark.long) for game in GAMES[:2])]
    + [pytest.param(game, True, marks=pytest.mark.long) for game in GAMES],
)


@on_every_game
def test_a_node_has_its_likeliest_moves_and_no_more_than_it_needs(spelling, compiled):
    game = luozi.game(spelling)
    engine = luozi.Engine(game, seed=2, pool_size=100_000, compiled=compiled, **PUCT)
    engine.think(game.new_state(), iterations=1_000 if compiled else 120)
    assert problems_of(engine, False) == []
    partly = 0
    for node, state, children in nodes_with_states(engine):
        expected = chances_at(engine, state)
        found = engine.tree.priors.reshape(-1, PRIOR_SIZE)[children.edge, CHANCE_OF]
        assert found == pytest.approx([expected[action] for action in children.action.tolist()], rel=1e-4)
        absent = [chance for action, chance in expected.items() if action not in children.action]
        assert max(absent, default=0) <= found.min() * 1.0001
        if engine.tree.nodes[node + TRIED] < game.actions:
            partly += 1
            assert absent
            assert len(children.visits) >= 12
        # Only the moves of the last segment may all be waiting.
        before = max(size for size in (0, 12, 28, 60, 124) if size < len(children.visits))
        assert (children.visits[:before] > 0).all()
    assert partly > 0


@on_every_game
def test_every_move_gets_its_turn(spelling, compiled):
    game = luozi.game(spelling)
    engine = luozi.Engine(game, seed=2, selection="puct", c=50, pool_size=1_000_000, compiled=compiled)
    thought = engine.think(game.new_state(), iterations=5_000 if compiled else 250)
    assert min(candidate.visits for candidate in thought.candidates) > 0


@on_every_game
def test_a_full_pool_leaves_a_sound_tree(spelling, compiled):
    game = luozi.game(spelling)
    iterations = 2_000 if compiled else 120
    for pool in (70, 100, 200, 1_000) if compiled else (70, 200):
        engine = luozi.Engine(game, seed=pool, pool_size=pool, compiled=compiled, **PUCT)
        thought = engine.think(game.new_state(), iterations=iterations)
        assert thought.pool_full
        assert sum(candidate.visits for candidate in thought.candidates) == iterations
        assert problems_of(engine, False) == []


@on_every_game
def test_a_kept_tree_goes_on_getting_moves(spelling, compiled):
    game = luozi.game(spelling)
    engine, state, kept = luozi.Engine(game, seed=3, pool_size=200_000, compiled=compiled, **PUCT), game.begin(), False
    for _ in range(4):
        thought = engine.think(state, iterations=300 if compiled else 30)
        assert problems_of(engine, kept) == []
        state, kept = state.play(thought.action), True
        engine.move_to(state)
