"""The interface of all players, what goes wrong with one, and the parameters that several of them have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Annotated, Any

from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits
from luozi.messages import LuoziError
from luozi.removed import missing
from luozi.rules.game import Game, State
from luozi.rules.position import Position
from luozi.search import SearchResult
from luozi.util.parameters import ParameterInfo

LEAST_SECONDS = 0.001
Seed = Annotated[
    int | None,
    ParameterInfo("Seed of the random numbers: the same seed repeats the moves. Default: random.", 0, 2**63 - 1),
]
Seconds = Annotated[float | None, ParameterInfo("Seconds a move. Default: no limit.", LEAST_SECONDS, 10**6)]


class ForfeitError(LuoziError):
    """A player can't go on or broke the rules, and loses; the message is what it did, such as 'ended early'."""


class ResignationError(LuoziError):
    """A player resigns."""


class StoppedError(LuoziError):
    """A player was cancelled and has no move."""


class Player(ABC):
    """One player of one game. `choose` returns its move, within limits and until its Cancel is set."""

    spelling: str = ""  # its specification, such as `mcts:iterations=1000`
    thought: SearchResult | None = None  # the result of its last search; None where it does not search
    remark: str = ""  # a warning about its last move, such as that the move is a guess
    moves_at_once = True  # whether it has a move when its Cancel is set
    serves_all_seats = False  # whether one object plays all seats with the same specification

    def __init__(self, game: Game) -> None:
        self.game = game
        self._last: Position | None = None  # the last position with a history that `choose` was given

    def __repr__(self) -> str:
        """Return the player's class, its specification and its game."""
        return f"<{type(self).__name__} {self.spelling or 'of no name'} for {self.game.spelling}>"

    @property
    def bytes(self) -> int:
        """The size of its tables in bytes, when they are full."""
        return 0

    @abstractmethod
    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        """Return a legal action in a position in which this player is to move.

        Each limit in force is the smaller one of `limits` and the player's own; a player keeps the limits that it can
        count. When `cancel` is set, the player moves at once.

        Raises:
            ForfeitError: the player failed or broke the rules.
            ResignationError: the player resigns.
            StoppedError: `cancel` was set, and the player has no move (`moves_at_once` is false).
        """

    def _follow(self, given: Position | State) -> Position:
        """Return the position to choose in, and reset what the last position and this one do not share.

        A state alone has no history and counts as part of the same game.
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
        """Reset everything that earlier games left: a match must not depend on the order of its games."""

    def _go_back(self) -> None:  # noqa: B027
        """Reset what depends on the moves before: some were taken back, or another variation is played."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise an error that names the replacement of an attribute that is gone."""
            raise missing(type(self), name)

    def prepare(self) -> None:  # noqa: B027
        """Compile the player's kernels, so that the first move does not wait for it."""

    def close(self) -> None:  # noqa: B027
        """End an external program and free memory. The player must not be used afterwards."""
