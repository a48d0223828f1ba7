"""Closed, full and broken standard streams, and names that no file can have: one sentence each, never a traceback."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_record import OWN_GAME

from luozi.cli import app as cli

LONG = "x" * 300


def in_a_shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command with its streams as a shell makes them."""
    words = f"{sys.executable} -m luozi.cli {command}"
    return subprocess.run(["sh", "-c", words], text=True, capture_output=True, timeout=120, cwd=folder)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("gomocup <&-", "the standard input is closed"),
        pytest.param("course <&-", "the standard input is closed", marks=pytest.mark.long),
        ("games >&-", "the standard output is closed"),
        pytest.param("gomocup <&- >&-", "the standard output is closed", marks=pytest.mark.long),
        ("games >&- 2>&-", ""),
        pytest.param("gomocup <&- 2>&-", "", marks=pytest.mark.long),
        pytest.param(
            "games >/dev/full",
            "No space left on device",
            marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full"),
        ),
    ],
)
def test_a_stream_that_is_needed_and_closed_is_one_sentence(tmp_path: Path, command: str, sentence: str) -> None:
    ran = in_a_shell(command, tmp_path)
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert len(ran.stderr.splitlines()) == (1 if sentence else 0)
    assert sentence in ran.stderr


def test_a_stream_that_is_closed_and_not_needed_does_no_harm(tmp_path: Path) -> None:
    ran = in_a_shell("match random random -g tictactoe -n 2 --workers 1 --json <&- 2>&-", tmp_path)
    assert ran.returncode == 0
    assert '"games"' in ran.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["luozi-results.db"]


@pytest.mark.parametrize(
    "words",
    [
        ("games", LONG),
        ("games", f"{LONG}.py"),
        ("players", LONG),
        ("players", f"connect4_library:{LONG}"),
        ("play", LONG),
        ("play", "--load", LONG),
        ("play", "tictactoe", "--seat", "random", "--seat", "random", "--save", LONG),
        ("play", "tictactoe", "--seat", f"connect4_library:{LONG}", "--seat", "random"),
        ("think", f"{LONG}.py"),
        ("think", "--load", LONG),
        ("check", LONG),
        ("check", f"{LONG}.py"),
        ("results", "--db", LONG),
        ("results", "--db", f"{LONG}/results.db"),
        ("match", "random", "random", "--db", LONG),
        ("match", "random", "random", "--openings", LONG),
        ("match", "random", "random", "-g", "tictactoe", "-n", "2", "--workers", "1", "--csv", LONG),
        ("match", "random", "random", "-g", "tictactoe", "-n", "2", "--workers", "1", "--plot", f"{LONG}.png"),
        ("match", "random", "random", "-g", "tictactoe", "-n", "2", "--workers", "1", "--html", f"{LONG}/page.html"),
        ("match", "random", f"gtp:{LONG}", "-g", "go:size=5"),
        ("match", "random", f"gomocup:{LONG} {LONG}", "-g", "gomoku"),
        ("tune", "flat", "-p", "simulations=1:5", "--opponent", "random", "--db", LONG),
        ("experiment", "opponents", "--db", LONG),
        ("experiment", "opponents", "--set", f"folder={LONG}"),
        ("experiment", LONG),
    ],
)
def test_a_name_too_long_for_a_file_is_one_sentence(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LUOZI_DEBUG", raising=False)
    assert cli.main(words) == 2
    sentences = capsys.readouterr().err.splitlines()
    assert sentences[-1].startswith("luozi: ")
    assert "report it" not in sentences[-1]


@pytest.mark.parametrize("command", ["play", "match"])
def test_a_game_that_leaves_the_program_is_one_sentence(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    leaving = "\n\nclass Own(Subtraction):\n    def is_terminal(self, state):\n        raise SystemExit(3)\n"
    Path("own.py").write_text(OWN_GAME + leaving, encoding="utf-8")
    words = {"play": ["own.py", "--seat", "random", "--seat", "random"], "match": ["random", "random", "-g", "own.py"]}
    assert cli.main([command, *words[command]]) == 2
    assert re.search(r"own\.py, line \d+: SystemExit: 3", capsys.readouterr().err)
