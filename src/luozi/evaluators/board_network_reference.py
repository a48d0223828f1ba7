"""The arithmetic of a board network in plain NumPy: what the compiled and the trained network must agree with.

Residual blocks: He et al. 2016. Global pooling: Wu 2019, section 3.3. Scores of moves by the cells that are clicked:
Cazenave et al. 2020 (Polygames) for one click.
"""

from __future__ import annotations

import numpy as np

from luozi.compiled import Array
from luozi.evaluators.board_weights import InputShape, clicks_of
from luozi.evaluators.weight_files import Weights


def relu(values: Array) -> Array:
    """What is positive of each value."""
    return np.maximum(values, 0.0)


def gathered(values: Array, shape: InputShape) -> Array:
    """The values [channels, cells] as each cell's taps see them: [channels, cells, taps]; 0 where there is no cell."""
    padded = np.concatenate([values, np.zeros((len(values), 1), values.dtype)], 1)
    taps = padded[:, shape.neighbours]
    if shape.kind != "points":
        return taps
    others = shape.neighbours[:, 1:]
    count = np.maximum((others >= 0).sum(1), 1)
    return np.stack([taps[:, :, 0], taps[:, :, 1:].sum(2) / count], 2)


def convolved(values: Array, weights: Array, bias: Array, shape: InputShape) -> Array:
    """A convolution over the neighbours of each cell; missing cells stay 0."""
    sums = np.einsum("okc,cnk->on", weights, gathered(values, shape), optimize=True)
    return (sums + bias[:, None]) * shape.exists


def pooled(values: Array, shape: InputShape) -> Array:
    """The mean of each channel over the existing cells, then its maximum."""
    existing = values[:, np.asarray(shape.exists) > 0]
    return np.concatenate([existing.mean(1), existing.max(1)])


def trunk(weights: Weights, shape: InputShape, planes: Array, values: Array) -> Array:
    """The residual blocks: [channels, cells]."""
    start = weights["input.b"] + weights["input.globals"] @ values
    x = relu(convolved(np.asarray(planes, np.float32), weights["input.w"], start, shape))
    block = 0
    while f"block{block}.w1" in weights:
        name = f"block{block}"
        y = relu(convolved(x, weights[f"{name}.w1"], weights[f"{name}.b1"], shape))
        if f"{name}.pool.w" in weights:
            added = weights[f"{name}.pool.w"] @ pooled(y, shape) + weights[f"{name}.pool.b"]
            y = (y + added[:, None]) * shape.exists
        x = relu(x + convolved(y, weights[f"{name}.w2"], weights[f"{name}.b2"], shape))
        block += 1
    return x


def policy(weights: Weights, shape: InputShape, moves: Array, whole: Array) -> Array:
    """A score for each output, by the cells that are clicked for it."""
    m = relu(moves + (weights["mix.w"] @ whole + weights["mix.b"])[:, None])
    clicks, cells = clicks_of(shape), np.asarray(shape.action_cells)
    logits = np.zeros(len(cells))
    if "extra.w" in weights:
        logits[clicks == 0] = weights["extra.w"] @ whole + weights["extra.b"]
    one = clicks == 1
    logits[one] = (weights["cell.w"] @ m)[cells[one, 0]]
    for first, second in ((0, 1), (1, 2)):  # each pair of clicks that follow each other
        pair = clicks > second
        if pair.any():
            a, b = cells[pair, first], cells[pair, second]
            q, k = weights["q.w"] @ m, weights["k.w"] @ m
            logits[pair] += (weights["from.w"] @ m)[a] + (weights["to.w"] @ m)[b] + (q[:, a] * k[:, b]).sum(0)
    return logits + (weights["offset"][shape.action_group] if "offset" in weights else 0.0)


def forward(weights: Weights, shape: InputShape, planes: Array, values: Array) -> tuple[Array, Array]:
    """The scores of all outputs before softmax, and the chances that each relative player wins, and of a draw.

    `planes` is [planes, cells], `values` the numbers for the whole board. The first player is the one to move.
    """
    h = relu(weights["head.w"] @ trunk(weights, shape, planes, values) + weights["head.b"][:, None])
    head = len(weights["mix.w"])
    moves, result = h[:head], h[head:]
    logits = policy(weights, shape, moves, pooled(moves, shape))
    hidden = relu(weights["value1.w"] @ pooled(result, shape) + weights["value1.b"])
    scores = weights["value2.w"] @ hidden + weights["value2.b"]
    chances = np.exp(scores - scores.max())
    return logits, chances / chances.sum()
