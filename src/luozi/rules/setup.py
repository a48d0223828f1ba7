"""A position that was set up rather than played: pieces, the player to move, and other fields that the rules read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from luozi.messages import LuoziError
from luozi.rules.board import Piece
from luozi.rules.state import State
from luozi.util.parsing import plain

if TYPE_CHECKING:
    from luozi.rules.game import Game


@dataclass(frozen=True)
class Setup:
    """A position without the moves that led to it.

    >>> import luozi
    >>> game = luozi.game("hex:size=3")
    >>> game.begin(Setup(((4, 1, ""),), to_move=0)).name(0)
    'a1'
    """

    pieces: tuple[Piece, ...] = ()  # (cell, player, kind)
    to_move: int = 0
    last: int | None = None  # the field `last` of the state: the cell of the last move
    extra: Mapping[str, int] = field(default_factory=dict)  # other fields of the state: ko, passes, a chosen piece

    def __hash__(self) -> int:
        return hash((self.pieces, self.to_move, self.last, tuple(sorted(self.extra.items()))))


def setup_state(game: Game, setup: Setup) -> State:
    """Return the state of a setup.

    Raises:
        LuoziError: there is no such position. The message names the rule that it breaks.
    """
    state = game.empty_states(1)[0]
    game.start(state)
    game.from_setup(state, setup)
    return state


def kept_fields(game: Game, state: State) -> dict[str, int]:
    """Return the fields that a setup keeps; each number of an array has an entry of its own.

    >>> import luozi
    >>> game = luozi.game("nim")
    >>> kept_fields(game, game.new_state())
    {'rank.0': 0, 'rank.1': 0, 'rank.2': 0, 'playing': 3}
    """
    found: dict[str, int] = {}
    for name in game.setup_fields:
        values = np.asarray(state[name]).reshape(-1).tolist()
        single = np.ndim(state[name]) == 0
        found |= {name if single else f"{name}.{place}": int(value) for place, value in enumerate(values)}
    return found


def give_fields(state: State, setup: Setup) -> None:
    """Write the fields of a setup and its last move into a state.

    Raises:
        LuoziError: the game has no such field.
    """
    names, given = state.dtype.names or (), dict(setup.extra)
    if setup.last is not None and "last" in names:
        given["last"] = setup.last
    for key, value in given.items():
        name, _, place = key.partition(".")
        try:
            if name not in names:
                raise KeyError(name)
            if place:
                np.asarray(state[name]).reshape(-1)[int(place)]  # the cell exists
                state[name][int(place)] = value
            else:
                state[name] = value
        except (KeyError, IndexError, ValueError, OverflowError):
            raise LuoziError(
                "a setup of this game has no '{key}' that is {value}", key=plain(key), value=value
            ) from None
