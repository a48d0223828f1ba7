"""The match runner beside a bare loop over the compiled rules: games a second of random players, on one core."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

import numpy as np
from rich.table import Table

import luozi
from benchmarks.measure import cpu_seconds
from luozi.compiled import kernel, new_rng
from luozi.matches.runner import Run, play_all
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store
from luozi.matches.workers import Here

GAMES = ("connect4", "gomoku", "othello")
PLAYED, BARE = 60, 10_000  # games in each measurement


@kernel
def play_bare(game, start, states, rng, actions, games):  # type: ignore[no-untyped-def]
    """Play random games to their ends; return the number of moves."""
    moves = 0
    for _ in range(games):
        states[0] = start[0]
        while not game.is_terminal(states[0]):
            game.apply_action(states[0], game.draw_action(states[0], rng, actions))
            moves += 1
    return moves


def run(rounds: int = 5) -> Table:
    """The table; both are measured in turn, so that a noisy machine is noisy for both."""
    table = Table(title="random against random on one core, games a second of CPU time")
    for column in ("game", "match runner", "bare loop", "runner / loop, medians of rounds"):
        table.add_column(column, justify="right" if column != "game" else "left")
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "results.db")
        for game in GAMES:
            matched(store, game, 0), bare(game)  # everything is compiled and loaded
            pairs = [(PLAYED / matched(store, game, seed), BARE / bare(game)) for seed in range(1, rounds + 1)]
            runner, loop = (statistics.median(rates) for rates in zip(*pairs, strict=True))
            share = statistics.median(one / other for one, other in pairs)
            table.add_row(game, f"{runner:,.0f}", f"{loop:,.0f}", f"{share:.3%}")
    return table


def matched(store: Store, game: str, seed: int) -> float:
    """CPU seconds of a match that is stored, as `luozi match --workers 1` plays it."""
    match = Run(MatchSchedule.of(game, ["random", "random"], seed=seed), PLAYED)
    match.load(store)
    return cpu_seconds(lambda: play_all([match], store, Here()))


def bare(spelling: str) -> float:
    """CPU seconds of the same number of games times BARE / PLAYED in one call of a kernel."""
    game = luozi.game(spelling)
    start, states, actions = game.empty_states(1), game.empty_states(1), np.zeros(game.actions, np.int32)
    start[0] = game.new_state()
    return cpu_seconds(lambda: play_bare(game, start, states, new_rng(1), actions, BARE))
