"""Simulations: a position is worth what a random game from it ends with.

An evaluator writes what each player gets into `thread.credit`, in fixed point, and how it came to that into
`thread.counts`. It answers False when the stop flag came first, which says nothing about the position.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from luozi.compiled import Array, Compilable, apart, inline, signed
from luozi.compiled.atomics import fetch_add
from luozi.compiled.random import random_below
from luozi.evaluators.decisive_moves import EVERYTHING, allowed_moves
from luozi.evaluators.thread_state import FINISHED, FIXED_POINT, SIMULATED, STOP, STUCK, TOO_LONG, ThreadState
from luozi.evaluators.variants import Variants
from luozi.rules.game import Game
from luozi.rules.playout import Playout


class Simulation(Compilable):
    """What all simulations have: the game's object that chooses moves, with memory of its own."""

    entry_points: tuple[str, ...] = ("evaluate", "next_move")

    def __init__(self, playout: Playout) -> None:
        self.playout = playout

    def new_memory(self) -> Array:
        """Memory for the thread that simulates."""
        return self.playout.new_memory()


class MovingSimulation(Protocol):
    """A simulation that chooses each move by itself."""

    playout: Playout

    def next_move(self, game: Game, thread: ThreadState, variants: Variants) -> int: ...


class RandomPlayout(Simulation):
    """Every move is drawn from the legal ones; a game that its own length cuts short counts as shared."""

    entry_points = ("evaluate",)

    def evaluate(self, game: Game, thread: ThreadState, variants: Variants, progress: Array) -> bool:
        return play_at_random(game, self.playout, thread, progress)


class PolicyPlayout(Simulation):
    """Every move is the game's own policy's. Results may decay with the length, or be cut at a horizon."""

    def evaluate(self, game: Game, thread: ThreadState, variants: Variants, progress: Array) -> bool:
        return play_out(game, self, thread, variants, progress)

    def next_move(self, game: Game, thread: ThreadState, variants: Variants) -> int:
        return signed(self.playout.next(game, thread.state[0], thread.memory[0], thread.rng, thread.actions))


class AnyPlayout(Simulation):
    """Moves are random or the policy's, and the rules that look one move ahead may hold."""

    def evaluate(self, game: Game, thread: ThreadState, variants: Variants, progress: Array) -> bool:
        if variants.uniform:
            return play_at_random(game, self.playout, thread, progress)
        return play_out(game, self, thread, variants, progress)

    def next_move(self, game: Game, thread: ThreadState, variants: Variants) -> int:
        return any_move(game, self.playout, thread, variants)


@inline
def any_move(game: Game, playout: Playout, thread: ThreadState, variants: Variants) -> int:
    """The next move of a simulation; -1 if there is none."""
    told_by_policy = variants.policy and game.policy_takes_wins and not variants.avoid_gifts
    ruled = (variants.take_wins or variants.block_wins or variants.avoid_gifts) and not variants.tree_only
    if ruled and not told_by_policy:
        count, _ = allowed_moves(game, thread, variants)
        if count != EVERYTHING:
            return signed(thread.moves[random_below(thread.rng, count)])
    if ruled and not variants.policy:
        playout.begin(game, thread.state[0], thread.memory[0])  # the last move may not have been drawn
    return signed(playout.next(game, thread.state[0], thread.memory[0], thread.rng, thread.actions))


@inline
def play_at_random(game: Game, playout: Playout, thread: ThreadState, progress: Array) -> bool:
    """Play random moves to the end; False if the stop flag came first."""
    state, moves, limit = thread.state[0], 0, thread.path.shape[0]
    finished, memory = True, thread.memory[0]
    playout.begin(game, state, memory)
    while not game.is_terminal(state):
        if progress[STOP] != 0:
            return False
        action = np.int64(playout.next(game, state, memory, thread.rng, thread.actions))
        if action < 0 or moves > limit:
            finished = False
            break
        game.apply_action(state, action)  # type: ignore[arg-type]
        moves += 1
    thread.counts[FINISHED] = finished
    if finished:
        game.returns(state, thread.results)
    else:
        fetch_add(progress, TOO_LONG if moves > limit else STUCK, 1)  # threads count at the same time
    players = thread.credit.shape[0]
    for player in range(players):
        result = thread.results[player] if finished else 1.0 / players
        thread.credit[player] = signed(result * FIXED_POINT + 0.5)
    return True


@apart
def count_owners(game: Game, playout: Playout, thread: ThreadState) -> None:
    """Add whose each point is to the sums of the root's move that this iteration began with."""
    owners, row = thread.owners, thread.row[0]
    if row < 0:  # from the root itself
        return
    for point in range(game.points):
        owners[point] = 0
    playout.finish(game, thread.state[0], thread.memory[0], owners)
    thread.owned_games[row] += 1
    for point in range(game.points):
        if owners[point] > 0:
            thread.owned[row, owners[point] - 1, point] += 1


@inline
def play_out(
    game: Game, simulation: MovingSimulation, thread: ThreadState, variants: Variants, progress: Array
) -> bool:
    """Play a simulation's moves to the end, and write them down; False if the stop flag came first.

    At the horizon it is a draw; a game cut short by its own length counts as shared.
    """
    state, moves, limit, finished = thread.state[0], 0, thread.path.shape[0], True
    shrink, cut = 1.0, 1.0 / thread.credit.shape[0]
    if variants.horizon > 0:
        limit, cut = min(limit, variants.horizon), 0.5
    simulation.playout.begin(game, state, thread.memory[0])
    while not game.is_terminal(state):
        if progress[STOP] != 0:
            return False
        action = -1 if moves >= limit else simulation.next_move(game, thread, variants)
        if action < 0:
            finished = False
            break
        thread.played[moves, 0], thread.played[moves, 1] = action, game.current_player(state)
        game.apply_action(state, np.int64(action))  # type: ignore[arg-type]
        moves += 1
        shrink *= variants.decay
    thread.counts[SIMULATED], thread.counts[FINISHED] = moves, finished
    if finished:
        game.returns(state, thread.results)
        if variants.ownership:
            count_owners(game, simulation.playout, thread)
    elif moves < limit or moves == thread.path.shape[0]:  # not at the horizon
        fetch_add(progress, STUCK if moves < limit else TOO_LONG, 1)
    for player in range(thread.credit.shape[0]):
        result = thread.results[player] if finished else cut
        thread.credit[player] = signed(result * shrink * FIXED_POINT + 0.5)
    return True
