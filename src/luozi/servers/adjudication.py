"""What a finished game of Go is worth, asked of a search: both sides go on in turn, and most often the dead die."""

from __future__ import annotations

from luozi.games.go.scoring import Shares, open_end
from luozi.rules.state import State
from luozi.search import Engine

ITERATIONS = 1000  # for each side that moves first


def searched_shares(engine: Engine, state: State, iterations: int = ITERATIONS, seconds: float = 60.0) -> Shares:
    """In which share of simulations each point was Black's and White's; `engine` has the option `ownership`.

    >>> import luozi
    >>> game = luozi.game("go:size=2,black=A1.B2")
    >>> engine = luozi.Engine(game, ownership=True, seed=1, compiled=False)
    >>> min(searched_shares(engine, game.new_state(), 20)[0]) > 0.5
    True
    """
    sums = [[0.0] * engine.game.points for _ in range(2)]
    for player in (0, 1):
        thought = engine.think(open_end(state, player), iterations=iterations, seconds=seconds / 2)
        for total, shares in zip(sums, thought.ownership or (), strict=False):
            total[:] = [one + share / 2 for one, share in zip(total, shares, strict=True)]
    return sums
