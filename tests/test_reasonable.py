"""The judge of reasonable play, on hand-made positions."""

from __future__ import annotations

import pytest

import luozi
from luozi.experiments import find_experiment
from luozi.experiments.three_player import can_hold, cells_to_block, judge, winning_moves

GAME = luozi.game("lines:rows=9,columns=9,win_length=5,players=3")


def position(*stones: str, to_move: int = 0):
    """A position from the cells of X, O and L, such as 'a1 b2'."""
    state = GAME.new_state()
    for player, cells in enumerate(stones):
        for name in cells.split():
            state.to_move = player
            state = GAME.after(state, GAME.string_to_action(state, name))
    state.to_move = to_move
    return state


def names(state, actions) -> set[str]:
    return {GAME.action_to_string(state, action) for action in actions}


def to_block(state, player):
    return cells_to_block(player, [winning_moves(GAME, state, one) for one in range(3)])


def test_an_open_four_can_be_held_by_two_who_block_one_end_each() -> None:
    """The scene of the report: X has an open four, and the two others must each block one end."""
    state = position("c5 d5 e5 f5", "a1 b3", "i9 h7", to_move=1)
    assert names(state, winning_moves(GAME, state, 0)) == {"b5", "g5"}
    assert can_hold(GAME, state, winner=0)
    one = GAME.after(state, GAME.string_to_action(state, "b5"))
    assert can_hold(GAME, one, winner=0)
    elsewhere = GAME.after(state, GAME.string_to_action(state, "a9"))
    assert not can_hold(GAME, elsewhere, winner=0)


def test_a_player_who_must_fill_somebody_elses_cell_can_not_help() -> None:
    """The trap: there are two moves for X's two cells, but O has to stop L, who would win before."""
    state = position("c5 d5 e5 f5", "a1 b3", "c9 d9 e9 f9 b9", to_move=1)
    state = position("c5 d5 e5 f5 b9", "a1 b3", "c9 d9 e9 f9", to_move=1)
    assert names(state, winning_moves(GAME, state, 2)) == {"g9"}
    assert not can_hold(GAME, state, winner=0)


def test_one_winning_cell_is_filled_by_the_player_who_is_free() -> None:
    state = position("c5 d5 e5 f5 b9", "a1 b5", "c9 d9 e9 f9", to_move=1)
    assert names(state, winning_moves(GAME, state, 0)) == {"g5"}
    assert can_hold(GAME, state, winner=0)  # O stops L, L stops X


def test_three_winning_cells_are_too_many_for_two() -> None:
    state = position("c5 d5 e5 f5 g4 g3 g2 g1", "a1 b3", "i9 h7", to_move=1)
    assert len(winning_moves(GAME, state, 0)) == 2  # g5 completes both lines
    assert can_hold(GAME, state, winner=0)
    state = position("c5 d5 e5 f5 c1 d1 e1 f1", "b1 b3", "i9 h7", to_move=1)
    assert len(winning_moves(GAME, state, 0)) == 3
    assert not can_hold(GAME, state, winner=0)


def test_the_nearest_player_with_enough_winning_cells_is_blocked_first() -> None:
    state = position("c5 d5 e5 f5", "a1 b3", "c9 d9 e9 f9 b8", to_move=1)
    assert names(state, to_block(state, 1)) == {"b9", "g9"}  # L is next after O
    state = position("c5 d5 e5 f5", "a1 b3", "i9 h7", to_move=1)
    assert names(state, to_block(state, 1)) == {"b5", "g5"}  # X is two turns ahead and has two
    state = position("c5 d5 e5 f5", "a1 b5", "i9 h7", to_move=1)
    assert to_block(state, 1) == []  # one cell: L can still fill it


def played(text: str) -> list[int]:
    state, actions = GAME.new_state(), []
    for name in text.split():
        actions.append(GAME.string_to_action(state, name))
        state = GAME.after(state, actions[-1])
    return actions


def test_a_win_that_could_have_been_blocked_is_unreasonable() -> None:
    verdict = judge(GAME, played("c5 a1 i9 d5 a3 i7 e5 a5 i5 f5 a9 i1 g5"))
    assert verdict.avoidable
    assert not verdict.reasonable
    assert verdict.wins_offered == (1, 0, 0)
    assert verdict.wins_missed == (0, 0, 0)
    assert verdict.blocks_needed == (0, 1, 1)
    assert verdict.blocks_missed == (0, 1, 1)


def test_a_win_passed_up_is_unreasonable_even_if_the_same_player_wins_later() -> None:
    verdict = judge(GAME, played("c5 a1 i9 d5 a3 i7 e5 a5 i5 f5 b5 i1 h1 a9 g9 g5"))
    assert verdict.wins_missed == (1, 0, 0)
    assert not verdict.reasonable


def test_a_draw_is_reasonable() -> None:
    game = luozi.game("tictactoe")
    verdict = judge(game, [4, 0, 2, 6, 3, 5, 1, 7, 8])
    assert verdict.reasonable
    assert not verdict.avoidable


def test_a_fork_at_tic_tac_toe_is_a_reasonable_win() -> None:
    game = luozi.game("tictactoe")
    assert judge(game, [0, 1, 3, 6, 4, 8, 5]).reasonable


def test_with_gravity_a_move_elsewhere_may_open_a_cell() -> None:
    game = luozi.game("connect4")
    verdict = judge(game, [0, 1, 0, 1, 0, 1, 0])
    assert verdict.avoidable
    assert verdict.blocks_missed == (0, 1)


def test_a_game_that_does_not_tell_its_wins_is_refused() -> None:
    with pytest.raises(luozi.LuoziError, match="does not define winning_actions"):
        judge(luozi.game("go:size=2"), [4, 4])


def test_the_experiment_refuses_such_a_game_before_anything_is_played() -> None:
    one = find_experiment("three-player")
    with pytest.raises(luozi.LuoziError, match="does not define winning_actions: name a line game"):
        one.result(one.bench(games=2, iterations=10).looking(), {"game": "go:size=3"})
