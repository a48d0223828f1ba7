"""One iteration told whole, and the tree as plain data: both are the real engine's."""

from __future__ import annotations

import json
import math

import pytest
from auditing import outline

import luozi
from luozi.search.selection.formulas import SUMMANDS

GAME = luozi.game("lines:rows=3,columns=4,win_length=3")
SETTINGS = [
    {},
    {"selection": "puct", "prior_power": 2.0},
    {
        "selection": "puct",
        "decisive_moves": True,
        "anti_decisive_moves": True,
        "playout_policy": True,
        "mcts_solver": "standard",
    },
    {"rave": "fuego", "progressive_history": 0.5, "fpu": 0.7},
    {"transpositions": True, "backup_discount": 0.9},
]


@pytest.mark.parametrize("values", SETTINGS, ids=str)
def test_steps_do_what_a_search_does(values):
    searched = luozi.Engine(GAME, seed=4, compiled=False, pool_size=5000, **values)
    done = searched.think(GAME.new_state(), iterations=80).iterations  # fewer where the root is proven
    stepped = luozi.Engine(GAME, seed=4, compiled=False, pool_size=5000, **values)
    steps = [stepped.trace(GAME.new_state()) for _ in range(done)]
    assert outline(stepped)[3:] == outline(searched)[3:]
    assert sum(step.path[0].chosen == steps[0].path[0].chosen for step in steps) == sum(
        child.visits for child in stepped.subtree(1).children if child.action == steps[0].path[0].chosen
    )


def test_simulations_that_ask_the_game_for_its_size_are_told_too():
    game = luozi.game("five3d:size=4,win_length=3")
    engine = luozi.Engine(
        game, seed=1, compiled=False, pool_size=5000, selection="puct", playout_policy=True, anti_decisive_moves=True
    )
    steps = [engine.trace(game.new_state()) for _ in range(20)]
    assert [sum(step.credit) for step in steps] == pytest.approx([1.0] * 20)  # one point is shared


def test_a_step_goes_where_the_score_is_best_and_its_terms_add_up():
    engine = luozi.Engine(GAME, seed=2, compiled=False, c=0.9)
    tried = 0
    for _ in range(150):
        for one in engine.trace(GAME.new_state()).path:
            visited = {choice.action: choice for choice in one.choices}
            assert one.visits >= sum(choice.visits for choice in one.choices)
            if one.new:
                assert one.chosen not in visited
                continue
            best = max(one.choices, key=lambda choice: choice.terms["score"])
            assert visited[one.chosen].terms["score"] == pytest.approx(best.terms["score"], abs=1e-5)
            for choice in one.choices:
                explore = 0.9 * math.sqrt(math.log(one.visits) / choice.visits)
                assert choice.terms["exploration"] == pytest.approx(explore, rel=1e-4)
                assert choice.terms["score"] == pytest.approx(choice.terms["mean"] + explore, rel=1e-4)
            tried += 1
    assert tried > 50


@pytest.mark.parametrize(
    "values",
    [
        {"own_weight": 0.7, "opponent_weight": 0.3},
        {"rave": "fuego", "progressive_history": 0.5, "fpu": 0.7},
        {"selection": "ucb1_tuned"},
        {"prior_visits": 3.0},
        {"selection": "puct", "transpositions": True},
    ],
    ids=str,
)
def test_the_terms_of_every_formula_add_up_to_the_score(values):
    engine, seen = luozi.Engine(GAME, seed=2, compiled=False, **values), 0
    for _ in range(60):
        for one in engine.trace(GAME.new_state()).path:
            for choice in one.choices:
                if choice.visits:
                    parts = sum(choice.terms.get(name, 0.0) for name in SUMMANDS)
                    assert parts == pytest.approx(choice.terms["score"], abs=1e-6)
                    seen += 1
                if choice.visits and "others" in choice.terms:
                    assert choice.terms["mean"] + choice.terms["others"] <= 1.0
    assert seen > 100


def test_a_step_as_data_is_json_and_leaves_out_scores_that_only_sort():
    engine = luozi.Engine(GAME, seed=2, compiled=False, rave="fuego", keep_proven_win=True, mcts_solver="standard")
    steps = [engine.trace(GAME.new_state()) for _ in range(50)]
    told = [json.loads(json.dumps(step.as_dict(), allow_nan=False)) for step in steps]
    assert [one["path"][0]["chosen"] for one in told] == [step.path[0].chosen for step in steps]
    scores = [c["terms"]["score"] for one in told for place in one["path"] for c in place["choices"] if c["terms"]]
    assert all(score is None or abs(score) < 1e8 for score in scores)


def test_a_step_tells_a_game_that_can_be_played():
    engine = luozi.Engine(GAME, seed=3, compiled=False)
    for _ in range(40):
        step, state = engine.trace(GAME.new_state()), GAME.new_state()
        for one in step.path:
            state = GAME.after(state, one.chosen)
        assert len(step.actions) == len(step.simulation)
        for name, action in zip(step.simulation, step.actions, strict=True):
            assert action == GAME.string_to_action(state, name)
            state = GAME.after(state, action)
        assert GAME.is_terminal(state)
        assert list(step.credit) == GAME.result(state)


def test_the_tree_as_data_has_every_child_with_enough_visits_and_counts_the_others():
    engine = luozi.Engine(GAME, seed=1, compiled=False)
    with pytest.raises(luozi.LuoziError, match="no tree yet"):
        engine.subtree()
    thought = engine.think(GAME.new_state(), iterations=200)
    root = engine.subtree(depth=2, visits=10)
    assert (root.visits, root.action, root.player) == (200, None, 0)
    assert root.state == "fully expanded"
    visits = {candidate.action: candidate.visits for candidate in thought.candidates}
    assert {child.action: child.visits for child in root.children} == {a: n for a, n in visits.items() if n >= 10}
    assert len(root.children) + root.hidden == len(visits)
    assert [child.visits for child in root.children] == sorted((c.visits for c in root.children), reverse=True)
    for child in root.children:
        assert child.means == pytest.approx(next(c.means for c in thought.candidates if c.action == child.action))
        assert all(not below.children for below in child.children)
    assert root.as_dict()["children"][0]["visits"] == root.children[0].visits


def test_nodes_of_the_tree_have_the_states_that_they_are_in():
    game = luozi.game("tictactoe:size=2,win_length=2")
    engine = luozi.Engine(game, seed=1, compiled=False, mcts_solver="standard")
    engine.think(game.new_state(), iterations=3)
    assert engine.subtree().state == "not fully expanded"
    assert {child.state for child in engine.subtree().children} == {"visited"}
    engine.think(game.new_state(), iterations=300)
    root, kinds = engine.subtree(depth=4), set()
    assert root.proven
    assert root.means[0] > 0.9  # whoever begins wins
    todo = [root]
    while todo:
        branch = todo.pop()
        kinds.add(branch.state)
        assert (branch.player is None) == (branch.state == "terminal")
        todo += branch.children
    assert {"terminal", "fully expanded"} <= kinds
