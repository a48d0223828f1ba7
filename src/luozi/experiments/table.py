"""What an experiment gives: tables of plain values, and which of their columns are drawn.

A column states how people read its values; JSON and CSV have the values themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rich.console import Console
from rich.text import Text

from luozi import text
from luozi.reports.pages import Code, Line
from luozi.reports.pages import Table as PageTable
from luozi.text import percent, percent_interval
from luozi.words import again, say

Record = Mapping[str, Any]  # the values of a row by the names of columns; None, or absent: not known (yet)


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


TEXT = Kind(str, left=True)
WORD = Kind(str)  # one of a few short words
SPELLING = Kind(str, left=True, code=True)
COUNT = Kind("{:,}".format)
NUMBER = Kind(number)
SHARE = Kind(percent)
YES_NO = Kind(lambda value: "yes" if value else "no")
SHARE_INTERVAL = Kind(lambda ends: percent_interval(*ends), pair=True)
NUMBER_INTERVAL = Kind(lambda ends: f"{number(ends[0])} to {number(ends[1])}", pair=True)
RATE, INTERVAL = "win rate", "95 % interval"  # columns that most tables have


class ResultColumn(NamedTuple):
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
        if self.kind.code:
            return cell
        return again(cell).replace(" to ", say("terminal_to")).replace(" of ", say("terminal_of"))


GAMES = ResultColumn("games", COUNT)
SCORE = (ResultColumn(RATE, SHARE), ResultColumn(INTERVAL, SHARE_INTERVAL))
# What `frame.score_values` gives of matches.
MATCH_COLUMNS = (GAMES, *(ResultColumn(name, COUNT, minor=True) for name in ("wins", "draws", "losses")), *SCORE)


@dataclass(frozen=True)
class ResultTable:
    """Rows of values; a record may hold more than the columns show.

    >>> columns = ResultColumn("threads", COUNT), ResultColumn("rate", NUMBER)
    >>> ResultTable("Speed", columns, ({"threads": 1, "rate": 1000.4}, {"threads": 2})).cells()
    [['1', '1,000'], ['2', '-']]
    """

    title: str
    columns: tuple[ResultColumn, ...]
    records: tuple[Record, ...]

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The values of the columns."""
        return [tuple(record.get(column.name) for column in self.columns) for record in self.records]

    def cells(self) -> list[list[str]]:
        """All values as people read them."""
        return [[column.shown(value) for column, value in zip(self.columns, row, strict=True)] for row in self.rows]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        names = [column.name for column in self.columns]
        return {"title": self.title, "rows": [dict(zip(names, row, strict=True)) for row in self.rows]}

    def show(self, console: Console) -> None:
        """At the terminal, in the person's language."""
        console.print(Text(again(self.title), "bold"))
        columns = [text.Column(again(column.name), column.style, column.minor) for column in self.columns]
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


def csv_lines(tables: Sequence[ResultTable]) -> list[list[Any]]:
    """All tables one under the other: the first column tells which, a pair takes two columns.

    >>> columns = ResultColumn("share", SHARE), ResultColumn("95 %", SHARE_INTERVAL)
    >>> csv_lines([ResultTable("A", columns, ({"share": 0.5, "95 %": (0.4, 0.6)},))])
    [['table', 'share', '95 % low', '95 % high'], ['A', 0.5, 0.4, 0.6]]
    """
    lines = [{"table": table.title, **csv_values(table, row)} for table in tables for row in table.rows]
    names = list(dict.fromkeys(name for line in lines for name in line))
    return [names, *([line.get(name) for name in names] for line in lines)]


def csv_values(table: ResultTable, row: Sequence[Any]) -> dict[str, Any]:
    """One row by the names of the file's columns."""
    found: dict[str, Any] = {}
    for (name, kind, _), value in zip(table.columns, row, strict=True):
        if kind.pair:
            found[f"{name} low"], found[f"{name} high"] = value or (None, None)
        else:
            found[name] = value
    return found


# Figures --------------------------------------------------------------------------------------------------------------


class PointsOf(NamedTuple):
    """One panel of a list of names: a column of a table with its intervals, and with published figures."""

    table: str
    value: str = RATE
    interval: str = INTERVAL
    published: str = ""


@dataclass(frozen=True)
class ListDrawing:
    """Panels beside each other on one list of names, which is a column of their tables."""

    names: str
    panels: tuple[PointsOf, ...]
    kind: Kind = SHARE  # how the values are read
    x_label: str = ""
    published: str = "the report"
    even: float | None = None  # where a line stands
    parts: str = ""  # a line stands where the value of this key changes


class CurvesOf(NamedTuple):
    """Lines of a panel: a column of a table over another one; several with one title come into one panel."""

    table: str
    x: str
    value: str = RATE
    interval: str = INTERVAL
    title: str = ""  # not given, that of the table; with `{}` for the value of `split`
    split: str = ""  # a panel for each value of this column
    lines: tuple[str, ...] = ()  # a line for each value of these columns
    label: str = ""  # of the only line
    x_interval: str = ""
    published: str = ""
    y_label: str = RATE
    even: float | None = None  # where a line stands
    proportional: bool = False  # beside the line of as many times, on a logarithmic scale


@dataclass(frozen=True)
class CurveDrawing:
    """Panels with lines."""

    panels: tuple[CurvesOf, ...]
    x_label: str
    published: str = "the report"
    logarithmic: bool = True
    mark: tuple[float, str] | None = None  # a vertical line and its meaning
    yardstick: str = ""  # the line that others are compared with


Drawing = ListDrawing | CurveDrawing


@dataclass(frozen=True)
class Result:
    """What an experiment found, finished or not."""

    tables: tuple[ResultTable, ...]
    facts: tuple[tuple[str, Line], ...] = ()  # how it was done, beside budget and seed
    notes: tuple[str, ...] = ()  # what to keep in mind when it is compared with the source
    drawing: Drawing | None = None

    def table(self, title: str) -> ResultTable | None:
        """The table with this title."""
        return next((table for table in self.tables if table.title == title), None)
