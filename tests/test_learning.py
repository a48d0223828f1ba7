"""Learning: runs that repeat, are killed and go on, and tell what they did. `learnable.py` is what is learned."""

from __future__ import annotations

import io
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from luozi.cli import app as cli
from luozi.games import game as make_game
from luozi.learning.checkpoint_eval import checkpoint_ratings
from luozi.learning.folder import RunFolder
from luozi.learning.generations import LearningRun
from luozi.learning.learner import learner_for
from luozi.learning.selfplay import Generation
from luozi.learning.settings import LearningOptions
from luozi.learning.starting import start_run
from luozi.matches.remote_task import do_there, parcel_of
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import ScoredGame, Store
from luozi.matches.workers import Here, Processes, game_task
from luozi.messages import LuoziError
from luozi.search.options import Options
from luozi.terminal.learning import LearningProgress
from luozi.util.parameters import parameters_of

GAME = "learnable.py"
SHORT = {"games": "12", "generation": "4", "part": "2", "ladder_every": "0"}
CLOCKS = ("seconds", "train_seconds", "cpu_seconds")


class Listener:
    """Remembers what a run says."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, sentence: str) -> None:
        self.said.append(sentence)

    def begin(self, what: str, total: int, done: int) -> None:
        pass

    def games(self, run: LearningRun, count: int) -> None:
        pass

    def generation(self, run: LearningRun, entry: dict[str, Any]) -> None:
        pass

    def ladder(self, run: LearningRun) -> None:
        pass


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the game, in which we are."""
    shutil.copy(Path(__file__).with_name(GAME), tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # commands change what signals do; tests must not
    return tmp_path


def begun(name: str, listener: Listener | None = None, begun_from: str = "", **settings: str) -> LearningRun:
    return start_run(GAME, name, begun_from, {**SHORT, **settings}, listener or Listener(), Path("runs"))


def learned(name: str, listener: Listener | None = None, begun_from: str = "", **settings: str) -> RunFolder:
    """A run from its beginning, or from where it is, to its end."""
    run = begun(name, listener, begun_from, **settings)
    try:
        list(run.proceed(Here()))
    finally:
        run.close()
    return run.folder


def stopped(name: str, generations: int) -> RunFolder:
    """A run that was left after some generations."""
    run = begun(name)
    try:
        for _, _ in zip(range(generations), run.proceed(Here()), strict=False):
            pass
    finally:
        run.close()
    return run.folder


def arrays(path: Path) -> dict[str, list[Any]]:
    with np.load(path, allow_pickle=False) as found:
        return {name: found[name].tolist() for name in found.files if name not in ("notes", *CLOCKS)}


def all_of(folder: RunFolder) -> dict[str, Any]:
    """All that a run must have in common with another one of the same settings."""
    files = [*sorted((folder / "samples").iterdir()), *sorted((folder / "weights").iterdir()), folder / "final.npz"]
    log = [{key: value for key, value in entry.items() if key not in CLOCKS} for entry in folder.read_log()]
    return {"log": log, **{str(file.relative_to(folder.path)): arrays(file) for file in files}}


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "luozi.cli", "learn", *words]


def settings_words(**settings: str) -> list[str]:
    return [word for key, value in {**SHORT, **settings}.items() for word in ("--set", f"{key}={value}")]


# Repeating and going on -----------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_run_and_another_seed_another() -> None:
    one, other, third = all_of(learned("one")), all_of(learned("other")), all_of(learned("third", seed="2"))
    assert one == other
    assert one["final.npz"] != third["final.npz"]
    assert one["samples/00001.npz"]["board"] != one["samples/00002.npz"]["board"]
    assert [entry["games"] for entry in one["log"]] == [4, 8, 12]


