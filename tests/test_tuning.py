"""Tuning: what can be asked for, one result however it is played, and the command."""

from __future__ import annotations

import csv
import json
import random
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

import luozi
from luozi.cli.app import main
from luozi.matches.game_runner import Outcome, play_fixture
from luozi.matches.openings import Openings
from luozi.matches.remote_task import PortableCall
from luozi.matches.schedule import MatchSchedule, ScheduledGame
from luozi.matches.store import Store
from luozi.matches.tuning.ranges import Choices, Range, read_ranges
from luozi.matches.tuning.result import conclude, tune
from luozi.matches.tuning.trials import Tuning, TuningRun, propose
from luozi.matches.workers import Here
from luozi.players import PLAYERS
from luozi.reports.contest_files import json_text
from luozi.statistics import surface
from luozi.statistics.surface import SETTINGS

MCTS = PLAYERS["mcts"]
pytestmark = pytest.mark.usefixtures("coarse")

# What can be asked for ------------------------------------------------------------------------------------------------


def test_ranges_are_numbers_whole_numbers_by_ratios_or_choices() -> None:
    texts = [
        "c=0.2:2",
        "iterations=100:10_000:log",
        "final=robust|max",
        "reuse_tree=true|false",
        "extra_budget=0.5|1|2",
    ]
    found = read_ranges(texts, MCTS, {})
    assert found == (
        Range("c", 0.2, 2.0, False, False, 0, 100),
        Range("iterations", 100, 10000, True, True, 0, 10**15),
        Choices("final", ("robust", "max")),
        Choices("reuse_tree", (True, False)),
        Choices("extra_budget", (0.5, 1.0, 2.0)),
    )
    assert [str(one) for one in found[:4]] == ["0.2:2.0", "100:10000:log", "robust|max", "true|false"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("c", "--param c is not valid; write NAME=LOW:HIGH, NAME=LOW:HIGH:log or NAME=ONE|OTHER"),
        ("c=", "--param c= is not valid; write NAME=LOW:HIGH, NAME=LOW:HIGH:log or NAME=ONE|OTHER"),
        ("c=1", "--param c=1 is not valid; write NAME=LOW:HIGH, NAME=LOW:HIGH:log or NAME=ONE|OTHER"),
        ("c=1:2:sqrt", "--param c=1:2:sqrt is not valid; write NAME=LOW:HIGH, NAME=LOW:HIGH:log or NAME=ONE|OTHER"),
        ("iteration=1:2", "mcts has no parameter 'iteration'; did you mean 'iterations'?"),
        ("c=2:1", "--param c=2:1 is not valid; the first number must be the smaller one"),
        ("c=1:1", "--param c=1:1 is not valid; the first number must be the smaller one"),
        ("c=0:1:log", "--param c=0:1:log is not valid; a range by ratios, 'log', must begin above 0"),
        ("c=-1:1", "mcts: c=-1 is not valid; it must be 0 to 100"),
        ("c=a:b", "mcts: c=a is not valid; it must be 0 to 100"),
        ("nodes=1.5:3", "mcts: nodes=1.5 is not valid; it must be 0 to 10^10"),
        ("reuse_tree=0:1", "--param reuse_tree=0:1 is not valid; reuse_tree is no number: write reuse_tree=true|false"),
        ("final=1:2", "--param final=1:2 is not valid; final is no number: write final=robust|max"),
        ("final=robust|man", "mcts: final=man is not valid; did you mean 'max'?"),
        ("c=1|1.0", "--param c=1|1.0 is not valid; it names a value twice"),
        ("seconds=1:2", "seconds can't be tuned: the player sets seconds=1.0. Remove one of them."),
    ],
)
def test_a_wrong_range_is_refused_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(luozi.LuoziError) as caught:
        read_ranges([text], MCTS, {"seconds": 1.0})
    assert str(caught.value) == sentence


def test_something_must_be_tuned_and_nothing_twice() -> None:
    with pytest.raises(luozi.LuoziError, match=r"no parameter to tune. Name one with --param, as in --param c=0\.2:2"):
        read_ranges([], MCTS, {})
    with pytest.raises(luozi.LuoziError, match=r"c is tuned twice\. Give one --param"):
        read_ranges(["c=1:2", "c=2:3"], MCTS, {})


