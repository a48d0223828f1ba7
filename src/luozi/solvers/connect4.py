"""Connect Four for the exact solver: allocates the arrays of the compiled proofs and reads their answer."""

from __future__ import annotations

import itertools

import numpy as np

from luozi.compiled import Array
from luozi.games.lines.bits import BitLines
from luozi.games.lines.rules import Lines
from luozi.messages import LuoziError
from luozi.rules.game import Game
from luozi.rules.kernel_runner import kernel_for
from luozi.rules.state import State
from luozi.solvers.base import ExactSearch, new_table, table_bytes
from luozi.solvers.connect4_proofs import (
    ANSWER_SIZE,
    BEST_STONE,
    ENTRIES,
    FRAME_SIZE,
    HIGHEST,
    LOWEST,
    MOVE_SIZE,
    NEAR_BITS,
    NOTE_BITS,
    OTHER,
    OWN,
    Bitboard,
    BitboardStack,
    BitboardTables,
    flipped,
    solve_position,
)

NAME = "connect4"  # the name by which a game asks for it
BRIEF = 5_000  # this many positions take half a millisecond: less than a thread and a clock


class Connect4Search(ExactSearch):
    """The exact solver of Connect Four."""

    tells_length = True

    def __init__(self, game: Game, millions: float, compiled: bool) -> None:
        if not isinstance(game, Lines) or Lines.exact_solver(game) != NAME:
            raise LuoziError(
                "{game} is not solved as '{name}': that is for line games on small boards",
                game=game.spelling,
                name=NAME,
            )
        self.game, self.millions = game, millions
        self.bits = [1 << place for place in places_of(game)]
        self.board = new_board(game, self.bits)
        self.symmetric = bool(flipped(self.board, self.board.cells) == self.board.cells)
        self.stack = new_stack(game)
        self.forget()
        self.to_the_move = False
        self.brief = BRIEF if compiled else -1
        self._solve = kernel_for(game, solve_position, compiled)

    def forget(self) -> None:
        """Empty the tables."""
        self.tables = new_tables(self.millions)

    @staticmethod
    def bytes_for(game: Game, millions: float) -> int:
        """Return the size of both tables in bytes."""
        return sum(table_bytes(bits, ENTRIES) for bits in place_bits_for(millions))

    def begin(self, state: State) -> None:
        """Set the position to solve."""
        self.result = self.game.result(state) if self.game.is_terminal(state) else None
        self.mover = int(self.game.current_player(state))
        self.left = int(state.empty)
        own, other = (stones_of(self.game, state, player, self.bits) for player in (self.mover, 1 - self.mover))
        self.stack.frames[0, OWN], self.stack.frames[0, OTHER] = own, other
        # A cell and its mirror image have stones of both players: no later position is the image of another.
        self.board = self.board._replace(mirror=self.symmetric and own & flipped(self.board, other) == 0)

    def work(self, progress: Array, limit: int) -> None:
        """Solve the position."""
        if self.result is None:
            self._solve(self.board, self.stack, self.tables, progress, self.left, self.to_the_move, limit)

    def values(self) -> tuple[float, ...]:
        """Return the result of each player."""
        if self.result is not None:
            return tuple(self.result)
        lowest, highest = self._bounds()
        value = 1.0 if lowest > 0 else 0.0 if highest < 0 else 0.5
        return (value, 1.0 - value) if self.mover == 0 else (1.0 - value, value)

    def best(self) -> int:
        """Return a move that reaches the results; -1 if the game is over."""
        if self.result is not None:
            return -1
        return (int(self.stack.answer[BEST_STONE]).bit_length() - 1) // self.board.step

    def measure_length(self, wanted: bool) -> None:
        """Choose whether `work` goes on to the move of the win."""
        self.to_the_move = wanted

    def moves_left(self) -> int:
        """Return the number of moves left if the winner hurries and the loser holds out."""
        if self.result is not None:
            return 0
        lowest, highest = self._bounds()
        if lowest > 0:
            return 2 * ((self.left + 1) // 2 - lowest) + 1
        return 2 * (self.left // 2 + highest + 1) if highest < 0 else self.left

    def _bounds(self) -> tuple[int, int]:
        return int(self.stack.answer[LOWEST]), int(self.stack.answer[HIGHEST])


def places_of(game: Lines) -> list[int]:
    """Return the bit of each cell; rows count from the top, bits from the bottom."""
    rows = range(game.rows - 1, -1, -1)
    return [column * (game.rows + 1) + height for height in rows for column in range(game.columns)]


def stones_of(game: Lines, state: State, player: int, bits: list[int]) -> int:
    """Return a player's stones as bits."""
    if isinstance(game, BitLines):
        owned = (np.int64(state.stones[player]) >> np.asarray(game.bit)) & 1
    else:
        owned = np.asarray(state.board)[: game.cells] == player + 1
    return sum(bit for bit, own in zip(bits, owned.tolist(), strict=True) if own)


def new_board(game: Lines, bits: list[int]) -> Bitboard:
    """Return the board of a game; `mirror` is set for each position."""
    closed = sum(bit for bit, is_closed in zip(bits, game.closed.tolist(), strict=True) if is_closed)
    return Bitboard(
        columns=game.columns,
        step=game.rows + 1,
        cells=sum(bits) - closed,
        floor=sum(1 << (game.rows + 1) * column for column in range(game.columns)),
        closed=closed,
        skips=most_on_top(game),
        answers=sum(bits[cell] for stack in open_stacks(game) for cell in stack[::-2]),
        mirror=False,
    )


def open_stacks(game: Lines) -> list[list[int]]:
    """Return the playable cells of each column, from the bottom up."""
    cells = np.arange(game.cells).reshape(game.rows, game.columns)[::-1].T.tolist()
    return [[cell for cell in stack if not game.closed[cell]] for stack in cells]


def most_on_top(game: Lines) -> int:
    """Return the length of the longest vertical run of blocked cells."""
    columns = np.asarray(game.closed).reshape(game.rows, game.columns).T.tolist()
    runs = [len(list(run)) for column in columns for is_closed, run in itertools.groupby(column) if is_closed]
    return max(runs, default=0)


def new_stack(game: Lines) -> BitboardStack:
    """Return a stack for one line of play."""
    size = game.playable + 2
    weights = np.zeros((game.rows + 1) * game.columns, np.int64)
    weights[places_of(game)] = np.diff(np.asarray(game.first_segment).astype(np.int64))
    return BitboardStack(
        frames=np.zeros((size, FRAME_SIZE), np.int64),
        moves=np.zeros((size, game.columns, MOVE_SIZE), np.int64),
        weights=weights,
        answer=np.zeros(ANSWER_SIZE, np.int64),
    )


def place_bits_for(millions: float) -> tuple[int, int]:
    """Return log2 of the places of the near and the far table; `millions` counts the entries of the far one."""
    return NEAR_BITS, int(millions * (1 << 20)).bit_length() - 2  # a power of two, with two entries a place


def new_tables(millions: float) -> BitboardTables:
    """Return two empty tables."""
    return BitboardTables(*(new_table(bits, NOTE_BITS, ENTRIES) for bits in place_bits_for(millions)))
