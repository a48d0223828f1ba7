"""Make docs/pictures/planes.svg: a position of Othello, and what a network sees of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import luozi
from luozi.drawing.board_picture import box, scene_of
from luozi.drawing.primitives import Area, Scene, Shape, Words, moved
from luozi.evaluators.board_inputs import BoardInput, board_input
from luozi.rules.position import Position

FILE = Path(__file__).parents[1] / "docs" / "pictures" / "planes.svg"
MOVES = ("d3", "c5", "f6", "f5", "e6", "e3", "c3", "f3", "d6", "d7", "f4")
CELL, ACROSS, GAP, TITLE = 11.0, 4, 14.0, 13.0
ON, OFF, GRID, INK = "#1d6fb8", "#ffffff", "#b9c2cc", "#22303c"


def planes_of(position: Position) -> tuple[BoardInput, list[list[int]]]:
    """Return the planes of a position, each as the cells that are 1."""
    game, seen = position.game, board_input(position.game)
    legal = np.zeros(game.actions, np.int32)
    legal[: len(position.actions)] = position.actions
    recent, at = [], position
    while at.parent is not None and len(recent) < seen.history:
        recent.append(at.step)
        at = at.parent
    recent += [-1] * (seen.history - len(recent))
    planes, numbers = np.zeros((seen.planes, seen.cells), np.uint8), np.zeros(seen.numbers, np.float32)
    seen.write_planes(game, position.state, legal, len(position.actions), np.array(recent), planes, numbers)
    return seen, [np.flatnonzero(plane).tolist() for plane in planes]


def plane_shapes(seen: BoardInput, name: str, cells: list[int]) -> list[Shape]:
    """Return one plane as a small board with its name above."""
    shapes: list[Shape] = [Words(seen.columns * CELL / 2, TITLE / 2, name, 8.5, INK)]
    for cell in range(seen.cells):
        row, column = divmod(cell, seen.columns)
        left, top = column * CELL, TITLE + row * CELL
        shapes.append(Area(box(left, top, left + CELL, top + CELL), ON if cell in cells else OFF, GRID, 0.5))
    return shapes


def main() -> str:
    """Return the picture as SVG."""
    position = luozi.game("othello").begin()
    for move in MOVES:
        position = position.play(move)
    board = scene_of(position.game, position.state)
    assert board is not None
    seen, planes = planes_of(position)
    width, height = seen.columns * CELL + GAP, seen.rows * CELL + TITLE + GAP
    whole = board.width + GAP + ACROSS * width, max(board.height, 2 * height + GAP)
    shapes: list[Shape] = [Area(box(0.0, 0.0, *whole), OFF), *board.shapes]
    for index, (name, cells) in enumerate(zip(seen.plane_names, planes, strict=True)):
        row, column = divmod(index, ACROSS)
        shapes += moved(plane_shapes(seen, name, cells), board.width + GAP + column * width, GAP + row * height)
    title = f"Othello after {len(MOVES)} moves, and the {seen.planes} input planes of a network for the player to move"
    return Scene(*whole, tuple(shapes), title).svg()


if __name__ == "__main__":
    FILE.write_text(main() + "\n", encoding="utf-8")
