"""Public names that are gone, and what to write instead; the only place that has them."""

from __future__ import annotations

from luozi.messages import LuoziError

REMOVED = {
    "Engine.advance": "a search keeps its tree by itself, as in engine.think(position.play(move))",
    "Engine.take_back": "a search keeps its tree by itself, as in engine.think(position.back())",
    "Engine.clear": "begin a new game, as in engine.think(game.begin())",
    "Engine.stop": "pass cancel=luozi.Cancel() to think and call its set(), or use start(...).stop()",
    "Player.observe": "players follow the position that they are given, as in player.choose(position.play(move))",
    "Player.take_back": "players follow the position that they are given, as in player.choose(position.back())",
    "Player.new_game": "begin a new game, as in player.choose(game.begin())",
    "Player.stop": "pass cancel=luozi.Cancel() to choose and call its set()",
}


class RemovedError(LuoziError, AttributeError):
    """A public attribute that is gone; the message names what replaces it."""


def missing(kind: type, name: str) -> AttributeError:
    """The error for an attribute that a class does not have, or has no longer.

    >>> class Engine: ...
    >>> str(missing(Engine, "advance"))
    'Engine.advance is gone: a search keeps its tree by itself, as in engine.think(position.play(move))'
    """
    for one in kind.__mro__:
        if (instead := REMOVED.get(f"{one.__name__}.{name}")) is not None:
            return RemovedError(f"{one.__name__}.{name} is gone: {instead}")
    return AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
