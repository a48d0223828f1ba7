"""Matches as people run them: from the command line, stopped and resumed, on all cores, with one result."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

import luozi
from luozi.cli.app import main
from luozi.matches.game_runner import Outcome, play_fixture
from luozi.matches.runner import Run, play_all
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import ScoredGame, Store
from luozi.matches.summary import summarise
from luozi.matches.workers import Here, Processes, game_task
from luozi.statistics.matches import Sprt

QUICK = ["mcts:iterations=60", "flat:playouts=40"]


def repeatable(outcome: Outcome) -> Outcome:
    """All of a game but its clock times."""
    return outcome._replace(data=re.sub(r'"seconds":[^,}]+', "", outcome.data), finished="")


def rows_of(path: Path, contest: MatchSchedule) -> list[tuple[Any, ...]]:
    """Everything that is stored of a contest but clock times."""
    return [repeatable(outcome) for outcome in Store.open(path).outcomes(contest)]


# One result however it is played --------------------------------------------------------------------------------------


def test_swapping_the_order_of_the_players_mirrors_the_result_exactly() -> None:
    one = luozi.match(*QUICK, game="connect4", games=16, workers=1)
    other = luozi.match(*QUICK[::-1], game="connect4", games=16, workers=1)
    assert one.duel is not None
    assert other.duel is not None
    first, second = one.rows
    for mine, theirs in ((first, other.rows[1]), (second, other.rows[0])):
        assert (mine.label, mine.wins, mine.draws, mine.losses) == (
            theirs.label,
            theirs.wins,
            theirs.draws,
            theirs.losses,
        )
        assert mine.seats == theirs.seats
    assert one.duel.pairs == other.duel.pairs[::-1]
    assert 0 < one.duel.score < 1
    assert one.duel.score == 1 - other.duel.score
    assert one.duel.interval == pytest.approx([1 - bound for bound in other.duel.interval[::-1]], abs=1e-12)
    assert one.duel.elo == pytest.approx(-other.duel.elo)
    assert one.duel.superiority == pytest.approx(1 - other.duel.superiority)


def test_all_cores_give_the_same_games_as_one(tmp_path: Path) -> None:
    contest = MatchSchedule.of("connect4", QUICK)
    for name, executor in (("one", Here()), ("two", Processes(2))):
        run, store = Run(contest, 12), Store.open(tmp_path / name)
        run.load(store)
        play_all([run], store, executor)
        executor.close()
    assert rows_of(tmp_path / "one", contest) == rows_of(tmp_path / "two", contest)
    assert len(rows_of(tmp_path / "one", contest)) == 12


def test_a_worker_that_is_killed_costs_nothing_but_time() -> None:
    contest, executor = MatchSchedule.of("connect4", ["mcts:iterations=300", "mcts:iterations=300"]), Processes(2)
    finished = []
    for number, (task, _) in enumerate(executor.run(game_task(contest, fixture) for fixture in contest.fixtures(16))):
        finished.append(task.part.number)
        if number == 4:
            os.kill(next(iter(executor.pool._processes)), signal.SIGKILL)
    executor.close()
    assert sorted(finished) == list(range(16))


def test_a_game_that_kills_its_process_again_and_again_ends_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "deadly.py"
    text = Path("examples/morris.py").read_text(encoding="utf-8")
    deadly = "    def action_to_string(self, state, action):\n        import multiprocessing, os\n"
    deadly += "        if multiprocessing.parent_process():\n            os.kill(os.getpid(), 9)\n"
    deadly += "        return str(action)\n"
    path.write_text(text + "\n" + deadly, encoding="utf-8")
    contest, executor = MatchSchedule.of(str(path), ["random", "random"]), Processes(1)
    with pytest.raises(luozi.LuoziError, match="died 3 times"):
        list(executor.run(game_task(contest, fixture) for fixture in contest.fixtures(8)))
    executor.close()


def test_an_error_in_a_worker_is_one_sentence() -> None:
    contest, executor = MatchSchedule.of("connect4", ["gtp:gnugo --mode gtp", "random"]), Processes(1)
    with pytest.raises(luozi.LuoziError, match=r"game \d can't be played: "):
        list(executor.run(game_task(contest, fixture) for fixture in contest.fixtures(2)))
    executor.close()


def test_two_commands_at_once_play_one_match() -> None:
    """A game that another command has finished meanwhile is taken from the store, and counts as it was there."""
    contest, store = MatchSchedule.of("tictactoe", ["random", "random"]), Store.open(None)
    mine, theirs = Run(contest, 20), Run(contest, 20)
    mine.load(store)
    theirs.load(store)
    play_all([theirs], store, Here())

    class Slow(Here):
        """Has played a game when the other command already had."""

        def run(self, tasks):
            yield (
                game_task(contest, next(contest.fixtures())),
                play_fixture(contest, next(contest.fixtures()))._replace(results=(0.25, 0.75)),
            )
            yield from super().run(tasks)

    play_all([mine], store, Slow())
    assert mine.complete
    assert summarise(mine) == summarise(theirs)


def test_an_error_in_a_users_game_is_blamed_on_its_line(tmp_path: Path) -> None:
    path = tmp_path / "buggy.py"
    text = Path("examples/morris.py").read_text(encoding="utf-8")
    wrong = "    def action_to_string(self, state, action):\n        import multiprocessing\n"
    wrong += "        if multiprocessing.parent_process():\n            raise ValueError('mine')\n"
    wrong += "        return str(action)\n"
    path.write_text(text + "\n" + wrong, encoding="utf-8")
    contest, executor = MatchSchedule.of(str(path), ["random", "random"]), Processes(1)
    with pytest.raises(luozi.LuoziError, match=r"buggy.py, line \d+: ValueError: mine"):
        list(executor.run(game_task(contest, fixture) for fixture in contest.fixtures(2)))
    executor.close()


# Sequential tests -----------------------------------------------------------------------------------------------------


def run_in_order(order: list[int], played: list[ScoredGame]) -> Run:
    run = Run(MatchSchedule.of("connect4", QUICK), len(played), Sprt(0, 200, 0.05, 0.05))
    for number in order:
        run.add(played[number])
    return run


def test_a_sequential_test_compares_one_with_two_others() -> None:
    game = "tictactoe:players=3,size=4"
    summary = luozi.match("mcts:iterations=300", "random", "random", game=game, games=300, sprt=(0, 100), seed=2)
    assert summary.duel is None
    assert summary.sprt is not None
    assert summary.sprt["verdict"] == "H1"
    assert summary.complete
    assert summary.counted < 300
    assert summary.counted % 3 == 0
    assert "SPRT 0, 100" in str(summary)


def test_a_sequential_test_stops_at_the_same_game_whichever_finished_first() -> None:
    contest = MatchSchedule.of("connect4", QUICK)
    rng = random.Random(1)
    played = []
    for fixture in contest.fixtures(400):
        score = float(rng.random() < 0.7)
        results = (score, 1 - score) if fixture.seats == (0, 1) else (1 - score, score)
        played.append(ScoredGame(fixture.number, fixture.encounter, fixture.seats, results, -1, "", 10))
    straight = run_in_order(list(range(400)), played)
    assert straight.verdict == "H1"
    assert 8 < straight.last < 300
    for seed in range(5):
        order = list(range(400))
        random.Random(seed).shuffle(order)
        run = run_in_order(order, played)
        assert (run.verdict, run.last, run.llr) == (straight.verdict, straight.last, straight.llr)
        assert summarise(run).rows == summarise(straight).rows


def test_nothing_is_played_after_the_test_has_decided() -> None:
    contest, store = MatchSchedule.of("tictactoe", ["flat:playouts=200", "random"]), Store.open(None)
    run = Run(contest, 2000, Sprt(0, 100, 0.05, 0.05))
    run.load(store)
    play_all([run], store, Here())
    assert run.verdict == "H1"
    assert store.count(contest) == run.last < 200
    summary = summarise(run)
    assert summary.complete
    assert summary.counted == run.last
    again = Run(contest, 2000, Sprt(0, 100, 0.05, 0.05))
    again.load(store)
    assert again.complete
    assert summarise(again) == summary


def test_a_test_of_three_different_players_is_refused() -> None:
    with pytest.raises(luozi.LuoziError, match="repeat the second player"):
        Run(MatchSchedule.of("five3d", ["random", "random", "flat"]), 30, Sprt(0, 10, 0.05, 0.05))


# More than two players ------------------------------------------------------------------------------------------------


def test_three_players_get_ratings_from_their_finishing_orders() -> None:
    summary = luozi.match(
        "flat:playouts=60", "random", "random", game="tictactoe:players=3,size=4,win_length=3", games=60, workers=1
    )
    best, *others = summary.rows
    assert best.games == 60
    assert sum(row.wins for row in summary.rows) + max(row.draws for row in summary.rows) <= 60
    for row in others:
        assert best.elo is not None
        assert row.elo is not None
        assert best.elo > row.elo + 100
        assert row.error is not None
        assert 0 < row.error < 200
    assert len(best.seats) == 3
    assert sum(row.elo or 0 for row in summary.rows) == pytest.approx(0, abs=1e-6)


def test_a_tournament_ranks_players_by_strength(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    players = ["random", "flat:playouts=100", "flat:playouts=5"]
    arguments = ["tournament", *players, "--game", "tictactoe", "--games", "40", "--workers", "1"]
    assert main([*arguments, "--db", str(tmp_path / "results.db")]) == 0
    lines = capsys.readouterr().out.splitlines()
    order = [line.split()[0] for line in lines if line.split() and line.split()[0] in players]
    assert order[:3] == ["flat:playouts=100", "flat:playouts=5", "random"]
    assert any("against each other" in line for line in lines)


# The command ----------------------------------------------------------------------------------------------------------


def luozi_match(store: Path, *more: str) -> list[str]:
    arguments = ["match", *QUICK, "--game", "connect4", "--games", "60", "--db", str(store), "--seed", "3"]
    return [*arguments, *more]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A match that was played to its end, and what the command said; whoever may change it takes a copy."""
    store, said = tmp_path_factory.mktemp("whole") / "results.db", io.StringIO()
    with redirect_stdout(said):
        assert main([*luozi_match(store), "--workers", "1"]) == 0
    return store, said.getvalue()


