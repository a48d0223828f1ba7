"""The search. Start with `loop.py` (the loop), then `tree/` (what is kept), then `engine.py` (how to call it)."""

from luozi.search.engine import Engine
from luozi.search.options import Options
from luozi.search.thought import Candidate, Thought
from luozi.search.workers import Workers

__all__ = ["Candidate", "Engine", "Options", "Thought", "Workers"]
