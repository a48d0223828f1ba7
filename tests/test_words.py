"""One catalogue of words in two languages, for the page and the terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console
from sentences import sentences_in

import luozi
from luozi import words
from luozi.cli.app import main
from luozi.games import Listing
from luozi.players import PLAYERS, engine
from luozi.players.person import Person
from luozi.players.presets import unmeasured
from luozi.search.decision import UNREPEATABLE
from luozi.servers import web
from luozi.servers.web import hall, socket, storage, thinkers
from luozi.terminal.commands import COMMANDS
from luozi.terminal.lists import show_thought
from luozi.terminal.progress import Bar, time_left
from luozi.terminal.thinking import Waiting


def test_every_phrase_is_there_in_all_languages_with_the_same_values():
    for key, phrases in words.catalogue().items():
        assert tuple(sorted(phrases)) == words.LANGUAGES, key
        assert len({tuple(sorted(re.findall(r"\{\w+\}", phrase))) for phrase in phrases.values()}) == 1, key


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
    assert words.language() == found


def test_every_command_of_the_terminal_is_explained():
    assert all(f"terminal_{name}" in words.catalogue() for name in COMMANDS)


def test_the_terminal_speaks_chinese_where_the_locale_does():
    command = [sys.executable, "-m", "luozi.cli", "play", "tictactoe", "--seat", "person", "--seat", "random"]
    environment = os.environ | {"LANG": "zh_CN.UTF-8", "LUOZI_LANGUAGE": "", "PYTHONUTF8": "1"} | {"LC_ALL": ""}
    said = subprocess.run(command, input="help\nresign\n", capture_output=True, text=True, env=environment, check=True)
    assert "悔棋" in said.stdout
    assert "O 胜 (X 认输)" in said.stdout


def test_the_page_knows_the_sentences_about_what_was_not_measured():
    asked = [("hex", "strong"), ("othello", "strong"), ("hex", "level"), ("gomoku:size=9", "level")]
    for sentence in (unmeasured(luozi.game(spelling), name) for spelling, name in asked):
        assert words.key_of(sentence), sentence


PROTOCOL = (
    "a message ",
    "there is no message ",
    "the id of ",
    "the message '",
    "a move is ",
    "this machine has Luozi ",
)
NOBODY_HEARS = ("nobody sits here",)


def test_every_sentence_of_the_server_that_people_see_is_in_the_catalogue():
    unknown = [
        f"{path.name}: {sentence}"
        for path in sorted(Path(web.__file__).parent.glob("*.py"))
        for sentence in sentences_in(path)
        if not words.key_of(sentence) and not sentence.startswith((*PROTOCOL, *NOBODY_HEARS))
    ]
    others = (hall.NO_TABLE, socket.TOO_MUCH, engine.BY_STAND_IN, thinkers.BY_SLOW, *storage.REASONS.values())
    assert not unknown
    assert all(map(words.key_of, others))


def test_a_sentence_is_said_again_with_what_came_into_it(monkeypatch):
    monkeypatch.setenv("LUOZI_LANGUAGE", "zh")
    assert words.again("only 3 moves were played") == "只下了 3 手。"
    kept = "compiling search for Go (once; it is kept for the next time)"
    assert words.again(kept) == "正在编译 search for Go（只需一次，以后直接使用）"
    saved = "saved 4 games, 1 contest; 2 rows could not be read in new.db"
    assert words.again(saved) == "已救出 4 局，1 场比赛；2 行无法读取，在 new.db"
    monkeypatch.setenv("LUOZI_LANGUAGE", "en")
    assert words.again("only 3 moves were played") == "only 3 moves were played"


def test_what_a_search_found_is_shown_in_the_language_of_the_terminal(monkeypatch, capsys):
    found = luozi.Engine(luozi.game("tictactoe"), seed=1, compiled=False).think(
        luozi.game("tictactoe").new_state(), iterations=30
    )
    thought = replace(found, notice=UNREPEATABLE, tied=True, pool_full=True)
    monkeypatch.setenv("LUOZI_LANGUAGE", "zh")
    show_thought(Console(highlight=False, width=100), thought)
    shown = capsys.readouterr().out
    assert shown.split("\n")[0].split() == ["着法", "访问", "占比", "X", "O", "95", "%", "区间"]
    assert "最佳变化：" in shown
    assert "30 次迭代" in shown
    assert not re.search("[a-z]{2,}", shown)


def test_compiling_and_bars_are_told_in_the_language_of_the_terminal(monkeypatch, capsys):
    monkeypatch.setenv("LUOZI_LANGUAGE", "zh")
    waiting, event = Waiting(), threading.Event()
    event.set()
    waiting.preparation = SimpleNamespace(
        known=event, over=threading.Event(), needed=True, apart=True, stood_in=[1], plain=True, game="go", seconds=12.0
    )
    waiting.announce()
    with Bar("positions", 10, 4) as bar:
        bar.advance("x")
    said = capsys.readouterr().err.replace("\n", "")
    assert "正在后台编译 go 的搜索，约 12 秒（只需一次，以后直接使用）；在此之前由普通 UCT 代下" in said
    assert "局面：此前已完成 4/10" in said
    assert "局面：5/10，约剩 " in said


def test_the_time_that_compiling_takes_is_said_in_the_language_of_the_terminal(monkeypatch):
    monkeypatch.setenv("LUOZI_LANGUAGE", "zh")
    assert (time_left(12.4), time_left(-1)) == ("约剩 12 秒", "比平时久")


def test_every_game_player_and_option_is_explained_in_both_languages():
    meanings = [Person.__doc__ or "", *(listing.meaning for listing in Listing.all())]
    meanings += [one.about.meaning for listing in Listing.all() for one in listing.parameters]
    meanings += [kind.meaning for kind in PLAYERS.values()]
    meanings += [one.about.meaning for kind in PLAYERS.values() for one in kind.parameters.values()]
    unknown = {one for one in meanings if not words.key_of(one)}
    assert not unknown  # words/lists.json has the others


def test_lists_and_results_are_shown_in_the_language_of_the_terminal(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("LUOZI_LANGUAGE", "zh")
    commands = [["games", "gomoku"], ["players", "exact"], ["learn", "--list", "--folder", str(tmp_path)]]
    played = ["--game", "tictactoe", "--games", "2", "--workers", "1", "--store", str(tmp_path / "r.db")]
    commands += [["match", "random", "random", *played], ["tournament", "random", "random", "random", *played]]
    commands += [["results", "--list", "--store", str(tmp_path / "r.db")]]
    kept = "random|tictactoe|gomoku|exact|luozi|learn|id|players|true|false|size|run|exactly|forbidden"
    names = rf"\b({kept}|limit|table|seconds|seed)\b"
    for command in commands:
        assert main(command) == 0
        shown = capsys.readouterr().out.replace(str(tmp_path), "")
        assert re.search("[\u4e00-\u9fff]", shown), command
        assert not re.search(r"\b[a-z]{2,}\b", re.sub(names, "", shown)), shown


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (
            "generation 3: 12 games, 345 positions, policy 2.345, value 0.456 (error 0.123), 9 positions/s, 4 min left",
            "第 3 代：12 局，345 个局面，策略 2.345，价值 0.456（误差 0.123），每秒 9 个局面，剩余 4 min",
        ),
        ("ladder: generation 3 is at +120 ± 30 Elo against generation 0", "阶梯赛：第 3 代对第 0 代为 +120 ± 30 Elo"),
        ("generation 3", "第 3 代"),
        (
            "nine: 3 generations, 120 games, 3,456 positions in 4 min; the curve is a/b.html",
            "nine：3 代，120 局，3,456 个局面，用时 4 min；学习曲线在 a/b.html",
        ),
    ],
)
def test_the_progress_of_learning_is_told_in_the_language_of_the_terminal(monkeypatch, sentence, said):
    monkeypatch.setenv("LUOZI_LANGUAGE", "zh")
    assert words.again(sentence) == said
