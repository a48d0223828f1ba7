"""What the match runner itself costs: short games a second, its share of long games, and adding a game to the store."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table

from luozi.matches.game_runner import Outcome
from luozi.matches.remote_task import PortableCall
from luozi.matches.runner import Run, play_all
from luozi.matches.schedule import MatchSchedule, ScheduledGame
from luozi.matches.store import Store
from luozi.matches.workers import Processes, game_task
from luozi.util.machine import cores

SHORT, LONG = 2000, 12  # games
THINKER = "mcts:iterations=100000,reuse_tree=false"  # keeping a tree is a player's own work, but no thinking


def run(rounds: int = 3) -> Table:
    """The table; all games go through the store, as in `luozi match`."""
    table = Table(title=f"the match runner on {cores()} cores, Connect Four")
    for column in ("what", "target", "figures"):
        table.add_column(column)
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "results.db")
        executor = Processes(cores())
        list(executor.run(tasks(contest(THINKER, 99), 2 * executor.workers)))  # the processes are there and warm
        rates = [short_games(store, executor, seed) for seed in range(rounds)]
        peer = [openspiel_games() for _ in range(rounds)]
        table.add_row("random against random, games/s", "at least 200", shown(rates, "{:.0f}"))
        table.add_row("the same on OpenSpiel, one core, nothing stored", "", shown(peer, "{:.0f}"))
        overheads = [long_games(store, executor, seed) for seed in range(rounds)]
        table.add_row(f"{THINKER}: time not spent thinking", "at most 2 %", shown(overheads, "{:.2%}"))
        tenth, thousandth = appended(store, contest("random", 0))
        table.add_row("adding game 11-20, 991-1,000 to the store", "the same", f"{tenth:.0f}, {thousandth:.0f} µs")
        executor.close()
    return table


def shown(values: list[float], form: str) -> str:
    """The median, and all."""
    return f"{form.format(statistics.median(values))}  ({', '.join(form.format(value) for value in values)})"


def contest(spelling: str, seed: int) -> MatchSchedule:
    """A match of a player against itself."""
    return MatchSchedule.of("connect4", [spelling, spelling], seed=seed)


def tasks(one: MatchSchedule, games: int) -> Iterator[PortableCall[MatchSchedule, ScheduledGame]]:
    """All games of a match."""
    return (game_task(one, fixture) for fixture in one.fixtures(games))


def short_games(store: Store, executor: Processes, seed: int) -> float:
    """Games a second, over all cores, with everything stored."""
    match = Run(contest("random", seed), SHORT)
    match.load(store)
    began = time.perf_counter()
    play_all([match], store, executor)
    return SHORT / (time.perf_counter() - began)


def openspiel_games(games: int = 300) -> float:
    """What a loop over OpenSpiel's own random bots reaches."""
    import pyspiel

    game = pyspiel.load_game("connect_four")
    bots = [pyspiel.make_uniform_random_bot(player, 1) for player in range(2)]
    began = time.perf_counter()
    for seed in range(games):
        pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
    return games / (time.perf_counter() - began)


def long_games(store: Store, executor: Processes, seed: int) -> float:
    """The share of the workers' time in which no player was thinking; a worker's time ends with its last game."""
    one = contest(THINKER, seed)
    store.enter(one, LONG)
    began = time.perf_counter()
    thinking, ends = 0.0, []
    for task, outcome in executor.run(tasks(one, LONG)):
        store.add(task.shared, outcome)
        ends.append(time.perf_counter() - began)
        thinking += seconds(outcome)
    return 1 - thinking / sum(ends[-executor.workers :])


def seconds(outcome: Outcome) -> float:
    """How long players thought in a game."""
    return sum(json.loads(outcome.clock))


def appended(store: Store, one: MatchSchedule) -> tuple[float, float]:
    """Microseconds for adding a game, when there are ten and when there are a thousand."""
    outcome = next(store.outcomes(one))
    other = contest("random", 12345)
    store.enter(other, 1000)
    times = []
    for number in range(1000):
        began = time.perf_counter()
        store.add(other, outcome._replace(fixture=outcome.fixture._replace(number=number)))
        times.append(1e6 * (time.perf_counter() - began))
    return statistics.median(times[10:20]), statistics.median(times[990:])
