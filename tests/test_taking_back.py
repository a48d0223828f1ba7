"""Moves are taken back: what was known of a position is still there, and what was found out since does no harm."""

from __future__ import annotations

import pytest
from auditing import problems_of

import luozi
from luozi.records.play import LiveGame
from luozi.search.tree.children import children_of, root_node

VARIANTS = [
    {},
    {"rave": "fuego", "mcts_solver": "standard"},
    {"transpositions": True},
    {"selection": "ucb1_tuned"},
    {"expand_after": 3, "prune_ratio": 0.2},
]


def new_engine(spelling="tictactoe", **values):
    return luozi.Engine(luozi.game(spelling), seed=1, compiled=False, **({"pool_size": 50_000} | values))


def statistics(thought):
    return [candidate[:5] for candidate in sorted(thought.candidates)]


@pytest.mark.parametrize("values", VARIANTS, ids=str)
def test_the_first_search_is_still_there_after_moves_are_taken_back(values):
    engine = new_engine("connect4:rows=4,columns=4,win_length=3", **values)
    start = engine.game.begin()
    first = engine.think(start, iterations=150)
    state = start.play(first.action)
    reply = engine.think(state, iterations=60)
    state = state.play(reply.action)
    engine.think(state, iterations=100)
    again = engine.think(start, iterations=1)
    assert again.reused_visits >= first.iterations
    before = {candidate.action: candidate.visits for candidate in first.candidates}
    assert sum(abs(candidate.visits - before[candidate.action]) for candidate in again.candidates) <= 1
    assert problems_of(engine) == []
    engine.think(start, iterations=100)
    assert problems_of(engine) == []


def test_a_move_is_not_preferred_because_it_was_played():
    """Thinking long after a bad move leaves its visits at the position before as they were."""
    engine = new_engine()
    start = engine.game.begin()
    first = engine.think(start, iterations=200)
    worst = first.candidates[-1]
    engine.think(start.play(worst.action), iterations=400)
    again = engine.think(start, iterations=1)
    assert again.action == first.action
    assert {c.action: c.visits for c in again.candidates}[worst.action] <= worst.visits + 1


def test_what_was_found_after_a_move_is_there_when_it_is_played_again():
    engine = new_engine()
    start = engine.game.begin()
    first = engine.think(start, iterations=100)
    after = start.play(first.action)
    seen = engine.think(after, iterations=300)
    engine.think(start, iterations=50)
    assert engine.think(after, iterations=1).reused_visits >= seen.reused_visits + 300
    assert engine.think(start, iterations=1).reused_visits == 150
    assert problems_of(engine) == []


def test_another_move_after_one_was_taken_back_is_the_right_position():
    engine = new_engine()
    start = engine.game.begin()
    engine.think(start, iterations=200)
    engine.move_to(start.play(0))
    visits = {candidate.action: candidate.visits for candidate in engine.think(start, iterations=1).candidates}
    after = start.play(8)
    assert engine.think(after, iterations=1).reused_visits == visits[8]


def test_a_move_the_tree_has_not_seen_can_be_taken_back_too():
    engine = new_engine("gomoku:size=5")
    start = engine.game.begin()
    first = engine.think(start, iterations=10)
    unseen = next(candidate.action for candidate in first.candidates if not candidate.visits)
    after = start.play(unseen)
    assert engine.think(after, iterations=30).reused_visits == 0
    assert engine.think(start, iterations=1).reused_visits == 10
    assert engine.think(after, iterations=1).iterations == 1


def test_a_pool_that_fills_is_emptied_and_the_search_goes_on():
    engine = new_engine(pool_size=2000)
    start = engine.game.begin()
    first = engine.think(start, iterations=900)
    after = start.play(first.action)
    kept = engine.think(after, iterations=1).reused_visits
    assert kept == first.best.visits
    assert problems_of(engine, kept=True) == []
    assert engine.think(start, iterations=10).reused_visits == 0


def test_a_limit_in_nodes_counts_no_tree_but_the_roots():
    engine = new_engine()
    start = engine.game.begin()
    first = engine.think(start, nodes=600)
    after = start.play(first.action)
    assert engine.think(after, nodes=600).iterations > 100


def test_a_new_game_has_nothing_to_take_back():
    engine = new_engine()
    start = engine.game.begin()
    first = engine.think(start, iterations=100)
    engine.think(start.play(first.action), iterations=100)
    again = engine.think(engine.game.begin(), iterations=100)
    assert again.reused_visits == 0
    assert statistics(again) == statistics(first)


def test_a_proof_found_after_a_move_is_known_before_it():
    """X to move wins at once with c1; the reply b1 of O elsewhere is a certain loss for O."""
    engine = new_engine(mcts_solver="standard")
    state = engine.game.begin().after((0, 3, 1))
    engine.think(state, iterations=5)
    after = state.play(8)
    assert engine.think(after, iterations=200).best.proven
    seen = engine.think(state, iterations=1)
    assert next(candidate for candidate in seen.candidates if candidate.action == 8).proven


def test_players_at_a_table_keep_their_tree_when_moves_are_taken_back():
    game = luozi.game("tictactoe")
    seats = [luozi.player("mcts:iterations=200,seed=1", game), luozi.player("random:seed=1", game)]
    table = LiveGame(game, seats)
    for _ in range(3):
        table.play(table.player.choose(table.position))
    table.take_back(3)
    assert table.actions == ()
    assert table.state == game.new_state()
    table.player.choose(table.position)
    assert table.player.thought.reused_visits == 200
    table.play(4)
    assert children_of(seats[0].engine.tree, root_node(seats[0].engine.tree)).visits.sum() > 0
