"""`resign`: who sees no hope three times in a row gives the game up, and nobody else does."""

from __future__ import annotations

import pytest

import luozi
from luozi.messages import LuoziError
from luozi.players import ResignationError, player
from luozi.records.play import play_game

# X has the bottom row of columns 3 to 5, both ends of it open: O can't stop both.
LOST = ["4", "4", "3", "3", "5"]


def lost_position(game):
    state = game.new_state()
    for name in LOST:
        state = game.after(state, game.string_to_action(state, name))
    return state


@pytest.fixture(scope="module")
def game():
    return luozi.game("connect4")


def test_the_third_move_without_hope_in_a_row_is_not_made(game):
    one, state = player("mcts:iterations=2000,resign_threshold=0.2,reuse_tree=false", game, seed=1), lost_position(game)
    one.choose(state), one.choose(state)
    with pytest.raises(ResignationError, match="resigned"):
        one.choose(state)


def test_hope_between_them_and_moves_taken_back_begin_the_count_anew(game):
    one, state = player("mcts:iterations=2000,resign_threshold=0.2,reuse_tree=false", game, seed=1), lost_position(game)
    one.choose(state), one.choose(state)
    winning = game.new_state()
    for name in ["4", "1", "4", "1", "4", "2", "2", "1", "7"]:  # three of O's stand in column 1
        winning = game.after(winning, game.string_to_action(winning, name))
    assert one.choose(winning) == game.string_to_action(winning, "1")
    lost = game.begin().after(LOST)
    one.choose(lost), one.choose(lost)
    one.choose(lost.back(2))
    one.choose(lost), one.choose(lost)
    with pytest.raises(ResignationError):
        one.choose(lost)


@pytest.mark.parametrize("options", ["", ",resign_threshold=0.001"])
def test_nobody_gives_up_unasked_or_with_more_hope_than_that(game, options):
    one, state = player(f"mcts:iterations=1000,reuse_tree=false{options}", game, seed=1), game.new_state()
    for _ in range(4):
        assert one.choose(state) in game.legal_list(state)


def test_few_visits_are_not_believed(game):
    one, state = player("mcts:iterations=60,resign_threshold=0.5,reuse_tree=false", game, seed=1), lost_position(game)
    for _ in range(5):
        assert one.choose(state) in game.legal_list(state)


def test_a_game_given_up_is_won_by_the_other(game):
    given_up = 0
    for seed in range(4):
        seats = [
            player("mcts:iterations=3000", game, seed=seed),
            player("mcts:iterations=1500,resign_threshold=0.5", game, seed=9),
        ]
        record = play_game(game, seats)
        given_up += record.resigned is not None
        if record.resigned is not None:
            assert record.resigned == 1
            assert record.results() == [1.0, 0.0]
            assert not game.is_terminal(record.states()[-1])
            assert "resigned: O" in record.text()
    assert given_up


def test_with_three_players_it_is_refused():
    with pytest.raises(LuoziError, match="resign_threshold ends a game of two players, and five3d has 3"):
        player("mcts:iterations=10,resign_threshold=0.1", luozi.game("five3d"))
