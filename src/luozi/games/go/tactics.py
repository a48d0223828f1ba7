"""Exact liberties where they are few: which chains are in atari, and what a move captures or leaves.

A state counts a liberty once for each stone that touches it. At most four stones touch one point, so a chain with a
count above 4n has more than n real liberties. Only the other chains are walked along.

A set of liberties is one number: their count in the lowest ten bits, then the points, ten bits each.
"""

from __future__ import annotations

from luozi.compiled import Array, apart, inline, signed
from luozi.games.go.cells import EMPTY, NEAR_EMPTY
from luozi.rules.state import State

BITS, LOW = 10, 1023
TOUCHES = 4  # at most this number of stones touch one point
EXACT = 2  # in chains up to this length, no two stones touch the same point


@inline
def how_many(found: int) -> int:
    """Return the number of liberties in a set."""
    return found & LOW


@inline
def one_of(found: int, place: int) -> int:
    """Return one liberty of a set, counted from 0."""
    return found >> (BITS + BITS * place) & LOW


@inline
def with_point(found: int, point: int) -> int:
    """Return the set with one more liberty if it is new, at most five."""
    count = found & LOW
    for place in range(count):
        if found >> (BITS + BITS * place) & LOW == point:
            return found
    return found + 1 + (point << (BITS + BITS * count))


@apart
def add_liberties(around: Array, state: State, name: int, without: int, found: int, limit: int) -> int:
    """Return the set with the liberties of a chain, except one point. Stop at `limit` liberties."""
    stone, touches = name, signed(state.liberties[name])
    for _ in range(signed(state.length[name])):
        if state.near[stone] >= NEAR_EMPTY:
            for side in range(4):
                neighbour = signed(around[4 * stone + side])
                if state.board[neighbour] == EMPTY and neighbour != without and found & LOW < limit:
                    found = with_point(found, neighbour)
            touches -= signed(state.near[stone]) // NEAR_EMPTY
            if found & LOW >= limit or touches == 0:
                return found
        stone = signed(state.link[stone])
    return found


@inline
def liberties_of(around: Array, state: State, name: int, limit: int) -> int:
    """Return the liberties of a chain, at most `limit`."""
    return add_liberties(around, state, signed(name), -1, 0, limit)


@inline
def may_be_in_atari(state: State, name: int) -> bool:
    """Return whether the chain's count permits a single liberty; without branches, as most chains have more."""
    touches, length = state.liberties[name], state.length[name]
    return bool((touches == 1) | ((touches <= TOUCHES) & (length > EXACT)))


@inline
def may_have_two(state: State, name: int) -> bool:
    """Return whether the chain's count permits two liberties; without branches."""
    touches, length = state.liberties[name], state.length[name]
    return bool((touches == 2) | ((touches > 2) & (touches <= 2 * TOUCHES) & (length > EXACT)))


@inline
def last_liberty(around: Array, state: State, name: int) -> int:
    """Return the only liberty of a chain in atari, or -1."""
    if not may_be_in_atari(state, name):
        return -1
    found = liberties_of(around, state, name, 2)
    return one_of(found, 0) if how_many(found) == 1 else -1


@apart
def liberties_after(around: Array, state: State, point: int, colour: int, limit: int) -> int:
    """Return the liberties that a stone on an empty point would have with its chain, at most `limit`.

    Captured stones beside the stone itself count as liberties; other captured stones do not.
    """
    found = 0
    for side in range(4):
        neighbour = signed(around[4 * point + side])
        stone = state.board[neighbour]
        if stone == EMPTY or (stone == 3 - colour and takes(around, state, point, signed(state.chain[neighbour]))):
            found = with_point(found, neighbour)
    for side in range(4):
        neighbour = signed(around[4 * point + side])
        if state.board[neighbour] == colour and found & LOW < limit:
            name = signed(state.chain[neighbour])
            found = add_liberties(around, state, name, point, found, limit)
    return found


