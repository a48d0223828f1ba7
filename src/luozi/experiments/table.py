"""Results of experiments: tables of plain values, which of their columns are drawn, and scores with their tests.

A column formats its values for people; JSON and CSV contain the values themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc

from luozi.matches.runner import Run, first_player_score
from luozi.reports.pages import Line
from luozi.statistics.matches import MatchScore, score_interval
from luozi.util.tables import COUNT, SHARE, SHARE_INTERVAL, Kind, Table, TextColumn

Record = Mapping[str, Any]  # the values of a row by the names of columns; None, or absent: not known (yet)


RATE, INTERVAL = "win rate", "95 % interval"  # columns that most tables have


GAMES = TextColumn("games", COUNT)
SCORE = (TextColumn(RATE, SHARE), TextColumn(INTERVAL, SHARE_INTERVAL))
# What `frame.score_values` gives of matches.
MATCH_COLUMNS = (GAMES, *(TextColumn(name, COUNT, minor=True) for name in ("wins", "draws", "losses")), *SCORE)


@dataclass(frozen=True)
class ResultTable(Table):
    """A table with the records of its rows, which may have more values than the columns show."""

    records: Sequence[Record] = ()

    @classmethod
    def of(cls, title: str, columns: Sequence[TextColumn], records: Sequence[Record]) -> ResultTable:
        """Return a table of records.

        >>> columns = TextColumn("threads", COUNT), TextColumn("rate", SHARE)
        >>> ResultTable.of("Speed", columns, ({"threads": 1, "rate": 0.5}, {"threads": 2})).cells()
        [['1', '50.0 %'], ['2', '-']]
        """
        rows = [tuple(record.get(column.name) for column in columns) for record in records]
        return cls(columns, rows, title, records)


def csv_lines(tables: Sequence[Table]) -> list[list[Any]]:
    """Return the lines of a CSV file with all tables. The first column is the table; a pair has two columns.

    >>> columns = TextColumn("share", SHARE), TextColumn("95 %", SHARE_INTERVAL)
    >>> csv_lines([Table(columns, ((0.5, (0.4, 0.6)),), "A")])
    [['table', 'share', '95 % low', '95 % high'], ['A', 0.5, 0.4, 0.6]]
    """
    lines = [{"table": table.title, **csv_values(table, row)} for table in tables for row in table.rows]
    names = list(dict.fromkeys(name for line in lines for name in line))
    return [names, *([line.get(name) for name in names] for line in lines)]


def csv_values(table: Table, row: Sequence[Any]) -> dict[str, Any]:
    """Return one row by the names of the file's columns."""
    found: dict[str, Any] = {}
    for (name, kind, _), value in zip(table.columns, row, strict=True):
        if kind.pair:
            found[f"{name} low"], found[f"{name} high"] = value or (None, None)
        else:
            found[name] = value
    return found


# Figures --------------------------------------------------------------------------------------------------------------


class PointsOf(NamedTuple):
    """A panel of a list of names: a column of a table with intervals and published figures."""

    table: str
    value: str = RATE
    interval: str = INTERVAL
    published: str = ""


@dataclass(frozen=True)
class ListDrawing:
    """Panels side by side with one list of names, which is a column of their tables."""

    names: str
    panels: tuple[PointsOf, ...]
    kind: Kind = SHARE  # how the values are read
    x_label: str = ""
    published: str = "the report"
    even: float | None = None  # where a line stands
    parts: str = ""  # a line stands where the value of this key changes


class CurvesOf(NamedTuple):
    """Lines of a panel: a column of a table over another one. Those of one title share a panel."""

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
    """The result of an experiment, finished or not."""

    tables: tuple[ResultTable, ...]
    facts: tuple[tuple[str, Line], ...] = ()  # how it was done, beside budget and seed
    notes: tuple[str, ...] = ()  # what to keep in mind when it is compared with the source
    drawing: Drawing | None = None

    def table(self, title: str) -> ResultTable | None:
        """Return the table with this title, or None."""
        return next((table for table in self.tables if table.title == title), None)


# Scores ---------------------------------------------------------------------------------------------------------------


Interval = tuple[float, float]
Block = tuple[str, int]  # a board and an encounter on it


@dataclass(frozen=True)
class Score:
    """The first player's games in matches against one opponent, one match for each board."""

    runs: tuple[Run, ...]

    @cached_property
    def encounters(self) -> dict[Block, list[float]]:
        """The scores of all games: one or two for each encounter."""
        found: dict[Block, list[float]] = {}
        for run in self.runs:
            for game in run.counted:
                found.setdefault((run.contest.game, game.encounter), []).append(first_player_score(game))
        return found

    @cached_property
    def tally(self) -> MatchScore:
        """The sum of all games."""
        return sum((MatchScore.of(Score((run,)).encounters.values()) for run in self.runs), MatchScore())

    @property
    def score(self) -> float | None:
        """Points a game; a draw is half a point."""
        return self.tally.score if self.tally.games else None

    @property
    def interval(self) -> Interval | None:
        """Its 95 % interval."""
        return score_interval(self.tally) if self.tally.games else None

    @property
    def pairs(self) -> dict[Block, float]:
        """The points of complete pairs of games."""
        return {block: sum(scores) for block, scores in self.encounters.items() if len(scores) == 2}

    def forfeits(self, player: int) -> int:
        """Return how many games the first (0) or the second (1) player forfeited."""
        return sum(bool(game.forfeit) and game.loser == player for run in self.runs for game in run.counted)


def same_by_blocks(columns: Sequence[Mapping[Block, float]]) -> tuple[float, int]:
    """Return the p-value of the hypothesis that all columns are equal, and the number of blocks.

    The blocks are those that all columns have. Under the hypothesis values are exchangeable within a block. The test is
    Cochran's Q (1950) for any values, which is chi-square distributed for many blocks.

    >>> same_by_blocks([{("", n): n % 2 for n in range(40)}, {("", n): 1 for n in range(40)}])[0] < 0.001
    True
    """
    blocks = sorted(set.intersection(*(set(column) for column in columns))) if columns else []
    if len(columns) < 2 or not blocks:
        return 1.0, len(blocks)
    values = np.array([[column[block] for column in columns] for block in blocks], float)
    within = ((values - values.mean(1, keepdims=True)) ** 2).sum()
    sums = values.sum(0)
    if within == 0:
        return 1.0, len(blocks)
    statistic = (len(columns) - 1) * ((sums - sums.mean()) ** 2).sum() / within
    return float(chdtrc(len(columns) - 1, statistic)), len(blocks)


def same_by_counts(wins: Sequence[float], games: int) -> float:
    """Return the p-value of the hypothesis that all won equally often, by Pearson's chi-square (1900).

    >>> round(same_by_counts([39, 46, 44, 43], 50), 2)
    0.23
    """
    won = np.array(wins, float)
    mean = won.mean() / games
    if mean in (0.0, 1.0):
        return 1.0
    statistic = ((won - won.mean()) ** 2).sum() / (games * mean * (1 - mean))
    return float(chdtrc(len(won) - 1, statistic))
