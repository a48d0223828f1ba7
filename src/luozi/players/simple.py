"""The players that need no search tree: `random`, a person at the keyboard, `flat` and `exact`."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated

import numpy as np

from luozi.compiled import Array, kernel, new_rng, random_below
from luozi.evaluators.playouts import play_at_random
from luozi.evaluators.thread_state import FIXED_POINT, ITERATIONS, PROGRESS_SIZE, STOP, ThreadState, new_thread
from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits
from luozi.messages import LuoziError, Message
from luozi.players.base import (
    ForfeitError,
    KernelPlayer,
    MoveEffort,
    Player,
    Seconds,
    Seed,
    legal_or_error,
    result_of_moves,
    without_pass,
)
from luozi.rules.game import Game, State
from luozi.rules.kernel_runner import kernel_for
from luozi.rules.move_names import read_move
from luozi.rules.playout import Playout
from luozi.rules.position import Position
from luozi.search import Candidate, SearchResult
from luozi.search.backpropagation import is_draw
from luozi.search.final_move import ends_by_pass, is_better
from luozi.search.rule_warnings import look_at_rules
from luozi.solvers.base import TOO_LONG
from luozi.solvers.solver import DEFAULT_LIMIT, DEFAULT_SECONDS, DEFAULT_TABLE, Solver, best_for_mover
from luozi.util.parameters import ParameterInfo


class RandomPlayer(Player):
    """A random legal move, each with the same probability."""

    def __init__(self, game: Game, seed: Seed = None) -> None:
        super().__init__(game)
        self.seed = secrets.randbits(32) if seed is None else seed
        self._begin_game()

    def _begin_game(self) -> None:
        self.rng = new_rng(self.seed)

    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        legal = legal_or_error(self._follow(position))
        return legal[random_below(self.rng, len(legal))]


class Person(Player):
    """A person who types moves."""

    spelling = "person"
    moves_at_once = False

    def __init__(self, game: Game, ask: Callable[[str], str] = input, tell: Callable[[str], None] = print) -> None:
        super().__init__(game)
        self.ask, self.tell = ask, tell

    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        """Ask until the answer is a legal move. `luozi play` asks in its own way, with commands beside moves."""
        position = self._follow(position)
        sign = self.game.player_name(position.to_move)
        while True:
            try:
                return read_move(self.game, position.state, self.ask(f"{sign}> "))
            except LuoziError as error:
                self.tell(error.message)


DEFAULT_PLAYOUTS = 1000
UNLIMITED = 2**62
Playouts = Annotated[
    int | None,
    ParameterInfo(
        Message("Playouts a move. Default: {count}, or as many as the seconds allow.", count=f"{DEFAULT_PLAYOUTS:,}"),
        1,
        10**15,
    ),
]


@kernel
def sample(
    game: Game,
    playout: Playout,
    thread: ThreadState,
    progress: Array,
    legal: Array,
    counts: Array,
    sums: Array,
    playouts: int,
) -> None:
    """Play playouts after each legal move in turn.

    `counts` [M, 2] has the playouts and the drawn ones of each move, `sums` [M, players] the results in fixed point.
    """
    while progress[STOP] == 0 and progress[ITERATIONS] < playouts:
        move = progress[ITERATIONS] % legal.shape[0]
        thread.state[0] = thread.root[0]
        game.apply_action(thread.state[0], int(legal[move]))
        if play_at_random(game, playout, thread, progress):  # a playout that was stopped does not count
            counts[move, 0] += 1
            counts[move, 1] += is_draw(thread)
            for player in range(sums.shape[1]):
                sums[move, player] += thread.credit[player]
            progress[ITERATIONS] += 1


class FlatPlayer(KernelPlayer):
    """Flat Monte-Carlo search: playouts after each legal move in turn; the move with the best mean is played.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> flat = FlatPlayer(game, playouts=900, seed=1)
    >>> game.action_to_string(game.new_state(), flat.choose(game.new_state()))
    'b2'
    """

    default_limits = Limits(iterations=DEFAULT_PLAYOUTS)

    def __init__(self, game: Game, playouts: Playouts = None, seconds: Seconds = None, seed: Seed = None) -> None:
        super().__init__(game, seed)
        self.limits = Limits(iterations=playouts or 0, seconds=seconds or 0.0)
        self.progress = np.zeros(PROGRESS_SIZE, np.int64)
        self.playout = game.random_playout()
        self._begin_game()

    def _begin_game(self) -> None:
        self.thread = new_thread(self.game, new_rng(self.seed), self.playout.new_memory())

    def prepare(self) -> None:
        self._set_up(self.game.begin(), [0], NO_LIMITS)

    def _set_up(self, position: Position, legal: list[int], force: Limits) -> None:
        self.legal, players = legal, self.game.players
        self.counts, self.sums = np.zeros((len(legal), 2), np.int64), np.zeros((len(legal), players), np.int64)
        self.thread.root[0] = position.state
        self._sample(0)

    def _sample(self, playouts: int) -> None:
        moves = np.array(self.legal, np.int64), self.counts, self.sums
        kernel_for(self.game, sample)(self.game, self.playout, self.thread, self.progress, *moves, playouts)

    def _work(self, force: Limits) -> None:
        self._sample(force.iterations or UNLIMITED)

    def _tell(self, position: Position, seconds: float) -> SearchResult:
        look_at_rules(self.game, self.progress)
        legal, visits = self.legal, self.counts[:, 0]
        means = self.sums / FIXED_POINT / np.maximum(visits, 1)[:, None]
        means[visits == 0] = 1 / self.game.players
        chosen = self._best(position, legal, visits, means[:, position.to_move])
        moves = {legal[row]: (int(visits[row]), tuple(means[row].tolist())) for row in range(len(legal))}
        draws = {legal[row]: int(self.counts[row, 1]) for row in range(len(legal))}
        work = MoveEffort(int(self.progress[ITERATIONS]), seconds, 1, self.seed)
        return result_of_moves(position, chosen, moves, work, draws)

    def _best(self, position: Position, legal: list[int], visits: Array, means: Array) -> int:
        """Return the move with the best mean, a random one of equals; a pass only if no other move may be as good."""
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


PositionLimit = Annotated[int, ParameterInfo("Positions after which it gives up a game.", 1, 10**15)]
TableSize = Annotated[int, ParameterInfo("Size of the transposition table, in million positions.", 1, 1024)]
SolveSeconds = Annotated[
    float, ParameterInfo("Seconds a move after which it gives up a game; 0 means no limit.", 0, 10**6)
]


class ExactPlayer(Player):
    """Perfect play on boards that are small enough; it gives up a game that it can't solve within its limits.

    The seed decides between equal moves. A guess would not be perfect play: only when it is cancelled, and has to move
    at once, it plays a guess, and `remark` says so.

    >>> import luozi
    >>> game = luozi.game("tictactoe")
    >>> state = game.after(game.after(game.after(game.new_state(), 0), 4), 1)
    >>> game.action_to_string(state, ExactPlayer(game, seed=1).choose(state))
    'c3'
    """

    def __init__(
        self,
        game: Game,
        nodes: PositionLimit = DEFAULT_LIMIT,
        tt_millions: TableSize = DEFAULT_TABLE,
        seconds: SolveSeconds = DEFAULT_SECONDS,
        seed: Seed = None,
    ) -> None:
        super().__init__(game)
        self.solver = Solver(game, tt_millions, nodes, seconds)
        self.seed = secrets.randbits(32) if seed is None else seed
        self._begin_game()

    def _begin_game(self) -> None:
        self.rng = new_rng(self.seed)

    @property
    def bytes(self) -> int:
        return self.solver.bytes

    def prepare(self) -> None:
        self.solver.compile()

    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        position = self._follow(position)
        state = position.state
        legal = legal_or_error(position)
        self.thought, self.remark = None, ""
        try:
            solution, values = self.solver.solve_moves(state, limits, cancel)
        except LuoziError as error:
            if cancel.is_set():
                return self._guess(state, legal)
            if self.solver.progress[TOO_LONG]:  # a defect of the game's rules
                raise
            raise ForfeitError(Message("gave up: {reason}", reason=error)) from None
        best = without_pass(self.game, self._soonest(state, best_for_mover(self.game, state, values)))
        chosen = best[random_below(self.rng, len(best))]
        moves = {action: (1, results) for action, results in values.items()}  # exact values, as if visited once
        work = MoveEffort(solution.nodes, solution.seconds, 0, self.seed, sampled=False)
        found = result_of_moves(position, chosen, moves, work)
        certain = tuple(one._replace(proven=True) for one in found.candidates)
        self.thought = replace(found, candidates=certain, tied=self.solver.tied)
        return chosen

    def _guess(self, state: State, legal: list[int]) -> int:
        """Return a move that wins at once, or any move."""
        self.remark = Message("stopped before it had solved {game}: this move is a guess", game=self.game.spelling)
        moves = without_pass(self.game, self._winning(state, legal) or legal)
        return moves[random_below(self.rng, len(moves))]

    def _soonest(self, state: State, best: list[int]) -> list[int]:
        """Return the equal moves that win at once; if none does, those that do not let the next player win at once."""
        won = self._winning(state, best)
        if won:
            return won
        following = {action: self.game.after(state, action) for action in best}
        return [a for a in best if not self._winning(following[a], self.game.legal_list(following[a]))] or best

    def _winning(self, state: State, actions: list[int]) -> list[int]:
        """Return the moves that end the game with a win for the player to move."""
        player = int(self.game.current_player(state)) if actions else 0
        endings = {action: self.game.after(state, action) for action in actions}
        over = [action for action in actions if self.game.is_terminal(endings[action])]
        return [action for action in over if self.game.result(endings[action])[player] >= 1.0]
