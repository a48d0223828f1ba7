"""The compiled half of the exact solver for Connect Four: proofs on two integers whose bits are the stones.

Start with `solve_position`, then `prove`, which answers one question: does the player to move score `goal` or more? A
score is the number of stones that the winner has left, the winning one included; it is negative for the loser and 0 in
a draw. If the player to move must score `goal`, the next player must be kept below 1 - goal, so one goal decides the
goals of a whole line of play. What makes it fast: moves that lose at once are never tried, moves that make many threats
come first, a position is looked up before it is searched, and `holds_by_answering` decides many positions without a
search.
"""

from __future__ import annotations

from typing import NamedTuple

from luozi.compiled import Array, inline, kernel, unsigned
from luozi.compiled.bits import count_ones, stir
from luozi.solvers.base import COUNT, NEXT, NODES, STOP, TranspositionTable, note_at, place_of, write

NO, YES, OPEN = 0, 1, 2  # answers to a question; OPEN: not known yet
# Fields of a frame after COUNT and NEXT: the stones of the player to move and of the other, the moves to try, the key,
# the node count at its start, and the move that proved the goal.
OWN, OTHER, MOVES, KEY, BEFORE, BEST, FRAME_SIZE = 2, 3, 4, 5, 6, 7, 8
# Fields of a listed move: its stone, the moves to try after it, the key after it, its rank.
STONE, REPLIES, KEY_AFTER, RANK, MOVE_SIZE = 0, 1, 2, 3, 4
LOWEST, HIGHEST, BEST_STONE, ANSWER_SIZE = 0, 1, 2, 3  # bounds of the score, and a move that reaches it

# A note: two bounds of 6 bits (0: unknown), then 4 bits of work. A place has two entries.
BOUND, LOWEST_AT, HIGHEST_AT, NOTE_BITS, MOST, WORK = 63, 10, 4, 16, 31, 15
ENTRIES = 2
# Positions with few empty cells are many and cheap. Their own small table stays in the processor's cache, which counts
# for more than a longer memory (2.5 times as many positions a second).
NEAR_BITS, FAR_FROM = 16, 18


class Bitboard(NamedTuple):
    """A board as bits: column after column, each from the bottom up, with one bit on top that stays empty."""

    columns: int
    step: int  # bits of a column
    cells: int  # the cells that are not blocked
    floor: int  # the lowest bit of each column
    closed: int  # the blocked cells
    skips: int  # the longest vertical run of blocked cells
    answers: int  # of each column the top cell, and down from there every second playable one
    mirror: bool  # whether a position and its mirror image can both occur


class BitboardStack(NamedTuple):
    """One frame for each position from the root down; D is the number of cells plus two."""

    frames: Array  # [D, FRAME_SIZE] i8
    moves: Array  # [D, columns, MOVE_SIZE] i8: the moves of a position in the order of search
    weights: Array  # [bits] i8: the number of lines through a cell
    answer: Array  # [ANSWER_SIZE] i8


class BitboardTables(NamedTuple):
    """What was proved, two entries a place: the first keeps the entry with the most work, the second the latest."""

    near: TranspositionTable  # positions with fewer than FAR_FROM empty cells
    far: TranspositionTable


# The search ---------------------------------------------------------------------------------------------------------


