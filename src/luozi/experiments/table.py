"""What an experiment gives: tables of plain values, sentences computed from them, a drawing.

A column knows how people read its values; JSON and CSV have the values themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rich.console import Console
from rich.text import Text

from luozi import text
from luozi.messages import Message, translate
from luozi.reports.pages import Code, Line
from luozi.reports.pages import Table as PageTable
from luozi.text import percent, percent_interval


class Kind(NamedTuple):
    """How the values of a column are read; an experiment may have kinds of its own."""

    show: Callable[[Any], str]
    left: bool = False  # words stand to the left, numbers to the right
    code: bool = False  # as it is typed
    pair: bool = False  # an interval, or another pair of numbers


def number(value: float) -> str:
    """A measured number in a few digits.

    >>> number(1234567.8), number(12.345), number(0.01234)
    ('1,234,568', '12.3', '0.0123')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


TEXT = Kind(lambda value: value if isinstance(value, str) else str(value), left=True)
SPELLING = Kind(str, left=True, code=True)
COUNT = Kind("{:,}".format)
NUMBER = Kind(number)
SHARE = Kind(percent)
YES_NO = Kind(lambda value: "yes" if value else "no")
SHARE_INTERVAL = Kind(lambda ends: percent_interval(*ends), pair=True)
NUMBER_INTERVAL = Kind(lambda ends: Message("{low} to {high}", low=number(ends[0]), high=number(ends[1])), pair=True)


class Column(NamedTuple):
    """One column: its name, which is also its name in JSON and CSV, and how it is read."""

    name: str
    kind: Kind = TEXT
    minor: bool = False  # left out where there is no room

    @property
    def style(self) -> text.Style:
        """What happens to it where there is no room."""
        if not self.kind.left:
            return text.NUMBER
        return text.NAME if self.kind.code else text.WORDS

    def shown(self, value: Any) -> str:
        """One value as people read it; a dash where there is none."""
        return "-" if value is None else self.kind.show(value)

    def said(self, cell: str) -> str:
        """The same in the person's language."""
        return cell if self.kind.code else translate(cell)


@dataclass(frozen=True)
class Table:
    """Rows of values, None where there is none (yet).

    >>> table = Table("Speed", (Column("threads", COUNT), Column("rate", NUMBER)), ((1, 1000.4), (2, None)))
    >>> table.cells()
    [['1', '1,000'], ['2', '-']]
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]

    def cells(self) -> list[list[str]]:
        """All values as people read them."""
        return [[column.shown(value) for column, value in zip(self.columns, row, strict=True)] for row in self.rows]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        names = [column.name for column in self.columns]
        return {"title": self.title, "rows": [dict(zip(names, row, strict=True)) for row in self.rows]}

    def show(self, console: Console) -> None:
        """At the terminal, in the person's language."""
        console.print(Text(translate(self.title), "bold"))
        columns = [text.Column(translate(column.name), column.style, column.minor) for column in self.columns]
        rows = ([column.said(cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.cells())
        text.show_table(console, columns, rows)

    def for_page(self) -> PageTable:
        """On a page."""
        rows = [
            [Code(cell) if column.kind.code else cell for column, cell in zip(self.columns, row, strict=True)]
            for row in self.cells()
        ]
        left = next((place for place, column in enumerate(self.columns) if not column.kind.left), len(self.columns))
        return PageTable([column.name for column in self.columns], rows, left, self.title)


def csv_lines(tables: Sequence[Table]) -> list[list[Any]]:
    """All tables one under the other: the first column tells which, a pair takes two columns.

    >>> csv_lines([Table("A", (Column("share", SHARE), Column("95 %", SHARE_INTERVAL)), ((0.5, (0.4, 0.6)),))])
    [['table', 'share', '95 % low', '95 % high'], ['A', 0.5, 0.4, 0.6]]
    """
    lines = [{"table": table.title, **csv_values(table, row)} for table in tables for row in table.rows]
    names = list(dict.fromkeys(name for line in lines for name in line))
    return [names, *([line.get(name) for name in names] for line in lines)]


def csv_values(table: Table, row: Sequence[Any]) -> dict[str, Any]:
    """One row by the names of the file's columns."""
    found: dict[str, Any] = {}
    for (name, kind, _), value in zip(table.columns, row, strict=True):
        if kind.pair:
            found[f"{name} low"], found[f"{name} high"] = value or (None, None)
        else:
            found[name] = value
    return found


@dataclass(frozen=True)
class Drawing:
    """A figure that is drawn when it is wanted: matplotlib takes a while to load."""

    draw: Callable[[], Any]
    alt: str  # what it shows, for those who can't see it


@dataclass(frozen=True)
class Result:
    """What an experiment found, finished or not."""

    tables: tuple[Table, ...]
    findings: tuple[str, ...]  # what the tables say, computed from them; the first is the answer
    facts: tuple[tuple[str, Line], ...] = ()  # how it was done, beside budget and seed
    notes: tuple[str, ...] = ()  # what to keep in mind when it is compared with the source
    drawing: Drawing | None = None  # None as long as there is nothing to draw
