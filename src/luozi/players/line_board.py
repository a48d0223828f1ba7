"""The board of `alphabeta` on line games: what a stone in each empty cell would make, updated with each stone.

For every cell and direction, each player has a view: a number in base three whose digits say of the cells nearby along
that line whether they are empty, own, or blocked (another's stone, a blocked cell, the edge). A table has for each view
what a stone in its middle would make: five, open four, ... (`line_classes`). A cell has the sum over its directions,
and the totals have the sum over the empty cells: they are the evaluation. Only `put` and `take` change a board. Names
are those of five in a row: a four is one stone short of a win, whatever the length of a win. Sizes and rules are
numbers in arrays, so that all boards share their machine code.

`win_by_fours` finds wins by fours alone: each four leaves one reply, so such a win is seen many moves deep.
`solvers/threat_space` does the same for any game by its rules; here a position takes a microsecond or two.
"""

from __future__ import annotations

from typing import NamedTuple, TypeGuard

import numpy as np

from luozi.compiled import Array, apart, inline, unsigned
from luozi.compiled.bits import KEY_BITS
from luozi.games.lines.classes import (
    BLOCKED,
    CLASSES,
    DEAD,
    FIVE,
    FOUR,
    OPEN_FOUR,
    OPEN_THREE,
    OWN,
    line_classes,
)
from luozi.games.lines.code_tables import neighbours_along
from luozi.games.lines.patterns import directions_of
from luozi.games.lines.rules import Lines
from luozi.rules.game import Game

MOST_NEAR = 6  # cells to either side that a view may have: 3 ** 12 views
# The value of each class of `line_classes`, in the evaluation and the order of moves.
WORTH = (0, 1, 3, 7, 10, 24, 28, 80, 220)
# Threats, counted in bit fields of one number: FIVE, OPEN_FOUR, FOUR, OPEN_THREE.
FIELD = 15
MOST = (1 << FIELD) - 1
FIVES, OPEN_FOURS, FOURS, OPEN_THREES = 0, FIELD, 2 * FIELD, 3 * FIELD
ANY_FIVE, ANY_OPEN_FOUR, ANY_FOUR = MOST, MOST << OPEN_FOURS, MOST << FOURS
# Indices of `totals`: the values and the threats of both players, the hash, the number of empty cells.
ESTIMATE, THREATS, HASH, LEFT, TOTALS_SIZE = 0, 2, 4, 5, 6


class LineBoard(NamedTuple):
    """C cells, V views, N pairs of a cell and a view that contains it."""

    columns: int  # the number of columns with gravity, else 0
    first: Array  # [C + 1] i4: where a cell's pairs begin
    view_of: Array  # [N] i4: a view that contains the cell
    power: Array  # [N] i4: the power of three of the cell's digit there
    cell_of: Array  # [V] i4: the cell in the middle of a view
    classes: Array  # [3 ** digits] u1: the class of each view
    worth: Array  # [CLASSES] i8: the value of each class
    threat: Array  # [CLASSES] i8: the threats of each class
    keys: Array  # [C, 2] i8: the hash keys of a stone by cell and player
    bottom: Array  # [columns] i8: a column's lowest cell, or -1
    above: Array  # [C] i8: the cell above with gravity, or -1
    start: Array  # [V] i4: the views of the empty board
    # These change:
    stones: Array  # [C] i1: 0 empty, 1 and 2 the players' stones, 3 blocked
    views: Array  # [V, 2] i4: the views by player
    cell_worth: Array  # [2, C] i8: the value of each player's stone in a cell, occupied cells too
    cell_threat: Array  # [2, C] i8: the threats of each player's stone in a cell
    landing: Array  # [columns] i8: where a column's next stone falls, or -1
    totals: Array  # [TOTALS_SIZE] i8


# Stones -------------------------------------------------------------------------------------------------------------


@apart
def put(board: LineBoard, cell: int, player: int) -> None:
    """Put a stone into an empty cell."""
    for one in range(2):
        board.totals[ESTIMATE + one] -= board.cell_worth[one, cell]
        board.totals[THREATS + one] -= board.cell_threat[one, cell]
    board.stones[cell] = player + 1
    see(board, cell, player, 1)
    board.totals[HASH] ^= board.keys[cell, player]
    board.totals[LEFT] -= 1
    if board.columns > 0:
        board.landing[cell % board.columns] = board.above[cell]


@apart
def take(board: LineBoard, cell: int, player: int) -> None:
    """Take back the last stone."""
    see(board, cell, player, -1)
    board.stones[cell] = 0
    for one in range(2):
        board.totals[ESTIMATE + one] += board.cell_worth[one, cell]
        board.totals[THREATS + one] += board.cell_threat[one, cell]
    board.totals[HASH] ^= board.keys[cell, player]
    board.totals[LEFT] += 1
    if board.columns > 0:
        board.landing[cell % board.columns] = cell


