"""One catalogue of words in two languages, for the page and the terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from delayed import PATIENCE, DelayedStep
from rich.console import Console

import luozi
from luozi import messages
from luozi.cli.app import main
from luozi.players import player
from luozi.players.engine import ReadyPlayers
from luozi.search.compile_process import note_seconds
from luozi.search.final_move import UNREPEATABLE
from luozi.search.readiness import CompileSettings, Readiness
from luozi.terminal.lists import show_search_result
from luozi.terminal.progress import Bar, time_left
from luozi.terminal.thinking import Waiting


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LC_ALL": "zh_TW.UTF-8", "LANG": "de_DE.UTF-8"}, "zh"),
        ({"LUOZI_LANGUAGE": "en", "LANG": "zh_CN.UTF-8"}, "en"),
    ],
)
def test_the_locale_chooses_the_language(monkeypatch, values, found):
    for name in ("LUOZI_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    assert messages.language() == found


def test_the_terminal_speaks_chinese_where_the_locale_does():
    command = [sys.executable, "-m", "luozi.cli", "play", "tictactoe", "--seat", "person", "--seat", "random"]
    environment = os.environ | {"LANG": "zh_CN.UTF-8", "LUOZI_LANGUAGE": "", "PYTHONUTF8": "1"} | {"LC_ALL": ""}
    said = subprocess.run(command, input="help\nresign\n", capture_output=True, text=True, env=environment, check=True)
    assert "悔棋" in said.stdout
    assert "O 胜 (X 认输)" in said.stdout


def test_what_a_search_found_is_shown_in_the_language_of_the_terminal(monkeypatch, capsys):
    found = luozi.Engine(luozi.game("tictactoe"), seed=1, compiled=False).think(
        luozi.game("tictactoe").new_state(), iterations=30
    )
    thought = replace(found, warnings=(UNREPEATABLE,), tied=True, pool_full=True)
    monkeypatch.setenv("LUOZI_LANGUAGE", "zh")
    show_search_result(Console(highlight=False, width=100), thought)
    shown = capsys.readouterr().out
    assert shown.split("\n")[0].split() == ["着法", "访问", "占比", "X", "O", "95", "%", "区间"]
    assert "最佳变化：" in shown
    assert "30 次迭代" in shown
    assert not re.search("[a-z]{2,}", shown)


def idle_process(game, players):
    """A process that would compile, and does nothing."""
    return subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_compiling_and_bars_are_told_in_the_language_of_the_terminal(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("LUOZI_LANGUAGE", "zh")
    monkeypatch.setenv("LUOZI_CACHE", str(tmp_path))
    note_seconds("full", 12.0)
    waiting, delayed, game = Waiting(), DelayedStep(), luozi.game("tictactoe")
    waiting.ready = ReadyPlayers(game, [player("mcts:seconds=1,take_wins=true", game)])
    waiting.ready.readiness = Readiness("go", [delayed.step], settings=CompileSettings(process=idle_process))
    waiting.ready.readiness.start()
    waiting.announce(PATIENCE)
    waiting.ready.readiness.close()
    with Bar("positions", 10, 4) as bar:
        bar.advance("x")
    said = capsys.readouterr().err.replace("\n", "")
    assert "正在后台编译 go 的搜索，约 12 秒（只需一次，以后直接使用）；在此之前代下的是普通 UCT" in said
    assert "局面：此前已完成 4/10" in said
    assert "局面：5/10，约剩 " in said


def test_the_time_that_compiling_takes_is_said_in_the_language_of_the_terminal(monkeypatch):
    monkeypatch.setenv("LUOZI_LANGUAGE", "zh")
    assert (time_left(12.4), time_left(-1)) == ("约剩 12 秒", "比平时久")


def test_lists_and_results_are_shown_in_the_language_of_the_terminal(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("LUOZI_LANGUAGE", "zh")
    commands = [["games", "gomoku"], ["players", "exact"], ["learn", "--list", "--folder", str(tmp_path)]]
    played = ["--game", "tictactoe", "--games", "2", "--workers", "1", "--db", str(tmp_path / "r.db")]
    commands += [["match", "random", "random", *played], ["tournament", "random", "random", "random", *played]]
    commands += [["results", "--list", "--db", str(tmp_path / "r.db")]]
    kept = "random|tictactoe|gomoku|exact|luozi|learn|id|players|true|false|size|win_length|exact_length|blocked"
    names = rf"\b({kept}|nodes|tt_millions|seconds|seed)\b"
    for command in commands:
        assert main(command) == 0
        shown = capsys.readouterr().out.replace(str(tmp_path), "")
        assert re.search("[\u4e00-\u9fff]", shown), command
        assert not re.search(r"\b[a-z]{2,}\b", re.sub(names, "", shown)), shown
