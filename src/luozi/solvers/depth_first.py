"""Exact solver for any game: alpha-beta to the end of the game, depth first, with a transposition table.

Start with `prove`, the loop over a stack of positions; `GeneralSearch` allocates its arrays and reads its answer.
Windows and bounds are those of player 1's result: player 1 raises alpha, the other lowers beta, whoever is to move.
Games with three or more players, or whose results do not add up to 1, are solved by max^n (Luckhardt and Irani 1986):
every player takes the best own result. Of equal moves the lowest action counts; if that choice decides what others get,
the answer is marked TIED. max^n cuts nothing but what follows a win that leaves others nothing, where all wins do
(`alone`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from luozi.compiled import Array, inline, kernel, new_rng, random_below, unsigned
from luozi.rules.game import Game
from luozi.rules.kernel_runner import kernel_for
from luozi.rules.state import State
from luozi.solvers.base import (
    COUNT,
    NEXT,
    NODES,
    STOP,
    TOO_LONG,
    UNEQUAL,
    ExactSearch,
    SolverStack,
    TranspositionTable,
    hash_at,
    new_stack,
    new_table,
    note_at,
    place_of,
    play,
    play_next,
    table_bytes,
    write,
)

# Fields of a frame after COUNT and NEXT: the player to move, the best move (the table's, at first), the hash, and how
# its results depend on ties: LIKE_BEST if moves as good as the best differ for others, BELOW if a later tie decides.
MOVER, BEST, HASH, TIED, FRAME_SIZE = 2, 3, 4, 5, 6
LIKE_BEST, BELOW = 1, 2
SAME = 1e-9  # results that differ less are equal
# Fields of a window: player 1's alpha and beta, now and when the position was entered.
ALPHA, BETA, FIRST_ALPHA, FIRST_BETA, WINDOW_SIZE = 0, 1, 2, 3, 4
# A note of the table is an action, whether it is tied, and the kind of bound; the results follow in other words.
NOTE_BITS, RESULTS = 19, 1
EXACT, AT_LEAST, AT_MOST = 1, 2, 3  # what the stored result of player 1 is


class Proof(NamedTuple):
    """The arrays of the search; D is the length of the longest game plus two."""

    stack: SolverStack
    results: Array  # [D, players] f8: the best results so far
    windows: Array  # [D, WINDOW_SIZE] f8
    legal: Array  # [actions] i4: scratch
    rank: Array  # [actions] i4: the order of search, lowest first


# The search ---------------------------------------------------------------------------------------------------------


@kernel
def prove(
    game: Game, proof: Proof, table: TranspositionTable, progress: Array, limit: int, cuts: bool, alone: bool
) -> None:
    """Solve the position in frame 0, depth first: by alpha-beta if `cuts`, else by max^n.

    `alone` states that a result of 1 leaves nothing to other players.
    """
    proof.windows[0, ALPHA], proof.windows[0, BETA] = 0.0, 1.0
    depth = 0 if not enter(game, proof, table, progress, 0, cuts, alone) else -1
    while depth >= 0:
        if progress[STOP] != 0 or progress[NODES] > limit or progress[UNEQUAL] != 0 or progress[TOO_LONG] != 0:
            break
        if proof.stack.frames[depth, NEXT] == proof.stack.frames[depth, COUNT]:
            store(table, proof, depth, cuts)
            depth -= 1
            if depth >= 0:
                back_up(proof, depth, cuts, alone)
        elif descend(game, proof, table, progress, depth, cuts, alone):
            back_up(proof, depth, cuts, alone)
        else:
            depth += 1


@inline
def descend(
    game: Game, proof: Proof, table: TranspositionTable, progress: Array, depth: int, cuts: bool, alone: bool
) -> bool:
    """Play the next move of a frame; return whether the result after it is known already."""
    play_next(game, proof.stack, depth)
    proof.windows[depth + 1, ALPHA] = proof.windows[depth, ALPHA]
    proof.windows[depth + 1, BETA] = proof.windows[depth, BETA]
    return enter(game, proof, table, progress, depth + 1, cuts, alone)


@inline
def enter(
    game: Game, proof: Proof, table: TranspositionTable, progress: Array, depth: int, cuts: bool, alone: bool
) -> bool:
    """Fill the frame of a new position; return whether its result is known without a search."""
    state, frame = proof.stack.states[depth], proof.stack.frames[depth]
    frame[BEST], frame[TIED] = -1, 0
    if game.is_terminal(state):
        finish(game, proof, progress, depth, depth, cuts)
        return True
    frame[MOVER] = game.current_player(state)
    frame[HASH] = hash_at(game, proof.stack, depth)
    proof.windows[depth, FIRST_ALPHA] = proof.windows[depth, ALPHA]
    proof.windows[depth, FIRST_BETA] = proof.windows[depth, BETA]
    if look_up(table, proof, depth):
        return True
    progress[NODES] += 1
    if depth + 2 >= proof.stack.states.shape[0]:
        progress[TOO_LONG] = 1
        return True
    frame[COUNT] = game.legal_actions(state, proof.legal)
    if (cuts or alone) and wins_at_once(game, proof, progress, depth, cuts):
        return True
    put_in_order(proof, depth, cuts)
    share = 1.0 / proof.results.shape[1]
    for player in range(proof.results.shape[1]):  # a position without a move counts as a shared result, as in a playout
        proof.results[depth, player] = -1.0 if frame[COUNT] > 0 else share
    return bool(frame[COUNT] == 0)


@inline
def finish(game: Game, proof: Proof, progress: Array, ended: int, depth: int, cuts: bool) -> None:
    """Write the result of a finished game into a frame, and note results that alpha-beta can't use."""
    game.returns(proof.stack.states[ended], proof.results[depth])
    if cuts and abs(proof.results[depth, 0] + proof.results[depth, 1] - 1.0) > 1e-9:
        progress[UNEQUAL] = 1


