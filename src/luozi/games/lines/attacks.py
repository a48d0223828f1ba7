"""What is certain by the codes of lines: wins at once, wins by fours, and the cells that can stop two fours.

Everything but wins at once is for two players without gravity.
"""

from __future__ import annotations

from typing import Any

from luozi.compiled import apart, inline, unsigned
from luozi.games.lines.codes import MOST_FOURS, put, take
from luozi.games.lines.patterns import FOUR, OPEN_FOUR, WIN

A_WIN = 100  # of `fours_at`

# What is certain ------------------------------------------------------------------------------------------------


@apart
def fours_at(codes: Any, memory: Any, cell: int, player: int) -> int:
    """How many cells would complete a win after a stone here, two at most for each line; A_WIN if it wins itcodes."""
    total = 0
    if memory.busy[unsigned(cell)] == 0:
        return 0
    for place in range(cell * codes.directions, (cell + 1) * codes.directions):
        made = (int(memory.made[unsigned(place)]) >> (4 * player)) & 3
        if made == WIN:
            return A_WIN
        total += made
    return total


@apart
def wins_of(codes: Any, memory: Any, player: int, cells: Any, most: int) -> int:
    """Find the cells where a player would win at once, so many at most; how many were found.

    With gravity only those that a stone can fall into now.
    """
    if memory.tally[unsigned(4 * player + WIN)] == 0:
        return 0
    count = 0
    for cell in range(codes.cells):
        wins = memory.busy[unsigned(cell)] != 0 and fours_at(codes, memory, cell, player) == A_WIN
        if wins and count < most and can_be_played(codes, memory, cell):
            cells[count] = cell
            count += 1
    return count


@inline
def can_be_played(codes: Any, memory: Any, cell: int) -> bool:
    """Whether a stone may be put into an empty cell now."""
    if not codes.gravity:
        return True
    return bool(memory.landing[cell % codes.columns] == cell)


# Wins by fours, for two players without gravity -----------------------------------------------------------------


@apart
def win_by_fours(codes: Any, memory: Any, player: int, limit: int) -> int:
    """The first move of a win by uninterrupted fours, so many of them tried at most; -1 if none was found.

    The stones that are tried are put here and taken back.
    """
    line, depth, tried, won, is_new = memory.line, 0, 0, -1, True
    while won < 0:
        if is_new:
            won = look_for_win(codes, memory, player, depth)
            if won >= 0:
                won = won if depth == 0 else int(line[0])
                break
        is_new = tried < limit and depth < MOST_FOURS
        cell = next_four(codes, memory, player, depth) if is_new else -1
        if cell >= 0:
            direction = direction_of_four(codes, memory, cell, player)
            put(codes, memory, cell, player)
            reply = completion(codes, memory, cell, direction, player)
            put(codes, memory, reply, 1 - player)
            line[3 * depth], line[3 * depth + 1] = cell, reply
            depth, tried = depth + 1, tried + 1
        elif depth == 0:
            break
        else:
            depth, is_new = depth - 1, False
            take_back(codes, memory, player, depth)
    while depth > 0:
        depth -= 1
        take_back(codes, memory, player, depth)
    return won


@apart
def take_back(codes: Any, memory: Any, player: int, depth: int) -> None:
    """Take back a four and its reply."""
    take(codes, memory, int(memory.line[3 * depth + 1]), 1 - player)
    take(codes, memory, int(memory.line[3 * depth]), player)


@apart
def look_for_win(codes: Any, memory: Any, player: int, depth: int) -> int:
    """A cell that wins, or makes two winning cells while nobody else can win; else -1, and where fours may be."""
    forced, line = -1, memory.line
    if memory.tally[unsigned(4 * player + WIN)] > 0:
        return cell_with(codes, memory, player, A_WIN, -1)
    line[3 * depth + 2] = codes.cells  # nothing to look at
    if memory.tally[unsigned(4 * (1 - player) + WIN)] > 0:
        forced = cell_with(codes, memory, 1 - player, A_WIN, -1)
        if cell_with(codes, memory, 1 - player, A_WIN, forced) >= 0:
            return -1
    if memory.tally[unsigned(4 * player + FOUR)] + memory.tally[unsigned(4 * player + OPEN_FOUR)] == 0:
        return -1
    if forced >= 0:
        fours = fours_at(codes, memory, forced, player)
        if fours == 1:
            line[3 * depth + 2] = -forced - 1
        return forced if fours > 1 else -1
    line[3 * depth + 2] = 0
    return cell_with(codes, memory, player, 2, -1)


@apart
def cell_with(codes: Any, memory: Any, player: int, fours: int, but: int) -> int:
    """A cell where a stone of a player completes a win in so many ways or more, but not this one; -1 if none is."""
    for cell in range(codes.cells):
        if memory.busy[unsigned(cell)] != 0 and cell != but and fours_at(codes, memory, cell, player) >= fours:
            return cell
    return -1


@inline
def next_four(codes: Any, memory: Any, player: int, depth: int) -> int:
    """The next cell of a position where a four can be made; -1 if there is no more."""
    cell = int(memory.line[3 * depth + 2])
    if cell < 0:  # only this one
        memory.line[3 * depth + 2] = codes.cells
        return -cell - 1
    while cell < codes.cells:
        if memory.busy[unsigned(cell)] != 0 and fours_at(codes, memory, cell, player) > 0:
            memory.line[3 * depth + 2] = cell + 1
            return cell
        cell += 1
    memory.line[3 * depth + 2] = cell
    return -1


@inline
def direction_of_four(codes: Any, memory: Any, cell: int, player: int) -> int:
    """Along which line a stone would make a four."""
    for direction in range(codes.directions):
        if (int(memory.made[unsigned(cell * codes.directions + direction)]) >> (4 * player)) & 3 != 0:
            return direction
    return 0


@inline
def completion(codes: Any, memory: Any, cell: int, direction: int, player: int) -> int:
    """The cell that completes the four which a stone has made along a line."""
    at = (cell * codes.directions + direction) * 2 * codes.reach
    for index in range(unsigned(at), unsigned(at + 2 * codes.reach)):
        other = int(codes.along[index])
        if other < 0 or memory.board[unsigned(other)] != 0:
            continue
        if (int(memory.made[unsigned(other * codes.directions + direction)]) >> (4 * player)) & 3 == WIN:
            return other
    return cell


@apart
def find_defences(codes: Any, memory: Any, attacker: int) -> int:
    """Count in `hits` how many of the attacker's cells with two ways to win a stone would spoil; how many there are."""
    hits, threats = memory.hits, 0
    if memory.tally[unsigned(4 * attacker + OPEN_FOUR)] == 0 and memory.tally[unsigned(4 * attacker + FOUR)] < 2:
        return 0
    for cell in range(codes.cells):
        if memory.busy[unsigned(cell)] == 0 or fours_at(codes, memory, cell, attacker) < 2:
            continue
        if threats == 0:
            for other in range(codes.cells):
                hits[unsigned(other)] = 0
        threats += 1
        hits[unsigned(cell)] += 1
        for direction in range(codes.directions):
            place = cell * codes.directions + direction
            if (int(memory.made[unsigned(place)]) >> (4 * attacker)) & 3 != 0:
                for index in range(unsigned(place * 2 * codes.reach), unsigned((place + 1) * 2 * codes.reach)):
                    if codes.along[index] >= 0:
                        hits[unsigned(codes.along[index])] += 1
    return threats
