"""Luozi (落子, to place a stone): Monte-Carlo tree search for board games.

A game is one plain Python class; the same class plays uncompiled and at native speed. The public names are these; they
are imported when they are first used, so that `luozi --help` need not wait for the compiler.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from luozi.compiled import inline as inline
    from luozi.compiled import random_below as random_below
    from luozi.errors import LuoziError as LuoziError
    from luozi.game import Game as Game
    from luozi.game import State as State
    from luozi.games import game as game
    from luozi.games.openspiel import from_openspiel as from_openspiel
    from luozi.match import match as match
    from luozi.players import player as player
    from luozi.search import Candidate as Candidate
    from luozi.search import Engine as Engine
    from luozi.search import Options as Options
    from luozi.search import Thought as Thought
    from luozi.search.solver import solve as solve

__version__ = "0.1.0"

_HOMES = {
    "Candidate": "luozi.search",
    "Engine": "luozi.search",
    "Game": "luozi.game",
    "LuoziError": "luozi.errors",
    "Options": "luozi.search",
    "State": "luozi.game",
    "Thought": "luozi.search",
    "from_openspiel": "luozi.games.openspiel",
    "inline": "luozi.compiled",
    "player": "luozi.players",
    "random_below": "luozi.compiled",
    "solve": "luozi.search.solver",
}
__all__ = sorted([*_HOMES, "game", "match"])


class _Package(ModuleType):
    """`luozi.game` and `luozi.match` are functions, although importing the modules would put these there."""

    @property
    def game(self) -> Any:
        return import_module("luozi.games").game

    @game.setter
    def game(self, value: Any) -> None: ...

    @property
    def match(self) -> Any:
        return import_module("luozi.match").match

    @match.setter
    def match(self, value: Any) -> None: ...


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'luozi' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)
