"""A board network as an evaluator of the compiled search: values and priors for any game that has a board.

`board_network_reference.py` states the arithmetic; here the weights lie as the loops of `board_layers.py` read them.
"""

from __future__ import annotations

import math

import numpy as np

from luozi.compiled import Array, Compilable, apart, signed
from luozi.compiled.products import WIDTH, block_rows
from luozi.evaluators.board_inputs import BoardInput
from luozi.evaluators.board_layers import run_network
from luozi.evaluators.board_weights import HIDDEN, PAIR_CHANNELS, BoardSizes, clicks_of, taps_of
from luozi.evaluators.heuristic import credit_results
from luozi.evaluators.thread_state import ALL_IN_ORDER, ALL_MOVES, CERTAIN, CHOICE, MOVES, THREAT_BY, ThreadState
from luozi.evaluators.variants import Variants
from luozi.evaluators.weight_files import Weights
from luozi.rules.game import Game
from luozi.rules.state import State, record_type

DRAWN = 0.5  # what a draw pays each player


@apart
def assess_board(network: BoardNetwork, game: Game, thread: ThreadState, variants: Variants) -> None:
    """`BoardNetwork.assess`, compiled apart from the search that calls it."""
    network.assess(game, thread, variants)


class BoardNetwork(Compilable):
    """A network with the tables of its game's input. Threads share one: it is never written to."""

    entry_points: tuple[str, ...] = ("evaluate", "evaluate_again", "assess")

    def __init__(self, shape: BoardInput, weights: Weights, sizes: BoardSizes) -> None:
        self.input = shape
        self.cells, self.planes, self.numbers, self.players = shape.cells, shape.planes, shape.numbers, shape.players
        self.exists, self.neighbours = shape.exists, shape.neighbours
        self.action_cells, self.action_group, self.logit_of = shape.action_cells, shape.action_group, shape.logit_of
        self.outputs, self.taps, self.on_points = len(shape.action_cells), taps_of(shape), shape.kind == "points"
        self.channels, self.head, self.layers = sizes.channels, sizes.head, 2 * sizes.blocks
        self.stride, self.head_stride = padded(sizes.channels), padded(2 * sizes.head)
        self.block = block_rows(self.cells)
        self.blocks = -(-self.cells // self.block)
        self.padded = self.blocks * self.block  # rows of cells, with those that fill the last block
        self.rows = self.padded + 1 + (self.cells if self.on_points else 0)
        self._set_offsets()
        self._set_layers(weights, sizes)
        self._set_heads(weights)

    def _set_offsets(self) -> None:
        """Where the values of each cell's neighbours begin, block by block: [blocks, taps, block]."""
        near = np.full((self.padded, self.taps), self.padded, np.int64)  # the row of zeros
        if self.on_points:
            near[: self.cells, 0] = np.arange(self.cells)
            near[: self.cells, 1] = self.padded + 1 + np.arange(self.cells)
        else:
            there = np.append(np.asarray(self.exists) > 0, False)
            near[: self.cells] = np.where(there[self.neighbours], self.neighbours, self.padded)
        by_block = near.reshape(self.blocks, self.block, self.taps).transpose(0, 2, 1)
        used = (by_block != self.padded).any(2)  # at an edge some taps of a block see no cell: they are left out
        self.first_tap = used.argmax(1).astype(np.int64)
        self.tap_count = (self.taps - used[:, ::-1].argmax(1) - self.first_tap).astype(np.int64)
        blocks = by_block.reshape(-1)
        self.offsets = (blocks * self.stride).astype(np.int32)
        self.plane_offsets = (blocks * self.planes).astype(np.int32)
        self.own_offsets = (np.arange(self.padded) * self.stride).astype(np.int32)

    def _set_layers(self, weights: Weights, sizes: BoardSizes) -> None:
        """The convolutions one after the other, and their biases."""
        names = [f"block{block}.w{layer}" for block in range(sizes.blocks) for layer in (1, 2)]
        kernels = [laid_out(weights["input.w"])]
        self.first_kernel, self.kernel = len(kernels[0]), self.taps * self.channels * self.stride
        kernels += [laid_out(weights[name]) for name in names]
        kernels += [laid_out(weights["head.w"][:, None, :])]
        self.kernels = np.concatenate(kernels)
        self.biases = np.zeros((self.layers + 2, max(self.stride, self.head_stride)), np.float32)
        for layer, name in enumerate(["input.b", *(name.replace(".w", ".b") for name in names), "head.b"]):
            self.biases[layer, : len(weights[name])] = weights[name]
        self.w_numbers = weights["input.globals"]
        pools = [f"block{block}.pool" for block in range(1, sizes.blocks, 2)]
        self.w_pool = np.zeros((max(1, len(pools)), self.channels, 2 * self.channels), np.float32)
        self.b_pool = np.zeros((max(1, len(pools)), self.channels), np.float32)
        for place, name in enumerate(pools):
            self.w_pool[place], self.b_pool[place] = weights[f"{name}.w"], weights[f"{name}.b"]

    def _set_heads(self, weights: Weights) -> None:
        """The scores of moves and the chances of results."""
        clicks = clicks_of(self.input)
        self.has_pairs = "q.w" in weights
        roles = [weights["cell.w"]] + ([weights["from.w"], weights["to.w"]] if self.has_pairs else [])
        self.w_cell = np.stack(roles)
        self.w_pairs = np.concatenate([weights["q.w"], weights["k.w"]]) if self.has_pairs else np.zeros((1, 1), "f4")
        self.w_mix, self.b_mix = weights["mix.w"], weights["mix.b"]
        extras = max(1, int((clicks == 0).sum()))
        self.w_extra = weights.get("extra.w", np.zeros((extras, 2 * self.head), np.float32))
        self.b_extra = weights.get("extra.b", np.zeros(extras, np.float32))
        self.offset = weights.get("offset", np.zeros(1, np.float32))
        self.w_value1, self.b_value1 = weights["value1.w"], weights["value1.b"]
        self.w_value2, self.b_value2 = weights["value2.w"], weights["value2.b"]

    def new_memory(self) -> Array:
        """Room for one evaluation."""
        wide = max(2 * self.channels, 2 * self.head, self.stride)
        return np.zeros(
            1,
            record_type(
                [
                    ("planes", "u1", (self.planes, self.cells)),
                    ("numbers", "f4", self.numbers),
                    ("seen", "f4", self.rows * self.planes),  # the planes, cell by cell
                    ("x", "f4", self.rows * self.stride),
                    ("y", "f4", self.rows * self.stride),
                    ("h", "f4", self.padded * self.head_stride),  # of the heads
                    ("pooled", "f4", wide),
                    ("added", "f4", wide),  # to each cell
                    ("whole", "f4", wide),  # the pooled channels of the moves
                    ("hidden", "f4", HIDDEN),
                    ("scores", "f4", (self.cells, 3)),
                    ("pairs", "f4", (self.cells, 2 * PAIR_CHANNELS)),
                    ("logits", "f4", self.outputs),
                    ("result", "f8", self.players + 1),
                ]
            ),
        )

    def evaluate(self, game: Game, thread: ThreadState, variants: Variants, progress: Array) -> bool:
        assess_board(self, game, thread, variants)
        return True

    def evaluate_again(self, game: Game, thread: ThreadState, variants: Variants) -> None:
        """The same, for a node that needs more of its moves."""
        assess_board(self, game, thread, variants)

    def assess(self, game: Game, thread: ThreadState, variants: Variants) -> None:
        """Leave what each player gets in `thread.results` and `credit`, all legal moves and their priors."""
        state, memory, counts = thread.state[0], thread.memory[0], thread.counts
        counts[CERTAIN], counts[MOVES], counts[CHOICE], counts[THREAT_BY] = 0, 0, ALL_MOVES, -1
        if game.is_terminal(state):
            game.returns(state, thread.results)
            credit_results(thread)
            return
        count, mover = signed(game.legal_actions(state, thread.moves)), signed(game.current_player(state))
        self.input.write_planes(game, state, thread.moves, count, thread.recent, memory.planes, memory.numbers)
        run_network(self, memory)
        for player in range(self.players):
            chance = memory.result[player] + DRAWN * memory.result[self.players]
            thread.results[(mover + player) % self.players] = chance
        credit_results(thread)
        counts[MOVES], counts[CHOICE] = count, ALL_IN_ORDER
        self.weigh(thread, memory, mover, count, variants.sharpness)

    def weigh(self, thread: ThreadState, memory: State, mover: int, count: int, power: float) -> None:
        """Softmax over the legal moves, to a power."""
        highest, total = -1e30, 0.0
        for index in range(count):
            output = signed(self.logit_of[mover, thread.moves[index]])
            score = float(memory.logits[output]) if output >= 0 else 0.0
            thread.values[index] = score
            highest = max(highest, score)
        for index in range(count):
            thread.values[index] = math.exp(power * (thread.values[index] - highest))
            total += thread.values[index]
        for index in range(count):
            thread.chances[thread.moves[index]] = thread.values[index] / total


def padded(channels: int) -> int:
    """So many columns that blocks of WIDTH have no rest."""
    return -(-channels // WIDTH) * WIDTH


def laid_out(kernel: Array) -> Array:
    """The weights [outputs, taps, inputs] of a convolution as `add_products` reads them: WIDTH outputs at a time."""
    outputs, taps, inputs = kernel.shape
    wide = np.zeros((padded(outputs), taps, inputs), np.float32)
    wide[:outputs] = kernel
    return np.ascontiguousarray(wide.reshape(-1, WIDTH, taps, inputs).transpose(0, 2, 3, 1)).reshape(-1)
