"""Small boards with all that a board network must cope with: missing cells, points, passes, two and three clicks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Shape:
    """What a network must know of a game's input, made up."""

    cells: int
    neighbours: Any
    exists: Any
    action_cells: Any
    action_group: Any
    logit_of: Any = None
    name: str = "made up"
    kind: str = "grid"
    planes: int = 5
    numbers: int = 3
    players: int = 2
    history: int = 2


def grid_neighbours(rows: int, columns: int) -> Any:
    """The 3x3 cells around each cell, row by row."""
    found = np.full((rows * columns, 9), -1, np.int32)
    for row in range(rows):
        for column in range(columns):
            for tap in range(9):
                other, beside = row + tap // 3 - 1, column + tap % 3 - 1
                if 0 <= other < rows and 0 <= beside < columns:
                    found[row * columns + column, tap] = other * columns + beside
    return found


def grid_shape(rows: int, columns: int, missing: tuple[int, ...] = (), **more: Any) -> Shape:
    """A grid on which stones are put, and a pass."""
    cells = rows * columns
    exists = np.ones(cells, np.uint8)
    exists[list(missing)] = 0
    actions = np.full((cells + 1, 3), -1, np.int16)
    actions[:cells, 0] = np.arange(cells)
    groups = np.zeros(cells + 1, np.int16)
    return Shape(cells, grid_neighbours(rows, columns), exists, actions, groups, **more)


def pairs_shape(size: int, clicks: int = 2) -> Shape:
    """A grid on which pieces move, two of the moves with the same clicks."""
    shape = grid_shape(size, size)
    rng = np.random.default_rng(1)
    shape.action_cells = np.full((20, 3), -1, np.int16)
    shape.action_cells[:, :clicks] = rng.integers(0, shape.cells, (20, clicks))
    shape.action_cells[1] = shape.action_cells[0]
    shape.action_group = np.zeros(20, np.int16)
    shape.action_group[1] = 1
    return shape


def points_shape() -> Shape:
    """Five points: a cross, its middle joined with the four others."""
    neighbours = np.full((5, 5), -1, np.int32)
    neighbours[:, 0] = np.arange(5)
    neighbours[0, 1:] = [1, 2, 3, 4]
    neighbours[1:, 1] = 0
    shape = grid_shape(1, 5)
    shape.neighbours, shape.kind, shape.players = neighbours, "points", 3
    return shape


SHAPES = {
    "grid": grid_shape(4, 5),
    "square of 9": grid_shape(9, 9),
    "missing cells": grid_shape(4, 4, (0, 5)),
    "two clicks": pairs_shape(5),
    "three clicks": pairs_shape(4, 3),
    "points, three players": points_shape(),
}


def random_input(shape: Shape, seed: int) -> tuple[Any, Any]:
    """Planes with ones on some existing cells, and numbers for the whole board."""
    rng = np.random.default_rng(seed)
    planes = (rng.random((shape.planes, shape.cells)) < 0.3) * shape.exists
    return planes.astype(np.uint8), rng.normal(size=shape.numbers).astype(np.float32)
