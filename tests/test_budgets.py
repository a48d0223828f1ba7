"""The experiment `budgets`: the win rate by budget, board and seat."""

from __future__ import annotations

import pytest

from luozi.contests.contest import Contest
from luozi.contests.running import Run
from luozi.contests.store import Played, Store
from luozi.errors import LuoziError
from luozi.experiments import EXPERIMENTS
from luozi.experiments import budgets as module
from luozi.experiments.report import do_experiment
from luozi.reports.plots import figure_bytes

BUDGETS = EXPERIMENTS["budgets"]
TITLES = (module.FIXED, module.OPPONENT, module.HALF, module.SEAT)


def match_of(*games: tuple[float, float]) -> Run:
    """A made-up match: the results by seat; the first player begins every other game."""
    run = Run(Contest.of("tictactoe", ["mcts", "random"]), len(games))
    for number, results in enumerate(games):
        seats = (0, 1) if number % 2 == 0 else (1, 0)
        run.add(Played(number, number // 2, seats, results, -1, "", 9))
    return run


def test_win_rates_are_counted_by_seat() -> None:
    run = match_of((1.0, 0.0), (1.0, 0.0), (0.5, 0.5), (0.0, 1.0))  # won, lost, drawn, won
    cell = module.Cell("tictactoe", 500)
    [row] = module.score_table(module.HALF, {cell: run}, "iterations").as_dict()["rows"]
    assert (row["games"], row["wins"], row["draws"], row["losses"]) == (4, 2, 1, 1)
    assert (row["win rate"], row["as first"], row["as second"]) == (0.625, 0.75, 0.5)
    low, high = row["95 % interval as first"]
    assert low < 0.75 < high
    [row] = module.seat_table({cell: run}, "iterations").as_dict()["rows"]
    assert (row["games"], row["wins"], row["draws"], row["losses"]) == (4, 2, 1, 1)
    assert row["win rate"] == 0.625


def test_rows_without_games_cope() -> None:
    matches = {title: {module.Cell("tictactoe", 500): match_of()} for title in TITLES}
    found = module.result(matches, "iterations", ())
    assert found.findings == ("No game is finished yet.",)
    assert found.drawing is None
    assert all(row["win rate"] is None for table in found.tables for row in table.as_dict()["rows"])
    matches[module.HALF][module.Cell("tictactoe", 1000)] = match_of((1.0, 0.0), (0.0, 1.0))
    found = module.result(matches, "iterations", ())
    assert found.findings[0].startswith("Twice the budget wins 100.0 %")
    assert found.drawing is not None
    assert figure_bytes(found.drawing.draw()).startswith(b"\x89PNG")


def test_what_it_says_follows_from_the_games() -> None:
    small, large = module.Cell("tictactoe", 500), module.Cell("tictactoe", 1000)
    even, won = match_of((1.0, 0.0), (1.0, 0.0)), match_of((1.0, 0.0), (0.0, 1.0))
    matches = {title: {small: even, large: won} for title in TITLES}
    said = module.findings(matches)
    assert said[0].startswith("Twice the budget wins 75.0 %")
    assert "is 50.0 % (" in said[1]
    assert "for 500 a move, and 100.0 % (" in said[1]
    assert said[2].endswith("goes from 50.0 % to 100.0 % on tictactoe.")
    assert "75.0 %" in said[3]  # three of four games were won by who began


def test_a_match_that_is_in_two_tables_is_played_once() -> None:
    bench = BUDGETS.bench(games=2, iterations=64, store=Store.open(None))
    report = do_experiment(BUDGETS, bench, {"game": "tictactoe"})
    # A quarter against itself is in the first and the last table, half against a quarter in the first and the third.
    assert report.bench.wanted == 2 * (4 * 6 - 2)
    assert report.bench.complete
    tables = {
        table.title: {row["iterations"]: row for row in table.as_dict()["rows"]} for table in report.result.tables
    }
    assert list(tables) == list(TITLES)
    assert tables[module.FIXED][32] == tables[module.HALF][32]
    assert list(tables[module.SEAT]) == [2, 4, 8, 16, 32, 64]


def test_the_smallest_budget_is_not_halved() -> None:
    report = do_experiment(BUDGETS, BUDGETS.bench(games=2, iterations=2).looking(), {"game": "tictactoe"})
    tables = {table.title: [row["iterations"] for row in table.as_dict()["rows"]] for table in report.result.tables}
    assert tables[module.SEAT] == [1, 2]
    assert tables[module.HALF] == [2]


def test_several_boards_have_rows_of_their_own() -> None:
    values = {"game": "tictactoe connect4 tictactoe", "opponent": "random"}
    report = do_experiment(BUDGETS, BUDGETS.bench(games=2, iterations=64).looking(), values)
    assert list(dict.fromkeys(row[0] for row in report.result.tables[0].rows)) == ["tictactoe", "connect4"]
    assert dict(report.result.facts)["one opponent"] == "random"


@pytest.mark.parametrize(
    ("game", "said"), [(" ", "needs a game"), ("connect4 five3d", "five3d is played by 3, not 2: name a game for two")]
)
def test_games_for_two_are_needed(game: str, said: str) -> None:
    with pytest.raises(LuoziError, match=said):
        do_experiment(BUDGETS, BUDGETS.bench(games=2, iterations=64).looking(), {"game": game})
