"""`ReadyPlayers`: the players of a game while what they need is compiled in the background."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from luozi.players.base import Player
from luozi.players.engine import EnginePlayer
from luozi.rules.game import Game
from luozi.search.readiness import CompileSettings, CompileStep, Readiness
from luozi.search.ready_engine import ReadyEngine, by_network, is_plain, kind_of, plain_step


class ReadyPlayers:
    """Gets players ready; until then those that may are stood in for, as `ReadyEngine` says, and others waited for.

    In a game that can be repeated, a player whose limits are in iterations is waited for: the same seed must give the
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
        """Wait until a player that nobody stands in for is ready."""
        step = self._steps.get(kind_of_player(player))
        if step is not None and player not in self.stood_in:
            self.readiness.wait(lambda: self.readiness.is_over or self.readiness.is_ready(step))


def steps_of(players: Sequence[Player]) -> dict[str, CompileStep]:
    """What players need to have compiled, by its kind: of those that are compiled alike, once."""
    groups: dict[str, list[Player]] = {}
    for one in dict.fromkeys(players):
        if type(one).prepare is not Player.prepare:
            groups.setdefault(kind_of_player(one), []).append(one)
    return {kind: CompileStep(group[0].spelling, kind, partial(prepare_all, group)) for kind, group in groups.items()}


def prepare_all(players: Sequence[Player]) -> None:
    """Compile for all of them."""
    for one in players:
        one.prepare()


def kind_of_player(player: Player) -> str:
    """What decides how a player is compiled for its game."""
    return kind_of(player.engine) if isinstance(player, EnginePlayer) else type(player).__name__


def may_be_stood_in(player: EnginePlayer, repeatable: bool = True) -> bool:
    """Whether another may play for it: it searches in another way, and where games repeat, by the clock alone."""
    options = player.engine.options
    return not is_plain(options) and (not repeatable or bool(options.seconds or not options.limits))
