"""Build the documentation site: `python -m tools.docs [FOLDER]`, one site for each language, offline once built.

Pages are Markdown files in docs/en and docs/zh. The reference pages of commands, players and games are written here
from the metadata of the program itself. Zensical makes the site, mkdocstrings reads the Python API.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from typer.core import TyperCommand, TyperGroup

import luozi
from luozi.cli.app import GROUP
from luozi.games import Listing
from luozi.messages import translate
from luozi.messages.languages import language
from luozi.players import PLAYERS
from luozi.util.parameters import Parameter
from tools.old_names import old_names_page
from tools.page_messages import page_messages

ROOT = Path(__file__).resolve().parent.parent
SOURCES, BUILD = ROOT / "docs", ROOT / "build" / "docs"
LANGUAGES = {"en": "English", "zh": "中文"}
SITE = ROOT / "src" / "luozi" / "web" / "docs"
CONFIGURATION = SOURCES / "zensical.toml"
HELP_WIDTH = "96"
# The sections of the site in their order, and the titles of generated pages; others are the headings of the pages.
SECTIONS = ("tutorials", "how-to", "reference", "explanation", "results", "decisions")
FIRST = ("index", "first-game", "understand-a-search", "write-a-game", "compare-variants", "train-a-network")
TITLES = {
    "tutorials": {"en": "Tutorials", "zh": "教程"},
    "how-to": {"en": "How-to guides", "zh": "操作指南"},
    "reference": {"en": "Reference", "zh": "参考"},
    "explanation": {"en": "Explanation", "zh": "原理"},
    "results": {"en": "Results", "zh": "实测结果"},
    "decisions": {"en": "Decisions", "zh": "设计决定"},
    "command line": {"en": "Command line", "zh": "命令行"},
    "players": {"en": "Players and options", "zh": "棋手与选项"},
    "games": {"en": "Games and parameters", "zh": "棋类与参数"},
    "python": {"en": "Python API", "zh": "Python 接口"},
}


@contextmanager
def speaking(spoken: str) -> Iterator[None]:
    """Let messages of the program be in a language."""
    before = {name: os.environ.get(name) for name in ("LUOZI_LANGUAGE", "COLUMNS")}
    os.environ.update(LUOZI_LANGUAGE=spoken, COLUMNS=HELP_WIDTH)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def title(name: str) -> str:
    """Return a title of the site in the language that messages are in."""
    return TITLES[name][language()]


def navigation(pages: Path) -> str:
    """Return the sections with their pages as Zensical reads them."""
    lines = ['nav = [\n    "index.md",\n']
    for section in SECTIONS:
        names = sorted(path.stem for path in (pages / section).glob("*.md"))
        names.sort(key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
        if names:
            listed = ", ".join(f'"{section}/{name}.md"' for name in names)
            lines.append(f'    {{ "{title(section)}" = [{listed}] }},\n')
    return "".join([*lines, "]"])


# Generated pages ------------------------------------------------------------------------------------------------------


def command_line_page() -> str:
    """Return the help of every command."""
    parts = [f"# {title('command line')}", help_block(GROUP, "luozi")]
    with GROUP.make_context("luozi", [], resilient_parsing=True) as context:
        for name in GROUP.list_commands(context):
            command = GROUP.get_command(context, name)
            if command is not None and not command.hidden:
                parts += [f"## luozi {name}", help_block(command, f"luozi {name}")]
    return "\n\n".join(parts) + "\n"


def help_block(command: TyperCommand | TyperGroup, name: str) -> str:
    """Return what `--help` prints for a command."""
    with command.make_context(name, [], resilient_parsing=True) as context:
        return f"```text\n{command.get_help(context)}\n```"


def parameter_table(parameters: Iterable[Parameter]) -> str:
    """Return a Markdown table of names, defaults, values and meanings."""
    head = [translate(word) for word in ("parameter", "default", "values", "meaning")]
    rows = [head, ["---"] * len(head)]
    for one in parameters:
        default = "" if one.default in (None, "") else f"`{one.default}`"
        source = f" [{translate(one.about.source)}]" if one.about.source else ""
        rows.append([f"`{one.name}`", default, translate(one.range), translate(one.about.meaning) + source])
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def players_page() -> str:
    """Return all players with their options."""
    parts = [f"# {title('players')}"]
    for kind in PLAYERS.values():
        parts += [f"## {kind.name}", translate(kind.meaning)]
        if kind.parameters:
            parts.append(parameter_table(kind.parameters.values()))
    return "\n\n".join(parts) + "\n"


def games_page() -> str:
    """Return all games with their parameters."""
    parts = [f"# {title('games')}"]
    for listing in Listing.all():
        parts += [f"## {listing.name}", translate(listing.meaning)]
        if listing.parameters:
            parts.append(parameter_table(listing.parameters))
    return "\n\n".join(parts) + "\n"


def python_page() -> str:
    """Return the public names, each with the place where mkdocstrings finds it."""
    parts = [f"# {title('python')}"]
    for name in luozi.__all__:
        thing = getattr(luozi, name)
        home = (
            thing.__module__ if thing.__module__ != "luozi" else thing.__init__.__module__
        )  # errors are named as users import them
        parts.append(f"::: {home}.{getattr(thing, '__qualname__', name)}")
    return "\n\n".join(parts) + "\n"


GENERATED = {
    "reference/command-line.md": command_line_page,
    "reference/players.md": players_page,
    "reference/games.md": games_page,
    "reference/python-api.md": python_page,
    "reference/page-messages.md": page_messages,
    "reference/old-names.md": old_names_page,
}


# The site -------------------------------------------------------------------------------------------------------------


def build(target: Path) -> None:
    """Build the site of each language, and a page that leads to the reader's."""
    shutil.rmtree(BUILD, ignore_errors=True)
    for spoken in LANGUAGES:
        folder = BUILD / spoken
        shutil.copytree(SOURCES / spoken, folder / "pages")
        for page in (folder / "pages").rglob("*.md"):
            text = to_other_language(without_outside_links(page.read_text(encoding="utf-8")))
            page.write_text(text, encoding="utf-8")
        shutil.copytree(SOURCES / "pictures", folder / "pages" / "pictures")
        with speaking(spoken):
            for name, page in GENERATED.items():
                (folder / "pages" / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / "pages" / name).write_text(page(), encoding="utf-8")
            listed = navigation(folder / "pages")
        text = CONFIGURATION.read_text(encoding="utf-8").replace("@LANGUAGE@", spoken).replace("# @NAVIGATION@", listed)
        (folder / "zensical.toml").write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "zensical", "build"], cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"The site can't be built: {done.stdout}{done.stderr}")
        shutil.copytree(folder / "site", BUILD / "site" / spoken)
    (BUILD / "site" / "index.html").write_text(START, encoding="utf-8")
    broken = broken_links(BUILD / "site")
    if broken:
        raise SystemExit("Links that lead nowhere:\n" + "\n".join(broken))
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(BUILD / "site", target)


