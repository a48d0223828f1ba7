"""The data of the lessons is what the real engine did, and the scene of three players is the report's."""

from __future__ import annotations

import json
import math

import pytest
from web_page import page_at, serving

import luozi
from luozi.experiments.three_player import can_hold, cells_to_block, winning_moves
from luozi.rules.board import pieces_of
from luozi.web.board_data import line_changes, trace_with_boards
from luozi.web.data_routes import lesson
from luozi.web.protocol import dumped
from tools.scenes import FOUR, ROUNDS, STRATEGIES, THREE, meaning, play_on

FIVE = luozi.game("five3d")


def stand_after(pieces, changes):
    """What stands on a board, by what the changes say."""
    standing = {piece[0]: tuple(piece) for piece in pieces}
    for change in changes:
        for cell in change["remove"]:
            del standing[cell]
        standing |= {piece[0]: tuple(piece) for piece in change["add"]}
    return sorted(standing.values())


# UCT on the smallest board --------------------------------------------------------------------------------------------


def test_the_lesson_on_uct_tries_every_move_of_the_root_before_any_twice():
    told = lesson("uct")
    first = [step["path"][0] for step in told["steps"][:4]]
    assert sorted(place["name"] for place in first) == ["a1", "a2", "b1", "b2"]
    assert all(place["new"] for place in first)
    assert all(len(step["path"]) == 2 and step["path"][1]["new"] for step in told["steps"][4:8])


def test_the_lesson_on_uct_goes_by_the_sources_formula():
    """X_j + 2 Cp sqrt(2 ln n / n_j) with Cp = 1 / sqrt(2)."""
    seen = 0
    for step in lesson("uct")["steps"]:
        for place in step["path"]:
            for choice in place["choices"]:
                bonus = math.sqrt(2) * math.sqrt(2 * math.log(place["visits"]) / choice["visits"])
                assert choice["terms"]["exploration"] == pytest.approx(bonus, rel=1e-4)
                seen += 1
    assert seen > 50


def test_every_state_of_a_node_comes_up_in_the_lesson_on_uct():
    told, kinds = lesson("uct"), set()
    for number, tree in enumerate(told["trees"], 1):
        assert tree["visits"] == number
        todo = [tree]
        while todo:
            branch = todo.pop()
            kinds.add(branch["state"])
            todo += branch["children"]
    assert kinds == {"visited", "not fully expanded", "fully expanded", "terminal"}


def test_a_seed_gives_one_lesson_and_another_seed_another():
    assert lesson("uct", 3) == lesson("uct", 3)
    assert lesson("uct", 3)["steps"] != lesson("uct", 4)["steps"]
    assert "null" not in dumped(lesson("uct", 5)["trees"][-1]["means"])


# Three players --------------------------------------------------------------------------------------------------------


def test_the_scene_is_the_reports():
    """X has three in a row, and later four with both ends open, which the two others hold only together."""
    three, four = FIVE.begin().after(THREE).state, FIVE.begin().after(FOUR).state
    assert FIVE.current_player(three) == FIVE.current_player(four) == 1
    assert [winning_moves(FIVE, three, player) for player in range(3)] == [[], [], []]
    ends = winning_moves(FIVE, four, 0)
    assert {FIVE.action_to_string(four, end) for end in ends} == {"3a4", "3f4"}
    assert not winning_moves(FIVE, four, 1)
    assert not winning_moves(FIVE, four, 2)
    assert cells_to_block(1, [winning_moves(FIVE, four, player) for player in range(3)]) == ends
    assert can_hold(FIVE, four, winner=0)
    assert not can_hold(FIVE, FIVE.after(four, FIVE.string_to_action(four, "6f1")), winner=0)


