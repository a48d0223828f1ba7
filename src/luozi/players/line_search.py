"""The compiled half of `alphabeta` on line games: principal variation search on a board with threats.

Start with `look_deeper`, the loop over a stack of frames; `enter` finds what is known of a position without a search,
`back_up` uses a move's value in the position before it. A value is that of the player to move: an evaluation, or a
proven win in a number of moves (above PROVEN). A win is proven only if no reply was left out, so a shortened list of
moves never proves a loss (`close`).

Without a search: a five is played, a five of the other is blocked, two of them or an open four decide. Against an open
three only moves that make or stop a four are searched. `win_by_fours` runs wherever fours can be made, so that a leaf
is never evaluated while the player to move wins by fours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from luozi.compiled import Array, apart, inline, kernel, unsigned
from luozi.compiled.references import by_reference
from luozi.players.line_board import (
    ANY_FOUR,
    ANY_OPEN_FOUR,
    ESTIMATE,
    FOURS,
    HASH,
    LEFT,
    MOST,
    OPEN_THREES,
    FourSequence,
    LineBoard,
    cell_at,
    fives,
    new_attack,
    places,
    put,
    set_up,
    sure_four,
    take,
    win_by_fours,
)
from luozi.solvers.base import TranspositionTable, new_table, note_at, place_of, write

WIN, PROVEN, UNPROVEN, ENDLESS = 30_000, 28_000, 27_000, 32_000
MOST_PLIES = 100
# Fields of a frame. CUT: not all moves are listed; URGENT: only moves that make or stop fours are listed.
MOVER, DEPTH, ALPHA, FIRST_ALPHA, BETA, BEST, BEST_CELL = 0, 1, 2, 3, 4, 5, 6
COUNT, NEXT, STAGE, CUT, URGENT, KILLER, SECOND_KILLER, BEFORE, FRAME_SIZE = 7, 8, 9, 10, 11, 12, 13, 14, 15
# The search of the next move: full window, null window, null window with reduced depth.
WHOLE, NARROW, REDUCED = 0, 1, 2
# Indices of `progress`; STOP is 0 as in the search.
STOP, NODES, DEEPEST, PROGRESS_SIZE = 0, 1, 2, 3
# Weights in the order of moves: the table's move, killer moves, moves that make or stop a four.
TABLE_FIRST, KILLER_FIRST, FOUR_FIRST = 1 << 40, 400, 300
MOST_HISTORY = 200
# Late move reductions: from this move on, at this depth and more; by two moves from the second number on.
LATE, LATER, LATE_DEPTH = 4, 12, 3
# Boards of at most this many cells have all moves searched; others this many in a position, and at the root.
MOST_CELLS = 64
WIDTH, ROOT_WIDTH = 18, 40
BEYOND = 6  # an open three is answered until this many moves below the depth
# Positions of a search for wins by fours: at the root, inside the tree, at leaves.
ROOT_FOURS, INNER_FOURS, LEAF_FOURS = 20_000, 100, 15
# The table: a note is a cell and the kind of bound; the second word has the depth and the value.
PLACE_BITS, NOTE_BITS, WORDS = 20, 14, 2
EXACT, AT_LEAST, AT_MOST = 1, 2, 3
VALUE_BITS = 20


class AlphaBetaArrays(NamedTuple):
    """The arrays of a search beside the board; P frames, C cells."""

    frames: Array  # [P, FRAME_SIZE] i8
    cells: Array  # [P, C] i8: the moves of a frame in the order of search
    order: Array  # [P, C] i8: the keys of that order; bit 0: whether the move makes or stops a threat
    history: Array  # [C, 2] i8: history heuristic, how often a player's stone there was a refutation
    luck: Array  # [C] i8: decides between moves that are otherwise equal
    table: TranspositionTable
    attack: FourSequence
    root_values: Array  # [C] i8: the value of each root move
    root_nodes: Array  # [C] i8: the positions searched below each root move


def new_memory(cells: int) -> AlphaBetaArrays:
    """Return the arrays for a board of this many cells."""
    return AlphaBetaArrays(
        frames=np.zeros((MOST_PLIES, FRAME_SIZE), np.int64),
        cells=np.zeros((MOST_PLIES, cells), np.int64),
        order=np.zeros((MOST_PLIES, cells), np.int64),
        history=np.zeros((cells, 2), np.int64),
        luck=np.zeros(cells, np.int64),
        table=new_table(PLACE_BITS, NOTE_BITS, WORDS),
        attack=new_attack(),
        root_values=np.zeros(cells, np.int64),
        root_nodes=np.zeros(cells, np.int64),
    )


# The search ---------------------------------------------------------------------------------------------------------


@kernel
def look_deeper(
    board: LineBoard, memory: AlphaBetaArrays, progress: Array, wanted: Array, mover: int, depth: int
) -> None:
    """Search a position to a depth; depth 0 sets it up and evaluates it without a search."""
    board, memory = by_reference(board), by_reference(memory)
    frames, ply = memory.frames, 0
    if depth == 0:
        set_up(board, wanted)
    progress[DEEPEST] = min(depth + BEYOND, MOST_PLIES - 2)
    open_frame(memory, 0, mover, depth, -ENDLESS, ENDLESS)
    if enter(board, memory, progress, 0) or depth == 0:
        return
    while progress[STOP] == 0:
        if frames[ply, NEXT] == frames[ply, COUNT]:
            close(board, memory, ply)
            if ply == 0:
                return
            ply -= 1
            back_up(board, memory, progress, ply)
        else:
            follow(board, memory, progress, ply)
            if enter(board, memory, progress, ply + 1):
                back_up(board, memory, progress, ply)
            else:
                ply += 1
    while ply > 0:
        ply -= 1
        take(board, int(memory.cells[ply, frames[ply, NEXT]]), int(frames[ply, MOVER]))


@inline
def open_frame(memory: AlphaBetaArrays, ply: int, mover: int, depth: int, alpha: int, beta: int) -> None:
    """Start a frame."""
    frame = memory.frames[ply]
    frame[MOVER], frame[DEPTH], frame[ALPHA], frame[FIRST_ALPHA], frame[BETA] = mover, depth, alpha, alpha, beta
    frame[BEST], frame[BEST_CELL], frame[COUNT], frame[NEXT], frame[STAGE] = -ENDLESS, -1, 0, 0, WHOLE
    frame[CUT], frame[URGENT] = 0, 0


@inline
def follow(board: LineBoard, memory: AlphaBetaArrays, progress: Array, ply: int) -> None:
    """Play the next move of a frame, and start the frame of the position after it."""
    frame = memory.frames[ply]
    frame[BEFORE] = progress[NODES]
    put(board, int(memory.cells[ply, frame[NEXT]]), int(frame[MOVER]))
    depth, alpha = frame[DEPTH] - 1, max(frame[ALPHA], frame[BEST])
    if frame[STAGE] == REDUCED:
        depth -= 1 + (frame[NEXT] >= LATER)
    beta = frame[BETA] if frame[STAGE] == WHOLE else alpha + 1
    open_frame(memory, ply + 1, 1 - int(frame[MOVER]), int(depth), -int(beta), -int(alpha))


@inline
def back_up(board: LineBoard, memory: AlphaBetaArrays, progress: Array, ply: int) -> None:
    """Take the move back and use its value; search it again if it exceeded its reduced depth or null window."""
    frame, value = memory.frames[ply], -memory.frames[ply + 1, BEST]
    cell, mover = int(memory.cells[ply, frame[NEXT]]), int(frame[MOVER])
    take(board, cell, mover)
    alpha = max(frame[ALPHA], frame[BEST])
    if value > alpha:
        if frame[STAGE] == REDUCED:
            frame[STAGE] = NARROW
            return
        if frame[STAGE] == NARROW and value < frame[BETA]:
            frame[STAGE] = WHOLE
            return
    if ply == 0:
        memory.root_values[cell] = value
        memory.root_nodes[cell] += progress[NODES] - frame[BEFORE]
    if value > frame[BEST]:
        frame[BEST], frame[BEST_CELL] = value, cell
    if value >= frame[BETA]:
        if frame[KILLER] != cell:
            frame[SECOND_KILLER], frame[KILLER] = frame[KILLER], cell
        bonus = min(int(frame[DEPTH] * frame[DEPTH]), 40)
        memory.history[cell, mover] += bonus - memory.history[cell, mover] * bonus // MOST_HISTORY
        frame[NEXT] = frame[COUNT]
        return
    frame[NEXT] += 1
    late = frame[NEXT] >= LATE and frame[DEPTH] >= LATE_DEPTH and frame[DEPTH] < board.totals[LEFT]
    quiet = frame[URGENT] == 0 and memory.order[ply, frame[NEXT]] & 1 == 0 if frame[NEXT] < frame[COUNT] else False
    frame[STAGE] = REDUCED if late and quiet else NARROW


@inline
def close(board: LineBoard, memory: AlphaBetaArrays, ply: int) -> None:
    """Complete a frame after its last move, and store its value."""
    frame = memory.frames[ply]
    if frame[CUT] == 1 and frame[BEST] < -UNPROVEN:
        frame[BEST] = -UNPROVEN  # a move that was left out may hold
    kind = EXACT
    if frame[BEST] <= frame[FIRST_ALPHA]:
        kind = AT_MOST
    elif frame[BEST] >= frame[BETA]:
        kind = AT_LEAST
    remember(board, memory, ply, kind)


# What is known at sight ---------------------------------------------------------------------------------------------


@apart
def enter(board: LineBoard, memory: AlphaBetaArrays, progress: Array, ply: int) -> bool:
    """Start a position; return whether its value is known without a search, else list its moves."""
    frame, mover = memory.frames[ply], int(memory.frames[ply, MOVER])
    progress[NODES] += 1
    own, cell = fives(board, mover)
    if own > 0:
        return known(frame, WIN - ply - 1, cell)
    if board.totals[LEFT] == 0 or board.totals[ESTIMATE] + board.totals[ESTIMATE + 1] == 0:
        if ply == 0:
            list_moves(board, memory, ply, -1)
        return known(frame, 0, int(memory.cells[0, 0]))
    theirs, cell = fives(board, 1 - mover)
    if theirs > 1:
        return known(frame, -(WIN - ply - 2), cell)
    if theirs == 1:
        frame[DEPTH] += 1  # a forced move costs no depth
        list_one(memory, ply, cell)
    hint = -1
    if ply == 0:
        hint = recall_hint(board, memory)
    elif recall(board, memory, ply):
        return True
    if theirs == 1:
        return ply >= MOST_PLIES - 2 and known(frame, estimate(board, mover), cell)
    return look_for_fours(board, memory, progress, ply, hint)


@inline
def look_for_fours(board: LineBoard, memory: AlphaBetaArrays, progress: Array, ply: int, hint: int) -> bool:
    """Continue `enter` where nobody can win at once."""
    frame, mover = memory.frames[ply], int(memory.frames[ply, MOVER])
    cell = sure_four(board, mover)
    if cell >= 0:
        return known(frame, WIN - ply - 3, cell)
    limit = ROOT_FOURS if ply == 0 else INNER_FOURS if frame[DEPTH] > 1 else LEAF_FOURS
    moves, cell = win_by_fours(board, memory.attack, mover, limit)
    if moves > 0:
        known(frame, WIN - ply - moves, cell)
        remember(board, memory, ply, AT_LEAST)
        return True
    urgent = sure_four(board, 1 - mover) >= 0
    frame[URGENT] = urgent
    if urgent and frame[DEPTH] <= 0 and ply < progress[DEEPEST]:
        frame[DEPTH] = 1
    if (frame[DEPTH] <= 0 and ply > 0) or ply >= MOST_PLIES - 2:
        known(frame, estimate(board, mover), -1)
        remember(board, memory, ply, EXACT)
        return True
    list_moves(board, memory, ply, hint if ply == 0 else int(frame[BEST_CELL]))
    frame[BEST_CELL] = -1
    return False


@inline
def known(frame: Array, value: int, cell: int) -> bool:
    """Write a known value and its move into a frame."""
    frame[BEST], frame[BEST_CELL], frame[COUNT] = value, cell, 0
    return True


@inline
def estimate(board: LineBoard, mover: int) -> int:
    """Return the evaluation: the totals, with a bonus for the player to move."""
    own, theirs = board.totals[ESTIMATE + mover], board.totals[ESTIMATE + 1 - mover]
    return max(-UNPROVEN + 1, min(UNPROVEN - 1, int(own - theirs + own // 8)))


# The order of moves -------------------------------------------------------------------------------------------------


@inline
def list_one(memory: AlphaBetaArrays, ply: int, cell: int) -> None:
    """List the only move."""
    memory.cells[ply, 0], memory.order[ply, 0] = cell, 1
    memory.frames[ply, COUNT], memory.frames[ply, URGENT] = 1, 1


@apart
def list_moves(board: LineBoard, memory: AlphaBetaArrays, ply: int, hint: int) -> None:
    """List the moves, the most promising first; on a large board not all of them."""
    frame, cells, order = memory.frames[ply], memory.cells[ply], memory.order[ply]
    mover, count, left = int(frame[MOVER]), 0, 0
    width = ROOT_WIDTH if ply == 0 else WIDTH
    if board.columns > 0 or board.stones.shape[0] <= MOST_CELLS:
        width = board.stones.shape[0]
    for place in range(places(board)):
        cell = cell_at(board, place)
        if cell < 0:
            continue
        own, theirs = board.cell_threat[mover, cell], board.cell_threat[1 - mover, cell]
        four = (own | theirs) & (ANY_FOUR | ANY_OPEN_FOUR) != 0
        if frame[URGENT] == 1 and not four:
            continue
        key = worth_of_move(board, memory, frame, cell, mover)
        if cell == hint:
            key += TABLE_FIRST
        key = 2 * key + (four or (own >> OPEN_THREES) & MOST > 0)
        if count == width:
            left = 1
            if key <= order[unsigned(count - 1)]:
                continue
            count -= 1
        index = count
        while index > 0 and key > order[unsigned(index - 1)]:
            order[unsigned(index)], cells[unsigned(index)] = order[unsigned(index - 1)], cells[unsigned(index - 1)]
            index -= 1
        order[unsigned(index)], cells[unsigned(index)] = key, cell
        count += 1
    frame[COUNT], frame[CUT] = count, left


@inline
def worth_of_move(board: LineBoard, memory: AlphaBetaArrays, frame: Array, cell: int, mover: int) -> int:
    """Return the key of a move: what the stone makes and blocks, and how it did elsewhere."""
    key = 8 * board.cell_worth[mover, cell] + 7 * board.cell_worth[1 - mover, cell]
    key += memory.history[cell, mover] + memory.luck[cell]
    if (board.cell_threat[mover, cell] >> FOURS) & MOST > 0:
        key += FOUR_FIRST
    if cell == frame[KILLER] or cell == frame[SECOND_KILLER]:
        key += KILLER_FIRST
    return int(key)


# The table ----------------------------------------------------------------------------------------------------------


@inline
def remember(board: LineBoard, memory: AlphaBetaArrays, ply: int, kind: int) -> None:
    """Store the value of a position; the distance of a proven win counts from there, not from the root."""
    frame, value = memory.frames[ply], int(memory.frames[ply, BEST])
    if value > PROVEN:
        value += ply
    elif value < -PROVEN:
        value -= ply
    at, rest = place_of(memory.table, int(board.totals[HASH]))
    write(memory.table, at, rest, ((int(frame[BEST_CELL]) + 1) << 2) + kind)
    depth = max(0, int(frame[DEPTH]))
    memory.table.words[at + unsigned(1)] = (depth << VALUE_BITS) + value + (1 << (VALUE_BITS - 1))


@inline
def recall(board: LineBoard, memory: AlphaBetaArrays, ply: int) -> bool:
    """Return whether the table has the value, or a bound outside the window; take its move as the first to try."""
    frame = memory.frames[ply]
    at, rest = place_of(memory.table, int(board.totals[HASH]))
    note = note_at(memory.table, at, rest)
    if note == 0:
        return False
    frame[BEST_CELL], kind = (note >> 2) - 1, note & 3
    word = int(memory.table.words[at + unsigned(1)])
    depth, value = word >> VALUE_BITS, (word & ((1 << VALUE_BITS) - 1)) - (1 << (VALUE_BITS - 1))
    if value > PROVEN or value < -PROVEN:
        depth = MOST_PLIES  # proven, so the depth does not matter
        value += -ply if value > 0 else ply
    if depth < frame[DEPTH]:
        return False
    if kind == EXACT or (kind == AT_LEAST and value >= frame[BETA]) or (kind == AT_MOST and value <= frame[ALPHA]):
        frame[BEST], frame[COUNT] = value, 0
        return True
    return False


@inline
def recall_hint(board: LineBoard, memory: AlphaBetaArrays) -> int:
    """Return the table's move for the root, or -1."""
    at, rest = place_of(memory.table, int(board.totals[HASH]))
    return (note_at(memory.table, at, rest) >> 2) - 1
