"""When a game is given up: by its own player's searches, several moves running."""

from __future__ import annotations

from luozi.search import SearchResult
from luozi.util.win_rates import FEWEST

HOPELESS_MOVES = 3  # in a row, before a game is given up


def is_hopeless(thought: SearchResult, least: float) -> bool:
    """Whether the move that was chosen promises its player less than this, by enough visits to believe it.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> lost = game.after(game.after(game.after(game.new_state(), 4), 1), 0)  # X threatens 8, and then two at once
    >>> thought = luozi.Engine(game, seed=1).think(lost, iterations=2000)
    >>> is_hopeless(thought, 0.4), is_hopeless(thought, 0.001)
    (True, False)
    """
    best = thought.best
    return best.visits >= FEWEST and best.means[thought.player] < least
