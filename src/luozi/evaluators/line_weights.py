"""The learned numbers of a network of line patterns: what there is of them for a game."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

from luozi.compiled import Array
from luozi.evaluators.weight_files import Weights, weights_for, write_weights
from luozi.games.lines.patterns import Patterns, alphabet_of, directions_of, patterns_of
from luozi.games.lines.rules import Lines
from luozi.messages import LuoziError
from luozi.util.parsing import JsonObject

CHANNELS, HIDDEN = 32, 32
# With gravity: how many empty cells lie under one, who would get it by turns, which of these wins first, for whom and
# whose by turns, and for whom the cell above it wins.
DEPTHS, TURNS, UNDERS, OVERS = 4, 2, 7, 4
CELL_KINDS = DEPTHS * TURNS * UNDERS * OVERS


def direction_kinds(game: Lines) -> list[int]:
    """Which directions of a board are alike: those of one kind share their tables.

    >>> import luozi
    >>> direction_kinds(luozi.game("gomoku")), direction_kinds(luozi.game("connect4"))
    ([0, 0, 0, 0], [0, 2, 1, 2])
    """
    kinds = []
    for layer, row, column in directions_of(game):
        falls = game.gravity and bool(layer if game.layers > 1 else row)
        slants = (layer != 0) + (row != 0) + (column != 0) - 1 if game.layers > 1 or game.gravity else 0
        kinds.append((slants, falls))
    known = sorted(set(kinds))
    return [known.index(kind) for kind in kinds]


def shapes_of(game: Lines) -> dict[str, tuple[int, ...]]:
    """What arrays the network of a game has."""
    patterns, kinds = game_patterns(game), len(set(direction_kinds(game)))
    outputs = 1 if game.players == 2 else game.players
    tables: dict[str, tuple[int, ...]]
    if is_joint(game):
        tables = {
            "own": (kinds, patterns.views, CHANNELS),
            "other": (kinds, patterns.views, CHANNELS),
            "joint": (kinds, patterns.size, CHANNELS),
        }
    else:
        tables = {"views": (kinds, game.players, patterns.size, CHANNELS)}
    return tables | {
        "cell": (CELL_KINDS if game.gravity else 1, CHANNELS),
        "hidden": (CHANNELS, HIDDEN),
        "hidden_bias": (HIDDEN,),
        "second": (HIDDEN, HIDDEN),
        "second_bias": (HIDDEN,),
        "value": (HIDDEN, outputs),
        "value_bias": (outputs,),
        "policy": (CHANNELS,),
        "policy_mix": (HIDDEN, CHANNELS),
    }


def is_joint(game: Lines) -> bool:
    """Whether the stones of both players are in one pattern."""
    alphabet = alphabet_of(game.run, game.exactly, game.players, game.gravity)
    return alphabet is not None and alphabet.joint


def game_patterns(game: Lines) -> Patterns:
    """The patterns that a game's lines can show."""
    alphabet = alphabet_of(game.run, game.exactly, game.players, game.gravity)
    if alphabet is None:
        raise LuoziError("a network of lines is for 2 to 6 in a row")
    return patterns_of(alphabet)


def family_of(game: Lines) -> JsonObject:
    """What two games must have in common to use the same weights: not the size of the board."""
    dimensions = sum(size > 1 for size in (game.layers, game.rows, game.columns))
    return {
        "run": game.run,
        "exactly": bool(game.exactly),
        "players": game.players,
        "gravity": bool(game.gravity),
        "dimensions": dimensions,
    }


def new_weights(game: Lines, seed: int) -> Weights:
    """Numbers to begin with: patterns say a little at random, and all moves are alike."""
    rng = np.random.default_rng(seed)
    spread = {"own": 0.15, "other": 0.15, "views": 0.15, "hidden": 0.2, "second": 0.2, "value": 0.1, "policy_mix": 0.02}
    weights = {}
    for name, shape in shapes_of(game).items():
        start = 0.05 if name == "cell" else 0.0
        weights[name] = (start + spread.get(name, 0.0) * rng.standard_normal(shape)).astype(np.float32)
    return weights


def folded(game: Lines, weights: Weights) -> Array:
    """One row for each kind of direction and pattern (and player): what is looked up. Nothing for pattern 0."""
    if is_joint(game):
        patterns = game_patterns(game)
        table = weights["own"][:, patterns.own_view] + weights["other"][:, patterns.other_view] + weights["joint"]
        table[:, 0] = 0.0
    else:
        table = weights["views"].copy()
        table[:, :, 0] = 0.0
    return np.ascontiguousarray(table.reshape(-1, CHANNELS), np.float32)


def save_weights(file: Path | BinaryIO, game: Lines, weights: Weights, notes: JsonObject | None = None) -> None:
    """Write weights with what they are for."""
    write_weights(file, family_of(game), weights, {"cells": game.cells, **(notes or {})})


def load_weights(file: Path, game: Lines) -> Weights:
    """Read weights for a game; one sentence if they are not."""
    return weights_for(file, family_of(game), shapes_of(game))
