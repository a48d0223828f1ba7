"""Wins by continuous threats (VCT): stones that make fours or threaten two winning cells, until no reply is left.

For two players without gravity. A threat is a four, or a stone after which the attacker has a cell that makes two
winning cells, as an open three does. Against it, only stones that spoil all such cells and fours of the defender's
own can help. So the defender's replies are few, and a win is found many moves deep (threat-space search: Allis, van den
Herik and Huntjens 1994). All replies are tried: what is found is certain.
"""

from __future__ import annotations

from luozi.compiled import apart, inline, signed, unsigned
from luozi.compiled.bits import KEY_BITS, stir
from luozi.games.lines.codes import (
    KNOWN_POSITIONS,
    THREAT_PLIES,
    LineCodes,
    row_of,
    try_stone,
    withdraw,
)
from luozi.games.lines.patterns import WIN
from luozi.games.lines.threat_search import find_defences, fours_at, win_by_fours, wins_of
from luozi.rules.state import State

OPEN, FAILS, WINS = 0, 1, 2  # what is known of a position
# Fields of a ply: how many moves are listed, which one is next, how many threes came before, whether the attacker only
# fills a cell where the defender would win
COUNT, NEXT, USED, FILLS, MOVES = 0, 1, 2, 3, 4
ATTACKS, REPLIES = 14, 28  # moves that are tried in one position
VALUES = MOVES + ATTACKS  # what the order of attacks goes by
MOST_THREES = 8
FOURS, COUNTER_FOURS = 24, 16  # stones tried for a win by fours of either side


@apart
def win_by_threats(codes: LineCodes, memory: State, player: int, limit: int) -> int:
    """Return the first move of a win by continuous threats, or -1. At most `limit` positions are looked at.

    The player is to move, and the defender cannot win at once by two cells. Sequences with few threes come first.
    """
    made = memory.tally[unsigned(4 * (1 - player) + WIN)]
    if made > 1:
        return -1
    seen, won = 0, -1
    for threes in range(1, MOST_THREES + 1):
        forget(memory)
        seen, short = attack(codes, memory, player, threes, seen, limit)
        if short < 0:
            won = signed(memory.threats[0, MOVES + memory.threats[0, NEXT] - 1])
            break
        if short == 0 or seen >= limit:
            break
    return won


@apart
def attack(codes: LineCodes, memory: State, player: int, threes: int, seen: int, limit: int) -> tuple[int, int]:
    """Look for a win with at most so many threes: positions seen so far, and -1 if there is one.

    Otherwise 1 if a longer sequence may win, or 0.
    """
    plies, ply, short, key = memory.threats, 0, 0, 1
    plies[0, USED] = 0
    known = look_as_attacker(codes, memory, player, 0, threes, key)
    seen += 1
    while True:
        if known == OPEN and plies[ply, NEXT] < plies[ply, COUNT]:
            mover = player if ply % 2 == 0 else 1 - player
            cell = signed(plies[ply, MOVES + plies[ply, NEXT]])
            plies[ply, NEXT] += 1
            try_stone(codes, memory, cell, mover)
            key ^= stir(2 * cell + 3 + (mover == player), KEY_BITS)
            ply += 1
            if ply % 2 == 1:
                known = look_as_defender(codes, memory, player, ply)
            else:
                seen += 1
                if ply + 2 >= THREAT_PLIES or seen >= limit:
                    short, known = 1, FAILS
                else:
                    known = look_as_attacker(codes, memory, player, ply, threes, key)
                    if known == FAILS and plies[ply, USED] >= threes:
                        short = 1
            continue
        attacks = ply % 2 == 0
        if known == OPEN:
            known = FAILS if attacks else WINS
            if attacks:
                remember(memory, key, threes - signed(plies[ply, USED]))
        if ply == 0:
            return seen, -1 if known == WINS else short
        ply -= 1
        mover = player if ply % 2 == 0 else 1 - player
        cell = signed(plies[ply, MOVES + plies[ply, NEXT] - 1])
        withdraw(codes, memory, cell, mover)
        key ^= stir(2 * cell + 3 + (mover == player), KEY_BITS)
        if (ply % 2 == 0) != (known == WINS):
            known = OPEN  # one threat that wins is enough for the attacker, one reply that holds for the defender


@apart
def look_as_attacker(codes: LineCodes, memory: State, player: int, ply: int, threes: int, key: int) -> int:
    """What is known of a position with the attacker to move; if nothing, list the threats."""
    plies, other = memory.threats, 1 - player
    if memory.tally[unsigned(4 * player + WIN)] > 0:
        wins_of(codes, memory, player, plies[ply, MOVES:], 1)
        plies[ply, NEXT] = 1
        return WINS
    if memory.tally[unsigned(4 * other + WIN)] > 0:
        count = wins_of(codes, memory, other, plies[ply, MOVES:], 2)
        plies[ply, COUNT], plies[ply, NEXT], plies[ply, FILLS] = 1, 0, 1
        return OPEN if count == 1 else FAILS
    plies[ply, FILLS] = 0
    first = win_by_fours(codes, memory, player, FOURS)
    if first >= 0:
        plies[ply, MOVES], plies[ply, NEXT] = first, 1
        return WINS
    if plies[ply, USED] >= threes or is_known(memory, key, threes - signed(plies[ply, USED])):
        return FAILS
    list_threats(codes, memory, player, ply)
    return OPEN if plies[ply, COUNT] > 0 else FAILS


