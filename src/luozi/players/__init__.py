"""All players by name. `player("mcts:iterations=1000", game)` is the one way to get one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from luozi.errors import LuoziError, nearest
from luozi.game import Game
from luozi.parameters import About, Parameter, convert_values, join_spelling, parameters_of, split_spelling
from luozi.players.engine import EnginePlayer
from luozi.players.player import Player
from luozi.players.random import RandomPlayer
from luozi.search import Options

__all__ = ["PLAYERS", "Player", "PlayerKind", "player"]

Seed = Annotated[int | None, About("the same seed gives the same moves; not given, one is drawn", 0, 2**63 - 1)]


def random(seed: Seed = None) -> Callable[[Game], Player]:
    """Any legal move."""
    return lambda game: RandomPlayer(game, seed)


def mcts(**values: Any) -> Callable[[Game], Player]:
    """Monte-Carlo tree search."""
    options = Options.of(**values)
    return lambda game: EnginePlayer(game, options)


@dataclass(frozen=True)
class PlayerKind:
    """A kind of player: what `name:parameter=value` may say."""

    name: str
    meaning: str
    make: Callable[..., Callable[[Game], Player]]
    parameters: dict[str, Parameter]


def _kind(make: Callable[..., Any], parameters_from: Callable[..., Any] | None = None) -> PlayerKind:
    meaning = (make.__doc__ or "").strip().splitlines()[0]
    return PlayerKind(make.__name__, meaning, make, parameters_of(parameters_from or make))


PLAYERS: dict[str, PlayerKind] = {kind.name: kind for kind in (_kind(mcts, Options), _kind(random))}


def player(spelling: str, game: Game, **defaults: Any) -> Player:
    """The player that is written so, at a game. `defaults` hold for parameters that are not written.

    >>> import luozi
    >>> player("random:seed=1", luozi.game("tictactoe")).spelling
    'random:seed=1'
    """
    name, written = split_spelling(spelling)
    if name not in PLAYERS:
        raise LuoziError(f"there is no player '{name}'{nearest(name, PLAYERS)}")
    kind = PLAYERS[name]
    known = {key: value for key, value in defaults.items() if key in kind.parameters and key not in written}
    values = convert_values({**known, **written}, kind.parameters, name)
    made = kind.make(**values)(game)
    made.spelling = join_spelling(name, values)
    return made
