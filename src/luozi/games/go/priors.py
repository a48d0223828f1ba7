"""Go priors without a search: the approximate area, and the prior value of each move.

The prior value is a number of wins and visits for each feature, as in the heuristic prior of Gelly and Silver 2007.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from luozi.compiled import Array, apart, inline, signed
from luozi.games.go.cells import BLACK, EMPTY, NEAR_EMPTY, WHITE
from luozi.games.go.ladders import gets_away, is_caught
from luozi.games.go.patterns import CODES
from luozi.games.go.playouts import MOST_KILLERS, STONES, neighbourhood, stones_thrown_away
from luozi.games.go.tactics import (
    catches,
    has_three,
    how_many,
    last_liberty,
    leaves_in_atari,
    liberties_after,
    liberties_of,
    one_of,
    stones_after,
    stones_taken,
)
from luozi.rules.state import State

if TYPE_CHECKING:
    from luozi.games.go.rules import Go

EVEN = 10.0  # visits of an even start
EYE, PASS, PASS_TO_WIN = 0.02, 0.1, 0.95


@apart
def guess_moves(game: Any, state: State, actions: Array, count: int, values: Array) -> None:
    """`GoKnowledge.priors`, compiled as a separate function."""
    for index in range(count):
        values[index] = game.guess(state, signed(actions[index]))


@inline
def guess_of(game: Any, state: State, point: int) -> float:
    """Return the prior value of a move on a point, from 0 to 1."""
    colour = signed(state.to_move) + 1
    if state.near[point] & game.not_own[colour] == 0 and game.is_true_eye(state, point, colour):
        return EYE
    wins, visits, code = EVEN / 2, EVEN, neighbourhood(game, state, point)
    if code & 0x5555 == code >> 1 & 0x5555:  # no stone nearby
        return guess_in_the_open(game, state, point)
    taken, breath = stones_taken(game.around, state, point, colour), 3
    if taken > 0:
        bonus = game.worth_capture * (1.0 if taken == 1 else 2.0)
        wins += bonus
        visits += bonus
    if state.near[point] < 3 * NEAR_EMPTY:
        breath = how_many(liberties_after(game.around, state, point, colour, 3))
    if breath < 2 and taken == 0:
        visits += game.worth_self_atari * (1.0 if stones_after(game.around, state, point, colour) < 3 else 2.0)
    else:
        saved, attacked, caught = contact(game, state, point, colour)
        if breath < 2:
            saved = 0
        bonus = game.worth_save * saved + game.worth_atari * attacked + game.worth_catch * caught
        if game.patterns[(colour - 1) * CODES + code] > 0:
            bonus += game.worth_pattern
        wins += bonus
        visits += bonus
    bonus = nearness(game, state, point)
    return float((wins + bonus) / (visits + bonus))


@inline
def guess_in_the_open(game: Go, state: State, point: int) -> float:
    """Return the prior value of a move with no stone nearby: by its line and its distance to the last move."""
    bonus, line = nearness(game, state, point), signed(game.line[point])
    wins, visits = EVEN / 2 + bonus, EVEN + bonus
    if line < 2:
        visits += game.worth_edge
    elif line == 2:
        wins += game.worth_edge
        visits += game.worth_edge
    return float(wins / visits)


@apart
def keep_candidates(game: Any, state: State, actions: Array, count: int) -> int:
    """Move the candidate moves to the front: moves near groups, and in the open those above the second line. Own eyes
    and stones sacrificed without a kill are left out.

    The pass always stays. It is the only candidate if no other is left.
    """
    kept = 0
    for index in range(count):
        action = signed(actions[index])
        if action == game.points or is_candidate(game, state, action, signed(state.to_move) + 1):
            actions[kept] = action
            kept += 1
    return kept


@inline
def is_candidate(game: Go, state: State, point: int, colour: int) -> bool:
    """Return whether a move is near a group, or in the open above the second line."""
    if state.near[point] & game.not_own[colour] == 0 and game.is_true_eye(state, point, colour):
        return False
    lost = stones_thrown_away(game.around, state, point, colour)
    if lost > game.few and not (lost <= MOST_KILLERS and leaves_in_atari(game.around, state, point, colour)):
        return False
    if game.line[point] >= game.open_line:
        return True
    for side in range(4):  # a stone within two steps along a line, or diagonally adjacent
        neighbour = signed(game.around[4 * point + side])
        if neighbour < game.points and state.near[neighbour] & STONES != 0:
            return True
    return state.near[point] & STONES != 0


@apart
def estimated_area(game: Any, state: State) -> float:
    """Return Black's area minus White's: a stone counts for its owner unless it can be captured now, an empty point
    by the stones around it, adjacent ones twice.
    """
    area, mover = -float(game.head_start), signed(state.to_move) + 1
    for point in range(game.points):
        stone, lean = signed(state.board[point]), 0
        if stone == EMPTY:
            for side in range(4):
                lean += 2 * colour_sign(state, signed(game.around[4 * point + side]))
                lean += colour_sign(state, signed(game.diagonal[4 * point + side]))
        else:
            lost = stone != mover and last_liberty(game.around, state, signed(state.chain[point])) >= 0
            lean = (3 - 2 * stone) * (-1 if lost else 1)
        area += (lean > 0) - (lean < 0)
    return area


@inline
def colour_sign(state: State, point: int) -> int:
    """Return 1 for a black stone, -1 for a white one, 0 for none."""
    return signed(state.board[point] == BLACK) - signed(state.board[point] == WHITE)


@inline
def contact(game: Go, state: State, point: int, colour: int) -> tuple[int, int, int]:
    """Return what a move does to chains in contact: it may save an own chain, give atari, catch a chain, or escape."""
    saved, attacked, caught = 0, 0, 0
    for side in range(4):
        neighbour = signed(game.around[4 * point + side])
        name = signed(state.chain[neighbour])
        if has_three(state, name):
            continue
        found, stone = liberties_of(game.around, state, name, 3), signed(state.board[neighbour])
        if how_many(found) == 1:
            saved |= stone == colour and (not game.read or gets_away(game, state, neighbour, 0))
        elif how_many(found) == 2:
            other = one_of(found, 0) + one_of(found, 1) - point
            attacked |= stone != colour
            if game.read and stone != colour:
                caught |= is_caught(game, state, neighbour, point, other)
            else:
                caught |= catches(game.around, state, point, other, stone)
    return saved, attacked, caught


@inline
def nearness(game: Go, state: State, point: int) -> float:
    """Return a bonus for a move that touches the same chains as the last move, or is close to it."""
    last = signed(state.last)
    if last < 0 or last >= game.points:
        return 0.0
    down, right = abs(point // game.size - last // game.size), abs(point % game.size - last % game.size)
    if down + right <= 2 or (state.near[point] & STONES != 0 and touches_same(game, state, point, last)):
        return float(game.worth_near)
    return float(game.worth_near) * 0.4 if down + right <= 3 else 0.0


@inline
def touches_same(game: Go, state: State, point: int, last: int) -> bool:
    """Return whether a point touches the chain of the last move, or a chain that the last move touched."""
    for side in range(4):
        name = signed(state.chain[game.around[4 * point + side]])
        if name == game.points:
            continue
        if name == state.chain[last]:
            return True
        for other in range(4):
            if name == state.chain[game.around[4 * last + other]]:
                return True
    return False


@inline
def guess_pass(game: Any, state: State) -> float:
    """Return the prior value of a pass: low, except for one that ends a won game."""
    if state.passes == 0:
        return PASS
    ahead = game.score(state) > 0.0
    return PASS_TO_WIN if ahead == (state.to_move == 0) else PASS