@kernel
def solve_position(
    board: Bitboard,
    stack: BitboardStack,
    tables: BitboardTables,
    progress: Array,
    left: int,
    to_the_move: bool,
    limit: int,
) -> None:
    """Find the result of frame 0, which has `left` empty cells; with `to_the_move` the move of the win too."""
    answer, own = stack.answer, int(stack.frames[0, OWN])
    answer[LOWEST], answer[HIGHEST] = -(left // 2), (left + 1) // 2
    taken = own | int(stack.frames[0, OTHER]) | board.closed
    landing = (taken + board.floor) & ~taken & board.cells
    wins = landing & completing(board, own, board.cells & ~taken)
    answer[BEST_STONE] = lowest_bit(landing if wins == 0 else wins)
    if wins != 0:
        answer[LOWEST] = answer[HIGHEST]
    while answer[LOWEST] < answer[HIGHEST] and (to_the_move or (answer[LOWEST] <= 0 and answer[HIGHEST] >= 0)):
        goal = next_goal(answer)
        verdict = prove(board, stack, tables, progress, left, goal, limit)
        if verdict == OPEN:
            break
        if verdict == NO:
            answer[HIGHEST] = goal - 1
        else:
            answer[LOWEST], answer[BEST_STONE] = goal, stack.frames[0, BEST]


@inline
def next_goal(answer: Array) -> int:
    """Return the next goal to prove: no loss, then a win, then the middle of the bounds."""
    if answer[HIGHEST] >= 0 and answer[LOWEST] <= 0:
        return 0 if answer[LOWEST] < 0 else 1
    return (answer[LOWEST] + answer[HIGHEST] + 1) // 2


@inline
def prove(
    board: Bitboard, stack: BitboardStack, tables: BitboardTables, progress: Array, left: int, goal: int, limit: int
) -> int:
    """Return whether the player to move in frame 0, who can't win at once, scores `goal`; OPEN if it was stopped."""
    verdict = enter_root(board, stack, left, goal)
    depth, is_new = 0, verdict == OPEN
    while depth >= 0:
        wanted = goal if depth & 1 == 0 else 1 - goal
        if is_new:
            if progress[STOP] != 0 or progress[NODES] > limit:
                return OPEN
            progress[NODES] += 1
            stack.frames[depth, BEFORE] = progress[NODES]
            verdict, is_new = list_moves(board, stack, tables, depth, left - depth, wanted), False
        if verdict == OPEN:
            descend(stack, depth)
            depth, is_new = depth + 1, True
        else:
            work = progress[NODES] - stack.frames[depth, BEFORE]
            remember(tables, int(stack.frames[depth, KEY]), left - depth, wanted, verdict, work)
            depth -= 1
            if depth >= 0:
                verdict = back_up(stack, depth, verdict)
    return verdict


@inline
def enter_root(board: Bitboard, stack: BitboardStack, left: int, goal: int) -> int:
    """Fill frame 0 and return what is known of it without a search."""
    frame = stack.frames[0]
    own, other = int(frame[OWN]), int(frame[OTHER])
    taken = own | other | board.closed
    threats = completing(board, other, board.cells & ~taken)
    verdict, moves = judge(board, own, other, threats, left, goal)
    frame[MOVES], frame[KEY], frame[BEST] = moves, key_of(board, own, taken, left), lowest_bit(moves)
    return verdict


@inline
def list_moves(board: Bitboard, stack: BitboardStack, tables: BitboardTables, depth: int, left: int, goal: int) -> int:
    """List the moves of a frame; return its answer if they decide it, else OPEN."""
    frame = stack.frames[depth]
    own, other, moves, count = int(frame[OWN]), int(frame[OTHER]), int(frame[MOVES]), 0
    taken = own | other | board.closed
    while moves != 0:
        stone = lowest_bit(moves)
        moves ^= stone
        threats = completing(board, own | stone, board.cells & ~(taken | stone))
        verdict, replies = judge(board, other, own | stone, threats, left - 1, 1 - goal)
        key = 0
        if verdict == OPEN:
            key = key_of(board, other, taken | stone, left - 1)
            verdict = recall(tables, key, left - 1, 1 - goal)
        if verdict == NO:
            frame[BEST] = stone
            return YES
        if verdict == OPEN:
            rank = (count_ones(threats) << 10) + stack.weights[unsigned(count_ones(stone - 1))]
            insert(stack.moves[depth], count, stone, replies, key, rank)
            count += 1
    frame[COUNT], frame[NEXT] = count, 0
    return OPEN if count > 0 else NO


@inline
def insert(moves: Array, count: int, stone: int, replies: int, key: int, rank: int) -> None:
    """Insert a move into a list sorted by rank."""
    place = count
    while place > 0 and moves[place - 1, RANK] < rank:
        for field in range(MOVE_SIZE):
            moves[place, field] = moves[place - 1, field]
        place -= 1
    moves[place, STONE], moves[place, REPLIES], moves[place, KEY_AFTER], moves[place, RANK] = stone, replies, key, rank


@inline
def descend(stack: BitboardStack, depth: int) -> None:
    """Play the next move of a frame."""
    frame, following = stack.frames[depth], stack.frames[depth + 1]
    move = stack.moves[depth, frame[NEXT]]
    frame[NEXT] += 1
    following[OWN], following[OTHER] = frame[OTHER], frame[OWN] | move[STONE]
    following[MOVES], following[KEY] = move[REPLIES], move[KEY_AFTER]


@inline
def back_up(stack: BitboardStack, depth: int, verdict: int) -> int:
    """Return the answer of a frame after that of its last move, or OPEN."""
    frame = stack.frames[depth]
    if verdict == NO:
        frame[BEST] = stack.moves[depth, frame[NEXT] - 1, STONE]
        return YES
    return OPEN if frame[NEXT] < frame[COUNT] else NO


# What a position tells at sight -------------------------------------------------------------------------------------


@inline
def judge(board: Bitboard, own: int, other: int, threats: int, left: int, goal: int) -> tuple[int, int]:
    """Return whether a player who can't win at once scores `goal`, as far as the position shows it, and the moves to
    try.

    `threats` are the cells where the other player completes a line.
    """
    taken = own | other | board.closed
    moves = safe_moves(board, taken, threats)
    if moves == 0:
        return (YES if -(left // 2) >= goal else NO), moves
    if left <= 2:
        return (YES if goal <= 0 else NO), moves
    if -((left - 2) // 2) >= goal:
        return YES, moves
    if (left - 1) // 2 < goal:
        return NO, moves
    if goal >= 0 and left & 1 == 0 and holds_by_answering(board, own, other, taken, goal):
        return NO, moves
    return OPEN, moves


@inline
def safe_moves(board: Bitboard, taken: int, threats: int) -> int:
    """Return the moves after which the other player can't win at once."""
    landing = (taken + board.floor) & ~taken & board.cells
    forced = landing & threats
    if forced != 0:
        if forced & (forced - 1) != 0:
            return 0
        landing = forced
    for _ in range(board.skips):  # a stone below a blocked cell opens the cell above that
        threats |= (threats >> 1) & board.closed
    return landing & ~(threats >> 1)


@inline
def holds_by_answering(board: Bitboard, own: int, other: int, taken: int, goal: int) -> bool:
    """Return whether the other player keeps the player to move below `goal` by answering each move right above it.

    `goal` is 0 or more. An even number of cells is empty, so an even number of columns has an odd number of empty
    cells: a stone in the lowest cell of one of these is answered in another such column. The player to move then gets
    no `answers` but, at worst, all of these lowest cells; the other player gets the rest. (The main idea is Allis's
    claimeven, 1988.)
    """
    empty = board.cells & ~taken
    singles = (taken + board.floor) & ~taken & board.answers
    if has_four(board, own | (empty & ~board.answers) | singles):
        return False
    return goal > 0 or has_four(board, other | (empty & board.answers & ~singles))


@inline
def completing(board: Bitboard, stones: int, empty: int) -> int:
    """Return the empty cells that complete four in a row."""
    found = (stones << 1) & (stones << 2) & (stones << 3)
    for step in range(board.step - 1, board.step + 2):
        pair = (stones << step) & (stones << (2 * step))
        found |= pair & ((stones << (3 * step)) | (stones >> step))
        pair = (stones >> step) & (stones >> (2 * step))
        found |= pair & ((stones >> (3 * step)) | (stones << step))
    return found & empty


@inline
def has_four(board: Bitboard, stones: int) -> bool:
    """Return whether there are four in a row."""
    pairs = stones & (stones >> 1)
    found = pairs & (pairs >> 2)
    for step in range(board.step - 1, board.step + 2):
        pairs = stones & (stones >> step)
        found |= pairs & (pairs >> (2 * step))
    return found != 0


@inline
def lowest_bit(bits: int) -> int:
    """Return the lowest set bit."""
    return bits & -bits


# The table ----------------------------------------------------------------------------------------------------------


@inline
def key_of(board: Bitboard, own: int, taken: int, left: int) -> int:
    """Return the position as one integer with its bits mixed, different for each position.

    In each column the highest set bit is the lowest empty cell; below it the player's own stones are ones.
    """
    key = own | ((taken + board.floor) & ~taken)
    if board.mirror and left >= FAR_FROM:
        key = min(key, flipped(board, key))
    bits = board.step * board.columns
    return stir(stir(key, bits), bits)


@inline
def flipped(board: Bitboard, bits: int) -> int:
    """Return the mirror image."""
    image, column = 0, (1 << board.step) - 1
    for _ in range(board.columns):
        image = (image << board.step) | (bits & column)
        bits >>= board.step
    return image


@inline
def recall(tables: BitboardTables, key: int, left: int, goal: int) -> int:
    """Return the table's answer to a question."""
    table = tables.near if left < FAR_FROM else tables.far
    at, rest = place_of(table, key)
    note = note_at(table, at, rest)
    if note == 0:
        note = note_at(table, at + unsigned(1), rest)
        if note == 0:
            return OPEN
    if ((note >> LOWEST_AT) & BOUND) - MOST >= goal:
        return YES
    return NO if MOST - ((note >> HIGHEST_AT) & BOUND) < goal else OPEN


@inline
def remember(tables: BitboardTables, key: int, left: int, goal: int, verdict: int, work: int) -> None:
    """Write an answer into the table; keep what is known about the same position."""
    table = tables.near if left < FAR_FROM else tables.far
    at, rest = place_of(table, key)
    first, latest = int(table.words[at]), at + unsigned(1)
    known, effort = note_at(table, at, rest), effort_of(work)
    is_first = known != 0
    if is_first:
        effort = max(effort, known & WORK)
    else:
        known = note_at(table, latest, rest)
    lowest, highest = (known >> LOWEST_AT) & BOUND, (known >> HIGHEST_AT) & BOUND
    if verdict == YES:
        lowest = goal + MOST
    else:
        highest = MOST - (goal - 1)
    if is_first or effort >= first & WORK:
        if not is_first:
            table.words[latest] = first
        latest = at
    write(table, latest, rest, (lowest << LOWEST_AT) | (highest << HIGHEST_AT) | effort)


@inline
def effort_of(work: int) -> int:
    """Return a number of nodes in 4 bits: its number of digits to the base 4."""
    effort = 0
    while work > 0 and effort < 15:
        work, effort = work >> 2, effort + 1
    return effort
