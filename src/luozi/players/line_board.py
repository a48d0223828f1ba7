"""A board for `alphabeta` at line games: what a stone in each empty cell would make, kept up as stones come and go.

For every cell and direction, each player has a view: a number whose digits in base three say of the cells nearby along
that line whether they are empty, own, or blocked (another's stone, a forbidden cell, the wall). A table tells for each
number what a stone in the middle would make: five, an open four, ... (`line_classes`). What lies in a cell sums that up
over its directions, and the totals sum it up over the empty cells: they are the estimate of the position.
`put` and `take` are all that changes a board. Names are those of five in a row: a four is one stone short of a win,
whatever the length of a run. Sizes and rules are numbers in arrays, so that all boards share their machine code.
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
# What that is worth in the estimate, and for the order of moves.
WORTH = (0, 1, 3, 7, 10, 24, 28, 80, 220)
# Threats, counted in fields of a number: FIVE, OPEN_FOUR, FOUR, OPEN_THREE.
FIELD = 15
MOST = (1 << FIELD) - 1
FIVES, OPEN_FOURS, FOURS, OPEN_THREES = 0, FIELD, 2 * FIELD, 3 * FIELD
ANY_FIVE, ANY_OPEN_FOUR, ANY_FOUR = MOST, MOST << OPEN_FOURS, MOST << FOURS
# Places in `totals`: the worth and the threats of both players, the hash, the empty cells.
ESTIMATE, THREATS, HASH, LEFT, TOTALS_SIZE = 0, 2, 4, 5, 6


class LineBoard(NamedTuple):
    """C cells, V views, N pairs of a cell and a view that sees it."""

    columns: int  # with gravity, how many; else 0
    first: Array  # [C + 1] i4: where a cell's pairs begin
    view_of: Array  # [N] i4: a view that sees the cell
    power: Array  # [N] i4: what a digit is worth there
    cell_of: Array  # [V] i4: the cell in the middle of a view
    classes: Array  # [3 ** digits] u1
    worth: Array  # [CLASSES] i8
    threat: Array  # [CLASSES] i8
    keys: Array  # [C, 2] i8: of the hash
    bottom: Array  # [columns] i8: a column's lowest cell, or -1
    above: Array  # [C] i8: the cell above with gravity, or -1
    start: Array  # [V] i4: the views of the empty board
    # What changes:
    stones: Array  # [C] i1: 0 empty, 1 and 2 the players', 3 forbidden
    views: Array  # [V, 2] i4
    cell_worth: Array  # [2, C] i8: of a stone of each player in a cell; of cells that are taken too
    cell_threat: Array  # [2, C] i8
    landing: Array  # [columns] i8: where a column's next stone goes, or -1
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
    """Take back the stone that was put last."""
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
    """Tell all views that see a cell of a stone that came (1) or went (-1)."""
    for pair in range(unsigned(board.first[cell]), unsigned(board.first[cell + 1])):
        view = unsigned(board.view_of[pair])
        for one in range(2):
            before = board.views[view, unsigned(one)]
            after = before + sign * board.power[pair] * (OWN if one == player else BLOCKED)
            board.views[view, unsigned(one)] = after
            change_class(board, view, one, int(board.classes[unsigned(before)]), int(board.classes[unsigned(after)]))


@inline
def change_class(board: LineBoard, view: int, player: int, old: int, new: int) -> None:
    """A stone of the player would make something else now."""
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
    """Start from the empty board and put all stones of a position: 0 empty, 1 and 2 the players', 3 forbidden."""
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
    """How many places a stone may be tried in: cells, or columns with gravity."""
    return board.columns if board.columns > 0 else board.stones.shape[0]


@inline
def cell_at(board: LineBoard, place: int) -> int:
    """The empty cell of a place, or -1."""
    if board.columns > 0:
        return int(board.landing[place])
    return place if board.stones[place] == 0 else -1


@apart
def fives(board: LineBoard, player: int) -> tuple[int, int]:
    """How many cells a player could win in at once, and the last of them, or -1."""
    count, found = 0, -1
    if board.totals[THREATS + player] & ANY_FIVE:
        for place in range(places(board)):
            cell = cell_at(board, place)
            if cell >= 0 and board.cell_threat[player, cell] & ANY_FIVE:
                count, found = count + 1, cell
    return count, found


@inline
def five_along(board: LineBoard, cell: int, player: int) -> int:
    """A cell on a line with this one that a player could win in at once, or -1."""
    for pair in range(unsigned(board.first[cell]), unsigned(board.first[cell + 1])):
        other = int(board.cell_of[unsigned(board.view_of[pair])])
        if board.cell_threat[player, other] & ANY_FIVE and board.stones[other] == 0:
            return other
    return -1


@inline
def is_sure(threat: int) -> bool:
    """Whether a stone makes two fours at once: only a five can answer that."""
    return threat & ANY_OPEN_FOUR != 0 or (threat >> FOURS) & MOST > 1


@apart
def sure_four(board: LineBoard, player: int) -> int:
    """A cell where a player's stone makes two fours at once, or -1; with gravity nothing is sure."""
    total = board.totals[THREATS + player]
    if board.columns == 0 and is_sure(total):
        for cell in range(board.stones.shape[0]):
            if board.stones[cell] == 0 and is_sure(board.cell_threat[player, cell]):
                return cell
    return -1


# Tables -------------------------------------------------------------------------------------------------------------


def near_cells(game: Lines) -> int:
    """How many cells to either side a view has: those of all runs through its cell, and one more to see overlines."""
    return game.run if game.exactly else game.run - 1


def new_board(game: Lines) -> LineBoard:
    """The empty board of a game."""
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
    """For each cell the views that see it, with the worth of its digit; the cell of each view, and its first value.

    A view that is dead on the empty board is left out: there is no room for a run.
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
    """Whether this board is for a game: two players, runs that a view can hold, and the rules of `Lines` unchanged.

    >>> import luozi
    >>> [fits(luozi.game(name)) for name in ("gomoku", "qubic", "five3d", "gomoku:win_length=9", "othello")]
    [True, True, False, False, False]
    """
    if not isinstance(game, Lines) or game.players != 2 or game.run < 2 or near_cells(game) > MOST_NEAR:
        return False
    return type(game).__module__.startswith(f"{Lines.__module__.rsplit('.', 1)[0]}.")


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
