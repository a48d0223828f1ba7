"""HTML pages in one file, without scripts and links to other files, light or dark as the reader's browser is set.

A page is a title and sections; a section is a heading and items. A plain string is a paragraph; so is a tuple of
strings, in which `Code` is shown as code. Tables are those of `luozi.util.tables`; everything else has a class here.
All text is escaped.

>>> "<p>a &lt; b, by <code>mcts</code></p>" in page("A page", [Section("One", ["none", ("a < b, by ", Code("mcts"))])])
True
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from luozi.util.tables import Table, TextColumn


class Colour(NamedTuple):
    """One colour for light and for dark backgrounds."""

    light: str
    dark: str


# Plots are drawn in the light ones; inside a page they follow its ground. All pairs are told apart by the colour-blind.
COLOURS = {
    "ground": Colour("#ffffff", "#14181d"),
    "raised": Colour("#f5f7f9", "#1c2229"),
    "line": Colour("#dfe4e9", "#333c46"),
    "ink": Colour("#1c242c", "#e4e8ec"),
    "faint": Colour("#5c6873", "#9aa7b3"),
    "blue": Colour("#0072b2", "#5ab4e8"),
    "orange": Colour("#d55e00", "#f08a48"),
    "green": Colour("#008f68", "#35c79c"),
    "purple": Colour("#b0558c", "#dd93c0"),
    "yellow": Colour("#b58900", "#e5b93c"),
}

STYLE = """
:root { --font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif }
* { box-sizing: border-box }
html { color-scheme: light dark; background: var(--ground); -webkit-text-size-adjust: 100% }
body { margin: 0 auto; max-width: 58rem; padding: 3rem 1.5rem 4rem; color: var(--ink); background: var(--ground);
  font: 1rem/1.55 var(--font) }
header { padding-bottom: .5rem }
header .kind { margin: 0; color: var(--faint); font-size: .9rem; font-weight: 600 }
h1 { margin: .2rem 0 0; font-size: clamp(1.6rem, 4vw, 2.25rem); line-height: 1.2; letter-spacing: -.015em;
  overflow-wrap: anywhere; text-wrap: balance }
header p.lead { margin: 1rem 0 0; max-width: 50rem; font-size: 1.2rem; line-height: 1.5 }
section { margin-top: 2.75rem }
section:first-child { margin-top: 1rem }
h2 { margin: 0 0 .9rem; padding-bottom: .4rem; border-bottom: 1px solid var(--line); font-size: 1.2rem }
p { margin: .8rem 0; max-width: 50rem; overflow-wrap: anywhere }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: .88em }
code { padding: .1em .35em; border-radius: .3em; background: var(--raised); overflow-wrap: anywhere }
td code, th code { padding: 0; background: none; overflow-wrap: break-word }
pre { margin: .8rem 0; padding: .9rem 1.1rem; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--raised); overflow: auto; line-height: 1.5; max-height: 36rem }
pre code { padding: 0; background: none; font-size: 1em }
pre.wrap { white-space: pre-wrap; overflow-wrap: anywhere }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(11rem, 45%), 1fr)); gap: .9rem;
  margin: 1.4rem 0 }
.tiles div { padding: .9rem 1.1rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--raised) }
.tiles dt, .tiles .note { color: var(--faint); font-size: .85rem }
.tiles dd { margin: 0 }
.tiles .value { font-size: 1.65rem; font-weight: 650; line-height: 1.35; letter-spacing: -.01em;
  font-variant-numeric: tabular-nums }
.scroll { margin: 1rem 0; overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums }
caption { padding-bottom: .5rem; color: var(--faint); text-align: left; font-size: .88rem }
th, td { padding: .45rem .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
th { color: var(--faint); font-weight: 600; font-size: .85rem; white-space: nowrap; vertical-align: bottom }
td.wide { max-width: 30rem; overflow-wrap: break-word }
.number { text-align: right; white-space: nowrap }
th:first-child, td:first-child { padding-left: 0 }
th:last-child, td:last-child { padding-right: 0 }
dl.facts { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .45rem 1.5rem; margin: 1rem 0 }
dl.facts dt { color: var(--faint) }
dl.facts dd { margin: 0; overflow-wrap: anywhere }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0 2rem;
  align-items: end }
