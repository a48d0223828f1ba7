"""The full search of a server, compiled while plain UCT answers: the first answers must not be late."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from luozi.compiled.cache import NotKeptError, kept_only
from luozi.players import PLAYERS, join_player
from luozi.players.engine import is_plain
from luozi.players.preparing import Preparation, Stage, kind_of, small_engine
from luozi.rules import Game
from luozi.search import Engine, Options

WARM_SECONDS = 0.05


def is_ready(game: Game, options: Options) -> bool:
    """Whether a search can begin, or nearly: it is plain, or compiled already."""
    if is_plain(options):
        return True
    try:
        with kept_only():
            small_engine(game, options).compile()
    except NotKeptError:
        return False
    return True


def compile_beside(game: Game, options: Options) -> Preparation:
    """Begin to compile the full search in a process of its own; in this one it would make answers late."""
    engine = small_engine(game, options)
    return Preparation(game.spelling, [Stage(spelled(options), kind_of(engine), engine.compile)], here=False)


def spelled(options: Options) -> str:
    """The player that has these options.

    >>> spelled(Options(c=0.7, take_wins=True))
    'mcts:c=0.7,take_wins=true'
    """
    values = {one.name: getattr(options, one.name) for one in fields(options)}
    return join_player(
        PLAYERS["mcts"], {one.name: values[one.name] for one in fields(options) if values[one.name] != one.default}
    )


def warm_up(game: Game, options: Options, state: Any) -> None:
    """Compile what a search needs and go once through all of it, so that the first answer is not late."""
    engine: Engine = small_engine(game, options)
    engine.think(state, iterations=1, seconds=WARM_SECONDS)
