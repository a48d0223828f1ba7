"""Leaf parallelism (Cazenave and Jouandeau 2007; Chaslot et al. 2008): one thread searches, all simulate.

The first thread selects a leaf and shows it to the others. Every thread plays a playout from there with its own random
numbers. The first thread waits for all and backpropagates one result after another, its own last. It is alone in the
tree, and the order is always the same, so that a search with a limit in iterations can be repeated.

Threads wait for each other at every leaf: all of them for the longest playout. Each thread needs a core of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from luozi.compiled import Array, inline, kernel, signed
from luozi.compiled.atomics import fetch_add, give_way, load_acquire, store_release
from luozi.compiled.references import by_reference, each_by_reference
from luozi.evaluators.thread_state import DONE, FINISHED, ITERATIONS, SIMULATED, WON, ThreadState
from luozi.rules.game import Game
from luozi.search.context import SearchContext, edge_at
from luozi.search.loop import backpropagate, evaluate_leaf, may_continue, select_leaf

# Places in Team.words, each in a cache line of its own: how many leaves were shown; how many threads have simulated
# from the last one; whether the search is over, or a thread has failed.
SHOWN, ARRIVED, OVER = 0, 8, 16
WORDS = 24
WANTED, SIZE = 0, 1  # places in Team.about
VALUED, RANDOM_MOVES, ENDED = 0, 1, 2  # places of a thread in Team.found
SPINS = 64  # looks before the processor is given to somebody else


class LeafTeamState(NamedTuple):
    """What N threads tell each other: the first a leaf, complete before SHOWN; the others results, before ARRIVED."""

    words: Array  # [WORDS] i8
    state: Array  # [1] the leaf
    row: Array  # [1] i8: the root's move that leads to it, or -1
    about: Array  # [2] i8: how many simulations are wanted, how many threads there are
    credit: Array  # [N, players] i8: as `ThreadState.credit`
    played: Array  # [N, max_length + 2, 2] i4: as `ThreadState.played`
    found: Array  # [N, 3] i8: whether there is a result; random moves, and whether they came to the end of the game


def new_team(game: Game, size: int) -> LeafTeamState:
    """Room for a leaf that so many threads look at."""
    return LeafTeamState(
        words=np.zeros(WORDS, np.int64),
        state=game.empty_states(1),
        row=np.zeros(1, np.int64),
        about=np.array([0, size], np.int64),
        credit=np.zeros((size, game.players), np.int64),
        played=np.zeros((size, game.length_limit + 2, 2), np.int32),
        found=np.zeros((size, 3), np.int64),
    )


@kernel
def search_as_team(context: SearchContext, team: LeafTeamState, number: int) -> None:
    """The part of one thread in a search, until a limit is reached, the stop flag is up, or the root is proven."""
    context, team = each_by_reference(context), by_reference(team)
    if number > 0:
        simulate_for(context, team, number)
        return
    tree, thread, limits, size = context.tree, context.thread, context.limits, team.about[SIZE]
    searcher = signed(context.game.current_player(thread.root[0]))
    while may_continue(tree, limits, 0):
        depth = select_leaf(context)
        valued = context.solver.check_leaf(context, depth, searcher)
        if not valued:
            row = tree.action_of(edge_at(thread, 1)) if depth > 0 else -1
            show_leaf(team, thread, row, min(size, limits.iterations - limits.progress[ITERATIONS]))
            valued = evaluate_leaf(context, depth)
            if not wait_for(team, ARRIVED, size - 1):
                break
            give_credit(team, thread, 0, valued)
            won, thread.counts[WON] = thread.counts[WON], 0  # a lucky win cuts moves last of all
            for other in range(1, size):
                if team.found[other, VALUED]:
                    take_credit(team, thread, other)
                    backpropagate(context, depth)
                    thread.counts[DONE] -= 1  # it is the other's
            take_credit(team, thread, 0)
            thread.counts[WON] = won
        if valued:  # what the stop flag cut off counts for nothing
            backpropagate(context, depth)
        if context.solver.is_finished(context.tree):
            break
    store_release(team.words, OVER, 1)


@inline
def simulate_for(context: SearchContext, team: LeafTeamState, number: int) -> None:
    """Simulate from every leaf that is shown until the search is over."""
    thread, shown = context.thread, 1
    while wait_for(team, SHOWN, shown):
        thread.state[0] = team.state[0]
        thread.row[0] = team.row[0]
        thread.counts[SIMULATED], thread.counts[FINISHED] = 0, 0
        valued = number < team.about[WANTED] and context.evaluator.evaluate(
            context.game, thread, context.variants, context.limits.progress
        )
        if valued:
            thread.counts[DONE] += 1
        give_credit(team, thread, number, valued)
        fetch_add(team.words, ARRIVED, 1)
        shown += 1


@inline
def show_leaf(team: LeafTeamState, thread: ThreadState, row: int, wanted: int) -> None:
    """Let the others see the position that the first thread is at."""
    team.state[0] = thread.state[0]
    team.row[0] = row
    team.about[WANTED], team.words[ARRIVED] = wanted, 0
    store_release(team.words, SHOWN, team.words[SHOWN] + 1)


@inline
def give_credit(team: LeafTeamState, thread: ThreadState, number: int, valued: bool) -> None:
    """Write down what a thread has found."""
    moves = thread.counts[SIMULATED]
    team.found[number, VALUED], team.found[number, RANDOM_MOVES] = valued, moves
    team.found[number, ENDED] = thread.counts[FINISHED]
    for player in range(thread.credit.shape[0]):
        team.credit[number, player] = thread.credit[player]
    for index in range(moves):
        team.played[number, index, 0] = thread.played[index, 0]
        team.played[number, index, 1] = thread.played[index, 1]


@inline
def take_credit(team: LeafTeamState, thread: ThreadState, number: int) -> None:
    """Let the first thread have found what another one has."""
    thread.counts[SIMULATED] = team.found[number, RANDOM_MOVES]
    thread.counts[FINISHED] = team.found[number, ENDED]
    for player in range(thread.credit.shape[0]):
        thread.credit[player] = team.credit[number, player]
    for index in range(team.found[number, RANDOM_MOVES]):
        thread.played[index, 0] = team.played[number, index, 0]
        thread.played[index, 1] = team.played[number, index, 1]


@inline
def wait_for(team: LeafTeamState, place: int, value: int) -> bool:
    """Wait until a word has come so far; False if the search is over before."""
    spins = 0
    while load_acquire(team.words, place) < value:
        if load_acquire(team.words, OVER) != 0:
            return False
        spins += 1
        if spins % SPINS == 0:
            give_way()
    return True
