"""Whoever has a Chinese locale gets the whole terminal in Chinese: help, errors, tables and sentences."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len
from rich.console import Console

import luozi
from luozi.check import check_game
from luozi.cli import app as commands
from luozi.cli.app import main
from luozi.experiments import EXPERIMENTS
from luozi.experiments.report import do_experiment, show_report
from luozi.matches.tuning.result import UNDECIDED, TunedParameter, TuningResult, result_text, show_result
from luozi.messages import Message, languages, translate
from luozi.records.record import Record
from luozi.terminal.lists import report_environment
from luozi.util.machine import processor_name

COMMANDS = ["", *commands.COMMANDS]
SENTENCE = re.compile(r"\b[a-z]+ [a-z]+ [a-z]+\b")  # three English words in a row


@pytest.fixture
def chinese(monkeypatch):
    for name in ("LUOZI_LANGUAGE", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")


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
    assert "                      的文件。  [默认：connect4]" in lines


def test_help_in_english_needs_no_catalogue(monkeypatch, capsys):
    monkeypatch.setenv("LUOZI_LANGUAGE", "en")
    monkeypatch.setattr(languages, "catalogue_of", lambda spoken: pytest.fail("the catalogue was read"))
    assert main(["play", "--help"]) == 0
    assert capsys.readouterr().out.startswith("Usage: luozi play [OPTIONS] [GAME]\n")


# Errors ---------------------------------------------------------------------------------------------------------------


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
        ("tune mcts", "缺少选项“--opponent”"),
        ("play --save", "选项“--save”需要一个值"),
        ("play a b c", "多余的参数：b c"),
        ("cache --clear", "没有选项“--clear”：请写 luozi cache clear"),
        ("play gomuku", "没有“gomuku”这种棋；是指“gomoku”吗？"),
        ("play gomoku:sise=9", "gomoku 没有参数“sise”；是指“size”吗？"),
        ("play gomoku:size=99", "gomoku：size=99 无效；应为 1 至 45"),
        ("play gomoku --seat strng", "没有棋手“strng”；是指“strong”吗？"),
        ("play gomoku --seat mcts:selection=uctt", "mcts：selection=uctt 无效；是指“uct”吗？"),
        ("play gomoku --seat mcts:rave_weight=3", "mcts：没有 rave 时 rave_weight 不起作用"),
        ("play hex --seat mcts:playout_policy=true", "mcts：playout_policy 需要有 policy_action 的棋类，而 hex 没有"),
        ("think connect4 --moves a1,b2", "着法“a1”：没有“a1”这一列。合法着法：1, 2, 3, 4, 5, 6, 7。"),
        ("analyze there_is_none.sgf", "“there_is_none.sgf”无法读取：没有那个文件或目录"),
        ("experiment three-player --set a=b", "three-player 没有参数“a”；可选：game"),
        (
            "tune mcts -p c=1 --opponent random",
            "--param c=1 无效；请写 名称=下限:上限、名称=下限:上限:log 或 名称=甲|乙",
        ),
        ("play --load / tictactoe", "无法读“/”：这是文件夹、设备或管道"),
    ],
)
def test_errors_are_told_in_chinese(command, said, chinese, capsys):
    assert main(command.split()) == 2
    assert capsys.readouterr().err == f"luozi: {said}\n"


# Tuning and experiments -----------------------------------------------------------------------------------------------

ENGLISH = re.compile(r"(?<![\w.=:-])[a-z]{2,}(?![\w.=:-])")  # a word that is no part of a spelling, an option or a file
NAMES_IN_TABLES = {"strong", "mcts", "random", "free", "gomoku", "connect4", "luozi"}
NAMES_IN_TABLES |= {"global", "node", "root", "leaf"}  # kinds of parallel search, as they are typed


def english_in(shown: str) -> set[str]:
    """English words that are left in a text."""
    return set(ENGLISH.findall(re.sub(r"`\w+`|\S+=\S+", "", shown))) - NAMES_IN_TABLES


def test_the_result_of_a_tuning_is_told_in_chinese(chinese, capsys):
    low = Message("the best value may lie below {low}: widen the range", low=0.2)
    notes = [UNDECIDED, low, Message("the best value may lie above {high}: widen the range", high=2)]
    findings = [TunedParameter("c", "0.2:2", 0.7, (0.5, 0.9), None, note) for note in notes]
    findings.append(TunedParameter("keep", "true|false", True, None, {"true": 0.9, "false": 0.1}, ""))
    known = {"id": "ab12", "game": "connect4", "player": "mcts", "against": "random", "parameters": {}, "seed": 1}
    known |= {
        "openings": Message("{count} random moves", count=4),
        "command": "",
        "wanted": 100,
        "finished": 40,
        "rows": (),
    }
    lost = Message("the tuned player"), Message("played {text}, which is not legal", text=9), 2
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
    assert "判负：被调的棋手 下了 9，不合法（2 局）" in table
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


# Doctor, check, replay and analyze ------------------------------------------------------------------------------------


def test_the_doctor_speaks_chinese(chinese, monkeypatch):
    monkeypatch.setattr("luozi.terminal.lists.iterations_per_second", lambda name, seconds: 12345.0)
    lines: list[str] = []
    report_environment(lines.append)
    assert "核心：      " in "\n".join(lines)
    assert lines[-3:] == [
        "速度，单线程（第一次要编译）：",
        "  tictactoe  每秒 12,345 次迭代",
        "  connect4   每秒 12,345 次迭代",
    ]
    assert not any(re.search(r"[a-z]+ [a-z]+", line) for line in lines if processor_name() not in line)


def test_a_check_tells_in_chinese_what_it_found(chinese, capsys, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(BROKEN, "utf-8")
    assert main(["check", str(path), "--games", "2"]) == 2
    shown = capsys.readouterr().out
    assert "Mine.current_player 在第 1 局第 1 手给出 5；棋手编号为 0 到 1" in shown
    assert "个问题" in shown
    game = luozi.game("tictactoe")
    game.compilable = False
    report = check_game(game, games=3)
    assert english_in("\n".join(map(translate, (*report.sentences, *report.facts)))) == set()


BROKEN = """
import luozi


class Mine(luozi.Game):
    players = 2
    actions = 2
    max_length = 4
    state = [("moves", "i1")]

    def start(self, state):
        state.moves = 0

    def current_player(self, state):
        return 5

    def is_legal(self, state, action):
        return True

    def apply_action(self, state, action):
        state.moves += 1

    def is_terminal(self, state):
        return state.moves > 1

    def returns(self, state, returns):
        returns[:] = 0.5
"""


def test_a_game_is_replayed_in_chinese(chinese, capsys, tmp_path):
    record = Record(luozi.game("tictactoe"), ("person", "random"), (0, 3, 1, 4, 2))
    path = tmp_path / "game.txt"
    path.write_text(record.text(), "utf-8")
    assert main(["replay", str(path)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("tictactoe: person、random\n\n开局\n")
    assert "X 胜" in shown
    assert main(["replay", str(path), "-o", str(tmp_path / "game.html")]) == 0
    assert capsys.readouterr().out == f"已写入：{tmp_path / 'game.html'}\n"


def test_the_settings_of_learning_are_listed_in_chinese(chinese, capsys):
    assert main(["learn", "--settings"]) == 0
    shown = capsys.readouterr().out
    assert "这么多分钟后停止" in shown
    assert not SENTENCE.search(shown)
