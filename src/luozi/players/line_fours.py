"""Wins by fours on the board of `alphabeta`: each four leaves one reply, so that such a win is seen many moves deep.

`solvers/fours.py` does the same for any game by its rules; here a position inside a search costs a microsecond or two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from luozi.compiled import Array, apart
from luozi.players.line_board import (
    ANY_FOUR,
    ANY_OPEN_FOUR,
    THREATS,
    LineBoard,
    five_along,
    fives,
    is_sure,
    put,
    take,
)

MOST_FOURS, MOST_CHOICES = 20, 40  # fours in a row, and those to choose from in a position
COUNT, NEXT, REPLY, RANK_SIZE = 0, 1, 2, 3  # how many fours there are, which one is tried, and the reply to it


class FourSequence(NamedTuple):
    """The line in hand, one row for each four."""

    cells: Array  # [MOST_FOURS + 1, MOST_CHOICES] i8: the fours that can be made
    ranks: Array  # [MOST_FOURS + 1, RANK_SIZE] i4: a named tuple by reference needs fields of different types


def new_attack() -> FourSequence:
    """Room for a line of fours."""
    return FourSequence(
        cells=np.zeros((MOST_FOURS + 1, MOST_CHOICES), np.int64),
        ranks=np.zeros((MOST_FOURS + 1, RANK_SIZE), np.int32),
    )


@apart
def win_by_fours(board: LineBoard, attack: FourSequence, mover: int, limit: int) -> tuple[int, int]:
    """In how many moves the player to move wins by fours alone, and the first of them; 0 if that was not found.

    Nobody can win at once, and no open four can be made; so many positions are looked at. Not with gravity, where a
    reply may be no move.
    """
    cells, ranks, level, seen, found = attack.cells, attack.ranks, 0, 0, 0
    if board.columns > 0 or board.totals[THREATS + mover] & ANY_FOUR == 0:
        return 0, -1
    list_fours(board, cells[0], ranks[0], mover)
    while level >= 0 and found == 0:
        if ranks[level, NEXT] < ranks[level, COUNT] and seen < limit and level < MOST_FOURS:
            seen += 1
            cell = int(cells[level, ranks[level, NEXT]])
            if is_sure(int(board.cell_threat[mover, cell])):
                found = 2 * level + 3
                break
            put(board, cell, mover)
            reply = five_along(board, cell, mover)
            put(board, reply, 1 - mover)
            ranks[level, REPLY] = reply
            level += 1
            list_fours(board, cells[level], ranks[level], mover)
        else:
            level -= 1
            if level >= 0:
                take(board, int(ranks[level, REPLY]), 1 - mover)
                take(board, int(cells[level, ranks[level, NEXT]]), mover)
                ranks[level, NEXT] += 1
    while level > 0:
        level -= 1
        take(board, int(ranks[level, REPLY]), 1 - mover)
        take(board, int(cells[level, ranks[level, NEXT]]), mover)
    return found, int(cells[0, ranks[0, NEXT]]) if found > 0 else -1


@apart
def list_fours(board: LineBoard, cells: Array, rank: Array, mover: int) -> None:
    """The cells where a player makes a four; only that one where the other must be stopped."""
    rank[COUNT], rank[NEXT] = 0, 0
    theirs, forced = fives(board, 1 - mover)
    if theirs > 1 or board.totals[THREATS + mover] & (ANY_FOUR | ANY_OPEN_FOUR) == 0:
        return
    for cell in range(board.stones.shape[0]):
        if board.cell_threat[mover, cell] & (ANY_FOUR | ANY_OPEN_FOUR) == 0 or board.stones[cell] != 0:
            continue
        if (theirs == 0 or cell == forced) and rank[COUNT] < MOST_CHOICES:
            cells[rank[COUNT]] = cell
            rank[COUNT] += 1
