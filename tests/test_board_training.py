"""The PyTorch side of board networks: the same arithmetic as the NumPy reference, and training that can go on."""

# ruff: noqa: E402
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import luozi
from luozi.evaluators.board_inputs import board_input
from luozi.evaluators.board_network_reference import forward
from luozi.evaluators.board_symmetries import symmetries_of
from luozi.evaluators.board_weights import BoardSizes, new_board_weights
from luozi.learning.board_evaluator import TorchEvaluator
from luozi.learning.board_forest import ForestSettings
from luozi.learning.board_model import BoardModel, FoldedModel, numpy_outputs, values_of
from luozi.learning.board_selfplay import BoardSelfPlay, Positions, SelfPlayPlan
from luozi.learning.board_training import BoardTrainer, SymmetryTensors, outcome_target, policy_loss
from luozi.learning.starting import start_run
from luozi.matches.workers import Here

SIZES = BoardSizes(3, 8, 6)
GAMES = ("tictactoe", "go:size=4", "hex:size=4", "breakthrough:rows=4,columns=4", "qubic", "amazons:size=4", "y:size=4")


def random_weights(view: Any) -> dict[str, Any]:
    rng, weights = np.random.default_rng(2), new_board_weights(view, SIZES, 1)
    return {name: (array + 0.1 * rng.normal(size=array.shape)).astype(np.float32) for name, array in weights.items()}