@apart
def see(board: LineBoard, cell: int, player: int, sign: int) -> None:
    """Update all views that contain a cell for a stone that was put (sign 1) or taken (-1)."""
    for pair in range(unsigned(board.first[cell]), unsigned(board.first[cell + 1])):
        view = unsigned(board.view_of[pair])
        for one in range(2):
            before = board.views[view, unsigned(one)]
            after = before + sign * board.power[pair] * (OWN if one == player else BLOCKED)
            board.views[view, unsigned(one)] = after
            change_class(board, view, one, int(board.classes[unsigned(before)]), int(board.classes[unsigned(after)]))


@inline
def change_class(board: LineBoard, view: int, player: int, old: int, new: int) -> None:
    """Update the sums of a view's cell for a new class."""
    if old == new:
        return
    cell, one = unsigned(board.cell_of[view]), unsigned(player)
    worth = board.worth[unsigned(new)] - board.worth[unsigned(old)]
    threat = board.threat[unsigned(new)] - board.threat[unsigned(old)]
    board.cell_worth[one, cell] += worth
    board.cell_threat[one, cell] += threat
    if board.stones[cell] == 0:
        board.totals[unsigned(ESTIMATE + player)] += worth
        board.totals[unsigned(THREATS + player)] += threat


@apart
def set_up(board: LineBoard, wanted: Array) -> None:
    """Set up a position from the empty board: 0 empty, 1 and 2 the players' stones, 3 blocked."""
    board.totals[:] = 0
    board.cell_worth[:, :] = 0
    board.cell_threat[:, :] = 0
    for cell in range(wanted.shape[0]):
        board.stones[cell] = 3 if wanted[cell] == 3 else 0
        board.totals[LEFT] += wanted[cell] != 3
    for view in range(board.start.shape[0]):
        for player in range(2):
            board.views[view, player] = board.start[view]
            change_class(board, view, player, DEAD, int(board.classes[board.start[view]]))
    for cell in range(wanted.shape[0]):
        if wanted[cell] == 1 or wanted[cell] == 2:
            put(board, cell, int(wanted[cell]) - 1)
    for column in range(board.columns):
        cell = board.bottom[column]
        while cell >= 0 and board.stones[cell] != 0:
            cell = board.above[cell]
        board.landing[column] = cell


# Questions ----------------------------------------------------------------------------------------------------------


@inline
def places(board: LineBoard) -> int:
    """Return the number of places for a stone: cells, or columns with gravity."""
    return board.columns if board.columns > 0 else board.stones.shape[0]


@inline
def cell_at(board: LineBoard, place: int) -> int:
    """Return the empty cell of a place, or -1."""
    if board.columns > 0:
        return int(board.landing[place])
    return place if board.stones[place] == 0 else -1


@apart
def fives(board: LineBoard, player: int) -> tuple[int, int]:
    """Return the number of cells where a player wins at once, and the last of them, or -1."""
    count, found = 0, -1
    if board.totals[THREATS + player] & ANY_FIVE:
        for place in range(places(board)):
            cell = cell_at(board, place)
            if cell >= 0 and board.cell_threat[player, cell] & ANY_FIVE:
                count, found = count + 1, cell
    return count, found


@inline
def five_along(board: LineBoard, cell: int, player: int) -> int:
    """Return a cell on a line with this one where a player wins at once, or -1."""
    for pair in range(unsigned(board.first[cell]), unsigned(board.first[cell + 1])):
        other = int(board.cell_of[unsigned(board.view_of[pair])])
        if board.cell_threat[player, other] & ANY_FIVE and board.stones[other] == 0:
            return other
    return -1


@inline
def is_sure(threat: int) -> bool:
    """Return whether a stone makes two fours at once, which only a five can answer."""
    return threat & ANY_OPEN_FOUR != 0 or (threat >> FOURS) & MOST > 1


@apart
def sure_four(board: LineBoard, player: int) -> int:
    """Return a cell where a player makes two fours at once, or -1; always -1 with gravity."""
    total = board.totals[THREATS + player]
    if board.columns == 0 and is_sure(total):
        for cell in range(board.stones.shape[0]):
            if board.stones[cell] == 0 and is_sure(board.cell_threat[player, cell]):
                return cell
    return -1


# Tables -------------------------------------------------------------------------------------------------------------


def near_cells(game: Lines) -> int:
    """Return the cells to either side of a view: those of all wins through its cell, and one more to see overlines."""
    return game.run if game.exactly else game.run - 1


