"""The network that options ask for: by name, one of those that come with Luozi, or by file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from luozi.errors import LuoziError, nearest
from luozi.rules import Game

SHIPPED = Path(__file__).parent.parent / "networks"


def network_names() -> list[str]:
    """The networks that come with Luozi."""
    return sorted(file.stem for file in SHIPPED.glob("*.npz"))


def network_file(name: str) -> Path:
    """Where the weights of a network are; one sentence if there are none."""
    shipped = SHIPPED / f"{name}.npz"
    if "/" not in name and "\\" not in name and shipped.exists():
        return shipped
    file = Path(name)
    if not file.exists():
        known = network_names()
        said = f"; those that come with Luozi: {', '.join(known)}" if known else ""
        raise LuoziError(f"there is no network '{name}'{nearest(name, known)}: give a name or a file{said}")
    return file


def network_for(game: Game, name: str, fours: int) -> Any:
    """The evaluator with the weights of a network, by its name or file; one sentence if it is not for this game."""
    from luozi.evaluators.line_network import LineNetwork
    from luozi.evaluators.line_weights import load_weights

    if game.network != "lines":
        raise LuoziError(f"mcts: network is for games of lines, and {game.spelling} is none")
    return LineNetwork(game, load_weights(network_file(name), game), fours)
