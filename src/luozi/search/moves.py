"""Which moves stay legal under the rules of pruning that look one move ahead, in the tree and in simulations alike.

A game may tell the winning moves of any player (`winning_actions`); those of the player to move can also be found by
trying all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from luozi.compiled import apart, inline
from luozi.search.kernel import Scratch
from luozi.search.position import hash_mask, word_type
from luozi.search.tree import Array
from luozi.search.variants import CUT_BLOCKS, CUT_GIFTS, CUT_WINS, Variants

EVERYTHING = -1  # no rule applies
# Places in Work.counts: a stamp for this iteration, its random moves, and the edge that was won for certain, if any:
# how far down the path (0: none; the root's edge is 1), by whom, and whether by the first random move. SHARED_WIN is 1
# once a result was seen that leaves others something of a win.
STAMP, SIMULATED, WON, WINNER, LUCKY, SHARED_WIN, COUNTS = 0, 1, 2, 3, 4, 5, 6


class Work(NamedTuple):
    """Working memory of the full search, beside `Scratch`."""

    movers: Array  # [max_length + 2] i8: who moved along each edge of the path
    spare: Array  # [2] positions to try moves on
    moves: Array  # [actions] i4: the moves of a node
    replies: Array  # [actions] i4: the moves after one of them
    values: Array  # [actions] f8: what the game's heuristic says of `moves`
    means: Array  # [actions] f8: of an ancestor's moves
    stamps: Array  # [actions] i8: which of `means` are this node's, or which moves are legal
    played: Array  # [max_length + 2, 2] i4: action and player of each random move
    seen: Array  # [actions] i8: who was the first to play a move later in this iteration
    counts: Array  # [COUNTS] i8
    words: Array  # the position that the search is at, as whole numbers
    mask: Array  # ones where its bits say something about the position


def new_work(game: Any, scratch: Scratch) -> Work:
    """Working memory for a game."""
    length = game.length_limit + 2
    return Work(
        movers=np.zeros(length, np.int64),
        spare=game.empty_states(2),
        moves=np.zeros(game.actions, np.int32),
        replies=np.zeros(game.actions, np.int32),
        values=np.zeros(game.actions, np.float64),
        means=np.zeros(game.actions, np.float64),
        stamps=np.zeros(game.actions, np.int64),
        played=np.zeros((length, 2), np.int32),
        seen=np.zeros(game.actions, np.int64),
        counts=np.zeros(COUNTS, np.int64),
        words=scratch.state.view(np.ndarray).view(np.uint8).view(word_type(game)),
        mask=hash_mask(game),
    )


@apart
def allowed_moves(
    game: Any, states: Array, results: Array, work: Work, variants: Variants, told: bool | None
) -> tuple[int, int]:
    """Write the moves that stay into `work.moves`; how many, or EVERYTHING, and the rule that took the others away.

    `told` is None where the game does not tell who wins by which moves; a None is known when this is compiled.
    """
    player, moves, spare = game.current_player(states[0]), work.moves, work.spare
    count = winning_moves(game, states, 0, spare, 0, results, moves, told)
    if count > 0 and variants.take_wins:
        return count, CUT_WINS
    if told is not None and variants.block_wins and count == 0:
        for turns in range(1, game.players):
            count = told_wins(game, states, 0, (player + turns) % game.players, moves)
            if count >= turns:  # those who move before can't fill all of them
                count = legal_ones(game, states, work, count)
                if count > 0:
                    return count, CUT_BLOCKS
    if not variants.avoid_gifts:
        return EVERYTHING, CUT_WINS
    legal, count = int(game.legal_actions(states[0], moves)), 0
    for index in range(legal):
        spare[0] = states[0]
        game.apply_action(spare[0], np.int64(moves[index]))
        gift = not game.is_terminal(spare[0]) and game.current_player(spare[0]) != player
        if not gift or winning_moves(game, spare, 0, spare, 1, results, work.replies, told) == 0:
            moves[count] = moves[index]
            count += 1
    return count if 0 < count < legal else EVERYTHING, CUT_GIFTS


@apart
def told_wins(game: Any, states: Array, at: int, player: int, moves: Array) -> int:
    """What the game says about the moves that would win for a player; where it does not know, there are none."""
    return max(0, int(game.winning_actions(states[at], player, moves)))


@apart
def winning_moves(
    game: Any, states: Array, at: int, spare: Array, free: int, results: Array, moves: Array, told: bool | None
) -> int:
    """The moves that win at once for the player to move: told by the game, or found by trying all."""
    player = game.current_player(states[at])
    if told is not None:
        return told_wins(game, states, at, player, moves)
    count = 0
    for index in range(game.legal_actions(states[at], moves)):
        spare[free] = states[at]
        game.apply_action(spare[free], np.int64(moves[index]))
        if game.is_terminal(spare[free]):
            game.returns(spare[free], results)
            if results[player] >= 1.0:
                moves[count] = moves[index]
                count += 1
    return count


@inline
def legal_ones(game: Any, states: Array, work: Work, count: int) -> int:
    """Keep those of the first moves in `work.moves` that the player to move may play; how many they are."""
    work.counts[STAMP] += 1
    for index in range(game.legal_actions(states[0], work.replies)):
        work.stamps[work.replies[index]] = work.counts[STAMP]
    kept = 0
    for index in range(count):
        if work.stamps[work.moves[index]] == work.counts[STAMP]:
            work.moves[kept] = work.moves[index]
            kept += 1
    return kept
