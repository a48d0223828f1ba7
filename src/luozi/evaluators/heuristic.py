"""A game's own estimate of a position (`evaluate`, which alpha-beta uses too), alone or mixed with a simulation."""

from __future__ import annotations

from luozi.compiled import Array, Compilable, inline
from luozi.evaluators.playouts import Simulation, any_move, play_out
from luozi.evaluators.thread_state import FIXED_POINT, ThreadState
from luozi.evaluators.variants import Variants
from luozi.rules.game import Game
from luozi.rules.playout import Playout


class StaticEvaluator(Compilable):
    """No simulation at all."""

    entry_points = ("evaluate",)

    def new_memory(self) -> Array:
        """It needs none."""
        return Playout().new_memory()

    def evaluate(self, game: Game, thread: ThreadState, variants: Variants, progress: Array) -> bool:
        estimate(game, thread)
        return True


class Assessment(StaticEvaluator):
    """The game's `priors_and_values`: what the position is worth, and priors for its moves, in one call."""

    def evaluate(self, game: Game, thread: ThreadState, variants: Variants, progress: Array) -> bool:
        state = thread.state[0]
        if game.is_terminal(state):
            game.returns(state, thread.results)
        else:
            game.priors_and_values(state, thread.chances, thread.results)
        credit_results(thread)
        return True


class MixedPlayout(Simulation):
    """A simulation, and the estimate with a weight."""

    def evaluate(self, game: Game, thread: ThreadState, variants: Variants, progress: Array) -> bool:
        estimate(game, thread)
        for player in range(thread.credit.shape[0]):
            thread.estimate[player] = thread.credit[player]
        if not play_out(game, self, thread, variants, progress):
            return False
        for player in range(thread.credit.shape[0]):
            mixed = variants.mix * thread.estimate[player] + (1.0 - variants.mix) * thread.credit[player]
            thread.credit[player] = int(mixed + 0.5)
        return True

    def next_move(self, game: Game, thread: ThreadState, variants: Variants) -> int:
        return any_move(game, self.playout, thread, variants)


@inline
def estimate(game: Game, thread: ThreadState) -> None:
    """Credit what the game guesses, or the result where it is over."""
    state = thread.state[0]
    if game.is_terminal(state):
        game.returns(state, thread.results)
    else:
        game.evaluate(state, thread.results)
    credit_results(thread)


@inline
def credit_results(thread: ThreadState) -> None:
    """Credit what stands in the results, in fixed point."""
    for player in range(thread.credit.shape[0]):
        thread.credit[player] = int(thread.results[player] * FIXED_POINT + 0.5)
