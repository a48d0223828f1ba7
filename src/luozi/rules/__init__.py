"""The rules of games: the base class `Game` for custom classes, states, positions, boards, and checks of classes."""

from typing import Any

from luozi.removed import missing_from


def __getattr__(name: str) -> Any:
    """Raise an error that names the new place of a name that was here."""
    raise missing_from("luozi.rules", name)
