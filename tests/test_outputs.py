"""Outputs of commands: each is checked before any work, by the same functions, and so is that of a new option.

Whatever option or argument names a file or a folder is an output here, unless it is listed as an input.
"""

from __future__ import annotations

import os
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest
from fuzz.stores import make_store

from luozi.cli.app import COMMANDS, loaded, main
from luozi.messages import LuoziError
from luozi.util.files import refuse_no_folder, refuse_unwritable, write_whole

INPUTS = {"load", "file", "openings", "trust", "begun_from"}  # of any command
READ = {("results", "store")}
FOLDERS = {("results", "sgf"), ("learn", "place")}
MADE = {("serve", "tables")}  # with the folders above it
SUFFIXES = {"plot": ".svg", "out": ".html"}
WORDS = {
    "match": ["random", "random"],
    "tournament": ["random", "random", "random"],
    "tune": ["mcts", "--opponent", "random", "-p", "c=0:1"],
    "analyze": ["game.sgf"],
    "replay": ["game.txt"],
}


def outputs() -> Iterator[tuple[str, str, str]]:
    """All that a command writes: the command, the parameter, and the option as it is typed."""
    for name in COMMANDS:
        command = loaded(name)
        hints = typing.get_type_hints(command.callback.__wrapped__, include_extras=True)
        for one in command.params:
            is_path = "pathlib.Path" in str(hints[one.name])
            is_named = any(word in (one.metavar or "") for word in ("FILE", "FOLDER", "PATH", "WEIGHTS", "NEW"))
            if (is_path or is_named) and one.name not in INPUTS and (name, one.name) not in READ:
                yield name, one.name, one.opts[0]


def read_line(command: str, *words: str) -> None:
    """Read a command line as `main` does, without the command's work."""
    loaded(command).make_context(command, [*WORDS.get(command, []), *words])


def seen(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file, a folder, and links that lead nowhere."""
    monkeypatch.chdir(tmp_path)
    Path("a_folder").mkdir()
    Path("a_file").write_text("mine", encoding="utf-8")
    for end in ("", *SUFFIXES.values()):
        Path(f"nowhere{end}").symlink_to(f"none/x{end}")
        Path(f"circle{end}").symlink_to(f"circle{end}")
        Path(f"taken{end}").mkdir()
    return tmp_path


def test_the_options_that_write_are_found() -> None:
    found = {(command, option) for command, _, option in outputs()}
    reporting = ("match", "tournament", "tune", "experiment", "results")
    expected = {(name, option) for name in reporting for option in ("--csv", "--plot", "--html")}
    expected |= {(name, "--db") for name in (*reporting[:-1], "serve")}
    expected |= {("play", "--save"), ("replay", "--out"), ("analyze", "--out"), ("analyze", "--html")}
    expected |= {("serve", "--sessions-db"), ("results", "--sgf"), ("results", "--recover"), ("learn", "--folder")}
    assert found >= expected


@pytest.mark.parametrize(("command", "parameter", "option"), list(outputs()))
def test_what_can_not_be_written_is_refused_before_any_work(
    command: str, parameter: str, option: str, folder: Path
) -> None:
    end, before = SUFFIXES.get(parameter, ""), seen(folder)
    bad = [f"a_file/x{end}", f"nowhere{end}/x{end}", f"circle{end}", "x" * 300 + end, f"/proc/x{end}"]
    if (command, parameter) in FOLDERS:
        bad += ["a_file"]
    else:
        bad += [*([] if (command, parameter) in MADE else [f"none/x{end}"]), f"taken{end}", f"nowhere{end}"]
    for path in bad:
        with pytest.raises(LuoziError) as refused:
            read_line(command, option, path)
        assert "\n" not in str(refused.value), path
    assert seen(folder) == before


@pytest.mark.parametrize(("command", "parameter", "option"), list(outputs()))
def test_what_can_be_written_is_left_as_it_is_until_then(
    command: str, parameter: str, option: str, folder: Path
) -> None:
    end, before = SUFFIXES.get(parameter, ""), seen(folder)
    for path in (f"new{end}", f"a_folder/new{end}", f"{folder}/new{end}"):
        read_line(command, option, path)
    if (command, parameter) not in FOLDERS | {("results", "recover")}:
        Path(f"there{end}").write_text("there", encoding="utf-8")
        read_line(command, option, f"there{end}")
        assert Path(f"there{end}").read_text(encoding="utf-8") == "there"
        Path(f"there{end}").unlink()
    assert seen(folder) == before


@pytest.mark.skipif(os.name != "posix", reason="permissions of folders")
def test_a_folder_without_permission_is_refused(folder: Path) -> None:
    folder.joinpath("shut").mkdir(mode=0o555)
    if os.access("shut", os.W_OK):
        pytest.skip("nothing is refused to the administrator")
    for check in (refuse_unwritable, refuse_no_folder):
        with pytest.raises(LuoziError):
            check("shut/x")


@pytest.mark.parametrize(
    "words",
    [
        "match --csv a --html a",
        "match --csv luozi-results.db",
        "match --csv a --html a_folder/../a",
        "tournament --db a --html a",
        "experiment --plot a.svg --html a.svg",
        "tune --csv link --html a",
        "analyze --out a --html a",
        "results --csv a --html a",
        "serve --db a --sessions-db a",
    ],
)
def test_two_outputs_are_never_one_file(words: str, folder: Path) -> None:
    Path("link").symlink_to("a")
    command, *options = words.split()
    with pytest.raises(LuoziError, match="named by two options"):
        read_line(command, *options)


def test_any_number_of_outputs_may_go_to_a_device(folder: Path) -> None:
    read_line("match", "--csv", os.devnull, "--html", os.devnull)


def test_an_experiment_refuses_a_folder_before_it_plays(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("luozi.matches.game_runner.play_fixture", lambda *_about: pytest.fail("it played"))
    assert main(["experiment", "exploration", "--quick", "--html", "a_folder", "--db", "x.db"]) == 2
    assert capsys.readouterr().err == "luozi: 'a_folder' is a folder: name a file in it\n"
    assert not Path("x.db").exists()


def test_a_game_that_sgf_has_not_is_refused_before_it_is_played(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("luozi.terminal.session.TerminalSession.run", lambda _self: pytest.fail("it was played"))
    assert main(["play", "tictactoe", "--seat", "random", "--seat", "random", "--save", "x.sgf"]) == 2
    assert "tictactoe can't be written as SGF" in capsys.readouterr().err


def test_results_are_read_where_nothing_can_be_written(folder: Path) -> None:
    make_store(folder / "a_folder" / "results.db", 2)
    assert main(["results", "--list", "--db", "a_folder/results.db"]) == 0


def test_a_write_protected_file_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    with pytest.raises(LuoziError, match="can't be written"):
        refuse_unwritable("a_file")


def test_a_name_may_be_as_long_as_the_system_allows(folder: Path) -> None:
    name = "x" * 255
    refuse_unwritable(name)
    write_whole(name, b"new")
    assert Path(name).read_bytes() == b"new"


def test_a_failure_on_the_way_leaves_what_was_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_path: Path, _target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    before = seen(folder)
    with pytest.raises(LuoziError, match="can't write 'a_file': No space left"):
        write_whole("a_file", b"new")
    assert Path("a_file").read_text(encoding="utf-8") == "mine"
    assert seen(folder) == before
