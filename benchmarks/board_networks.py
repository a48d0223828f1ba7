"""`board_networks`: positions that a network of any board evaluates in a CPU-second, and iterations of a search by it.

Both run in turns, since other programs slow the machine down; the weights are random ones.
"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from rich.table import Table

import luozi
from luozi.compiled import kernel
from luozi.evaluators.board_inputs import board_input
from luozi.evaluators.board_layers import run_network
from luozi.evaluators.board_network import BoardNetwork
from luozi.evaluators.board_weights import SIZES, new_board_weights, save_board_weights

GAMES = ("go:size=9", "othello", "hex")
ROUNDS, COUNT, MOVES = 12, 200, 6


@kernel
def evaluate_often(network: BoardNetwork, memory: Any, count: int) -> None:
    """Evaluate one position so many times."""
    for _ in range(count):
        run_network(network, memory[0])


def measure(spelling: str, size: str) -> tuple[float, float, float]:
    """Positions and iterations per CPU-second, each the best of some rounds, and the median of their ratio."""
    game = luozi.game(spelling)
    shape, sizes = board_input(game), SIZES[size]
    weights = new_board_weights(shape, sizes, 1)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "weights.npz"
        save_board_weights(file, weights, shape, sizes)
        engine = luozi.Engine(game, network=str(file), reuse_tree=False, seed=1)
    engine.compile()
    network = engine.components.evaluator
    memory, position = network.new_memory(), game.begin()
    for _ in range(MOVES):
        position = position.play(position.actions[len(position.actions) // 3])
    evaluate_often(network, memory, 1)
    bare, searched = [], []
    for _ in range(ROUNDS):
        begun = time.process_time()
        evaluate_often(network, memory, COUNT)
        bare.append(COUNT / (time.process_time() - begun))
        begun = time.process_time()
        engine.think(position, iterations=COUNT)
        searched.append(COUNT / (time.process_time() - begun))
    return max(bare), max(searched), median(two / one for one, two in zip(bare, searched, strict=True))


def run() -> Table:
    """Return a row for each game and size."""
    table = Table("", "positions/s", "iterations/s", "share", title="networks of any board, per CPU-second")
    for spelling in GAMES:
        for size in SIZES:
            bare, searched, share = measure(spelling, size)
            table.add_row(f"{spelling}, {size}", f"{bare:,.0f}", f"{searched:,.0f}", f"{share:.2f}")
    return table
