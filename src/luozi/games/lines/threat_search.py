"""Threat-space search on line codes: immediate wins, wins by fours, and the cells that defend against double fours.

Everything except immediate wins is for games without gravity. Wins by fours are searched differently for two players
and for more.
"""

from __future__ import annotations

from luozi.compiled import Array, apart, inline, signed, unsigned
from luozi.games.lines.codes import A_WIN, MOST_CHOICES, MOST_FOURS, MOST_ROUNDS, LineCodes, try_stone, withdraw
from luozi.games.lines.patterns import FOUR, OPEN_FOUR, WIN
from luozi.rules.state import State

# What is certain ------------------------------------------------------------------------------------------------


@inline
def fours_at(codes: LineCodes, memory: State, cell: int, player: int) -> int:
    """Return the number of cells that would complete a win after a stone here, at most two a line, or A_WIN if it
    wins itself.
    """
    return min(signed(memory.threat[unsigned(player * codes.capacity + cell)]), A_WIN)


@apart
def wins_of(codes: LineCodes, memory: State, player: int, cells: Array, most: int) -> int:
    """Write the cells where a player would win at once, at most `most`. Return how many were found.

    With gravity, only those that a stone can reach now.
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
def can_be_played(codes: LineCodes, memory: State, cell: int) -> bool:
    """Return whether a stone may be placed in an empty cell now."""
    if not codes.gravity:
        return True
    return bool(memory.landing[cell % codes.columns] == cell)


# Wins by fours, for two players without gravity -----------------------------------------------------------------


@apart
def win_by_fours(codes: LineCodes, memory: State, player: int, limit: int) -> int:
    """Return the first move of a win by continuous fours (VCF), or -1. At most `limit` stones are tried.

    After the first, a four must be in line with an earlier one: unrelated fours could be played in any order and seldom
    win together. The stones are placed temporarily.
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
def take_back(codes: LineCodes, memory: State, player: int, depth: int) -> None:
    """Remove a four and its reply."""
    withdraw(codes, memory, signed(memory.line[4 * depth + 1]), 1 - player)
    withdraw(codes, memory, signed(memory.line[4 * depth]), player)


@apart
def look_for_win(codes: LineCodes, memory: State, player: int, depth: int) -> int:
    """Return a cell that wins, or that makes two winning cells while nobody else can win; else -1, with the fours to
    try.
    """
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
        elif fours == 1 and count < MOST_CHOICES and goes_on(codes, memory.line, 4, cell, depth):
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
def goes_on(codes: LineCodes, played: Array, stride: int, cell: int, depth: int) -> bool:
    """Return whether a stone begins an attack or is in line with an earlier one; earlier stones are `stride` apart."""
    found, around = depth == 0, 2 * codes.reach * codes.directions
    for before in range(depth):
        other = signed(played[before * stride])
        for index in range(unsigned(cell * around), unsigned((cell + 1) * around)):
            found |= codes.along[index] == other
    return found


@inline
def direction_of_four(codes: LineCodes, memory: State, cell: int, player: int) -> int:
    """Return the line along which a stone would make a four."""
    for direction in range(codes.directions):
        if (signed(memory.made[unsigned(cell * codes.directions + direction)]) >> (4 * player)) & 3 != 0:
            return direction
    return 0


@inline
def completion(codes: LineCodes, memory: State, cell: int, direction: int, player: int) -> int:
    """Return the cell that completes the four which a stone has made along a line."""
    at = (cell * codes.directions + direction) * 2 * codes.reach
    for index in range(unsigned(at), unsigned(at + 2 * codes.reach)):
        other = signed(codes.along[index])
        if other < 0 or memory.board[unsigned(other)] != 0:
            continue
        if (signed(memory.made[unsigned(other * codes.directions + direction)]) >> (4 * player)) & 3 == WIN:
            return other
    return cell


@apart
def find_defences(codes: LineCodes, memory: State, attacker: int) -> int:
    """Count in `hits` how many of the attacker's cells with two ways to win each stone would spoil. Return their
    number.
    """
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


# Wins by fours among three and more players ---------------------------------------------------------------------


@apart
def win_by_many_fours(codes: LineCodes, memory: State, player: int, limit: int) -> int:
    """Return the first move of a win by stones that each leave every opponent one move, or -1. At most `limit` are
    tried.

    A stone that makes as many winning cells as there are opponents forces all of them: each fills one, in any order.
    One more cell wins. With fewer, an opponent is free, and nothing is proven.
    """
    chain, stride, depth, tried, won, is_new = memory.chain, codes.players + 2, 0, 0, -1, True
    while True:
        at = depth * stride
        if is_new:
            won = look_for_many(codes, memory, player, depth)
            if won >= 0 and is_safe_from_all(codes, memory, player, depth, won):
                break
            won = -1
        following = signed(chain[at + 2])
        if following < chain[at + 1] and tried < limit and depth < MOST_ROUNDS:
            chain[at + 2] = following + 1
            chain[at] = memory.fours[depth * MOST_CHOICES + following]
            is_new = begin_round(codes, memory, player, at)
            depth, tried = depth + 1, tried + 1
        elif depth == 0:
            break
        else:
            depth, is_new = depth - 1, False
            end_round(codes, memory, player, depth * stride)
    while depth > 0:
        depth -= 1
        end_round(codes, memory, player, depth * stride)
        won = signed(chain[0])
    return won


