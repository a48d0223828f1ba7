"""When a pass is played: only where it is better than every other move, and not by chance alone."""

from __future__ import annotations

import math

from luozi.rules.game import Game
from luozi.rules.state import State
from luozi.search.result import Candidate


def ends_by_pass(game: Game, state: State) -> bool:
    """Return whether a pass is legal here and ends the game.

    >>> import luozi
    >>> game = luozi.game("go:size=5")
    >>> state = game.after(game.new_state(), game.pass_action)
    >>> ends_by_pass(game, game.new_state()), ends_by_pass(game, state)
    (False, True)
    """
    if game.pass_action < 0 or game.pass_action not in game.legal_list(state):
        return False
    return bool(game.is_terminal(game.after(state, game.pass_action)))


def is_better(passed: Candidate, other: Candidate, player: int, ends: bool) -> bool:
    """Return whether a pass is better than the best other move by more than one standard error.

    `ends` tells that the pass ends the game, so that its value is exact. Ties are not better.

    >>> stone, wins = Candidate(0, 10, (0.7, 0.3)), Candidate(81, 200, (0.9, 0.1))
    >>> is_better(wins, stone, 0, False), is_better(wins._replace(visits=10, means=(0.7, 0.3)), stone, 0, False)
    (True, False)
    """
    mean = passed.means[player]
    if passed.proven or ends:
        return mean > value_and_noise(other, player)[0] or (mean >= 1 and not other.proven)
    if other.proven and other.means[player] <= 0:
        return True
    if not other.visits:  # a search that leaves moves out has come back to the pass
        return passed.visits > 1
    value, noise = value_and_noise(passed, player)
    rival, more = value_and_noise(other, player)
    return value - rival > math.sqrt(noise + more)


def value_and_noise(candidate: Candidate, player: int) -> tuple[float, float]:
    """Return a mean, drawn towards one half where visits are few, and the variance of that mean.

    >>> [round(number, 3) for number in value_and_noise(Candidate(0, 2, (1.0, 0.0)), 0)]
    [0.75, 0.094]
    """
    if candidate.proven:
        return candidate.means[player], 0.0
    value = (candidate.visits * candidate.means[player] + 1.0) / (candidate.visits + 2.0)
    return value, value * (1.0 - value) / max(candidate.visits, 1)
