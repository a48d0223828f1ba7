"""Exact values of positions on small boards: `solve` returns a position's value and all moves that keep it.

`Solver` keeps the limits and passes positions to the solver that the game names (`Game.exact_solver`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from luozi.limits import MOST, NEVER, NO_LIMITS, Cancel, Limits, limits_in_force
from luozi.messages import LuoziError, Message
from luozi.rules.checked import refuse_faulty
from luozi.rules.game import DEPTH_FIRST, Game, advice_on_length, needed_game, refuse_other_position
from luozi.rules.kernel_runner import run_stoppable
from luozi.rules.state import State
from luozi.solvers.base import NODES, PROGRESS_SIZE, STOP, TOO_LONG, ExactSearch
from luozi.solvers.connect4 import Connect4Search
from luozi.solvers.depth_first import GeneralSearch

DEFAULT_TABLE, DEFAULT_LIMIT, DEFAULT_SECONDS = 4, 1_000_000_000, 30.0
T = TypeVar("T")
SOLVERS: dict[str, type[ExactSearch]] = {DEPTH_FIRST: GeneralSearch, "connect4": Connect4Search}


@dataclass(frozen=True)
class Solution:
    """The value of a position under perfect play."""

    values: tuple[float, ...]  # the result of each player
    # whether the values are the same however ties are broken; if not, some way of breaking them leads there
    certain: bool
    best: int  # a move that reaches the values; -1 when the game is over
    nodes: int  # positions searched
    seconds: float
    solver: Solver = field(repr=False)
    state: State = field(repr=False)

    def optimal_actions(self, state: State | None = None) -> list[int]:
        """Return all moves that keep the value for the player to move, here or in another position of the game."""
        state = self.state if state is None else state
        return best_for_mover(self.solver.game, state, self.solver.values_of_moves(state))

    def moves_left(self) -> int:
        """Return the number of moves left if the winner hurries and the loser holds out.

        Raises:
            LuoziError: the game's solver finds results only.
        """
        return self.solver.moves_left(self.state)


class Solver:
    """The exact solver of a game within limits; its table is kept from position to position."""

    def __init__(
        self,
        game: Game,
        table: float = DEFAULT_TABLE,
        limit: int = DEFAULT_LIMIT,
        seconds: float = DEFAULT_SECONDS,
        compiled: bool = True,
    ) -> None:
        self.game, self.limit, self.seconds = game, limit, seconds
        self.progress = np.zeros(PROGRESS_SIZE, np.int64)
        # Of the current request: the most positions, the seconds, and the time at which they are over.
        self.most, self.allowed, self.ends = limit, seconds, math.inf
        self.cancel: Cancel = NEVER
        self.tied = False  # whether an answer since the last call of `solve` depends on how ties are broken
        kind = search_for(game)
        self.search, self.bytes = kind(game, table, compiled), kind.bytes_for(game, table)

    def compile(self) -> None:
        """Compile the search for the game."""
        self.search.begin(self.game.new_state())
        self.search.work(self.progress, -1)

    def forget(self) -> None:
        """Empty the table."""
        self.search.forget()

    def solve(self, state: State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> Solution:
        """Return the value of a position.

        Raises:
            LuoziError: a limit was reached, or the request was cancelled.
        """
        return self._run_request(lambda: self._solved(state), state, limits, cancel)

    def solve_moves(
        self,
        state: State,
        limits: Limits = NO_LIMITS,
        cancel: Cancel = NEVER,
    ) -> tuple[Solution, dict[int, tuple[float, ...]]]:
        """Return the value of a position and the values of its legal moves, within the limits of one position.
        Raises as `solve`.
        """
        return self._run_request(lambda: (self._solved(state), self._values_of_moves(state)), state, limits, cancel)

    def values_of_moves(self, state: State) -> dict[int, tuple[float, ...]]:
        """Return the values of all legal moves, within the limits of one position. Raises as `solve`."""
        return self._run_request(lambda: self._values_of_moves(state), state)

    def _run_request(
        self,
        work: Callable[[], T],
        state: State,
        limits: Limits = NO_LIMITS,
        cancel: Cancel = NEVER,
    ) -> T:
        """Call `work` within the limits; a limit in nodes counts positions."""
        force = limits_in_force(limits, Limits(seconds=self.seconds, nodes=self.limit))
        self.cancel, self.tied = cancel, False
        if not self.game.is_terminal(state):
            self.game.player_to_move(state)
        self.search.begin(state)
        self.search.work(self.progress, -1)  # a limit of -1 compiles before the clock starts
        self.most, self.allowed = force.nodes or MOST, force.seconds
        self.ends = time.perf_counter() + (force.seconds or math.inf)
        return run_stoppable(work, self.progress, cancel, self.ends if force.seconds else None)

    def _solved(self, state: State) -> Solution:
        began = time.perf_counter()
        self._run(state)
        if self.search.must_repeat(self.progress):
            self._run(state)
        self._complain()
        self.tied = self.tied or not self.search.certain()
        return Solution(
            values=self.search.values(),
            certain=self.search.certain(),
            best=self.search.best(),
            nodes=int(self.progress[NODES]),
            seconds=time.perf_counter() - began,
            solver=self,
            state=state.copy(),
        )

    def _values_of_moves(self, state: State) -> dict[int, tuple[float, ...]]:
        return {action: self._solved(self.game.after(state, action)).values for action in self.game.legal_list(state)}

    def moves_left(self, state: State) -> int:
        """Return the number of moves left if the winner hurries and the loser holds out. Raises as
        `Solution.moves_left`.
        """
        search = self.search
        if not search.tells_length:
            raise LuoziError(
                "the exact solver does not know how long {game} lasts, only who wins", game=self.game.spelling
            )
        search.measure_length(True)
        try:
            self._run_request(lambda: self._run(state), state)
        finally:
            search.measure_length(False)
        self._complain()
        return search.moves_left()

    def _run(self, state: State) -> None:
        """Work on a position; work that is not brief begins again and uses the table of before."""
        self.search.begin(state)
        self.progress[NODES:] = 0
        if time.perf_counter() >= self.ends:
            self.progress[STOP] = 1
            return
        brief = min(self.most, self.search.brief)
        if brief >= 0 and not self.game.checked:
            self.search.work(self.progress, brief)
            if self.progress[NODES] <= brief:
                return
            self.progress[NODES:] = 0
        self.search.work(self.progress, self.most)

    def _complain(self) -> None:
        name = self.game.spelling
        if self.progress[STOP] and self.cancel.is_set():
            raise LuoziError("the exact solver was stopped before it had solved {name}", name=name)
        if self.progress[STOP]:
            raise LuoziError(
                "{game} is too large for the exact solver: not solved in {seconds} s; raise seconds, or choose a "
                "smaller board or another player",
                game=name,
                seconds=f"{self.allowed:g}",
            )
        if self.progress[TOO_LONG]:
            raise LuoziError(
                "a game of {name} can have more than {limit} moves; {advice}",
                name=name,
                limit=f"{self.game.length_limit:,}",
                advice=Message(advice_on_length(self.game)),
            )
        if self.progress[NODES] > self.most:
            raise LuoziError(
                "{game} is too large for the exact solver: more than {limit} positions; raise limit, or choose a "
                "smaller board or another player",
                game=name,
                limit=f"{self.most:,}",
            )


def solve(
    game: Game | type[Game],
    state: State | None = None,
    *,
    table: int = DEFAULT_TABLE,
    limit: int = DEFAULT_LIMIT,
    seconds: float = DEFAULT_SECONDS,
    compiled: bool = True,
) -> Solution:
    """Solve a position, or the whole game. `table` is in millions of entries, `limit` in positions.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> solution = solve(game)
    >>> solution.values
    (0.5, 0.5)
    >>> corner = game.after(game.new_state(), 0)
    >>> [game.action_to_string(corner, action) for action in solution.optimal_actions(corner)]
    ['b2']
    """
    game = needed_game(game, "solve")
    if compiled:
        refuse_faulty(game)
    if state is not None:
        refuse_other_position(game, state)
    return Solver(game, table, limit, seconds, compiled).solve(game.new_state() if state is None else state)


def best_for_mover(game: Game, state: State, values: dict[int, tuple[float, ...]]) -> list[int]:
    """Return the moves with the best result for the player to move."""
    player = int(game.current_player(state))
    best = max((results[player] for results in values.values()), default=0.0)
    return [action for action, results in values.items() if results[player] >= best - 1e-9]


def search_for(game: Game) -> type[ExactSearch]:
    """Return the solver that a game names.

    Raises:
        LuoziError: there is no solver of that name.

    >>> import luozi
    >>> search_for(luozi.game("connect4")).__name__, search_for(luozi.game("tictactoe")).__name__
    ('Connect4Search', 'GeneralSearch')
    """
    name = game.exact_solver()
    if name not in SOLVERS:
        title = f"{type(game).__name__}.exact_solver"
        raise LuoziError(
            "{title} gives {name}; the exact solvers are {names}",
            title=title,
            name=repr(name),
            names=", ".join(sorted(SOLVERS)),
        )
    return SOLVERS[name]
