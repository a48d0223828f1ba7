"""Ladders, read on the board itself: stones are placed one after the other, and removed in the opposite order.

The undo information is written into the unused part of the state's history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from luozi.compiled import apart, inline, signed
from luozi.games.go.cells import EMPTY, MANY, NOWHERE
from luozi.games.go.tactics import (
    BITS,
    LOW,
    how_many,
    last_liberty,
    liberties_after,
    liberties_of,
    one_of,
    stones_taken,
)
from luozi.rules.state import State

if TYPE_CHECKING:
    from luozi.games.go.rules import Go

LONGEST = 80  # stones to place before a ladder counts as broken


@apart
def lay(game: Go, state: State, point: int, colour: int, slot: int) -> None:
    """Place a stone as `Go.place` does, without captures. The chains that it joins are recorded."""
    chain, liberties, joined, count = state.chain, state.liberties, 0, 0
    game.set_down(state, point, colour)
    for side in range(4):
        neighbour = game.around[4 * point + side]
        one, other = signed(chain[point]), signed(chain[neighbour])
        if state.board[neighbour] == colour and one != other:
            if state.length[one] < state.length[other]:
                one, other = other, one
            game.join(state, one, other)
            joined = joined << BITS | other
            count += 1
    state.near[game.points] = 0
    liberties[game.points] = MANY
    state.history[slot] = (joined << BITS | point) << 5 | count << 2 | colour


@apart
def lift(game: Go, state: State, slot: int) -> None:
    """Remove the stone that was placed last. The board is as it was before."""
    noted, chain, link, liberties = signed(state.history[slot]), state.chain, state.link, state.liberties
    state.history[slot] = 0
    colour, point, joined = noted & 3, noted >> 5 & LOW, noted >> (5 + BITS)
    for _ in range(noted >> 2 & 7):
        other = joined & LOW
        joined >>= BITS
        one = signed(chain[other])
        link[one], link[other] = link[other], link[one]
        state.length[one] -= state.length[other]
        liberties[one] -= liberties[other]
        stone = other
        for _ in range(signed(state.length[other])):
            chain[stone] = other
            stone = signed(link[stone])
    chain[point], link[point] = game.points, 0
    for side in range(4):
        neighbour = game.around[4 * point + side]
        state.near[neighbour] -= game.step[colour]
        liberties[chain[neighbour]] += 1
    state.near[game.points] = 0
    liberties[game.points] = MANY
    empty_again(game, state, point, colour)


@inline
def empty_again(game: Go, state: State, point: int, colour: int) -> None:
    """Undo `Go.fill`: the point returns to its place in the list of empty points."""
    place = signed(state.place_of[point])
    last = state.empties[place]
    state.empties[state.empty], state.place_of[last] = last, state.empty
    state.empties[place] = point
    state.empty += 1
    state.board[point] = EMPTY
    state.stones[colour] -= 1
    state.hash ^= game.zobrist[3 * point + colour]


@apart
def has_prey(game: Go, state: State, name: int, ko: int) -> bool:
    """Return whether a chain touches an enemy chain in atari that can be captured, and is not protected by ko."""
    stone, enemy = name, 3 - signed(state.board[name])
    for _ in range(signed(state.length[name])):
        for side in range(4):
            neighbour = signed(game.around[4 * stone + side])
            if state.board[neighbour] == enemy:
                target = last_liberty(game.around, state, signed(state.chain[neighbour]))
                if target >= 0 and target != ko:
                    return True
        stone = signed(state.link[stone])
    return False


@apart
def gets_away(game: Go, state: State, stone: int, laid: int) -> bool:
    """Return whether a chain with one liberty escapes if its owner moves, also out of a ladder.

    `laid` stones are on the board already. Of two continuations, the attacker chooses the one that leaves fewer
    liberties.
    """
    colour, before, away = signed(state.board[stone]), laid, False
    first, ko = signed(state.moves) + 1, signed(state.ko) if laid == 0 else NOWHERE
    room = min(LONGEST, signed(game.max_length) - first)
    while True:
        name = signed(state.chain[stone])
        escape = one_of(liberties_of(game.around, state, name, 2), 0)
        if laid + 2 > room or stones_taken(game.around, state, escape, colour) > 0 or has_prey(game, state, name, ko):
            away = True
            break
        found = liberties_after(game.around, state, escape, colour, 3)
        if how_many(found) != 2:
            away = how_many(found) > 2
            break
        one, other = one_of(found, 0), one_of(found, 1)
        lay(game, state, escape, colour, first + laid)
        laid += 1
        left, left_other = left_to(game, state, one, other, colour), left_to(game, state, other, one, colour)
        if min(left, left_other) > 2:
            away = True
            break
        lay(game, state, one if left <= left_other else other, 3 - colour, first + laid)
        laid, ko = laid + 1, NOWHERE  # a ko may be retaken after one move elsewhere
    while laid > before:
        laid -= 1
        lift(game, state, first + laid)
    return away


@apart
def left_to(game: Go, state: State, point: int, escape: int, colour: int) -> int:
    """Return the liberties of a chain with two liberties after the enemy takes one and it extends to the other; 9 if
    impossible.

    It is impossible if the attacker stands in atari or the chain captures on the way.
    """
    if how_many(liberties_after(game.around, state, point, 3 - colour, 2)) < 2:
        return 9
    if stones_taken(game.around, state, escape, colour) > 0:
        return 9
    found, left = liberties_after(game.around, state, escape, colour, 4), 0
    for place in range(how_many(found)):
        left += one_of(found, place) != point
    return left


@apart
def is_caught(game: Go, state: State, stone: int, point: int, escape: int) -> bool:
    """Return whether an enemy stone on one of two liberties catches a chain, at once or by a ladder."""
    colour, first = signed(state.board[stone]), signed(state.moves) + 1
    if left_to(game, state, point, escape, colour) > 2 or first >= game.max_length:
        return False
    lay(game, state, point, 3 - colour, first)
    caught = not gets_away(game, state, stone, 1)
    lift(game, state, first)
    return caught
