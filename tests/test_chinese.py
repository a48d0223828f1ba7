"""Whoever has a Chinese locale gets the whole terminal in Chinese: help, errors, tables and sentences."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer.main
from rich.cells import cell_len
from sentences import sentences_in

import luozi
from luozi import words
from luozi.cli.app import app, main
from luozi.cli.spoken import NAMES

GROUP = typer.main.get_command(app)
COMMANDS = ["", *GROUP.commands]
SENTENCE = re.compile(r"\b[a-z]+ [a-z]+ [a-z]+\b")  # three English words in a row
AS_WRITTEN = {"ID"}


@pytest.fixture
def chinese(monkeypatch):
    for name in ("LUOZI_LANGUAGE", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")


def command_called(name: str):
    """A command and a call of it, which knows its options."""
    command = GROUP.commands[name] if name else GROUP
    return command, typer.Context(command, info_name=name)


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_explained_in_chinese(name):
    command, call = command_called(name)
    texts = [*command.help.split("\n\n"), *(one.help for one in command.get_params(call))]
    records = [one.get_help_record(call)[0] for one in command.get_params(call)]
    names = {found for record in records for found in NAMES.findall(record)} - AS_WRITTEN
    unknown = [one for one in (*map(one_line, texts), *names) if not words.key_of(one)]
    assert not unknown  # words/help.json has the others


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_has_no_english_left_in_chinese(name, chinese, capsys):
    assert main([name, "--help"] if name else []) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"用法：luozi {name}".strip())
    assert "选项：" in shown
    assert not SENTENCE.search(shown)
    assert not re.search(r"default|required|Options|Usage|range|str\b", shown)


def test_the_help_fits_the_terminal_in_chinese(chinese, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    assert main(["match", "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(cell_len, lines)) <= 60
    assert not any(re.match(r"\s*[，。；：、）]", line) for line in lines)  # no line begins with such a mark
    assert "  -g, --game 棋类     棋类。  [默认：connect4]" in lines


def test_help_in_english_needs_no_catalogue(monkeypatch, capsys):
    monkeypatch.setenv("LUOZI_LANGUAGE", "en")
    monkeypatch.setattr(words, "catalogue", lambda: pytest.fail("the catalogue was read"))
    assert main(["play", "--help"]) == 0
    assert capsys.readouterr().out.startswith("Usage: luozi play [OPTIONS] [GAME]\n")


# Errors ---------------------------------------------------------------------------------------------------------------

HEARD = (  # whose errors reach people at the terminal, and not only programmers
    *("cli", "terminal", "contests", "tuning", "experiments", "reports", "players", "parameters.py", "machine.py"),
    *(
        "games/__init__.py",
        "games/own.py",
        "games/lines/rules.py",
        "games/go",
        "records/record.py",
        "search/options.py",
    ),
    *("search/needs.py", "learning/settings.py", "learning/starting.py", "learning/folder.py", "learning/learner.py"),
)
MADE_OF_PARTS = {"x x", "ablation has no option 'x'x", "x is too large for the exact solver: x"} | {
    "there is no unfinished gamex to go on with"
}


def test_every_error_that_people_meet_is_in_the_catalogue():
    folder = Path(luozi.__file__).parent
    paths = [
        path for one in HEARD for path in ([folder / one] if one.endswith(".py") else (folder / one).rglob("*.py"))
    ]
    assert len(paths) > 100
    unknown = {sentence for path in paths for sentence in sentences_in(path) if not words.key_of(sentence)}
    assert unknown == MADE_OF_PARTS  # words/errors.json has the others


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("plai", "没有命令“plai”；是指“play”吗？"),
        ("matchh a b", "没有命令“matchh”；是指“match”吗？"),
        ("play --lvel 3", "没有选项“--lvel”；是指“--level”吗？"),
        ("play --level x", "“--level”的值无效：应为整数"),
        ("match a b --games 0", "“--games”（“-n”）的值无效：不能小于 1"),
        ("gtp --komi x", "“--komi”的值无效：应为数"),
        ("match", "缺少参数：棋手"),
        ("tune mcts", "缺少选项“--against”"),
        ("play --save", "选项“--save”需要一个值"),
        ("play --force=3", "选项“--force”不带值"),
        ("play a b c", "多余的参数：b c"),
        ("cache --clear", "没有选项“--clear”：请写 luozi cache clear"),
        ("play gomuku", "没有“gomuku”这种棋；是指“gomoku”吗？"),
        ("play gomoku:sise=9", "gomoku 没有参数“sise”；是指“size”吗？"),
        ("play gomoku:size=99", "gomoku：size=99 无效；应为 1 到 45"),
        ("play gomoku --seat strng", "没有棋手“strng”；是指“strong”吗？"),
        ("play gomoku --seat mcts:cc=3", "mcts 没有参数“cc”；是指“c”吗？"),
        ("play gomoku --seat mcts:formula=uctt", "mcts：formula=uctt 无效；是指“uct”吗？"),
        ("play gomoku --seat mcts:rave_weight=3", "mcts：没有 rave 时 rave_weight 不起作用"),
        ("play hex --seat mcts:policy=true", "mcts：policy 需要有 policy_action 的棋类，而 hex 没有"),
        ("think connect4 --moves a1,b2", "这里不能下“a1”。是想下“1”吗？"),
        ("replay there_is_none.txt", "没有文件“there_is_none.txt”"),
        ("analyze there_is_none.sgf", "“there_is_none.sgf”无法读取：没有那个文件或目录"),
        ("experiment reasonable --set a=b", "reasonable 没有参数“a”；可选：game"),
        ("experiment reasonabel", "没有实验“reasonabel”；是指“reasonable”吗？"),
        (
            "tune mcts -p c=1 --against random",
            "--param c=1 无效；请写 名称=下限:上限、名称=下限:上限:log 或 名称=甲|乙",
        ),
        ("match random random --sprt 3", "--sprt 3 无效；请写两个 Elo 差，例如 0,10"),
        ("play --load / tictactoe", "无法读“/”：是一个目录"),
    ],
)
def test_errors_are_told_in_chinese(command, said, chinese, capsys):
    assert main(command.split()) == 2
    assert capsys.readouterr().err == f"luozi: {said}\n"


def test_what_somebody_wrote_is_not_said_again(chinese):
    assert words.again("match: game=size is not valid; choose one of: player") == "match：game=size 无效；可选：player"
