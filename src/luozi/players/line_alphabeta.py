"""`alphabeta` at line games for two: deeper and deeper, with a table, threats at sight and wins by fours.

The search is in `line_search.py`, the board that it plays on in `line_board.py`. Here is what a player adds: the clock,
what is kept from move to move, and what it has to say.
"""

from __future__ import annotations

import math
import secrets
import time
from dataclasses import replace
from typing import Any

import numpy as np

from luozi.compiled import new_rng, random_below
from luozi.games.lines.rules import Lines
from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits, limits_in_force
from luozi.players.answer import MoveEffort, legal_or_error, thought_of
from luozi.players.base import Player
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
from luozi.rules.kernel_runner import kernel_for, run_stoppable
from luozi.rules.position import Position
from luozi.solvers.table import note_at, place_of

OWN_DEPTH, DEEPEST = 4, 64  # with neither depth nor clock, and with a clock alone
CENTRE, LUCK = 8, 4  # what the middle of the board counts in the order of moves, and how much is drawn
EVEN = 400.0  # an estimate of so many points is a mean of 0.73
SHORT = 12  # moves of a line that are told


class LineAlphaBetaPlayer(Player):
    """Alpha-beta at a line game, one move deeper each time until the depth is reached, the time is up or all is said.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> state = game.after(game.after(game.after(game.new_state(), 0), 4), 1)
    >>> game.action_to_string(state, LineAlphaBetaPlayer(game, depth=3, seed=1).choose(state))
    'c3'
    """

    def __init__(
        self, game: Any, depth: int | None = None, seconds: float | None = None, seed: int | None = None
    ) -> None:
        super().__init__(game)
        self.lines: Lines = game
        self.limits, self.given_depth = Limits(seconds=seconds or 0.0), depth
        self.seed = secrets.randbits(32) if seed is None else seed
        self.board = new_board(game)
        self.progress = np.zeros(PROGRESS_SIZE, np.int64)
        self.wanted = np.zeros(game.cells, np.int8)
        self._begin_game()

    def _begin_game(self) -> None:
        self.rng = new_rng(self.seed)
        self.memory = new_memory(self.lines.cells)

    @property
    def bytes(self) -> int:
        return int(self.memory.table.words.nbytes)

    def prepare(self) -> None:
        self._look(self.game.new_state(), 0)

    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        position = self._follow(position)
        state = position.state
        legal = legal_or_error(position)
        force = limits_in_force(limits, self.limits)
        self.depth = self.given_depth or (DEEPEST if force.seconds else OWN_DEPTH)
        self.is_timed = bool(force.seconds)
        self.progress[:] = 0
        self._draw_luck()
        self._look(state, 0)  # compiled before the clock starts
        began = time.perf_counter()
        end = began + force.seconds if force.seconds else None
        run_stoppable(lambda: self._deepen(state), self.progress, cancel, end)
        self._tell(position, legal, time.perf_counter() - began)
        return self.chosen

    def _draw_luck(self) -> None:
        """Let the middle come first, and draw between moves that are equal; forget a part of what was good before."""
        box = np.array([self.lines.layers, self.lines.rows, self.lines.columns])
        places = np.array(np.unravel_index(np.arange(self.lines.cells), box)).T
        middle = CENTRE - np.minimum(np.abs(2 * places - (box - 1)).max(axis=1) // 2, CENTRE)
        luck = [random_below(self.rng, LUCK) for _ in range(self.lines.cells)]
        self.memory.luck[:] = LUCK * middle + luck
        self.memory.history[:] //= 4
        self.memory.frames[:, KILLER:] = -1
        self.memory.root_nodes[:] = 0

    def _look(self, state: State, depth: int) -> None:
        if depth == 0:
            self.wanted[:] = [self.lines.stone_at(state, cell) % 4 for cell in range(self.lines.cells)]
        mover = int(self.game.current_player(state))
        kernel_for(self.game, look_deeper)(self.board, self.memory, self.progress, self.wanted, mover, depth)

    def _deepen(self, state: State) -> None:
        """Search deeper and deeper. One that was stopped counts too: its first move was the best one so far."""
        root, left = self.memory.frames[0], int((self.wanted == 0).sum())
        self.reached, self.value, self.values = 0, int(root[BEST]), dict[int, int]()
        self.moves = self.memory.cells[0, : max(1, root[COUNT])].tolist()
        decided = root[COUNT] == 0  # known at sight
        self.cell = int(root[BEST_CELL]) if decided else self.moves[0]
        if decided:
            self.moves, self.values = [self.cell], {self.cell: self.value}
        decided = decided or (root[COUNT] == 1 and self.is_timed)
        while not decided and self.reached < min(self.depth, left) and not self.progress[STOP]:
            self.memory.root_values[:] = -WIN
            self._look(state, self.reached + 1)
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

    @property
    def chosen(self) -> int:
        """The move it plays."""
        return self._action(self.cell)

    def _action(self, cell: int) -> int:
        return cell % self.lines.actions if self.lines.gravity else cell

    def _tell(self, position: Position, legal: list[int], seconds: float) -> None:
        mover, nodes = position.to_move, self.memory.root_nodes
        found: dict[int, tuple[int, tuple[float, ...]]] = dict.fromkeys(legal, (0, (0.5, 0.5)))
        values = {self._action(cell): value for cell, value in self.values.items()}
        for cell, value in self.values.items():
            found[self._action(cell)] = max(1, int(nodes[cell])), means_of(value, mover)
        work = MoveEffort(int(self.progress[NODES]), seconds, self.reached, self.seed, sampled=False)
        thought = thought_of(position, self.chosen, found, work)
        scores = {action: score_text(value) for action, value in values.items()} or {self.chosen: "forced"}
        candidates = [
            one._replace(score=scores.get(one.action, ""), proven=abs(values.get(one.action, 0)) > PROVEN)
            if one.action in scores
            else one._replace(cut=True)
            for one in sorted(thought.candidates, key=lambda one: one.action not in scores)
        ]
        line = tuple(self._action(cell) for cell in self._line(mover))
        self.thought = replace(thought, candidates=tuple(candidates), expected=line)

    def _line(self, mover: int) -> list[int]:
        """The best moves by the table, as far as it has them."""
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
    """A value as shares of the players, for those who compare moves: certain results, else something in between."""
    own = float(value > 0) if abs(value) > PROVEN else 1.0 / (1.0 + math.exp(-value / EVEN))
    return (own, 1.0 - own) if mover == 0 else (1.0 - own, own)


def score_text(value: int) -> str:
    """A value for people: points, or in how many moves somebody wins.

    >>> score_text(120), score_text(WIN - 5), score_text(-(WIN - 2))
    ('+120', 'wins in 5', 'loses in 2')
    """
    if abs(value) <= PROVEN:
        return f"{value:+d}"
    return f"{'wins' if value > 0 else 'loses'} in {WIN - abs(value)}"


assert DEEPEST < MOST_PLIES
