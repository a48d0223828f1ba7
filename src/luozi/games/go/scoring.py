"""Count a finished game of Go: dead stones, the owner of each point, and what remains uncertain.

Playouts decide whether stones live: the share of playouts in which each point belonged to Black and White at the end
(`simulated_shares`, or `ownership` of a search). Groups and zones that are certainly alive (`zones`) need no playouts.
`count` applies the rules: area, with or without dead stones removed, or territory and prisoners.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from luozi.compiled import Array
from luozi.games.go.cells import BLACK, EMPTY, WHITE
from luozi.games.go.ladders import gets_away
from luozi.games.go.rules import Go
from luozi.games.go.setup import forget_moves, give_turn
from luozi.games.go.tactics import how_many, last_liberty, liberties_after
from luozi.games.go.zones import neighbours, settled_points
from luozi.rules.state import State

LIVES = 0.6  # a chain with this share for its owner or the enemy is decided
LEANING = 0.03  # a chain with this share for the enemy counts as dead, decided or not
CERTAIN = 0.8  # and with this share it is certain
ESTIMATED = 0.8  # share at which an empty point that reaches both colours has an owner

Shares = Sequence[Sequence[float]]  # shares of playouts in which each point was Black's and White's


class Count(NamedTuple):
    """The end of a game."""

    owners: tuple[int, ...]  # owner of each point without the dead stones: 0 nobody, 1 Black, 2 White
    dead: tuple[int, ...]  # stones that are more likely dead than alive
    undecided: tuple[int, ...]  # stones of either kind about which playouts disagree
    score: float  # Black's points minus White's and komi, by the rules of the game
    worst: float  # the score if all uncertain stones turn out badly for the leader

    @property
    def is_sure(self) -> bool:
        """Return whether the winner is the same whatever happens to the uncertain stones and what they surround."""
        return self.score * self.worst > 0


def count(game: Go, state: State, shares: Shares) -> Count:
    """Return the count of a position as if both players had passed.

    >>> game = Go(3, komi=0, black="B1.B2.B3", white="C1")
    >>> everything_black = [[1.0] * 9, [0.0] * 9]
    >>> count(game, game.new_state(), everything_black)[1:]
    ((8,), (), 9.0, 9.0)
    """
    chains = chains_of(game, state)
    shares = with_settled(shares, settled_points(game, state.board.tolist()))
    lives = {chain: mean(shares[state.board[chain[0]] - 1], chain) for chain in chains}
    dies = {chain: mean(shares[WHITE - state.board[chain[0]]], chain) for chain in chains}
    unsure = {chain for chain in chains if max(lives[chain], dies[chain]) < LIVES}
    caught = {chain for chain in unsure if is_caught_now(game, state, chain[0])}
    dying = [chain for chain in chains if dies[chain] > lives[chain] + LEANING or chain in caught]
    dead = sorted(point for chain in dying for point in chain) if game.ruleset.removes_dead else []
    undecided = sorted(point for chain in unsure - caught for point in chain)
    owners = owners_without(game, state, frozenset(dead), shares if game.ruleset.removes_dead else None)
    score = worst = score_of(game, state, owners, undecided)
    if game.ruleset.removes_dead:
        doubtful = [chain for chain in chains if max(lives[chain], dies[chain]) < CERTAIN and chain not in caught]
        gone = dead_at_worst(state, dead, doubtful, BLACK if score > 0 else WHITE)
        worst = score_of(game, state, owners_without(game, state, gone, shares), ())
    return Count(tuple(owners), tuple(dead), tuple(undecided), score, worst)


def dead_at_worst(
    state: State, dead: Sequence[int], doubtful: Sequence[tuple[int, ...]], winner: int
) -> frozenset[int]:
    """Return the dead stones if all uncertain stones of the winner die and those of the other side live."""
    falling = {point for chain in doubtful if state.board[chain[0]] == winner for point in chain}
    rising = {point for chain in doubtful if state.board[chain[0]] != winner for point in chain}
    return frozenset((set(dead) | falling) - rising)


def with_settled(shares: Shares, owners: Sequence[int]) -> Shares:
    """Return the shares with certain owners where these are known.

    >>> with_settled([[0.5, 0.5], [0.5, 0.5]], [0, 2])
    [[0.5, 0.0], [0.5, 1.0]]
    """
    return [
        [share if owner == EMPTY else float(owner == colour) for share, owner in zip(row, owners, strict=True)]
        for colour, row in zip((BLACK, WHITE), shares, strict=True)
    ]


def mean(shares: Sequence[float], points: Sequence[int]) -> float:
    """Return the mean share of some points."""
    return sum(shares[point] for point in points) / len(points)


def is_caught_now(game: Go, state: State, stone: int) -> bool:
    """Return whether a chain can be captured at once for good, and could not escape with its owner to move.

    >>> game = Go(5, black="A1", white="B1.B2.A3")
    >>> is_caught_now(game, game.new_state(), 20), is_caught_now(game, game.new_state(), 21)
    (True, False)
    """
    target, colour = last_liberty(game.around, state, int(state.chain[stone])), int(state.board[stone])
    if target < 0 or not game.is_legal(open_end(state, WHITE - colour), target):
        return False
    if how_many(liberties_after(game.around, state, target, BLACK + WHITE - colour, 2)) < 2:  # it could be recaptured
        return False
    return not gets_away(game, open_end(state, colour - 1), stone, 0)


def chains_of(game: Go, state: State) -> list[tuple[int, ...]]:
    """Return the stones of each chain."""
    found: dict[int, list[int]] = {}
    for point in range(game.points):
        if state.board[point] != EMPTY:
            found.setdefault(int(state.chain[point]), []).append(point)
    return [tuple(chain) for chain in found.values()]


def owners_without(game: Go, state: State, dead: frozenset[int], shares: Shares | None) -> list[int]:
    """Return the owners: living stones, regions that reach one colour, and other regions by the playouts."""
    owners = [EMPTY if point in dead else int(state.board[point]) for point in range(game.points)]
    board, seen = list(owners), set[int]()
    for start in range(game.points):
        if board[start] != EMPTY or start in seen:
            continue
        region, borders = region_of(game, board, start)
        seen |= region
        for point in region:
            owners[point] = min(borders) if len(borders) == 1 else owner_by_shares(shares, point)
    return owners


def region_of(game: Go, board: Sequence[int], start: int) -> tuple[set[int], set[int]]:
    """Return the empty points connected to one, and the colours that they reach."""
    region, borders, waiting = {start}, set[int](), [start]
    while waiting:
        for neighbour in neighbours(game, waiting.pop()):
            if board[neighbour] != EMPTY:
                borders.add(board[neighbour])
            elif neighbour not in region:
                region.add(neighbour)
                waiting.append(neighbour)
    return region, borders


def owner_by_shares(shares: Shares | None, point: int) -> int:
    """Return the owner of an empty point that reaches both colours or none: nobody, unless playouts agree."""
    if shares is None:
        return EMPTY
    return next((colour for colour in (BLACK, WHITE) if shares[colour - 1][point] >= ESTIMATED), EMPTY)


def score_of(game: Go, state: State, owners: Sequence[int], undecided: Sequence[int]) -> float:
    """Return the score by the rules of the game."""
    if game.ruleset.territory:
        return territory_score(game, state, owners, undecided)
    return owners.count(BLACK) - owners.count(WHITE) - game.head_start


def territory_score(game: Go, state: State, owners: Sequence[int], undecided: Sequence[int]) -> float:
    """Return the territory score: empty points and prisoners. As in seki, stones that may be dead have no territory
    beside them.
    """
    unsure = {*undecided, *(near for point in undecided for near in neighbours(game, point))}
    score = float(state.captured[WHITE]) - float(state.captured[BLACK]) - game.komi
    for point, owner in enumerate(owners):
        stone = state.board[point]
        if owner != EMPTY and stone != owner and point not in unsure:
            value = 1 + (stone != EMPTY)  # a dead stone is also a prisoner
            score += value if owner == BLACK else -value
    return score


# Simulations, uncompiled: enough to count by as long as no search is ready -------------------------------------------


def open_end(state: State, player: int) -> Any:
    """Return the position as if nobody had passed, to continue play."""
    again = state.copy()
    forget_moves(again, 0)
    again.passes = 0
    give_turn(again, player)
    return again


def simulated_shares(game: Go, state: State, games: int, rng: Array) -> list[list[float]]:
    """Return the shares of points at the end of random games, in which both players move first alternately."""
    sums = [[0] * game.points for _ in range(2)]
    for number in range(games):
        end, owners = open_end(state, number % 2), np.full(game.points, EMPTY)
        while not game.is_terminal(end):
            game.apply_action(end, game.random_action(end, rng))
        game.point_owners(end, owners)
        for point, owner in enumerate(owners):
            if owner != EMPTY:
                sums[owner - 1][point] += 1
    return [[total / games for total in one] for one in sums]
