"""Benson's algorithm: groups that live unconditionally, and their territory (Benson 1976, "Life in the game of Go").

A group lives unconditionally if it cannot be captured even if its owner always passes. Each of its chains has two zones
whose empty points are all liberties of the chain. The enemy can make no eye in such a zone, since every empty point
there touches stones that are never removed. Enemy stones in it are dead. If suicide is legal, the points of own stones
can become empty too, and count as empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from luozi.games.go.cells import BLACK, EMPTY, WHITE

if TYPE_CHECKING:
    from luozi.games.go.rules import Go


class Zone(NamedTuple):
    """Connected points without a stone of one colour, and the chains of this colour around them."""

    points: frozenset[int]
    chains: frozenset[int]  # indices of the chains
    vital_to: frozenset[int]  # chains to which every empty point of the zone is a liberty


def neighbours(game: Go, point: int) -> list[int]:
    """Return the points adjacent to one."""
    return [int(near) for near in game.around[4 * point : 4 * point + 4] if near < game.points]


def parts_of(game: Go, points: set[int]) -> list[frozenset[int]]:
    """Return the connected components of points.

    >>> from luozi.games.go.rules import Go
    >>> [sorted(part) for part in parts_of(Go(3), {0, 1, 8})]
    [[0, 1], [8]]
    """
    parts, left = [], set(points)
    for start in sorted(points):
        if start not in left:
            continue
        part, waiting = {start}, [start]
        while waiting:
            new = (left & set(neighbours(game, waiting.pop()))) - part
            part |= new
            waiting += new
        left -= part
        parts.append(frozenset(part))
    return parts


def zones_of(game: Go, board: Sequence[int], chains: Sequence[frozenset[int]], colour: int) -> list[Zone]:
    """Return the zones between the chains of a colour."""
    liberties = [{near for stone in chain for near in neighbours(game, stone)} for chain in chains]
    zones = []
    for part in parts_of(game, {point for point in range(game.points) if board[point] != colour}):
        beside = frozenset(number for number, near in enumerate(liberties) if near & part)
        empty = {point for point in part if board[point] == EMPTY or game.suicide}
        zones.append(Zone(part, beside, frozenset(number for number in beside if empty <= liberties[number])))
    return zones


def settled_points(game: Go, board: Sequence[int]) -> list[int]:
    """Return the certain owner of each point, by stones that live unconditionally and their zones; 0 if it is not
    certain.

    >>> from luozi.games.go.rules import Go
    >>> game = Go(4, black="A2.A4.B1.B2.B3.B4", white="D4")
    >>> settled_points(game, game.new_state().board.tolist())
    [1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0]
    """
    owners = [EMPTY] * game.points
    for colour in (BLACK, WHITE):
        chains = parts_of(game, {point for point in range(game.points) if board[point] == colour})
        zones, alive = zones_of(game, board, chains, colour), set(range(len(chains)))
        while True:
            zones = [zone for zone in zones if zone.chains <= alive]
            kept = {number for number in alive if sum(number in zone.vital_to for zone in zones) >= 2}
            if kept == alive:
                break
            alive = kept
        own = [zone.points for zone in zones if zone.vital_to]
        for point in (point for part in (*(chains[number] for number in alive), *own) for point in part):
            owners[point] = colour
    return owners
