"""The full search of a server, compiled while a stand-in answers: the first answers must not be late."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

from luozi.compiled.cache import NotKeptError, kept_only
from luozi.players import PLAYERS, join_player
from luozi.players.engine import is_plain
from luozi.players.preparing import Preparation, Stage, by_network, kind_of, small_engine, stand_in_engine
from luozi.rules.game import Game
from luozi.search import Options

WARM_SECONDS = 0.05
CHANGE_SECONDS = 0.5  # who has more for a move can change to the full search before it, which takes a fraction of that
PLAIN, NETWORK = "plain UCT", "the network, uncompiled,"  # who stands in
Wanted = Options | Callable[[Game], Options]  # for all boards, or as a board is


def options_on(game: Game, wanted: Wanted) -> Options:
    """The options that hold on a board."""
    return wanted if isinstance(wanted, Options) else wanted(game)


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

    >>> spelled(Options(c=0.7, decisive_moves=True))
    'mcts:c=0.7,decisive_moves=true'
    """
    values = {one.name: getattr(options, one.name) for one in fields(options)}
    return join_player(
        PLAYERS["mcts"], {one.name: values[one.name] for one in fields(options) if values[one.name] != one.default}
    )


def warm_up(game: Game, options: Options) -> None:
    """Compile what a search needs and go once through all of it, so that the first answer is not late."""
    small_engine(game, options).think(game.new_state(), iterations=1, seconds=WARM_SECONDS)


def warm_up_stand_in(game: Game, options: Options) -> None:
    """The same for who answers until the full search is compiled."""
    enough = small_engine(game, options).options
    stand_in_engine(game, enough).think(game.new_state(), iterations=1, seconds=WARM_SECONDS)


def stand_in_name(game: Game, options: Options) -> str:
    """Who answers until the full search is compiled, as the subject of a sentence."""
    return NETWORK if by_network(game, options) else PLAIN