def without_outside_links(text: str) -> str:
    """Return a page whose links to files of the repository that are no pages are names of files.

    >>> without_outside_links("see [the class](../../../examples/tictactoe.py) and [more](go.md)")
    'see the class (`examples/tictactoe.py`) and [more](go.md)'
    """
    return re.sub(r"\[([^\]]+)\]\((?:\.\./)+((?:examples|benchmarks|tests|src|tools|page)/[^)]*)\)", r"\1 (`\2`)", text)


def to_other_language(text: str) -> str:
    """Return a page whose links to pages of another language lead to their place in the site.

    >>> to_other_language("[in English](../../en/how-to/matches.md#a-match)")
    '[in English](../../en/how-to/matches.html#a-match)'
    """
    return re.sub(rf"(\]\((?:\.\./)+(?:{'|'.join(LANGUAGES)})/[^)#]+)\.md", r"\1.html", text)


START = """<!doctype html><meta charset="utf-8"><title>Luozi</title>
<script>location.replace((navigator.language.startsWith("zh") ? "zh" : "en") + "/")</script>
<a href="en/">English</a> <a href="zh/">中文</a>
"""


class Links(HTMLParser):
    """The links of a page and the names that others may link to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.names.add(value)


def broken_links(site: Path) -> list[str]:
    """Return the links of a site whose page, file or place does not exist."""
    pages: dict[Path, Links] = {}
    for path in site.rglob("*.html"):
        pages[path.resolve()] = links = Links()
        links.feed(path.read_text(encoding="utf-8"))
    broken = []
    for path, links in pages.items():
        if path.name == "404.html":
            continue
        for link in links.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("/"):
                continue
            place = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if place.is_dir():
                place /= "index.html"
            known = place in pages and parts.fragment in pages[place].names if parts.fragment else place.exists()
            if not known and not re.fullmatch(r"__\w+", parts.fragment):
                broken.append(f"{path.relative_to(site)}: {link}")
    return broken


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else SITE)
