"""The training of a model of Go's moves: the likelier those moves that searches went to, the smaller the loss.

The loss of a position is the cross-entropy between the visits of a search and the model's chances, a softmax over all
legal moves of the sums of their weights (a generalised Bradley-Terry model: Coulom 2007). Its derivative by a weight is
how often the model expects its feature, less how often the search went there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from luozi.compiled import Array, inline, kernel, signed
from luozi.evaluators.go_weights import by_group, in_one_row
from luozi.games.go.features import COUNT, MARK, features_of, place_of, read_cells, score_of
from luozi.games.go.learned import with_model
from luozi.games.go.rules import Go
from luozi.learning.learner import Losses, Samples, Weights
from luozi.learning.optimizer import Adam
from luozi.rules.kernel_runner import kernel_for

FASTER = 10.0  # times the rate: single numbers go farther than those of a network, and faster
PULL = 2.0  # towards zero, as strong as so many positions: a feature that is rare says little
TINY = 1e-6


class GoGradientScratch(NamedTuple):
    """Working memory of one position."""

    state: Array  # [1] the position
    features: Array  # [actions] i8: of each legal move
    moves: Array  # [actions] i8: which these are
    chances: Array  # [actions] f8: the model's
    losses: Array  # [2] f8: the sum of losses, and how many positions there were


@kernel
def add_gradients(game: Go, samples: Samples, chosen: Array, gradient: Array, room: GoGradientScratch) -> None:
    """Add the derivatives of the loss at the chosen positions by the weights of `game.model`."""
    for index in range(chosen.shape[0]):
        row = signed(chosen[index])
        if samples.policy_weight[row] > 0.0:
            add_position(game, samples, row, gradient, room)


@inline
def add_position(game: Go, samples: Samples, row: int, gradient: Array, room: GoGradientScratch) -> None:
    """One position."""
    weight, count = float(samples.policy_weight[row]), look_at(game, samples, row, room)
    for index in range(count):
        wanted = 0.0
        for target in range(samples.cells.shape[1]):
            if samples.cells[row, target] == room.moves[index]:
                wanted = float(samples.chances[row, target])
        if wanted > 0.0:
            room.losses[0] -= weight * wanted * math.log(max(room.chances[index], TINY))
        slope = weight * (room.chances[index] - wanted)
        for group in range(COUNT + 1):
            gradient[place_of(signed(room.features[index]), group)] += slope
    room.losses[1] += weight


@inline
def look_at(game: Go, samples: Samples, row: int, room: GoGradientScratch) -> int:
    """Find the features and the chances of all legal moves of a position; how many there are."""
    read_cells(game, room.state[0], samples.board[row], signed(samples.mover[row]))
    count, highest, total = 0, -1e30, 0.0
    for action in range(game.actions):
        if signed(samples.board[row, action]) % MARK == 0:
            found = features_of(game, room.state[0], action)
            room.moves[count], room.features[count] = action, found
            room.chances[count] = score_of(game.model, found)
            highest = max(highest, room.chances[count])
            count += 1
    for index in range(count):
        room.chances[index] = math.exp(room.chances[index] - highest)
        total += room.chances[index]
    for index in range(count):
        room.chances[index] /= total
    return count


class GoTrainer(Adam):
    """Trains the model of Go's moves; it values no position, so that there is no loss of values."""

    def __init__(self, game: Go, weights: Weights, compiled: bool = True) -> None:
        super().__init__(weights, {})
        bare = Go(size=game.size, komi=game.head_start)  # stones at the start are on the boards that are learned from
        self.game = with_model(bare, in_one_row(self.now))
        numbers = [np.zeros(bare.actions, kind) for kind in (np.int64, np.int64, np.float64)]
        self.room = GoGradientScratch(bare.empty_states(1), numbers[0], numbers[1], numbers[2], np.zeros(2))
        self.gradient = np.zeros(len(self.game.model), np.float64)
        self._add = kernel_for(self.game, add_gradients, compiled)

    def train(self, samples: Samples, steps: int, batch: int, rate: float, seed: int) -> Losses:
        """So many steps of so many positions each, drawn from the samples."""
        rng = np.random.default_rng(seed)
        self.room.losses[:] = 0
        for _ in range(steps):
            slopes = self.gradients(samples, rng.integers(0, len(samples.mover), batch))
            pull = PULL / len(samples.mover)
            self.follow({name: slopes[name] / batch + pull * array for name, array in self.now.items()}, rate * FASTER)
        return Losses(float(self.room.losses[0] / max(self.room.losses[1], TINY)), 0.0, 0.0)

    def gradients(self, samples: Samples, chosen: Array) -> Weights:
        """The sums of derivatives over some positions, by the names of the weights."""
        self.gradient[:] = 0
        np.copyto(self.game.model, in_one_row(self.now))
        self._add(self.game, samples, chosen, self.gradient, self.room)
        return by_group(self.gradient)
