"""Many games of self-play at once, each with a search tree of its own, in arrays that are allocated once.

G games, N nodes and E edges a tree, A actions, L outputs of the policy, P planes, C cells, X numbers beside the planes,
H recent actions, R recorded positions a game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from luozi.compiled import Array
from luozi.compiled.arrays import lazy_zeros
from luozi.evaluators.board_inputs import BoardInput
from luozi.rules.game import Game

GAMMAS = 1 << 16  # random numbers of which Dirichlet noise is made
MOST_BYTES = 1 << 20  # of the kept positions of one game
# Fields of a node and of an edge. All are float32, so that one cache line has them; whole numbers to 2**24 are exact.
# The edges of a node: TRIED ones first, then up to SORTED of the highest prior among the others, then the rest.
FIRST, COUNT, VISITS, TOTAL, MOVER, TRIED, SORTED, SEEN, NODE_FIELDS = 0, 1, 2, 3, 4, 5, 6, 7, 8
PRIOR, EDGE_VISITS, EDGE_TOTAL, CHILD, EDGE_FIELDS = 0, 1, 2, 3, 4
WAITING, TERMINAL = -2, -1  # instead of the number of edges: the network has not answered yet; the game is over
# Places in `SelfPlayForest.sizes`.
NODES, EDGES, TARGET, FULL, PLY, DECIDED, KEPT, DEPTH, LEAF, LEGAL, IS_WAITING, ALIVE, SIZES = range(13)
# Places in `Output.counts`.
ROWS, GAMES, MOVES, EVALUATIONS, DRAWS, LOST, PASSES, WINS = 0, 1, 2, 3, 4, 5, 6, 8

MakeArray = Callable[[tuple[int, ...], DTypeLike], Array]


class ForestSettings(NamedTuple):
    """How the games are searched and played. All real numbers are floats, so that one compilation serves all."""

    full: int = 128  # iterations of a full search, whose visits are recorded
    fast: int = 24  # iterations of the others (playout cap randomization, Wu 2019)
    full_share: float = 0.25
    noise: float = 0.25  # share of Dirichlet noise in the priors of the root of a full search
    exploration: float = 1.4  # of PUCT, for values from -1 to 1
    fpu_reduction: float = 0.2
    early_moves: int = 10  # moves that are drawn by their visits
    late_power: float = 4.0  # later moves are drawn by their visits to this power
    random_share: float = 0.7  # share of the games that begin with random moves
    random_moves: int = 6  # at most
    decided_moves: int = 6  # after so many moves in a row of a clear result, search less; games that were open once
    first_pass: int = 0  # moves of a game before which nobody passes while there is another move
    restarts: int = 1  # 0: each tree plays one game only


class SelfPlayForest(NamedTuple):
    """The games and their trees."""

    begin: Array  # [1] the start of a game
    roots: Array  # [G] the positions on the boards
    state: Array  # [G] the positions of the leaves
    recent: Array  # [G, H] i4: the last actions of the game, the newest first, -1 before the first
    path_recent: Array  # [G, H] i4: the last actions before the leaf
    sizes: Array  # [G, SIZES] i4: counters, see above
    rng: Array  # [G, 1] u8
    nodes: Array  # [G, N, NODE_FIELDS] f4
    edges: Array  # [G, E, EDGE_FIELDS] f4
    action: Array  # [G, E] i4
    path: Array  # [G, D, 2] i4: the nodes and the edges from the root to the leaf
    legal: Array  # [G, A] i4: the legal actions of the leaf
    value: Array  # [G, players] f8: of the leaf, for each player by seat
    root_total: Array  # [G, players] f8: the sum of all values since the search of this move began
    planes: Array  # [G, P, C] u1: what the network is shown of the leaf
    numbers: Array  # [G, X] f4
    logits: Array  # [G, L] f4: what it answers
    result: Array  # [G, players] f4: values, of the player to move first, then in the order of seats
    kept_planes: Array  # [G, R, P, C] u1
    kept_numbers: Array  # [G, R, X] f4
    kept_policy: Array  # [G, R, L] i2: visits; -1 where an action is not legal
    kept_mover: Array  # [G, R] i1
    kept_mean: Array  # [G, R, players] f4
    owners: Array  # [G, C] i1: whose each cell is at the end
    gammas: Array  # [GAMMAS] f4


class Output(NamedTuple):
    """The positions of finished games, of one thread. Players are those relative to the player to move."""

    planes: Array  # [rows, P, C] u1
    numbers: Array  # [rows, X] f4
    policy: Array  # [rows, L] i2: visits; -1 where an action is not legal
    result: Array  # [rows, players] f4: how the game ended
    mean: Array  # [rows, players] f4: the mean values of the search
    owners: Array  # [rows, C] u1: 0 nobody's, 1 the mover's, 2 the next player's, ...
    counts: Array  # [16] i8: see above


class ForestContext(NamedTuple):
    """All that a thread of self-play is given."""

    game: Any
    input: BoardInput  # what the network is shown of a position (`BoardInput`)
    settings: ForestSettings
    forest: SelfPlayForest
    output: Output


class ForestSize(NamedTuple):
    """How many games there are, and how much room each has."""

    games: int
    visits: int  # of the longest search
    kept: int  # positions of one game
    widest: int  # legal moves of a position, about


def zeros(shape: tuple[int, ...], kind: DTypeLike) -> Array:
    """An array of zeros in large pages of memory, whose untouched parts take none."""
    return lazy_zeros(int(np.prod(shape)), kind).reshape(shape)


def new_forest(game: Game, view: BoardInput, size: ForestSize, seed: int, make: MakeArray = zeros) -> SelfPlayForest:
    """Room for so many games; `make` allocates what the network reads and writes, in memory that a GPU reads fast."""
    games, actions, players, kept = size.games, game.actions, game.players, size.kept
    nodes = size.visits + 4
    edges = max(actions, nodes * min(actions, size.widest))
    rng = np.random.default_rng(seed)
    gammas = np.maximum(rng.gamma(noise_shape(size.widest), size=GAMMAS), 1e-9)
    begin = game.empty_states(1)
    begin[0] = game.new_state()
    shown = (view.planes, view.cells)
    return SelfPlayForest(
        begin=begin,
        roots=game.empty_states(games),
        state=game.empty_states(games),
        recent=zeros((games, max(1, view.history)), np.int32),
        path_recent=zeros((games, max(1, view.history)), np.int32),
        sizes=zeros((games, SIZES), np.int32),
        rng=rng.integers(1 << 63, size=(games, 1)).astype(np.uint64),
        nodes=zeros((games, nodes, NODE_FIELDS), np.float32),
        edges=zeros((games, edges, EDGE_FIELDS), np.float32),
        action=zeros((games, edges), np.int32),
        path=zeros((games, nodes, 2), np.int32),
        legal=zeros((games, actions), np.int32),
        value=zeros((games, players), np.float64),
        root_total=zeros((games, players), np.float64),
        planes=make((games, *shown), np.uint8),
        numbers=make((games, view.numbers), np.float32),
        logits=make((games, view.logits), np.float32),
        result=make((games, players), np.float32),
        kept_planes=zeros((games, kept, *shown), np.uint8),
        kept_numbers=zeros((games, kept, view.numbers), np.float32),
        kept_policy=zeros((games, kept, view.logits), np.int16),
        kept_mover=zeros((games, kept), np.int8),
        kept_mean=zeros((games, kept, players), np.float32),
        owners=zeros((games, view.cells), np.int8),
        gammas=gammas.astype(np.float32),
    )


def noise_shape(moves: int) -> float:
    """The parameter of Dirichlet noise for so many moves: 10 / moves (AlphaZero, Silver et al. 2018).

    >>> noise_shape(361) < noise_shape(50), noise_shape(2)
    (True, 1.0)
    """
    return float(min(1.0, 10 / max(1, moves)))


def new_output(game: Game, view: BoardInput, rows: int) -> Output:
    """Room for so many positions."""
    return Output(
        planes=zeros((rows, view.planes, view.cells), np.uint8),
        numbers=zeros((rows, view.numbers), np.float32),
        policy=zeros((rows, view.logits), np.int16),
        result=zeros((rows, game.players), np.float32),
        mean=zeros((rows, game.players), np.float32),
        owners=zeros((rows, view.cells), np.uint8),
        counts=np.zeros(WINS + 16, np.int64),
    )


def widest_position(game: Game, seed: int = 1, games: int = 8) -> int:
    """Half as many legal moves again as a position of random games has at most.

    >>> import luozi
    >>> widest_position(luozi.game("tictactoe"))
    9
    """
    rng, most = np.random.default_rng(seed), 1
    for _ in range(games):
        state = game.new_state()
        for _ in range(game.length_limit):
            if game.is_terminal(state):
                break
            legal = game.legal_list(state)
            most = max(most, len(legal))
            game.apply_action(state, int(rng.choice(legal)))
    return min(game.actions, most + most // 2)
