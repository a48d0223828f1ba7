"""How well simulations of Go foresee who wins: `python benchmarks/go_foresight.py order:123 order:41235+few:2`.

`go_games.txt` has the beginnings of 42 games on 9x9, each with its result: 26 of GNU Go 3.8 against itself (level 5),
and 16 of Luozi with 3,000 iterations against GNU Go (level 10). From positions of them simulations are played with each
set of weights, and their share of wins is compared with what happened: the mean squared error, the smaller the better.
The first set is what the others are compared with, game by game. Minutes tell what matches need hours for, but of
simulations alone.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import luozi
from luozi.compiled import Array, kernel, new_rng
from luozi.games.go.points import point_of

GAMES = Path(__file__).with_name("go_games.txt")
FIRST, LAST, LATE = 9, 70, 30  # moves between which positions are taken, two of every four; from LATE on it is late


class Position(NamedTuple):
    """A position, of which game, after how many moves, and whether Black won in the end."""

    game: int
    moves: int
    won: float
    state: Any


@kernel
def simulate(
    game: Any, playout: Any, states: Array, memory: Array, rng: Array, actions: Array, results: Array, count: int
) -> float:
    """Black's wins in so many simulations from the first position."""
    wins = 0.0
    for _ in range(count):
        states[1] = states[0]
        playout.begin(game, states[1], memory[0])
        while not game.is_terminal(states[1]):
            action = playout.next(game, states[1], memory[0], rng, actions)
            game.apply_action(states[1], np.int64(action))
        game.returns(states[1], results)
        wins += results[0]
    return wins


def positions(game: Any) -> list[Position]:
    """Those of all games."""
    found = []
    for number, line in enumerate(GAMES.read_text("utf-8").splitlines()):
        result, *names = line.split()
        state = game.new_state()
        for moves, name in enumerate(names[:LAST]):
            if moves >= FIRST and (moves - FIRST) % 4 < 2:
                found.append(Position(number, moves, float(result.startswith("B")), state.copy()))
            action = point_of(game.size, name)
            if action is None or not game.is_legal(state, action):
                break
            game.apply_action(state, action)
    return found


def squared_errors(game: Any, found: list[Position], count: int) -> tuple[list[float], float]:
    """The squared error at each position, and simulations per CPU-second."""
    playout, states = game.policy_playout(), game.empty_states(2)
    rest = (playout.new_memory(), new_rng(1), np.zeros(game.actions, np.int32), np.zeros(2))
    states[0] = found[0].state
    simulate(game, playout, states, *rest, 1)  # compiled now
    errors, began = [], time.process_time()
    for position in found:
        states[0] = position.state
        share = (simulate(game, playout, states, *rest, count) + 1) / (count + 2)
        errors.append((share - position.won) ** 2)
    return errors, count * len(found) / (time.process_time() - began)


def difference(found: list[Position], errors: list[float], base: list[float]) -> str:
    """How much larger the errors are than those of the first set, over games, with its standard error."""
    games = sorted({position.game for position in found})
    means = [
        statistics.mean(errors[place] - base[place] for place, position in enumerate(found) if position.game == game)
        for game in games
    ]
    return f"{statistics.mean(means):+.4f} ± {statistics.stdev(means) / math.sqrt(len(means)):.4f}"


def main() -> None:
    """Compare sets of weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", nargs="*", default=["order:123", "order:41235"])
    parser.add_argument("--simulations", type=int, default=64, help="of each position")
    given = parser.parse_args()
    game = luozi.game("go:size=9,superko=false")
    found = positions(game)
    base: list[float] = []
    print(f"{len(found)} positions: squared error (early, late), difference, simulations/s")
    for weights in given.weights:
        errors, speed = squared_errors(game.with_weights(weights), found, given.simulations)
        base = base or errors
        early = statistics.mean(e for e, position in zip(errors, found, strict=True) if position.moves < LATE)
        late = statistics.mean(e for e, position in zip(errors, found, strict=True) if position.moves >= LATE)
        mean = statistics.mean(errors)
        told = difference(found, errors, base)
        print(f"{weights}: {mean:.4f} ({early:.4f}, {late:.4f}), {told}, {speed:,.0f}/s", flush=True)


if __name__ == "__main__":
    main()
