"""What can be learned of a game: the lines between the frame (`generations.py`) and the network, its self-play and its
training, which the frame knows nothing about. Everything that crosses them is plain arrays.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from luozi.compiled import Array
from luozi.learning.settings import LearningOptions
from luozi.messages import LuoziError
from luozi.rules.game import Game
from luozi.util.parsing import JsonObject

DECIDED = 0.99  # a game in which somebody has more is won
MOST_MOVES = 24  # of the policy's target; rarer ones are left out

# Who learns which kind of network; imported when a game needs it.
LEARNERS = {
    "lines": ("luozi.learning.lines", "LineLearner"),
    "priors": ("luozi.learning.go", "GoLearner"),
    "board": ("luozi.learning.board_learner", "BoardLearner"),
}

Weights = dict[str, Array]


class Samples(NamedTuple):
    """Positions with what is to be learned of them, one a row."""

    board: Array  # [n, cells] i1: 0 empty, 1.. a player's stone, -1 forbidden; a learner may have numbers of its own
    mover: Array  # [n] i1
    cells: Array  # [n, MOST_MOVES] i2: the cells of the policy's target, -1 where there are fewer
    chances: Array  # [n, MOST_MOVES] f4: how often the search went there, adding up to 1
    policy_weight: Array  # [n] f4: 0 where the policy is not to be learned
    values: Array  # [n, players] f4: what the search thought each player's result is
    results: Array  # [n, players] f4: how the game ended
    value_weight: Array = np.ones(0, np.float32)  # [n] f4: how many positions it stands for; none given: each for one


KINDS = Samples("i1", "i1", "i2", "f4", "f4", "f4", "f4", "f4")  # type: ignore[arg-type]


class SelfPlayBatch(NamedTuple):
    """Some games of self-play."""

    samples: Samples
    games: int
    moves: int
    wins: Array  # [players], those of the first seat first
    draws: int
    cpu_seconds: float


class Losses(NamedTuple):
    """How well a training predicted what it learned from, on average."""

    policy: float
    value: float
    error: float  # mean squared, of the value


class Trainer(Protocol):
    """Holds weights, the optimiser's moments and an average of the weights."""

    def train(self, samples: Samples, steps: int, batch: int, rate: float, seed: int) -> Losses:
        """So many steps on positions drawn from the samples, whose `results` are what the value is to learn."""

    def weights(self) -> Weights:
        """The average: what plays."""

    def state(self) -> Weights:
        """All of it, to go on from."""

    def restore(self, state: Weights) -> None:
        """Go on from a state."""


class Learner(Protocol):
    """What can be learned of one game."""

    def new_weights(self, seed: int) -> Weights:
        """Weights to begin with."""

    def trainer(self, weights: Weights) -> Any:
        """Begin to train: a `Trainer`; a board network has one that holds its positions itself."""

    def player(self, file: Path, settings: LearningOptions) -> str:
        """The spelling of a player with the weights of a file, for the ladder."""

    def save(self, weights: Weights, file: Path, notes: JsonObject) -> None:
        """Write weights as plain arrays."""

    def load(self, file: Path) -> Weights:
        """The weights of a file; one sentence if they are not this game's, or damaged."""


class SelfPlayLearner(Learner, Protocol):
    """One whose self-play is given to worker processes in parts."""

    def play(self, weights: Weights, settings: LearningOptions, seed: int, games: int) -> SelfPlayBatch:
        """Self-play, in any process; the same arguments give the same games."""

    def trainer(self, weights: Weights) -> Trainer:
        """Begin to train."""


def learner_for(game: Game, settings: LearningOptions | None = None) -> Learner:
    """What can be learned of this game; a user's class may bring its learner as a method `learner`.

    >>> import luozi
    >>> type(learner_for(luozi.game("gomoku"))).__name__, type(learner_for(luozi.game("othello"))).__name__
    ('LineLearner', 'BoardLearner')
    """
    own, settings = getattr(game, "learner", None), settings or LearningOptions()
    if callable(own):
        return own()
    kind = kind_of(game, settings)
    module, name = LEARNERS[kind]
    make = getattr(importlib.import_module(module), name)
    learner: Learner = make(game, settings) if kind == "board" else make(game)
    return learner


