"""Positions of random games, from which tables of a game are made; compiled where the rules can be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from luozi.compiled import Array, kernel, new_rng, random_below
from luozi.rules.game import Game
from luozi.rules.kernel_runner import kernel_for

LEAST_GAMES, MOST_GAMES = 12, 400
QUIET_GAMES = 24  # after so many games without a move that is new, none is expected
MOST_MOVES, MOST_MOVES_UNCOMPILED = 20_000, 400
MOST_POSITIONS, MOST_BYTES = 2048, 16 << 20
STRIDE = 5  # every fifth position is kept, whatever is legal in it
POSITIONS, MOVES, NEWS = 0, 1, 2  # places in `counts`


class Sample(NamedTuple):
    """Positions of random games in which the game goes on."""

    states: Array  # [N] positions
    movers: Array  # [N] i4
    seen: Array  # [players, actions] i4: a position in which a player may play an action, or -1
    games: int


@kernel
def play_randomly(
    game: Game, first: Array, scratch: Array, states: Array, movers: Array, seen: Array, actions: Array, rng: Array,
    counts: Array, most: int,
) -> None:  # fmt: skip
    """Play one random game from a position, and keep positions with moves that were not legal before, and a few more.

    `counts` has how many positions are kept, how many moves were played, and how many moves were new.
    """
    scratch[0] = first[0]
    while not game.is_terminal(scratch[0]) and counts[MOVES] < most:
        mover, count = game.current_player(scratch[0]), game.legal_actions(scratch[0], actions)
        if count <= 0:
            break
        at, news = counts[POSITIONS], 0
        if at < len(movers):
            for place in range(count):
                if seen[mover, actions[place]] < 0:
                    seen[mover, actions[place]] = at
                    news += 1
            if news > 0 or counts[MOVES] % STRIDE == 0:
                states[at] = scratch[0]
                movers[at] = mover
                counts[POSITIONS] += 1
            counts[NEWS] += news
        counts[MOVES] += 1
        game.apply_action(scratch[0], actions[random_below(rng, count)])


def sample_of(game: Game, seed: int = 1) -> Sample:
    """Positions of random games; the same seed gives the same ones.

    >>> import luozi
    >>> found = sample_of(luozi.game("tictactoe"))
    >>> bool((found.seen >= 0).all())  # either player may play each action in one of the positions
    True
    """
    run = kernel_for(game, play_randomly)
    room = int(np.clip(MOST_BYTES // game.dtype.itemsize, 64, MOST_POSITIONS))
    states, movers = game.empty_states(room), np.zeros(room, np.int32)
    seen, counts, rng = np.full((game.players, game.actions), -1, np.int32), np.zeros(3, np.int64), new_rng(seed)
    first, scratch, actions = game.empty_states(1), game.empty_states(1), np.zeros(game.actions, np.int32)
    first[0] = game.new_state()
    most = MOST_MOVES if game.compilable else MOST_MOVES_UNCOMPILED
    games = quiet = 0
    while games < MOST_GAMES and counts[MOVES] < most and (games < LEAST_GAMES or quiet < QUIET_GAMES):
        counts[NEWS] = 0
        run(game, first, scratch, states, movers, seen, actions, rng, counts, most)
        games, quiet = games + 1, 0 if counts[NEWS] else quiet + 1
    kept = int(counts[POSITIONS])
    return Sample(states[:kept], movers[:kept], seen, games)
