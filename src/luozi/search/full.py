"""The full search: the same four verbs as `kernel.py`, with every variant as a run-time number.

A game has two compiled searches. The plain one is plain UCT and nothing else; this one is used when an option asks for
more. Selection is in `choosing`, new nodes in `filling`, one move ahead in `moves`, certain results in `proving`,
what is learned from all moves of an iteration in `learning`, and what is remembered beside the tree in `notes`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import float32

from luozi.compiled import apart, inline, kernel, unsigned
from luozi.compiled.random import random_below
from luozi.search.choosing import Child, choose, visits_of
from luozi.search.filling import enter_node, fill_node, wants_more
from luozi.search.kernel import (
    DEEPEST,
    FULL,
    ITERATIONS,
    STOP,
    STUCK,
    TOO_LONG,
    Limits,
    Scratch,
    expand,
    root_of_log,
    select,
)
from luozi.search.kernel import simulate as simulate_plainly
from luozi.search.learning import remember_moves
from luozi.search.moves import EVERYTHING, LUCKY, SIMULATED, WINNER, WON, Work, allowed_moves
from luozi.search.notes import POSITION_SUM, POSITION_VISITS, PROVEN, Notes, clear_notes
from luozi.search.proving import keep_win, notice_shared_win, prove_path, set_proven
from luozi.search.tree import (
    ACTION,
    CHILD,
    CHILDREN,
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
    new_node,
)
from luozi.search.variants import NO_PROOF, NO_RAVE, TUNED, Variants


@kernel
def search_full(
    game: Any, tree: Tree, notes: Notes, scratch: Scratch, work: Work, limits: Limits, settings: Any, told: bool | None
) -> None:
    """Iterate until a limit is reached, the stop flag is up, or the root is proven. `settings` holds the variants.

    `told` is None where the game does not tell who wins by which moves.
    One long function: each one between this and a game's rules would compile the rules once more.
    """
    variants = settings[0]
    progress, path, state, counts = limits.progress, scratch.path, scratch.state[0], work.counts
    root = game.current_player(scratch.root[0])
    proves = variants.prove != NO_PROOF
    restricts = variants.take_wins or variants.block_wins or variants.avoid_gifts
    while progress[STOP] == 0 and progress[ITERATIONS] < limits.iterations and tree.used[EDGES_IN_USE] < limits.edges:
        # Select and expand.
        scratch.state[0] = scratch.root[0]
        child, depth, fresh = Child(0, 0, 1), 0, False
        path[0, 0], path[0, 1], path[0, 2] = 0, 0, 1
        while not fresh and not game.is_terminal(state) and depth < path.shape[0] - 1:
            node = int(tree.words[unsigned(child.at + CHILD * child.size)])
            if node == 0 and depth > 0 and visits_of(tree, child) < variants.expand_after:
                break
            more = node != 0 and variants.ordered and wants_more(tree, node)
            if node == 0 or more:
                if variants.plain:
                    word = child.at + CHILD * child.size
                    node = new_node(tree, word, random_below(scratch.rng, STRIDES * tree.actions))
                else:
                    count, rule = EVERYTHING, 0
                    if restricts and not more:
                        count, rule = allowed_moves(game, scratch.state, scratch.results, work, variants, told)
                    node, count = enter_node(game, tree, notes, scratch, work, variants, depth, node, count, rule)
                    if count != EVERYTHING:
                        fill_node(game, tree, notes, scratch, work, variants, node, count, depth)
                    elif more:
                        progress[FULL] = 1
                if node == 0:
                    progress[FULL] = 1
                    break
            player, parent, above = game.current_player(state), visits_of(tree, child), child
            child = Child(0, 0, 1)
            if not variants.ordered and tree.nodes[unsigned(node + TRIED)] < tree.actions:
                edge, at, size = expand(game, tree, node, scratch, progress)
                child, fresh = Child(edge, at, size), edge != 0
                if fresh:
                    clear_notes(notes, edge, tree.players)
            if not fresh and tree.nodes[unsigned(node + CHILDREN)] > 0:
                if variants.plain:
                    edge, at, size = select(tree, node, player, float32(variants.weight) * root_of_log(scratch, parent))
                    child = Child(edge, at, size)
                else:
                    child = choose(tree, notes, variants, node, player, above, progress[ITERATIONS], scratch.rng)
                fresh = visits_of(tree, child) == 0
            if child.edge == 0:  # a full pool, no legal move, or all moves cut
                break
            depth += 1
            path[depth, 0], path[depth, 1], path[depth, 2] = child.edge, child.at, child.size
            work.movers[depth] = player
            game.apply_action(state, np.int64(tree.words[unsigned(child.at + ACTION * child.size)]))
            if proves and int(notes.flags[unsigned(child.edge)]) & PROVEN != 0:
                break
        # Simulate, unless the result is certain.
        counts[SIMULATED], counts[WON] = 0, 0
        finished = True
        if proves and int(notes.flags[unsigned(path[depth, 0])]) & PROVEN != 0:
            credit_proof(tree, notes, scratch, work, variants, depth, root)
        elif (proves or variants.keep_won) and game.is_terminal(state):
            end_game(game, tree, notes, scratch, work, variants, depth, root)
        elif variants.uniform:
            finished = simulate_plainly(game, scratch, progress)
        else:
            finished = simulate(game, tree, scratch, work, variants, progress, depth, told)
        if not finished:
            break
        # Back up.
        back_up(tree, notes, scratch, variants, depth)
        if counts[WON] > 0:
            keep_win(game, tree, notes, scratch, work, variants)
        if variants.rave != NO_RAVE or variants.history > 0.0:
            remember_moves(tree, notes, scratch, work, variants, depth)
        progress[ITERATIONS] += 1
        progress[DEEPEST] = max(progress[DEEPEST], depth)
        if proves and int(notes.flags[0]) & PROVEN != 0:
            break


# The result of an iteration -------------------------------------------------------------------------------------------


@apart
def credit_proof(
    tree: Tree, notes: Notes, scratch: Scratch, work: Work, variants: Variants, depth: int, root: int
) -> None:
    """The path has come to a move whose result is certain."""
    for player in range(tree.players):
        value = float(notes.values[unsigned(scratch.path[depth, 0] * tree.players + player)])
        scratch.credit[player] = int(value * FIXED_POINT + 0.5)
    prove_path(tree, notes, scratch, work, variants, depth, root)


@apart
def end_game(
    game: Any, tree: Tree, notes: Notes, scratch: Scratch, work: Work, variants: Variants, depth: int, root: int
) -> None:
    """The path has come to the end of the game: its result is certain, and a new win may cut the other moves."""
    game.returns(scratch.state[0], scratch.results)
    for player in range(tree.players):
        scratch.credit[player] = int(scratch.results[player] * FIXED_POINT + 0.5)
    mover = int(work.movers[depth])
    new = tree.words[unsigned(scratch.path[depth, 1] + VISITS * scratch.path[depth, 2])] == 0
    if variants.keep_won and new and scratch.results[mover] >= 1.0:
        work.counts[WON], work.counts[WINNER], work.counts[LUCKY] = depth, mover, 0
    if variants.prove != NO_PROOF:
        if variants.rivals:
            notice_shared_win(tree, notes, work, scratch.results)
        set_proven(tree, notes, int(scratch.path[depth, 0]), scratch.results)
        prove_path(tree, notes, scratch, work, variants, depth, root)


@apart
def simulate(
    game: Any,
    tree: Tree,
    scratch: Scratch,
    work: Work,
    variants: Variants,
    progress: Array,
    depth: int,
    told: bool | None,
) -> bool:
    """Play to the end, at random or by the game's policy; False if the stop flag came first.

    At the horizon it is a draw; a game cut short by its own length counts as shared.
    """
    state, moves, limit, finished = scratch.state[0], 0, scratch.path.shape[0], True
    shrink, cut = 1.0, 1.0 / tree.players
    if variants.horizon > 0:
        limit, cut = min(limit, variants.horizon), 0.5
    game.begin_simulation(state)
    while not game.is_terminal(state):
        if progress[STOP] != 0:
            return False
        action = -1 if moves >= limit else simulated_move(game, scratch, work, variants, told)
        if action < 0:
            finished = False
            break
        work.played[moves, 0], work.played[moves, 1] = action, game.current_player(state)
        game.apply_action(state, np.int64(action))
        moves += 1
        shrink *= variants.decay
    work.counts[SIMULATED] = moves
    if finished:
        game.returns(state, scratch.results)
    elif progress[STOP] == 0 and (moves < limit or moves == scratch.path.shape[0]):  # not at the horizon
        progress[STUCK if moves < limit else TOO_LONG] += 1
    for player in range(tree.players):
        result = scratch.results[player] if finished else cut
        scratch.credit[player] = int(result * shrink * FIXED_POINT + 0.5)
    new = tree.words[unsigned(scratch.path[depth, 1] + VISITS * scratch.path[depth, 2])] == 0
    winner = int(work.played[0, 1])
    if variants.keep_lucky and finished and moves == 1 and new and scratch.results[winner] >= 1.0:
        work.counts[WON], work.counts[WINNER], work.counts[LUCKY] = depth + 1, winner, 1
    return True


@inline
def simulated_move(game: Any, scratch: Scratch, work: Work, variants: Variants, told: bool | None) -> int:
    """The next move of a simulation; -1 if there is none."""
    told_by_policy = variants.policy and game.policy_knows_wins and not variants.avoid_gifts
    ruled = (variants.take_wins or variants.block_wins or variants.avoid_gifts) and not variants.tree_only
    if ruled and not told_by_policy:
        count, _ = allowed_moves(game, scratch.state, scratch.results, work, variants, told)
        if count != EVERYTHING:
            return int(work.moves[random_below(scratch.rng, count)])
    if variants.policy:
        return int(game.policy_action(scratch.state[0], scratch.rng, scratch.actions))
    if ruled:
        game.begin_simulation(scratch.state[0])  # the last move may not have been drawn
    return int(game.draw_action(scratch.state[0], scratch.rng, scratch.actions))


# Backing up -----------------------------------------------------------------------------------------------------------


@inline
def back_up(tree: Tree, notes: Notes, scratch: Scratch, variants: Variants, depth: int) -> None:
    """Credit the result to every edge of the path; ancestors may get it discounted."""
    shrink = 1.0
    for above in range(depth + 1):
        i = depth - above
        edge, at, size = int(scratch.path[i, 0]), int(scratch.path[i, 1]), int(scratch.path[i, 2])
        visits = int(tree.words[unsigned(at + VISITS * size)]) + 1
        tree.words[unsigned(at + VISITS * size)] = visits
        inverse = float32(1.0) / float32(visits)
        tree.floats[unsigned(at + SPREAD * size)] = math.sqrt(inverse)
        for player in range(tree.players):
            credit = discounted(scratch.credit[player], shrink)
            total = tree.sums[unsigned(edge * tree.players + player)] + credit
            tree.sums[unsigned(edge * tree.players + player)] = total
            tree.floats[unsigned(at + (MEAN + player) * size)] = float32(total) * (inverse * float32(1 / FIXED_POINT))
            if variants.formula == TUNED:
                result = credit / FIXED_POINT
                notes.squares[unsigned(edge * tree.players + player)] += int(result * result * FIXED_POINT + 0.5)
        if variants.share:
            back_up_node(tree, notes, scratch, at, size, shrink)
        shrink *= variants.discount


@inline
def discounted(credit: int, shrink: float) -> int:
    """A result, nearer to one half."""
    half = FIXED_POINT // 2
    return half + int((credit - half) * shrink) if shrink < 1.0 else credit


@inline
def back_up_node(tree: Tree, notes: Notes, scratch: Scratch, at: int, size: int, shrink: float) -> None:
    """Credit the result to the position itself, whichever way led to it."""
    node = int(tree.words[unsigned(at + CHILD * size)])
    if node != 0:
        place = node // (SEGMENTS + tree.levels) * (POSITION_SUM + tree.players)
        notes.positions[unsigned(place + POSITION_VISITS)] += 1
        for player in range(tree.players):
            notes.positions[unsigned(place + POSITION_SUM + player)] += discounted(scratch.credit[player], shrink)
