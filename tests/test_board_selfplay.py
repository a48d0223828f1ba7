"""Self-play of board networks: many games at once, without a network and without PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import luozi
from luozi.evaluators.board_inputs import board_input
from luozi.learning.board_forest import (
    COUNT,
    EDGE_VISITS,
    FIRST,
    IS_WAITING,
    NODES,
    PRIOR,
    VISITS,
    ForestSettings,
)
from luozi.learning.board_selfplay import (
    BoardSelfPlay,
    LeafBatch,
    Positions,
    SelfPlayPlan,
    UniformEvaluator,
    fitting_games,
)
from luozi.rules.game import Game

QUICK = ForestSettings(full=16, fast=6, full_share=0.5)


class Hashing(UniformEvaluator):
    """Answers that differ from position to position, the same for the same position."""

    def start(self, leaves: LeafBatch) -> None:
        for row in range(len(leaves.planes)):
            seed = int(leaves.planes[row].reshape(-1).astype(np.int64) @ np.arange(leaves.planes[row].size))
            rng = np.random.default_rng(seed)
            leaves.logits[row] = rng.normal(size=leaves.logits.shape[1])
            chances = rng.random(leaves.values.shape[1])
            leaves.values[row] = chances / chances.sum()


def selfplay(spelling: str, games: int = 4, settings: ForestSettings = QUICK, compiled: bool = False) -> BoardSelfPlay:
    game = luozi.game(spelling)
    plan = SelfPlayPlan(games, 1, 4000, seed=3, compiled=compiled)
    return BoardSelfPlay(game, board_input(game), Hashing(), settings, plan)


def after_each_tick(found: BoardSelfPlay, ticks: int) -> Any:
    """The forest after each step of all games."""
    for _ in range(ticks):
        for half in (0, 1):
            found._step(half)
        yield found.contexts[0].forest
        for leaves in found.leaves:
            found.evaluator.start(leaves)


def test_compiled_games_are_the_same_as_uncompiled_ones() -> None:
    plain, compiled = (selfplay("tictactoe", compiled=compiled) for compiled in (False, True))
    one, other = (each.play(40, lambda: False) for each in (plain, compiled))
    for first, second in zip(one[0], other[0], strict=True):
        assert np.array_equal(first, second)
    assert one[1].games == other[1].games
    assert one[1].evaluations == other[1].evaluations


def test_the_visits_of_children_add_up_to_those_of_their_parent() -> None:
    checked = 0
    for forest in after_each_tick(selfplay("tictactoe"), 60):
        for g in range(len(forest.roots)):
            for node in range(int(forest.sizes[g, NODES])):
                first, count = (int(forest.nodes[g, node, field]) for field in (FIRST, COUNT))
                if count > 0:
                    edges = forest.edges[g, first : first + count]
                    assert edges[:, EDGE_VISITS].sum() == forest.nodes[g, node, VISITS] - 1
                    assert abs(edges[:, PRIOR].sum() - 1) < 1e-5
                    checked += 1
    assert checked > 500


def test_the_network_sees_the_leaf_and_its_legal_moves() -> None:
    found = selfplay("tictactoe")
    game, seen = found.game, 0
    for forest in after_each_tick(found, 40):
        for g in np.flatnonzero(forest.sizes[:, IS_WAITING]):
            state, planes = forest.state[g], forest.planes[g]
            mover = int(game.current_player(state))
            pieces = {cell: player for cell, player, _ in game.pieces(state)}
            assert np.flatnonzero(planes[0]).tolist() == sorted(c for c, player in pieces.items() if player == mover)
            assert np.flatnonzero(planes[1]).tolist() == sorted(c for c, player in pieces.items() if player != mover)
            assert np.flatnonzero(planes[2]).tolist() == sorted(game.legal_list(state))
            seen += 1
    assert seen > 100


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def completing_moves(own: Any, other: Any) -> set[int]:
    """The cells that complete a line of three in tic-tac-toe."""
    found = set()
    for line in LINES:
        empty = [cell for cell in line if not own[cell] and not other[cell]]
        if len(empty) == 1 and sum(own[cell] for cell in line) == 2:
            found.add(empty[0])
    return found


def test_searches_win_at_once_where_they_can_and_block_where_they_must() -> None:
    settings = ForestSettings(full=200, full_share=1.0, noise=0.0)
    game = luozi.game("tictactoe")
    found = BoardSelfPlay(game, board_input(game), UniformEvaluator(), settings, SelfPlayPlan(8, 1, 400, compiled=True))
    positions, _ = found.play(200, lambda: False)
    wins = blocks = 0
    for planes, policy, mean in zip(positions.planes, positions.policy, positions.mean, strict=True):
        winning, losing = completing_moves(planes[0], planes[1]), completing_moves(planes[1], planes[0])
        if winning:
            assert int(policy.argmax()) in winning
            assert mean[0] > 0.8
            wins += 1
        elif len(losing) == 1:
            assert int(policy.argmax()) in losing
            blocks += 1
    assert wins > 10
    assert blocks > 10


def recorded(settings: ForestSettings, games: int) -> Positions:
    return selfplay("tictactoe", games, settings).play(60, lambda: False)[0]


def test_a_record_is_the_search_and_the_result_as_the_mover_sees_them() -> None:
    positions = recorded(QUICK, 4)
    legal = positions.planes[:, 2] == 1
    assert np.array_equal(positions.policy >= 0, legal)
    visits = positions.policy.clip(0).sum(1)
    assert (visits >= QUICK.full).all()
    assert np.allclose(positions.mean.sum(1), 1.0, atol=0.26)  # a draw pays both one half
    assert set(map(tuple, positions.result.tolist())) <= {(1.0, 0.0), (0.0, 1.0), (0.5, 0.5)}
    # Who has as many stones as the other moves first: the seat and the result belong together.
    first = positions.planes[:, 0].sum(1) == positions.planes[:, 1].sum(1)
    assert np.array_equal(positions.numbers[:, 0] == 1.0, first)


def test_games_beside_each_other_do_not_see_each_other() -> None:
    alone, among = selfplay("tictactoe", 2), selfplay("tictactoe", 8)
    for one, many in zip(after_each_tick(alone, 150), after_each_tick(among, 150), strict=True):
        assert one.roots[0].tobytes() == many.roots[0].tobytes()
        assert np.array_equal(one.planes[0], many.planes[0])


def test_three_players_each_maximise_their_own_value() -> None:
    settings = ForestSettings(full=60, full_share=1.0, noise=0.0, random_share=0.0)
    found = selfplay("gomoku:size=3,run=3,players=3", 2, settings)
    positions, report = found.play(12, lambda: False)
    assert report.wins.shape == (3,)
    assert positions.result.shape[1] == 3
    seats = positions.numbers[:, :3].argmax(1)
    assert set(seats.tolist()) == {0, 1, 2}


def test_passes_can_be_forbidden_at_the_beginning() -> None:
    settings = QUICK._replace(first_pass=6, random_share=0.0)
    found = selfplay("go:size=3,komi=0", 2, settings)
    for forest in after_each_tick(found, 60):
        for g in range(2):
            assert forest.roots[g].passes == 0 or forest.roots[g].moves >= 6


def test_fewer_games_where_memory_is_short() -> None:
    game: Game = luozi.game("tictactoe")
    view = board_input(game)
    assert fitting_games(game, view, QUICK, 8192) == 8192
    assert 2 <= fitting_games(game, view, QUICK, 8192, room=1 << 20) < 8192


class Beside(Hashing):
    """As if it evaluated beside the search, as a GPU does."""

    is_instant = False


@pytest.mark.parametrize("kind", [Hashing, Beside])
def test_threads_play_until_they_are_told_to_end(kind: type[Hashing]) -> None:
    game = luozi.game("tictactoe")
    plan = SelfPlayPlan(8, 2, 4000, seed=3, compiled=True)
    found = BoardSelfPlay(game, board_input(game), kind(), QUICK, plan)
    found.prepare()
    for _ in range(2):
        _, report = found.play(10**9, iter([False] * 30 + [True] * 9).__next__)
        assert report.evaluations > 0
        assert all(not thread.is_alive() for thread in found.crew)


def test_an_error_of_a_thread_ends_all_of_them() -> None:
    class Failing(Hashing):
        def start(self, leaves: LeafBatch) -> None:
            raise ArithmeticError("no network")

    game = luozi.game("tictactoe")
    plan = SelfPlayPlan(8, 2, 4000, seed=3, compiled=True)
    with pytest.raises(ArithmeticError, match="no network"):
        BoardSelfPlay(game, board_input(game), Failing(), QUICK, plan).play(10, lambda: False)


@pytest.mark.parametrize("spelling", ["connect4:rows=4,columns=4", "hex:size=3", "breakthrough:rows=4,columns=3"])
def test_every_kind_of_click_is_recorded(spelling: str) -> None:
    found = selfplay(spelling, 2)
    positions, report = found.play(8, lambda: False)
    assert report.positions >= 8
    assert (positions.policy.clip(0).sum(1) >= QUICK.full).all()
