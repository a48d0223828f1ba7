"""`exact`: perfect play on small boards by the exact solver."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Annotated

from luozi.compiled import new_rng, random_below
from luozi.limits import NEVER, NO_LIMITS, Cancel, Limits
from luozi.messages import LuoziError, Message
from luozi.players.answer import MoveEffort, legal_or_error, thought_of, without_pass
from luozi.players.base import ForfeitError, Player, Seed
from luozi.rules.game import Game, State
from luozi.rules.position import Position
from luozi.solvers.solver import DEFAULT_LIMIT, DEFAULT_SECONDS, DEFAULT_TABLE, Solver, best_for_mover
from luozi.solvers.stack import TOO_LONG
from luozi.util.parameters import ParameterInfo

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
            if self.solver.progress[TOO_LONG]:  # the fault of the rules
                raise
            raise ForfeitError(Message("gave up: {reason}", reason=error)) from None
        best = without_pass(self.game, self._soonest(state, best_for_mover(self.game, state, values)))
        chosen = best[random_below(self.rng, len(best))]
        moves = {action: (1, results) for action, results in values.items()}  # exact, as if seen once
        work = MoveEffort(solution.nodes, solution.seconds, 0, self.seed, sampled=False)
        found = thought_of(position, chosen, moves, work)
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
