"""Plain UCT with random simulations from the empty board, beside OpenSpiel's C++ MCTS bot, one thread each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyspiel
from rich.table import Table

import luozi
from benchmarks.measure import in_turn

ITERATIONS = 200_000


@dataclass(frozen=True)
class Pair:
    """A game in both programs. OpenSpiel does fewer iterations where 200,000 would take minutes: that favours it."""

    ours: str
    theirs: str
    their_iterations: int
    target: float


PAIRS = (
    Pair("connect4", "connect_four", ITERATIONS, 10),
    Pair("gomoku", "gomoku(size=15,connect=5)", 20_000, 20),
    Pair("go:size=9", "go(board_size=9,komi=7.5)", 20_000, 8),
    Pair("tictactoe", "tic_tac_toe", ITERATIONS, 3),
)


def our_search(spelling: str) -> Any:
    game = luozi.game(spelling)
    luozi.Engine(game, seed=1).compile()
    return lambda: luozi.Engine(game, c=1.0, seed=1).think(game.new_state(), iterations=ITERATIONS)


def their_search(spelling: str, iterations: int) -> Any:
    game = pyspiel.load_game(spelling)

    def search() -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
        bot = pyspiel.MCTSBot(game, evaluator, 1.0, iterations, 4000, False, 1, False)
        bot.mcts_search(game.new_initial_state())

    return search


def run(rounds: int = 5) -> Table:
    """The table of ratios."""
    table = Table(title=f"iterations per CPU-second, one thread, medians of {rounds} rounds in turn")
    for column in ("game", "luozi", "OpenSpiel", "ratio", "target"):
        table.add_column(column, justify="left" if column == "game" else "right")
    for pair in PAIRS:
        contestants = {"ours": our_search(pair.ours), "theirs": their_search(pair.theirs, pair.their_iterations)}
        times = in_turn(contestants, rounds)
        ours, theirs = ITERATIONS / times["ours"], pair.their_iterations / times["theirs"]
        table.add_row(pair.ours, f"{ours:,.0f}", f"{theirs:,.0f}", f"{ours / theirs:.1f}", f"{pair.target:g}")
    return table