def kind_of(game: Game, settings: LearningOptions) -> str:
    """Which kind of network is learned of a game; one sentence if there is none.

    >>> import luozi
    >>> kind_of(luozi.game("go"), LearningOptions()), kind_of(luozi.game("go"), LearningOptions(kind="board"))
    ('priors', 'board')
    """
    kind = settings.kind or game.network or "board"
    if kind != "board" and kind != game.network:
        raise LuoziError(
            "learn: kind={kind} does not fit {game}: choose kind=board for any game whose class describes its board",
            kind=kind,
            game=game.spelling,
        )
    return kind


# Samples --------------------------------------------------------------------------------------------------------------


def joined(parts: list[Samples]) -> Samples:
    """All positions of several, in order.

    >>> one = Samples(*(np.zeros((2, 3), kind) for kind in KINDS))
    >>> len(joined([one, one]).board)
    4
    """
    return Samples(*(np.concatenate(columns) for columns in zip(*map(weighed, parts), strict=True)))


def shared_out(whole: Samples, lengths: dict[int, int]) -> dict[int, Samples]:
    """The opposite of `joined`, by number: views of the whole, so that it is in memory once.

    >>> whole = Samples(*(np.arange(5) for _ in KINDS))
    >>> {number: part.board.tolist() for number, part in shared_out(whole, {7: 2, 8: 3}).items()}
    {7: [0, 1], 8: [2, 3, 4]}
    """
    found, start = {}, 0
    for number, length in lengths.items():
        found[number] = Samples(*(column[start : start + length] for column in whole))
        start += length
    return found


def weighed(samples: Samples) -> Samples:
    """Return the samples with a weight for each position, 1 where none is given.

    >>> weighed(Samples(*(np.zeros((2, 3), kind) for kind in KINDS[:7]))).value_weight.tolist()
    [1.0, 1.0]
    """
    if len(samples.value_weight) or not len(samples.board):
        return samples
    return samples._replace(value_weight=np.ones(len(samples.board), np.float32))


def value_weights(results: Array, drawn_share: float) -> Array:
    """Return how many positions each kept one stands for, where only a share of those of drawn games was kept.

    Without these weights the mean result of the kept positions would be that of too few draws (Horvitz and Thompson
    1952: each counts for one over the chance with which it was kept).

    >>> value_weights(np.array([[1.0, 0.0], [0.5, 0.5]]), 0.25).tolist()
    [1.0, 4.0]
    """
    drawn = results.max(axis=1, initial=0.0) <= DECIDED
    return np.where(drawn, 1 / drawn_share if drawn_share else 1.0, 1.0).astype(np.float32)


def with_targets(samples: Samples, result_share: float) -> Samples:
    """The same with `results` that are mixed with what the search thought: what the value is to learn.

    Weights are divided by their mean, so that they change nothing between the policy and the value.

    >>> one = Samples(*(np.ones((1, 2), kind) for kind in KINDS))
    >>> with_targets(one._replace(values=np.zeros((1, 2), "f4")), 0.75).results.tolist()
    [[0.75, 0.75]]
    """
    mixed = result_share * samples.results + (1 - result_share) * samples.values
    weights = weighed(samples).value_weight
    if len(weights):
        weights = weights / weights.mean()
    return samples._replace(results=mixed.astype(np.float32), value_weight=weights.astype(np.float32))


def checked_samples(samples: Samples) -> Samples:
    """The same, of the right kinds; ValueError if columns do not fit together."""
    columns = [np.ascontiguousarray(column, kind) for column, kind in zip(samples, KINDS, strict=True)]
    rows, shapes = len(columns[0]), [column.ndim for column in columns]
    weights = len(columns[-1])  # there may be none
    if (
        any(len(column) != rows for column in columns[:-1])
        or weights not in (0, rows)
        or shapes != [2, 1, 2, 2, 1, 2, 2, 1]
    ):
        raise ValueError("the columns of these samples do not fit together")
    if columns[2].shape != columns[3].shape or columns[5].shape != columns[6].shape:
        raise ValueError("the targets of these samples do not fit together")
    return Samples(*columns)
