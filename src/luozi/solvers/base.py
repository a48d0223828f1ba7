"""The interface of exact solvers, and what they share: the stack of positions and the transposition table.

Connect Four has frames of its own: its positions are two integers, and a copied state for each would take longer than
the search.
"""

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
    """A solver for one game, with a table that it keeps between positions. `Solver` adds the limits and the clock."""

    brief: int = -1  # below this number of positions a thread and a clock cost more than the search; -1: never
    tells_length: bool = False  # whether it has `measure_length` and `moves_left`

    @abstractmethod
    def __init__(self, game: Game, millions: float, compiled: bool) -> None:
        """Allocate a table for this many millions of positions."""

    @staticmethod
    @abstractmethod
    def bytes_for(game: Game, millions: float) -> int:
        """Return the size in bytes of a table for this many millions of positions."""

    @abstractmethod
    def forget(self) -> None:
        """Empty the table."""

    @abstractmethod
    def begin(self, state: State) -> None:
        """Set the position to solve."""

    @abstractmethod
    def work(self, progress: Array, limit: int) -> None:
        """Solve the position until `progress[STOP]` is set or `limit` positions were searched."""

    def must_repeat(self, progress: Array) -> bool:
        """Return whether the last work must be repeated in another way; called once after it."""
        return False

    @abstractmethod
    def values(self) -> tuple[float, ...]:
        """Return the result of each player."""

    def certain(self) -> bool:
        """Return whether the results are the same however ties between equal moves are broken."""
        return True

    @abstractmethod
    def best(self) -> int:
        """Return a move that reaches the results; -1 if the game is over."""

    def measure_length(self, wanted: bool) -> None:
        """Choose whether `work` also finds the number of moves left."""
        raise NotImplementedError

    def moves_left(self) -> int:
        """Return the number of moves left if the winner hurries and the loser holds out. Only after
        `measure_length`.
        """
        raise NotImplementedError


# Indices of `progress`, the same in every solver. STOP is 0 as in the search.
STOP, NODES, UNEQUAL, TOO_LONG, PROGRESS_SIZE = 0, 1, 2, 3, 4
# The first fields of a frame: the number of its moves, and the index of the next one. Others belong to the solver.
COUNT, NEXT = 0, 1


class SolverStack(NamedTuple):
    """One frame for each position from the root down; D is their number."""

    states: Array  # [D] states
    words: Array  # [D, W] the same memory as integers, for the hash
    mask: Array  # [W] the bits of the words that belong to the position
    actions: Array  # [D, actions] i4: the moves of each position in the order of search
    frames: Array  # [D, frame_size] i8


def new_stack(game: Game, depth: int, frame_size: int) -> SolverStack:
    """Return a stack for lines of this many positions."""
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
    """Write the position after a move of a frame into the frame below."""
    stack.states[depth + 1] = stack.states[depth]
    game.apply_action(stack.states[depth + 1], action)


@inline
def play_next(game: Game, stack: SolverStack, depth: int) -> None:
    """Play the next move of a frame."""
    frame = stack.frames[depth]
    play(game, stack, depth, signed(stack.actions[depth, frame[NEXT]]))
    frame[NEXT] += 1


@inline
def hash_at(game: Game, stack: SolverStack, depth: int) -> int:
    """Return the hash of a frame's position."""
    return position_hash(game, stack.states[depth], stack.words[depth], stack.mask)


class TranspositionTable(NamedTuple):
    """A hash table with 2**place_bits places of `width` words.

    The first word of a place holds the part of the key that the place does not imply, and a note; 0 is an empty place.
    The solver decides what the other words hold: results (`depth_first`), a second entry (`connect4_proofs`), nothing
    (`threat_space`). Places are small because a proof waits for memory more than for anything else.
    """

    words: Array  # [2**place_bits * width] i8
    floats: Array  # the same memory as f8
    place_bits: int
    note_bits: int
    width: int


def table_bytes(place_bits: int, width: int = 1) -> int:
    """Return the size of a table in bytes, when every place is used.

    >>> table_bytes(place_bits=4, width=2)
    256
    """
    return 8 * (width << place_bits)


def new_table(place_bits: int, note_bits: int, width: int = 1) -> TranspositionTable:
    """Return an empty table; its memory becomes resident only where it is used.

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
    """Return the index of a key's place, and as much of the rest of the key as fits into a word."""
    at = unsigned((key & ((1 << table.place_bits) - 1)) * table.width)
    return at, (key >> table.place_bits) & ((1 << (KEY_BITS - table.note_bits)) - 1)


@inline
def note_at(table: TranspositionTable, at: int, rest: int) -> int:
    """Return the note of a key; 0 if the place is empty or holds another position."""
    word = int(table.words[at])
    return word & ((1 << table.note_bits) - 1) if word >> table.note_bits == rest else 0


@inline
def write(table: TranspositionTable, at: int, rest: int, note: int) -> None:
    """Write a note for a key over whatever the place held."""
    table.words[at] = (rest << table.note_bits) | note
