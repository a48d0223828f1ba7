"""The training of a line network: gradients by hand.

The loss of a position is the cross-entropy between the visits of a search and the policy, and that between the result
and each player's value, which counts as often as `value_weight` says. Rare patterns lean on what single players see of
them: the table of joint patterns is the one that is pulled towards zero most.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from luozi.compiled import Array, inline, kernel, signed, unsigned
from luozi.evaluators.line_layers import POOL, look_at_cells, run_layers, score_cells
from luozi.evaluators.line_network import LineNetwork
from luozi.evaluators.line_weights import CHANNELS, HIDDEN, folded, game_patterns, is_joint
from luozi.games.lines.codes import follow_board
from luozi.games.lines.rules import Lines
from luozi.learning.learner import Losses, Samples, Weights, weighed
from luozi.learning.optimizer import Adam
from luozi.rules.kernel_runner import kernel_for
from luozi.rules.state import State

DECAY = {"joint": 0.03, "own": 0.003, "other": 0.003, "views": 0.003}  # times the rate
TINY = 1e-6


class Gradient(NamedTuple):
    """Sums of derivatives by the numbers of the network, as they are looked up."""

    table: Array
    cell: Array
    hidden: Array
    hidden_bias: Array
    second: Array
    second_bias: Array
    value: Array
    value_bias: Array
    policy: Array
    policy_mix: Array


class LineGradientScratch(NamedTuple):
    """Working memory of one position."""

    query: Array  # [CHANNELS] f4: derivatives by the query,
    first: Array  # [HIDDEN] by the first layer,
    second: Array  # the second,
    total: Array  # [CHANNELS] the sum over cells,
    row: Array  # one cell's vector,
    scores: Array  # [cells] and scores
    losses: (
        Array  # [5] f8: sums of the policy's and the value's loss and its squares; of weights of policies and values
    )


@kernel
def add_gradients(
    network: LineNetwork,
    game: Lines,
    memory: Array,
    samples: Samples,
    chosen: Array,
    gradient: Gradient,
    room: LineGradientScratch,
) -> None:
    """Add the derivatives of the loss at the chosen positions."""
    for index in range(chosen.shape[0]):
        add_position(network, game, memory[0], samples, signed(chosen[index]), gradient, room)


@inline
def add_position(
    network: LineNetwork,
    game: Lines,
    memory: State,
    samples: Samples,
    row: int,
    gradient: Gradient,
    room: LineGradientScratch,
) -> None:
    mover = signed(samples.mover[row])
    memory.empty[0] = follow_board(network.codes, game, samples.board, row, memory)
    looked = signed(look_at_cells(network, memory, mover))
    run_layers(network, memory)
    score_cells(network, memory, looked)
    for channel in range(CHANNELS):
        room.query[channel] = 0.0
    for unit in range(HIDDEN):
        room.first[unit], room.second[unit] = 0.0, 0.0
    by_policy(network, game, memory, samples, row, looked, room)
    by_value(network, memory, samples, row, mover, gradient, room)
    by_layers(network, memory, gradient, room)
    by_cells(network, memory, mover, looked, gradient, room)


@inline
def by_policy(
    network: LineNetwork, game: Lines, memory: State, samples: Samples, row: int, looked: int, room: LineGradientScratch
) -> None:
    """Derivatives by the scores of cells, and by the query."""
    weight = float(samples.policy_weight[row])
    highest, total = -1e30, 0.0
    for index in range(looked):
        room.scores[index] = 0.0
        if is_move(network, game, memory, index):
            highest = max(highest, float(memory.logits[index]))
    if weight == 0.0 or highest == -1e30:
        return
    for index in range(looked):
        if is_move(network, game, memory, index):
            room.scores[index] = math.exp(memory.logits[index] - highest)
            total += room.scores[index]
    for index in range(looked):
        share, wanted = room.scores[index] / total, 0.0
        for target in range(samples.cells.shape[1]):
            if samples.cells[row, target] == memory.looked[index]:
                wanted = float(samples.chances[row, target])
        if wanted > 0.0:
            room.losses[0] -= weight * wanted * math.log(max(share, TINY))
        room.scores[index] = weight * (share - wanted) if is_move(network, game, memory, index) else 0.0
        at = unsigned(index * CHANNELS)
        for channel in range(unsigned(0), unsigned(CHANNELS)):
            room.query[channel] += room.scores[index] * memory.vectors[at + channel]
    room.losses[3] += weight


@inline
def is_move(network: LineNetwork, game: Lines, memory: State, index: int) -> bool:
    """Whether a stone can be put into a cell that was looked at; with gravity only where it falls."""
    if not network.gravity:
        return True
    cell = signed(memory.looked[index])
    return bool(memory.landing[cell % game.actions] == cell)


@inline
def by_value(
    network: LineNetwork,
    memory: State,
    samples: Samples,
    row: int,
    mover: int,
    gradient: Gradient,
    room: LineGradientScratch,
) -> None:
    """Derivatives by the values of players, and by the second layer."""
    weight = float(samples.value_weight[row])
    room.losses[4] += weight
    for output in range(network.outputs):
        total = float(network.w_value_bias[output])
        for unit in range(HIDDEN):
            total += memory.second[unit] * network.w_value[unit, output]
        share = 1.0 / (1.0 + math.exp(-total))
        wanted = float(samples.results[row, (mover + output) % network.players])
        slope = share - wanted
        loss = wanted * math.log(max(share, TINY)) + (1.0 - wanted) * math.log(max(1.0 - share, TINY))
        room.losses[1] -= weight * loss
        room.losses[2] += weight * slope * slope
        slope *= weight
        gradient.value_bias[output] += slope
        for unit in range(HIDDEN):
            gradient.value[unit, output] += slope * memory.second[unit]
            room.second[unit] += slope * network.w_value[unit, output]


@inline
def by_layers(network: LineNetwork, memory: Any, gradient: Gradient, room: LineGradientScratch) -> None:
    """Derivatives by both layers and what mixes the query, and by the sum over cells."""
    for unit in range(HIDDEN):
        slope = room.second[unit] if memory.second[unit] > 0.0 else np.float32(0.0)
        room.second[unit] = slope
        gradient.second_bias[unit] += slope
    for unit in range(HIDDEN):
        total = np.float32(0.0)
        for other in range(HIDDEN):
            gradient.second[unit, other] += memory.first[unit] * room.second[other]
            total += network.w_second[unit, other] * room.second[other]
        for channel in range(CHANNELS):
            gradient.policy_mix[unit, channel] += memory.first[unit] * room.query[channel]
            total += network.w_policy_mix[unit, channel] * room.query[channel]
        room.first[unit] = total if memory.first[unit] > 0.0 else np.float32(0.0)
        gradient.hidden_bias[unit] += room.first[unit]
    for channel in range(CHANNELS):
        gradient.policy[channel] += room.query[channel]
        total = np.float32(0.0)
        for unit in range(HIDDEN):
            gradient.hidden[channel, unit] += memory.sum[channel] * room.first[unit]
            total += network.w_hidden[channel, unit] * room.first[unit]
        room.total[channel] = total * np.float32(POOL)


@inline
def by_cells(
    network: LineNetwork, memory: State, mover: int, looked: int, gradient: Gradient, room: LineGradientScratch
) -> None:
    """Derivatives by the rows that each cell looked up."""
    for index in range(looked):
        cell, at = signed(memory.looked[index]), unsigned(index * CHANNELS)
        for channel in range(unsigned(0), unsigned(CHANNELS)):
            slope = room.scores[index] * memory.query[channel] + room.total[channel]
            room.row[channel] = slope if memory.vectors[at + channel] > 0.0 else np.float32(0.0)
        rows = network.find_rows(memory, cell, mover)
        kind = unsigned(memory.kinds[unsigned(cell)]) if network.gravity else unsigned(0)
        for channel in range(unsigned(0), unsigned(CHANNELS)):
            gradient.cell[kind, channel] += room.row[channel]
        for number in range(rows):
            row = unsigned(memory.found[number])
            for channel in range(unsigned(0), unsigned(CHANNELS)):
                gradient.table[row, channel] += room.row[channel]


class LineTrainer(Adam):
    """Trains the network of a line game."""

    def __init__(self, game: Lines, weights: Weights, compiled: bool = True) -> None:
        super().__init__(weights, DECAY)
        self.game = game
        self.network = LineNetwork(game, self.now)
        self.memory = self.network.new_memory()
        rows = self.network.table.shape[0]
        shapes = {"table": (rows, CHANNELS)} | {name: self.now[name].shape for name in Gradient._fields[1:]}
        self.gradient = Gradient(*(np.zeros(shapes[name], np.float32) for name in Gradient._fields))
        sizes = (CHANNELS, HIDDEN, HIDDEN, CHANNELS, CHANNELS, game.cells)
        arrays = [np.zeros(size, np.float32) for size in sizes]
        self.room = LineGradientScratch(arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], arrays[5], np.zeros(5))
        self._add = kernel_for(game, add_gradients, compiled)

    def train(self, samples: Samples, steps: int, batch: int, rate: float, seed: int) -> Losses:
        """So many steps of so many positions each, drawn from the samples."""
        rng, losses = np.random.default_rng(seed), np.zeros(5)
        for _ in range(steps):
            self.room.losses[:] = 0
            slopes = self.gradients(samples, rng.integers(0, len(samples.mover), batch))
            losses += self.room.losses
            self.follow({name: slope / batch for name, slope in slopes.items()}, rate)
        policies, values = max(losses[3], TINY), max(losses[4], TINY)
        return Losses(float(losses[0] / policies), float(losses[1] / values), float(losses[2] / values))

    def gradients(self, samples: Samples, chosen: Array) -> Weights:
        """The sums of derivatives over some positions, by the names of the weights."""
        for array in self.gradient:
            array[:] = 0
        np.copyto(self.network.table, folded(self.game, self.now))
        self._add(self.network, self.game, self.memory, weighed(samples), chosen, self.gradient, self.room)
        slopes = {name: getattr(self.gradient, name) for name in Gradient._fields[1:]}
        return slopes | unfolded(self.game, self.gradient.table, self.now)


def unfolded(game: Lines, table: Array, weights: Weights) -> Weights:
    """What derivatives by the rows that are looked up mean for the tables they come from."""
    if not is_joint(game):
        slopes = table.reshape(weights["views"].shape).copy()
        slopes[:, :, 0] = 0.0
        return {"views": slopes}
    patterns, joint = game_patterns(game), table.reshape(weights["joint"].shape).copy()
    joint[:, 0] = 0.0
    own, other = np.zeros_like(weights["own"]), np.zeros_like(weights["other"])
    for kind in range(len(joint)):
        add_rows(own[kind], patterns.own_view, joint[kind])
        add_rows(other[kind], patterns.other_view, joint[kind])
    return {"own": own, "other": other, "joint": joint}


def add_rows(to: Array, rows: Array, what: Array) -> None:
    """Add rows to those they belong to, some of them several times."""
    order = np.argsort(rows, kind="stable")
    starts = np.flatnonzero(np.diff(rows[order], prepend=-1))
    to[rows[order][starts]] += np.add.reduceat(what[order], starts, axis=0)
