"""What can be learned of a line game: a network of line patterns, by games against itself."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from luozi.compiled import new_rng
from luozi.evaluators.line_network import LineNetwork
from luozi.evaluators.line_weights import load_weights, new_weights, save_weights
from luozi.evaluators.thread_state import PROGRESS_SIZE, KernelLimits, new_thread
from luozi.evaluators.variants import as_record
from luozi.games.lines.rules import Lines
from luozi.learning.learner import MOST_MOVES, Samples, SelfPlayBatch, Trainer, Weights, value_weights
from luozi.learning.line_games import DRAWS, GAMES, MOVES, ROWS, SampleWriter, SelfPlayOptions, new_session, play_games
from luozi.learning.line_training import LineTrainer
from luozi.learning.settings import LearningOptions
from luozi.rules.kernel_runner import kernel_for
from luozi.search.components import network_components
from luozi.search.context import SearchContext
from luozi.search.options import Options
from luozi.search.tree_reuse import ReusableTree
from luozi.util.parsing import JsonObject

RULES = "mcts_solver=standard,decisive_moves=true,anti_decisive_moves=true,avoid_immediate_loss=true"
USUAL_LONGEST = 70  # moves of a game on a large board: long dull games would fill the window
EDGES_A_VISIT = 16
MOST_FILLED = 45  # per cent of the board in an opening of three and more players: games from few stones are drawn


class LineLearner:
    """Learns one line game."""

    def __init__(self, game: Lines) -> None:
        self.game = game

    def new_weights(self, seed: int) -> Weights:
        return new_weights(self.game, seed)

    def trainer(self, weights: Weights) -> Trainer:
        return LineTrainer(self.game, weights)

    def player(self, file: Path, settings: LearningOptions) -> str:
        return f"mcts:network={file},iterations={settings.eval_iterations},{RULES}"

    def save(self, weights: Weights, file: Path, notes: JsonObject) -> None:
        save_weights(file, self.game, weights, notes)

    def load(self, file: Path) -> Weights:
        return load_weights(file, self.game)

    def play_uncompiled(self, weights: Weights, settings: LearningOptions, seed: int, games: int) -> Samples:
        """The same games as plain Python plays them, for tests and for who wants to look on."""
        return self._play(weights, settings, seed, games, False).samples

    def play(self, weights: Weights, settings: LearningOptions, seed: int, games: int) -> SelfPlayBatch:
        return self._play(weights, settings, seed, games, True)

    def _play(
        self, weights: Weights, settings: LearningOptions, seed: int, games: int, compiled: bool
    ) -> SelfPlayBatch:
        began = time.process_time()
        desk, quiet = self._desk(weights, settings, seed, compiled)
        plan = plan_of(self.game, settings)
        parts: list[SampleWriter] = []
        left = games
        while left > 0:
            session = new_session(min(left, 8) * plan.longest + self.game.length_limit + 8, self.game, MOST_MOVES)
            kernel_for(self.game, play_games, compiled)(desk, quiet, plan, session, left)
            left -= int(session.numbers[GAMES])
            parts.append(session)
        columns = zip(*(tuple(column[: part.numbers[ROWS]] for column in part[:7]) for part in parts), strict=True)
        numbers = np.sum([part.numbers for part in parts], axis=0)
        samples = Samples(*(np.concatenate(column) for column in columns))
        return SelfPlayBatch(
            samples=samples._replace(value_weight=value_weights(samples.results, settings.drawn_share)),
            games=int(numbers[GAMES]),
            moves=int(numbers[MOVES]),
            wins=np.sum([part.wins for part in parts], axis=0),
            draws=int(numbers[DRAWS]),
            cpu_seconds=time.process_time() - began,
        )

    def _desk(
        self, weights: Weights, settings: LearningOptions, seed: int, compiled: bool
    ) -> tuple[SearchContext, Any]:
        """All that a game needs, and the variants of short searches, in which nothing is left to chance."""
        game = self.game
        pool = EDGES_A_VISIT * max(settings.full_iterations, settings.fast_iterations) + 4 * game.actions
        rules = {
            "mcts_solver": "standard",
            "decisive_moves": True,
            "anti_decisive_moves": True,
            "avoid_immediate_loss": True,
        }
        options = Options(network="learning", dirichlet_fraction=settings.dirichlet_fraction, pool_size=pool, **rules)  # type: ignore[arg-type]
        variants = options.variants(0)._replace(rivals=game.has_single_winner)
        shape = network_components(variants, LineNetwork(game, weights, options.network_threat_nodes))
        memory = ReusableTree(game, options)
        thread = new_thread(game, new_rng(seed), shape.evaluator.new_memory())
        limits = KernelLimits(np.zeros(PROGRESS_SIZE, np.int64), 1 << 62, 1 << 62)
        quiet = variants._replace(noise=0.0)
        switched = [as_record(one) if compiled else one for one in (variants, quiet)]
        return SearchContext(game, *shape, memory.tree, thread, limits, switched[0]), switched[1]


def plan_of(game: Lines, settings: LearningOptions) -> SelfPlayOptions:
    """How games are played, by what people set."""
    longest = min(settings.max_moves or USUAL_LONGEST, game.max_length)
    least, most = (2, 7) if not game.gravity and game.cells > 100 else (0, 6)
    if game.players > 2:
        most = max(most, game.cells * MOST_FILLED // 100)
    return SelfPlayOptions(
        full=settings.full_iterations,
        fast=settings.fast_iterations,
        full_share=settings.full_share,
        drawn_moves=settings.temperature_moves,
        longest=longest,
        drawn_share=settings.drawn_share,
        least_stones=least,
        most_stones=most,
    )
