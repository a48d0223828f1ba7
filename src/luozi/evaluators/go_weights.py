"""The learned numbers of a model of Go's moves: an array for each group of features and one for neighbourhoods."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from luozi.compiled import Array
from luozi.evaluators.weight_files import Weights, weights_for, write_weights
from luozi.games.go.features import COUNT, GROUPS, ROOM, class_count
from luozi.games.go.learned import with_model
from luozi.rules.game import Game
from luozi.util.parsing import JsonObject

FAMILY: JsonObject = {"game": "go"}  # of any size
PATTERN = "pattern"


def shapes_of() -> dict[str, tuple[int, ...]]:
    """What arrays there are.

    >>> shapes_of()["capture"]
    (4,)
    """
    return {**{name: (kinds,) for name, kinds in GROUPS.items()}, PATTERN: (class_count(),)}


def new_weights() -> Weights:
    """Numbers to begin with: all moves are alike.

    >>> float(new_weights()["last"].sum())
    0.0
    """
    return {name: np.zeros(shape, np.float32) for name, shape in shapes_of().items()}


def in_one_row(weights: Weights) -> Array:
    """All weights as compiled code reads them.

    >>> int(in_one_row(new_weights()).size) == ROOM * COUNT + class_count()
    True
    """
    model = np.zeros(ROOM * COUNT + class_count(), np.float32)
    for place, array in enumerate(weights[name] for name in GROUPS):
        model[ROOM * place : ROOM * place + len(array)] = array
    model[ROOM * COUNT :] = weights[PATTERN]
    return model


def by_group(model: Array) -> Weights:
    """The opposite of `in_one_row`.

    >>> {name: len(array) for name, array in by_group(in_one_row(new_weights())).items()}["save"]
    3
    """
    found = {name: model[ROOM * place : ROOM * place + kinds] for place, (name, kinds) in enumerate(GROUPS.items())}
    return {name: array.copy() for name, array in (found | {PATTERN: model[ROOM * COUNT :]}).items()}


def save_weights(file: Path, weights: Weights, notes: JsonObject) -> None:
    """Write weights."""
    write_weights(file, FAMILY, weights, notes)


def load_weights(file: Path) -> Weights:
    """Read weights; one sentence if they are not Go's, or damaged."""
    return weights_for(file, FAMILY, shapes_of())


def learned_go(game: Game, file: Path) -> Any:
    """A game of Go whose guesses at moves come from the weights of a file."""
    return with_model(game, in_one_row(load_weights(file)))
