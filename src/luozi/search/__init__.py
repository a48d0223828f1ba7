"""The search. Start with `loop.py` (the loop), then `tree/` (the tree), then `engine.py` (the interface)."""

from typing import Any

from luozi.removed import missing_from
from luozi.search.engine import Engine
from luozi.search.engine_pool import EnginePool
from luozi.search.options import Options
from luozi.search.result import Candidate, SearchResult

__all__ = ["Candidate", "Engine", "EnginePool", "Options", "SearchResult"]


def __getattr__(name: str) -> Any:
    """Nothing: it names where a name is that was here."""
    raise missing_from("luozi.search", name)
