"""Go for people: names of points, handicap points, and the picture of a board.

Points are numbered row by row from the top left. The number after the last point is the pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from luozi.messages import LuoziError, Message
from luozi.rules.board import CROSSINGS, Board
from luozi.rules.state import State
from luozi.util.parsing import plain, whole_number

if TYPE_CHECKING:
    from luozi.games.go.rules import Go

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"  # there is no I


def point_name(size: int, point: int) -> str:
    """Return the name of a point in the Go Text Protocol.

    >>> point_name(19, 0), point_name(19, 360), point_name(19, 361)
    ('A19', 'T1', 'pass')
    """
    if point == size * size:
        return "pass"
    row, column = divmod(point, size)
    return f"{LETTERS[column]}{size - row}"


def point_of(size: int, text: str) -> int | None:
    """Return the point with a name, ignoring case.

    >>> point_of(19, "t1"), point_of(9, "Pass"), point_of(9, "I5")
    (360, 81, None)
    """
    word = text.strip().upper()
    if word == "PASS":
        return size * size
    column, row = LETTERS.find(word[:1]), whole_number(word[1:], 1, size) if word[1:].isdigit() else None
    return None if row is None or not 0 <= column < size else (size - row) * size + column


def handicap_points(size: int, stones: int) -> list[int]:
    """Return the fixed handicap points in the order of the Go Text Protocol.

    >>> [point_name(19, point) for point in handicap_points(19, 5)]
    ['D4', 'Q16', 'D16', 'Q4', 'K10']
    """
    if stones == 0:
        return []
    most = most_fixed(size)
    if not 2 <= stones <= most:
        allowed = (
            Message("it must be 0, or {low} to {most}", low=2, most=most)
            if most
            else Message("only boards from 7x7 on have handicap points")
        )
        raise LuoziError(
            "go: handicap={stones} is not valid on {size}x{size}; {allowed}", stones=stones, size=size, allowed=allowed
        )
    near, middle = (3 if size >= 13 else 2), size // 2
    far = size - 1 - near
    pairs = [(far, near), (near, far), (near, near), (far, far)]
    sides = [(middle, near), (middle, far), (far, middle), (near, middle)]
    odd = stones > 4 and stones % 2 == 1
    places = (pairs + sides)[: stones - odd] + [(middle, middle)] * odd
    return [row * size + column for row, column in places]


def most_fixed(size: int) -> int:
    """Return the number of fixed handicap points of a board."""
    return 0 if size < 7 else 9 if size % 2 and size > 7 else 4


def free_points(size: int, stones: int) -> list[int]:
    """Return points for any number of handicap stones: the fixed points first, others far from each other and the edge.

    >>> [point_name(5, point) for point in free_points(5, 3)], len(free_points(19, 30))
    (['C3', 'B4', 'D4'], 30)
    """
    if stones == 0:
        return []
    if not 2 <= stones < size * size:
        raise LuoziError(
            "go: handicap={stones} is not valid on {size}x{size}; {allowed}",
            stones=stones,
            size=size,
            allowed=Message("it must be 0, or {low} to {most}", low=2, most=size * size - 1),
        )
    placed = handicap_points(size, min(stones, most_fixed(size))) if most_fixed(size) else []
    line = 2 if size >= 7 else int(size >= 4)  # prefer points that are not too near the edge
    inside = [min(edge_distance(size, point), line) for point in range(size * size)]
    centre = [edge_distance(size, point) for point in range(size * size)]
    apart = [min((distance(size, point, other) for other in placed), default=0) for point in range(size * size)]
    left = set(range(size * size)) - set(placed)
    while len(placed) < stones:
        placed.append(max(left, key=lambda point: (inside[point], apart[point], centre[point], -point)))
        left.remove(placed[-1])
        for point in left:
            new = distance(size, point, placed[-1])
            apart[point] = min(apart[point] or new, new)
    return placed


def handicap_places(size: int, stones: int, placed: str) -> list[int]:
    """Return the points of the handicap stones: those that were chosen, or the usual ones.

    >>> [point_name(9, point) for point in (*handicap_places(9, 2, "B2.E5"), *handicap_places(9, 2, ""))]
    ['B2', 'E5', 'C3', 'G7']
    """
    points = named_points(size, placed)
    if placed and len(points) != stones:
        raise LuoziError(
            "go: handicap={value}, but {count} stones are placed: name as many points, or none",
            value=stones,
            count=len(points),
        )
    return points or free_points(size, stones)


def edge_distance(size: int, point: int) -> int:
    """Return the number of lines between a point and the edge."""
    return min(*divmod(point, size), *(size - 1 - place for place in divmod(point, size)))


def distance(size: int, point: int, other: int) -> int:
    """Return the squared distance between two points."""
    return (point // size - other // size) ** 2 + (point % size - other % size) ** 2


def named_points(size: int, text: str) -> list[int]:
    """Return the points in a text, whose names are joined by dots.

    >>> named_points(9, "A9.c9")
    [0, 2]
    """
    words = text.split(".") if text else []
    points = [point_of(size, word) for word in words]
    for word, point in zip(words, points, strict=True):
        if point is None or point == size * size:
            raise LuoziError(
                "go: '{word}' is no point of a board of {size}x{size}; write stones as in D4.E5",
                word=plain(word),
                size=size,
            )
    return [point for point in points if point is not None]


def star_points(size: int) -> list[int]:
    """Return the star points of a board."""
    if size < 7:
        return []
    return handicap_points(size, 4 if size % 2 == 0 or size == 7 else 5 if size < 15 else 9)


def score_text(score: float) -> str:
    """Return a result as records write it.

    >>> score_text(3.5), score_text(-12.0), score_text(0.0)
    ('B+3.5', 'W+12', '0')
    """
    return f"{'B' if score > 0 else 'W'}+{abs(score):g}" if score else "0"


def shifted(grid: npt.NDArray[np.uint16], steps: tuple[tuple[int, int], ...]) -> npt.NDArray[np.uint16]:
    """Return for each point of a grid with a border the points that are `steps` away."""
    size = len(grid) - 2
    views = [grid[1 + down : 1 + down + size, 1 + right : 1 + right + size] for down, right in steps]
    return np.stack(views, axis=-1).reshape(-1)


def board_of_go(size: int) -> Board:
    """Return the board: crossings, with no column I."""
    return Board.grid(size, size, CROSSINGS, column_names=tuple(LETTERS[:size]), stars=tuple(star_points(size)))


def draw_board(game: Go, state: State) -> str:
    """Return the board as text with coordinates on all sides and the last stone in brackets, then the player to move
    or the score.
    """
    header = "   " + " ".join(LETTERS[: game.size])
    stars = star_points(game.size)
    rows = [draw_row(game, state, row, stars) for row in range(game.size)]
    black, white = game.signs[0], game.signs[1]
    captures = f"captured by {black}: {state.captured[2]}, by {white}: {state.captured[1]}"
    if game.is_terminal(state) and state.passes < 2:
        status = f"no result: the game was not over after {game.max_length} moves"
    elif game.is_terminal(state):
        status = f"{score_text(game.score(state))} as the stones stand"
    else:
        status = f"{game.player_name(state.to_move)} ({game.signs[state.to_move]}) to move"
    return "\n".join([header, *rows, header, f"{status}; {captures}"])


def draw_row(game: Go, state: State, row: int, stars: list[int]) -> str:
    """Return one row of the board."""
    gaps = [" "] * (game.size + 1)
    if state.last // game.size == row and state.last < game.points:  # a pass is in no row
        gaps[state.last % game.size : state.last % game.size + 2] = "()"
    label, text, first = game.size - row, "", row * game.size
    for column, stone in enumerate(np.asarray(state["board"])[first : first + game.size].tolist()):
        empty = "+" if first + column in stars else "."
        text += gaps[column] + (empty, *game.signs)[stone]
    return f"{label:>2}{text}{gaps[-1]}{label}"
