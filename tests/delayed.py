"""Searches that become ready when a test says so."""

from __future__ import annotations

import threading

import luozi
from luozi.compiled.cache import NotKeptError
from luozi.rules.game import Game
from luozi.search import Options
from luozi.search.readiness import HERE, CompileSettings, CompileStep, Readiness
from luozi.search.ready_engine import ReadyEngine

PATIENCE = 60.0  # seconds; only what hangs needs them


def only_kept() -> bool:
    """Whether nothing may be compiled in this thread now."""
    return getattr(luozi.compiled.cache._here, "kept_only", False)


class DelayedStep:
    """Something that is being compiled until the test lets it go."""

    def __init__(self, kind: str = "full") -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        self.step = CompileStep(kind, kind, self.compile)

    def compile(self) -> None:
        if self.go.is_set():
            return
        if only_kept():
            raise NotKeptError(self.step.kind)
        self.begun.set()
        self.go.wait(PATIENCE)

    def readiness(self, game: str = "tictactoe", first: CompileStep | None = None) -> Readiness:
        """What waits for this alone, or for another before."""
        return Readiness(game, [self.step], first, HERE)

    def search(self, game: Game, options: Options, _settings: CompileSettings | None = None) -> ReadyEngine:
        """A search that waits for this; until then it is uncompiled."""
        return ReadyEngine(game, options, self.readiness(game.spelling), self.step)
