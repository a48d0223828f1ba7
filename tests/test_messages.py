"""Messages keep their templates and values, and the catalogue has the Chinese of all of them."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import pytest
import typer.main

from luozi.cli import app as commands
from luozi.cli.app import GROUP
from luozi.cli.help_language import NAMES
from luozi.experiments import EXPERIMENTS
from luozi.games import Listing
from luozi.learning.settings import LearningOptions
from luozi.messages import LuoziError, Message, counted, joined, like, nearest, plural, reason_of, translate
from luozi.messages.languages import catalogue_of
from luozi.players import PLAYERS
from luozi.players.simple import Person
from luozi.terminal.commands import COMMANDS
from luozi.util.parameters import parameters_of
from tools import messages as tool

NOT_TOLD_APART = {"ID"}


@pytest.fixture
def chinese(monkeypatch):
    monkeypatch.setenv("LUOZI_LANGUAGE", "zh")


# The catalogue --------------------------------------------------------------------------------------------------------


def test_the_catalogue_has_every_message_with_its_placeholders_and_no_other():
    assert tool.problems() == []


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ('raise LuoziError("nobody translated {this}", this=1)', "not in the catalogue: 'nobody translated {this}'"),
        ('counted(3, "sheep")', "not in the catalogue: '{count} sheep'"),
        ('plural(3, "{count} ox", "{count} oxen")', "not in the catalogue: '{count} ox'"),
        ('Message(f"x is {x}")', "give the values by name"),
        ('translate("one " + other)', "give the values by name"),
        ('translate("one" if one else "two")', "give the values by name"),
    ],
)
def test_what_can_not_be_translated_is_a_problem(source, problem, tmp_path, monkeypatch):
    (tmp_path / "new.py").write_text(source, "utf-8")
    monkeypatch.setattr(tool, "SOURCE", tmp_path)
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    assert any(problem in line for line in tool.problems())


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ('msgid "the game is over"\nmsgstr ""\n', "has no Chinese: 'the game is over'"),
        ('msgid "only {count} moves"\nmsgstr "{number} 手"\n', "has other placeholders: 'only {count} moves'"),
        ('msgid "nobody says this"\nmsgstr "无人说"\n', "is not used: 'nobody says this'"),
    ],
)
def test_a_wrong_entry_of_the_catalogue_is_a_problem(entry, problem, tmp_path, monkeypatch):
    catalogue = tmp_path / "luozi.po"
    catalogue.write_text(f'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n{entry}', "utf-8")
    monkeypatch.setattr(tool, "CATALOGUE", catalogue)
    assert problem in tool.problems()


def test_what_is_listed_and_helped_with_has_its_chinese(chinese):
    texts = [Person.__doc__ or "", *(listing.meaning for listing in Listing.all())]
    parameters = [one for listing in Listing.all() for one in listing.parameters]
    parameters += [one for kind in PLAYERS.values() for one in kind.parameters.values()]
    parameters += [one for each in EXPERIMENTS.values() for one in each.parameters.values()]
    parameters += parameters_of(LearningOptions).values()
    texts += [one.about.meaning for one in parameters]
    texts += [kind.meaning for kind in PLAYERS.values()]
    texts += [command.meaning for command in COMMANDS.values()]
    texts += [text for one in EXPERIMENTS.values() for text in (one.question, one.title, one.source)]
    assert [text for text in texts if text and translate(text) == text] == []


@pytest.mark.parametrize("name", ["", *commands.COMMANDS])
def test_every_command_and_option_has_its_chinese(name, chinese):
    command = commands.loaded(name) if name else GROUP
    call = typer.Context(command, info_name=name)
    texts = [*command.help.split("\n\n"), *(one.help for one in command.get_params(call))]
    records = [one.get_help_record(call)[0] for one in command.get_params(call)]
    names = {found for record in records for found in NAMES.findall(record)} - NOT_TOLD_APART
    told = [" ".join(text.split()) for text in texts]
    assert [text for text in (*told, *names) if translate(text) == text] == []


def test_without_a_built_catalogue_everything_is_english(chinese, monkeypatch, tmp_path):
    monkeypatch.setattr("luozi.messages.languages.CATALOGUES", tmp_path)
    catalogue_of.cache_clear()
    assert translate("the game is over") == "the game is over"
    catalogue_of.cache_clear()


# Messages -------------------------------------------------------------------------------------------------------------

BRACES = "{} {0} {name} }{ %s"


@pytest.mark.parametrize("again", [lambda one: pickle.loads(pickle.dumps(one)), copy.copy, copy.deepcopy])
def test_an_error_keeps_template_and_values_with_braces_in_them(again, chinese):
    inner = Message("the command '{name}' can't be read: {reason}", name=BRACES, reason=Message("the disk is full"))
    error = again(LuoziError("{text}, line {number}: {error}", text=BRACES, number=3, error=LuoziError(inner)))
    assert str(error) == f"{BRACES}, line 3: the command '{BRACES}' can't be read: the disk is full"
    assert error.message.template == "{text}, line {number}: {error}"
    assert error.message.values == {"text": BRACES, "number": 3, "error": inner}
    assert translate(error.message) == f"{BRACES} 第 3 行：命令“{BRACES}”无法读取：磁盘已满"
    assert type(error) is LuoziError


def test_a_plain_sentence_may_hold_braces(chinese):
    assert str(LuoziError(BRACES)) == translate(Message(BRACES)) == BRACES


def test_names_stay_as_they_are_written(chinese):
    told = LuoziError("{of}: {name}={value} is not valid", of="match", name="game", value="the game is over").message
    assert translate(told) == "match：game=the game is over 无效"
    named = Message("the game can't be saved: {reason}", reason=Message("the game is over"))
    assert translate(named) == "对局无法保存：对局已结束。"


def test_numbers_take_the_form_that_they_need(chinese):
    many = "; {count} row could not be read", "; {count} rows could not be read"
    assert [str(plural(count, *many)) for count in (1, 2000)] == [
        many[0].format(count=1),
        many[1].format(count="2,000"),
    ]
    assert [translate(plural(count, *many)) for count in (1, 2000)] == ["；1 行无法读取", "；2,000 行无法读取"]
    assert (str(counted(1, "game")), str(counted(0, "game")), translate(counted(2, "game"))) == (
        "1 game",
        "0 games",
        "2 局",
    )


def test_several_messages_are_one(chinese):
    both = pickle.loads(pickle.dumps(joined([Message("the disk is full"), "a.txt"], "; ")))
    assert (str(both), translate(both)) == ("the disk is full; a.txt", "磁盘已满；a.txt")


def test_the_nearest_choice_is_part_of_the_sentence(chinese):
    games = ["gomoku", "go"]
    error = LuoziError("there is no game '{name}'{nearest}", name="gomuku", nearest=nearest("gomuku", games))
    assert str(error) == "there is no game 'gomuku'; did you mean 'gomoku'?"
    assert translate(error.message) == "没有“gomuku”这种棋；是指“gomoku”吗？"
    assert (nearest("?", []), like("?", games)) == ("", "")


def test_what_the_system_says_is_translated_where_it_is_known(chinese):
    assert translate(reason_of(FileNotFoundError(2, "No such file or directory", "x"))) == "没有那个文件或目录"
    assert translate(reason_of(OSError(99, "Something strange"))) == "Something strange"
    assert reason_of(LuoziError("the game is over")) == "the game is over"


def test_a_page_gets_templates_and_values():
    told = Message("the game can't be kept ({reason}), so nothing was changed", reason=Message("the disk is full"))
    data = json.loads(json.dumps(told.data()))
    assert data["template"] == "the game can't be kept ({reason}), so nothing was changed"
    assert data["values"] == {"reason": {"template": "the disk is full", "values": {}}}
    assert counted(2, "game").data() == {
        "template": "{count} game", "values": {"count": "2"}, "many": "{count} games", "number": 2
    }  # fmt: skip


def test_the_page_has_the_same_catalogue():
    found = json.loads((Path(tool.ROOT) / "page/src/zh.json").read_text("utf-8"))
    assert found["the game is over"] == "对局已结束。"
    assert found["stones|Black"] == "黑"
    assert len(found) == len([one for one in tool.known() if one.id])