def test_a_run_that_is_killed_goes_on_where_it_was_and_ends_as_if_it_had_not_been(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plays = folder / "plays.txt"
    environment = {**os.environ, "LUOZI_TEST_PAUSE": "0.1", "LUOZI_TEST_PLAYS": str(plays)}
    words = [GAME, "--folder", "runs", "--name", "killed", *settings_words(generation="6"), "--workers"]
    process = subprocess.Popen(command(*words, "2"), env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    parts = folder / "runs" / "killed" / "parts"
    deadline = time.monotonic() + 120
    while not list(parts.glob("00002-*.npz")) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()  # SIGKILL
    process.communicate()
    kept = [int(np.load(part)["seed"]) for part in parts.glob("0*.npz")]
    assert kept, "it was finished before it was killed"
    (parts / ".unfinished-00002-00002.npz").write_bytes(b"half")  # as where it is killed while it writes
    with monkeypatch.context() as patch:
        patch.setenv("LUOZI_TEST_PLAYS", str(plays))
        assert cli.main(["learn", *words, "1"]) == 0
    said = capsys.readouterr().err
    assert "play with it: luozi play learnable.py --seat person --seat flat:playouts=20" in said
    assert all_of(RunFolder(folder / "runs" / "killed")) == all_of(learned("whole", generation="6"))
    times = Counter(map(int, plays.read_text().split()))
    del times[0]  # one game before all others, which compiles
    assert len(times) == 6  # parts of two games
    assert {times[seed] for seed in kept} == {1}
    assert not list(parts.iterdir())


def test_a_run_that_is_left_between_generations_goes_on() -> None:
    stopped("left", 1)
    assert all_of(learned("left")) == all_of(learned("whole"))


@pytest.mark.parametrize("ahead", [0, 1])
def test_a_generation_plays_with_the_weights_before_it_or_one_older_while_those_are_learned(ahead: int) -> None:
    """The fake learner's thoughts are its weights: a hundredth of their sum."""
    folder = learned("ahead", ahead=str(ahead))
    for number in (1, 2, 3):
        thought = arrays(folder.samples_file(number))["values"][0][0]
        strength = arrays(folder.weights_file(max(0, number - 1 - ahead)))["strength"]
        assert thought == pytest.approx(sum(strength) / 100)


def test_a_part_that_takes_more_than_a_minute_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    run, listener = begun("slow"), Listener()
    run.watcher = listener
    slow = run.learner.play(run.weights(), run.settings, 1, 4)._replace(cpu_seconds=120.0)
    run.notice_slowness(slow)
    run.notice_slowness(slow)
    run.close()
    assert [said.partition(":")[2] for said in listener.said] == [" --set games_per_task=2 keeps them sooner"]


def test_a_run_can_be_made_longer_and_keeps_its_other_settings() -> None:
    learned("longer", batch="7")
    longer = learned("longer", games="16")
    assert [entry["games"] for entry in longer.read_log()] == [4, 8, 12, 16]
    assert longer.read_asked().settings.batch_size == 7


def test_the_clock_ends_a_run_in_the_middle_of_a_generation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUOZI_TEST_PAUSE", "0.1")
    values = {"minutes": "0.01", "generation": "1000", "part": "1", "ladder_every": "0"}
    run = start_run(GAME, "clock", "", values, Listener(), Path("runs"))
    [entry] = run.proceed(Here())
    run.close()
    assert 1 <= entry["games"] < 20
    assert (run.folder / "final.npz").is_file()


def test_ctrl_c_says_how_to_go_on(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(RunFolder, "keep_generation", interrupted)
    words = ["learn", GAME, "--folder", "runs", "--name", "mine", "--workers", "1", *settings_words(), "--json"]
    assert cli.main(words) == 130
    out, error = capsys.readouterr()
    assert "stopped; 'luozi learn --name mine --folder runs' resumes" in error
    assert json.loads(out)["generation"] == 0
    assert len(list(Path("runs/mine/parts").iterdir())) == 2
    assert (Path("runs/mine") / "learning.html").is_file()


def test_a_part_gives_the_same_games_in_this_process_in_another_and_on_another_machine() -> None:
    weights = {"strength": np.array([1.0, 2.0, 3.0])}
    tasks = Generation(GAME, 1, weights, LearningOptions.of(SHORT)).tasks(5)
    assert [task.part.games for task in tasks] == [2, 2, 1]
    assert len({task.part.seed for task in tasks}) == 3
    sent, refusal = do_there(tuple(parcel_of(tasks[1])), tasks[1].part)
    assert refusal == ""
    executors = Here(), Processes(1)
    found = [played for executor in executors for _, played in executor.run([tasks[1]])] + [pickle.loads(sent)]
    for executor in executors:
        executor.close()
    texts = [repr([column.tolist() for column in played.samples] + list(played[1:])) for played in found]
    assert texts[0] == texts[1] == texts[2]


def test_a_machine_that_can_not_learn_a_game_says_why_in_one_sentence() -> None:
    task = Generation("nim", 1, {}, LearningOptions()).tasks(1)[0]
    result, refusal = do_there(tuple(parcel_of(task)), task.part)
    assert result is None
    assert refusal.startswith("nim: a board network plays all its games in one process")


@pytest.mark.long
def test_a_cluster_learns_the_same(folder: Path) -> None:
    words = command(GAME, "--folder", "runs", "--name", "ray", "--cluster", "local", "--workers", "2")
    ran = subprocess.run([*words, *settings_words()], stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert all_of(RunFolder(folder / "runs" / "ray")) == all_of(learned("here"))


@pytest.mark.skipif("network" not in parameters_of(Options), reason="mcts has no network to learn")
def test_weights_that_have_changed_make_another_contest_and_travel_with_it() -> None:
    learner, file = learner_for(make_game("connect4")), Path("weights.npz")
    ids = set()
    for seed in (1, 2):
        learner.save(learner.new_weights(seed), file, {})
        contest = MatchSchedule.of("connect4", [f"mcts:network={file},iterations=10", "random"])
        ids.add(contest.id)
        task = game_task(contest, contest.fixture(0))
        assert [(name, content) for name, _, content in parcel_of(task).files] == [(str(file), file.read_bytes())]
    assert len(ids) == 2


# Damage ---------------------------------------------------------------------------------------------------------------


def half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [half, flipped, lambda path: path.write_bytes(b"")])
def test_a_damaged_part_is_noticed_and_played_again(damage, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patched:
        patched.setattr(RunFolder, "keep_generation", dies)
        run = begun("part")
        with pytest.raises(RuntimeError):
            list(run.proceed(Here()))
        run.close()
    damage(run.folder.part_file(1, 1))
    listener = Listener()
    assert all_of(learned("part", listener)) == all_of(learned("whole"))
    [said] = listener.said
    assert said.startswith("'runs/part/parts/00001-00001.npz' can't be read: it is damaged")
    assert said.endswith("its games are played again")


def test_damaged_positions_of_an_earlier_generation_are_left_out() -> None:
    folder, listener = stopped("samples", 2), Listener()
    half(folder.samples_file(1))
    learned("samples", listener)
    [said] = listener.said
    assert "samples/00001.npz' can't be read" in said
    assert said.endswith("its positions are left out")
    log = folder.read_log()
    assert log[2]["window_positions"] == log[1]["new_positions"] + log[2]["new_positions"]


def test_a_damaged_state_of_the_trainer_costs_only_what_it_remembered() -> None:
    folder, listener = stopped("trainer", 2), Listener()
    half(folder / "trainer.npz")
    learned("trainer", listener)
    assert any("trainer.npz' can't be read" in said for said in listener.said)
    assert [entry["generation"] for entry in folder.read_log()] == [1, 2, 3]
    assert arrays(folder / "final.npz")["strength"][0] == 3.0  # one for each generation


def test_damaged_weights_are_written_anew_from_the_trainer() -> None:
    folder = stopped("weights", 2)
    half(folder.weights_file(2))
    assert all_of(learned("weights")) == all_of(learned("whole"))


def test_half_a_line_of_the_log_is_left_out_and_found_again() -> None:
    folder, listener = stopped("log", 2), Listener()
    log = folder / "log.jsonl"
    log.write_bytes(log.read_bytes()[:-20])
    assert all_of(learned("log", listener)) == all_of(learned("whole"))
    assert listener.said == ["line 2 of 'runs/log/log.jsonl' is damaged and is left out"]


def test_a_damaged_ladder_is_put_aside_and_begins_anew() -> None:
    folder, listener = learned("ladder", ladder_every="1", ladder_games="2"), Listener()
    half(folder / "ladder.db")
    learned("ladder", listener, games="16")
    assert any("the ladder begins anew" in said for said in listener.said)
    assert (folder / "damaged-ladder.db").is_file()


# Refusing -------------------------------------------------------------------------------------------------------------


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one sentence of a command that does not work."""
    assert cli.main(["learn", *words]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("luozi: ")
    assert error.count("\n") == 1
    return error


def test_two_can_not_learn_in_one_folder(capsys: pytest.CaptureFixture[str]) -> None:
    run = begun("taken")
    sentence = refusal(capsys, GAME, "--folder", "runs", "--name", "taken")
    assert "another luozi learn is at work in 'runs/taken'" in sentence
    run.close()
    learned("taken")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--set", "bach_size=3"], "learn has no parameter 'bach_size'; did you mean 'batch_size'?"),
        (["--set", "batch_size=0"], "learn: batch_size=0 is not valid; it must be 1 to 1,000,000"),
        (["--set", "dirichlet_fraction=loud"], "learn: dirichlet_fraction=loud is not valid; it must be 0 to 1"),
        (["--set", "lr_schedule=stairs"], "schedule=stairs is not valid"),
        (
            ["--set", "full_iterations=50"],
            "learn: fast_iterations=80 is more than full_iterations=50; give full_iterations too",
        ),
        (["--set", "batch"], "--set batch is not valid; write --set name=value"),
        (["--name", "../up"], "'../up' is no name for a run"),
        (["--name", "x" * 300], "can't keep a run in"),
        (["--folder", f"{GAME}/below"], "can't write into 'learnable.py/below': Not a directory"),
        (["--from", "nothing.npz"], "there is no file 'nothing.npz' with weights"),
    ],
)
def test_what_can_not_be_is_one_sentence_and_leaves_nothing(capsys, words: list[str], sentence: str) -> None:
    assert sentence in refusal(capsys, GAME, "--folder", "runs", *words)
    assert not list(Path("runs").glob("*"))


BOARDLESS = """
import luozi

class Boardless(luozi.Game):
    actions, state = 2, [("moves", "i1")]

    def start(self, state):
        pass

    def current_player(self, state):
        return state.moves % 2

    def is_legal(self, state, action):
        return True

    def apply_action(self, state, action):
        state.moves += 1

    def is_terminal(self, state):
        return state.moves == 2

    def returns(self, state, returns):
        returns[0] = returns[1] = 0.5
"""


def test_a_game_that_can_not_be_learned_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    Path("boardless.py").write_text(BOARDLESS)
    assert "boardless.py has no board for a network" in refusal(capsys, "boardless.py")
    assert "kind=lines does not fit othello" in refusal(capsys, "othello", "--set", "kind=lines")
    assert "name a game to learn" in refusal(capsys)
    assert "there is no run 'mine' in 'luozi-learning'" in refusal(capsys, "--name", "mine")


def test_a_run_of_another_game_another_seed_or_from_other_weights_is_one_sentence(capsys) -> None:
    folder = learned("mine")
    shutil.copy(GAME, "second.py")
    assert "the run 'mine' learns learnable.py, not second.py" in refusal(
        capsys, "second.py", "--folder", "runs", "--name", "mine"
    )
    again = ("--folder", "runs", "--name", "mine")
    assert "the run 'mine' has the seed 1" in refusal(capsys, *again, "--set", "seed=2")
    assert "the run 'mine' has begun already" in refusal(capsys, *again, "--from", str(folder / "final.npz"))


# Beginning from weights -----------------------------------------------------------------------------------------------


def test_a_run_begins_from_given_weights() -> None:
    first = learned("first")
    second = learned("second", begun_from=str(first / "final.npz"))
    assert arrays(second.weights_file(0)) == arrays(first / "final.npz")
    assert arrays(second / "final.npz")["strength"][0] == 6.0  # three generations each
    assert "--from runs/first/final.npz" in second.read_asked().command("second")


def test_weights_of_another_game_are_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    np.savez("other.npz", game=np.array("gomoku"), strength=np.zeros(3))
    sentence = refusal(capsys, GAME, "--folder", "runs", "--from", "other.npz")
    assert "'other.npz' holds weights of gomoku, not of learnable" in sentence
    assert not Path("runs").exists()


# What is told ---------------------------------------------------------------------------------------------------------


def test_the_curve_and_the_list_hold_the_right_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["learn", GAME, "--folder", "runs", "--name", "curve", "--workers", "1", "--json"]
    assert cli.main([*words, *settings_words(ladder_every="2", ladder_games="4")]) == 0
    state = json.loads(capsys.readouterr().out)
    samples = [np.load(file) for file in sorted(Path("runs/curve/samples").iterdir())]
    positions = sum(len(one["board"]) for one in samples)
    assert (state["generation"], state["games"], state["positions"]) == (3, 12, positions)
    assert state["bytes"] > 10_000
    assert [rung["generation"] for rung in state["ladder"]] == [0, 2, 3]  # the last generation is a rung too
    assert [rung["games"] for rung in state["ladder"]] == [8, 8, 8]  # each meets both others, 4 games each
    assert Path("runs/curve/learning.png").read_bytes().startswith(b"\x89PNG")
    page = Path("runs/curve/learning.html").read_text(encoding="utf-8")
    assert "://" not in page.replace("http://www.w3.org", "")
    last = state["ladder"][-1]
    for told in (
        f"3 generations, 12 games, {positions} positions",
        f"{last['elo']:+.0f} ± {last['half_width']:.0f}",
        f"{state['entries'][-1]['policy']:.3f}",
        state["command"],
        "games of a new checkpoint against each of two earlier ones",
    ):
        assert told in page.replace("<wbr>", ""), told
    assert cli.main(["learn", "--list", "--folder", "runs"]) == 0
    [head, line] = capsys.readouterr().out.splitlines()
    assert head.split()[:5] == ["name", "game", "generation", "games", "positions"]
    assert line.split()[:5] == ["curve", GAME, "3", "12", str(positions)]
    assert cli.main(["learn", "--list", "--folder", "runs", "--json"]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)] == ["curve"]


def test_a_run_that_is_complete_says_how_to_make_it_longer(capsys: pytest.CaptureFixture[str]) -> None:
    learned("mine")
    assert cli.main(["learn", "--folder", "runs", "--name", "mine", "--workers", "1"]) == 0
    assert "the run 'mine' is complete: --set minutes=..." in capsys.readouterr().err


def test_a_run_that_can_not_be_read_is_told_of_and_the_others_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    half(learned("broken") / "settings.json")
    stopped("whole", 1)
    assert cli.main(["learn", "--list", "--folder", "runs"]) == 0
    out, error = capsys.readouterr()
    assert [line.split()[0] for line in out.splitlines()] == ["name", "whole"]
    assert error == "luozi: 'runs/broken/settings.json' is not JSON\n"


def test_an_empty_list_says_how_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["learn", "--list"]) == 0
    assert "There is no run in 'luozi-learning' yet" in capsys.readouterr().out


def test_progress_counts_what_is_played_and_what_is_being_learned_from(capsys: pytest.CaptureFixture[str]) -> None:
    class Counting(Listener):
        def __init__(self) -> None:
            super().__init__()
            self.counts: list[int] = []

        def games(self, run: LearningRun, count: int) -> None:
            self.counts.append(run.so_far.games)
            assert (
                LearningProgress().note(run).startswith(f"{run.so_far.games} games, {run.so_far.positions} positions, ")
            )

    listener = Counting()
    learned("counted", listener)
    assert listener.counts == [2, 4, 6, 8, 10, 12]


def test_the_ladder_measures_who_is_stronger() -> None:
    """Generation 2 plays a little before each move, generation 0 plays at random."""
    folder = learned("ladder", games="8", ladder_every="2", ladder_games="40")
    store = Store.open(folder / "ladder.db", create=False)
    first, second = checkpoint_ratings(store)
    assert [entry.part_of for entry in store.entries()] == ["ladder: generation 2 against 0"]
    assert (first.generation, first.elo, second.generation, second.games) == (0, 0.0, 2, 40)
    assert second.elo - second.half_width > 0
    store.close()


@pytest.mark.parametrize(("wins", "sign"), [(1, 0), (3, 1), (0, -1)])
def test_the_ladder_of_three_players_is_even_where_the_new_one_wins_every_third_game(wins: int, sign: int) -> None:
    """One new player meets two of an earlier generation: in each of ten encounters it wins so many of three games."""
    rotations = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    games = []
    for number in range(30):
        encounter, turn = divmod(number, 3)
        winner = 0 if turn < wins else 1 + (number % 2)
        results = tuple(float(player == winner) for player in rotations[turn])
        games.append(ScoredGame(number, encounter, rotations[turn], results, -1, "", 9))
    entry = SimpleNamespace(part_of="ladder: generation 20 against 10", contest=SimpleNamespace(id="x"))
    store: Any = SimpleNamespace(entries=lambda: [entry], played=lambda _: games)
    first, second = checkpoint_ratings(store)
    assert (first.generation, second.generation, second.games) == (10, 20, 30)
    assert abs(second.elo) < 1 if sign == 0 else sign * second.elo > 100


def test_targets_are_mixed_of_results_and_what_the_search_thought() -> None:
    """The fake learner's value loss is the mean target; thoughts are near 0 and results average about a half."""
    results, thoughts = (learned(share, result_share=share).read_log()[0]["value"] for share in ("1", "0"))
    assert results > 0.3
    assert thoughts < 0.05


def test_every_setting_has_a_meaning_and_stands_in_the_docs(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["learn", "--settings"]) == 0
    listed = capsys.readouterr().out
    docs = (Path(__file__).parents[1] / "docs" / "en" / "explanation" / "learning.md").read_text(encoding="utf-8")
    for name, parameter in parameters_of(LearningOptions).items():
        default = "-" if parameter.default is None else parameter.default
        assert parameter.about.meaning
        assert name in listed
        values = parameter.range.replace("|", r"\|")
        assert f"| {name} | {default} | {values} | {parameter.about.meaning} |" in docs.replace("`", "")


def test_settings_that_are_given_in_python_are_checked_too() -> None:
    with pytest.raises(LuoziError, match="it must be 0 to 1"):
        LearningOptions.of({"full_share": 2})


@pytest.mark.parametrize(
    "game", ["lines:rows=2,columns=2,win_length=3", "lines:rows=9,columns=9,win_length=4,players=9"]
)
def test_a_game_that_no_network_can_value_is_refused_before_anything_is_written(game: str, tmp_path: Path) -> None:
    with pytest.raises(LuoziError, match="network"):
        start_run(game, "none", "", SHORT, Listener(), tmp_path)
    assert not (tmp_path / "none").exists()