figure { margin: 1.2rem 0; overflow-x: auto; break-inside: avoid }
figure svg { display: block; width: 100%; height: auto }
figure svg * { stroke-linejoin: round; stroke-linecap: butt }
figcaption { margin-top: .4rem; color: var(--faint); font-size: .88rem }
details { margin: .7rem 0; border: 1px solid var(--line); border-radius: .5rem; padding: .1rem 1rem }
summary { padding: .5rem 0; cursor: pointer; font-weight: 500; overflow-wrap: anywhere }
summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px }
@media (max-width: 40rem) { body { padding: 1.5rem 1rem 3rem } dl.facts { grid-template-columns: 1fr; gap: 0 }
  dl.facts dd { margin-bottom: .6rem } }
@media print { body { max-width: none; padding: 0; font-size: 10pt } section { margin-top: 1.5rem }
  pre { max-height: none; white-space: pre-wrap } .scroll { overflow: visible } tr, .tiles { break-inside: avoid }
  h2 { break-after: avoid } thead { display: table-header-group } figure svg { min-width: 0 !important } }
"""


class Code(str):
    """Code: by itself a block, in a paragraph or a cell a part of the line."""


Line = str | tuple[str, ...]  # a line of text, or its pieces, some of them `Code`


@dataclass(frozen=True)
class DefinitionList:
    """Names with their values, one a line."""

    pairs: Sequence[tuple[str, Line]]

    def html(self) -> str:
        """Return the item as HTML."""
        lines = (f"<dt>{escape(name)}</dt><dd>{line_html(value)}</dd>" for name, value in self.pairs)
        return f'<dl class="facts">{"".join(lines)}</dl>'


@dataclass(frozen=True)
class Tiles:
    """The most important numbers: name, value and a note below."""

    tiles: Sequence[tuple[str, str, str]]

    def html(self) -> str:
        """Return the item as HTML."""
        parts = (
            f'<div><dt>{escape(name)}</dt><dd class="value">{escape(value)}</dd>'
            f'<dd class="note">{escape(note)}</dd></div>'
            for name, value, note in self.tiles
        )
        return f'<dl class="tiles">{"".join(parts)}</dl>'


@dataclass(frozen=True)
class SvgFigure:
    """A figure as SVG, such as `svg_text` returns; `alt` describes it for people who can't see it."""

    svg: str
    alt: str
    caption: str = ""

    def html(self) -> str:
        """Return the item as HTML."""
        caption = f"<figcaption>{escape(self.caption)}</figcaption>" if self.caption else ""
        return f"<figure>{inline_svg(self.svg, self.alt)}{caption}</figure>"


@dataclass(frozen=True)
class Beside:
    """Items side by side where there is room."""

    items: Sequence[Item]

    def html(self) -> str:
        """Return the item as HTML."""
        return f'<div class="beside">{"".join(f"<div>{item_html(item)}</div>" for item in self.items)}</div>'


@dataclass(frozen=True)
class Details:
    """Items that are folded under one line."""

    title: str
    items: Sequence[Item]

    def html(self) -> str:
        """Return the item as HTML."""
        return f"<details><summary>{escape(self.title)}</summary>{items_html(self.items)}</details>"


@dataclass(frozen=True)
class Made:
    """HTML of another module, such as a game to step through."""

    content: str

    def html(self) -> str:
        """Return the item as HTML."""
        return self.content


Item = str | tuple[str, ...] | Table | DefinitionList | Tiles | SvgFigure | Beside | Details | Made


@dataclass(frozen=True)
class Section:
    """A heading with its items; without a heading they follow the title."""

    heading: str
    items: Sequence[Item]

    def html(self) -> str:
        """Return the item as HTML."""
        heading = f"<h2>{escape(self.heading)}</h2>\n" if self.heading else ""
        return f"<section>\n{heading}{items_html(self.items)}\n</section>"


