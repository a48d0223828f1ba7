"""The experiment `accuracy`: its positions, and whom it finds good."""

from __future__ import annotations

import pytest

import luozi
from luozi.experiments import accuracy as module
from luozi.experiments import find_experiment
from luozi.experiments.accuracy import anybody_wins_at_once, position
from luozi.experiments.levels import between
from luozi.solvers.solver import solve

SMALL = "connect4:rows=4,columns=5"


def share_of(player: str, games: int = 30) -> float:
    one = find_experiment("accuracy")
    bench = one.bench(games=games, iterations=300)
    result = one.result(bench, {"players": player, "game": SMALL})
    return result.tables[0].rows[0][3]


def test_positions_are_those_where_a_move_can_go_wrong() -> None:
    game = luozi.game(SMALL)
    for number in range(20):
        one = position(game, 1, number)
        assert not anybody_wins_at_once(game, one.state)
        assert set(one.keeping) == set(solve(game, one.state).optimal_actions())
        assert 0 < len(one.keeping) < len(game.legal_list(one.state))
        assert one.value == solve(game, one.state).values[game.current_player(one.state)]


def test_perfect_play_keeps_every_value_and_mistakes_do_not() -> None:
    assert share_of("mcts:exact_solver_nodes=1000000") == 1
    assert share_of("mcts:random_move_rate=1") < 0.8


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"game": "go:size=3"}, "go:size=3 does not define winning_actions: name a Connect Four board"),
        ({"players": "mcts:seconds=1"}, "mcts:seconds=1: remove seconds. All players have the same limit"),
        ({"players": "mcts|strong:c=1,nodes=9"}, "strong:c=1,nodes=9: remove nodes"),
        ({"players": "flat:playouts=9"}, "flat:playouts=9: remove playouts"),
    ],
)
def test_what_can_not_be_compared_is_refused_at_the_start(values: dict[str, str], said: str) -> None:
    one = find_experiment("accuracy")
    with pytest.raises(luozi.LuoziError, match=said):
        one.result(one.bench(games=10, iterations=300).looking(), values)


@pytest.mark.usefixtures("as_written")
def test_a_board_that_the_solver_can_not_manage_is_refused_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.5)
    with pytest.raises(luozi.LuoziError, match="gomoku:size=9 is too large for the exact solver: name a Connect Four"):
        position(luozi.game("gomoku:size=9"), 1, 0)


def test_the_same_seed_gives_the_same_positions_of_connect_four() -> None:
    game = luozi.game("connect4")
    found = [position(game, 1, number) for number in range(3)]
    assert [(one.value, one.keeping) for one in found] == [(1.0, (3, 4)), (1.0, (6,)), (0.5, (1, 2, 3))]


def test_levels_are_evenly_spaced_between_steps_of_unequal_height() -> None:
    found = between([-1.0, 0.0, 2.0, 4.0, 6.0], [0.0, 300.0, 400.0, 1000.0, 1600.0])
    assert [level.number for level in found] == list(range(1, 11))
    assert found[-1].step == 6
    assert found[0].expected == pytest.approx(1600 - 9 * 150)
    assert found[0].step == pytest.approx(250 / 300 - 1, abs=0.01)
    assert found[6].step == pytest.approx(4 + 2 * 150 / 600)


def test_a_range_too_small_for_ten_levels_is_shared_out() -> None:
    found = between([-1.0, 0.0, 1.0], [0.0, 45.0, 90.0])
    assert [round(level.expected) for level in found] == list(range(0, 91, 10))


def test_a_step_that_lost_to_the_one_below_does_not_turn_levels_round() -> None:
    steps = [level.step for level in between([-1.0, 0.0, 1.0, 2.0], [0.0, 900.0, 850.0, 1800.0])]
    assert steps == sorted(steps)
