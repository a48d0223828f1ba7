"""`flat`: flat Monte Carlo. Random simulations for each legal move in turn; the best mean is played. No tree."""

from __future__ import annotations

import secrets
import time
from typing import Any

import numpy as np

from luozi.compiled import Array, kernel, new_rng, random_below
from luozi.evaluators.playouts import play_at_random
from luozi.evaluators.thread_state import FIXED_POINT, ITERATIONS, PROGRESS_SIZE, STOP, ThreadState, new_thread
from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits, limits_in_force
from luozi.players.answer import MoveEffort, legal_or_error, thought_of
from luozi.players.base import Player
from luozi.rules.game import Game, State
from luozi.rules.kernel_runner import kernel_for, run_stoppable
from luozi.rules.position import Position
from luozi.search import Candidate
from luozi.search.backpropagation import is_draw
from luozi.search.passes import ends_by_pass, is_better
from luozi.search.rule_warnings import look_at_rules

DEFAULT_SIMULATIONS = 1000
DEFAULT_LIMITS = Limits(iterations=DEFAULT_SIMULATIONS)
UNLIMITED = 2**62


@kernel
def sample(
    game: Game,
    playout: Any,
    thread: ThreadState,
    progress: Array,
    legal: Array,
    counts: Array,
    sums: Array,
    simulations: int,
) -> None:
    """Give each legal move one simulation in turn; `counts` (visits, and how many ended drawn) and `sums` (in fixed
    point) have a row for each move."""
    while progress[STOP] == 0 and progress[ITERATIONS] < simulations:
        move = progress[ITERATIONS] % legal.shape[0]
        thread.state[0] = thread.root[0]
        game.apply_action(thread.state[0], int(legal[move]))
        if play_at_random(game, playout, thread, progress):  # a simulation that was cut short does not count
            counts[move, 0] += 1
            counts[move, 1] += is_draw(thread)
            for player in range(sums.shape[1]):
                sums[move, player] += thread.credit[player]
            progress[ITERATIONS] += 1


class FlatPlayer(Player):
    """Flat Monte Carlo.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> flat = FlatPlayer(game, simulations=900, seed=1)
    >>> game.action_to_string(game.new_state(), flat.choose(game.new_state()))
    'b2'
    """

    def __init__(
        self, game: Game, simulations: int | None = None, seconds: float | None = None, seed: int | None = None
    ) -> None:
        super().__init__(game)
        self.limits = Limits(iterations=simulations or 0, seconds=seconds or 0.0)
        self.seed = secrets.randbits(32) if seed is None else seed
        self.progress = np.zeros(PROGRESS_SIZE, np.int64)
        self.playout = game.random_playout()
        self._begin_game()

    def _begin_game(self) -> None:
        self.thread = new_thread(self.game, new_rng(self.seed), self.playout.new_memory())

    def prepare(self) -> None:
        none = np.zeros(1, np.int64), np.zeros((1, 2), np.int64), np.zeros((1, self.game.players), np.int64)
        kernel_for(self.game, sample)(self.game, self.playout, self.thread, self.progress, *none, 0)

    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        position = self._follow(position)
        state = position.state
        self.progress[:] = 0
        legal = legal_or_error(position)
        actions = np.array(legal, np.int64)
        counts, sums = np.zeros((len(legal), 2), np.int64), np.zeros((len(legal), self.game.players), np.int64)
        self.thread.root[0] = state
        run = kernel_for(self.game, sample)
        shared = self.game, self.playout, self.thread, self.progress, actions, counts, sums
        run(*shared, 0)  # compiled before the clock starts
        began = time.perf_counter()
        force = limits_in_force(limits, self.limits, DEFAULT_LIMITS)
        end = began + force.seconds if force.seconds else None
        run_stoppable(lambda: run(*shared, force.iterations or UNLIMITED), self.progress, cancel, end)
        look_at_rules(self.game, self.progress)
        visits = counts[:, 0]
        means = sums / FIXED_POINT / np.maximum(visits, 1)[:, None]
        means[visits == 0] = 1 / self.game.players
        chosen = self._best(position, legal, visits, means[:, position.to_move])
        moves = {legal[row]: (int(visits[row]), tuple(means[row].tolist())) for row in range(len(legal))}
        work = MoveEffort(int(self.progress[ITERATIONS]), time.perf_counter() - began, 1, self.seed)
        draws = {legal[row]: int(counts[row, 1]) for row in range(len(legal))}
        self.thought = thought_of(position, chosen, moves, work, draws)
        return chosen

    def _best(self, position: Position, legal: list[int], visits: Array, means: Array) -> int:
        """The move with the best mean, equal ones by chance; a pass only where no other move may be as good."""
        scores = np.where(visits > 0, means, -1.0)
        is_pass = np.array(legal) == self.game.pass_action
        chosen = self._any_best(scores)
        if is_pass[chosen] and len(legal) > 1:
            other = self._any_best(np.where(is_pass, -2.0, scores))
            one, best = (Candidate(legal[row], int(visits[row]), (float(means[row]),)) for row in (chosen, other))
            if not is_better(one, best, 0, ends_by_pass(self.game, position.state)):
                chosen = other
        return legal[chosen]

    def _any_best(self, scores: Array) -> int:
        ties = np.flatnonzero(scores == scores.max())
        return int(ties[random_below(self.thread.rng, len(ties))])
