"""A position that is set up and not played: what stands where, whose turn it is, and what else the rules look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from luozi.boards import Piece

if TYPE_CHECKING:
    from luozi.rules import Game


@dataclass(frozen=True)
class Setup:
    """Any position, without the moves that led there.

    >>> import luozi
    >>> game = luozi.game("hex:size=3")
    >>> game.begin(Setup(((4, 1, ""),), to_move=0)).name(0)
    'a1'
    """

    pieces: tuple[Piece, ...] = ()  # (cell, player, kind)
    to_move: int = 0
    last: int | None = None  # the last action, for its mark and for rules that look at it
    extra: Mapping[str, int] = field(default_factory=dict)  # fields of the record: ko, passes, a chosen piece

    def __hash__(self) -> int:
        return hash((self.pieces, self.to_move, self.last, tuple(sorted(self.extra.items()))))


def setup_state(game: Game, setup: Setup) -> Any:
    """The record of a position that is set up; one sentence, which names the rule, if there is no such position."""
    state = game.empty_states(1)[0]
    game.start(state)
    game.from_setup(state, setup)
    return state
