"""When a game is given up: by its own player's searches, several moves running."""

from __future__ import annotations

from collections import Counter

from luozi.search import SearchResult
from luozi.util.win_rates import FEWEST

HOPELESS_MOVES = 3  # in a row, before a game is given up


def gives_up(counts: list[int] | Counter[int], thought: SearchResult, least: float) -> bool:
    """Count a player's moves without hope in a row; whether they are enough to give up.

    >>> import luozi
    >>> lost = luozi.game("tictactoe").begin().play(4).play(1).play(0)  # X threatens 8, and then two at once
    >>> thought, counts = luozi.Engine(lost.game, seed=1).think(lost, iterations=2000), [0, 0]
    >>> [gives_up(counts, thought, 0.4) for _ in range(3)], counts
    ([False, False, True], [0, 3])
    """
    counts[thought.player] = counts[thought.player] + 1 if is_hopeless(thought, least) else 0
    return counts[thought.player] >= HOPELESS_MOVES


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
