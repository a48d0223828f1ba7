"""`networks`: what it takes to value a position by a network of lines, and iterations of a search by it.

Positions are as a search meets them: those after each likely move of 50 positions after 20 moves. A network alone is
without rules and without wins by fours; with everything is as `strong` asks one at a new position.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.table import Table

import luozi
from benchmarks.measure import cpu_seconds, in_turn
from luozi.compiled import Array, kernel, new_rng
from luozi.evaluators.networks import network_for, shipped_network
from luozi.evaluators.thread_state import ThreadState, new_thread
from luozi.evaluators.variants import as_record
from luozi.players.presets import LEARNED, strong_options
from luozi.rules.kernel_runner import kernel_for
from luozi.search import Engine, Options

GAMES = ("gomoku", "five3d")
POSITIONS, MOVES, FOLLOWING = 50, 20, 16
REPEATS, ROUNDS, ITERATIONS = 20, 5, 4000


@kernel
def value_all(
    game: Any, network: Any, thread: ThreadState, variants: Any, states: Array, fours: int, repeats: int
) -> None:
    """Value all positions, one after the other, so many times."""
    for _ in range(repeats):
        for index in range(states.shape[0]):
            thread.state[0] = states[index]
            network.assess(game, thread, variants, fours)


def positions(game: Any) -> list[Any]:
    """Positions that a short search plays to from six random moves, none of them decided."""
    rng, found = np.random.default_rng(1), []
    engine = Engine(game, **strong_options(game), iterations=50, seed=1)
    while len(found) < POSITIONS:
        state = game.new_state()
        for move in range(MOVES):
            if not game.is_terminal(state):
                legal = game.legal_list(state)
                state = game.after(state, int(rng.choice(legal)) if move < 6 else engine.think(state).action)
        if not game.is_terminal(state) and not engine.think(state).best.proven:
            found.append(state)
    return found


def following(game: Any, states: list[Any]) -> Array:
    """The positions after the sort_likeliest moves of each."""
    engine = Engine(game, **strong_options(game), iterations=200, seed=1)
    after = [
        game.after(state, candidate.action)
        for state in states
        for candidate in engine.think(state).candidates[:FOLLOWING]
    ]
    return np.concatenate([np.asarray(one).reshape(1) for one in after])


def microseconds(game: Any, name: str, states: Array) -> dict[str, float]:
    """CPU time of one valuation, alone and with everything."""
    network = network_for(game, name, Options().network_fours)
    thread = new_thread(game, new_rng(1), network.new_memory())
    plain = as_record(Options(network=name).variants(0))
    full = as_record(Options.of(network=name, **LEARNED).variants(0))
    run = kernel_for(game, value_all)
    cases = {
        "alone": lambda repeats: run(game, network, thread, plain, states, 0, repeats),
        "everything": lambda repeats: run(game, network, thread, full, states, network.fours, repeats),
    }
    for case in cases.values():
        case(1)
    works = {key: (lambda case=case: case(REPEATS)) for key, case in cases.items()}
    return {key: 1e6 * took / REPEATS / len(states) for key, took in in_turn(works, ROUNDS).items()}


def iterations_a_second(game: Any, name: str, states: list[Any]) -> float:
    """From an empty tree each time."""
    options = {"network": name, **LEARNED, "early_stop": False, "reuse_tree": False}
    engine = Engine(game, **options, iterations=ITERATIONS, seed=1)
    engine.think(states[0])
    done: list[int] = []
    took = cpu_seconds(lambda: done.extend(engine.think(state).iterations for state in states))
    return sum(done) / took


def run() -> Table:
    """The table of the benchmark."""
    table = Table("game", "network alone, us", "with everything, us", "iterations/s")
    for spelling in GAMES:
        game = luozi.game(spelling)
        name, states = shipped_network(game), positions(game)
        took = microseconds(game, name, following(game, states))
        rate = iterations_a_second(game, name, states)
        table.add_row(spelling, f"{took['alone']:.1f}", f"{took['everything']:.1f}", f"{rate:,.0f}")
    return table
