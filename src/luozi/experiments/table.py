"""What an experiment gives: tables of plain values, and which of their columns are drawn.

A column states how people read its values; JSON and CSV have the values themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from luozi.reports.pages import Line
from luozi.util.tables import COUNT, SHARE, SHARE_INTERVAL, Kind, Table, TextColumn

Record = Mapping[str, Any]  # the values of a row by the names of columns; None, or absent: not known (yet)


RATE, INTERVAL = "win rate", "95 % interval"  # columns that most tables have


GAMES = TextColumn("games", COUNT)
SCORE = (TextColumn(RATE, SHARE), TextColumn(INTERVAL, SHARE_INTERVAL))
# What `frame.score_values` gives of matches.
MATCH_COLUMNS = (GAMES, *(TextColumn(name, COUNT, minor=True) for name in ("wins", "draws", "losses")), *SCORE)


@dataclass(frozen=True)
class ResultTable(Table):
    """A table with the records that its rows come from, in which there may be more than the columns show."""

    records: Sequence[Record] = ()

    @classmethod
    def of(cls, title: str, columns: Sequence[TextColumn], records: Sequence[Record]) -> ResultTable:
        """A table of records.

        >>> columns = TextColumn("threads", COUNT), TextColumn("rate", SHARE)
        >>> ResultTable.of("Speed", columns, ({"threads": 1, "rate": 0.5}, {"threads": 2})).cells()
        [['1', '50.0 %'], ['2', '-']]
        """
        rows = [tuple(record.get(column.name) for column in columns) for record in records]
        return cls(columns, rows, title, records)


def csv_lines(tables: Sequence[Table]) -> list[list[Any]]:
    """All tables one under the other: the first column tells which, a pair takes two columns.

    >>> columns = TextColumn("share", SHARE), TextColumn("95 %", SHARE_INTERVAL)
    >>> csv_lines([Table(columns, ((0.5, (0.4, 0.6)),), "A")])
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
