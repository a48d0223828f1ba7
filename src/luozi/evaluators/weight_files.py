"""Files of learned numbers: NumPy's .npz, named arrays and one line of JSON. Loading one never runs code."""

from __future__ import annotations

import errno
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from luozi.compiled import Array
from luozi.messages import LuoziError, reason_of
from luozi.util.parsing import JsonObject, JsonValue, read_bounded, shown

VERSION = 2
NOTES = "notes"  # the file's entry for JSON
MOST_BYTES = 64 << 20

Weights = dict[str, Array]


def write_weights(file: Path | BinaryIO, family: JsonObject, weights: Weights, notes: JsonObject | None) -> None:
    """Write weights with the games they are for; halves of numbers are enough."""
    head = {"version": VERSION, "family": family, **(notes or {})}
    arrays = {name: array.astype(np.float16) for name, array in weights.items()}
    text = np.frombuffer(json.dumps(head).encode(), np.uint8)
    np.savez_compressed(file, allow_pickle=False, **arrays, **{NOTES: text})


def weights_for(file: Path, family: JsonObject, shapes: dict[str, tuple[int, ...]]) -> Weights:
    """Read weights of these shapes for these games; one sentence if they are not."""
    weights, head = read_weights(file)
    return checked_weights(file, weights, head["family"], family, shapes)


def checked_weights(
    file: Path, weights: Weights, found: JsonObject, family: JsonObject, shapes: dict[str, tuple[int, ...]]
) -> Weights:
    """The arrays that these shapes name; one sentence if a file of the family `found` is for others, or damaged."""
    if found != family:
        raise LuoziError(
            "{text} was learned for another game ({game}): choose weights for this one",
            text=file,
            game=named(found),
        )
    for name, shape in shapes.items():
        if name not in weights or weights[name].shape != shape or not np.isfinite(weights[name]).all():
            raise LuoziError("{text} is damaged: its {name} is not as it should be", text=file, name=name)
    return {name: weights[name] for name in shapes}


def read_head(file: Path) -> dict[str, Any]:
    """The notes of a file alone, with the family of games that it is for."""
    return read_weights(file, arrays=False)[1]


def read_weights(file: Path, arrays: bool = True) -> tuple[Weights, dict[str, Any]]:
    """The arrays of a file, or none, and its notes, whatever game they are for."""
    try:
        content = read_bounded(file, MOST_BYTES)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MOST_BYTES:
                raise LuoziError("{text} is too large for weights of a network", text=file)
        with np.load(io.BytesIO(content), allow_pickle=False) as kept:
            names = [name for name in kept.files if name != NOTES] if arrays else []
            weights = {name: numbers_in(kept[name]) for name in names}
            head = json.loads(bytes(kept[NOTES]).decode())
    except LuoziError:
        raise
    except FileNotFoundError:
        raise LuoziError(
            "there is no file {text}: give the weights of a network, as 'luozi learn' writes them", text=file
        ) from None
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise LuoziError("{text} is too large for weights of a network", text=file) from None
        raise LuoziError("{text} can't be read: {reason}", text=file, reason=reason_of(error)) from None
    except Exception:  # whatever bytes that make no sense let zipfile, NumPy and JSON raise
        raise LuoziError("{text} is not a file of weights, or damaged: make it with 'luozi learn'", text=file) from None
    if not isinstance(head, dict) or head.get("version") != VERSION or not isinstance(head.get("family"), dict):
        raise LuoziError("{text} was written by another version of Luozi: learn the weights again", text=file)
    return weights, head


def numbers_in(array: Array) -> Array:
    """An array of a file as numbers; ValueError if it holds anything else."""
    if array.dtype.kind not in "fiub":
        raise ValueError(f"no numbers, but {array.dtype}")
    return np.asarray(array, np.float32)


def named(family: Mapping[str, JsonValue]) -> str:
    """A family in words."""
    if "game" in family:
        return shown(str(family["game"]))[1:-1]
    words = [f"{family.get('run')} in a row", f"{family.get('players')} players", f"{family.get('dimensions')}-D"]
    words += [word for word, said in (("gravity", family.get("gravity")), ("exactly", family.get("exactly"))) if said]
    return shown(", ".join(words))[1:-1]
