"""The weights of a board network: which arrays there are for a game, and their files.

A board network is a residual network of convolutions over the cells of a board. `board_network_reference.py` states its
arithmetic. No shape depends on the size of the board, so that one file serves all sizes of a game.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

import numpy as np

from luozi.compiled import Array
from luozi.evaluators.weight_files import Weights, checked_weights, read_weights, write_weights
from luozi.messages import LuoziError
from luozi.util.parsing import JsonObject

KIND = "board"  # in the head of a file
HIDDEN = 64  # units of the result head's hidden layer
PAIR_CHANNELS = 16  # channels of the product that scores two clicks together
MOST_BLOCKS, MOST_CHANNELS = 64, 512


class InputShape(Protocol):
    """What a network must know of a game's input; `BoardInput` has it."""

    name: str
    cells: int
    kind: str
    planes: int
    numbers: int  # how many inputs are for the whole board
    players: int
    history: int
    exists: Array  # [cells] u1
    neighbours: Array  # [cells, taps] i4: index of a neighbour, or -1
    action_cells: Array  # [outputs, 3] i2: the clicks in order, then -1
    action_group: Array  # [outputs] i2: order number among the outputs with the same clicks
    logit_of: Array  # [players, actions] i4: the output that scores an action


class BoardSizes(NamedTuple):
    """The sizes of a board network."""

    blocks: int
    channels: int
    head: int = 32


SIZES = {"tiny": BoardSizes(4, 32), "small": BoardSizes(6, 64), "medium": BoardSizes(10, 96)}


def taps_of(shape: InputShape) -> int:
    """How many weights a convolution has for each pair of channels; on points 2, for itself and its neighbours."""
    return 2 if shape.kind == "points" else int(shape.neighbours.shape[1])


def clicks_of(shape: InputShape) -> Array:
    """How many cells are clicked for each output."""
    return (np.asarray(shape.action_cells) >= 0).sum(1)


def shapes_of(shape: InputShape, sizes: BoardSizes, owner: bool = False) -> dict[str, tuple[int, ...]]:
    """What arrays there are, and their shapes; `owner` adds the head that only training uses."""
    (blocks, channels, head), taps, clicks = sizes, taps_of(shape), clicks_of(shape)
    shapes: dict[str, tuple[int, ...]] = {
        "input.w": (channels, taps, shape.planes),
        "input.b": (channels,),
        "input.globals": (channels, shape.numbers),
    }
    for block in range(blocks):
        for layer in ("1", "2"):
            shapes |= {f"block{block}.w{layer}": (channels, taps, channels), f"block{block}.b{layer}": (channels,)}
        if block % 2:
            shapes |= {f"block{block}.pool.w": (channels, 2 * channels), f"block{block}.pool.b": (channels,)}
    shapes |= {"head.w": (2 * head, channels), "head.b": (2 * head,), "mix.w": (head, 2 * head), "mix.b": (head,)}
    shapes |= {"cell.w": (head,)}
    if extras := int((clicks == 0).sum()):
        shapes |= {"extra.w": (extras, 2 * head), "extra.b": (extras,)}
    if (clicks >= 2).any():
        shapes |= {"from.w": (head,), "to.w": (head,), "q.w": (PAIR_CHANNELS, head), "k.w": (PAIR_CHANNELS, head)}
    if groups := int(np.max(shape.action_group)):
        shapes |= {"offset": (groups + 1,)}
    shapes |= {"value1.w": (HIDDEN, 2 * head), "value1.b": (HIDDEN,)}
    shapes |= {"value2.w": (shape.players + 1, HIDDEN), "value2.b": (shape.players + 1,)}
    return shapes | ({"owner.w": (shape.players + 1, head)} if owner else {})


def new_board_weights(shape: InputShape, sizes: BoardSizes, seed: int) -> Weights:
    """Random weights to begin with, each spread so that signals neither grow nor fade (He et al. 2015)."""
    rng, weights = np.random.default_rng(seed), {}
    for name, size in shapes_of(shape, sizes).items():
        spread = np.sqrt(2.0 / np.prod(size[1:])) if len(size) > 1 else 0.1
        if name.endswith(".w2"):  # a new block changes little
            spread *= 0.3
        weights[name] = (spread * rng.standard_normal(size)).astype(np.float32)
    return weights


def family_of(shape: InputShape) -> JsonObject:
    """What two games must have in common to use the same weights: not the size of the board."""
    return {
        "kind": KIND,
        "game": shape.name,
        "players": shape.players,
        "planes": shape.planes,
        "numbers": shape.numbers,
        "neighbours": taps_of(shape),
        "history": shape.history,
    }


def save_board_weights(
    file: Path | BinaryIO, weights: Weights, shape: InputShape, sizes: BoardSizes, notes: JsonObject | None = None
) -> None:
    """Write weights with the games that they are for and their sizes."""
    write_weights(file, family_of(shape), weights, {"sizes": list(sizes), "cells": shape.cells, **(notes or {})})


def load_board_weights(file: Path, shape: InputShape, owner: bool = False) -> tuple[Weights, BoardSizes]:
    """Read weights for a game, and their sizes; one sentence if the file is damaged, or for another game."""
    weights, head = read_weights(file)
    sizes = sizes_in(file, head) if head["family"].get("kind") == KIND else SIZES["tiny"]
    return checked_weights(file, weights, head["family"], family_of(shape), shapes_of(shape, sizes, owner)), sizes


def sizes_in(file: Path, head: dict[str, Any]) -> BoardSizes:
    """The sizes that a file states; one sentence if they are none."""
    found = head.get("sizes")
    limits = (MOST_BLOCKS, MOST_CHANNELS, MOST_CHANNELS)
    if (
        not isinstance(found, list)
        or len(found) != len(limits)
        or any(type(size) is not int or not 1 <= size <= most for size, most in zip(found, limits, strict=True))
    ):
        raise LuoziError("{text} is damaged: its {name} is not as it should be", text=file, name="sizes")
    return BoardSizes(*found)
