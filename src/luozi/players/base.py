"""The interface of all players, their errors and shared parameters, and what players without a tree have in common."""

from __future__ import annotations

import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from luozi.compiled import Array, new_rng
from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits, limits_in_force
from luozi.messages import LuoziError
from luozi.removed import missing
from luozi.rules.game import Game, State
from luozi.rules.kernel_runner import run_stoppable
from luozi.rules.position import Position
from luozi.search import Candidate, SearchResult
from luozi.search.result import Namer
from luozi.search.rule_warnings import refuse_no_moves
from luozi.util.parameters import ParameterInfo
from luozi.util.win_rates import EVALUATION, WINS

LEAST_SECONDS = 0.001
Seed = Annotated[
    int | None,
    ParameterInfo("Seed of the random numbers: the same seed repeats the moves. Default: random.", 0, 2**63 - 1),
]
Seconds = Annotated[float | None, ParameterInfo("Seconds a move. Default: no limit.", LEAST_SECONDS, 10**6)]


class ForfeitError(LuoziError):
    """A player can't go on or broke the rules, and loses; the message is what it did, such as 'ended early'."""


class ResignationError(LuoziError):
    """A player resigns."""


class StoppedError(LuoziError):
    """A player was cancelled and has no move."""


class Player(ABC):
    """One player of one game. `choose` returns its move, within limits and until its Cancel is set."""

    spelling: str = ""  # its specification, such as `mcts:iterations=1000`
    thought: SearchResult | None = None  # the result of its last search; None where it does not search
    remark: str = ""  # a warning about its last move, such as that the move is a guess
    moves_at_once = True  # whether it has a move when its Cancel is set
    serves_all_seats = False  # whether one object plays all seats with the same specification

    def __init__(self, game: Game) -> None:
        self.game = game
        self._last: Position | None = None  # the last position with a history that `choose` was given

    def __repr__(self) -> str:
        """Return the player's class, its specification and its game."""
        return f"<{type(self).__name__} {self.spelling or 'of no name'} for {self.game.spelling}>"

    @property
    def bytes(self) -> int:
        """The size of its tables in bytes, when they are full."""
        return 0

    @abstractmethod
    def choose(self, position: Position | State, limits: Limits = NO_LIMITS, cancel: Cancel = NEVER) -> int:
        """Return a legal action in a position in which this player is to move.

        Each limit in force is the smaller one of `limits` and the player's own; a player keeps the limits that it can
        count. When `cancel` is set, the player moves at once.

        Raises:
            ForfeitError: the player failed or broke the rules.
            ResignationError: the player resigns.
            StoppedError: `cancel` was set, and the player has no move (`moves_at_once` is false).
        """

    def _follow(self, given: Position | State) -> Position:
        """Return the position to choose in, and reset what the last position and this one do not share.

        A state alone has no history and counts as part of the same game.
        """
        position = Position.of(self.game, given)
        if not position.has_history:
            return position
        last, self._last = self._last, position
        if position.is_of_another_game(last):
            self._begin_game()
        elif last is not None and position != last and not position.is_after(last):
            self._go_back()
        return position

    def _begin_game(self) -> None:  # noqa: B027
        """Reset everything that earlier games left: a match must not depend on the order of its games."""

    def _go_back(self) -> None:  # noqa: B027
        """Reset what depends on the moves before: some were taken back, or another variation is played."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise an error that names the replacement of an attribute that is gone."""
            raise missing(type(self), name)

    def prepare(self) -> None:  # noqa: B027
        """Compile the player's kernels, so that the first move does not wait for it."""

    def close(self) -> None:  # noqa: B027
        """End an external program and free memory. The player must not be used afterwards."""


NO_DRAWS: Mapping[int, int] = {}


class MoveEffort(NamedTuple):
    """The work of one move."""

    iterations: int
    seconds: float
    depth: int
    seed: int
    sampled: bool = True  # whether means come from playouts


def result_of_moves(
    position: Position,
    chosen: int,
    moves: dict[int, tuple[int, tuple[float, ...]]],
    work: MoveEffort,
    draws: Mapping[int, int] = NO_DRAWS,
) -> SearchResult:
    """Return the search result of a player without a tree: visits and means by move, the chosen move first, then by
    mean.
    """
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
    """Return the moves without the pass, unless it is the only one.

    >>> import luozi
    >>> game = luozi.game("go:size=5")
    >>> without_pass(game, [3, game.pass_action]), without_pass(game, [game.pass_action])
    ([3], [25])
    """
    return [action for action in moves if action != game.pass_action] or moves


def legal_or_error(position: Position) -> list[int]:
    """Return the legal moves.

    Raises:
        LuoziError: the game is over, or a rule of its class is wrong.
    """
    if position.returns is not None:
        raise LuoziError("the game is over: there is no move to choose")
    assert position.to_move >= 0
    actions = position.actions
    if not actions:
        refuse_no_moves(position.game, position.state, actions)
    return list(actions)


class KernelPlayer(Player):
    """A player that runs a kernel until its work is done, the time is up or it is cancelled."""

    limits = default_limits = NO_LIMITS  # its own limits, and those in force if there are none
    progress: Array  # [.] i8 what the kernel counts; the first element is the stop flag

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
        """Prepare for a position, and compile the kernel before the clock starts."""

    @abstractmethod
    def _work(self, force: Limits) -> None:
        """Run the kernel within the limits in force."""

    @abstractmethod
    def _tell(self, position: Position, seconds: float) -> SearchResult:
        """Return the result of the search, which took `seconds`."""
