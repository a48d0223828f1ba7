"""What was learned of a game, as options ask for it: by name, if it comes with Luozi, or by file."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from luozi.evaluators.board_inputs import board_input, family_name
from luozi.evaluators.board_network import BoardNetwork
from luozi.evaluators.board_weights import KIND as BOARD
from luozi.evaluators.board_weights import load_board_weights
from luozi.evaluators.go_weights import FAMILY, learned_go
from luozi.evaluators.line_network import LineNetwork
from luozi.evaluators.line_weights import family_of, load_weights
from luozi.evaluators.thread_state import RECENT
from luozi.evaluators.weight_files import named, read_head
from luozi.messages import LuoziError, nearest
from luozi.rules.board import board_of
from luozi.rules.game import Game

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
        raise LuoziError(
            "there is no file and no network '{name}'{nearest}", name=name, nearest=nearest(name, network_names())
        )
    return file


@cache
def shipped_heads() -> dict[str, dict[str, Any]]:
    """What the networks that come with Luozi were learned for: a family of games, and a board of it."""
    return {name: read_head(SHIPPED / f"{name}.npz") for name in network_names()}


def shipped_network(game: Game) -> str:
    """The name of a network that comes with Luozi and can value this game, of several the one that learned on the most
    similar board; nothing if there is none.

    >>> import luozi
    >>> [shipped_network(luozi.game(spelling)) for spelling in ("gomoku:size=9", "connect4:rows=9,columns=9", "go")]
    ['gomoku', 'course', '']
    >>> shipped_network(luozi.game("gomoku:exact_length=true"))
    'exactly'
    """
    family = family_for(game)
    known = [name for name, head in shipped_heads().items() if head["family"] == family]
    cells = getattr(game, "cells", 1)
    return min(known, key=lambda name: abs(math.log(shipped_heads()[name].get("cells", 1) / cells)), default="")


def shipped_board_network(game: Game) -> str:
    """The name of a network of any board that comes with Luozi and learned this game on a board of this size; nothing
    if there is none.
    """
    name = family_name(game)
    for network, head in shipped_heads().items():
        family = head["family"]
        same = family.get("kind") == BOARD and family.get("game") == name and family.get("players") == game.players
        if same and (board := board_of(game)) is not None and head.get("cells") == board.cells:
            return network
    return ""


def family_for(game: Game) -> dict[str, Any]:
    """What weights for a game say that they are for; nothing if there can't be any."""
    if game.network == "priors":
        return FAMILY
    if game.network != "lines" or not getattr(game, "segments", 0):  # a board without room for a line
        return {}

    return family_of(game)  # type: ignore[arg-type]


def game_with_priors(game: Game, name: str) -> Game:
    """The game with what the weights of a network say of its moves, by its name or file; one sentence if it is not for
    this game.
    """
    learned: Game = learned_go(game, network_file(name))
    return learned


def network_for(game: Game, name: str, fours: int) -> Any:
    """The evaluator with the weights of a network, by its name or file; one sentence if it is not for this game."""
    file, kind = network_file(name), network_kind(game, name)
    seen = file.stat()
    kept = made_before(game.spelling, str(file), seen.st_mtime_ns, seen.st_size, fours if kind == "lines" else 0)
    if not kept and kind == "lines":  # engines share one: nothing is written to it
        kept.append(LineNetwork(game, load_weights(file, game), fours))  # type: ignore[arg-type]
    elif not kept:
        kept.append(board_network(game, file))
    return kept[0]


def board_network(game: Game, file: Path) -> BoardNetwork:
    """The network of a file for the board of a game; one sentence if it is for another game."""
    shape = board_input(game, history_in(file, family_in(file)))
    return BoardNetwork(shape, *load_board_weights(file, shape))


def history_in(file: Path, family: dict[str, Any]) -> int:
    """How many of the last moves a board network of this family sees; one sentence if it is for no board at all."""
    history = family.get("history")
    if family.get("kind") != BOARD:
        raise LuoziError(
            "{text} was learned for another game ({game}): choose weights for this one", text=file, game=named(family)
        )
    if type(history) is not int or not 0 <= history <= RECENT:
        raise LuoziError("{text} is damaged: its {name} is not as it should be", text=file, name="history")
    return history


def network_kind(game: Game, name: str) -> str:
    """What a network says of a game's positions: "board" and "lines" value them, "priors" rates moves; "": no network.

    >>> import luozi
    >>> network_kind(luozi.game("gomoku"), "gomoku"), network_kind(luozi.game("go"), "")
    ('lines', '')
    """
    if not name:
        return ""
    try:
        file = network_file(name)
        is_board = family_in(file).get("kind") == BOARD
    except LuoziError:  # whoever loads it says why
        is_board = False
    return BOARD if is_board or not game.network else game.network


def family_in(file: Path) -> dict[str, Any]:
    """Which games the weights of a file are for, as it says itself."""
    seen = file.stat()
    return dict(_family_of_file(str(file), seen.st_mtime_ns, seen.st_size))


@lru_cache(maxsize=64)
def _family_of_file(file: str, changed: int, size: int) -> dict[str, Any]:
    """The same for a file as it is."""
    family: dict[str, Any] = read_head(Path(file))["family"]
    return family


@lru_cache(maxsize=16)
def made_before(game: str, file: str, changed: int, size: int, fours: int) -> list[Any]:
    """Where the network of a game is kept, made from this file as it is."""
    return []
