"""Who sits at the board: one interface for engines, simple programs, outside programs and people."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits
from luozi.messages import LuoziError
from luozi.removed import missing
from luozi.rules.game import Game, State
from luozi.rules.position import Position
from luozi.search import SearchResult


class ForfeitError(LuoziError):
    """The player can't go on or broke the rules, and so loses; the text says what it did, such as 'ended early'."""


class ResignationError(LuoziError):
    """The player gives up; the text says so."""


class StoppedError(LuoziError):
    """The player was cancelled and has no move."""


class Player(ABC):
    """One seat of one game. `choose` may take its time, within limits and until its Cancel is set."""

    spelling: str = ""  # as it was written, such as `mcts:iterations=1000`
    thought: SearchResult | None = None  # what it found out when it chose last, where it has something to say

    remark: str = ""  # what people must know about its last move, such as that it is a guess

    moves_at_once = True  # whether it has a move when its Cancel is set

    serves_all_seats = False  # whether one of it sits in all seats of a game that have the same spelling

    def __init__(self, game: Game) -> None:
        self.game = game
        self._last: Position | None = None  # the position with a history that it was given last

    def __repr__(self) -> str:
        """Who plays, and which game."""
        return f"<{type(self).__name__} {self.spelling or 'of no name'} for {self.game.spelling}>"

    @property
    def bytes(self) -> int:
        """The most memory that its tables take, beside the little that every player needs."""
        return 0

    @abstractmethod
    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        """A legal action in a position that is this player's to move. May raise ForfeitError or ResignationError.

        Each limit in force is the smaller one of `limits` and the player's own; a player keeps those that it can count.
        When `cancel` is set it moves at once; one that can't (`moves_at_once`) raises StoppedError.
        """

    def _follow(self, given: Position | State) -> Position:
        """The position to choose in, after whatever the way from the last one to it asks for.

        A state alone has no history: whoever gives one means the same game.
        """
        position = Position.of(self.game, given)
        if not position.has_history:
            return position
        last, self._last = self._last, position
        if position.is_of_another_game(last):
            self._begin_game()
        elif last is not None and position != last and not position.is_after(last):
            self._go_back()
        return position

    def _begin_game(self) -> None:  # noqa: B027
        """Be as new: a match must not depend on the order of its games."""

    def _go_back(self) -> None:  # noqa: B027
        """Moves were taken back, or another variation is looked at."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Nothing: it names what replaces an attribute that is gone."""
            raise missing(type(self), name)

    def prepare(self) -> None:  # noqa: B027
        """Compile what is needed, so that the first move need not wait for it."""

    def close(self) -> None:  # noqa: B027
        """Leave for good: end an outside program, give memory back."""