@inline
def wins_at_once(game: Game, proof: Proof, progress: Array, depth: int, cuts: bool) -> bool:
    """Return whether a move ends the game with the best possible result, and write it into the frame."""
    frame, mover = proof.stack.frames[depth], proof.stack.frames[depth, MOVER]
    for index in range(frame[COUNT]):
        play(game, proof.stack, depth, int(proof.legal[index]))
        if game.is_terminal(proof.stack.states[depth + 1]):
            finish(game, proof, progress, depth + 1, depth, cuts)
            if proof.results[depth, mover] >= 1.0:
                frame[BEST] = proof.legal[index]
                return True
    return False


@inline
def put_in_order(proof: Proof, depth: int, cuts: bool) -> None:
    """Sort the moves by rank, the table's move first; max^n keeps the order of actions, which breaks its ties."""
    frame, actions, rank = proof.stack.frames[depth], proof.stack.actions[depth], proof.rank
    hint = frame[BEST] if cuts else -1
    for index in range(frame[COUNT]):
        action, place = proof.legal[index], index
        while place > 0 and actions[place - 1] != hint and (action == hint or rank[action] < rank[actions[place - 1]]):
            actions[place] = actions[place - 1]
            place -= 1
        actions[place] = action
    frame[NEXT], frame[BEST] = 0, -1


@inline
def back_up(proof: Proof, depth: int, cuts: bool, alone: bool) -> None:
    """Use the result of the last move in its frame, and skip the other moves if it is enough."""
    frame, window, mover = proof.stack.frames[depth], proof.windows[depth], proof.stack.frames[depth, MOVER]
    if not cuts:
        note_ties(proof, depth)
    if proof.results[depth + 1, mover] > proof.results[depth, mover] + (0.0 if cuts else SAME):
        for player in range(proof.results.shape[1]):
            proof.results[depth, player] = proof.results[depth + 1, player]
        frame[BEST] = proof.stack.actions[depth, frame[NEXT] - 1]
    if cuts:
        if mover == 0:
            window[ALPHA] = max(window[ALPHA], proof.results[depth, 0])
        else:
            window[BETA] = min(window[BETA], proof.results[depth, 0])
        if window[ALPHA] >= window[BETA]:
            frame[NEXT] = frame[COUNT]
        else:
            promote_threat(proof, depth)
    elif alone and proof.results[depth, mover] >= 1.0:  # nothing is better than a win
        frame[NEXT], frame[TIED] = frame[COUNT], proof.stack.frames[depth + 1, TIED]


@inline
def note_ties(proof: Proof, depth: int) -> None:
    """Mark the frame if the last move equals the best for its player but not for others, or depends on a tie."""
    frame, mover = proof.stack.frames[depth], proof.stack.frames[depth, MOVER]
    gain = proof.results[depth + 1, mover] - proof.results[depth, mover]
    if gain > SAME:
        frame[TIED] &= BELOW
    elif gain >= -SAME:
        for player in range(proof.results.shape[1]):
            if abs(proof.results[depth + 1, player] - proof.results[depth, player]) > SAME:
                frame[TIED] |= LIKE_BEST
    if proof.stack.frames[depth + 1, TIED] != 0:
        frame[TIED] |= BELOW


@inline
def promote_threat(proof: Proof, depth: int) -> None:
    """Try the reply that refuted the last move next: it is often a move worth taking away."""
    frame, actions = proof.stack.frames[depth], proof.stack.actions[depth]
    reply = proof.stack.frames[depth + 1, BEST]
    for index in range(frame[NEXT], frame[COUNT]):
        if actions[index] == reply:
            for place in range(index, frame[NEXT], -1):
                actions[place] = actions[place - 1]
            actions[frame[NEXT]] = reply
            break


# The table ----------------------------------------------------------------------------------------------------------


