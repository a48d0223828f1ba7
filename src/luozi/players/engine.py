"""`mcts`: Monte-Carlo tree search with the options of `luozi.search.Options`, and when it resigns."""

from __future__ import annotations

from collections import Counter

from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits
from luozi.players.base import Player, ResignationError
from luozi.rules.game import Game, State
from luozi.rules.position import Position
from luozi.search import Engine, Options, SearchResult
from luozi.search.ready_engine import REMARKS, ReadyEngine
from luozi.util.win_rates import FEWEST

HOPELESS_MOVES = 3  # searches below the threshold in a row before a player resigns


class EnginePlayer(Player):
    """Monte-Carlo tree search."""

    ready: ReadyEngine | None = None  # moves in its place while its own search is being compiled

    def __init__(self, game: Game, options: Options) -> None:
        super().__init__(game)
        self.serves_all_seats = options.self_play_tree
        self.engine = Engine(game, options)
        self._threshold = options.resign_threshold
        self._hopeless: Counter[int] = Counter()  # by player: searches below the threshold, in a row

    @property
    def threads(self) -> int:
        """The number of threads that search."""
        return self.engine.options.threads

    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        position = self._follow(position)
        engine = self.engine if self.ready is None else self.ready.best(self.ready.least)
        self.remark = "" if self.ready is None else REMARKS[self.ready.engine_stage]
        self.thought = engine.think(position, limits, cancel)
        if self._threshold and engine is self.engine and gives_up(self._hopeless, self.thought, self._threshold):
            raise ResignationError("resigned")
        return self.thought.action

    def _begin_game(self) -> None:
        self._hopeless.clear()

    def _go_back(self) -> None:
        self._hopeless.clear()

    def prepare(self) -> None:
        self.engine.compile()


def gives_up(counts: list[int] | Counter[int], result: SearchResult, threshold: float) -> bool:
    """Count a player's searches below the threshold in a row; return whether they are enough to resign.

    A search counts only if the chosen move has enough visits.

    >>> import luozi
    >>> lost = luozi.game("tictactoe").begin().play(4).play(1).play(0)  # X threatens 8, and then two at once
    >>> result, counts = luozi.Engine(lost.game, seed=1).think(lost, iterations=2000), [0, 0]
    >>> [gives_up(counts, result, 0.4) for _ in range(3)], counts
    ([False, False, True], [0, 3])
    """
    best, player = result.best, result.player
    is_hopeless = best.visits >= FEWEST and best.means[player] < threshold
    counts[player] = counts[player] + 1 if is_hopeless else 0
    return counts[player] >= HOPELESS_MOVES
