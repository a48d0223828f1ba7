"""Experiments: the list, the sources' figures, every form of a report, and going on after a stop."""

from __future__ import annotations

import csv
import json
import math
import random
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opposing import built

import luozi
from luozi.cli.app import main
from luozi.experiments import EXPERIMENTS, find_experiment
from luozi.experiments.connect4_boards import ANY, chosen_boards, shared_out
from luozi.experiments.drawing import draw
from luozi.experiments.exploration import BOTH, COARSE, FINE
from luozi.experiments.frame import Bench, ExperimentBudget
from luozi.experiments.opponents import REPORTED
from luozi.experiments.report import do_experiment
from luozi.experiments.table import Result, ResultTable, same_by_blocks, same_by_counts
from luozi.games import game as make_game
from luozi.matches.game_runner import Outcome
from luozi.matches.remote_task import PortableCall
from luozi.matches.schedule import MatchSchedule, ScheduledGame
from luozi.matches.store import Store
from luozi.matches.workers import Here
from luozi.messages import LuoziError
from luozi.util.tables import SHARE, SHARE_INTERVAL, TextColumn

pytestmark = pytest.mark.usefixtures("coarse")
BOARD = "tictactoe"  # the smallest game: an experiment's frame is the same on all


def tiny(name: str, folder: Path, *more: str) -> list[str]:
    """An experiment that takes a moment."""
    budget = ["--games", "2", "--iterations", "60", "--seed", "3", "--set", f"game={BOARD}"]
    return ["experiment", name, *budget, "--db", str(folder / "results.db"), "--workers", "1", *more]


