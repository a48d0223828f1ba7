"""The experiment `cost`: time and memory in a fresh process, and the table that is made of them."""

from __future__ import annotations

import subprocess

import pytest

from luozi.contests.store import Store
from luozi.errors import LuoziError
from luozi.experiments import EXPERIMENTS
from luozi.experiments import cost as module
from luozi.experiments.report import do_experiment, report_page
from luozi.machine import processor_name
from luozi.reports.plots import figure_bytes

COST = EXPERIMENTS["cost"]
Case = module.Case


def measurement(seconds: float, megabytes: float, **other: float) -> dict[str, float]:
    return {"seconds": seconds, "bytes": 1e6 * megabytes, "nodes": 50, "depth": 7, "moves": 1, "full": False, **other}


PLAIN, IMPROVED = Case("plain", "mcts:keep=false", 1_000_000), Case("improved", "mcts:keep_won=true", 1_000_000)


def test_the_figures_of_the_source_stand_beside_ours() -> None:
    assert module.REPORTED == {"plain": (193.0, 10.4), "improved": (245.0, 10.8)}
    row = module.cost_row(IMPROVED, [])
    assert row == ("improved", 1_000_000, 0, *[None] * 8, 245.0, 10_800.0)


def test_a_row_has_the_median_its_interval_and_the_bytes_of_an_iteration() -> None:
    repeats = [measurement(2.0, 80), measurement(3.0, 90), measurement(7.0, 100)]
    row = module.cost_row(PLAIN, repeats)
    named = dict(zip((column.name for column in module.COLUMNS), row, strict=True))
    assert (named["CPU-seconds"], named["MB resident"], named["repeats"]) == (3.0, 90.0, 3)
    assert named["bytes an iteration"] == 90.0
    low, high = named["95 % interval of seconds"]
    assert (low, high) == (0.0, pytest.approx(4 + 4.302653 * 7**0.5 / 3**0.5))  # no time is below nothing
    assert named["95 % interval of MB"] == (pytest.approx(90 - 24.84, abs=0.01), pytest.approx(114.84, abs=0.01))
    assert module.cost_row(PLAIN, repeats[:1])[4] is None  # one value has no interval
    over_two = module.cost_row(PLAIN, [measurement(2.0, 80, moves=2)])
    assert over_two[7] == 40.0


def test_what_it_says_follows_from_the_table() -> None:
    found = {PLAIN: [measurement(2.0, 80)] * 2, IMPROVED: [measurement(3.0, 120)] * 2}
    said = module.findings(found)
    assert "improved search takes 1.50 times the time and 1.50 times the memory" in said[2]
    assert "in the report, 1.27 and 1.04 times" in said[2]
    assert not any("pool" in sentence for sentence in said)
    full = {PLAIN: [measurement(2.0, 80, full=True)]}
    assert "the node pool was full" in module.findings(full)[-1]
    assert module.findings({PLAIN: [], IMPROVED: []}) == ("Nothing is measured yet.",)


def test_a_plot_copes_with_rows_that_are_not_measured_yet() -> None:
    assert module.drawing({PLAIN: [], IMPROVED: []}) is None
    drawn = module.drawing({PLAIN: [measurement(2.0, 80)], IMPROVED: []})
    assert drawn is not None
    assert figure_bytes(drawn.draw()).startswith(b"\x89PNG")
    assert "improved" not in drawn.alt


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
    case = Case("plain", "mcts:keep=false", 2_000)
    assert module.measured("tictactoe", case, 1, seed=1)["full"]  # and not where there is room: see above


def test_a_measurement_that_fails_gets_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHILD", "raise SystemExit('no memory')")
    with pytest.raises(LuoziError, match="a measurement failed: no memory"):
        module.measured("tictactoe", Case("plain", "mcts:keep=false", 10), 1, seed=1)


@pytest.mark.parametrize("sizes", ["", "1+", "0", "1.5", "x"])
def test_sizes_are_whole_numbers(sizes: str) -> None:
    with pytest.raises(LuoziError, match="write whole numbers"):
        module.read_sizes(sizes)


def test_a_budget_in_seconds_makes_no_sense() -> None:
    with pytest.raises(LuoziError, match="give --iterations"):
        do_experiment(COST, COST.bench(seconds=1.0).looking(), {})
