"""Whoever has a Chinese locale gets the whole terminal in Chinese: help, errors, tables and sentences."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer.main
from rich.cells import cell_len
from rich.console import Console
from sentences import all_sentences, sentences_in

import luozi
from luozi import words
from luozi.cli.app import app, main
from luozi.cli.spoken import NAMES
from luozi.experiments import EXPERIMENTS
from luozi.experiments.report import do_experiment, show_report
from luozi.learning.settings import Settings
from luozi.parameters import parameters_of
from luozi.tuning.result import UNDECIDED, Finding, TuningResult
from luozi.tuning.tables import result_text, show_result

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


# Tuning and experiments -----------------------------------------------------------------------------------------------

ENGLISH = re.compile(r"(?<![\w.=:-])[a-z]{2,}(?![\w.=:-])")  # a word that is no part of a spelling, an option or a file
NAMES_IN_TABLES = {"strong", "mcts", "random", "free", "gomoku", "connect4", "luozi"}


def english_in(shown: str) -> set[str]:
    """English words that are left in a text."""
    return set(ENGLISH.findall(re.sub(r"`\w+`|\S+=\S+", "", shown))) - NAMES_IN_TABLES


def test_the_result_of_a_tuning_is_told_in_chinese(chinese, capsys):
    notes = [UNDECIDED, "the best may lie below 0.2, widen its range", "the best may lie above 2, widen its range"]
    findings = [Finding("c", "0.2:2", 0.7, (0.5, 0.9), None, note) for note in notes]
    findings.append(Finding("keep", "true|false", True, None, {"true": 0.9, "false": 0.1}, ""))
    known = {"id": "ab12", "game": "connect4", "player": "mcts", "against": "random", "parameters": {}, "seed": 1}
    known |= {"openings": "4 random moves", "command": "", "wanted": 100, "finished": 40, "rows": ()}
    lost = "the tuned player", "played 9, which is not legal", 2
    found = {"forfeits": (lost,), "findings": tuple(findings), "best": "mcts:c=0.7"}
    console = Console(width=160, highlight=False)
    show_result(console, TuningResult(**known, complete=False))
    show_result(console, TuningResult(**known, **found, complete=True, rate=0.6, interval=(0.5, 0.7), verify="luozi"))
    shown = capsys.readouterr().out
    first, nothing, *table = shown.splitlines()
    assert first == "调参 ab12   connect4, 随机走 4 手开局, 种子 1; 已完成 40/100 局，0 次试验"
    assert nothing == "还没有一局结束"
    assert table[2].split() == ["c", "0.2:2", "0.7", "0.5", "至", "0.9", "未定：需要更多对局，或影响很小"]
    assert "最佳者对 random 的胜率：60.0 %（95 %：50.0 至 70.0 %）" in table
    assert "判负：被调的棋手下了 9，不合法（2 局）" in table
    assert english_in(shown) <= {"keep", "true", "false"}
    assert "0.5 to 0.9" in result_text(TuningResult(**known, **found, complete=True))  # for programs, as before


def test_every_experiment_is_told_in_chinese(chinese, capsys):
    console = Console(width=200, highlight=False)
    for one in EXPERIMENTS.values():
        show_report(console, do_experiment(one, one.bench(quick=True).looking(), {}))
    assert english_in(capsys.readouterr().out) == set()
    assert main(["experiment", "list"]) == 0
    listed = capsys.readouterr().out
    assert not SENTENCE.search(re.sub(r"go:\S+ gomoku five3d|sqrt\([^)]*\)", "", listed))
    assert "每行 201 局，每步 20,000 次迭代；--quick：每行 6 局，每步 2,000 次迭代" in listed


def test_every_parameter_of_an_experiment_and_of_learning_is_explained_in_chinese():
    parameters = [one for each in EXPERIMENTS.values() for one in each.parameters.values()]
    meanings = {one.about.meaning for one in (*parameters, *parameters_of(Settings).values())}
    assert not {one for one in meanings if not words.key_of(one)}


MADE_UP = (  # of parts that are sentences of the test below
    *("The report's own figures differ x", "The tuner, with x", "The grade is the report's for x of xx"),
    *("x; outside: c = x.", "x.", "x; over x of games", "x; too few games"),
)


def test_every_sentence_of_an_experiment_is_in_the_catalogue():
    folder = Path(luozi.__file__).parent / "experiments"
    found = {sentence for path in folder.glob("*.py") for sentence in all_sentences(path)}
    assert len(found) > 30
    unknown = sorted(sentence for sentence in found if not words.key_of(sentence))
    assert all(any(sentence.startswith(start) for start in MADE_UP) for sentence in unknown), unknown


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (
            "The win rate runs from 40.0 % at c = 0.6 to 60.0 % at c = 0.7; over 20 pairs of games, the 12 values of c "
            "differ no more than by chance (p = 0.2).",
            "胜率从 c = 0.6 的 40.0 % 到 c = 0.7 的 60.0 %；在 20 对对局中，12 个 c 值的差别未超出偶然（p = 0.2）。",
        ),
        (
            "The tuner, with 40 games, puts the best c at 0.7, between 0.6 and 0.9 with 95 % confidence "
            "(not decided, more games are needed or it hardly matters); the report's choice of 1/sqrt(2) lies there.",
            "调参用 40 局得出最佳 c 为 0.7，95 % 置信区间为 0.6 至 0.9（未定：需要更多对局，或影响很小）；"
            "报告所取的 1/sqrt(2) 在其中。",
        ),
        (
            "12 of the report's 12 figures lie inside our 95 % intervals.",
            "报告的 12 个数字中有 12 个在我们的 95 % 区间内。",
        ),
        (
            "budget: 2.5 s a move, 50 games for each row; by the clock, so a repetition plays other games",
            "预算：每步 2.5 秒，每行 50 局；按时钟计，重复时对局会不同",
        ),
        (
            "plain: 3 of 6 games are reasonable, 50.0 % (18.8 to 81.2 %).",
            "普通：6 局中 3 局合理，50.0 %（18.8 至 81.2 %）。",
        ),
        (
            "The grade is the report's for 1 of 6 combinations: {1,2}; not for {1,3} {2,3}.",
            "6 种组合中有 1 种与报告的等级相同：{1,2}；不同的有 {1,3} {2,3}。",
        ),
        (
            "At equal time, of 7 options that the report calls weaker: none weaker; 1 stronger (keep=true); "
            "6 undecided.",
            "等时时，报告认为变弱的 7 个选项中：0 个变弱；1 个变强（keep=true）；6 个未定。",
        ),
        (
            "From the smallest to the largest budget, the win rate against one opponent goes from "
            "10.0 % to 80.0 % on connect4; 5.0 % to 60.0 % on gomoku:size=7.",
            "从最小到最大预算，对同一对手的胜率：connect4 上从 10.0 % 到 80.0 %，gomoku:size=7 上从 5.0 % 到 60.0 %。",
        ),
        (
            "Twice the budget wins 60.0 % (50.0 to 70.0 %) of games, +70 Elo.",
            "预算加倍时胜率为 60.0 %（50.0 至 70.0 %），+70 Elo。",
        ),
        (
            "The report's own figures differ in the coarse grid no more than by chance (p = 0.2), in the fine grid "
            "more than by chance (p < 0.0001).",
            "报告自己的数字在粗网格上的差别未超出偶然（p = 0.2），在细网格上的差别超出偶然（p < 0.0001）。",
        ),
        (
            "gomoku, free, at equal iterations: against one thread 2 threads 45.0 % (30.0 to 60.0 %), 4 threads 50.0 % "
            "(40.0 to 60.0 %).",
            "gomoku，free，等迭代：对单线程，2 个线程 45.0 %（30.0 至 60.0 %），4 个线程 50.0 %（40.0 至 60.0 %）。",
        ),
    ],
)
def test_what_experiments_find_is_told_in_chinese(sentence, said, chinese):
    assert words.again(sentence) == said
