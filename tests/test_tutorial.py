"""The tutorial's code is run as it stands: blocks in order, in files of their names, with the output that it shows."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import luozi
from luozi.check import check_game

TUTORIAL = Path(__file__).parents[1] / "docs" / "your-own-game.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TUTORIAL.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def file_name(code, number):
    named = re.match(r"# (\w+\.py)\n", code)
    return named[1] if named else f"block_{number}.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with all files of the tutorial."""
    path = tmp_path_factory.mktemp("tutorial")
    for number, (language, code) in enumerate(BLOCKS):
        if language == "python":
            (path / file_name(code, number)).write_text(code, encoding="utf-8")
    return path


@pytest.mark.parametrize("all_compiled", [False, pytest.param(True, marks=pytest.mark.long)])
def test_the_tutorial_runs_and_prints_what_it_says(folder, monkeypatch, all_compiled):
    """Not all compiled: the game with knowledge, whose search takes longer to compile than all others together."""
    pytest.importorskip("pyspiel")
    monkeypatch.syspath_prepend(folder)
    if not all_compiled:
        monkeypatch.setattr(import_module("knowing").Knowing, "compilable", False, raising=False)
    namespace, printed, compared = {"__name__": "tutorial"}, "", 0
    for number, (language, code) in enumerate(BLOCKS):
        if language == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(code, str(folder / file_name(code, number)), "exec"), namespace)
            printed = output.getvalue()
        elif language == "text":
            assert printed == code
            compared += 1
    assert compared >= 5
    for name in ("squares", "tictactoe", "knowing"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "name",
    ["squares", "bag", "pairs", pytest.param("rooks", marks=pytest.mark.long), "named", "guess", "knowing", "sensible"],
)
def test_every_game_of_the_tutorial_passes_the_check(folder, name, compiled, monkeypatch):
    """One is compiled always."""
    monkeypatch.syspath_prepend(folder)
    if not compiled and name != "bag":
        monkeypatch.setattr(luozi.Game, "compilable", False)
    report = check_game(str(folder / f"{name}.py"), games=30 if compiled else 12)
    assert report.ok, report


def test_every_command_of_the_tutorial_names_a_game(folder):
    commands = re.findall(r"luozi (?:check|play) (\w+\.py)", TUTORIAL.read_text(encoding="utf-8"))
    assert commands
    for command in commands:
        assert (folder / command).is_file()