def copied(store: Path, folder: Path) -> Path:
    """A store's copy in another folder."""
    return Path(shutil.copy(store, folder))


def test_the_same_command_again_plays_nothing_and_says_the_same(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, whole: tuple[Path, str]
) -> None:
    store, first = copied(whole[0], tmp_path), whole[1]
    finished = [outcome.finished for outcome in Store.open(store).outcomes(Store.open(store).entries()[0].contest)]
    assert main([*luozi_match(store), "--workers", "1"]) == 0
    assert capsys.readouterr().out == first
    again = [outcome.finished for outcome in Store.open(store).outcomes(Store.open(store).entries()[0].contest)]
    assert again == finished
    assert main(["results", "--db", str(store)]) == 0
    assert capsys.readouterr().out == first
    assert "complete" in first
    assert "Elo of mcts:iterations=60" in first


def test_more_games_go_on_from_those_that_are_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = tmp_path / "results.db"
    base = ["match", "random", "random", "--game", "tictactoe", "--db", str(store), "--workers", "1"]
    assert main([*base, "--games", "10"]) == 0
    assert main([*base, "--games", "30"]) == 0
    capsys.readouterr()
    assert main(["results", "--db", str(store), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["finished"] == found["wanted"] == 30
    assert main([*base, "--games", "10", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counted"] == 10


def test_results_are_given_as_json_csv_plot_and_page(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, whole: tuple[Path, str]
) -> None:
    files = {kind: tmp_path / f"result.{kind}" for kind in ("csv", "png", "html")}
    options = ["--csv", str(files["csv"]), "--plot", str(files["png"]), "--html", str(files["html"]), "--json"]
    assert main([*luozi_match(copied(whole[0], tmp_path)), "--workers", "1", *options]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["counted"] == 60
    with files["csv"].open(encoding="utf-8", newline="") as file:
        assert len(list(csv.reader(file))) == 61
    assert files["png"].read_bytes().startswith(b"\x89PNG")
    assert "<html" in files["html"].read_text(encoding="utf-8")


def test_a_match_that_begins_anew_says_why(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path, store = tmp_path / "hex.py", str(tmp_path / "results.db")
    source = Path("examples/morris.py").read_text(encoding="utf-8")
    command = ["match", "random", "random", "--game", str(path), "--workers", "1", "--db", store]
    said = []
    for text, games in ((source, "2"), (source + "# a comment\n", "4"), (source + "CHANGED = 1\n", "4")):
        path.write_text(text, encoding="utf-8")
        assert main([*command, "--games", games]) == 0
        said.append(capsys.readouterr().err)
    assert "changed" not in said[0] + said[1]
    assert "2 of 4 were finished before" in said[1]
    assert f"{path} has changed since 4 games of this match: it starts again" in said[2]
    assert main(["results", "--list", "--db", store]) == 0
    assert len(re.findall(r"\d{4}-\d\d-\d\d", capsys.readouterr().out)) == 2


def test_a_contest_without_games_has_no_best_player(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = Store.open(tmp_path / "results.db")
    store.enter(MatchSchedule.of("tictactoe", ["random", "flat", "minimax"], "round-robin"), 10)
    store.enter(MatchSchedule.of("tictactoe", ["random", "flat"]), 10)
    store.close()
    assert main(["results", "--list", "--db", str(tmp_path / "results.db")]) == 0
    assert "best" not in capsys.readouterr().out


def test_a_record_of_the_store_can_be_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = tmp_path / "results.db"
    base = ["match", "random", "random", "--game", "tictactoe", "--db", str(store), "--workers", "1"]
    assert main([*base, "--games", "2"]) == 0
    capsys.readouterr()
    assert main(["results", "--db", str(store), "--record", "2"]) == 0
    contest = Store.open(store).entries()[0].contest
    text, _, data = capsys.readouterr().out.partition("\ndata:\n")
    assert text == play_fixture(contest, list(contest.fixtures(2))[1]).record
    assert len(data.splitlines()) == text.count(". X ") + text.count(". O ")
    assert main(["results", "--db", str(store), "--record", "3"]) == 2
    assert "game 3" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["match", "random", "--game", "connect4"], "connect4 is played by 2, not 1"),
        (["match", "random", "random", "--sprt", "10"], "write two Elo differences, such as 0,10"),
        (["match", "random", "random", "--sprt", "10,0"], "the first difference must be the smaller one"),
        (["match", "random", "random", "--openings", "none.txt"], "can't read the openings 'none.txt'"),
        (["match", "random", "random", "--csv", "none/x.csv"], "there is no folder 'none'"),
        (["match", "random", "random", "--games", "0"], "--games"),
        (["results", "--db", "none.db"], "there is no results database 'none.db'"),
        (["match", "random", "gtp:gnugo --mode gtp"], "Go"),
        (["match", "random", "gtp:second=3,gnugo --mode gtp"], "gtp has no parameter 'second'"),
        (["match", "random", "random", "--sprt-error", "0.1"], "--sprt-error needs --sprt"),
        (["match", "random", "random", "--html", "."], "is a folder"),
        (["match", "random", "random", "--plot", "x.pdf"], "x.pdf"),
        (["results", "--list", "--json"], "print text only"),
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
    assert main(arguments) == 2
    error = capsys.readouterr().err.strip()
    assert said in error
    assert "\n" not in error


# Killed and resumed ---------------------------------------------------------------------------------------------------


def start(store: Path, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "luozi.cli", *luozi_match(store, "--workers", "2", *more)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)


def games_in(store: Path) -> int:
    if not store.is_file():
        return 0
    try:
        opened = Store.open(store)
        entries = opened.entries()
        return opened.count(entries[0].contest) if entries else 0
    except luozi.LuoziError:
        return 0


def processes_of(session: int) -> list[int]:
    """The processes of a session that are still there."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(folder.name))
    return found


@pytest.mark.parametrize("times", [1, pytest.param(10, marks=pytest.mark.long)])
def test_a_match_that_is_killed_gives_the_same_result_byte_for_byte(
    tmp_path: Path, times: int, capsys: pytest.CaptureFixture[str], whole: tuple[Path, str]
) -> None:
    store, kills, sessions = tmp_path / "killed.db", 0, []
    while kills < times:
        before, process = games_in(store), start(store)
        sessions.append(process.pid)
        deadline = time.monotonic() + 60
        while games_in(store) == before and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        assert process.poll() is None, "it was finished before it was killed often enough"
        process.kill()  # SIGKILL, to the command alone: its workers must notice by themselves
        process.wait()
        kills += 1
    assert main([*luozi_match(store), "--workers", "1"]) == 0
    assert capsys.readouterr().out == whole[1]
    contest = Store.open(store).entries()[0].contest
    assert rows_of(store, contest) == rows_of(whole[0], contest)
    assert len(rows_of(store, contest)) == 60
    deadline = time.monotonic() + 20
    while any(processes_of(session) for session in sessions) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(processes_of(session) for session in sessions)


def test_ctrl_c_shows_the_result_so_far_and_how_to_go_on(tmp_path: Path) -> None:
    store = tmp_path / "results.db"
    command = [sys.executable, "-m", "luozi.cli", "match", "mcts:iterations=500", "mcts:iterations=500"]
    command += ["--games", "1000", "--db", str(store), "--workers", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 60
    while games_in(store) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    out, error = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"games so far" in out
    assert b"run the same command to resume" in error
    assert b"Traceback" not in error