def test_what_a_move_means_is_told_by_who_could_win():
    three, four = FIVE.begin().after(THREE).state, FIVE.begin().after(FOUR).state

    def told(state, name):
        return meaning(FIVE, state, FIVE.string_to_action(state, name))

    assert told(three, "3e4") == "blocks early"
    assert told(three, "6f1") == "builds"
    assert told(four, "3f4") == "blocks"
    assert told(four, "6f1") == "builds"
    both = FIVE.after(FIVE.after(four, FIVE.string_to_action(four, "6f1")), FIVE.string_to_action(four, "6f2"))
    assert told(both, "3a4") == "wins"


def test_every_move_of_the_scene_can_be_played_and_stands_on_the_board():
    told = lesson("alliance")
    assert [act["name"] for act in told["acts"]] == ["three", "four"]
    for act in told["acts"]:
        start = FIVE.begin().after(act["start"]).state
        assert {run["strategy"] for run in act["runs"]} == {strategy.name for strategy in STRATEGIES}
        for run in act["runs"]:
            state = start
            for move in run["moves"]:
                assert move["action"] in FIVE.legal_list(state)
                assert move["player"] == FIVE.current_player(state)
                assert move["about"] == meaning(FIVE, state, move["action"])
                state = FIVE.after(state, move["action"])
            assert stand_after(act["view"]["pieces"], run["changes"]) == sorted(pieces_of(FIVE, state))
            assert bool(FIVE.is_terminal(state)) == (run["moves"][-1]["about"] == "wins")
            assert 0 <= run["held"] <= run["games"]
            assert len(run["moves"]) == ROUNDS or run["moves"][-1]["about"] == "wins"


def test_who_looks_one_move_ahead_holds_and_plain_search_does_not():
    four = lesson("alliance")["acts"][1]
    held = {run["strategy"]: run["held"] / run["games"] for run in four["runs"]}
    assert held["strong"] == 1
    assert held["plain"] < 0.5


@pytest.mark.long
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
def test_the_engine_plays_the_scene_as_it_is_kept(strategy):
    four = next(act for act in lesson("alliance")["acts"] if act["name"] == "four")
    kept = next(run for run in four["runs"] if run["strategy"] == strategy.name)
    assert play_on(FIVE, FOUR, strategy.player, kept["seed"], rounds=1) == kept["moves"][:1]


# Stories --------------------------------------------------------------------------------------------------------------


def test_changes_tell_captures_too():
    game = luozi.game("go:size=3")
    state, actions = game.new_state(), []
    for name in ("a2", "a3", "b3"):  # the stone in the corner is taken
        actions.append(game.string_to_action(state, name))
        state = game.after(state, actions[-1])
    changes = line_changes(game.begin(), actions)
    assert stand_after([], changes) == sorted(pieces_of(game, state))
    assert [len(change["remove"]) for change in changes] == [0, 0, 1]


def test_a_story_plays_the_whole_iteration_on_the_board():
    game = luozi.game("connect4:rows=4,columns=4")
    engine, start = luozi.Engine(game, seed=3, compiled=False), game.begin()
    for _ in range(10):
        told, state = trace_with_boards(start, engine.trace(start)), start.state
        for action in [*(place["chosen"] for place in told["path"]), *told["actions"]]:
            state = game.after(state, action)
        assert game.is_terminal(state)
        assert stand_after([], told["changes"]) == sorted(pieces_of(game, state))


# The server -----------------------------------------------------------------------------------------------------------


def test_the_server_gives_lessons_and_walks_with_their_boards():
    with serving() as client, page_at(client) as page:
        assert client.json("/api/lessons/uct?seed=2") == json.loads(dumped(lesson("uct", 2)))
        status, answer, _ = client.get("/api/lessons/none")
        assert status in (400, 404)
        assert "no lesson" in json.loads(answer)["error"]
        page.ask("new", game="tictactoe", seats=[{"kind": "person"}] * 2)
        page.ask("walk")
        [step] = page.ask("step")["steps"]
        assert len(step["changes"]) == len(step["path"]) + len(step["simulation"])
        assert sum(step["credit"]) == 1
