"""`alphabeta` on line games for two: iterative deepening with a transposition table, threats and wins by fours.

The search is in `line_search`, its board in `line_board`. This module has the player: the clock, what is kept between
moves, and the search result.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from luozi.compiled import random_below
from luozi.games.lines.rules import Lines
from luozi.limits import Limits
from luozi.players.alphabeta import Depth
from luozi.players.base import KernelPlayer, MoveEffort, Seconds, Seed, result_of_moves
from luozi.players.line_board import HASH, new_board, put, take
from luozi.players.line_search import (
    BEST,
    BEST_CELL,
    COUNT,
    KILLER,
    MOST_PLIES,
    NODES,
    PROGRESS_SIZE,
    PROVEN,
    STOP,
    WIN,
    look_deeper,
    new_memory,
)
from luozi.rules.game import State
from luozi.rules.kernel_runner import kernel_for
from luozi.rules.position import Position
from luozi.search import SearchResult
from luozi.solvers.base import note_at, place_of

OWN_DEPTH, DEEPEST = 4, 64  # with neither depth nor clock, and with a clock alone
CENTRE, LUCK = 8, 4  # weights in the order of moves: distance from the middle, and chance
EVEN = 400.0  # an evaluation of this many points is a mean of 0.73
SHORT = 12  # moves of the principal variation


class LineAlphaBetaPlayer(KernelPlayer):
    """Alpha-beta on a line game with iterative deepening, until the depth is reached, the time is up or the game is
    decided.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> state = game.after(game.after(game.after(game.new_state(), 0), 4), 1)
    >>> game.action_to_string(state, LineAlphaBetaPlayer(game, depth=3, seed=1).choose(state))
    'c3'
    """

    def __init__(self, game: Lines, depth: Depth = None, seconds: Seconds = None, seed: Seed = None) -> None:
        super().__init__(game, seed)
        self.limits, self.given_depth = Limits(seconds=seconds or 0.0), depth
        self.lines: Lines = game
        self.board, self.memory = new_board(game), new_memory(game.cells)
        self.progress = np.zeros(PROGRESS_SIZE, np.int64)
        self.wanted = np.zeros(game.cells, np.int8)

    def _begin_game(self) -> None:
        super()._begin_game()
        self.memory = new_memory(self.lines.cells)

    @property
    def bytes(self) -> int:
        return int(self.memory.table.words.nbytes)

    def prepare(self) -> None:
        self._place(self.game.new_state())

    def _set_up(self, position: Position, legal: list[int], force: Limits) -> None:
        self.depth = self.given_depth or (DEEPEST if force.seconds else OWN_DEPTH)
        self.is_timed = bool(force.seconds)
        self._draw_luck()
        self._place(position.state)

    def _place(self, state: State) -> None:
        """Set up a position, and evaluate it without a search."""
        self.wanted[:] = [self.lines.stone_at(state, cell) % 4 for cell in range(self.lines.cells)]
        self.mover = int(self.game.current_player(state))
        self._look(0)

    def _draw_luck(self) -> None:
        """Let moves near the middle come first and draw between equal moves; reduce the history heuristic of earlier
        moves.
        """
        box = np.array([self.lines.layers, self.lines.rows, self.lines.columns])
        places = np.array(np.unravel_index(np.arange(self.lines.cells), box)).T
        middle = CENTRE - np.minimum(np.abs(2 * places - (box - 1)).max(axis=1) // 2, CENTRE)
        luck = [random_below(self.rng, LUCK) for _ in range(self.lines.cells)]
        self.memory.luck[:] = LUCK * middle + luck
        self.memory.history[:] //= 4
        self.memory.frames[:, KILLER:] = -1
        self.memory.root_nodes[:] = 0

    def _look(self, depth: int) -> None:
        look = kernel_for(self.game, look_deeper)
        look(self.board, self.memory, self.progress, self.wanted, self.mover, depth)

    def _work(self, force: Limits) -> None:
        """Search deeper and deeper. A stopped search counts too: its first move was the best one so far."""
        root, left = self.memory.frames[0], int((self.wanted == 0).sum())
        self.reached, self.value, self.values = 0, int(root[BEST]), dict[int, int]()
        self.moves = self.memory.cells[0, : max(1, root[COUNT])].tolist()
        decided = root[COUNT] == 0  # decided without a search
        self.cell = int(root[BEST_CELL]) if decided else self.moves[0]
        if decided:
            self.moves, self.values = [self.cell], {self.cell: self.value}
        decided = decided or (root[COUNT] == 1 and self.is_timed)
        while not decided and self.reached < min(self.depth, left) and not self.progress[STOP]:
            self.memory.root_values[:] = -WIN
            self._look(self.reached + 1)
            self._take_over()
            decided = abs(self.value) > PROVEN

    def _take_over(self) -> None:
        root = self.memory.frames[0]
        if root[BEST_CELL] >= 0:
            self.cell, self.value = int(root[BEST_CELL]), int(root[BEST])
            values = self.memory.root_values
            self.values |= {cell: int(values[cell]) for cell in self.moves if values[cell] > -WIN}
        if not self.progress[STOP]:
            self.reached += 1

    # What it has to say -----------------------------------------------------------------------------------------------

    def _action(self, cell: int) -> int:
        return cell % self.lines.actions if self.lines.gravity else cell

    def _tell(self, position: Position, seconds: float) -> SearchResult:
        chosen, mover, nodes = self._action(self.cell), position.to_move, self.memory.root_nodes
        found: dict[int, tuple[int, tuple[float, ...]]] = dict.fromkeys(position.actions, (0, (0.5, 0.5)))
        values = {self._action(cell): value for cell, value in self.values.items()}
        for cell, value in self.values.items():
            found[self._action(cell)] = max(1, int(nodes[cell])), means_of(value, mover)
        work = MoveEffort(int(self.progress[NODES]), seconds, self.reached, self.seed, sampled=False)
        thought = result_of_moves(position, chosen, found, work)
        scores = {action: score_text(value) for action, value in values.items()} or {chosen: "forced"}
        candidates = [
            one._replace(score=scores.get(one.action, ""), proven=abs(values.get(one.action, 0)) > PROVEN)
            if one.action in scores
            else one._replace(cut=True)
            for one in sorted(thought.candidates, key=lambda one: one.action not in scores)
        ]
        line = tuple(self._action(cell) for cell in self._line(mover))
        return replace(thought, candidates=tuple(candidates), expected=line)

    def _line(self, mover: int) -> list[int]:
        """Return the best moves of the transposition table, as far as it has them."""
        line, player, cell = list[int](), mover, self.cell
        while cell >= 0 and self.board.stones[cell] == 0 and len(line) < SHORT:
            line.append(cell)
            put(self.board, cell, player)
            at, rest = place_of(self.memory.table, int(self.board.totals[HASH]))
            cell, player = (note_at(self.memory.table, at, rest) >> 2) - 1, 1 - player
        for place in reversed(line):
            player = 1 - player
            take(self.board, place, player)
        return line


def means_of(value: int, mover: int) -> tuple[float, float]:
    """Return a value as a mean for each player: proven results, else a number between them."""
    own = float(value > 0) if abs(value) > PROVEN else 1.0 / (1.0 + math.exp(-value / EVEN))
    return (own, 1.0 - own) if mover == 0 else (1.0 - own, own)


def score_text(value: int) -> str:
    """Return a value as text: points, or the number of moves to a win.

    >>> score_text(120), score_text(WIN - 5), score_text(-(WIN - 2))
    ('+120', 'wins in 5', 'loses in 2')
    """
    if abs(value) <= PROVEN:
        return f"{value:+d}"
    return f"{'wins' if value > 0 else 'loses'} in {WIN - abs(value)}"


assert DEEPEST < MOST_PLIES
