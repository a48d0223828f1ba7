"""The experiment `budgets`: the win rate by budget, board and seat."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from luozi.experiments import EXPERIMENTS
from luozi.experiments import budgets as module
from luozi.experiments.drawing import curve_panels
from luozi.experiments.frame import ExperimentRow
from luozi.experiments.report import do_experiment
from luozi.experiments.table import CurveDrawing, Record
from luozi.matches.runner import Run
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import ScoredGame, Store
from luozi.messages import LuoziError

BUDGETS = EXPERIMENTS["budgets"]
TITLES = (module.FIXED, module.OPPONENT, module.HALF, module.SEAT)


def match_of(*games: tuple[float, float]) -> Run:
    """A made-up match: the results by seat; the first player begins every other game."""
    run = Run(MatchSchedule.of("tictactoe", ["mcts", "random"]), len(games))
    for number, results in enumerate(games):
        seats = (0, 1) if number % 2 == 0 else (1, 0)
        run.add(ScoredGame(number, number // 2, seats, results, -1, "", 9))
    return run


def row_of(
    summarise: Callable[[ExperimentRow], Record], *games: tuple[float, float], budget: int = 500
) -> ExperimentRow:
    return ExperimentRow({"board": "tictactoe", "iterations": budget}, [match_of(*games)], summarise=summarise)


def test_win_rates_are_counted_by_seat() -> None:
    games = (1.0, 0.0), (1.0, 0.0), (0.5, 0.5), (0.0, 1.0)  # won, lost, drawn, won
    [row] = row_of(module.by_seats, *games).records
    assert (row["games"], row["wins"], row["draws"], row["losses"]) == (4, 2, 1, 1)
    assert (row["win rate"], row["as first"], row["as second"]) == (0.625, 0.75, 0.5)
    low, high = row["95 % interval as first"]
    assert low < 0.75 < high
    [row] = row_of(module.first_seat, *games).records
    assert (row["games"], row["wins"], row["draws"], row["losses"]) == (4, 2, 1, 1)
    assert row["win rate"] == 0.625
    for summarise in (module.by_seats, module.first_seat):
        [row] = row_of(summarise).records
        assert (row["games"], row["win rate"], row["95 % interval"]) == (0, None, None)


def test_boards_and_budgets_are_pooled() -> None:
    even, won = ((1.0, 0.0), (1.0, 0.0)), ((1.0, 0.0), (0.0, 1.0))
    halves = [row_of(module.by_seats, *even), row_of(module.by_seats, *won, budget=1000)]
    found = [row.records[0] for row in module.pooled_halves([*halves, *halves], "iterations")]
    assert [(row["iterations"], row["games"], row["win rate"]) for row in found] == [
        (500, 4, 0.5),
        (1000, 4, 1.0),
        ("all", 8, 0.75),
    ]
    assert found[0]["Elo"] == 0
    assert found[2]["95 % interval"][0] < 0.75 < found[2]["95 % interval"][1]
    [[first]] = [row.records for row in module.pooled_seats(["tictactoe"], halves)]
    assert (first["games"], first["win rate"]) == (4, 0.75)  # three of four games were won by who began


def test_a_match_that_is_in_two_tables_is_played_once() -> None:
    bench = BUDGETS.bench(games=2, iterations=64, store=Store.open(None))
    report = do_experiment(BUDGETS, bench, {"game": "tictactoe"})
    # A quarter against itself is in the first and the last table, half against a quarter in the first and the third.
    assert report.bench.wanted == 2 * (4 * 6 - 2)
    assert report.bench.complete
    tables = {
        table.title: {row.get("iterations"): row for row in table.as_dict()["rows"]} for table in report.result.tables
    }
    assert list(tables) == [*TITLES, module.POOLED_HALF, module.POOLED_SEAT]
    assert tables[module.FIXED][32] == tables[module.HALF][32]
    assert list(tables[module.SEAT]) == [2, 4, 8, 16, 32, 64]
    assert isinstance(report.result.drawing, CurveDrawing)
    panels = curve_panels(report.result, report.result.drawing)
    assert [panel.title for panel in panels] == list(TITLES)
    assert [(line.label, tuple(line.x)) for line in panels[3].lines] == [("tictactoe", (2, 4, 8, 16, 32, 64))]


def test_the_smallest_budget_is_not_halved() -> None:
    report = do_experiment(BUDGETS, BUDGETS.bench(games=2, iterations=2).looking(), {"game": "tictactoe"})
    tables = {table.title: [row.get("iterations") for row in table.as_dict()["rows"]] for table in report.result.tables}
    assert tables[module.SEAT] == [1, 2]
    assert tables[module.HALF] == [2]


def test_several_boards_have_rows_of_their_own() -> None:
    values = {"game": "tictactoe connect4 tictactoe", "opponent": "random"}
    report = do_experiment(BUDGETS, BUDGETS.bench(games=2, iterations=64).looking(), values)
    assert list(dict.fromkeys(row[0] for row in report.result.tables[0].rows)) == ["tictactoe", "connect4"]
    assert dict(report.result.facts)["one opponent"] == "random"


@pytest.mark.parametrize(
    ("game", "said"), [(" ", "needs a game"), ("connect4 five3d", "five3d has 3 players. Choose a game for two")]
)
def test_games_for_two_are_needed(game: str, said: str) -> None:
    with pytest.raises(LuoziError, match=said):
        do_experiment(BUDGETS, BUDGETS.bench(games=2, iterations=64).looking(), {"game": game})
