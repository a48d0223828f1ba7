"""Go: the rules (`rules`), and names and drawings of its points (`points`)."""

from luozi.games.go.rules import Go

__all__ = ["Go"]
