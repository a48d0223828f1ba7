"""What a board network learns of a game: any game whose class describes its board."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

from luozi.evaluators.board_inputs import board_input
from luozi.evaluators.board_weights import SIZES, BoardSizes, load_board_weights, new_board_weights, save_board_weights
from luozi.learning.board_forest import ForestSettings
from luozi.learning.board_selfplay import BatchEvaluator, BoardSelfPlay, SelfPlayPlan, fitting_games
from luozi.learning.learner import Weights
from luozi.learning.settings import LearningOptions
from luozi.messages import LuoziError
from luozi.rules.game import Game
from luozi.util.parsing import JsonObject

CPU_GAMES, GPU_GAMES = 256, 8192  # at once
CPU_POSITIONS, GPU_POSITIONS = 1000, 40_000  # of a generation
CPU_WINDOW, GPU_WINDOW = 200_000, 1_500_000  # positions
MOST_ROWS = 4  # times the positions of a generation are the room for those of finished games


class BoardLearner:
    """Learns a game by a board network."""

    def __init__(self, game: Game, settings: LearningOptions) -> None:
        self.game, self.settings, self.view = game, settings, board_input(game)

    @property
    def device(self) -> str:
        """Where the network is evaluated and trained: the GPU, if there is one and nothing else is asked for."""
        torch = part("torch")
        if self.settings.device == "cuda" and not torch.cuda.is_available():
            raise LuoziError("learn: device=cuda needs a GPU, and PyTorch finds none; choose device=cpu")
        return self.settings.device or ("cuda" if torch.cuda.is_available() else "cpu")

    @property
    def on_gpu(self) -> bool:
        return self.device == "cuda"

    @property
    def sizes(self) -> BoardSizes:
        """The sizes of a new network."""
        return SIZES[self.settings.network_size or ("small" if self.on_gpu else "tiny")]

    @property
    def positions(self) -> int:
        """How many positions a generation records."""
        return self.settings.positions_per_generation or (GPU_POSITIONS if self.on_gpu else CPU_POSITIONS)

    @property
    def threads(self) -> int:
        """How many threads search: the processors, less one for PyTorch where a GPU evaluates."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return self.settings.threads or max(1, cores - (1 if self.on_gpu else 0))

    def new_weights(self, seed: int) -> Weights:
        return new_board_weights(self.view, self.sizes, seed)

    def trainer(self, weights: Weights) -> Any:
        """What trains on the device, with its window of positions."""
        room = self.settings.window_positions or (GPU_WINDOW if self.on_gpu else CPU_WINDOW)
        training = part("luozi.learning.board_training")
        return training.BoardTrainer(self.game, sizes_of(weights), weights, room, self.device)

    def evaluator(self, weights: Weights) -> Any:
        """What evaluates the leaves of self-play on the device."""
        evaluation = part("luozi.learning.board_evaluator")
        return evaluation.TorchEvaluator(self.view, sizes_of(weights), weights, self.device)

    def selfplay(self, evaluator: BatchEvaluator, seed: int) -> BoardSelfPlay:
        """Games of the network against itself."""
        settings = self.settings
        search = ForestSettings(
            full=settings.full_iterations,
            fast=settings.fast_iterations,
            full_share=settings.full_share,
            noise=settings.dirichlet_fraction,
            early_moves=settings.temperature_moves,
            random_share=settings.random_openings,
            random_moves=settings.random_moves,
            first_pass=settings.first_pass,
        )
        wanted = settings.parallel_games or (GPU_GAMES if self.on_gpu else CPU_GAMES)
        games = fitting_games(self.game, self.view, search, wanted)
        plan = SelfPlayPlan(games, self.threads, MOST_ROWS * self.positions, seed)
        return BoardSelfPlay(self.game, self.view, evaluator, search, plan)

    def player(self, file: Path, settings: LearningOptions) -> str:
        return f"mcts:network={file},iterations={settings.eval_iterations}"

    def save(self, weights: Weights, file: Path, notes: JsonObject) -> None:
        playing = {name: array for name, array in weights.items() if not name.startswith("owner")}
        save_board_weights(file, playing, self.view, sizes_of(weights), notes)

    def load(self, file: Path) -> Weights:
        return load_board_weights(file, self.view)[0]


def sizes_of(weights: Weights) -> BoardSizes:
    """The sizes of a network, from its arrays.

    >>> import luozi
    >>> sizes_of(new_board_weights(board_input(luozi.game("tictactoe")), SIZES["tiny"], 1)) == SIZES["tiny"]
    True
    """
    blocks = sum(name.endswith(".w1") for name in weights if name.startswith("block"))
    return BoardSizes(blocks, len(weights["input.b"]), len(weights["mix.b"]))


def part(module: str) -> Any:
    """A module that needs PyTorch; one sentence if that is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise LuoziError("learning a board network needs PyTorch: install it by pip install 'luozi[learn]'") from None
