"""`flat`: flat Monte-Carlo search, playouts after each legal move in turn, without a tree."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from luozi.compiled import Array, kernel, new_rng, random_below
from luozi.evaluators.playouts import play_at_random
from luozi.evaluators.thread_state import FIXED_POINT, ITERATIONS, PROGRESS_SIZE, STOP, ThreadState, new_thread
from luozi.limits import NO_LIMITS, Limits
from luozi.messages import Message
from luozi.players.answer import KernelPlayer, MoveEffort, thought_of
from luozi.players.base import Seconds, Seed
from luozi.rules.game import Game
from luozi.rules.kernel_runner import kernel_for
from luozi.rules.playout import Playout
from luozi.rules.position import Position
from luozi.search import Candidate, SearchResult
from luozi.search.backpropagation import is_draw
from luozi.search.passes import ends_by_pass, is_better
from luozi.search.rule_warnings import look_at_rules
from luozi.util.parameters import ParameterInfo

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
        return thought_of(position, chosen, moves, work, draws)

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
