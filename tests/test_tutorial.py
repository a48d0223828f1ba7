"""The code of tutorials runs as it stands: blocks in order, in files of their names, with the output that is shown."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from importlib import import_module
from pathlib import Path

import pytest
import typer
from babel.messages.pofile import read_po
from typer.core import TyperGroup

import luozi
from luozi.check import check_game
from luozi.cli.app import app

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
CATALOGUE = ROOT / "src/luozi/messages/locale/zh/LC_MESSAGES/luozi.po"
TUTORIAL, REFERENCE = DOCS / "en/tutorials/write-a-game.md", DOCS / "en/reference/game-class.md"
PAGES = [*sorted((DOCS / "en/tutorials").glob("*.md")), REFERENCE]
READMES = [ROOT / "README.md", ROOT / "README.zh.md"]


def blocks_of(page):
    return re.findall(r"^```(\w+)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def file_name(code, number):
    named = re.match(r"# (\w+\.py)\n", code)
    return named[1] if named else f"block_{number}.py"


def commands_of(page):
    """The commands of luozi on a page, in words, without comments."""
    code = "".join(code for language, code in blocks_of(page) if language == "sh")
    lines = [shlex.split(line, comments=True) for line in code.splitlines()]
    return [line[1:] for line in lines if line and line[0].rsplit("/")[-1] == "luozi"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A folder for each page, with all files of the page."""
    folders = {}
    for page in PAGES:
        folders[page] = tmp_path_factory.mktemp(page.stem)
        for number, (language, code) in enumerate(blocks_of(page)):
            if language == "python":
                (folders[page] / file_name(code, number)).write_text(code, encoding="utf-8")
    return folders


@pytest.mark.parametrize("all_compiled", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_runs_and_prints_what_the_page_says(page, folders, monkeypatch, all_compiled):
    """Not all compiled: the game with knowledge, whose search takes longer to compile than all others together."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(folders[page])
    if page == REFERENCE:
        pytest.importorskip("pyspiel")
        if not all_compiled:
            monkeypatch.setattr(import_module("knowing").Knowing, "compilable", False, raising=False)
    namespace, printed, previous, compared = {"__name__": "tutorial"}, "", "", 0
    for number, (language, code) in enumerate(blocks_of(page)):
        if language == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(code, str(folders[page] / file_name(code, number)), "exec"), namespace)
            printed = output.getvalue()
        elif language == "text" and previous == "python":
            assert without_times(printed) == without_times(code)
            compared += 1
        previous = language
    assert compared >= {REFERENCE: 5, TUTORIAL: 3}.get(page, 0)
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and str(folders[page]) in str(sys.modules[name].__file__):
            del sys.modules[name]


def without_times(text):
    """What does not depend on the machine: all but seconds and rates."""
    return re.sub(r"in [\d.]+ s \([\d,]+/s\)", "", text)


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("page", "name"),
    [
        *((REFERENCE, name) for name in ("squares", "bag", "pairs", "named", "guess", "knowing", "sensible")),
        pytest.param(REFERENCE, "rooks", marks=pytest.mark.long),
        *((TUTORIAL, name) for name in ("domineering", "drawn_dominoes", "mobile_dominoes")),
    ],
    ids=lambda one: one if isinstance(one, str) else one.stem,
)
def test_every_game_passes_the_check(folders, page, name, compiled, monkeypatch):
    """One is compiled always."""
    monkeypatch.syspath_prepend(folders[page])
    if not compiled and name != "bag":
        monkeypatch.setattr(luozi.Game, "compilable", False)
    report = check_game(str(folders[page] / f"{name}.py"), games=30 if compiled else 12)
    assert report.ok, report


@pytest.mark.parametrize("page", [TUTORIAL, REFERENCE], ids=lambda page: page.stem)
def test_every_command_names_a_game(folders, page):
    named = re.findall(r"luozi (?:check|play|serve|think) (\w+\.py)", page.read_text(encoding="utf-8"))
    assert named
    for name in named:
        assert (folders[page] / name).is_file()


@pytest.mark.parametrize(
    "page", [*READMES, *sorted(DOCS.glob("*/tutorials/*.md"))], ids=lambda page: str(page.relative_to(ROOT))
)
def test_every_command_has_the_options_that_it_is_given(page):
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    for name, *words in commands_of(page):
        command = group.get_command(typer.Context(group), name)
        assert command is not None, name
        known = {option for parameter in command.params for option in parameter.opts + parameter.secondary_opts}
        given = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        assert given <= known, f"luozi {name}: {given - known}"


@pytest.mark.parametrize("page", sorted(DOCS.glob("*/tutorials/*.md")), ids=lambda page: str(page.relative_to(DOCS)))
def test_bold_words_are_texts_of_the_page(page):
    """Buttons, views and headings have the names that the page shows, in the language of the tutorial."""
    with CATALOGUE.open("rb") as file:
        messages = [message for message in read_po(file) if isinstance(message.id, str) and message.id]
    texts = [message.id if page.is_relative_to(DOCS / "en") else message.string for message in messages]
    patterns = {re.sub(r"\\{\w+\\}", r"\\d+", re.escape(text)) for text in texts}  # as in Skip {count}
    for name in re.findall(r"\*\*(.+?)\*\*", page.read_text(encoding="utf-8")):
        assert any(re.fullmatch(pattern, name) for pattern in patterns), name


@pytest.mark.parametrize("page", sorted((DOCS / "zh/tutorials").glob("*.md")), ids=lambda page: page.stem)
def test_both_languages_show_the_same_code_and_output(page):
    """Comments and docstrings are translated."""

    def code(path):
        text = "\n".join(code for language, code in blocks_of(path))
        return re.sub(r'""".*?"""|\s*(?<![\w/])#.*', "", text)

    assert code(page) == code(DOCS / "en/tutorials" / page.name)
