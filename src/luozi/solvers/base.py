"""What an exact solver is: a search that takes positions up one after the other, with what it learned from each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from luozi.compiled import Array, inline, signed, unsigned
from luozi.compiled.arrays import lazy_zeros
from luozi.compiled.bits import KEY_BITS
from luozi.evaluators.position import hash_mask, position_hash, word_type
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


# Places in `progress`, which every solver has. STOP is 0 as in the search.
STOP, NODES, UNEQUAL, TOO_LONG, PROGRESS_SIZE = 0, 1, 2, 3, 4
# The first fields of a frame: how many moves it has, and which is next. The others are the solver's own.
COUNT, NEXT = 0, 1


class SolverStack(NamedTuple):
    """One frame for each position on the way down from the root; D of them."""

    states: Array  # [D] positions
    words: Array  # [D, W] the same memory as whole numbers, for the hash
    mask: Array  # [W] which bits of the words count
    actions: Array  # [D, actions] i4: the moves of a position, in the order in which they are tried
    frames: Array  # [D, frame_size] i8


def new_stack(game: Game, depth: int, frame_size: int) -> SolverStack:
    """Room for a line of so many positions."""
    states = game.empty_states(depth)
    return SolverStack(
        states=states,
        words=states.view(np.ndarray).view(np.uint8).reshape(depth, -1).view(word_type(game.dtype)),
        mask=hash_mask(game),
        actions=np.zeros((depth, game.actions), np.int32),
        frames=np.zeros((depth, frame_size), np.int64),
    )


@inline
def play(game: Game, stack: SolverStack, depth: int, action: int) -> None:
    """Put the position after a move of a frame into the frame below it."""
    stack.states[depth + 1] = stack.states[depth]
    game.apply_action(stack.states[depth + 1], action)


@inline
def play_next(game: Game, stack: SolverStack, depth: int) -> None:
    """Play the move of a frame that is next."""
    frame = stack.frames[depth]
    play(game, stack, depth, signed(stack.actions[depth, frame[NEXT]]))
    frame[NEXT] += 1


@inline
def hash_at(game: Game, stack: SolverStack, depth: int) -> int:
    """The hash of a frame's position."""
    return position_hash(game, stack.states[depth], stack.words[depth], stack.mask)


class TranspositionTable(NamedTuple):
    """Room for what is known of 2**place_bits positions."""

    words: Array  # [2**place_bits * width] i8
    floats: Array  # the same memory as f8
    place_bits: int
    note_bits: int
    width: int


def table_bytes(place_bits: int, width: int = 1) -> int:
    """How much memory a table takes once every place was used.

    >>> table_bytes(place_bits=4, width=2)
    256
    """
    return 8 * (width << place_bits)


def new_table(place_bits: int, note_bits: int, width: int = 1) -> TranspositionTable:
    """An empty table; memory that is never touched is never resident.

    >>> table = new_table(place_bits=4, note_bits=8)
    >>> at, rest = place_of(table, 12345)
    >>> write(table, at, rest, 17)
    >>> note_at(table, at, rest), note_at(table, at, rest + 1)
    (17, 0)
    """
    words = lazy_zeros(width << place_bits, np.int64)
    return TranspositionTable(words, words.view(np.float64), place_bits, note_bits, width)


@inline
def place_of(table: TranspositionTable, key: int) -> tuple[int, int]:
    """Where a position's place begins, and the rest of its key, or as much of that as there is room for."""
    at = unsigned((key & ((1 << table.place_bits) - 1)) * table.width)
    return at, (key >> table.place_bits) & ((1 << (KEY_BITS - table.note_bits)) - 1)


@inline
def note_at(table: TranspositionTable, at: int, rest: int) -> int:
    """What was noted about a position; 0 if nothing was, or the word is another position's."""
    word = int(table.words[at])
    return word & ((1 << table.note_bits) - 1) if word >> table.note_bits == rest else 0


@inline
def write(table: TranspositionTable, at: int, rest: int, note: int) -> None:
    """Note something about a position, in place of whatever was there."""
    table.words[at] = (rest << table.note_bits) | note
