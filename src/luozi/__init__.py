"""Luozi (落子, to place a stone): Monte-Carlo tree search for board games.

A game is one plain Python class; the same class plays uncompiled and at native speed. The public names are these.
"""

from luozi.compiled import inline, random_below
from luozi.errors import LuoziError
from luozi.game import Game, State
from luozi.games import game
from luozi.games.openspiel import from_openspiel
from luozi.search import Candidate, Engine, Options, Thought

__version__ = "0.1.0"
__all__ = [
    "Candidate",
    "Engine",
    "Game",
    "LuoziError",
    "Options",
    "State",
    "Thought",
    "from_openspiel",
    "game",
    "inline",
    "random_below",
]
