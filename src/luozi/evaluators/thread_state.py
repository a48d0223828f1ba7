"""Everything that one thread of a search writes, but for the tree: a position, a path, random numbers, working memory.

And what both sides of a search read and write while it runs: `KernelLimits`.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from luozi.compiled import Array
from luozi.compiled.arrays import in_own_lines
from luozi.evaluators.position import hash_mask, word_type
from luozi.rules.game import Game

# Places in KernelLimits.progress. The stop flag is looked at all the time: what changes often lies in other cache
# lines.
STOP, FULL = 0, 1
TOO_LONG, STUCK = 2, 3  # simulations that the length limit ended, or a player without a move
DEEPEST = 4
ITERATIONS = 16
TAKEN = 32  # iterations that threads have begun, where several share a tree
PROGRESS_SIZE = 48
# Places in Thread.counts: a stamp for this iteration; its random moves, and whether they came to the end of the game;
# the edge that was won for certain, if any: how far down the path (0: none; the root's edge is 1), by whom, and
# whether by the first random move. And whether a win was ever seen that left something to others; how many iterations
# this thread has done, how many of these it has not told yet, and how many it may begin without asking.
STAMP, SIMULATED, FINISHED, WON, WINNER, LUCKY, SHARED_WIN, DONE, UNTOLD, LEFT = range(10)
# And what an evaluator with priors says: whether its results are certain, how many moves it has left in `moves`, and
# what these are: nothing, the only ones that do not lose for certain, those to look at first, the only ones to look
# at, though others may be as good, or all there are, with priors that add up to 1. And who could win if any other move
# were played, or -1. And what it is asked: how long to look for what is certain; 0: not for wins by threats.
CERTAIN, MOVES, CHOICE, THREAT_BY, EFFORT, COUNTS = 10, 11, 12, 13, 14, 15
ALL_MOVES, ONLY_THESE, THESE_FIRST, CHOSEN_MOVES, ALL_IN_ORDER = 0, 1, 2, 3, 4
FIXED_POINT = 1 << 30  # a result of 1.0: whole numbers add up exactly, in any order
RECENT = 8  # actions that an evaluator may look back
LOG_TABLE = 1 << 18  # sqrt(ln n) is looked up below this; above, calling for a logarithm costs nothing in comparison


NOTHING = np.zeros(0)


class ThreadState(NamedTuple):
    """Working memory, allocated once for each thread."""

    root: Array  # [1] the position the search starts from
    state: Array  # [1] the position it is at
    path: Array  # [max_length + 2, 3] i8: edge, at, size of each edge from the root down to it
    movers: Array  # [max_length + 2] i8: who moved along each edge of the path
    actions: Array  # [actions] i4: legal moves
    results: Array  # [players] f8: a finished game's result
    credit: Array  # [players] i8: what an iteration credits to each player, in fixed point
    estimate: Array  # [players] i8: what the game's own estimate is, in fixed point
    counts: Array  # [COUNTS] i8
    rng: Array  # [1] u8
    root_of_log: Array  # [LOG_TABLE] f4: sqrt(ln n)
    spare: Array  # [2] positions to try moves on
    moves: Array  # [actions] i4: the moves of a node
    replies: Array  # [actions] i4: the moves after one of them
    values: Array  # [actions] f8: what the game's heuristic says of `moves`
    chances: Array  # [actions] f8: priors that came with a position's value
    means: Array  # [actions] f8: of an ancestor's moves
    stamps: Array  # [actions] i8: which of `means` are this node's, or which moves are legal
    played: Array  # [max_length + 2, 2] i4: action and player of each random move
    seen: Array  # [actions] i8: who was the first to play a move later in this iteration
    memory: Array  # [1] what only simulations remember: the playout's own record
    owned: Array  # [actions or 1, players, points] i4: simulations in which a point was a player's, by the root's move
    owned_games: Array  # [actions] i8: and in how many of them all
    owners: Array  # [points] i1: whose each point is at the end of a simulation, counted from 1
    row: Array  # [1] i8: this iteration's move at the root
    words: Array  # the position that the search is at, as whole numbers
    mask: Array  # ones where its bits say something about the position
    recent: Array  # [RECENT] i4: the last actions before the position it is at, the newest first, then -1
    before: Array  # [RECENT] i4: the same for the root
    noise: Array  # [actions] f8: Gumbel noise of the root's moves


class KernelLimits(NamedTuple):
    """What ends a search, and how it is going."""

    progress: Array  # [PROGRESS_SIZE] i8
    iterations: int
    edges: int


def new_thread(game: Game, rng: Array, memory: Array, ownership: bool = False) -> ThreadState:
    """Working memory for a game, with that of its simulations."""
    length = game.length_limit + 2
    thread = ThreadState(
        root=game.empty_states(1),
        state=game.empty_states(1),
        path=np.ones((length, 3), np.int64),
        movers=np.zeros(length, np.int64),
        actions=np.zeros(game.actions, np.int32),
        results=np.zeros(game.players, np.float64),
        credit=np.zeros(game.players, np.int64),
        estimate=np.zeros(game.players, np.int64),
        counts=np.zeros(COUNTS, np.int64),
        rng=rng,
        root_of_log=NOTHING,
        spare=game.empty_states(2),
        moves=np.zeros(game.actions, np.int32),
        replies=np.zeros(game.actions, np.int32),
        values=np.zeros(game.actions, np.float64),
        chances=np.zeros(game.actions, np.float64),
        means=np.zeros(game.actions, np.float64),
        stamps=np.zeros(game.actions, np.int64),
        played=np.zeros((length, 2), np.int32),
        seen=np.zeros(game.actions, np.int64),
        memory=memory,
        owned=np.zeros((game.actions, game.players, game.points) if ownership else (1, 1, 1), np.int32),
        owned_games=np.zeros(game.actions, np.int64),
        owners=np.zeros(max(1, game.points), np.int8),
        row=np.zeros(1, np.int64),
        words=NOTHING,
        mask=NOTHING,
        recent=np.full(RECENT, -1, np.int32),
        before=np.full(RECENT, -1, np.int32),
        noise=np.zeros(game.actions, np.float64),
    )
    thread = ThreadState(*map(in_own_lines, thread))
    words = thread.state.view(np.ndarray).view(np.uint8).view(word_type(game.dtype))
    return thread._replace(words=words, root_of_log=log_table(), mask=hash_mask(game))


def own_bytes(thread: ThreadState) -> int:
    """The memory of a thread's own: without the tables that all threads of all engines share.

    >>> import luozi
    >>> engine = luozi.Engine(luozi.game("tictactoe"), seed=1)
    >>> own_bytes(engine.thread) < 10_000
    True
    """
    shared = (thread.root_of_log, thread.mask, thread.words)  # `words` is `state` once more
    return sum([array.nbytes for array in thread]) - sum([array.nbytes for array in shared])


@cache
def log_table() -> Array:
    """sqrt(ln n) for n below LOG_TABLE, one table for all engines."""
    return np.sqrt(np.log(np.maximum(np.arange(LOG_TABLE), 1))).astype(np.float32)
