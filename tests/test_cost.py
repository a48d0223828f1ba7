"""The experiment `cost`: time and memory in a fresh process, and the table that is made of them."""

from __future__ import annotations

import subprocess

import pytest

from luozi.experiments import EXPERIMENTS
from luozi.experiments import cost as module
from luozi.experiments.drawing import draw
from luozi.experiments.frame import ExperimentRow, TableDesign
from luozi.experiments.report import do_experiment, report_page
from luozi.experiments.table import Result
from luozi.matches.store import Store
from luozi.messages import LuoziError
from luozi.reports.figures import figure_bytes
from luozi.util.machine import processor_name

COST = EXPERIMENTS["cost"]
Case = module.Case


def measurement(seconds: float, megabytes: float, **other: float) -> dict[str, float]:
    return {"seconds": seconds, "bytes": 1e6 * megabytes, "nodes": 50, "depth": 7, "moves": 1, "full": False, **other}


def row_of(search: str, *repeats: dict[str, float]) -> ExperimentRow:
    """A row with made-up measurements."""
    row = module.case_row(COST.bench(), "five3d", Case(search, "mcts", 1_000_000), 1)
    row.measured = {str(number): one for number, one in enumerate(repeats)}
    return row


def result_of(*rows: ExperimentRow) -> Result:
    tables = (TableDesign(title, columns, rows).filled() for title, columns in module.COLUMNS.items())
    return Result(tuple(tables), drawing=module.DRAWING)


def test_the_figures_of_the_source_stand_beside_ours() -> None:
    assert module.REPORTED == {"plain": (193.0, 10.4), "improved": (245.0, 10.8)}
    time, memory = result_of(row_of("improved")).tables
    assert time.rows == [("improved", 1_000_000, 0, None, None, 245.0)]
    assert memory.rows == [("improved", 1_000_000, *[None] * 5, 10_800.0)]


def test_a_row_has_the_median_its_interval_and_the_bytes_of_an_iteration() -> None:
    repeats = [measurement(2.0, 80), measurement(3.0, 90), measurement(7.0, 100, full=True)]
    [named] = row_of("plain", *repeats).records
    assert (named["CPU-seconds"], named["MB resident"], named["repeats"]) == (3.0, 90.0, 3)
    assert (named["bytes an iteration"], named["pool full"]) == (90.0, True)
    low, high = named["95 % interval of seconds"]
    assert (low, high) == (0.0, pytest.approx(4 + 4.302653 * 7**0.5 / 3**0.5))  # no time is below nothing
    assert named["95 % interval of MB"] == (pytest.approx(90 - 24.84, abs=0.01), pytest.approx(114.84, abs=0.01))
    [single] = row_of("plain", *repeats[:1]).records
    assert (single["95 % interval of seconds"], single["pool full"]) == (None, False)  # one value has no interval
    [over_two] = row_of("plain", measurement(2.0, 80, moves=2)).records
    assert over_two["bytes an iteration"] == 40.0


def test_a_plot_copes_with_rows_that_are_not_measured_yet() -> None:
    assert draw(result_of(row_of("plain"), row_of("improved"))) is None
    figure = draw(result_of(row_of("plain", measurement(2.0, 80)), row_of("improved")))
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["plain, 1,000,000"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "the report, eight threads",
        "ours, with 95 % intervals",
    ]
    assert figure_bytes(figure).startswith(b"\x89PNG")


def test_a_move_is_measured_once_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = COST.bench(games=1, iterations=3_000, store=Store.open(None))
    values = {"game": "tictactoe", "sizes": "1", "moves": 2}
    report = do_experiment(COST, bench, values)
    assert report.bench.complete
    time, memory = (table.as_dict()["rows"] for table in report.result.tables)
    for row in time:
        assert row["repeats"] == 1
        assert row["CPU-seconds"] > 0
    for row in memory:
        assert 0 < row["nodes"] <= 6_000
        assert row["pool full"] is False
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("measured again"))
    again = do_experiment(COST, COST.bench(games=1, iterations=3_000, store=bench.store), values)
    assert again.result.tables == report.result.tables
    assert processor_name() in report_page(report)
    keys = [key for (key,) in bench.store.connection.execute("SELECT key FROM measurements WHERE key LIKE 'luozi %'")]
    assert all(processor_name() in key and "3000 iterations, 2 moves" in key for key in keys)
    assert len(keys) == 2


def test_a_pool_that_is_too_small_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROOM", 0)
    monkeypatch.setattr(module, "LEAST_ROOM", 100)
    case = Case("plain", "mcts:reuse_tree=false", 2_000)
    assert module.measured("tictactoe", case, 1, seed=1)["full"]  # and not where there is room: see above


def test_a_measurement_that_fails_gets_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHILD", "raise SystemExit('no memory')")
    with pytest.raises(LuoziError, match="a measurement failed: no memory"):
        module.measured("tictactoe", Case("plain", "mcts:reuse_tree=false", 10), 1, seed=1)


@pytest.mark.parametrize("sizes", ["", "1+", "0", "1.5", "x"])
def test_sizes_are_whole_numbers(sizes: str) -> None:
    with pytest.raises(LuoziError, match="write whole numbers"):
        module.read_sizes(sizes)


def test_a_budget_in_seconds_makes_no_sense() -> None:
    with pytest.raises(LuoziError, match="Give --iterations"):
        do_experiment(COST, COST.bench(seconds=1.0).looking(), {})
