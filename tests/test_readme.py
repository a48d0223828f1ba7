"""The README's examples run as they stand, in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.docs import GENERATED

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [str(page.relative_to(ROOT)) for page in sorted(DOCS.rglob("*.md"))]


def python_blocks(name: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("name", ["README.md", pytest.param("README.zh.md", marks=pytest.mark.long)])
def test_the_examples_run(name):
    """The same code in both languages, as the next test says."""
    blocks = python_blocks(name)
    assert len(blocks) >= 2
    for block in blocks:
        exec(compile(block, name, "exec"), {"__name__": "__readme__"})


def test_both_languages_show_the_same_code():
    def code(name):
        return [re.sub(r"\s*#.*", "", block) for block in python_blocks(name)]

    assert [re.sub(r'""".*?"""', "", block) for block in code("README.md")] == [
        re.sub(r'""".*?"""', "", block) for block in code("README.zh.md")
    ]


@pytest.mark.parametrize("name", ["README.md", "README.zh.md", *PAGES])
def test_every_link_leads_somewhere(name):
    """To a file, or to a page that is written when the site is built."""
    for target in re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", (ROOT / name).read_text(encoding="utf-8")):
        path = (ROOT / name).parent.joinpath(target).resolve()
        generated = path.is_relative_to(DOCS) and "/".join(path.relative_to(DOCS).parts[1:]) in GENERATED
        pictures = DOCS / "pictures" / path.name if path.parent.name == "pictures" else path  # copied to each language
        assert generated or path.exists() or pictures.exists(), target


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_a_readme_is_short(name):
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_every_command_of_luozi_exists(name):
    from luozi.cli.app import COMMANDS

    for command in re.findall(r"^luozi (\w+)", (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE):
        assert command in COMMANDS


@pytest.mark.parametrize("name", ["README.md", "README.zh.md", "docs/en/results/speed.md"])
def test_no_placeholder_is_left(name):
    assert "BENCH" not in (ROOT / name).read_text(encoding="utf-8")