@apart
def look_for_many(codes: LineCodes, memory: State, player: int, depth: int) -> int:
    """Return a cell after which the opponents can't fill all winning cells, or -1, with the forcing stones in `fours`.

    If an opponent can win, only a stone in that cell counts.
    """
    at, forced = depth * (codes.players + 2), -1
    memory.chain[at + 1], memory.chain[at + 2] = 0, 0
    if memory.tally[unsigned(4 * player + FOUR)] + memory.tally[unsigned(4 * player + OPEN_FOUR)] == 0:
        return -1
    for other in range(codes.players):
        if other != player and memory.tally[unsigned(4 * other + WIN)] > 0:
            cell = only_win(codes, memory, other)
            if cell < 0 or (forced >= 0 and forced != cell):
                return -1
            forced = cell
    count = 0
    for index in range(memory.actives):
        cell = signed(memory.active[unsigned(index)])
        fours = fours_at(codes, memory, cell, player)
        if fours < codes.players - 1 or (forced >= 0 and cell != forced):
            continue
        if fours >= codes.players:
            return cell
        if count < MOST_CHOICES and goes_on(codes, memory.chain, codes.players + 2, cell, depth):
            memory.fours[depth * MOST_CHOICES + count] = cell
            count += 1
    memory.chain[at + 1] = count
    return -1


@inline
def only_win(codes: LineCodes, memory: State, player: int) -> int:
    """Return the only cell where a player can win, or -1 if there are several."""
    only = -1
    for index in range(memory.actives):
        cell = signed(memory.active[unsigned(index)])
        if fours_at(codes, memory, cell, player) == A_WIN:
            if only >= 0:
                return -1
            only = cell
    return only


@apart
def begin_round(codes: LineCodes, memory: State, player: int, at: int) -> bool:
    """Place a stone, and a stone of each opponent in a cell where it would win. Return whether there was one for
    each.
    """
    try_stone(codes, memory, signed(memory.chain[at]), player)
    found = 0
    for index in range(memory.actives):
        cell = signed(memory.active[unsigned(index)])
        if fours_at(codes, memory, cell, player) == A_WIN and found < codes.players - 1:
            memory.chain[at + 3 + found] = cell
            found += 1
    for other in range(codes.players - 1):
        if other >= found:
            memory.chain[at + 3 + other] = -1
        else:
            try_stone(codes, memory, signed(memory.chain[at + 3 + other]), (player + 1 + other) % codes.players)
    return found == codes.players - 1


@apart
def end_round(codes: LineCodes, memory: State, player: int, at: int) -> None:
    """Remove the stones of `begin_round`."""
    for other in range(codes.players - 2, -1, -1):
        cell = signed(memory.chain[at + 3 + other])
        if cell >= 0:
            withdraw(codes, memory, cell, (player + 1 + other) % codes.players)
    withdraw(codes, memory, signed(memory.chain[at]), player)


@apart
def is_safe_from_all(codes: LineCodes, memory: State, player: int, depth: int, last: int) -> bool:
    """Return whether no opponent can win in between, whoever fills which cells.

    If a player who is given all replies can't win when it is that player's turn, the player can't win with some of
    them. All stones are restored afterwards.
    """
    stride, safe = codes.players + 2, True
    for other in range(1, codes.players if depth > 0 else 1):
        rival = (player + other) % codes.players
        for above in range(depth - 1, -1, -1):
            end_round(codes, memory, player, above * stride)
        for above in range(depth + 1):
            stone = last if above == depth else signed(memory.chain[above * stride])
            try_stone(codes, memory, stone, player)
            safe = safe and memory.tally[unsigned(4 * rival + WIN)] == 0
            for reply in range(codes.players - 1 if above < depth else 0):
                try_stone(codes, memory, signed(memory.chain[above * stride + 3 + reply]), rival)
        for above in range(depth, -1, -1):
            for reply in range(codes.players - 1 if above < depth else 0):
                withdraw(codes, memory, signed(memory.chain[above * stride + 3 + reply]), rival)
            withdraw(codes, memory, last if above == depth else signed(memory.chain[above * stride]), player)
        for above in range(depth):
            begin_round(codes, memory, player, above * stride)
    return safe
