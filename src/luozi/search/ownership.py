"""Whose each point was at the end of simulations: of all of them, and of those that began with each move."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from luozi.compiled import Array
from luozi.evaluators.thread_state import ThreadState
from luozi.search.result import Candidate

Ownership = tuple[tuple[float, ...], ...]  # for each player, the share of simulations in which each point was theirs


def forget_owners(crew: Sequence[ThreadState]) -> None:
    """Before a search."""
    for thread in crew:
        thread.owned[:] = 0
        thread.owned_games[:] = 0


def ownership_of(crew: Sequence[ThreadState]) -> Ownership | None:
    """Over all simulations; None if none was counted."""
    owned = sum(thread.owned.sum(axis=0, dtype=np.int64) for thread in crew)
    return shares(owned, sum(int(thread.owned_games.sum()) for thread in crew))


def give_owners(crew: Sequence[ThreadState], candidates: list[Candidate]) -> None:
    """Tell of every candidate whose each point was after it."""
    for place, candidate in enumerate(candidates):
        owned = sum(thread.owned[candidate.action].astype(np.int64) for thread in crew)
        games = sum(int(thread.owned_games[candidate.action]) for thread in crew)
        candidates[place] = candidate._replace(ownership=shares(owned, games))


def shares(owned: Array, games: int) -> Ownership | None:
    """Counts as shares.

    >>> shares(np.array([[3, 0], [1, 2]]), 4)
    ((0.75, 0.0), (0.25, 0.5))
    """
    return tuple(tuple(points) for points in (owned / games).tolist()) if games else None
