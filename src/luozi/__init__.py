"""Luozi (落子, to place a stone): Monte-Carlo tree search for board games.

A game is one plain Python class; the same class plays uncompiled and at native speed. The public names are these; they
are imported when they are first used, so that `luozi --help` need not wait for the compiler.

All other modules have their imports at the top. Loaded later are what commands need, by `luozi.cli.app`; what
draws, with matplotlib, when something is drawn; Ray, Optuna and OpenSpiel when they are needed. tests/test_imports.py
has the list.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from luozi.compiled import inline as inline
    from luozi.compiled import random_below as random_below
    from luozi.drawing.board_picture import picture as picture
    from luozi.games import game as game
    from luozi.games.openspiel import from_openspiel as from_openspiel
    from luozi.limits import Cancel as Cancel
    from luozi.limits import Limits as Limits
    from luozi.matches import match as match
    from luozi.players import player as player
    from luozi.rules.board import Board as Board
    from luozi.rules.game import Game as Game
    from luozi.rules.game import State as State
    from luozi.rules.playout import Playout as Playout
    from luozi.rules.position import Position as Position
    from luozi.rules.setup import Setup as Setup
    from luozi.search import Candidate as Candidate
    from luozi.search import Engine as Engine
    from luozi.search import EnginePool as EnginePool
    from luozi.search import Options as Options
    from luozi.search import SearchResult as SearchResult
    from luozi.solvers.solver import solve as solve

__version__ = "0.1.0"

_HOMES = {
    "Board": "luozi.rules.board",
    "Cancel": "luozi.limits",
    "Candidate": "luozi.search",
    "Engine": "luozi.search",
    "Game": "luozi.rules.game",
    "Limits": "luozi.limits",
    "LuoziError": "luozi.messages",
    "Options": "luozi.search",
    "Playout": "luozi.rules.playout",
    "Position": "luozi.rules.position",
    "Setup": "luozi.rules.setup",
    "State": "luozi.rules.game",
    "SearchResult": "luozi.search",
    "EnginePool": "luozi.search",
    "from_openspiel": "luozi.games.openspiel",
    "game": "luozi.games",
    "inline": "luozi.compiled",
    "match": "luozi.matches",
    "picture": "luozi.drawing.board_picture",
    "player": "luozi.players",
    "random_below": "luozi.compiled",
    "solve": "luozi.solvers.solver",
}
__all__ = sorted(_HOMES)


class _MovedModules:
    """Comes last of all finders: a module of before answers with where its content is."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        if name.startswith("luozi."):
            from luozi.removed import refuse_moved

            refuse_moved(name)


sys.meta_path.append(_MovedModules)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        from luozi.removed import missing_from

        raise missing_from("luozi", name)
    return getattr(import_module(_HOMES[name]), name)