def random_positions(view: Any, count: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    planes = rng.integers(0, 2, (count, view.planes, view.cells)).astype(np.uint8) * np.array(view.exists)
    return planes, rng.normal(size=(count, view.numbers)).astype(np.float32)


def played(spelling: str, weights: Any = None, positions: int = 60) -> tuple[Any, Positions]:
    game = luozi.game(spelling)
    view = board_input(game)
    weights = weights or new_board_weights(view, SIZES, 1)
    settings = ForestSettings(full=16, fast=6, full_share=0.5)
    plan = SelfPlayPlan(8, 1, 2000, compiled=False)
    return view, BoardSelfPlay(game, view, TorchEvaluator(view, SIZES, weights), settings, plan).play(
        positions, lambda: False
    )[0]


@pytest.mark.parametrize("spelling", GAMES)
def test_the_network_says_what_the_reference_says(spelling: str) -> None:
    view = board_input(luozi.game(spelling))
    weights = random_weights(view)
    planes, numbers = random_positions(view, 2)
    on_board = np.isin(np.array(view.action_cells), [-1, *np.flatnonzero(view.exists)]).all(1)
    trained = BoardModel(view, SIZES, weights).eval()
    refolded = FoldedModel(view, SIZES, trained.folded(), torch.float32)
    logits, values = numpy_outputs(FoldedModel(view, SIZES, weights, torch.float32), planes, numbers)
    again, _ = numpy_outputs(refolded, planes, numbers)
    in_training, results, _ = trained(torch.from_numpy(planes).float(), torch.from_numpy(numbers))
    for row in range(2):
        expected, chances = forward(weights, view, planes[row].astype(np.float32), numbers[row])
        scale = 1e-5 * max(1.0, float(np.abs(expected).max()))
        for found in (logits, again, in_training.detach().numpy()):
            assert np.abs(found[row] - expected)[on_board].max() < scale
        for found in (values, values_of(results).detach().numpy()):
            assert np.abs(found[row] - chances[:-1] - 0.5 * chances[-1]).max() < 1e-5


def test_folding_keeps_what_was_trained() -> None:
    game = luozi.game("tictactoe")
    view, positions = played("tictactoe")
    trainer = BoardTrainer(game, SIZES, new_board_weights(view, SIZES, 1), 1000)
    trainer.window.add(positions)
    trainer.train(20, 32, 1e-3, 1)
    model = trainer.average.eval()
    planes, numbers = torch.from_numpy(positions.planes[:4]), torch.from_numpy(positions.numbers[:4])
    expected, results, _ = model(planes.float(), numbers)
    logits, values = numpy_outputs(
        FoldedModel(view, SIZES, trainer.weights(), torch.float32), *map(np.array, (planes, numbers))
    )
    assert np.abs(logits - expected.detach().numpy()).max() < 1e-4
    assert np.abs(values - values_of(results).detach().numpy()).max() < 1e-4


def test_training_lowers_the_losses_and_can_go_on_from_its_state() -> None:
    game = luozi.game("tictactoe")
    view, positions = played("tictactoe", positions=200)
    one, other = (BoardTrainer(game, SIZES, new_board_weights(view, SIZES, seed), 1000) for seed in (1, 2))
    one.window.add(positions)
    first = one.train(5, 64, 3e-3, 1)
    one.train(250, 64, 3e-3, 2)
    last = one.train(5, 64, 1e-4, 3)
    assert last.policy < first.policy + 0.05
    assert last.value < 0.8 * first.value
    other.restore(one.state())
    other.window.add(positions)
    one.train(3, 64, 1e-3, 4), other.train(3, 64, 1e-3, 4)
    for name, array in one.weights().items():
        assert np.allclose(array, other.weights()[name], atol=1e-6), name


def test_the_window_keeps_the_newest_positions() -> None:
    game = luozi.game("tictactoe")
    view, positions = played("tictactoe", positions=100)
    trainer = BoardTrainer(game, SIZES, new_board_weights(view, SIZES, 1), 64)
    for start in range(0, 100, 10):
        trainer.window.add(Positions(*(column[start : start + 10] for column in positions)))
    assert trainer.window.seen == 100
    newest = trainer.window.newest(50)
    for found, column in zip(newest, positions, strict=True):
        assert np.array_equal(found, column[50:100])


@pytest.mark.parametrize("spelling", ["go:size=3", "hex:size=3", "breakthrough:rows=4,columns=4"])
def test_turned_positions_show_the_same_moves(spelling: str) -> None:
    """Legal moves are a plane and marked in the policy: both must be turned alike."""
    view, positions = played(spelling, positions=30)
    clicks = (np.array(view.action_cells) >= 0).sum(1)
    legal_plane = view.plane_names.index("legal moves: first cell")
    batch = [torch.from_numpy(column) for column in positions]
    generator = torch.Generator().manual_seed(1)
    for _ in range(4):
        turned = SymmetryTensors.of(symmetries_of(luozi.game(spelling)), torch.device("cpu")).turned(batch, generator)
        for planes, policy in zip(turned[0].numpy(), turned[2].numpy(), strict=True):
            first = np.array(view.action_cells)[(clicks > 0) & (policy >= 0), 0]
            assert np.flatnonzero(planes[legal_plane]).tolist() == sorted(set(first.tolist()))


def test_targets() -> None:
    results = torch.tensor([[0.0, 1.0, 0.0], [0.5, 0.5, 0.5], [0.5, 0.5, 0.0]])
    assert outcome_target(results).tolist() == [[0, 1, 0, 0], [0, 0, 0, 1], [0.5, 0.5, 0, 0]]
    visits = torch.tensor([[3.0, 1.0, -1.0]])
    perfect = torch.log(torch.tensor([[0.75, 0.25, 9.0]]))
    assert abs(float(policy_loss(perfect, visits))) < 1e-6
    assert float(policy_loss(torch.zeros(1, 3), visits)) > 0.1


class Listener:
    """Is told how a run goes, and keeps what it says."""

    def __init__(self) -> None:
        self.said: list[Any] = []

    def say(self, sentence: str) -> None:
        self.said.append(sentence)

    def begin(self, what: str, total: int, done: int) -> None:
        pass

    def games(self, run: Any, count: int) -> None:
        pass

    def generation(self, run: Any, entry: dict[str, Any]) -> None:
        pass

    def ladder(self, run: Any) -> None:
        pass


def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    values = {
        **{"kind": "board", "device": "cpu", "network_size": "tiny", "eval_every": 0, "minutes": 60, "threads": 1},
        **{"positions_per_generation": 20, "parallel_games": 8, "full_iterations": 12, "fast_iterations": 4},
    }
    run = start_run("tictactoe", "mine", "", values, Listener(), tmp_path)
    for _, _ in zip(range(2), run.proceed(Here()), strict=False):
        pass
    run.save(whole=True)
    run.close()
    listener = Listener()
    again = start_run("tictactoe", "mine", "", {}, listener, tmp_path)
    try:
        assert listener.said == []
        assert again.generation == 2
        assert again.trainer.window.total == run.trainer.window.total > 0
        assert again.trainer.window.seen == run.trainer.window.seen
        for name, array in run.weights().items():
            assert np.allclose(array, again.weights()[name]), name
        entry = next(iter(again.proceed(Here())))
        assert entry["generation"] == 3
        assert entry["games"] > again.entries[1]["games"]
    finally:
        again.close()


def test_a_damaged_window_is_left_out(tmp_path: Path) -> None:
    test_a_run_goes_on_where_it_was(tmp_path)
    (tmp_path / "mine" / "window.npz").write_bytes(b"no window")
    listener = Listener()
    run = start_run("tictactoe", "mine", "", {}, listener, tmp_path)
    run.close()
    assert "window of positions begins anew" in str(listener.said[0])
    assert run.trainer.window.total == 0
