"""Players without a tree: how they run within limits, and what they have to say about a move."""

from __future__ import annotations

import secrets
import time
from abc import abstractmethod
from collections.abc import Mapping
from typing import NamedTuple

from luozi.compiled import Array, new_rng
from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits, limits_in_force
from luozi.messages import LuoziError
from luozi.players.base import Player
from luozi.rules.game import Game, State
from luozi.rules.kernel_runner import run_stoppable
from luozi.rules.position import Position
from luozi.search import Candidate, SearchResult
from luozi.search.result import Namer
from luozi.search.rule_warnings import refuse_no_moves
from luozi.util.win_rates import EVALUATION, WINS

NO_DRAWS: Mapping[int, int] = {}


class MoveEffort(NamedTuple):
    """What a move took."""

    iterations: int
    seconds: float
    depth: int
    seed: int
    sampled: bool = True  # whether means come from simulations


def thought_of(
    position: Position,
    chosen: int,
    moves: dict[int, tuple[int, tuple[float, ...]]],
    work: MoveEffort,
    draws: Mapping[int, int] = NO_DRAWS,
) -> SearchResult:
    """What a player without a tree has to say: visits and means of each move, the chosen one first, then by mean."""
    player = position.to_move
    order = sorted(moves, key=lambda action: (action != chosen, -moves[action][1][player], action))
    candidates = [Candidate(action, *moves[action], draws=draws.get(action, 0), position=position) for action in order]
    return SearchResult(
        action=chosen,
        player=player,
        candidates=tuple(candidates),
        expected=(chosen,),
        iterations=work.iterations,
        seconds=work.seconds,
        nodes=len(candidates),
        bytes=0,
        depth=work.depth,
        reused_visits=0,
        pool_full=False,
        seed=work.seed,
        sampled=work.sampled,
        positions=not work.sampled,
        namer=Namer(position),
        kind=WINS if work.sampled else EVALUATION,
    )


def without_pass(game: Game, moves: list[int]) -> list[int]:
    """The same moves without the pass; with it where it is the only one.

    >>> import luozi
    >>> game = luozi.game("go:size=5")
    >>> without_pass(game, [3, game.pass_action]), without_pass(game, [game.pass_action])
    ([3], [25])
    """
    return [action for action in moves if action != game.pass_action] or moves


def legal_or_error(position: Position) -> list[int]:
    """The legal moves; one sentence if there is none, or nobody to make them."""
    if position.returns is not None:
        raise LuoziError("the game is over: there is no move to choose")
    assert position.to_move >= 0
    actions = position.actions
    if not actions:
        refuse_no_moves(position.game, position.state, actions)
    return list(actions)


class KernelPlayer(Player):
    """Runs a kernel until it has done its work, the time is up or it is cancelled."""

    limits = default_limits = NO_LIMITS  # its own, and those in force where there are none
    progress: Array  # what the kernel counts, first of all the stop flag

    def __init__(self, game: Game, seed: int | None) -> None:
        super().__init__(game)
        self.seed = secrets.randbits(32) if seed is None else seed
        self.rng = new_rng(self.seed)

    def _begin_game(self) -> None:
        self.rng = new_rng(self.seed)

    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        position = self._follow(position)
        legal, force = legal_or_error(position), limits_in_force(limits, self.limits, self.default_limits)
        self.progress[:] = 0
        self._set_up(position, legal, force)
        began = time.perf_counter()
        end = began + force.seconds if force.seconds else None
        run_stoppable(lambda: self._work(force), self.progress, cancel, end)
        self.thought = self._tell(position, time.perf_counter() - began)
        return self.thought.action

    @abstractmethod
    def _set_up(self, position: Position, legal: list[int], force: Limits) -> None:
        """Get ready for a position, and have the kernel compiled before the clock starts."""

    @abstractmethod
    def _work(self, force: Limits) -> None:
        """Run the kernel."""

    @abstractmethod
    def _tell(self, position: Position, seconds: float) -> SearchResult:
        """What was found out in that time."""
