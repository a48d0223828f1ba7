"""The layers of a board network, compiled: convolutions, pooling, and the scores of moves.

Values lie row by row, one row of `stride` channels for each cell. After the cells come rows that no neighbour reads, up
to a whole number of blocks, then a row of zeros for neighbours that are not there, and on points one row more for each
cell, with the mean of its neighbours.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from luozi.compiled import Array, freely, signed, unsigned
from luozi.compiled.products import WIDTH, Rows, add_block
from luozi.evaluators.board_weights import HIDDEN, PAIR_CHANNELS
from luozi.rules.state import State

if TYPE_CHECKING:
    from luozi.evaluators.board_network import BoardNetwork


@freely
def run_network(network: BoardNetwork, memory: State) -> None:
    """From planes and numbers in `memory` to the scores of all outputs and the chances of each result."""
    run_input(network, memory)
    for block in range(network.layers // 2):
        run_block(network, memory, block)
    run_heads(network, memory)
    score_outputs(network, memory)
    run_result(network, memory)


@freely
def run_input(network: BoardNetwork, memory: State) -> None:
    """The first layer: the planes cell by cell, and the numbers for the whole board, which every cell gets."""
    planes, stride = network.planes, unsigned(network.stride)
    for cell in range(network.cells):
        for plane in range(planes):
            memory.seen[cell * planes + plane] = memory.planes[plane, cell]
    if network.on_points:
        add_means(network, memory.seen, planes)
    for channel in range(network.channels):
        total = network.biases[0, channel]
        for number in range(network.numbers):
            total += network.w_numbers[channel, number] * memory.numbers[number]
        memory.pooled[channel] = total
    for row in range(unsigned(0), unsigned(network.padded)):
        for channel in range(unsigned(0), stride):
            memory.x[row * stride + channel] = memory.pooled[channel]
    convolve(network, memory.seen, 0, memory.x)
    keep_positive(memory.x, network.padded * network.stride)
    if network.on_points:
        add_means(network, memory.x, network.stride)


@freely
def run_block(network: BoardNetwork, memory: State, block: int) -> None:
    """A residual block (He et al. 2016); every second one adds what the pooled values say (Wu 2019)."""
    size, stride = network.padded * network.stride, unsigned(network.stride)
    set_rows(memory.y, network.biases, 2 * block + 1, network.padded, stride)
    convolve(network, memory.x, 2 * block + 1, memory.y)
    keep_positive(memory.y, size)
    if block % 2:
        pool(network, memory.y, network.stride, 0, network.channels, memory.pooled)
        for channel in range(network.channels):
            total = network.b_pool[block // 2, channel]
            for unit in range(2 * network.channels):
                total += network.w_pool[block // 2, channel, unit] * memory.pooled[unit]
            memory.added[channel] = total
        for row in range(unsigned(0), unsigned(network.padded)):
            for channel in range(unsigned(0), stride):
                memory.y[row * stride + channel] += memory.added[channel]
    if network.on_points:
        add_means(network, memory.y, network.stride)
    add_rows(memory.x, network.biases, 2 * block + 2, network.padded, stride)
    convolve(network, memory.y, 2 * block + 2, memory.x)
    keep_positive(memory.x, size)
    if network.on_points:
        add_means(network, memory.x, network.stride)


@freely
def run_heads(network: BoardNetwork, memory: State) -> None:
    """Channels for the moves, mixed with what the whole board says, and channels for the result."""
    head, stride = network.head, network.head_stride
    set_rows(memory.h, network.biases, network.layers + 1, network.padded, unsigned(stride))
    convolve(network, memory.x, network.layers + 1, memory.h)
    keep_positive(memory.h, network.padded * stride)
    pool(network, memory.h, stride, 0, head, memory.whole)
    pool(network, memory.h, stride, head, head, memory.pooled)
    for channel in range(head):
        total = network.b_mix[channel]
        for unit in range(2 * head):
            total += network.w_mix[channel, unit] * memory.whole[unit]
        memory.added[channel] = total
    for cell in range(network.cells):
        for channel in range(unsigned(0), unsigned(head)):
            at = unsigned(cell * stride) + channel
            memory.h[at] = max(memory.h[at] + memory.added[channel], np.float32(0.0))


@freely
def run_result(network: BoardNetwork, memory: State) -> None:
    """The chances of a win of each player, the one to move first, and of a draw."""
    outcomes, highest = network.players + 1, -1e30
    for unit in range(HIDDEN):
        total = network.b_value1[unit]
        for place in range(2 * network.head):
            total += network.w_value1[unit, place] * memory.pooled[place]
        memory.hidden[unit] = max(total, np.float32(0.0))
    for outcome in range(outcomes):
        score = float(network.b_value2[outcome])
        for unit in range(HIDDEN):
            score += network.w_value2[outcome, unit] * memory.hidden[unit]
        memory.result[outcome] = score
        highest = max(highest, score)
    total = 0.0
    for outcome in range(outcomes):
        memory.result[outcome] = math.exp(memory.result[outcome] - highest)
        total += memory.result[outcome]
    for outcome in range(outcomes):
        memory.result[outcome] /= total


@freely
def score_outputs(network: BoardNetwork, memory: State) -> None:
    """The scores of all outputs, by the cells that are clicked for each."""
    head, _stride, extra = unsigned(network.head), network.head_stride, 0
    score_cells(network, memory)
    for output in range(network.outputs):
        score, one = network.offset[signed(network.action_group[output])], signed(network.action_cells[output, 0])
        two, three = signed(network.action_cells[output, 1]), signed(network.action_cells[output, 2])
        if one < 0:
            score += network.b_extra[extra]
            for unit in range(2 * head):
                score += network.w_extra[extra, unit] * memory.whole[unit]
            extra += 1
        elif two < 0:
            score += memory.scores[one, 0]
        else:
            score += memory.scores[one, 1] + memory.scores[two, 2] + matched(memory, one, two)
            if three >= 0:
                score += memory.scores[two, 1] + memory.scores[three, 2] + matched(memory, two, three)
        memory.logits[output] = score


@freely
def score_cells(network: BoardNetwork, memory: State) -> None:
    """What each cell says as the only click, as the first and as the second of two; and its vectors in both roles."""
    head, pairs = unsigned(network.head), PAIR_CHANNELS if network.has_pairs else 0
    for cell in range(network.cells):
        at = unsigned(cell * network.head_stride)
        for role in range(3 if network.has_pairs else 1):
            total = np.float32(0.0)
            for channel in range(unsigned(0), head):
                total += memory.h[at + channel] * network.w_cell[role, channel]
            memory.scores[cell, role] = total
        for pair in range(2 * pairs):
            total = np.float32(0.0)
            for channel in range(unsigned(0), head):
                total += memory.h[at + channel] * network.w_pairs[pair, channel]
            memory.pairs[cell, pair] = total


@freely
def matched(memory: State, one: int, two: int) -> float:
    """The product of the vectors of two cells that are clicked one after the other."""
    total = np.float32(0.0)
    for channel in range(PAIR_CHANNELS):
        total += memory.pairs[one, channel] * memory.pairs[two, PAIR_CHANNELS + channel]
    return float(total)


@freely
def convolve(network: BoardNetwork, source: Array, layer: int, to: Array) -> None:
    """Add a convolution to the rows of `to`: layer 0 is that of the input, the last one that of the heads."""
    block, taps, inputs, stride = network.block, network.taps, network.channels, network.stride
    offsets, start = network.offsets, network.first_kernel + (layer - 1) * network.kernel
    if layer == 0:
        inputs, offsets, start = network.planes, network.plane_offsets, 0
    elif layer > network.layers:
        taps, stride, offsets = 1, network.head_stride, network.own_offsets
    for group in range(stride // WIDTH):
        for number in range(network.blocks):
            skipped, used = signed(network.first_tap[number]), signed(network.tap_count[number])
            if layer > network.layers:
                skipped, used = 0, 1
            first = start + (group * taps + skipped) * inputs * WIDTH
            place = number * block * stride + group * WIDTH
            rows = Rows(offsets, (number * taps + skipped) * block, used, inputs, first, place, stride)
            add_block(block, source, rows, network.kernels, to)


@freely
def add_means(network: BoardNetwork, values: Array, stride: int) -> None:
    """On points: write the mean of each cell's neighbours into the rows behind those of the cells."""
    for cell in range(network.cells):
        to, count = (network.padded + 1 + cell) * stride, np.float32(0.0)
        for channel in range(stride):
            values[to + channel] = 0.0
        for near in range(1, network.neighbours.shape[1]):
            other = signed(network.neighbours[cell, near])
            if other >= 0 and network.exists[other]:
                for channel in range(stride):
                    values[to + channel] += values[other * stride + channel]
            count += np.float32(other >= 0)
        for channel in range(stride):
            values[to + channel] /= max(count, np.float32(1.0))