@pytest.mark.parametrize("text", ["c=0.2:2", "c=0.001:50:log", "iterations=1:7", "iterations=3:100000:log"])
def test_values_are_short_lie_in_the_range_and_come_back_from_their_place(text: str) -> None:
    [one] = read_ranges([text], MCTS, {})
    assert isinstance(one, Range)
    values = [one.value(unit) for unit in np.linspace(0, 1, 50)]
    assert (values[0], values[-1]) == (one.low, one.high)
    assert values == sorted(values)
    for value in values:
        assert one.value(one.unit(value)) == value
        assert one.whole or len(f"{value:g}".replace(".", "").lstrip("0")) <= 4


def test_proposals_are_allowed_values_and_the_same_every_time() -> None:
    tuned = read_ranges(["c=0.2:2", "nodes=10:12", "final=robust|max"], MCTS, {})
    first = propose(tuned, [], 30, seed=5)
    told = [(values, values["c"] / 2) for values in first]
    second = propose(tuned, told, 40, seed=6)
    assert propose(tuned, told, 40, seed=6) == second
    assert propose(tuned, told, 10, seed=6) == second[:10]
    for values in first + second:
        assert 0.2 <= values["c"] <= 2
        assert values["nodes"] in (10, 11, 12)
        assert values["final"] in ("robust", "max")
    average = [np.mean([values["c"] for values in wave]) for wave in (first, second)]
    assert average[1] > average[0] + 0.2  # it goes where the score is better


def test_given_openings_are_gone_through_from_trial_to_trial() -> None:
    lines = tuple((action,) for action in range(7))
    tuning = Tuning.of("mcts", ["c=1:2"], "random", openings=Openings(lines=lines)).in_trials(6)
    contests = [tuning.contest(number, {"c": 1.5}) for number in range(3)]
    played = [contest.opening(fixture)[0] for contest in contests for fixture in contest.fixtures(6)]
    assert played[::2] == [0, 1, 2, 3, 4, 5, 6, 0, 1]


def test_each_trial_has_random_openings_of_its_own() -> None:
    tuning = Tuning.of("mcts", ["c=1:2"], "random").in_trials(20)
    openings = [
        tuple(contest.opening(fixture) for fixture in contest.fixtures(20))
        for contest in (tuning.contest(number, {"c": 1.5}) for number in range(3))
    ]
    assert len(set(openings)) == 3


# One result however it is played --------------------------------------------------------------------------------------

QUICK = "tictactoe"


def quick() -> Tuning:
    return Tuning.of("flat", ["simulations=1:60:log"], "flat:playouts=15", QUICK).in_trials(6)


class Stopping(Here):
    """Somebody presses Ctrl-C after so many games."""

    def __init__(self, after: int) -> None:
        self.after = after

    def run(
        self, tasks: Iterable[PortableCall[MatchSchedule, ScheduledGame]]
    ) -> Iterator[tuple[PortableCall[MatchSchedule, ScheduledGame], Outcome]]:
        for task in tasks:
            if not self.after:
                raise KeyboardInterrupt
            self.after -= 1
            yield task, play_fixture(task.shared, task.part)


class Shuffled(Here):
    """Games finish in another order, as they do on many cores."""

    def run(
        self, tasks: Iterable[PortableCall[MatchSchedule, ScheduledGame]]
    ) -> Iterator[tuple[PortableCall[MatchSchedule, ScheduledGame], Outcome]]:
        waiting = list(tasks)
        random.Random(7).shuffle(waiting)
        yield from super().run(waiting)


@pytest.fixture
def fine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surface, "SETTINGS", SETTINGS)


@pytest.fixture(scope="module")
def whole() -> str:
    """The result of a tuning that nobody stopped."""
    run = TuningRun(quick(), 160, Store.open(None))
    run.play(Here())
    return json_text(conclude(run))


