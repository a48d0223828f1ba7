"""What a thought says of each candidate: its line, and everything as plain data."""

from __future__ import annotations

import json
import pickle

import pytest

import luozi
from luozi.rules.compiled_rules import compile_rules
from luozi.search.tree.children import children_of, root_node


def most_visited_from(engine, action):
    """The line of a move, by walking down the tree one child after another."""
    line, node = [], root_node(engine.tree)
    while node:
        children = children_of(engine.tree, node)
        rows = list(zip(children.visits.tolist(), children.action.tolist(), children.node.tolist(), strict=True))
        if not line:
            rows = [row for row in rows if row[1] == action]
        visits, action, node = max(rows, key=lambda row: row[0], default=(0, 0, 0))
        if visits == 0:
            break
        line.append(action)
    return tuple(line)


@pytest.mark.parametrize("spelling", ["connect4", "gomoku:size=7"])
def test_leading_candidates_have_their_line(spelling):
    game = luozi.game(spelling)
    engine = luozi.Engine(game, seed=1, compiled=False)
    thought = engine.think(game.new_state(), iterations=400)
    assert thought.best.line == most_visited_from(engine, thought.action)
    assert thought.line(thought.best) == thought.principal_variation
    for candidate in thought.candidates[:7]:
        assert candidate.line == most_visited_from(engine, candidate.action)
        state, names = game.new_state(), []
        for action in candidate.line:
            names.append(game.action_to_string(state, action))
            state = game.after(state, action)
        assert thought.line(candidate) == tuple(names)


def test_a_candidate_that_was_never_visited_has_no_line():
    game = luozi.game("gomoku:size=5")
    thought = luozi.Engine(game, seed=1, compiled=False).think(game.new_state(), iterations=3)
    assert [len(candidate.line) for candidate in thought.candidates[:4]] == [1, 1, 1, 0]
    assert thought.line(thought.candidates[3]) == ()


def test_a_thought_is_plain_data():
    game = luozi.game("gomoku:size=5")
    engine = luozi.Engine(game, seed=1, compiled=False, selection="puct", pool_size=5000)
    thought = engine.think(game.new_state(), iterations=200)
    found = json.loads(json.dumps(thought.as_dict(), allow_nan=False))
    assert found == thought.as_dict()
    assert found["action"] == thought.action
    assert found["iterations"] == 200
    assert found["ownership"] is None
    first = found["candidates"][0]
    assert first["line_names"] == list(thought.line(thought.candidates[0]))
    assert 0 < first["prior"] <= 1
    assert first["interval"][0] <= first["means"][0] <= first["interval"][1]
    assert pickle.loads(pickle.dumps(thought)) == thought


def test_a_thought_is_pickled_after_its_rules_were_compiled():
    game = luozi.game("gomoku:size=5")
    assert compile_rules(game) is not None
    thought = luozi.Engine(game, seed=1, compiled=False).think(game.new_state(), iterations=20)
    assert pickle.loads(pickle.dumps(thought)) == thought


def test_players_without_a_tree_say_it_the_same_way():
    game = luozi.game("tictactoe")
    player = luozi.player("flat:playouts=50", game, seed=1)
    player.choose(game.new_state())
    found = json.loads(json.dumps(player.thought.as_dict(), allow_nan=False))
    assert found["variation"] == [player.thought.name]
    assert all(candidate["line_names"] == [] for candidate in found["candidates"])
