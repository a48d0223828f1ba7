"""The learned numbers of a network of line patterns: what there is of them for a game, and their files.

A file is NumPy's .npz: named arrays and one line of JSON. Loading one never runs code.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from luozi.compiled import Array
from luozi.errors import LuoziError
from luozi.games.lines.patterns import Patterns, alphabet_of, directions_of, patterns_of

CHANNELS, HIDDEN = 32, 32
DEPTHS, CELL_KINDS = 4, 8  # with gravity: how many empty cells lie under one, and who would get it by turns
VERSION = 1
NOTES = "notes"  # the file's entry for JSON
MOST_BYTES = 64 << 20

Weights = dict[str, Array]


def direction_kinds(game: Any) -> list[int]:
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


def shapes_of(game: Any) -> dict[str, tuple[int, ...]]:
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


def is_joint(game: Any) -> bool:
    """Whether the stones of both players are in one pattern."""
    alphabet = alphabet_of(game.run, game.exactly, game.players, game.gravity)
    return alphabet is not None and alphabet.joint


def game_patterns(game: Any) -> Patterns:
    """The patterns that a game's lines can show."""
    alphabet = alphabet_of(game.run, game.exactly, game.players, game.gravity)
    if alphabet is None:
        raise LuoziError("a network of lines is for 2 to 6 in a row")
    return patterns_of(alphabet)


def family_of(game: Any) -> dict[str, Any]:
    """What two games must have in common to use the same weights: not the size of the board."""
    dimensions = sum(size > 1 for size in (game.layers, game.rows, game.columns))
    return {
        "run": game.run,
        "exactly": bool(game.exactly),
        "players": game.players,
        "gravity": bool(game.gravity),
        "dimensions": dimensions,
    }


def new_weights(game: Any, seed: int) -> Weights:
    """Numbers to begin with: patterns say a little at random, and all moves are alike."""
    rng = np.random.default_rng(seed)
    spread = {"own": 0.15, "other": 0.15, "views": 0.15, "hidden": 0.2, "second": 0.2, "value": 0.1, "policy_mix": 0.02}
    weights = {}
    for name, shape in shapes_of(game).items():
        start = 0.05 if name == "cell" else 0.0
        weights[name] = (start + spread.get(name, 0.0) * rng.standard_normal(shape)).astype(np.float32)
    return weights


def folded(game: Any, weights: Weights) -> Array:
    """One row for each kind of direction and pattern (and player): what is looked up. Nothing for pattern 0."""
    if is_joint(game):
        patterns = game_patterns(game)
        table = weights["own"][:, patterns.own_view] + weights["other"][:, patterns.other_view] + weights["joint"]
        table[:, 0] = 0.0
    else:
        table = weights["views"].copy()
        table[:, :, 0] = 0.0
    return np.ascontiguousarray(table.reshape(-1, CHANNELS), np.float32)


def save_weights(file: Path | Any, game: Any, weights: Weights, notes: dict[str, Any] | None = None) -> None:
    """Write weights with what they are for; halves of numbers are enough."""
    head = {"version": VERSION, "family": family_of(game), **(notes or {})}
    arrays = {name: array.astype(np.float16) for name, array in weights.items()}
    text = np.frombuffer(json.dumps(head).encode(), np.uint8)
    np.savez_compressed(file, allow_pickle=False, **arrays, **{NOTES: text})


def load_weights(file: Path, game: Any) -> Weights:
    """Read weights for a game; one sentence if they are not."""
    weights, head = read_weights(file)
    if head["family"] != family_of(game):
        raise LuoziError(f"{file} was learned for another game ({named(head['family'])}): choose weights for this one")
    shapes = shapes_of(game)
    for name, shape in shapes.items():
        if name not in weights or weights[name].shape != shape or not np.isfinite(weights[name]).all():
            raise LuoziError(f"{file} is damaged: its {name} is not as it should be")
    return {name: weights[name] for name in shapes}


def read_weights(file: Path) -> tuple[Weights, dict[str, Any]]:
    """The arrays of a file and its notes, whatever game they are for."""
    try:
        if Path(file).stat().st_size > MOST_BYTES:
            raise LuoziError(f"{file} is too large for weights of a network")
        with zipfile.ZipFile(io.BytesIO(Path(file).read_bytes())) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MOST_BYTES:
                raise LuoziError(f"{file} is too large for weights of a network")
        with np.load(file, allow_pickle=False) as arrays:
            weights = {name: np.asarray(arrays[name], np.float32) for name in arrays.files if name != NOTES}
            head = json.loads(bytes(arrays[NOTES]).decode())
    except FileNotFoundError:
        raise LuoziError(
            f"there is no file {file}: give the weights of a network, as 'luozi learn' writes them"
        ) from None
    except OSError as error:
        raise LuoziError(f"{file} can't be read: {error.strerror or error}") from None
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile, TypeError, NotImplementedError):
        raise LuoziError(f"{file} is not a file of weights, or damaged: make it with 'luozi learn'") from None
    if not isinstance(head, dict) or head.get("version") != VERSION or not isinstance(head.get("family"), dict):
        raise LuoziError(f"{file} was written by another version of Luozi: learn the weights again")
    return weights, head


def named(family: dict[str, Any]) -> str:
    """A family in words."""
    words = [f"{family.get('run')} in a row", f"{family.get('players')} players", f"{family.get('dimensions')}-D"]
    words += [word for word, said in (("gravity", family.get("gravity")), ("exactly", family.get("exactly"))) if said]
    return ", ".join(words)
