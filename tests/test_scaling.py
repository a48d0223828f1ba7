"""The experiment `scaling`: what threads bring, beside as many searches that share nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hostile import use_tree

import luozi
from luozi.cli.experiments import read_settings
from luozi.experiments import EXPERIMENTS, scaling, speeds
from luozi.experiments.ablation import ITERATIONS, TIME
from luozi.experiments.drawing import draw
from luozi.experiments.frame import ExperimentRow, TableDesign
from luozi.experiments.report import do_experiment, report_page
from luozi.experiments.table import CurveDrawing, Result
from luozi.matches.runner import Run
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import ScoredGame, Store
from luozi.matches.workers import Here, OnCluster, Processes
from luozi.messages import LuoziError
from luozi.reports.figures import figure_bytes
from luozi.search.options import Options
from luozi.search.tree.locking import GlobalLockTree, NodeLockTree, PlainCounterTree, SharedTree

SCALING = EXPERIMENTS["scaling"]
TICTACTOE = luozi.game("tictactoe")


def speed(rate: float, lost: float = 0.0, busy: float = 1.0) -> dict[str, float]:
    return {"rate": rate, "busy": busy, "lost": lost, "full": 0.0}


def repeat(one: float, apart: float, busy: float = 1.0, **kinds: float) -> dict[str, dict[str, float]]:
    """A made-up round of measurements; simulations alone are four times as fast as one thread."""
    found = {"one thread": speed(one, busy=busy), "apart": speed(apart), "simulations": speed(4 * one)}
    return found | {kind: speed(rate) for kind, rate in kinds.items()}


def match_of(*scores: float, seats: int = 2) -> Run:
    """A made-up match: what the first player won of each game, who sits everywhere in turn."""
    game = "tictactoe" if seats == 2 else "five3d"
    run = Run(MatchSchedule.of(game, ["mcts", *["random"] * (seats - 1)]), len(scores))
    for number, score in enumerate(scores):
        order = tuple((place - number) % seats for place in range(seats))
        results = tuple(score if player == 0 else (1 - score) / (seats - 1) for player in order)
        run.add(ScoredGame(number, number // seats, order, results, -1, "", 9))
    return run


def row_of(kind: str, *rounds: dict[str, dict[str, float]], threads: int = 2) -> ExperimentRow:
    """A row of speeds with made-up rounds."""
    known = {"game": "tictactoe", "kind": kind, "threads": threads}
    return ExperimentRow(
        known, summarise=scaling.gain_of, measured={str(number): one for number, one in enumerate(rounds)}
    )


def strength_row(run: Run, way: str = TIME) -> ExperimentRow:
    known = {"game": "tictactoe", "kind": "free", "threads": 2, "at": way}
    return ExperimentRow(known, [run], summarise=scaling.strength_of)


# Arithmetic -----------------------------------------------------------------------------------------------------------


def test_gains_are_taken_from_each_round_by_itself() -> None:
    rounds = [repeat(100, 200, free=150), repeat(10, 10, free=20)]  # the machine was slower the second time
    [gain] = row_of("free", *rounds).records
    assert gain["speed-up"] == pytest.approx((1.5 + 2.0) / 2)
    assert gain["of the yardstick"] == pytest.approx((0.75 + 2.0) / 2)
    assert gain["95 % interval"] == (0.0, pytest.approx(1.75 + 12.7062 * 0.25, abs=0.001))  # Student's, one degree
    assert (gain["simulations/s"], gain["repeats"], gain["pool full"]) == (85.0, 2, False)
    for nothing in (row_of("global", *rounds), row_of("free")):
        assert nothing.records == [nothing.known]


def test_one_lock_leaves_what_amdahl_leaves() -> None:
    assert scaling.one_lock_limit(0.5) == 2.0
    assert scaling.one_lock_limit(0.9) == pytest.approx(10.0)
    known = {"game": "tictactoe", "with one thread": ["one"]}
    [named] = ExperimentRow(known, summarise=scaling.one_thread, measured={"two": repeat(100, 200, free=150)}).records
    assert (named["time in simulations"], named["most with one lock"]) == (0.25, pytest.approx(4 / 3))
    assert named["ready for others"] is None  # threads=1 was not measured
    [ready] = ExperimentRow(known, summarise=scaling.one_thread, measured={"one": repeat(100, 100, free=90)}).records
    assert ready["ready for others"] == pytest.approx(0.9)


def test_the_source_stands_beside_go_alone() -> None:
    assert scaling.FUEGO == {9: 11_400, 19: 2_750}
    assert scaling.fuego_of(luozi.game("go:size=9")) == 11_400
    assert scaling.fuego_of(luozi.game("go:size=19")) == 2_750
    assert scaling.fuego_of(luozi.game("go:size=7")) is None
    assert scaling.fuego_of(luozi.game("gomoku:size=9")) is None


def test_win_rates_count_whole_encounters_of_two_and_of_three() -> None:
    [row] = strength_row(match_of(1, 0, 1, 1)).records
    assert (row["games"], row["win rate"]) == (4, 0.75)
    assert row["95 % interval"][0] < 0.75 < row["95 % interval"][1]
    [row] = strength_row(match_of(1, 0, 0, 1, 1, 0, seats=3)).records
    # A game counts against each of the others, so that equal players have one half.
    assert (row["games"], row["win rate"]) == (6, 0.5)
    [row] = strength_row(match_of()).records
    assert (row["games"], row.get("win rate")) == (0, None)


# Picture --------------------------------------------------------------------------------------------------------------


def test_both_curves_are_drawn_and_what_is_missing_is_left_out() -> None:
    one, two = repeat(100, 100, free=90, plain=95), repeat(100, 200, free=180, plain=190)
    two["plain"]["lost"] = 0.125
    rows = [
        row_of(kind, *[found] * 2, threads=threads)
        for kind in ("free", "plain", "apart")
        for threads, found in ((1, one), (2, two))
    ]
    speeds = TableDesign(scaling.SPEEDS, scaling.SPEED_COLUMNS, rows).filled()
    assert [row["visits lost"] for row in speeds.as_dict()["rows"]] == [0.0, 0.0, 0.0, 0.125, None, None]
    matches = [strength_row(match_of(1, 1, 1, 0)), strength_row(match_of(), ITERATIONS)]
    strength = TableDesign(scaling.STRENGTHS, scaling.STRENGTH_COLUMNS, matches).filled()
    drawing = CurveDrawing(scaling.CURVES, "threads", mark=(2, "cores of this machine"), yardstick="apart")
    figure: Any = draw(Result((speeds, strength), drawing=drawing))
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["tictactoe", "Strength at equal time"]
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert {"as many times", "cores of this machine", "free", "plain", "apart"} == set(labels)
    assert figure_bytes(figure).startswith(b"\x89PNG")
    assert draw(Result((), drawing=drawing)) is None


# What is asked for ----------------------------------------------------------------------------------------------------


def test_numbers_of_threads_are_joined_by_plus_or_commas() -> None:
    written = SCALING.values(read_settings(["threads=1,2,4,8,16"]))["threads"]
    assert scaling.read_counts(written) == scaling.read_counts("16+8+4+2+1") == (1, 2, 4, 8, 16)
    for wrong in ("", "0", "2+", "two", "257", "1.5"):
        with pytest.raises(LuoziError, match="write whole numbers from 1 to 256"):
            scaling.read_counts(wrong)


def test_kinds_are_those_that_the_search_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    assert scaling.read_kinds("all", "kinds")[:4] == ("free", "plain", "node", "global")
    monkeypatch.setitem(speeds.KINDS, "telepathy", {"telepathy": True})
    assert "telepathy" not in scaling.read_kinds("all", "kinds")
    with pytest.raises(LuoziError, match="playing=fre is not valid: there is no kind 'fre'; did you mean 'free'"):
        scaling.read_kinds("fre", "playing")


def test_one_thread_can_run_the_code_of_several() -> None:
    for kind, wanted in {
        "free": SharedTree,
        "plain": PlainCounterTree,
        "node": NodeLockTree,
        "global": GlobalLockTree,
    }.items():
        [engine] = speeds.crew_of(TICTACTOE, kind, 1, room=1000, seed=1)
        assert type(engine.memory.tree) is wanted
        assert engine.tree is engine.memory.tree
    engine = luozi.Engine(TICTACTOE, seed=1, compiled=False)
    use_tree(engine, SharedTree)
    assert engine.think(TICTACTOE.begin(), iterations=50).iterations == 50
    assert speeds.lost_share(engine, engine.think(TICTACTOE.begin(), iterations=50)) == 0


def test_the_yardstick_has_a_search_for_each_thread() -> None:
    crew = speeds.crew_of(TICTACTOE, speeds.APART, 3, room=1000, seed=1)
    assert len(crew) == len({id(engine.tree.words) for engine in crew}) == 3
    assert [engine.options.threads for engine in crew] == [1, 1, 1]


def test_games_are_played_one_at_a_time() -> None:
    bench = SCALING.bench(quick=True, executor=Processes(8))
    scaling.play_one_at_a_time(bench)
    assert isinstance(bench.executor, Here)
    with pytest.raises(LuoziError, match="Remove --cluster"):
        do_experiment(SCALING, SCALING.bench(executor=OnCluster("auto", None)).looking(), {})


def test_the_other_seats_have_one_thread_each() -> None:
    players = scaling.seats_of(luozi.game("five3d"), "global", 4, {"seconds": 0.1})
    assert players == ["mcts:seconds=0.1,threads=4,locks=global", "mcts:seconds=0.1", "mcts:seconds=0.1"]
    assert Options.of(threads=4, locks="global").threads == 4


@pytest.mark.long
def test_an_iteration_has_the_atomic_operations_that_the_page_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    from benchmarks.shared_lines import iterations

    for one in iterations(TICTACTOE, warm=300, count=40):
        on_edges = 3 * (one.depth - 1)  # the root's moves are told some iterations at a time
        # A new move, a new segment, a new node: one each, and one more where the thread's own room is used up; and one
        # where a node turns out to have no more moves.
        assert 0 <= one.operations - on_edges <= 5 + one.depth


# A whole run ----------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_small_run_is_whole_and_goes_on_where_it_was_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.open(None)
    values = SCALING.values(
        {"game": "tictactoe", "threads": "1,2", "kinds": "free", "span": "0.02", "repeats": "1", "playing": "free"}
    )
    looked = do_experiment(SCALING, SCALING.bench(games=2, iterations=20, store=store).looking(), values)
    assert looked.bench.done == 0
    assert all(row[3] is None for row in looked.result.tables[0].rows)
    report = do_experiment(SCALING, SCALING.bench(games=2, iterations=20, store=store), values)
    assert report.bench.complete
    by_speed, one, strength = (table.as_dict()["rows"] for table in report.result.tables)
    assert [(row["kind"], row["threads"]) for row in by_speed] == [("free", 1), ("free", 2), ("apart", 1), ("apart", 2)]
    assert all(row["simulations/s"] > 0 for row in by_speed)
    assert len(one) == 1
    assert [(row["at"], row["threads"], row["games"]) for row in strength] == [(TIME, 2, 2), (ITERATIONS, 2, 2)]
    assert "Games are played one at a time" in report_page(report)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("measured again"))
    monkeypatch.setattr(Here, "run", lambda *_: pytest.fail("played again"))
    again = do_experiment(SCALING, SCALING.bench(games=2, iterations=20, store=store), values)
    assert again.result.tables == report.result.tables
    alone = do_experiment(SCALING, SCALING.bench(games=2, iterations=20, store=store), values | {"measure": "speed"})
    assert [table.title for table in alone.result.tables] == ["Simulations a second", "One thread"]


def test_speeds_are_measured_once_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    store, asked = Store.open(None), []

    def measured(wanted: Any) -> Any:
        asked.append(wanted["threads"])
        return repeat(100, 100 * wanted["threads"], free=90 * wanted["threads"])

    monkeypatch.setattr(scaling, "measured_apart", measured)
    values = SCALING.values(
        {"game": "tictactoe", "threads": "1,2", "kinds": "free", "measure": "speed", "repeats": "1"}
    )
    report = do_experiment(SCALING, SCALING.bench(store=store), values)
    again = do_experiment(SCALING, SCALING.bench(store=store), values)
    assert asked == [1, 2]
    assert again.result.tables == report.result.tables
    assert [row["speed-up"] for row in report.result.tables[0].as_dict()["rows"]] == pytest.approx([0.9, 1.8, 1.0, 2.0])


def test_a_measurement_that_fails_gets_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speeds, "CHILD", "raise SystemExit('no memory')")
    with pytest.raises(LuoziError, match="a measurement failed: no memory"):
        speeds.measured_apart({"game": "tictactoe"})
