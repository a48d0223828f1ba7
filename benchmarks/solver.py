"""Connect Four 7x6 in the exact solver: every legal move of random positions scored as won, drawn or lost.

The general search gets the same positions in turn, as far as it is fast enough; a position that it does not finish
counts with the time it was given.
"""

from __future__ import annotations

import statistics
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

import luozi
from benchmarks.measure import cpu_seconds
from luozi.messages import LuoziError
from luozi.solvers.base import NODES
from luozi.solvers.depth_first import GeneralSearch
from luozi.solvers.solver import DEFAULT_TABLE, Solver

# How many positions of each number of plies, and how many of them, the first ones, the general search gets.
POSITIONS = {20: (100, 100), 16: (100, 100), 14: (100, 50), 12: (100, 30), 10: (60, 6), 8: (40, 3)}
GENERAL_SECONDS = 10.0  # for one move
SEED = 1


class Score(NamedTuple):
    """What scoring all moves of a position took."""

    seconds: float
    nodes: int
    finished: bool


def run() -> Table:
    """The table; CPU times, which are those of one core."""
    game = luozi.game("connect4")
    fast, general = Solver(game, seconds=0), Solver(game, seconds=GENERAL_SECONDS)
    general.search = GeneralSearch(game, DEFAULT_TABLE, compiled=True)
    rng = np.random.default_rng(SEED)
    for solver in (fast, general):
        score(solver, random_position(game, 30, rng))  # compiled and warm
    table = Table(title="connect4 7x6: every legal move of a random position won, drawn or lost; milliseconds")
    names = ("plies", "positions", "mean", "median", "90 %", "positions/s", "M nodes/s")
    for name in (*names, "general: positions", "median", "90 %", "M nodes/s", "times as long"):
        table.add_column(name, justify="right")
    for plies, (count, shared) in POSITIONS.items():
        positions = [random_position(game, plies, rng) for _ in range(count)]
        table.add_row(*row(fast, general, plies, positions, shared))
    return table


def row(fast: Solver, general: Solver, plies: int, positions: list[Any], shared: int) -> list[str]:
    """One number of plies; the two take turns."""
    scores, others = [], []
    for number, state in enumerate(positions):
        scores.append(score(fast, state))
        if number < shared:
            others.append(score(general, state))
    seconds = [one.seconds for one in scores]
    cells = [str(plies), str(len(positions)), f"{1e3 * statistics.mean(seconds):.1f}", *quantiles(scores)]
    cells += [f"{1 / statistics.mean(seconds):.0f}", speed(scores)]
    ratio = sum(one.seconds for one in others) / sum(seconds[:shared])
    sign = "" if all(other.finished for other in others) else "> "
    return [*cells, str(shared), *quantiles(others), speed(others), f"{sign}{ratio:,.1f}"]


def score(solver: Solver, state: Any) -> Score:
    """Score all moves of a position."""
    nodes, finished = 0, True

    def work() -> None:
        nonlocal nodes, finished
        for action in solver.game.legal_list(state):
            try:
                solver.solve(solver.game.after(state, action))
            except LuoziError:
                finished = False
            nodes += int(solver.progress[NODES])

    seconds = cpu_seconds(work)
    return Score(seconds, nodes, finished)


def random_position(game: Any, plies: int, rng: np.random.Generator) -> Any:
    """A position after random moves in which nobody has won."""
    while True:
        state = game.new_state()
        while not game.is_terminal(state) and state.empty > game.playable - plies:
            state = game.after(state, int(rng.choice(game.legal_list(state))))
        if not game.is_terminal(state):
            return state


def middle(scores: list[Score]) -> float:
    """The median of the times."""
    return statistics.median(one.seconds for one in scores)


def quantiles(scores: list[Score]) -> tuple[str, str]:
    """The median and the 90 % quantile of the times, in milliseconds."""
    return f"{1e3 * middle(scores):,.1f}", f"{1e3 * float(np.quantile([one.seconds for one in scores], 0.9)):,.1f}"


def speed(scores: list[Score]) -> str:
    """Millions of nodes a second."""
    return f"{sum(one.nodes for one in scores) / sum(one.seconds for one in scores) / 1e6:.1f}"
