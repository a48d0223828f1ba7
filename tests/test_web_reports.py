"""The reports of whole tunings and experiments, made again from the games in a store."""

from __future__ import annotations

import pytest

import luozi
from luozi.experiments import EXPERIMENTS
from luozi.experiments.frame import Bench, Design, ExperimentBudget, ExperimentRow, TableDesign, experiment
from luozi.experiments.report import do_experiment, report_page
from luozi.experiments.table import MATCH_COLUMNS
from luozi.matches.openings import Openings
from luozi.matches.store import Store
from luozi.matches.tuning.result import conclude, tune
from luozi.matches.tuning.trials import Tuning, TuningRun, shown_label
from luozi.matches.workers import Here
from luozi.reports.tuning_pages import tuning_page
from luozi.util.tables import TextColumn
from luozi.web.results import whole_report


def test_the_report_of_a_tuning_is_that_of_its_command(tmp_path):
    path = tmp_path / "results.db"
    asked = {"game": "tictactoe", "games": 40, "workers": 1, "store": path, "seed": 3}
    found = tune("flat", ["playouts=1:50"], "random", **asked)
    store = Store.open(path, create=False)
    [name] = {entry.part_of for entry in store.entries()}
    assert "flat with simulations=1:50 against" in name
    assert "flat with playouts=1:50 against" in shown_label(name)
    for either in (name, shown_label(name)):
        assert whole_report(store, either) == tuning_page(found)
    store.close()
    store = Store.open(path)
    store.measure(name, "definition", None)
    with pytest.raises(luozi.LuoziError, match="needs more than is kept: repeat its command with --html FILE"):
        whole_report(store, name)  # as in a file of before definitions were kept
    store.close()


def test_the_report_of_a_tuning_is_found_for_any_seed_and_openings(tmp_path):
    store = Store.open(tmp_path / "results.db")
    openings = Openings(lines=((0,), (4,)))
    tuning = Tuning.of("flat", ["playouts=1:50:log"], "random", "tictactoe", 123456, openings).in_trials(4)
    run = TuningRun(tuning, 12, store)
    run.play(Here())
    assert whole_report(store, tuning.label) == tuning_page(conclude(run))
    store.measure(tuning.label, "definition", {**store.measured(tuning.label, "definition"), "trial_games": 6})
    with pytest.raises(luozi.LuoziError, match="needs more than is kept"):
        whole_report(store, tuning.label)  # that is another tuning
    store.close()


@pytest.mark.long
def test_the_report_of_an_experiment_is_that_of_its_command(tmp_path):
    store = Store.open(tmp_path / "results.db")
    budgets = EXPERIMENTS["three-player"]
    bench = budgets.bench(games=1, iterations=4, seed=2, store=store)
    contest = bench.contest("five3d", ["mcts:iterations=4,reuse_tree=false"] * 3, 1)
    store.enter(contest.contest, 1, part_of="reasonable")
    with pytest.raises(luozi.LuoziError, match="more than is kept"):
        whole_report(store, "reasonable")  # nothing is played
    with pytest.raises(luozi.LuoziError, match="no such tuning"):
        whole_report(store, "ladder")
    looked = do_experiment(budgets, bench.looking(), budgets.values({}))
    assert "Not complete: 0 of " in report_page(looked)
    store.close()


@experiment("toy", "A toy", "nobody", ExperimentBudget(100, iterations=50), ExperimentBudget(10, iterations=5))
def toy(bench: Bench, board: int = 3) -> Design:
    """Who wins?"""
    run = bench.contest(f"tictactoe:size={board}", [f"flat:playouts={bench.budget.iterations}", "random"], 2)
    rows = [ExperimentRow({"board": str(board)}, [run])]
    return Design([TableDesign("Who wins", (TextColumn("board"), *MATCH_COLUMNS), rows)])


@pytest.mark.parametrize("quick", [False, True])
def test_the_report_of_an_experiment_is_found_for_any_budget_seed_and_setting(tmp_path, monkeypatch, quick):
    monkeypatch.setitem(EXPERIMENTS, "toy", toy)
    store = Store.open(tmp_path / "results.db")
    for seed, iterations, board in ((7, 3, 4), (123456, 2, 3), (5, 4, 4)):
        bench = toy.bench(quick, seed, games=2, iterations=iterations, store=store)
        done = do_experiment(toy, bench, toy.values({"board": str(board)}))
        assert [row[:2] for row in done.result.tables[0].rows] == [(str(board), 2)]
        assert whole_report(store, "toy") == report_page(done)  # the last run of it
    store.close()
