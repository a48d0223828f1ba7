"""What an exact solver is: a search that takes positions up one after the other, with what it learned from each."""

from __future__ import annotations

from abc import ABC, abstractmethod

from luozi.compiled import Array
from luozi.rules.game import Game
from luozi.rules.state import State


class ExactSearch(ABC):
    """One game, and a table that is kept from position to position. `Solver` has the limits and the clock."""

    brief: int = -1  # so many positions take no time worth a thread and a clock
    tells_length: bool = False  # whether it has the last two methods

    @abstractmethod
    def __init__(self, game: Game, millions: float, compiled: bool) -> None:
        """Room for a game and for so many millions of positions."""

    @staticmethod
    @abstractmethod
    def bytes_for(game: Game, millions: float) -> int:
        """How much memory the table for so many millions of positions takes."""

    @abstractmethod
    def forget(self) -> None:
        """Start with an empty table."""

    @abstractmethod
    def begin(self, state: State) -> None:
        """Take a position up."""

    @abstractmethod
    def work(self, progress: Array, limit: int) -> None:
        """Solve it, until it is stopped or so many positions were searched; `stack.py` has the places in `progress`."""

    def must_repeat(self, progress: Array) -> bool:
        """Whether the work has to be done again, otherwise; asked once."""
        return False

    @abstractmethod
    def values(self) -> tuple[float, ...]:
        """The result of each player."""

    def certain(self) -> bool:
        """Whether these do not depend on how ties are broken."""
        return True

    @abstractmethod
    def best(self) -> int:
        """A move that reaches these; -1 if the game is over."""

    def measure_length(self, wanted: bool) -> None:
        """Whether `work` is to find out how many moves are left as well."""
        raise NotImplementedError

    def moves_left(self) -> int:
        """How many moves are left: the winner hurries, and the loser holds out. Only after `measure_length`."""
        raise NotImplementedError