@inline
def takes(around: Array, state: State, point: int, name: int) -> bool:
    """Return whether a stone on a point takes the last liberty of an adjacent chain."""
    left = signed(state.liberties[name])
    if left > TOUCHES:
        return False
    for side in range(4):
        left -= state.chain[around[4 * point + side]] == name
    return left == 0


@apart
def stones_after(around: Array, state: State, point: int, colour: int) -> int:
    """Return the length of the chain after a stone on an empty point."""
    stones = 1
    for side in range(4):
        neighbour = signed(around[4 * point + side])
        new = state.board[neighbour] == colour
        for earlier in range(side):
            new = new and state.chain[around[4 * point + earlier]] != state.chain[neighbour]
        if new:
            stones += signed(state.length[state.chain[neighbour]])
    return stones


@apart
def stones_taken(around: Array, state: State, point: int, colour: int) -> int:
    """Return the number of stones that a move captures."""
    stones = 0
    if state.near[point] & (7 << 3 * (2 - colour)) == 0:  # no enemy is adjacent
        return stones
    for side in range(4):
        neighbour = signed(around[4 * point + side])
        new = state.board[neighbour] == 3 - colour
        for earlier in range(side):
            new = new and state.chain[around[4 * point + earlier]] != state.chain[neighbour]
        if new and takes(around, state, point, signed(state.chain[neighbour])):
            stones += signed(state.length[state.chain[neighbour]])
    return stones


@inline
def may_be_self_atari(around: Array, state: State, point: int, colour: int) -> bool:
    """Return whether the counts permit that a stone on an empty point is in atari; without branches.

    An adjacent own chain touches the point at most once for each of its stones there. What exceeds four touches means
    two other liberties.
    """
    near = signed(state.near[point])
    safe, enough = near >= 2 * NEAR_EMPTY, TOUCHES + (near >> 3 * (colour - 1) & 7)
    for side in range(4):
        neighbour = around[4 * point + side]
        safe |= (state.board[neighbour] == colour) & (state.liberties[state.chain[neighbour]] > enough)
    return not safe


@inline
def has_three(state: State, name: int) -> bool:
    """Return whether a chain's count shows at least three liberties. For short chains the test is exact."""
    return bool(state.liberties[name] > (2 if state.length[name] <= EXACT else 2 * TOUCHES))


@apart
def catches(around: Array, state: State, point: int, escape: int, victim: int) -> bool:
    """Return whether a stone on one of a chain's two liberties catches it: extending to the other leaves at most one.

    The stone itself must not be in atari. Captures by the chain are not considered.
    """
    if state.near[escape] >= 3 * NEAR_EMPTY:  # two liberties are certainly left, as for most chains
        return False
    found, left = liberties_after(around, state, escape, victim, 3), 0
    for place in range(how_many(found)):
        left += one_of(found, place) != point
    return left <= 1 and how_many(liberties_after(around, state, point, 3 - victim, 2)) >= 2


@apart
def leaves_in_atari(around: Array, state: State, point: int, colour: int) -> bool:
    """Return whether a stone leaves an enemy chain beside its own chain with one liberty, as a killing move does."""
    for side in range(4):
        neighbour = signed(around[4 * point + side])
        if state.board[neighbour] == 3 - colour and is_left_with_one(
            around, state, signed(state.chain[neighbour]), point
        ):
            return True
        if state.board[neighbour] == colour:
            stone = neighbour
            for _ in range(signed(state.length[state.chain[neighbour]])):
                for other in range(4):
                    enemy = signed(around[4 * stone + other])
                    if state.board[enemy] == 3 - colour and is_left_with_one(
                        around, state, signed(state.chain[enemy]), point
                    ):
                        return True
                stone = signed(state.link[stone])
    return False


@inline
def is_left_with_one(around: Array, state: State, name: int, point: int) -> bool:
    """Return whether a chain has one liberty beside a point, or after the point is filled."""
    found = liberties_of(around, state, name, 3)
    if how_many(found) == 2:
        return one_of(found, 0) == point or one_of(found, 1) == point
    return how_many(found) == 1 and one_of(found, 0) != point
