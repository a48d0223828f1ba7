"""The compiled board network gives what its definition in NumPy gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from board_shapes import SHAPES, random_input

from luozi.compiled import kernel
from luozi.evaluators.board_layers import run_network
from luozi.evaluators.board_network import BoardNetwork
from luozi.evaluators.board_network_reference import forward
from luozi.evaluators.board_weights import BoardSizes, new_board_weights

SMALL = BoardSizes(3, 8, 4)


@kernel
def run_compiled(network: BoardNetwork, memory: Any) -> None:
    run_network(network, memory[0])


CASES = [(name, SMALL, True) for name in SHAPES]  # each compiles anew: the shape of the memory is part of its type
CASES += [("square of 9", BoardSizes(2, 40, 20), True), ("grid", SMALL, False), ("points, three players", SMALL, False)]


@pytest.mark.parametrize(("name", "sizes", "compiled"), CASES)
def test_the_compiled_network_agrees_with_its_definition(name: str, sizes: BoardSizes, compiled: bool) -> None:
    shape = SHAPES[name]
    weights = new_board_weights(shape, sizes, 1)
    network = BoardNetwork(shape, weights, sizes)
    memory = network.new_memory()
    run = run_compiled if compiled else run_compiled.py_func
    for seed in range(2 if compiled else 1):  # nothing is left of the position before
        planes, numbers = random_input(shape, seed)
        memory["planes"], memory["numbers"] = planes, numbers
        run(network, memory)
        logits, result = forward(weights, shape, planes, numbers)
        clicked = shape.exists[shape.action_cells[:, 0]] > 0  # nobody moves to a missing cell
        np.testing.assert_allclose(memory["logits"][0][clicked], logits[clicked], rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(memory["result"][0], result, rtol=1e-4, atol=1e-5)
