"""The search itself. It really is a loop of four verbs: select, expand, simulate, back up.

`search` is compiled once for each game. Everything it needs comes in named bundles, so that it stays short.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import float32

from luozi.compiled import inline, kernel, unsigned
from luozi.compiled.bits import index_of, ranked
from luozi.compiled.random import random_below
from luozi.search.tree import (
    ACTION,
    CHILD,
    CHILDREN,
    EARLY,
    EDGES_IN_USE,
    FIXED_POINT,
    MEAN,
    SEGMENTS,
    SPREAD,
    STRIDES,
    TRIED,
    VISITS,
    Array,
    Tree,
    find_edge,
    new_edge,
    new_node,
    order_of,
    segment_size,
)

# Places in Limits.progress, which both sides read and write while the search runs.
STOP, ITERATIONS, DEEPEST, FULL = 0, 1, 2, 3
TOO_LONG, STUCK = 4, 5  # simulations that the length limit ended, or a player without a move
PROGRESS_SIZE = 6
LOG_TABLE = 1 << 18  # sqrt(ln n) is looked up below this; above, calling for a logarithm costs nothing in comparison


class Scratch(NamedTuple):
    """Working memory, allocated once for each thread."""

    root: Array  # [1] the position the search starts from
    state: Array  # [1] the position it is at
    path: Array  # [max_length + 2, 3] i8: edge, at, size of each edge from the root down to it
    actions: Array  # [actions] i4: legal moves
    results: Array  # [players] f8: a finished game's result
    credit: Array  # [players] i8: the same in fixed point
    rng: Array  # [1] u8
    root_of_log: Array  # [LOG_TABLE] f4: sqrt(ln n)


class Limits(NamedTuple):
    """What ends a search, and how it is going."""

    progress: Array  # [PROGRESS_SIZE] i8
    iterations: int
    edges: int


def new_scratch(game: Any, rng: Array) -> Scratch:
    """Working memory for a game."""
    return Scratch(
        root=game.empty_states(1),
        state=game.empty_states(1),
        path=np.ones((game.length_limit + 2, 3), np.int64),
        actions=np.zeros(game.actions, np.int32),
        results=np.zeros(game.players, np.float64),
        credit=np.zeros(game.players, np.int64),
        rng=rng,
        root_of_log=log_table(),
    )


@cache
def log_table() -> Array:
    """sqrt(ln n) for n below LOG_TABLE, one table for all engines."""
    return np.sqrt(np.log(np.maximum(np.arange(LOG_TABLE), 1))).astype(np.float32)


@kernel
def search(game: Any, tree: Tree, scratch: Scratch, limits: Limits, weight: float) -> None:
    """Iterate until a limit is reached or the stop flag is up. `weight` is the k of k * sqrt(ln N / n)."""
    progress = limits.progress
    while progress[STOP] == 0 and progress[ITERATIONS] < limits.iterations and tree.used[EDGES_IN_USE] < limits.edges:
        scratch.state[0] = scratch.root[0]
        depth = descend(game, tree, scratch, progress, weight)
        if not simulate(game, scratch, progress):
            break
        back_up(tree, scratch, depth)
        progress[ITERATIONS] += 1
        progress[DEEPEST] = max(progress[DEEPEST], depth)


@inline
def descend(game: Any, tree: Tree, scratch: Scratch, progress: Array, weight: float) -> int:
    """Select down the tree and expand it by one child; return the depth reached. The path is left in scratch."""
    state, path = scratch.state[0], scratch.path
    edge, at, size, depth = 0, 0, 1, 0
    path[0, 0], path[0, 1], path[0, 2] = edge, at, size
    expanded = False
    while not expanded and not game.is_terminal(state) and depth < path.shape[0] - 1:
        visits, node = int(tree.words[unsigned(at + VISITS * size)]), int(tree.words[unsigned(at + CHILD * size)])
        if node == 0:
            node = new_node(tree, at + CHILD * size, random_below(scratch.rng, STRIDES * tree.actions))
            if node == 0:
                progress[FULL] = 1
                break
        edge = 0
        if tree.nodes[unsigned(node + TRIED)] < tree.actions:
            edge, at, size = expand(game, tree, node, scratch, progress)
        expanded = edge != 0
        if not expanded:
            if tree.nodes[unsigned(node + CHILDREN)] == 0:  # a full pool, or no legal move
                break
            explore = float32(weight) * root_of_log(scratch, visits)
            edge, at, size = select(tree, node, game.current_player(state), explore)
            expanded = tree.words[unsigned(at + VISITS * size)] == 0  # made before, but never simulated
        depth += 1
        path[depth, 0], path[depth, 1], path[depth, 2] = edge, at, size
        game.apply_action(state, np.int64(tree.words[unsigned(at + ACTION * size)]))  # one type of action everywhere
    return depth


@inline
def expand(game: Any, tree: Tree, node: int, scratch: Scratch, progress: Array) -> tuple[int, int, int]:
    """Make the next untried move a child; an edge 0 when all moves have been tried, or when the pool is full."""
    offset, stride, inverse = order_of(tree, node)
    while True:
        place = int(tree.nodes[unsigned(node + TRIED)])
        place = game.next_in_order(scratch.state[0], place, offset, stride, inverse, scratch.actions)
        tree.nodes[unsigned(node + TRIED)] = place
        if place >= tree.actions:
            return 0, 0, 1
        action = (offset + place * stride) % tree.actions
        if tree.nodes[unsigned(node + EARLY)] == 0 or find_edge(tree, node, action)[0] == 0:
            break
        tree.nodes[unsigned(node + EARLY)] -= 1
        tree.nodes[unsigned(node + TRIED)] = place + 1
    edge, at, size = new_edge(tree, node, action)
    if edge == 0:
        progress[FULL] = 1
    else:
        tree.nodes[unsigned(node + TRIED)] = place + 1
    return edge, at, size


@inline
def select(tree: Tree, node: int, player: int, explore: float) -> tuple[int, int, int]:
    """The child with the best mean + explore / sqrt(visits) for the player to move (UCT: Kocsis, Szepesvari 2006)."""
    left, level = int(tree.nodes[unsigned(node + CHILDREN)]), 0
    best, best_edge, best_at, best_size = unsigned(0), 0, 0, 1
    while left > 0:
        first, size = int(tree.nodes[unsigned(node + SEGMENTS + level)]), segment_size(level, tree.actions)
        at = first * (MEAN + tree.players)
        top = best_in_segment(tree.floats, at + (MEAN + player) * size, at, min(left, size), explore)
        # A later segment must be better, not only as good: its index starts anew.
        if top >> unsigned(32) > best >> unsigned(32) or level == 0:
            best, best_edge, best_at, best_size = top, first + index_of(top), at + index_of(top), size
        left -= size
        level += 1
    return best_edge, best_at, best_size


@inline
def best_in_segment(floats: Array, mean: int, spread: int, count: int, explore: float) -> int:
    """The best score among neighbours in memory and whose it is, as one number (see `ranked`)."""
    best = unsigned(0)
    for i in range(unsigned(count)):
        best = max(best, ranked(floats[unsigned(mean) + i] + explore * floats[unsigned(spread) + i], i))
    return best


@inline
def simulate(game: Any, scratch: Scratch, progress: Array) -> bool:
    """Play random moves to the end; False if the stop flag came first, which says nothing about the position.

    A game cut short by its own length counts as shared.
    """
    state, moves, limit = scratch.state[0], 0, scratch.path.shape[0]
    finished = True
    game.begin_simulation(state)
    while not game.is_terminal(state):
        if progress[STOP] != 0:
            return False
        action = np.int64(game.draw_action(state, scratch.rng, scratch.actions))
        if action < 0 or moves > limit:
            finished = False
            break
        game.apply_action(state, action)
        moves += 1
    if finished:
        game.returns(state, scratch.results)
    elif progress[STOP] == 0:
        progress[TOO_LONG if moves > limit else STUCK] += 1
    players = scratch.credit.shape[0]
    for player in range(players):
        result = scratch.results[player] if finished else 1.0 / players
        scratch.credit[player] = int(result * FIXED_POINT + 0.5)
    return True


@inline
def back_up(tree: Tree, scratch: Scratch, depth: int) -> None:
    """Credit the result to every edge of the path."""
    for i in range(depth + 1):
        edge, at, size = scratch.path[i, 0], scratch.path[i, 1], scratch.path[i, 2]
        visits = int(tree.words[unsigned(at + VISITS * size)]) + 1
        tree.words[unsigned(at + VISITS * size)] = visits
        inverse = float32(1.0) / float32(visits)
        tree.floats[unsigned(at + SPREAD * size)] = math.sqrt(inverse)
        for player in range(tree.players):
            total = tree.sums[unsigned(edge * tree.players + player)] + scratch.credit[player]
            tree.sums[unsigned(edge * tree.players + player)] = total
            tree.floats[unsigned(at + (MEAN + player) * size)] = float32(total) * (inverse * float32(1 / FIXED_POINT))


@inline
def root_of_log(scratch: Scratch, visits: int) -> float:
    """sqrt(ln visits)"""
    if visits < scratch.root_of_log.shape[0]:
        return scratch.root_of_log[visits]
    return float32(math.sqrt(math.log(visits)))
