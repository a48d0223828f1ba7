"""The arithmetic of a network of line patterns: vectors of cells, layers, scores of moves, all as plain loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from luozi.compiled import Array, apart, freely, signed, unsigned
from luozi.evaluators.line_weights import CHANNELS, HIDDEN
from luozi.rules.state import State

if TYPE_CHECKING:
    from luozi.evaluators.line_network import LineNetwork

POOL = 0.05  # by which the sum over cells is made small
SQUARINGS = 10  # of the exponential


@freely
def look_at_cells(network: LineNetwork, memory: State, mover: int) -> int:
    """Write the vectors of the empty cells near stones, and their sum; how many cells these are."""
    looked, table = 0, network.table
    if network.gravity:
        network.find_kinds(memory, mover)
    for cell in range(unsigned(0), unsigned(network.cells)):  # without a branch: nobody could foretell which are
        memory.looked[unsigned(looked)] = cell
        looked += int(memory.board[cell] == 0) & int(memory.near[cell] > 0)
    for index in range(looked):
        cell = signed(memory.looked[unsigned(index)])
        groups = network.find_rows(memory, cell, mover) // 4
        kind = unsigned(memory.kinds[unsigned(cell)]) if network.gravity else unsigned(0)
        at = unsigned(index * CHANNELS)
        one, two, three, four = network.four_rows(memory, 0)
        for channel in range(unsigned(0), unsigned(CHANNELS)):
            vector = network.w_cell[kind, channel] + (
                (table[one, channel] + table[two, channel]) + (table[three, channel] + table[four, channel])
            )
            memory.vectors[at + channel] = max(vector, np.float32(0.0)) if groups == 1 else vector
        for group in range(1, groups):
            one, two, three, four = network.four_rows(memory, group)
            for channel in range(unsigned(0), unsigned(CHANNELS)):
                vector = memory.vectors[at + channel] + (
                    (table[one, channel] + table[two, channel]) + (table[three, channel] + table[four, channel])
                )
                memory.vectors[at + channel] = max(vector, np.float32(0.0)) if group + 1 == groups else vector
    add_vectors(memory, looked)
    return looked


@apart
def add_vectors(memory: Any, looked: int) -> None:
    """The sum over the first cells, one after the other, read and written for four of them at a time."""
    rest = -(-looked // 4) * 4
    for place in range(unsigned(looked * CHANNELS), unsigned(rest * CHANNELS)):
        memory.vectors[place] = 0.0
    for channel in range(unsigned(0), unsigned(CHANNELS)):
        memory.sum[channel] = 0.0
    for at in range(unsigned(0), unsigned(rest * CHANNELS), unsigned(4 * CHANNELS)):
        two, three, four = at + unsigned(CHANNELS), at + unsigned(2 * CHANNELS), at + unsigned(3 * CHANNELS)
        for channel in range(unsigned(0), unsigned(CHANNELS)):
            first = (memory.sum[channel] + memory.vectors[at + channel]) + memory.vectors[two + channel]
            memory.sum[channel] = (first + memory.vectors[three + channel]) + memory.vectors[four + channel]


@freely
def add_product(vector: Array, matrix: Array, to: Array) -> None:
    """Add a vector times a matrix, four rows at a time; both sides of all matrices here are as long."""
    for at in range(unsigned(0), unsigned(HIDDEN), unsigned(4)):
        one, two, three, four = vector[at], vector[at + 1], vector[at + 2], vector[at + 3]
        for unit in range(unsigned(0), unsigned(HIDDEN)):
            to[unit] += (one * matrix[at, unit] + two * matrix[at + 1, unit]) + (
                three * matrix[at + 2, unit] + four * matrix[at + 3, unit]
            )


@freely
def run_layers(network: LineNetwork, memory: Any) -> None:
    """From the sum over cells through both layers, and what a cell's vector is to be like to be played."""
    for channel in range(CHANNELS):
        memory.sum[channel] *= np.float32(POOL)
        memory.query[channel] = network.w_policy[channel]
    for unit in range(HIDDEN):
        memory.first[unit] = network.w_hidden_bias[unit]
        memory.second[unit] = network.w_second_bias[unit]
    add_product(memory.sum, network.w_hidden, memory.first)
    for unit in range(HIDDEN):
        memory.first[unit] = max(memory.first[unit], np.float32(0.0))
    add_product(memory.first, network.w_second, memory.second)
    add_product(memory.first, network.w_policy_mix, memory.query)
    for unit in range(HIDDEN):
        memory.second[unit] = max(memory.second[unit], np.float32(0.0))


@freely
def score_cells(network: LineNetwork, memory: State, looked: int) -> None:
    """How much each cell that was looked at promises as a move.

    The sum is over a number of channels that the compiler does not know: else it writes all of them out, one by one.
    """
    channels = unsigned(network.channels)
    for index in range(looked):
        at, score = unsigned(index * CHANNELS), np.float32(0.0)
        for channel in range(unsigned(0), channels):
            score += memory.vectors[at + channel] * memory.query[channel]
        memory.logits[index] = score


@freely
def exponentials(memory: State, count: int, highest: np.float32, power: np.float32) -> float:
    """Turn the first scores into their exponentials, nearly, the highest into 1; their sum.

    (1 + x / 1024) ^ 1024, for all at once: much faster than calling for each, and good enough for chances.
    """
    factor, total = power * np.float32(1.0 / (1 << SQUARINGS)), np.float32(0.0)
    for index in range(count):
        memory.logits[index] = max(np.float32(1.0) + (memory.logits[index] - highest) * factor, np.float32(0.0))
    for _ in range(SQUARINGS):
        for index in range(count):
            memory.logits[index] *= memory.logits[index]
    for index in range(count):
        total += memory.logits[index]
    return float(total)
