"""What is certain by the codes of lines: wins at once, wins by fours, and the cells that can stop two fours.

Wins by fours and what stops two of them are for two players; all but wins at once is for games without gravity.
"""

from __future__ import annotations

from typing import Any

from luozi.compiled import apart, inline, signed, unsigned
from luozi.games.lines.codes import A_WIN, MOST_CHOICES, MOST_FOURS, try_stone, withdraw
from luozi.games.lines.patterns import FOUR, OPEN_FOUR, WIN

# What is certain ------------------------------------------------------------------------------------------------


@inline
def fours_at(codes: Any, memory: Any, cell: int, player: int) -> int:
    """How many cells would complete a win after a stone here, two at most for each line; A_WIN if it wins itself."""
    return min(signed(memory.threat[unsigned(player * codes.capacity + cell)]), A_WIN)


@apart
def wins_of(codes: Any, memory: Any, player: int, cells: Any, most: int) -> int:
    """Find the cells where a player would win at once, so many at most; how many were found.

    With gravity only those that a stone can fall into now.
    """
    if memory.tally[unsigned(4 * player + WIN)] == 0:
        return 0
    count = 0
    for index in range(memory.actives):
        cell = signed(memory.active[unsigned(index)])
        wins = fours_at(codes, memory, cell, player) == A_WIN
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


@apart
def sure_win(codes: Any, memory: Any, player: int) -> int:
    """A cell after which there are more ways to win than all others together can fill, before one of them wins; or -1.

    That holds if nobody else has a winning cell now: all that one move of each can do is to fill one.
    """
    for other in range(codes.players):
        if other != player and memory.tally[unsigned(4 * other + WIN)] > 0:
            return -1
    if memory.tally[unsigned(4 * player + FOUR)] + memory.tally[unsigned(4 * player + OPEN_FOUR)] < 2:
        return -1
    for index in range(memory.actives):
        cell = signed(memory.active[unsigned(index)])
        if fours_at(codes, memory, cell, player) >= codes.players:
            return cell
    return -1


# Wins by fours, for two players without gravity -----------------------------------------------------------------


@apart
def win_by_fours(codes: Any, memory: Any, player: int, limit: int) -> int:
    """The first move of a win by uninterrupted fours, so many of them tried at most; -1 if none was found.

    After the first, a four must be in line with one before it: fours that have nothing to do with each other could be
    played in any order, and seldom win together. The stones that are tried are put here and taken back.
    """
    line, depth, tried, won, is_new = memory.line, 0, 0, -1, True
    while True:
        if is_new:
            won = look_for_win(codes, memory, player, depth)
            if won >= 0:
                won = won if depth == 0 else signed(line[0])
                break
        following = signed(line[4 * depth + 3])
        if following < line[4 * depth + 2] and tried < limit and depth < MOST_FOURS:
            line[4 * depth + 3] = following + 1
            cell = signed(memory.fours[depth * MOST_CHOICES + following])
            direction = direction_of_four(codes, memory, cell, player)
            try_stone(codes, memory, cell, player)
            reply = completion(codes, memory, cell, direction, player)
            try_stone(codes, memory, reply, 1 - player)
            line[4 * depth], line[4 * depth + 1] = cell, reply
            depth, tried, is_new = depth + 1, tried + 1, True
        elif depth == 0:
            break
        else:
            depth, is_new = depth - 1, False
            take_back(codes, memory, player, depth)
    while depth > 0:
        depth -= 1
        take_back(codes, memory, player, depth)
    return won


@inline
def take_back(codes: Any, memory: Any, player: int, depth: int) -> None:
    """Take back a four and its reply."""
    withdraw(codes, memory, signed(memory.line[4 * depth + 1]), 1 - player)
    withdraw(codes, memory, signed(memory.line[4 * depth]), player)


@apart
def look_for_win(codes: Any, memory: Any, player: int, depth: int) -> int:
    """A cell that wins, or makes two winning cells while nobody else can win; else -1, and the fours to try."""
    forced, twice, count, others = -1, -1, 0, 0
    memory.line[4 * depth + 2], memory.line[4 * depth + 3] = 0, 0
    threatened = memory.tally[unsigned(4 * (1 - player) + WIN)] > 0
    made = memory.tally[unsigned(4 * player + FOUR)] + memory.tally[unsigned(4 * player + OPEN_FOUR)]
    if made + memory.tally[unsigned(4 * player + WIN)] == 0:
        return -1
    for index in range(memory.actives):
        cell = signed(memory.active[unsigned(index)])
        fours = fours_at(codes, memory, cell, player)
        if fours == A_WIN:
            return cell
        if threatened and fours_at(codes, memory, cell, 1 - player) == A_WIN:
            forced, others = cell, others + 1
        if fours > 1:
            twice = cell
        elif fours == 1 and count < MOST_CHOICES and goes_on(codes, memory, cell, depth):
            memory.fours[depth * MOST_CHOICES + count] = cell
            count += 1
    if not threatened:
        memory.line[4 * depth + 2] = count
        return twice
    if others > 1:
        return -1
    fours = fours_at(codes, memory, forced, player)
    if fours == 1:
        memory.line[4 * depth + 2], memory.fours[depth * MOST_CHOICES] = 1, forced
    return forced if fours > 1 else -1


@inline
def goes_on(codes: Any, memory: Any, cell: int, depth: int) -> bool:
    """Whether a four is the first of an attack, or in line with one that was played."""
    found, around = depth == 0, 2 * codes.reach * codes.directions
    for before in range(depth):
        other = signed(memory.line[4 * before])
        for index in range(unsigned(cell * around), unsigned((cell + 1) * around)):
            found |= codes.along[index] == other
    return found


@inline
def direction_of_four(codes: Any, memory: Any, cell: int, player: int) -> int:
    """Along which line a stone would make a four."""
    for direction in range(codes.directions):
        if (signed(memory.made[unsigned(cell * codes.directions + direction)]) >> (4 * player)) & 3 != 0:
            return direction
    return 0


@inline
def completion(codes: Any, memory: Any, cell: int, direction: int, player: int) -> int:
    """The cell that completes the four which a stone has made along a line."""
    at = (cell * codes.directions + direction) * 2 * codes.reach
    for index in range(unsigned(at), unsigned(at + 2 * codes.reach)):
        other = signed(codes.along[index])
        if other < 0 or memory.board[unsigned(other)] != 0:
            continue
        if (signed(memory.made[unsigned(other * codes.directions + direction)]) >> (4 * player)) & 3 == WIN:
            return other
    return cell


@apart
def find_defences(codes: Any, memory: Any, attacker: int) -> int:
    """Count in `hits` how many of the attacker's cells with two ways to win a stone would spoil; how many there are."""
    hits, threats = memory.hits, 0
    if memory.tally[unsigned(4 * attacker + OPEN_FOUR)] == 0 and memory.tally[unsigned(4 * attacker + FOUR)] < 2:
        return 0
    for index in range(memory.actives):
        cell = signed(memory.active[unsigned(index)])
        if fours_at(codes, memory, cell, attacker) < 2:
            continue
        if threats == 0:
            for other in range(codes.cells):
                hits[unsigned(other)] = 0
        threats += 1
        hits[unsigned(cell)] += 1
        for direction in range(codes.directions):
            place = cell * codes.directions + direction
            if (signed(memory.made[unsigned(place)]) >> (4 * attacker)) & 3 != 0:
                for at in range(unsigned(place * 2 * codes.reach), unsigned((place + 1) * 2 * codes.reach)):
                    if codes.along[at] >= 0:
                        hits[unsigned(codes.along[at])] += 1
    return threats
