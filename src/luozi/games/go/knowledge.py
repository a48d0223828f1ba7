"""Go knowledge beside the rules, with its weights.

`mcts:playout_policy=true,prior_visits=20,heuristic_weights=pattern:0.9+max_self_atari:2` uses and sets them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from luozi.compiled import Array
from luozi.games.go.patterns import pattern_table
from luozi.games.go.playouts import ANSWER, CAPTURE, CATCH, NAKADE, PATTERN, SAVE, STEPS, SURE, GoPolicy
from luozi.games.go.priors import estimated_area, guess_moves, guess_of, guess_pass, keep_candidates
from luozi.rules.game import Game
from luozi.rules.playout import Playout
from luozi.rules.state import State
from luozi.util.parameters import ParameterInfo

Chance = Annotated[float, ParameterInfo("", 0, 1)]
Worth = Annotated[float, ParameterInfo("", 0, 1000)]


def chance(meaning: str) -> ParameterInfo:
    """Return the description of a probability."""
    return ParameterInfo(f"how often a simulation {meaning}", 0, 1)


def worth(meaning: str) -> ParameterInfo:
    """Return the description of a number of prior visits; 10 visits is an even start."""
    return ParameterInfo(f"visits, won ones unless said otherwise, for a move that {meaning}", 0, 1000)


@dataclass(frozen=True)
class Weights:
    """All weights."""

    order: Annotated[
        int,
        ParameterInfo(
            "the steps of a simulation, a digit each: 1 save, 2 pattern, 3 capture, 4 local_capture, 5 nakade, 6 "
            "two_liberties; "
            "123 is MoGo's",
            0,
            999_999,
        ),
    ] = 41235
    save: Annotated[float, chance("saves what the last move put in atari")] = 1.0
    pattern: Annotated[float, chance("looks for a 3x3 pattern around the last move")] = 1.0
    capture: Annotated[float, chance("captures wherever it can")] = 1.0
    local_capture: Annotated[float, chance("captures the stones played last")] = 1.0
    nakade: Annotated[float, chance("takes the middle of a small eye beside the last move")] = 1.0
    two_liberties: Annotated[
        float, chance("catches chains of two liberties at the last move, or escapes with them")
    ] = 1.0
    self_atari: Annotated[float, chance("refuses to put a few stones of its own in atari")] = 0.5
    max_self_atari: Annotated[
        int, ParameterInfo("of more stones than this it refuses always, but for throw_in", 0, 625)
    ] = 3
    throw_in: Annotated[float, chance("throws up to six all the same where that leaves an enemy chain in atari")] = 0.0
    ladders: Annotated[float, chance("reads a ladder before it runs")] = 1.0
    read: Annotated[bool, ParameterInfo("guesses at moves read ladders")] = True
    everywhere: Annotated[bool, ParameterInfo("patterns on the whole board, not around the last move only")] = False
    prior_capture: Annotated[float, worth("captures a stone; twice as much for several")] = 15.0
    prior_save: Annotated[float, worth("saves a chain in atari")] = 15.0
    prior_atari: Annotated[float, worth("puts a chain in atari")] = 5.0
    prior_catch: Annotated[float, worth("catches a chain of two liberties, or gets one away")] = 15.0
    prior_pattern: Annotated[float, worth("fits a 3x3 pattern")] = 30.0
    prior_near: Annotated[float, worth("is near the last one, or touches what that touched")] = 10.0
    prior_edge: Annotated[float, worth("is on the third line with nothing around; lost ones on the first two")] = 10.0
    prior_self_atari: Annotated[float, worth("puts its own stones in atari: lost ones")] = 10.0


class GoKnowledge(Game):
    """The part of `Go` that improves play. The rules do not depend on it."""

    entry_points = (*Game.entry_points, "guess")
    weights = Weights
    network = "priors"

    if TYPE_CHECKING:
        size: int
        score: Any
        classes: Array  # of learned priors
        model: Array
        slope: float

    def set_weights(self, weights: Weights) -> None:
        self.patterns = pattern_table()
        # small enough to stay in the processor's cache
        self.fitting = np.packbits(self.patterns > 0, bitorder="little").view(np.uint32)
        line = np.minimum(np.arange(self.size), np.arange(self.size)[::-1])
        self.line = np.minimum(line[:, None], line[None, :]).reshape(-1).astype(np.uint8)
        steps = [int(digit) for digit in str(weights.order)]
        self.steps = np.array([*steps, *[0] * STEPS][:STEPS], np.int64)
        chances = {SAVE: weights.save, PATTERN: weights.pattern, CAPTURE: weights.capture}
        chances |= {ANSWER: weights.local_capture, NAKADE: weights.nakade, CATCH: weights.two_liberties}
        self.chances = np.array([round(SURE * chances.get(step, 0.0)) for step in range(10)], np.int64)
        self.refuse, self.few, self.everywhere = (
            round(SURE * weights.self_atari),
            weights.max_self_atari,
            weights.everywhere,
        )
        self.kill, self.open_line = round(SURE * weights.throw_in), min(2, (self.size - 1) // 2)
        self.ladders, self.read = round(SURE * weights.ladders), weights.read
        self.worth_capture, self.worth_save = float(weights.prior_capture), float(weights.prior_save)
        self.worth_atari, self.worth_pattern = float(weights.prior_atari), float(weights.prior_pattern)
        self.worth_near, self.worth_edge = float(weights.prior_near), float(weights.prior_edge)
        self.worth_self_atari, self.worth_catch = float(weights.prior_self_atari), float(weights.prior_catch)

    def policy_playout(self) -> Playout:
        return GoPolicy(self)

    def priors(self, state: State, actions: Array, count: int, values: Array) -> None:
        guess_moves(self, state, actions, count, values)

    def candidates(self, state: State, actions: Array, count: int) -> int:
        return keep_candidates(self, state, actions, count)

    def evaluate(self, state: State, values: Array) -> None:
        """Evaluate by the approximate area. A lead of one point per line of the board is worth 73 %."""
        values[0] = 1.0 / (1.0 + math.exp(-estimated_area(self, state) / self.size))
        values[1] = 1.0 - values[0]

    def guess(self, state: State, action: int) -> float:
        """Return the prior value of a move, from 0 to 1."""
        return guess_of(self, state, action) if action < self.points else guess_pass(self, state)