@freely
def pool(network: BoardNetwork, values: Array, stride: int, first: int, channels: int, to: Array) -> None:
    """The mean of some channels over the cells that exist, then their maximum; no value is negative."""
    wide, count = unsigned(channels), np.float32(0.0)
    for channel in range(unsigned(0), 2 * wide):
        to[channel] = 0.0
    for cell in range(network.cells):
        if network.exists[cell]:
            at = unsigned(cell * stride + first)
            count += np.float32(1.0)
            for channel in range(unsigned(0), wide):
                to[channel] += values[at + channel]
                to[wide + channel] = max(to[wide + channel], values[at + channel])
    for channel in range(unsigned(0), wide):
        to[channel] /= count


@freely
def set_rows(to: Array, bias: Array, layer: int, rows: int, stride: int) -> None:
    """Write the bias of a layer into each row."""
    for row in range(unsigned(0), unsigned(rows)):
        for channel in range(unsigned(0), stride):
            to[row * stride + channel] = bias[layer, channel]


@freely
def add_rows(to: Array, bias: Array, layer: int, rows: int, stride: int) -> None:
    """Add the bias of a layer to each row."""
    for row in range(unsigned(0), unsigned(rows)):
        for channel in range(unsigned(0), stride):
            to[row * stride + channel] += bias[layer, channel]


@freely
def keep_positive(values: Array, count: int) -> None:
    """Replace what is negative by 0."""
    for place in range(unsigned(0), unsigned(count)):
        values[place] = max(values[place], np.float32(0.0))
