"""Groups that live whatever happens, and the zones that are theirs: against all ways in which an enemy could go on."""

from __future__ import annotations

import random

import pytest
from go_reference import SIGNS, Reference

from luozi.games.go.rules import Go
from luozi.games.go.zones import settled_points


def reachable(size: int, board: list[int], enemy: int, suicide: bool) -> set[tuple[int, ...]]:
    """Every board that a colour can make if the other one never moves again."""
    seen, waiting = {tuple(board)}, [tuple(board)]
    while waiting:
        reference = Reference(size, suicide=suicide)
        reference.board, reference.player = list(waiting.pop()), enemy - 1
        following = (reference.after(point)[0] for point in range(size * size))
        new = {tuple(after) for after in following if after} - seen
        seen |= new
        waiting += new
    return seen


def survivors(size: int, board: list[int], colour: int, suicide: bool) -> set[int]:
    """The stones of a colour that no enemy can ever capture, though nobody defends them."""
    boards = reachable(size, board, 3 - colour, suicide)
    return {
        point for point, stone in enumerate(board) if stone == colour and all(one[point] == colour for one in boards)
    }


def random_board(rng: random.Random, size: int, empty: int) -> list[int]:
    """Few empty points, and stones that could stand so."""
    while True:
        board = [rng.choice((1, 1, 2)) for _ in range(size * size)]
        for point in rng.sample(range(size * size), empty):
            board[point] = 0
        reference = Reference(size)
        if all(0 in reference.region(board, point)[1] for point in range(size * size) if board[point]):
            return board


@pytest.mark.parametrize("suicide", [False, True])
def test_stones_that_live_are_those_that_cannot_be_captured_even_if_nobody_defends_them(suicide: bool) -> None:
    rng, size = random.Random(1), 3
    game, found = Go(size, suicide=suicide), 0
    for _ in range(15):
        board = random_board(rng, size, rng.randrange(2, 4))
        settled = settled_points(game, board)
        for colour in (1, 2):
            alive = {point for point, stone in enumerate(board) if stone == colour == settled[point]}
            assert alive == survivors(size, board, colour, suicide)
            found += len(alive)
    assert found


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        (".XO. XXO. .XOO XXO.", "XXOO XXOO XXOO XXOO"),  # two eyes each
        (".X.X XXXX .XO. XXXX", "XXXX XXXX XXXX XXXX"),  # a stone in an eye of others
        (".XO. XXO. .XO. XXO.", "XX.. XX.. XX.. XX.."),  # White has one eye, and the room beside it is open
    ],
)
def test_zones_of_groups_that_live_are_theirs_with_all_that_stands_there(text: str, settled: str) -> None:
    board = [SIGNS.index(sign) for sign in text.replace(" ", "")]
    assert settled_points(Go(4), board) == [SIGNS.index(sign) for sign in settled.replace(" ", "")]


def test_one_eye_is_not_enough_and_open_land_is_nobodys() -> None:
    board = [SIGNS.index(sign) for sign in ".X.. XX.. .... ....".replace(" ", "")]
    assert settled_points(Go(4), board) == [0] * 16
