"""`flat`: flat Monte Carlo. Random simulations for each legal move in turn; the best mean is played. There is no tree.

`run_with_clock`, which the other compiled players use too, is here as well.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from luozi.compiled import kernel, new_rng, random_below
from luozi.errors import LuoziError
from luozi.game import Game
from luozi.players.player import Player
from luozi.search import Candidate, Thought
from luozi.search.kernel import ITERATIONS, PROGRESS_SIZE, STOP, Scratch, new_scratch, simulate
from luozi.search.tree import FIXED_POINT

Array = npt.NDArray[Any]

DEFAULT_SIMULATIONS = 1000
UNLIMITED = 2**62


@kernel
def sample(
    game: Any, scratch: Scratch, progress: Array, legal: Array, visits: Array, sums: Array, simulations: int
) -> None:
    """Give each legal move one simulation in turn; `visits` and `sums` (in fixed point) have a row for each move."""
    while progress[STOP] == 0 and progress[ITERATIONS] < simulations:
        move = progress[ITERATIONS] % legal.shape[0]
        scratch.state[0] = scratch.root[0]
        game.apply_action(scratch.state[0], int(legal[move]))
        simulate(game, scratch, progress)
        if progress[STOP] == 0:  # a simulation that was cut short does not count
            visits[move] += 1
            for player in range(sums.shape[1]):
                sums[move, player] += scratch.credit[player]
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
        self.simulations = simulations or (UNLIMITED if seconds else DEFAULT_SIMULATIONS)
        self.seconds = seconds
        self.seed = secrets.randbits(32) if seed is None else seed
        self.progress = np.zeros(PROGRESS_SIZE, np.int64)
        self.new_game()

    def new_game(self) -> None:
        self.scratch = new_scratch(self.game, new_rng(self.seed))

    def stop(self) -> None:
        self.progress[STOP] = 1

    def choose(self, state: Any) -> int:
        self.progress[:] = 0
        legal = legal_or_error(self.game, state)
        actions = np.array(legal, np.int64)
        visits, sums = np.zeros(len(legal), np.int64), np.zeros((len(legal), self.game.players), np.int64)
        self.scratch.root[0] = state
        run = kernel_for(self.game, sample)
        shared = self.game, self.scratch, self.progress, actions, visits, sums
        run(*shared, 0)  # compiled before the clock starts
        began = time.perf_counter()
        run_with_clock(lambda: run(*shared, self.simulations), self.progress, self.seconds)
        means = sums / FIXED_POINT / np.maximum(visits, 1)[:, None]
        means[visits == 0] = 1 / self.game.players
        player = int(self.game.current_player(state))  # type: ignore[attr-defined]
        scores = np.where(visits > 0, means[:, player], -1.0)
        ties = np.flatnonzero(scores == scores.max())
        chosen = legal[int(ties[random_below(self.scratch.rng, len(ties))])]
        moves = {legal[row]: (int(visits[row]), tuple(means[row].tolist())) for row in range(len(legal))}
        work = Work(int(self.progress[ITERATIONS]), time.perf_counter() - began, 1, self.seed)
        self.thought = thought_of(self.game, state, chosen, moves, work)
        return chosen


class Work(NamedTuple):
    """What a move took."""

    iterations: int
    seconds: float
    depth: int
    seed: int


def thought_of(
    game: Game, state: Any, chosen: int, moves: dict[int, tuple[int, tuple[float, ...]]], work: Work
) -> Thought:
    """What a player without a tree has to say: visits and means of each move, the chosen one first, then by mean."""
    player = int(game.current_player(state))  # type: ignore[attr-defined]
    order = sorted(moves, key=lambda action: (action != chosen, -moves[action][1][player], action))
    candidates = [Candidate(action, game.action_to_string(state, action), *moves[action]) for action in order]
    return Thought(
        action=chosen,
        player=player,
        candidates=tuple(candidates),
        variation=(candidates[0].name,),
        iterations=work.iterations,
        seconds=work.seconds,
        nodes=len(candidates),
        bytes=0,
        depth=work.depth,
        kept=0,
        pool_full=False,
        seed=work.seed,
    )


def legal_or_error(game: Game, state: Any) -> list[int]:
    """The legal moves; one sentence if there is none."""
    legal = game.legal_list(state)
    if not legal:
        raise LuoziError("the game is over: there is no move to choose")
    return legal


def kernel_for(game: Game, function: Any) -> Callable[..., Any]:
    """A kernel as it runs for a game: compiled, or as plain Python where the rules can't be compiled."""
    chosen: Callable[..., Any] = function if getattr(game, "compilable", True) else function.py_func
    return chosen


def run_with_clock(work: Callable[[], Any], progress: Array, seconds: float | None = None) -> None:
    """Run a kernel in a thread of its own until it ends or its time is up, so that Ctrl-C and `stop` get through."""
    failure: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:
            failure.append(error)

    worker = threading.Thread(target=guarded, daemon=True)
    worker.start()
    try:
        worker.join(seconds or None)
    finally:
        progress[STOP] |= int(worker.is_alive())
        worker.join()
    if failure:
        raise failure[0]
