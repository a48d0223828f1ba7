"""What a game is: the base class `Game` that users derive from, states, positions, boards, and checks of classes."""

from typing import Any

from luozi.removed import missing_from


def __getattr__(name: str) -> Any:
    """Nothing: it names where a name is that was here."""
    raise missing_from("luozi.rules", name)
