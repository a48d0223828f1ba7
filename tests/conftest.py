"""Shared helpers of the tests."""

from __future__ import annotations

import numpy as np
import pytest

import luozi
from luozi.compiled import kernel, new_rng


@kernel
def play_random_games(game, playout, root, work, memory, rng, actions, results, totals, games):
    """Play random games compiled; add up the results of each player; return the number of moves."""
    moves = 0
    for _ in range(games):
        work[0] = root[0]
        state = work[0]
        playout.begin(game, state, memory[0])
        while not game.is_terminal(state):
            game.apply_action(state, playout.next(game, state, memory[0], rng, actions))
            moves += 1
        game.returns(state, results)
        for player in range(results.shape[0]):
            totals[player] += results[player]
            totals[results.shape[0]] += results[player] == 0.5
    return moves


class RandomGames:
    """Statistics of many compiled random games."""

    def __init__(self, spelling: str, games: int, seed: int = 1) -> None:
        game = luozi.game(spelling)
        playout = game.random_playout()
        root, work = game.empty_states(1), game.empty_states(1)
        root[0] = game.new_state()
        totals = np.zeros(game.players + 1)
        moves = play_random_games(
            *(game, playout, root, work, playout.new_memory(), new_rng(seed)),
            *(np.zeros(game.actions, np.int32), np.zeros(game.players), totals, games),
        )
        self.length = moves / games
        self.draws = totals[-1] / game.players / games
        self.shares = totals[:-1] / games - self.draws / 2  # wins alone


@pytest.fixture(scope="session")
def random_games() -> type[RandomGames]:
    return RandomGames
