"""Which moves stay legal under the rules of pruning that look one move ahead, in the tree and in simulations alike.

A game may tell the winning moves of any player (`winning_actions`); those of the player to move can also be found by
trying all.
"""

from __future__ import annotations

import numpy as np

from luozi.compiled import Array, apart, inline, signed
from luozi.evaluators.thread_state import STAMP, ThreadState
from luozi.evaluators.variants import CUT_BLOCKS, CUT_GIFTS, CUT_WINS, Variants
from luozi.rules.game import Game

EVERYTHING = -1  # no rule applies


@apart
def allowed_moves(game: Game, thread: ThreadState, variants: Variants) -> tuple[int, int]:
    """Write the moves that stay into `thread.moves`; how many, or EVERYTHING, and the rule that took others away."""
    states, results = thread.state, thread.results
    player, moves, spare = signed(game.current_player(states[0])), thread.moves, thread.spare
    count = winning_moves(game, states, 0, spare, 0, results, moves)
    if count > 0 and variants.take_wins:
        return count, CUT_WINS
    if variants.block_wins and count == 0:
        for turns in range(1, game.players):
            count = told_wins(game, states, 0, (player + turns) % game.players, moves)
            if count >= turns:  # those who move before can't fill all of them
                count = legal_ones(game, thread, count)
                if count > 0:
                    return count, CUT_BLOCKS
    if not variants.avoid_gifts:
        return EVERYTHING, CUT_WINS
    legal, count = signed(game.legal_actions(states[0], moves)), 0
    for index in range(legal):
        spare[0] = states[0]
        game.apply_action(spare[0], np.int64(moves[index]))  # type: ignore[arg-type]
        gift = not game.is_terminal(spare[0]) and game.current_player(spare[0]) != player
        if not gift or winning_moves(game, spare, 0, spare, 1, results, thread.replies) == 0:
            moves[count] = moves[index]
            count += 1
    return count if 0 < count < legal else EVERYTHING, CUT_GIFTS


@apart
def told_wins(game: Game, states: Array, at: int, player: int, moves: Array) -> int:
    """What the game says about the moves that would win for a player; where it does not know, there are none."""
    return max(0, signed(game.winning_actions(states[at], player, moves)))


@apart
def winning_moves(game: Game, states: Array, at: int, spare: Array, free: int, results: Array, moves: Array) -> int:
    """The moves that win at once for the player to move: told by the game, or found by trying all."""
    return signed(game.immediate_wins(states, at, spare, free, results, moves))


@inline
def legal_ones(game: Game, thread: ThreadState, count: int) -> int:
    """Keep those of the first moves in `thread.moves` that the player to move may play; how many they are."""
    thread.counts[STAMP] += 1
    for index in range(game.legal_actions(thread.state[0], thread.replies)):
        thread.stamps[thread.replies[index]] = thread.counts[STAMP]
    kept = 0
    for index in range(count):
        if thread.stamps[thread.moves[index]] == thread.counts[STAMP]:
            thread.moves[kept] = thread.moves[index]
            kept += 1
    return kept
