"""`mcts`: Monte-Carlo tree search, with all options of `luozi.search.Options`."""

from __future__ import annotations

from collections import Counter

from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits
from luozi.messages import Message
from luozi.players.base import Player, ResignationError
from luozi.players.resignation import gives_up
from luozi.rules.game import Game, State
from luozi.rules.position import Position
from luozi.search import Engine, Options

BY_STAND_IN = Message("by plain UCT: the full search is still being compiled")
BY_SLOW = Message("by a search that is not compiled yet")


def is_plain(options: Options) -> bool:
    """Whether options search by plain UCT, which is compiled soonest.

    >>> is_plain(Options(c=0.7)), is_plain(Options(decisive_moves=True))
    (True, False)
    """
    return options.is_plain and not options.threat_search and not options.exact_solver_nodes


class EnginePlayer(Player):
    """Monte-Carlo tree search."""

    stand_in: Engine | None = None  # moves as long as the engine itself is being compiled

    def __init__(self, game: Game, options: Options) -> None:
        super().__init__(game)
        self.serves_all_seats = options.self_play_tree
        self.engine = Engine(game, options)
        self._thinking = self.engine
        self._least = options.resign_threshold
        self._hopeless: Counter[int] = Counter()  # moves without hope, in a row, of every player that it plays for

    @property
    def threads(self) -> int:
        """How many threads search."""
        return self.engine.options.threads

    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        position = self._follow(position)
        self._thinking = self.stand_in or self.engine
        self.remark = "" if self.stand_in is None else BY_STAND_IN if self._thinking.compiled else BY_SLOW
        self.thought = self._thinking.think(position, limits, cancel)
        if self._least and self._thinking is self.engine and gives_up(self._hopeless, self.thought, self._least):
            raise ResignationError("resigned")
        return self.thought.action

    def _begin_game(self) -> None:
        self._hopeless.clear()

    def _go_back(self) -> None:
        self._hopeless.clear()

    def prepare(self) -> None:
        self.engine.compile()
