"""The search. Start with `kernel.py` (the loop), then `tree.py` (what is kept), then `engine.py` (how to call it)."""

from luozi.search.engine import Engine
from luozi.search.options import Options
from luozi.search.thought import Candidate, Thought

__all__ = ["Candidate", "Engine", "Options", "Thought"]