def new_board(game: Lines) -> LineBoard:
    """Return the empty board of a game."""
    run_classes = line_classes(game.run, bool(game.exactly))
    pairs, cell_of, start = seen_by(game, near_cells(game), run_classes)
    views, cells = len(cell_of), game.cells
    threat = np.zeros(CLASSES, np.int64)
    threat[[FIVE, OPEN_FOUR, FOUR, OPEN_THREE]] = [1 << field for field in (FIVES, OPEN_FOURS, FOURS, OPEN_THREES)]
    columns = game.actions if game.gravity else 0
    board = LineBoard(
        columns=columns,
        first=np.cumsum([0] + [len(each) for each in pairs]).astype(np.int32),
        view_of=np.array([view for each in pairs for view, _ in each], np.int32),
        power=np.array([power for each in pairs for _, power in each], np.int32),
        cell_of=np.array(cell_of, np.int32),
        classes=run_classes,
        worth=np.array(WORTH, np.int64),
        threat=threat,
        keys=np.random.default_rng(1).integers(0, 1 << KEY_BITS, (cells, 2), np.int64),
        bottom=np.array(game.bottom[:columns], np.int64),
        above=np.array(game.above, np.int64),
        start=np.array(start, np.int32),
        stones=np.zeros(cells, np.int8),
        views=np.zeros((views, 2), np.int32),
        cell_worth=np.zeros((2, cells), np.int64),
        cell_threat=np.zeros((2, cells), np.int64),
        landing=np.zeros(columns, np.int64),
        totals=np.zeros(TOTALS_SIZE, np.int64),
    )
    set_up(board, 3 * np.asarray(game.closed))
    return board


def seen_by(game: Lines, near: int, classes: Array) -> tuple[list[list[tuple[int, int]]], list[int], list[int]]:
    """Return for each cell its views with the power of its digit, the cell of each view, and its value on the empty
    board.

    A view with no room for a win is left out.
    """
    pairs: list[list[tuple[int, int]]] = [[] for _ in range(game.cells)]
    along = neighbours_along(game, directions_of(game), near)[:, :, ::-1]  # the far end of the line first
    powers = [[3 ** (near + distance) for distance in range(near)], [3 ** (near - 1 - d) for d in range(near)]]
    starts = np.where(along < 0, BLOCKED * np.array(powers), 0).sum(axis=(2, 3))
    alive = np.argwhere(classes[starts] != DEAD)
    for view, (cell, direction) in enumerate(alive.tolist()):
        for others, worth in zip(along[cell, direction].tolist(), powers, strict=True):
            for other, power in zip(others, worth, strict=True):
                if other >= 0:
                    pairs[other].append((view, power))
    return pairs, alive[:, 0].tolist(), starts[alive[:, 0], alive[:, 1]].tolist()


def fits(game: Game) -> TypeGuard[Lines]:
    """Return whether the board supports a game: two players, wins that a view can hold, and the unchanged rules of
    `Lines`.

    >>> import luozi
    >>> [fits(luozi.game(name)) for name in ("gomoku", "qubic", "five3d", "gomoku:win_length=9", "othello")]
    [True, True, False, False, False]
    """
    if not isinstance(game, Lines) or game.players != 2 or game.run < 2 or near_cells(game) > MOST_NEAR:
        return False
    return type(game).__module__.startswith(f"{Lines.__module__.rsplit('.', 1)[0]}.")


MOST_FOURS, MOST_CHOICES = 20, 40  # fours in a row, and fours of one position
# fields of a rank: the number of fours, the one that is tried, and the reply to it
COUNT, NEXT, REPLY, RANK_SIZE = 0, 1, 2, 3


class FourSequence(NamedTuple):
    """The current line of fours, one row for each."""

    cells: Array  # [MOST_FOURS + 1, MOST_CHOICES] i8: the fours of each position
    ranks: Array  # [MOST_FOURS + 1, RANK_SIZE] i4: a named tuple by reference needs fields of different types


def new_attack() -> FourSequence:
    """Return the arrays of a line of fours."""
    return FourSequence(
        cells=np.zeros((MOST_FOURS + 1, MOST_CHOICES), np.int64),
        ranks=np.zeros((MOST_FOURS + 1, RANK_SIZE), np.int32),
    )


@apart
def win_by_fours(board: LineBoard, attack: FourSequence, mover: int, limit: int) -> tuple[int, int]:
    """Return the number of moves in which the player to move wins by fours alone and the first move; 0, -1 if none was
    found.

    At most `limit` positions are searched. Nobody can win at once, and there is no open four. With gravity there is no
    search: the reply to a four may be no move.
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
    """List the cells where a player makes a four; only the one cell where the other must be blocked."""
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