@pytest.mark.parametrize(
    "stops", [(9, 0, 60), *(pytest.param(stops, marks=pytest.mark.long) for stops in ((1,), (61, 37, 20)))]
)
def test_a_stopped_tuning_goes_on_and_ends_with_the_same_result(
    stops: tuple[int, ...], whole: str, tmp_path: Path
) -> None:
    path = tmp_path / "results.db"
    for after in stops:
        run = TuningRun(quick(), 160, Store.open(path))
        with pytest.raises(KeyboardInterrupt):
            run.play(Stopping(after))
        so_far = conclude(run)
        assert not so_far.complete
        assert so_far.finished == run.finished
    assert run.finished == sum(stops)
    run = TuningRun(quick(), 160, Store.open(path))
    run.load()
    assert run.finished == sum(stops)
    run.play(Stopping(160 - sum(stops)))  # nothing is played twice
    assert json_text(conclude(run)) == whole


def test_the_order_in_which_games_finish_does_not_matter(whole: str) -> None:
    run = TuningRun(quick(), 160, Store.open(None))
    run.play(Shuffled())
    assert json_text(conclude(run)) == whole


def test_proposals_come_from_the_results_before_them_not_from_the_file(whole: str, tmp_path: Path) -> None:
    run = TuningRun(quick(), 160, Store.open(tmp_path / "results.db"))
    run.play(Here())
    run.store.connection.execute("DELETE FROM measurements")
    again = TuningRun(quick(), 160, run.store)
    again.load()
    assert again.complete
    assert json_text(conclude(again)) == whole


def test_more_games_begin_with_the_same_trials(whole: str, tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    run = TuningRun(quick(), 75, Store.open(path))
    run.play(Here())
    assert run.finished == 76  # whole pairs
    assert [len(trial.run.played) for trial in run.trials] == [6] * 12 + [4]
    more = TuningRun(quick(), 160, Store.open(path))
    more.play(Stopping(160 - 76))
    assert [trial.values for trial in more.trials[:13]] == [trial.values for trial in run.trials]
    assert json_text(conclude(more)) == whole


@pytest.mark.usefixtures("fine")
def test_a_better_player_is_found_in_real_games() -> None:
    found = tune("flat", ["simulations=1:200:log"], "flat:playouts=20", games=400, workers=1, game="tictactoe")
    [finding] = found.findings
    assert finding.best > 20
    assert found.rate > 0.5
    assert found.best == f"flat:playouts={finding.best}"
    assert f"the best player: {found.best}" in str(found)


@pytest.mark.usefixtures("fine")
def test_choices_alone_can_be_tuned() -> None:
    found = tune("flat", ["simulations=1|60"], "flat:playouts=15", games=120, workers=1, game="tictactoe")
    [finding] = found.findings
    assert finding.best == 60
    assert finding.shares is not None
    assert finding.shares["60"] > 0.95
    assert finding.note == ""


def test_games_of_three_are_tuned_against_two_of_a_kind() -> None:
    game = "tictactoe:players=3,size=4"
    found = tune("flat", ["simulations=1:40"], "random", game=game, games=30, trial_games=6, workers=1)
    assert found.finished == 30
    assert found.rate > 1 / 3
    assert "match flat:playouts=" in found.verify
    assert found.verify.count(" random") == 2


def test_a_player_who_forfeits_is_named(tmp_path: Path) -> None:
    run = TuningRun(quick(), 12, Store.open(tmp_path / "results.db"))
    run.play(Here())
    invented = "forfeit = 'took too long', loser = 0, digest = ''"  # as a store of before digests
    run.store.connection.execute(f"UPDATE games SET {invented} WHERE number < 2")
    again = TuningRun(quick(), 12, run.store)
    again.load()
    assert conclude(again).forfeits == (("the tuned player", "took too long", 4),)
    assert "forfeit: the tuned player took too long (4 games)" in str(conclude(again))


# The command ----------------------------------------------------------------------------------------------------------


def luozi_tune(store: Path, *more: str) -> int:
    words = ["tune", "mcts:iterations=20", "--opponent", "mcts:iterations=20", "--game", "tictactoe", "--games", "60"]
    return main([*words, "--workers", "1", "--db", str(store), *more])


def test_the_command_prints_a_table_and_writes_all_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "results.db"
    ranges = ["--param", "c=0.1:3:log", "--param", "reuse_tree=true|false", "--param", "nodes=5:50"]
    assert luozi_tune(store, *ranges) == 0
    shown = capsys.readouterr().out
    assert "60 games in 3 trials" in shown
    for word in ("0.1:3.0:log", "true|false", "5:50", "win rate of the best against mcts:iterations=20"):
        assert word in shown
    files = [tmp_path / name for name in ("trials.csv", "plot.png", "page.html")]
    reports = [word for pair in zip(("--csv", "--plot", "--html"), map(str, files), strict=True) for word in pair]
    assert luozi_tune(store, *ranges, "--json", *reports) == 0  # all games are there already
    result = json.loads(capsys.readouterr().out)
    assert result["best"] in shown
    assert result["complete"]
    assert [finding["name"] for finding in result["findings"]] == ["c", "reuse_tree", "nodes"]
    assert set(result["findings"][1]["shares"]) == {"true", "false"}
    lines = list(csv.DictReader(files[0].open(encoding="utf-8")))
    assert [line["games"] for line in lines] == ["20"] * 3
    assert [float(line["c"]) for line in lines] == [row["values"]["c"] for row in result["rows"]]
    assert files[1].read_bytes().startswith(b"\x89PNG")
    page = files[2].read_text(encoding="utf-8")
    assert page.count("<svg") == 3
    assert "http" not in page.replace("http://www.w3.org", "")
    assert main(["results", "--list", "--db", str(store)]) == 0
    listed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("tuning")]
    assert listed == [
        f"tuning {result['id']}: tictactoe, mcts:iterations=20 with c=0.1:3.0:log, reuse_tree=true|false, nodes=5:50 "
        "against mcts:iterations=20: 60 games"
    ]


