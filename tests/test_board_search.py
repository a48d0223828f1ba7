"""Searches with a board network: any game, the last moves as an input, proofs, several players and threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luozi
from luozi.cli.app import main
from luozi.evaluators.board_inputs import BoardInput, board_input
from luozi.evaluators.board_network_reference import forward
from luozi.evaluators.board_weights import BoardSizes, load_board_weights, new_board_weights, save_board_weights

SMALL = BoardSizes(2, 8, 4)
GAMES = ("tictactoe", "go:size=5", "breakthrough:rows=5,columns=4", "five3d:size=3,win_length=3")


def saved(game: luozi.Game, folder: Path, seed: int = 1) -> str:
    """A file of random weights."""
    shape = board_input(game)
    save_board_weights(folder / f"{seed}.npz", new_board_weights(shape, SMALL, seed), shape, SMALL)
    return str(folder / f"{seed}.npz")


def seen_by(shape: BoardInput, game: luozi.Game, position: luozi.Position) -> tuple[Any, Any]:
    """The input of a network, uncompiled."""
    planes, numbers = np.zeros((shape.planes, shape.cells), np.uint8), np.zeros(shape.numbers, np.float32)
    recent = np.array(position.last_actions(8), np.int32)
    legal = np.array(position.actions, np.int32)
    shape.write_planes(game, position.state, legal, len(legal), recent, planes, numbers)
    return planes, numbers


@pytest.mark.parametrize("name", GAMES)
def test_a_leaf_is_worth_what_the_network_says_of_its_position_and_the_moves_before(name: str, tmp_path: Path) -> None:
    game = luozi.game(name)
    file = saved(game, tmp_path)
    shape = board_input(game)
    weights, _ = load_board_weights(Path(file), shape)
    root = game.begin()
    for _ in range(3):
        root = root.play(root.actions[len(root.actions) // 2])
    engine = luozi.Engine(game, network=file, seed=1)
    for _ in range(12):
        trace, leaf = engine.trace(root), root
        for step in trace.path:
            leaf = leaf.play(step.name)
        expected: Any = leaf.returns
        if expected is None:
            _, result = forward(weights, shape, *seen_by(shape, game, leaf))
            own = [(leaf.to_move + player) % game.players for player in range(game.players)]
            expected = np.zeros(game.players)
            expected[own] = result[:-1] + 0.5 * result[-1]
        assert trace.credit == pytest.approx(tuple(expected), abs=1e-5)


def test_the_moves_before_alone_change_what_a_position_is_worth(tmp_path: Path) -> None:
    game = luozi.game("hex:size=3")
    engine = luozi.Engine(game, network=saved(game, tmp_path), seed=1)
    one, other = game.begin().play(0).play(4).play(8), game.begin().play(8).play(4).play(0)
    assert one.state.tobytes() == other.state.tobytes()
    assert engine.trace(one).credit != engine.trace(other).credit
    assert engine.trace(one).credit != engine.trace(luozi.Position.of(game, one.state)).credit


def test_priors_are_softmax_over_the_legal_moves(tmp_path: Path) -> None:
    game = luozi.game("go:size=5")
    file, shape, root = saved(game, tmp_path), board_input(game), game.begin().play("c3").play("pass")
    logits, _ = forward(load_board_weights(Path(file), shape)[0], shape, *seen_by(shape, game, root))
    found = luozi.Engine(game, network=file, seed=1).think(root, iterations=400)
    scores = np.exp([logits[shape.logit_of[root.to_move, action]] for action in root.actions])
    expected = dict(zip(root.actions, scores / scores.sum(), strict=True))
    priors = {move.action: move.prior for move in found.candidates if move.prior is not None}
    assert len(priors) > 5
    for action, prior in priors.items():
        assert prior == pytest.approx(expected[action], rel=1e-3)


def test_noise_changes_the_priors_of_the_root_and_leaves_their_sum(tmp_path: Path) -> None:
    game = luozi.game("tictactoe")
    engine = luozi.Engine(game, network=saved(game, tmp_path), dirichlet_fraction=0.5, seed=1)
    plain = luozi.Engine(game, network=saved(game, tmp_path), seed=1)
    noisy, calm = (
        {m.action: m.prior for m in e.think(game.begin(), iterations=200).candidates} for e in (engine, plain)
    )
    assert sum(filter(None, noisy.values())) == pytest.approx(1, abs=1e-4)
    assert noisy != calm


def test_proofs_hold_beside_a_network(tmp_path: Path) -> None:
    game = luozi.game("tictactoe")
    engine = luozi.Engine(game, network=saved(game, tmp_path), mcts_solver="standard", seed=1)
    result = engine.think(game.begin().play("b2").play("b3"), iterations=100_000)
    assert result.iterations < 100_000
    assert result.best.proven
    assert result.best.means == pytest.approx((1.0, 0.0))


@pytest.mark.parametrize("options", [{"threads": 2}, {"threads": 2, "parallel": "root"}, {"early_stop": True}])
def test_a_network_goes_with_threads_and_an_early_end(options: Any, tmp_path: Path) -> None:
    game = luozi.game("tictactoe")
    engine = luozi.Engine(game, network=saved(game, tmp_path), **options)
    position = game.begin().play("b2")
    assert engine.think(position, iterations=500).best.visits > 50


def test_a_search_is_the_same_compiled_and_uncompiled(tmp_path: Path) -> None:
    game, file = luozi.game("tictactoe"), saved(luozi.game("tictactoe"), tmp_path)
    one, other = (
        luozi.Engine(game, network=file, seed=1, compiled=compiled).think(game.begin(), iterations=60)
        for compiled in (True, False)
    )
    assert [(move.action, move.visits) for move in one.candidates] == [
        (move.action, move.visits) for move in other.candidates
    ]


def test_a_kept_tree_goes_on_with_the_moves_that_were_played(tmp_path: Path) -> None:
    game = luozi.game("othello:size=6")
    engine = luozi.Engine(game, network=saved(game, tmp_path), seed=1)
    position = game.begin()
    position = position.play(engine.think(position, iterations=200).action)
    assert engine.think(position, iterations=100).reused_visits > 0


def test_people_see_what_the_network_proposed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = saved(luozi.game("hex:size=3"), tmp_path)
    assert main(["think", "hex:size=3", "--player", f"mcts:network={file},iterations=50,seed=1"]) == 0
    said = capsys.readouterr().out.split("the network's priors, in per cent:\n")[1].splitlines()
    assert said[0].split() == ["a", "b", "c"]
    shown = [int(word) for row in said[1:4] for word in row.split()[1:]]
    assert len(shown) == 9
    assert 95 <= sum(shown) <= 105


def test_weights_of_another_game_are_refused_by_name(tmp_path: Path) -> None:
    file = saved(luozi.game("tictactoe"), tmp_path)
    with pytest.raises(luozi.LuoziError, match=r"was learned for another game \(tictactoe\)"):
        luozi.Engine(luozi.game("othello"), network=file)
    with pytest.raises(luozi.LuoziError, match="was learned for another game"):
        luozi.Engine(luozi.game("othello"), network="gomoku")


def test_what_a_board_network_does_not_look_for_is_refused(tmp_path: Path) -> None:
    file = saved(luozi.game("tictactoe"), tmp_path)
    with pytest.raises(luozi.LuoziError, match="decisive_moves has no effect together with network"):
        luozi.Engine(luozi.game("tictactoe"), network=file, decisive_moves=True)
