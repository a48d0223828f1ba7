"""The features of a Go move for a log-linear model (Coulom 2007), packed into one number.

In each group exactly one feature, its kind, applies. The kinds of a move take five bits each, and the class of its 3x3
neighbourhood lies above them. The score of a move is the sum of the weights of its kinds. The weights lie in one row:
32 for each group, then those of the classes. Nothing depends on the size of the board.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from luozi.compiled import Array, apart, inline, signed
from luozi.games.go.cells import BORDER, EMPTY, NEAR_EMPTY
from luozi.games.go.ladders import gets_away, is_caught
from luozi.games.go.patterns import CODES, STEPS, turned, with_colours_swapped
from luozi.games.go.playouts import neighbourhood
from luozi.games.go.tactics import (
    TOUCHES,
    how_many,
    last_liberty,
    liberties_after,
    liberties_of,
    one_of,
    stones_after,
    stones_taken,
    takes,
)
from luozi.rules.state import State

if TYPE_CHECKING:
    from luozi.games.go.rules import Go

FARTHEST = 17  # distances are |down| + |right| + the larger of them (Coulom 2007), so at least 2
LINES = 5  # distances to the edge; larger ones are equal
# Number of kinds in each group, including kind 0: the usual case, and a pass.
GROUPS = {
    "capture": 4,  # 1: captures one stone, 2: several, 3: the chain of the last move
    "save": 3,  # saves an own chain in atari. 1: it escapes, 2: it does not
    "atari": 3,  # 1: puts an enemy chain in atari, 2: which does not escape
    "danger": 4,  # 1: self-atari of one or two stones without gain, 2: of more, 3: fills an own eye
    "touch": 3,  # 1: touches the chain of the last move, 2: a chain beside it
    "last": FARTHEST + 1,  # distance to the last move; 0: it is not on the board
    "before": FARTHEST + 1,  # distance to the move before
    "line": 2 * LINES + 1,  # distance to the edge, from 1; above LINES: no stone is near
    "pass": 4,  # 1: a pass, 2: one that ends the game and wins, 3: one that ends the game and does not win
}
CAPTURE, SAVE, ATARI, DANGER, TOUCH, LAST, BEFORE, LINE, PASS = range(len(GROUPS))
COUNT = len(GROUPS)
BITS, ROOM = 5, 32  # bits of a group
CLASS = BITS * COUNT  # position of the class
FEW = 3  # maximum number of stones in a small self-atari


@cache
def pattern_classes() -> npt.NDArray[np.int16]:
    """Return the class of each neighbourhood code, for Black and then for White to move; 0 where there is none.

    Neighbourhoods that differ by rotation, reflection, or swapped colours with the other player to move are of one
    class.

    >>> int(pattern_classes().max()) == class_count() - 1
    True
    """
    black = codes_on_boards()
    first = np.min([turned(black, way) for way in range(8)], axis=0)
    place = np.unique(first, return_inverse=True)[1]
    table = np.zeros((2, CODES), np.int16)
    table[0, black] = place.reshape(-1) + 1
    table[1, with_colours_swapped(black)] = table[0, black]
    return table.reshape(-1)


def codes_on_boards() -> npt.NDArray[np.int64]:
    """Return the codes of all neighbourhoods that occur on boards: in the middle, at an edge, in a corner."""
    codes = np.arange(CODES)
    places = [codes >> (2 * place) & 3 == BORDER for place in range(len(STEPS))]
    off_board = sum(over.astype(np.int64) << place for place, over in enumerate(places))
    allowed = []
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            over = [(down != 0 and step[0] == down) or (right != 0 and step[1] == right) for step in STEPS]
            allowed.append(sum(1 << place for place, is_over in enumerate(over) if is_over))
    return codes[np.isin(off_board, allowed)]


@cache
def class_count() -> int:
    """Return the number of classes, including the one of a pass."""
    return int(pattern_classes().max()) + 1


# The features of a move -----------------------------------------------------------------------------------------------


@apart
def features_of(game: Go, state: State, action: int) -> int:
    """Return the features of a legal move as one number."""
    if action == game.points:
        return pass_kind(game, state) << (BITS * PASS)
    colour, code = signed(state.to_move) + 1, neighbourhood(game, state, action)
    found = signed(game.classes[(colour - 1) * CODES + code]) << CLASS
    line = min(signed(game.line[action]), LINES - 1) + 1
    if code & 0x5555 == code >> 1 & 0x5555:  # no stone nearby
        line += LINES
    found |= line << (BITS * LINE)
    found |= distance_kind(game, action, signed(state.last)) << (BITS * LAST)
    found |= distance_kind(game, action, signed(state.before)) << (BITS * BEFORE)
    if line <= LINES:
        found |= contact_kinds(game, state, action, colour)
    return found


@inline
def pass_kind(game: Go, state: State) -> int:
    """Return whether a pass ends the game, and whether it wins."""
    if state.passes == 0:
        return 1
    return 2 if (game.score(state) > 0.0) == (state.to_move == 0) else 3


@inline
def distance_kind(game: Go, point: int, other: int) -> int:
    """Return the kind of distance between a point and a move."""
    if other < 0 or other >= game.points:
        return 0
    down, right = abs(point // game.size - other // game.size), abs(point % game.size - other % game.size)
    return min(down + right + max(down, right), FARTHEST)


@inline
def contact_kinds(game: Go, state: State, point: int, colour: int) -> int:
    """Return what a move does to the chains around it."""
    if state.near[point] & game.not_own[colour] == 0 and game.is_true_eye(state, point, colour):
        return 3 << (BITS * DANGER)
    taken, breath = stones_taken(game.around, state, point, colour), 3
    if state.near[point] < 3 * NEAR_EMPTY:
        breath = how_many(liberties_after(game.around, state, point, colour, 3))
    found = touch_kind(game, state, point) << (BITS * TOUCH)
    if taken > 0:
        found |= (3 if takes_last(game, state, point) else min(taken, 2)) << (BITS * CAPTURE)
    elif breath < 2:
        few = stones_after(game.around, state, point, colour) < FEW
        return found | (1 if few else 2) << (BITS * DANGER) | save_kind(game, state, point, colour) << (BITS * SAVE)
    saved, attacked = save_kind(game, state, point, colour), atari_kind(game, state, point, colour)
    return found | saved << (BITS * SAVE) | attacked << (BITS * ATARI)


@inline
def takes_last(game: Go, state: State, point: int) -> bool:
    """Return whether a move captures the chain of the last move."""
    last = signed(state.last)
    if last < 0 or last >= game.points:
        return False
    for side in range(4):
        name = signed(state.chain[game.around[4 * point + side]])
        if name == state.chain[last] and name < game.points and takes(game.around, state, point, name):
            return True
    return False


@inline
def save_kind(game: Go, state: State, point: int, colour: int) -> int:
    """Return whether a move saves an own chain in atari, and whether the chain escapes."""
    kind = 0
    for side in range(4):
        neighbour = signed(game.around[4 * point + side])
        name = signed(state.chain[neighbour])
        if kind != 1 and state.board[neighbour] == colour and last_liberty(game.around, state, name) >= 0:
            kind = 1 if gets_away(game, state, neighbour, 0) else 2
    return kind


@inline
def atari_kind(game: Go, state: State, point: int, colour: int) -> int:
    """Return whether a move puts an enemy chain in atari, and whether it is caught."""
    kind = 0
    for side in range(4):
        neighbour = signed(game.around[4 * point + side])
        name = signed(state.chain[neighbour])
        if state.board[neighbour] == 3 - colour and state.liberties[name] <= 2 * TOUCHES and kind != 2:
            found = liberties_of(game.around, state, name, 3)
            if how_many(found) == 2:
                other = one_of(found, 0) + one_of(found, 1) - point
                kind = 2 if is_caught(game, state, neighbour, point, other) else 1
    return kind


@inline
def touch_kind(game: Go, state: State, point: int) -> int:
    """Return whether a move touches the chain of the last move, or a chain beside it."""
    last, kind = signed(state.last), 0
    if last < 0 or last >= game.points:
        return 0
    for side in range(4):
        name = signed(state.chain[game.around[4 * point + side]])
        if name == game.points:
            continue
        if name == state.chain[last]:
            return 1
        for other in range(4):
            if name == state.chain[game.around[4 * last + other]]:
                kind = 2
    return kind


# The weights ----------------------------------------------------------------------------------------------------------


@inline
def place_of(features: int, group: int) -> int:
    """Return the index of the weight of a group's kind. The class counts as one more group."""
    if group == COUNT:
        return ROOM * COUNT + (features >> CLASS)
    return ROOM * group + (features >> (BITS * group) & (ROOM - 1))