def json_of(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> Any:
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


# The list and the sources' figures ------------------------------------------------------------------------------------


def test_the_list_names_every_experiment_and_what_can_be_set(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["experiment"], ["experiment", "list"]):
        assert main(arguments) == 0
        said = " ".join(capsys.readouterr().out.split())
        for name, one in EXPERIMENTS.items():
            assert name in said
            assert one.title
            for parameter in one.parameters.values():
                assert parameter.name in said
                assert parameter.about.meaning


def test_both_grids_of_the_exploration_constant_are_complete_with_the_reports_figures() -> None:
    assert COARSE == {0.6: 0.78, 0.7: 0.92, 0.8: 0.88, 0.9: 0.86}
    assert list(FINE) == [round(0.60 + 0.02 * step, 2) for step in range(11)]
    assert [round(100 * rate) for rate in FINE.values()] == [78, 82, 80, 84, 92, 92, 92, 86, 90, 84, 88]
    assert all(COARSE[c] == FINE[c] for c in COARSE if c in FINE)
    assert len(BOTH) == 12


def test_the_ladder_has_the_reports_figures() -> None:
    assert list(REPORTED) == list(range(2, 101, 2))
    perfect = [number for number, rate in REPORTED.items() if rate == 1]
    assert [number for number in perfect if number > 60] == [62, 64, 66, 68, 70, 78]
    assert len(perfect) == 33
    last = [92, 98, 94, 94, 90, 96, 94, 90, 92]
    assert [round(100 * REPORTED[number]) for number in range(84, 101, 2)] == last
    assert min(rate for number, rate in REPORTED.items() if number <= 80) == 0.96
    assert math.fsum(REPORTED.values()) / 50 == pytest.approx(0.984)


# Reports --------------------------------------------------------------------------------------------------------------


LONG = ("ablation", "cost", "exploration", "opponents", "levels", "three-player", "scaling")  # they compile much
WRITTEN = ("accuracy",)  # it would compile what no other test needs


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in LONG else name for name in EXPERIMENTS]
)
def test_every_experiment_gives_a_table_json_csv_a_plot_and_a_page(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if name in WRITTEN:
        request.getfixturevalue("as_written")
    files = {kind: tmp_path / f"report.{kind}" for kind in ("csv", "png", "html")}
    options = ["--csv", str(files["csv"]), "--plot", str(files["png"]), "--html", str(files["html"])]
    assert main(tiny(name, tmp_path, *options)) == 0
    shown = capsys.readouterr().out
    found = json_of(capsys, tiny(name, tmp_path))
    assert found["complete"]
    rows = [row for table in found["tables"] for row in table["rows"]]
    pooled = [row for table in found["tables"] if ", over all" in table["title"] for row in table["rows"]]
    with files["csv"].open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(rows)
    assert files["png"].read_bytes().startswith(b"\x89PNG")
    page = files["html"].read_text(encoding="utf-8")
    for part in (EXPERIMENTS[name].title, found["command"], *(table["title"] for table in found["tables"])):
        assert part in page
    assert "<svg" in page
    assert found["findings"] == []  # the tables speak for themselves
    assert all(table["title"] in shown for table in found["tables"])
    for row in rows:
        if row.get("win rate") is not None and row.get("95 % interval") is not None:
            low, high = row["95 % interval"]
            assert 0 <= low <= row["win rate"] <= high <= 1
        if "wins" in row:
            assert row["games"] == row["wins"] + row["draws"] + row["losses"]
            assert row["games"] == 2 or (row in pooled and row["games"] > 2)


@pytest.mark.long
def test_the_command_on_the_page_repeats_the_report(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    first = json_of(capsys, tiny("exploration", tmp_path))
    words = first["command"].split()
    assert words[0] == "luozi"
    again = json_of(capsys, [*words[1:], "--db", str(tmp_path / "others.db"), "--workers", "1"])
    assert again == first
    other = json_of(capsys, [*tiny("exploration", tmp_path), "--seed", "4"])
    assert other["tables"] != first["tables"]


def test_a_quick_look_says_that_it_is_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert main([*tiny("exploration", tmp_path), "--quick", "--html", str(page)]) == 0
    assert "A quick look" in capsys.readouterr().out
    assert "quick look" in page.read_text(encoding="utf-8")
    assert main([*tiny("exploration", tmp_path), "--html", str(page)]) == 0
    assert "A quick look" not in capsys.readouterr().out
    assert "quick look" not in page.read_text(encoding="utf-8")


def test_a_ladder_of_strategy_libraries_has_the_reports_figure_beside_a_number(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "strategies"
    folder.mkdir()
    for name, behaviour in (("98.so", "PLAYS"), ("2.so", "PLAYS"), ("mine.so", "CRASHES")):
        shutil.copy(built("strategy.c", "-shared", "-fPIC", f"-DBEHAVIOUR={behaviour}"), folder / name)
    arguments = [
        "experiment",
        "opponents",
        "--games",
        "4",
        "--iterations",
        "60",
        "--set",
        "boards=2",
        "--set",
        "size=6x7",
    ]
    options = ["--set", f"libraries={folder}", "--workers", "1", "--db", str(tmp_path / "results.db")]
    rows = {row["opponent"]: row for row in json_of(capsys, [*arguments, *options])["tables"][0]["rows"]}
    assert list(rows) == ["2.so", "98.so", "mine.so"]
    assert [row["report"] for row in rows.values()] == [1.0, 0.9, None]
    assert (rows["mine.so"]["forfeits"], rows["mine.so"]["wins"]) == (4, 4)
    assert rows["98.so"]["forfeits"] == 0


# Stopped and resumed --------------------------------------------------------------------------------------------------


class Impatient(Here):
    """Somebody presses Ctrl-C after a few games."""

    games = 0

    def run(
        self, tasks: Iterable[PortableCall[MatchSchedule, ScheduledGame]]
    ) -> Iterator[tuple[PortableCall[MatchSchedule, ScheduledGame], Outcome]]:
        for finished in super().run(tasks):
            if self.games == 9:
                raise KeyboardInterrupt
            self.games += 1
            yield finished


@pytest.mark.parametrize(
    ("name", "stops"),
    [("budgets", 2), *(pytest.param(*one, marks=pytest.mark.long) for one in (("exploration", 3), ("opponents", 2)))],
)
def test_a_stop_reports_what_there_is_and_the_same_command_goes_on_to_the_same_result(
    name: str, stops: int, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name != "budgets":  # what it needs is compiled for other tests too
        monkeypatch.setattr(luozi.Game, "compilable", False)
    straight, stopped = tmp_path / "straight", tmp_path / "stopped"
    straight.mkdir()
    stopped.mkdir()
    wanted = json_of(capsys, tiny(name, straight))
    with monkeypatch.context() as patch:
        patch.setattr("luozi.cli.experiments.chosen_executor", lambda *_: Impatient())
        for times in range(1, stops + 1):  # the last one of `exploration` comes while it tunes
            assert main([*tiny(name, stopped), "--json", "--plot", str(stopped / "plot.png")]) == 130
            said = capsys.readouterr()
            assert "run the same command to resume" in said.err
            partial = json.loads(said.out)
            assert not partial["complete"]
            assert sum(row["games"] for row in partial["tables"][0]["rows"]) <= 9 * times
    before = games_of(stopped / "results.db")
    assert len(before) == 9 * stops
    assert json_of(capsys, tiny(name, stopped)) == wanted
    assert before.items() <= games_of(stopped / "results.db").items()


def games_of(path: Path) -> dict[tuple[str, int], str]:
    """When each game was finished."""
    store = Store.open(path)
    return {
        (entry.contest.id, outcome.fixture.number): outcome.finished
        for entry in store.entries()
        for outcome in store.outcomes(entry.contest)
    }


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_without_any_game_there_is_a_report_all_the_same(name: str) -> None:
    one = EXPERIMENTS[name]
    report = do_experiment(one, one.bench(games=2, iterations=10).looking(), {})
    assert not report.bench.complete
    assert report.state.startswith("Not complete: 0 of ")
    assert draw(report.result) is None
    assert json.dumps(report.as_dict(), allow_nan=False)


def test_a_measurement_is_made_once(tmp_path: Path) -> None:
    calls: list[int] = []

    def slow() -> int:
        calls.append(1)
        return 7

    for _ in range(2):
        bench = Bench("speed", ExperimentBudget(1, iterations=1), store=Store.open(tmp_path / "results.db"))
        assert bench.measurements({"a": slow, "b": lambda: {"seconds": 1.5}}) == {"a": 7, "b": {"seconds": 1.5}}
        assert bench.complete
    looking = bench.looking()
    assert looking.measure("a", slow) == 7
    assert looking.measure("c", slow) is None
    assert not looking.complete
    assert len(calls) == 1
    assert Bench("speed", bench.budget, seed=2, store=bench.store).measure("a", slow) == 7
    assert len(calls) == 2


# Statistics and boards ------------------------------------------------------------------------------------------------


def test_equal_players_look_different_as_rarely_as_the_test_says() -> None:
    rng, found = random.Random(1), []
    for _ in range(600):
        levels = [rng.random() for _ in range(30)]  # openings differ
        columns = [
            {("", block): float(rng.random() < level) + (rng.random() < level) for block, level in enumerate(levels)}
            for _ in range(6)
        ]
        found.append(same_by_blocks(columns)[0])
    assert 0.02 < sum(p < 0.05 for p in found) / len(found) < 0.08
    assert 0.4 < sum(p < 0.5 for p in found) / len(found) < 0.6


def test_differences_that_are_there_are_seen() -> None:
    rng = random.Random(2)
    columns = [{("", block): float(rng.random() < rate) for block in range(200)} for rate in (0.5, 0.5, 0.8)]
    assert same_by_blocks(columns)[0] < 0.001
    assert same_by_blocks([columns[0], {}]) == (1.0, 0)
    assert same_by_counts([100, 100, 160], 200) < 0.001


def test_boards_are_those_of_the_course_platform() -> None:
    boards = chosen_boards("", ANY, 60, seed=1)
    assert boards == chosen_boards("", ANY, 60, seed=1) != chosen_boards("", ANY, 60, seed=2)
    assert len(set(boards)) == 60
    sizes = set()
    for board in boards:
        game = make_game(board)
        sizes.add((game.rows, game.columns))
        assert sum(game.closed) == 1
    assert {size for pair in sizes for size in pair} == {9, 10, 11, 12}
    assert sum(games for _, games in shared_out(50, boards[:5])) == 50
    assert chosen_boards("connect4", ANY, 5, seed=1) == ["connect4"]


def test_a_table_keeps_values_and_shows_text() -> None:
    columns = TextColumn("rate", SHARE), TextColumn("95 % interval", SHARE_INTERVAL)
    records = {"rate": 0.5, "95 % interval": (0.25, 0.75), "more": 1}, {"rate": 1.0}
    table = ResultTable.of("Rates", columns, records)
    assert table.cells() == [["50.0 %", "25.0 to 75.0 %"], ["100.0 %", "-"]]
    assert table.as_dict()["rows"][0] == {"rate": 0.5, "95 % interval": (0.25, 0.75)}
    assert Result((table,)).table("Rates") is table
    assert draw(Result((table,))) is None


# Bad input ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["exploraton"], "there is no experiment 'exploraton'; did you mean 'exploration'?"),
        (["opponents", "--iterations", "10", "--seconds", "1"], "give --iterations or --seconds, not both"),
        (["opponents", "--set", "size"], "write --set name=value"),
        (["opponents", "--set", "sizes=9x9"], "opponents has no parameter 'sizes'; did you mean 'size'?"),
        (["opponents", "--set", "size=9"], "write rows x columns"),
        (["opponents", "--set", "boards=0"], "boards=0 is not valid; it must be 1 to 100"),
        (["opponents", "--set", "boards=1", "--set", "boards=2"], "gives boards twice"),
        (["opponents", "--set", "libraries=none"], "there is no folder 'none'"),
        (["opponents", "--set", "libraries=."], "holds no strategy library"),
        (["opponents", "--set", "game=five3d"], "five3d has 3 players. Choose a game for two"),
        (["exploration", "--set", "opponent=nobody"], "there is no player 'nobody'"),
        (["exploration", "--plot", "plot.txt"], "a plot is a .png or an .svg file"),
        (["exploration", "--csv", "none/table.csv"], "there is no folder 'none'"),
    ],
)
def test_bad_input_gets_one_sentence(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["experiment", *arguments]) == 2
    error = capsys.readouterr().err.strip()
    assert said in error
    assert "\n" not in error


def test_an_unknown_experiment_is_an_error_of_the_user() -> None:
    with pytest.raises(LuoziError, match="there is no experiment"):
        find_experiment("nothing")
