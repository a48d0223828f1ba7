"""Territory pruning: moves of the root after which the board changes hands much less, or much more, than after others.

Of each move as many simulations are played. T is whose each point was, from -1 to 1; D is the variance, over the
points, of how much T differs from that before the move; Phi is a move's share of all D. A move whose Phi lies outside
[M, N], in multiples of an even share, is cut where another lies inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from luozi.compiled import Array, kernel
from luozi.evaluators.thread_state import STOP, ThreadState

ABOVE_NOISE = 2.0  # D must be so many times what chance alone makes of it


@kernel
def simulate_each(
    game: Any, evaluator: Any, thread: ThreadState, variants: Any, progress: Array, moves: Array, games: int
) -> None:
    """Play so many simulations of each move of the root, all counted by `owned`; the stop flag ends it."""
    for _ in range(games):
        for index in range(moves.shape[0]):
            if progress[STOP] != 0:
                return
            thread.state[0] = thread.root[0]
            thread.row[0] = moves[index]
            game.apply_action(thread.state[0], np.int64(moves[index]))
            evaluator.evaluate(game, thread, variants, progress)


def shares_of_change(owned: npt.NDArray[np.float64], games: int) -> tuple[npt.NDArray[np.float64], bool]:
    """Phi of each move, from [moves, 2, points] counts of as many simulations each; and whether it is more than noise.

    What the board was like before is the mean over all moves, as a random move would make it.

    >>> phi, sure = shares_of_change(np.array([[[100.0, 0.0], [0.0, 100.0]], [[0.0, 100.0], [100.0, 0.0]]]), 100)
    >>> phi.tolist(), sure
    ([0.5, 0.5], True)
    """
    territory = (owned[:, 0] - owned[:, 1]) / games
    changes = territory.mean(axis=0) - territory
    variances = changes.var(axis=1)
    noise = ((1.0 - territory**2) / games).mean() * (1.0 - 1.0 / len(owned))
    total = variances.sum()
    return variances / total if total > 0 else variances, bool(variances.mean() > ABOVE_NOISE * noise)


def kept_moves(phi: npt.NDArray[np.float64], moves: Sequence[int], low: float, high: float) -> list[int]:
    """The moves whose Phi is from `low` to `high` even shares; all if none is.

    >>> kept_moves(np.array([0.1, 0.3, 0.6]), [4, 5, 6], 0.5, 1.5)
    [5]
    >>> kept_moves(np.array([0.1, 0.3, 0.6]), [4, 5, 6], 5, 9)
    [4, 5, 6]
    """
    kept = [move for share, move in zip(phi * len(moves), moves, strict=True) if low <= share <= high]
    return kept or list(moves)