@inline
def look_up(table: TranspositionTable, proof: Proof, depth: int) -> bool:
    """Return whether the table has the result, or a bound outside the window; take its move as the first to try."""
    frame, window = proof.stack.frames[depth], proof.windows[depth]
    at, rest = place_of(table, int(frame[HASH]))
    note = note_at(table, at, rest)
    if note == 0:
        return False
    frame[BEST] = (note >> 3) - 1
    value, kind = table.floats[at + unsigned(RESULTS)], note & 3
    if kind == EXACT or (kind == AT_LEAST and value >= window[BETA]) or (kind == AT_MOST and value <= window[ALPHA]):
        for player in range(proof.results.shape[1]):
            proof.results[depth, player] = table.floats[at + unsigned(RESULTS + player)]
        frame[TIED] = BELOW if note & 4 else 0
        return True
    return False


@inline
def store(table: TranspositionTable, proof: Proof, depth: int, cuts: bool) -> None:
    """Write the result of a frame into the table."""
    frame, window, value = proof.stack.frames[depth], proof.windows[depth], proof.results[depth, 0]
    kind = EXACT
    if cuts and 0.0 < value <= window[FIRST_ALPHA]:
        kind = AT_MOST
    elif cuts and window[FIRST_BETA] <= value < 1.0:
        kind = AT_LEAST
    at, rest = place_of(table, int(frame[HASH]))
    write(table, at, rest, ((frame[BEST] + 1) << 3) + (4 if frame[TIED] != 0 else 0) + kind)
    for player in range(proof.results.shape[1]):
        table.floats[at + unsigned(RESULTS + player)] = proof.results[depth, player]


TRIES = 30  # random games to see whether results add up to 1; uncompiled, so few
EVEN = 0.5  # the prior of a move where a game has none


class GeneralSearch(ExactSearch):
    """The exact solver for any game. With uncompiled rules a few positions can take long, so no work is brief."""

    def __init__(self, game: Game, millions: float, compiled: bool) -> None:
        self.game, self.millions = game, millions
        self.alone = game.has_single_winner
        self.cuts, self.asked = game.players == 2 and self.alone, False
        self.proof = new_proof(game)
        self.proof.rank[:] = search_order(game) if self.cuts else np.arange(game.actions)
        self.forget()
        self._prove = kernel_for(game, prove, compiled)

    def forget(self) -> None:
        """Empty the table."""
        self.table = new_table(place_bits_for(self.millions), NOTE_BITS, RESULTS + self.game.players)

    @staticmethod
    def bytes_for(game: Game, millions: float) -> int:
        """Return the size of the table in bytes."""
        return table_bytes(place_bits_for(millions), RESULTS + game.players)

    def begin(self, state: State) -> None:
        """Set the position to solve; the first time, test whether results add up to 1 if the game does not say so."""
        self.proof.stack.states[0] = state
        if self.cuts and self.game.single_winner is None and not self.asked:
            self.asked = True
            if any(abs(sum(random_result(self.game, state, new_rng(seed))) - 1.0) > SAME for seed in range(TRIES)):
                self._stop_cutting()

    def work(self, progress: Array, limit: int) -> None:
        """Solve the position."""
        self._prove(self.game, self.proof, self.table, progress, limit, self.cuts, self.alone)

    def must_repeat(self, progress: Array) -> bool:
        """Return whether results did not add up to 1: alpha-beta was wrong, and max^n replaces it."""
        if not progress[UNEQUAL]:
            return False
        self._stop_cutting()
        return True

    def _stop_cutting(self) -> None:
        """Change from alpha-beta to max^n."""
        self.cuts, self.alone = False, False
        self.proof.rank[:] = np.arange(self.game.actions)
        self.forget()

    def values(self) -> tuple[float, ...]:
        """Return the result of each player."""
        return tuple(self.proof.results[0].tolist())

    def certain(self) -> bool:
        """Return whether the results are the same however ties are broken."""
        return not self.proof.stack.frames[0, TIED]

    def best(self) -> int:
        """Return a move that reaches the results; -1 if the game is over."""
        return int(self.proof.stack.frames[0, BEST])


def random_result(game: Game, state: State, rng: Array) -> list[float]:
    """Return the result of a random game; equal shares if it does not end or a position has no move."""
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
    """Return log2 of the largest table with at most this many millions of places.

    >>> place_bits_for(1), place_bits_for(3), place_bits_for(0.25)
    (20, 21, 18)
    """
    return int(millions * (1 << 20)).bit_length() - 1


def new_proof(game: Game) -> Proof:
    """Return the arrays of a search."""
    size = game.length_limit + 2
    return Proof(
        stack=new_stack(game, size, FRAME_SIZE),
        results=np.zeros((size, game.players), np.float64),
        windows=np.zeros((size, WINDOW_SIZE), np.float64),
        legal=np.zeros(game.actions, np.int32),
        rank=np.zeros(game.actions, np.int32),
    )


def search_order(game: Game) -> Array:
    """Return the rank of each action: by its prior at the start of the game, highest first."""
    state = game.new_state()
    actions = np.array(game.legal_list(state), np.int32)
    promises, values = np.full(game.actions, EVEN), np.full(len(actions), EVEN)
    if len(actions):
        game.priors(state, actions, len(actions), values)
    promises[actions] = values
    rank = np.empty(game.actions, np.int64)
    rank[np.argsort(-promises, kind="stable")] = np.arange(game.actions)
    return rank
