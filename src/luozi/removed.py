"""Public names that are gone, and what to write instead; the only place that has them."""

from __future__ import annotations

from luozi.messages import LuoziError
from luozi.util.old_names import SEARCH

REMOVED = {
    "Engine.step": "write engine.trace(position)",
    "Engine.branches": "write engine.subtree(depth, visits)",
    "SearchResult.kept": "write result.reused_visits",
    "SearchResult.cuts": "write result.pruned",
    "SearchResult.shared": "write result.transposition_hits",
    "SearchResult.notice": "write result.warnings, which are sentences",
    "SearchResult.variation": "write result.principal_variation",
    "Engine.advance": "a search keeps its tree by itself, as in engine.think(position.play(move))",
    "Engine.take_back": "a search keeps its tree by itself, as in engine.think(position.back())",
    "Engine.clear": "begin a new game, as in engine.think(game.begin())",
    "Engine.stop": "pass cancel=luozi.Cancel() to think and call its set(), or use start(...).stop()",
    "Player.observe": "players follow the position that they are given, as in player.choose(position.play(move))",
    "Player.take_back": "players follow the position that they are given, as in player.choose(position.back())",
    "Player.new_game": "begin a new game, as in player.choose(game.begin())",
    "Player.stop": "pass cancel=luozi.Cancel() to choose and call its set()",
}
REMOVED |= {f"Options.{old}": f"write options.{new}" for old, new in SEARCH.items()}

# Names that modules had, and where they are now.
RENAMED = {
    "luozi.Thought": "luozi.SearchResult",
    "luozi.Workers": "luozi.EnginePool",
    "luozi.search.Thought": "luozi.SearchResult",
    "luozi.search.Workers": "luozi.EnginePool",
    "luozi.rules.Game": "luozi.Game",
    "luozi.rules.State": "luozi.State",
}

# Modules, with all that is below them, and where their content is now.
MOVED = {
    "luozi.boards": "luozi.rules.board",
    "luozi.contests": "luozi.matches",
    "luozi.doctor": "luozi.terminal.lists",
    "luozi.errors": "luozi.messages",
    "luozi.evaluators.estimates": "luozi.evaluators.heuristic",
    "luozi.evaluators.thread": "luozi.evaluators.thread_state",
    "luozi.games.go.guesses": "luozi.games.go.priors",
    "luozi.games.positions": "luozi.rules.setup",
    "luozi.guards": "luozi.rules.guards",
    "luozi.machine": "luozi.util.machine",
    "luozi.outside_text": "luozi.util.parsing",
    "luozi.parameters": "luozi.util.parameters",
    "luozi.pictures": "luozi.drawing.board_picture",
    "luozi.players.person": "luozi.players.simple",
    "luozi.players.random": "luozi.players.simple",
    "luozi.playout": "luozi.rules.playout",
    "luozi.protocols.course": "luozi.protocols.connect4_agent",
    "luozi.records.table": "luozi.records.play",
    "luozi.running": "luozi.rules.kernel_runner",
    "luozi.search.desk": "luozi.search.context",
    "luozi.search.thought": "luozi.search.result",
    "luozi.search.workers": "luozi.search.engine_pool",
    "luozi.servers.course": "luozi.servers.connect4_agent",
    "luozi.servers.web": "luozi.web",
    "luozi.shapes": "luozi.drawing.primitives",
    "luozi.solvers.fours": "luozi.solvers.threat_space",
    "luozi.state": "luozi.rules.state",
    "luozi.text": "luozi.util.formats",
    "luozi.tuning": "luozi.matches.tuning",
    "luozi.words": "luozi.messages",
}


class RemovedImportError(LuoziError, ImportError):
    """A name or a module that is gone from where it was imported; the message names the new one."""


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


def missing_from(module: str, name: str) -> Exception:
    """The error for a name that a module does not have, or has no longer.

    >>> raise missing_from("luozi", "Thought")
    Traceback (most recent call last):
    luozi.removed.RemovedImportError: luozi.Thought is gone: write luozi.SearchResult
    """
    if (instead := RENAMED.get(f"{module}.{name}")) is not None:
        return RemovedImportError(f"{module}.{name} is gone: write {instead}")
    return AttributeError(f"module '{module}' has no attribute '{name}'")


def refuse_moved(module: str) -> None:
    """Raise one sentence if a module is gone.

    >>> refuse_moved("luozi.boards")
    Traceback (most recent call last):
    luozi.removed.RemovedImportError: luozi.boards is gone: its content is in luozi.rules.board
    """
    if module in MOVED:
        raise RemovedImportError(f"{module} is gone: its content is in {MOVED[module]}")