@pytest.mark.long
def test_the_commands_that_a_result_names_can_be_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    openings = tmp_path / "my openings.txt"
    openings.write_text("a1\nb2\nc3\n", encoding="utf-8")
    more = ["--param", "c=0.1:3", "--openings", str(openings), "--trial-games", "30", "--json"]
    assert luozi_tune(tmp_path / "one.db", *more) == 0
    result = json.loads(capsys.readouterr().out)
    again = shlex.split(result["command"])[1:]
    assert main([*again, "--json", "--workers", "1", "--db", str(tmp_path / "two.db")]) == 0
    assert json.loads(capsys.readouterr().out) == result
    verify = shlex.split(result["verify"])[1:]
    assert main([*verify, "--json", "--workers", "1", "--db", str(tmp_path / "two.db")]) == 0
    match = json.loads(capsys.readouterr().out)
    assert match["rows"][0]["label"] == result["best"]
    assert match["seed"] != result["seed"]


def test_a_stopped_command_reports_what_there_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Here, "run", Stopping(25).run)
    page = tmp_path / "page.html"
    assert luozi_tune(tmp_path / "results.db", "--param", "c=0.1:3", "--html", str(page)) == 130
    said = capsys.readouterr()
    assert "25 of 60 games so far, in 2 trials" in said.out
    assert "run the same command to resume" in said.err
    assert "25 of 60 games are finished" in page.read_text(encoding="utf-8")


def test_a_command_stopped_before_its_first_game_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Here, "run", Stopping(0).run)
    files = [word for name in ("csv", "plot", "html") for word in (f"--{name}", str(tmp_path / f"{name}.png"))]
    assert luozi_tune(tmp_path / "results.db", "--param", "c=0.1:3", *files) == 130
    assert "no game is finished yet" in capsys.readouterr().out
    assert (tmp_path / "csv.png").read_text(encoding="utf-8") == "trial,c,games,score,low,high\n"


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ([], "no parameter to tune. Name one with --param, as in --param c=0.2:2"),
        (["--param", "iterations=1:9"], "iterations can't be tuned: the player sets iterations=20"),
        (["--param", "d=1:9"], "mcts has no parameter 'd'"),
        (["--param", "c=1:9", "--plot", "plot.gif"], "a plot is a .png or an .svg file, not 'plot.gif'"),
        (["--param", "c=1:9", "--opponent", "nobody"], "there is no player 'nobody'"),
    ],
)
def test_bad_input_is_one_sentence(
    more: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert luozi_tune(tmp_path / "results.db", *more) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"luozi: {sentence}")
    assert said.count("\n") == 1
