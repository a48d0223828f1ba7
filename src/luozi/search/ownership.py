"""Whose each point was at the end of simulations: of all of them, and of those that began with each move."""

from __future__ import annotations

import numpy as np

from luozi.compiled import Array
from luozi.evaluators.thread import Thread
from luozi.search.thought import Candidate

Ownership = tuple[tuple[float, ...], ...]  # for each player, the share of simulations in which each point was theirs


def forget_owners(thread: Thread) -> None:
    """Before a search."""
    thread.owned[:] = 0
    thread.owned_games[:] = 0


def ownership_of(thread: Thread) -> Ownership | None:
    """Over all simulations; None if none was counted."""
    return shares(thread.owned.sum(axis=0, dtype=np.int64), int(thread.owned_games.sum()))


def give_owners(thread: Thread, candidates: list[Candidate]) -> None:
    """Tell of every candidate whose each point was after it."""
    for place, candidate in enumerate(candidates):
        owned = shares(thread.owned[candidate.action], int(thread.owned_games[candidate.action]))
        candidates[place] = candidate._replace(ownership=owned)


def shares(owned: Array, games: int) -> Ownership | None:
    """Counts as shares.

    >>> shares(np.array([[3, 0], [1, 2]]), 4)
    ((0.75, 0.0), (0.25, 0.5))
    """
    return tuple(tuple(points) for points in (owned / games).tolist()) if games else None
