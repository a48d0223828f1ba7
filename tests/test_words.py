"""One catalogue of words in two languages, for the page and the terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

import luozi
from luozi import words
from luozi.players.presets import unmeasured
from luozi.terminal.commands import COMMANDS
from luozi.terminal.progress import time_left


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
    patterns = [
        re.sub(r"\\\{\w+\\\}", ".+", re.escape(phrases["en"]))
        for key, phrases in words.catalogue().items()
        if key.startswith("told_")
    ]
    asked = [("hex", "strong"), ("go", "strong"), ("hex", "level"), ("gomoku:size=9", "level")]
    for sentence in (unmeasured(luozi.game(spelling), name) for spelling, name in asked):
        assert any(re.fullmatch(pattern, sentence) for pattern in patterns), sentence


def test_the_time_that_compiling_takes_is_said_in_the_language_of_the_terminal(monkeypatch):
    monkeypatch.setenv("LUOZI_LANGUAGE", "zh")
    assert (time_left(12.4), time_left(-1)) == ("约剩 12 秒", "比平时久")
