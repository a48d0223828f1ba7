"""The command line: what it lists, and one sentence with exit status 2 for everything that is wrong."""

from __future__ import annotations

import ast
import importlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from test_record import OWN_GAME

import luozi
from luozi.cli import app as cli
from luozi.cli.app import COMMANDS
from luozi.games import Listing
from luozi.players import PLAYERS
from luozi.search.as_numbers import FORMULAS


class Ran(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    """Run a command in an empty folder, with nothing to read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    monkeypatch.delenv("LUOZI_DEBUG", raising=False)

    def command(*arguments: str) -> Ran:
        return Ran(cli.main(arguments), *capsys.readouterr())

    return command


def in_a_process(*arguments: str, **keywords) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "luozi.cli", *arguments],
        text=True,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        stdin=subprocess.DEVNULL,
        **keywords,
    )


# Lists --------------------------------------------------------------------------------------------------------------


def test_help_names_every_command(run) -> None:
    for arguments in ((), ("--help",), ("-h",)):
        ran = run(*arguments)
        assert ran.status == 0
        for command in ("play", "think", "games", "players", "check", "doctor", "cache"):
            assert command in ran.out


def test_version(run) -> None:
    assert run("--version") == Ran(0, f"luozi {luozi.__version__}\n", "")


def test_games_lists_all_parameters(run) -> None:
    ran = run("games")
    assert ran.status == 0
    for listing in Listing.all():
        assert listing.name in ran.out
        one = run("games", listing.name)
        assert one.status == 0
        for parameter in listing.parameters:
            assert parameter.name in one.out
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "\x1b" not in ran.out


def test_games_shows_a_game_of_ones_own(run, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN_GAME, encoding="utf-8")
    assert "heap" in run("games", "own.py").out


def test_players_lists_all_options(run) -> None:
    ran = run("players")
    assert ran.status == 0
    assert "person" in ran.out
    for kind in PLAYERS.values():
        one = run("players", kind.name)
        listed = [listing.name for listing in Listing.all()] if kind.name == "strong" else kind.parameters
        assert all(word in one.out for word in listed)
    assert all(formula in ran.out for formula, _, _ in FORMULAS.values())
    assert "Kocsis" in ran.out
    assert "person" in run("players", "person").out


def test_cache(run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("LUOZI_CACHE", str(folder))
    assert run("cache").out.startswith("0 kernels")
    (folder / "search-Lines-0123.machinecode").write_bytes(b"1234")
    (folder / "mine.txt").write_text("mine", encoding="utf-8")
    listed = run("cache")
    assert "search-Lines" in listed.out
    assert str(folder) in listed.out
    assert run("cache", "clear") == Ran(0, "1 kernel deleted\n", "")
    assert [entry.name for entry in folder.iterdir()] == ["mine.txt"]


def test_the_folder_of_the_cache_is_documented(run) -> None:
    assert "LUOZI_CACHE" in run("cache", "--help").out
    assert "LUOZI_CACHE" in (Path(__file__).parents[1] / "docs/en/explanation/architecture.md").read_text(
        encoding="utf-8"
    )


def test_doctor(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("luozi.terminal.lists.TIMED_GAMES", ("tictactoe",))
    ran = run("doctor")
    assert ran.status == 0
    for word in ("Python", "numba", "numpy", "CPU", "cores", "cache", "open_spiel", "C compiler", "iterations/s"):
        assert word in ran.out


# Thinking -----------------------------------------------------------------------------------------------------------


def test_think(run) -> None:
    ran = run("think", "tictactoe", "--player", "mcts:iterations=500", "--seed", "1", "--moves", "a1 c3 a2")
    assert ran.status == 0
    assert ran.out.split("move ")[1].split()[:5] == ["visits", "share", "X", "O", "draw"]
    assert "best line: a3" in ran.out


def test_think_in_json(run, tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text(
        "luozi record 1\ngame: tictactoe\nplayers: random | random\n\n1. X a1\n2. O c3\n", encoding="utf-8"
    )
    ran = run("think", "--load", "r.txt", "--moves", "a2", "--player", "mcts:iterations=500,seed=1", "--json")
    found = json.loads(ran.out)
    assert (found["game"], found["to_move"], found["move"]) == ("tictactoe", "O", "a3")
    assert found["iterations"] == 500
    assert len(found["candidates"]) == 6
    assert len(found["candidates"][0]["interval"]) == 2
    assert "trace" not in found
    assert json.loads(run("think", "tictactoe", "--player", "random:seed=1", "--json").out)["player"] == "random:seed=1"
    assert "random plays" in run("think", "tictactoe", "--player", "random").out


def test_a_trace_is_part_of_the_json(run) -> None:
    words = ("think", "tictactoe", "--player", "mcts:iterations=50,seed=1", "--trace")
    trace = json.loads(run(*words, "--json").out)["trace"]
    assert trace[0].startswith("one simulation")
    assert trace[-1].startswith("credit ")
    assert "\n".join(trace) in run(*words).out


# Bad input ----------------------------------------------------------------------------------------------------------

SEATS = ("--seat", "random", "--seat", "random")
WRONG = [
    (("plya",), "did you mean 'play'"),
    (("xyz",), "choose one of: play, think"),
    (("games", "--xyz"), "no option '--xyz'; --help"),
    (("play", "--sed", "1"), "did you mean '--seed'"),
    (("play", "--seed", "many"), "--seed"),
    (("play", "--seed", "-1"), "--seed"),
    (("play", "--seat"), "--seat"),
    (("play", "gomuku"), "did you mean 'gomoku'"),
    (("play", "gomoku", "connect4"), "connect4"),
    (("play", "gomoku:sise=9"), "did you mean 'size'"),
    (("play", "gomoku:size=0"), "1 to 45"),
    (("play", "gomoku:size"), "name=value"),
    (("play", "missing.py"), "missing.py"),
    (("play", "empty.py"), "no class"),
    (("play", "broken.py"), "line 1"),
    (("play", "tictactoe", "--seat", "mtcs"), "did you mean 'mcts'"),
    (("play", "tictactoe", "--seat", "persn"), "did you mean 'person'"),
    (("play", "tictactoe", "--seat", "person:name=x"), "no parameters"),
    (("play", "tictactoe", "--seat", "mcts:iteration=5"), "did you mean 'iterations'"),
    (("play", "tictactoe", "--seat", "mcts:final=most"), "robust"),
    (("play", "tictactoe", *SEATS, "--seat", "random"), "2 players, but 3 seats"),
    (("play", "tictactoe", "--seat", "person", "--hint", "rundom"), "did you mean 'random'"),
    (("play", "tictactoe", "--seat", "person", "--hint", "person"), "program"),
    (("play", "tictactoe", *SEATS, "--save", "empty.py"), "already a file"),
    (("play", "tictactoe", *SEATS, "--save", "."), "folder"),
    (("play", "tictactoe", *SEATS, "--save", "missing/record.txt"), "no folder"),
    (("play", "--load", "missing.txt"), "no file 'missing.txt'"),
    (("play", "--load", "broken.py"), "line 1"),
    (("play", "connect4", "--load", "record.txt"), "record of tictactoe"),
    (("play", "--load", "illegal.txt"), "illegal.txt, line 6"),
    (("play", "tictactoe:size=4,win_length=2", "--continue"), "no unfinished game of tictactoe:size=4,win_length=2"),
    (("play", "--continue", "--load", "record.txt"), "not both"),
    (("games", "gomuku"), "did you mean 'gomoku'"),
    (("players", "mtcs"), "did you mean 'mcts'"),
    (("cache", "clean"), "did you mean 'clear'"),
    (("cache", "--clear"), "write 'luozi cache clear'"),
    (("check",), "GAME"),
    (("check", "gomuku"), "did you mean 'gomoku'"),
    (("check", "tictactoe", "--games", "0"), "--games"),
    (("think",), "name a game"),
    (("think", "tictactoe", "--moves", "b2 b2"), "move 'b2': the point is occupied"),
    (("think", "tictactoe", "--moves", "a1 b1 a2 b2 a3"), "over"),
    (("think", "tictactoe", "--moves", "a1 b1 a2 b2 a3 b3"), "over"),
    (("think", "tictactoe", "--player", "person"), "there is no player 'person'"),
]
RECORD = "luozi record 1\ngame: tictactoe\nplayers: random | random\n\n1. X b2\n"


@pytest.mark.parametrize(("arguments", "part"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_bad_input(run, tmp_path: Path, arguments: tuple[str, ...], part: str) -> None:
    files = {"empty.py": "", "broken.py": "def\n", "record.txt": RECORD, "illegal.txt": RECORD + "2. O b2\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    ran = run(*arguments)
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.startswith("luozi: ")
    assert ran.err.count("\n") == 1
    assert part in ran.err
    assert {entry.name: entry.read_text(encoding="utf-8") for entry in tmp_path.glob("*.*")} == files


def test_unexpected_errors_ask_for_a_report(run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError("oh\nno")

    monkeypatch.setattr("luozi.cli.looking.show_games", fail)
    ran = run("games")
    assert ran.status == 1
    assert ran.err.count("\n") == 1
    assert "unexpected RuntimeError: oh" in ran.err
    assert "Traceback" not in ran.err
    monkeypatch.setenv("LUOZI_DEBUG", "1")
    assert "Traceback" in run("games").err


def test_check_reports_and_exits(run, monkeypatch: pytest.MonkeyPatch) -> None:
    from luozi.check import CheckReport

    for ok, status in ((False, 2), (True, 0)):
        found = CheckReport(ok, ("returns: wrong",), 1, 1, 1, ("3 moves a game",))
        monkeypatch.setattr("luozi.cli.looking.check_game", lambda *given, report=found, **named: report)
        assert run("check", "tictactoe")[:2] == (status, "returns: wrong\n3 moves a game\n")


# The real thing -----------------------------------------------------------------------------------------------------


def test_a_process_of_its_own(tmp_path: Path) -> None:
    wrong = in_a_process("play", "gomuku", cwd=tmp_path)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("luozi: there is no game 'gomuku'")
    demonstration = in_a_process(
        "play",
        "tictactoe",
        "--seat",
        "random",
        "--seat",
        "random",
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert demonstration.returncode == 0
    assert "random" in demonstration.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell with pipes")
def test_a_reader_that_stops_early_is_no_error() -> None:
    command = f"{sys.executable} -m luozi.cli players | head -1"
    ran = subprocess.run(command, shell=True, text=True, capture_output=True, encoding="utf-8", timeout=120)
    assert ran.stdout.startswith("person")
    assert ran.stderr == ""


def test_help_and_an_unknown_command_load_no_compiler():
    lines = ["--help", "--version", "mach", *(f"{name} --help" for name in COMMANDS)]
    code = f"import sys; from luozi.cli.app import main; [main(words.split()) for words in {lines}]"
    code += "; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize("words", [["think", "tictactoe"], ["think", "tictactoe", "--json"]])
def test_a_position_is_searched_by_the_usual_player_if_none_is_named(run, words: list[str]) -> None:
    found = run(*words)
    assert found.status == 0
    assert "b2" in found.out


def test_what_commands_import_late_is_called_or_looked_up() -> None:
    """A late name stands for a function, a class or a table: a constant would be used as the name itself."""
    for path in sorted(Path(cli.__file__).parent.glob("*.py")):
        for one in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            late = isinstance(one, ast.ImportFrom) and str(one.module).startswith("luozi.")
            if late and not str(one.module).startswith(cli.LIGHT):
                module = importlib.import_module(str(one.module))
                found = {name.name: getattr(module, name.name) for name in one.names}
                assert not [name for name, value in found.items() if not (callable(value) or isinstance(value, dict))]
                errors = [value for value in found.values() if isinstance(value, type)]
                assert not [value for value in errors if issubclass(value, BaseException)], "no except knows it"