def page(title: str, sections: Sequence[Section], lead: Line = "", kind: str = "Luozi") -> str:
    """Return the whole file: a small line with the kind of page, the title, one sentence, the sections."""
    head = f'<p class="kind">{escape(kind)}</p>\n<h1>{escape(title)}</h1>'
    if lead:
        head += f'\n<p class="lead">{line_html(lead)}</p>'
    body = "\n".join(section.html() for section in sections)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>\n{colour_style()}{STYLE}</style>\n</head>\n"
        f"<body>\n<header>\n{head}\n</header>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def colour_style() -> str:
    """Return the colours as CSS variables; printed pages are light."""
    light, dark = (" ".join(f"--{name}: {colour[ground]};" for name, colour in COLOURS.items()) for ground in range(2))
    return f":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"


def line_html(line: Line) -> str:
    """Return the inside of a paragraph or a cell."""
    pieces = (line,) if isinstance(line, str) else line
    return "".join(code_html(piece) if isinstance(piece, Code) else escape(piece) for piece in pieces)


def code_html(text: str) -> str:
    """Return code that can be broken after a comma, a colon or a slash."""
    return "<code>" + re.sub(r"([,:/])(?=.)", r"\1<wbr>", escape(text)) + "</code>"


def table_html(table: Table) -> str:
    """Return a table, with words to the left and numbers to the right."""
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    head = "".join(cell_html("th", column, column.name, ' scope="col"') for column in table.columns)
    rows = "\n".join(
        f"<tr>{''.join(cell_html('td', column, cell) for column, cell in zip(table.columns, row, strict=True))}</tr>"
        for row in table.cells()
    )
    name = escape(table.title or f"table of {table.columns[0].name}".strip())
    body = f"<table>{caption}<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table>"
    return f'<div class="scroll" role="region" aria-label="{name}" tabindex="0">{body}</div>'


def cell_html(tag: str, column: TextColumn, text: str, more: str = "") -> str:
    """Return one cell of a row or of the head."""
    shown = code_html(text) if column.kind.code and tag == "td" and text else escape(text)
    return f'<{tag} class="{"wide" if column.kind.left else "number"}"{more}>{shown}</{tag}>'


def items_html(items: Sequence[Item]) -> str:
    """Return all items, one after the other."""
    return "\n".join(item_html(item) for item in items)


def item_html(item: Item) -> str:
    """Return one item."""
    if isinstance(item, Code):
        wrap = "" if "\n" in item.rstrip("\n") else ' class="wrap"'  # one long line, such as a command
        return f"<pre{wrap}><code>{escape(item.rstrip())}</code></pre>"
    if isinstance(item, Table):
        return table_html(item)
    return f"<p>{line_html(item)}</p>" if isinstance(item, str | tuple) else item.html()


def inline_svg(svg: str, alt: str) -> str:
    """Return a drawing for a page: with ids of its own, the page's colours and font, and no metadata."""
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", svg[svg.index("<svg") :], flags=re.S)
    own = "p" + hashlib.blake2b((svg + alt).encode(), digest_size=4).hexdigest()
    svg = re.sub(r"<[^>]+>", lambda tag: inline_tag(tag[0], own), svg)  # only tags: words stay as they are
    frame = re.search(r'viewBox="0 0 ([\d.]+) [\d.]+"', svg)
    assert frame is not None  # matplotlib always writes it
    least = f"min-width: {0.055 * float(frame[1]):.1f}rem"  # on a small screen one scrolls rather than guesses
    start = f'<svg {frame[0]} style="{least}" role="img" aria-label="{escape(alt)}">'
    return re.sub(r"<svg[^>]*>", lambda _: start, svg, count=1).strip()


def inline_tag(tag: str, own: str) -> str:
    """Return one tag of a drawing, with ids that no other drawing of the page has."""
    tag = re.sub(r'\bid="', f'id="{own}-', tag)
    tag = re.sub(r'(?:xlink:)?href="#', f'href="#{own}-', tag).replace("url(#", f"url(#{own}-")
    tag = re.sub(r"'DejaVu Sans'[^;\"]*", "var(--font)", tag)
    for name, colour in COLOURS.items():
        tag = tag.replace(colour.light, f"var(--{name})")
    return tag
