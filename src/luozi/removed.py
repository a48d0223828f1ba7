"""Public names that are gone, and what to write instead; the only place that knows them."""

from __future__ import annotations

GONE = {
    "Engine.advance": "a search keeps its tree by itself: engine.think(position.play(move))",
    "Engine.take_back": "a search keeps its tree by itself: engine.think(position.back())",
    "Engine.clear": "begin a new game: engine.think(game.begin())",
    "Player.observe": "players follow the position that they are given: player.choose(position.play(move))",
    "Player.take_back": "players follow the position that they are given: player.choose(position.back())",
    "Player.new_game": "begin a new game: player.choose(game.begin())",
}


def gone(kind: str, name: str) -> AttributeError:
    """The error for a name that a class does not have, or no longer has.

    >>> gone("Engine", "advance")
    AttributeError('Engine.advance is gone; a search keeps its tree by itself: engine.think(position.play(move))')
    """
    instead = GONE.get(f"{kind}.{name}")
    return AttributeError(
        f"'{kind}' has no attribute '{name}'" if instead is None else f"{kind}.{name} is gone; {instead}"
    )
