"""The how-to guides and the reference show code that runs and commands that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from luozi.cli.app import app
from luozi.players import PLAYERS, read_spelling

DOCS = Path(__file__).parents[1] / "docs" / "en"
GUIDES = sorted((DOCS / "how-to").glob("*.md"))
PAGES = [*GUIDES, *sorted((DOCS / "reference").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    """Return the code blocks of a page, also those in lists."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^\1```", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [text for _, text in found]


def commands(page: Path) -> list[list[str]]:
    """Return the words of each `luozi` command in the shell blocks of a page, without redirection."""
    lines = [line.strip() for block in blocks(page, "sh") for line in block.splitlines()]
    words = [shlex.split(line, comments=True) for line in lines if line.startswith("luozi ")]
    return [line[1 : line.index(">") if ">" in line else None] for line in words]


@pytest.mark.parametrize("page", [page for page in GUIDES if blocks(page, "python")], ids=lambda page: page.stem)
def test_the_python_code_of_a_guide_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "python"):
        exec(compile(block, page.name, "exec"), {"__name__": "guide"})


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: page.stem)
def test_the_commands_of_a_page_exist_with_their_options(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    for name, *words in commands(page):
        command = group.get_command(typer.Context(group), name)
        assert command is not None, name
        command.make_context(name, list(words))
        for word in words:
            if word.partition(":")[0] in PLAYERS:
                read_spelling(word)


def test_every_guide_is_in_the_list_of_guides() -> None:
    index = (DOCS / "how-to" / "index.md").read_text("utf-8")
    assert [page.name for page in GUIDES if page.stem != "index" and f"]({page.name})" not in index] == []
