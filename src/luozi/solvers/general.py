"""Any game for the exact solver: the memory that the compiled search, depth first, works in."""

from __future__ import annotations

import numpy as np

from luozi.compiled import Array, new_rng, random_below
from luozi.rules.game import Game
from luozi.rules.kernel_runner import kernel_for
from luozi.rules.state import State
from luozi.solvers.base import ExactSearch
from luozi.solvers.depth_first import BEST, FRAME_SIZE, NOTE_BITS, RESULTS, SAME, TIED, WINDOW_SIZE, Proof, prove
from luozi.solvers.stack import UNEQUAL, new_stack
from luozi.solvers.table import new_table, table_bytes

TRIES = 30  # random games before the first answer; plain Python, so few
EVEN = 0.5  # what a move promises where a game says nothing


class GeneralSearch(ExactSearch):
    """A game, a stack and a table. Where rules are plain Python a few positions can take long: none are brief."""

    def __init__(self, game: Game, millions: float, compiled: bool) -> None:
        self.game, self.millions = game, millions
        self.alone = game.has_single_winner
        self.cuts, self.asked = game.players == 2 and self.alone, False
        self.proof = new_proof(game)
        self.proof.rank[:] = search_order(game) if self.cuts else np.arange(game.actions)
        self.forget()
        self._prove = kernel_for(game, prove, compiled)

    def forget(self) -> None:
        """Start with an empty table."""
        self.table = new_table(place_bits_for(self.millions), NOTE_BITS, RESULTS + self.game.players)

    @staticmethod
    def bytes_for(game: Game, millions: float) -> int:
        """How much memory the table for so many millions of positions takes."""
        return table_bytes(place_bits_for(millions), RESULTS + game.players)

    def begin(self, state: State) -> None:
        """Take a position up; the first time, see whether results add up to 1 where the game does not say so."""
        self.proof.stack.states[0] = state
        if self.cuts and self.game.single_winner is None and not self.asked:
            self.asked = True
            if any(abs(sum(random_result(self.game, state, new_rng(seed))) - 1.0) > SAME for seed in range(TRIES)):
                self._stop_cutting()

    def work(self, progress: Array, limit: int) -> None:
        """Solve it."""
        self._prove(self.game, self.proof, self.table, progress, limit, self.cuts, self.alone)

    def must_repeat(self, progress: Array) -> bool:
        """Whether results do not add up to 1: alpha-beta would be wrong, and is given up."""
        if not progress[UNEQUAL]:
            return False
        self._stop_cutting()
        return True

    def _stop_cutting(self) -> None:
        """Look at all moves from now on."""
        self.cuts, self.alone = False, False
        self.proof.rank[:] = np.arange(self.game.actions)
        self.forget()

    def values(self) -> tuple[float, ...]:
        """The result of each player."""
        return tuple(self.proof.results[0].tolist())

    def certain(self) -> bool:
        """Whether these do not depend on how ties are broken."""
        return not self.proof.stack.frames[0, TIED]

    def best(self) -> int:
        """A move that reaches these; -1 if the game is over."""
        return int(self.proof.stack.frames[0, BEST])


def random_result(game: Game, state: State, rng: Array) -> list[float]:
    """The result of a random game; a draw where the rules go on for ever or know no move."""
    state = state.copy()
    for _ in range(game.length_limit + 1):
        if game.is_terminal(state):
            return game.result(state)
        legal = game.legal_list(state)
        if not legal:
            break
        game.apply_action(state, legal[random_below(rng, len(legal))])
    return [1.0 / game.players] * game.players


def place_bits_for(millions: float) -> int:
    """The largest table with no more places than so many millions of positions, as a power of two.

    >>> place_bits_for(1), place_bits_for(3), place_bits_for(0.25)
    (20, 21, 18)
    """
    return int(millions * (1 << 20)).bit_length() - 1


def new_proof(game: Game) -> Proof:
    """Room for one line of play."""
    size = game.length_limit + 2
    return Proof(
        stack=new_stack(game, size, FRAME_SIZE),
        results=np.zeros((size, game.players), np.float64),
        windows=np.zeros((size, WINDOW_SIZE), np.float64),
        legal=np.zeros(game.actions, np.int32),
        rank=np.zeros(game.actions, np.int32),
    )


def search_order(game: Game) -> Array:
    """The rank of each action: what promises most at the start of the game comes first, else the natural order."""
    state = game.new_state()
    actions = np.array(game.legal_list(state), np.int32)
    promises, values = np.full(game.actions, EVEN), np.full(len(actions), EVEN)
    if len(actions):
        game.priors(state, actions, len(actions), values)
    promises[actions] = values
    rank = np.empty(game.actions, np.int64)
    rank[np.argsort(-promises, kind="stable")] = np.arange(game.actions)
    return rank