@apart
def list_threats(codes: LineCodes, memory: State, player: int, ply: int) -> None:
    """List the stones that make a four or a three, those that make most first; after the first, near earlier ones."""
    plies, count = memory.threats, 0
    for cell in range(codes.cells):
        if memory.board[cell] != 0 or memory.near[cell] <= 0:
            continue
        value = 4 * min(fours_at(codes, memory, cell, player), 2) + threes_at(codes, memory, cell, player)
        if value <= 1 or (ply > 0 and not is_in_line(codes, memory, cell, ply)):
            continue
        value += fours_at(codes, memory, cell, 1 - player) > 0
        if count == ATTACKS and value <= plies[ply, VALUES + ATTACKS - 1]:
            continue
        at = min(count, ATTACKS - 1)
        while at > 0 and value > plies[ply, VALUES + at - 1]:
            plies[ply, MOVES + at], plies[ply, VALUES + at] = plies[ply, MOVES + at - 1], plies[ply, VALUES + at - 1]
            at -= 1
        plies[ply, MOVES + at], plies[ply, VALUES + at] = cell, value
        count = min(count + 1, ATTACKS)
    plies[ply, COUNT], plies[ply, NEXT] = count, 0


@inline
def threes_at(codes: LineCodes, memory: State, cell: int, player: int) -> int:
    """Two for each open three that a stone would make, one for each other three."""
    total, size = 0, codes.capacity * codes.directions
    for place in range(unsigned(cell * codes.directions), unsigned((cell + 1) * codes.directions)):
        if codes.joint:
            total += (signed(codes.threes_of[row_of(codes, memory, place)]) >> (4 * player)) & 3
        else:
            total += signed(codes.threes_of[row_of(codes, memory, unsigned(player * size) + place)]) & 3
    return total


@inline
def is_in_line(codes: LineCodes, memory: State, cell: int, ply: int) -> bool:
    """Whether a cell sees an earlier stone of the attack, or there is none."""
    found, free, around = False, True, 2 * codes.reach * codes.directions
    for before in range(0, ply, 2):
        if memory.threats[before, FILLS] != 0:
            continue
        free = False
        other = memory.threats[before, MOVES + memory.threats[before, NEXT] - 1]
        for index in range(unsigned(cell * around), unsigned((cell + 1) * around)):
            found |= codes.along[index] == other
    return found or free


@apart
def look_as_defender(codes: LineCodes, memory: State, player: int, ply: int) -> int:
    """What is known of a position with the defender to move; if nothing, list the replies that may help."""
    plies, other = memory.threats, 1 - player
    plies[ply, NEXT] = 0
    plies[ply + 1, USED] = plies[ply - 1, USED]
    if memory.tally[unsigned(4 * other + WIN)] > 0:
        return FAILS
    if memory.tally[unsigned(4 * player + WIN)] > 0:
        count = wins_of(codes, memory, player, plies[ply, MOVES:], 2)
        plies[ply, COUNT] = 1
        return OPEN if count == 1 else WINS
    plies[ply + 1, USED] += 1
    threats = find_defences(codes, memory, player)
    if threats == 0 or win_by_fours(codes, memory, other, COUNTER_FOURS) >= 0:
        return FAILS
    count = 0
    for cell in range(codes.cells):
        if memory.board[cell] != 0:
            continue
        if memory.hits[cell] == threats or fours_at(codes, memory, cell, other) > 0:
            if count == REPLIES:
                return FAILS
            plies[ply, MOVES + count] = cell
            count += 1
    plies[ply, COUNT] = count
    return OPEN if count > 0 else WINS


# Positions where the attack fails -------------------------------------------------------------------------------------


@inline
def forget(memory: State) -> None:
    """Empty the table."""
    for place in range(KNOWN_POSITIONS):
        memory.known[place] = 0


@inline
def remember(memory: State, key: int, left: int) -> None:
    """The attack fails with so many threes left: the place has the key and, in its low bits, that number."""
    memory.known[unsigned(key % KNOWN_POSITIONS)] = (key >> 14 << 4) | (left + 1)


@inline
def is_known(memory: State, key: int, left: int) -> bool:
    """Whether it is known to fail with so many threes left."""
    word = memory.known[unsigned(key % KNOWN_POSITIONS)]
    return word >> 4 == key >> 14 and (word & 15) > left
