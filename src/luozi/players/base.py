"""Who sits at the board: one interface for engines, simple programs, outside programs and people."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from luozi.messages import LuoziError
from luozi.rules import Game
from luozi.search import Thought


class ForfeitError(LuoziError):
    """The player can't go on or broke the rules, and so loses; the text says what it did, such as 'ended early'."""


class ResignationError(LuoziError):
    """The player gives up; the text says so."""


class Player(ABC):
    """One seat of one game. `choose` may take its time; `stop`, from another thread, makes it answer soon."""

    spelling: str = ""  # as it was written, such as `mcts:iterations=1000`
    thought: Thought | None = None  # what it found out when it chose last, where it has something to say

    remark: str = ""  # what people must know about its last move, such as that it is a guess

    serves_all_seats = False  # whether one of it sits in all seats of a game that have the same spelling

    def __init__(self, game: Game) -> None:
        self.game = game

    def __repr__(self) -> str:
        """Who plays, and which game."""
        return f"<{type(self).__name__} {self.spelling or 'of no name'} for {self.game.spelling}>"

    @property
    def bytes(self) -> int:
        """The most memory that its tables take, beside the little that every player needs."""
        return 0

    @abstractmethod
    def choose(self, state: Any) -> int:
        """A legal action in a position that is this player's to move. May raise ForfeitError or ResignationError."""

    def observe(self, state: Any, action: int | str) -> None:  # noqa: B027
        """Hear that an action, a number or a name, was played in a position, by this player or another."""

    def take_back(self, states: Sequence[Any], actions: Sequence[int]) -> None:
        """Hear that moves were taken back: these actions are left, played in these positions; one more is the board's.

        Who remembers nothing else begins again.
        """
        self.new_game()
        for state, action in zip(states, actions, strict=False):
            self.observe(state, action)

    def new_game(self) -> None:  # noqa: B027
        """Get ready for another game from the start."""

    def stop(self) -> None:  # noqa: B027
        """Answer as soon as possible."""

    def prepare(self) -> None:  # noqa: B027
        """Compile what is needed, so that the first move need not wait for it."""

    def close(self) -> None:  # noqa: B027
        """Leave for good: end an outside program, give memory back."""
