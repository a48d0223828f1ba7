"""`ablation`: every option of the search alone against the same base, at equal iterations and at equal time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Annotated, Any

from luozi.contests.openings import Openings
from luozi.contests.running import Run
from luozi.experiments.ablation_rows import ALL, Option, chosen, offers
from luozi.experiments.ablation_tables import ITERATIONS, TIME, Cell, Work, result
from luozi.experiments.course import game_for_two
from luozi.experiments.frame import Bench, Budget, experiment
from luozi.experiments.scores import Score
from luozi.experiments.table import Result
from luozi.machine import processor_name
from luozi.messages import LuoziError, Message
from luozi.parameters import About, join_spelling
from luozi.reports.pages import Code, Line
from luozi.rules import Game
from luozi.search import Engine
from luozi.search.sources import CONNECT_FOUR

OPENING = Openings(plies=2)  # one random move of each player, the same in both games of a pair
PROBE = 2_000  # iterations a move by which the base's speed is measured where the budget is in seconds


@experiment(
    "ablation",
    title="Every option alone",
    source=CONNECT_FOUR,
    budget=Budget(200, iterations=5_000),
    quick=Budget(10, iterations=500),
)
def measure_ablation(
    bench: Bench,
    game: Annotated[str, About("a game for two")] = "connect4",
    options: Annotated[
        str, About("'all', 'report' (what the report tried), or names such as rave or discount=0.9 joined by +")
    ] = ALL,
) -> Result:
    """Does an option of the search, switched on alone, make plain UCT weaker or stronger? The report says of pruning,
    discount, hash table and kept tree that all make it weaker.
    """
    board = game_for_two(game)
    asked = chosen(options)
    rows = [option for option in asked if offers(board, option)]
    missing = ", ".join(option.name for option in asked if option not in rows)
    if not rows:
        raise LuoziError(
            "{game} does not offer what {text} needs: choose other options, or another game",
            game=board.spelling,
            text=missing,
        )
    limits = equal_limits(bench, board)
    cells = {
        (option.name, way): contest(bench, board.spelling, option, limit)
        for option in rows
        for way, limit in limits.items()
    }
    bench.matches(list(cells.values()))
    found = {key: Cell(Score((run,)), Work.of(run, bench.store)) for key, run in cells.items()}
    facts: list[tuple[str, Line]] = [
        ("game", Code(board.spelling)),
        ("base", Code(base_player(limits[ITERATIONS], {})) if ITERATIONS in limits else "not measured yet"),
        ("equal time", equal_time_text(limits)),
        ("games", "after one random move of each player, in pairs with the seats swapped"),
        *(
            [("left out", Message("{names}: {game} does not offer what they need", names=missing, game=board.spelling))]
            if missing
            else []
        ),
    ]
    return result(rows, found, tuple(facts))


# Equal budgets --------------------------------------------------------------------------------------------------------


def equal_limits(bench: Bench, game: Game) -> dict[str, dict[str, float]]:
    """The same work and the same time for a move; what is not given follows from the base's speed on this machine."""
    budget = bench.budget
    iterations = budget.iterations or PROBE
    key = f"{processor_name()}, {game.spelling}, {iterations} iterations"
    rate = bench.measure(key, lambda: iterations_per_second(game, iterations, bench.seed))
    if rate is None:
        return {(ITERATIONS if budget.iterations else TIME): budget.limits()}
    seconds = budget.seconds or float(f"{max(0.001, iterations / rate):.2g}")
    count = budget.iterations or max(1, round(float(f"{budget.seconds * rate:.2g}")))
    return {ITERATIONS: {"iterations": count}, TIME: {"seconds": seconds}}


def iterations_per_second(game: Game, iterations: int, seed: int) -> float:
    """How fast the base is over one game with itself, in processor time."""
    engine, state, moves, used = Engine(game, seed=seed), game.new_state(), 0, 0.0
    engine.compile()
    while not game.is_terminal(state):
        began = time.process_time()
        thought = engine.think(state, iterations=iterations)
        used += time.process_time() - began
        moves += 1
        engine.advance(thought.action)
        state = game.after(state, thought.action)
    return moves * iterations / used


def equal_time_text(limits: Mapping[str, Mapping[str, float]]) -> Line:
    """How much time that is."""
    if TIME not in limits:
        return "not measured yet"
    seconds = limits[TIME]["seconds"]
    return Message(
        "{seconds} s a move, by the clock: these games differ when they are played again ({text})",
        seconds=f"{seconds:g}",
        text=processor_name(),
    )


def base_player(limit: Mapping[str, float], values: Mapping[str, Any]) -> str:
    """Plain UCT with a limit and perhaps an option."""
    return join_spelling("mcts", {**limit, **values})


def contest(bench: Bench, game: str, option: Option, limit: Mapping[str, float]) -> Run:
    """The option against the base."""
    players = [base_player(limit, option.values), base_player(limit, option.base)]
    return bench.contest(game, players, bench.budget.games, openings=OPENING)
