"""`mcts`: Monte-Carlo tree search, when it resigns, and who moves while its search is being compiled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits
from luozi.players.base import Player, ResignationError
from luozi.rules.game import Game, State
from luozi.rules.position import Position
from luozi.search import Engine, Options, SearchResult
from luozi.search.readiness import CompileSettings, CompileStep, Readiness
from luozi.search.ready_engine import REMARKS, ReadyEngine, by_network, is_plain, kind_of, plain_step
from luozi.util.parsing import OptionValue
from luozi.util.win_rates import FEWEST

HOPELESS_MOVES = 3  # searches below the threshold in a row before a player resigns


class EnginePlayer(Player):
    """Monte-Carlo tree search."""

    ready: ReadyEngine | None = None  # moves in its place while its own search is being compiled

    def __init__(self, game: Game, **values: OptionValue | None) -> None:
        super().__init__(game)
        options = Options.of(**values)
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


class ReadyPlayers:
    """The players of a game while their searches are compiled in the background.

    Until a search is compiled, a `ReadyEngine` moves in place of its player where that is allowed; other players are
    waited for. A game that can be repeated waits for players with limits in iterations: the same seed must give the
    same game.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        *,
        stand_ins: bool = True,
        repeatable: bool = True,
        settings: CompileSettings | None = None,
    ) -> None:
        self._steps = steps_of(players)
        stood_in = [
            one
            for one in dict.fromkeys(players)
            if stand_ins and isinstance(one, EnginePlayer) and may_be_stood_in(one, repeatable)
        ]
        plain = None if all(by_network(game, one.engine.options) for one in stood_in) else plain_step(game)
        self.readiness = Readiness(game.spelling, list(self._steps.values()), plain, settings)
        self.stood_in = {one: self._ready_engine(one, plain) for one in stood_in}
        for one, ready in self.stood_in.items():
            one.ready = ready

    def _ready_engine(self, player: EnginePlayer, plain: CompileStep | None) -> ReadyEngine:
        game, engine, full = player.game, player.engine, self._steps[kind_of_player(player)]
        first = None if by_network(game, engine.options) else plain
        return ReadyEngine(game, engine.options, self.readiness, full, first, own=engine)

    def wait_for(self, player: Player) -> None:
        """Wait until the search of a player without a replacement is compiled."""
        step = self._steps.get(kind_of_player(player))
        if step is not None and player not in self.stood_in:
            self.readiness.wait(lambda: self.readiness.is_over or self.readiness.is_ready(step))


def steps_of(players: Sequence[Player]) -> dict[str, CompileStep]:
    """Return what the players need to have compiled, once for those that are compiled alike."""
    groups: dict[str, list[Player]] = {}
    for one in dict.fromkeys(players):
        if type(one).prepare is not Player.prepare:
            groups.setdefault(kind_of_player(one), []).append(one)
    return {kind: CompileStep(group[0].spelling, kind, partial(prepare_all, group)) for kind, group in groups.items()}


def prepare_all(players: Sequence[Player]) -> None:
    """Compile for all players."""
    for one in players:
        one.prepare()


def kind_of_player(player: Player) -> str:
    """Return a key that is equal for players that are compiled alike for their game."""
    return kind_of(player.engine) if isinstance(player, EnginePlayer) else type(player).__name__


def may_be_stood_in(player: EnginePlayer, repeatable: bool = True) -> bool:
    """Return whether a simpler search may replace the player: not a plain one, and in repeatable games only one by
    the clock.
    """
    options = player.engine.options
    return not is_plain(options) and (not repeatable or bool(options.seconds or not options.limits))
