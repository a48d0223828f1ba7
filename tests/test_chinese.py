"""Whoever has a Chinese locale gets the whole terminal in Chinese: help, errors, tables and sentences."""

from __future__ import annotations

import re

import pytest
import typer.main
from rich.cells import cell_len

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