@inline
def score_of(model: Array, features: int) -> float:
    """Return the sum of the weights."""
    total = 0.0
    for group in range(COUNT + 1):
        total += model[place_of(features, group)]
    return total


# A position that was written down -------------------------------------------------------------------------------------

# an empty point where the move is illegal; what marks the last move is twice the mark of the one before
FORBIDDEN, MARK = 3, 4


@inline
def write_cells(game: Go, state: State, cells: Array) -> None:
    """Write the position as small numbers: stones, illegal points, and marks on the last two moves, including
    passes.
    """
    for point in range(game.points):
        empty = state.board[point] == EMPTY
        cells[point] = FORBIDDEN if empty and not game.is_legal(state, point) else state.board[point]
    cells[game.points] = 0
    if state.last >= 0:
        cells[state.last] += MARK
    if state.before >= 0 and state.before != state.last:
        cells[state.before] += 2 * MARK


@inline
def read_cells(game: Go, state: State, cells: Array, mover: int) -> None:
    """Restore a position from `write_cells` into an empty board. The earlier history is unknown."""
    game.start(state)
    for cell in range(game.points + 1):
        stone, mark = signed(cells[cell]) % MARK, signed(cells[cell]) // MARK
        if 0 < stone < FORBIDDEN:
            game.place(state, cell, stone)
        if mark == 1:
            state.last = cell
        elif mark == 2:
            state.before = cell
    state.to_move, state.passes = mover, signed(state.last == game.points)
    if 0 <= state.last < game.points and state.length[state.chain[state.last]] == 1:
        only = last_liberty(game.around, state, signed(state.chain[state.last]))
        if only >= 0 and signed(cells[only]) % MARK == FORBIDDEN:  # the last move captured in a ko here
            state.ko = only
