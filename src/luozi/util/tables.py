"""Tables of values: one form for the terminal, JSON, CSV and pages.

At the terminal a table fits the width that there is: words are broken into lines, numbers never.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.cells import cell_len

from luozi.messages import Message, translate
from luozi.util.formats import least_of, percent, percent_interval, pieces, wrapped
from luozi.util.parsing import JsonObject

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

GAP = 2  # between columns
LONGEST_PIECE = 40  # a longer part of a name may be broken anywhere
Said = Callable[[str], str]  # how a sentence is said: in the person's language, or as it is


class Kind(NamedTuple):
    """How the values of a column are read; who makes a table may have kinds of its own."""

    show: Callable[[Any], str]
    left: bool = False  # words stand to the left, numbers to the right
    code: bool = False  # as it is typed: never said in another language
    pair: bool = False  # an interval, or another pair of numbers
    wraps: bool = False  # into several lines; numbers never do


def number(value: float) -> str:
    """A measured number in a few digits.

    >>> number(1234567.8), number(12.345), number(0.01234)
    ('1,234,568', '12.3', '0.0123')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def as_text(value: Any) -> str:
    """A value as text; a message keeps its template, to be translated."""
    return value if isinstance(value, str) else str(value)


TEXT = Kind(as_text, left=True, wraps=True)
LABEL = Kind(as_text, left=True)
SPELLING = Kind(str, left=True, code=True, wraps=True)
FIGURE = Kind(as_text)  # a number that is text already, or one of a few short words
COUNT = Kind("{:,}".format)
NUMBER = Kind(number)
SHARE = Kind(percent)
YES_NO = Kind(lambda value: "yes" if value else "no")
SHARE_INTERVAL = Kind(lambda ends: percent_interval(*ends), pair=True)
NUMBER_INTERVAL = Kind(lambda ends: f"{number(ends[0])} to {number(ends[1])}", pair=True)


class TextColumn(NamedTuple):
    """One column: its name, which is also its name in JSON and CSV, and how it is read."""

    name: str
    kind: Kind = TEXT
    minor: bool = False  # left out where there is no room

    def shown(self, value: Any) -> str:
        """One value as people read it; a dash where there is none."""
        return "-" if value is None else self.kind.show(value)

    def said(self, cell: str, said: Said) -> str:
        """The same in a language."""
        if self.kind.code or said is not translate:
            return cell
        return translate(cell).replace(" to ", translate(" to ")).replace(" of ", translate(" of "))


@dataclass(frozen=True)
class Table:
    """Columns and rows of values, None where there is none (yet).

    >>> Table((TextColumn("threads", COUNT), TextColumn("rate", NUMBER)), ((1, 1000.4), (2, None))).cells()
    [['1', '1,000'], ['2', '-']]
    """

    columns: Sequence[TextColumn]
    rows: Sequence[Sequence[Any]]
    title: str = ""

    def cells(self) -> list[list[str]]:
        """All values as people read them."""
        return [[column.shown(value) for column, value in zip(self.columns, row, strict=True)] for row in self.rows]

    def as_dict(self) -> JsonObject:
        """For JSON."""
        names = [column.name for column in self.columns]
        return {"title": self.title, "rows": [dict(zip(names, row, strict=True)) for row in self.rows]}

    def show(self, console: Console, said: Said = translate) -> None:
        """At the terminal."""
        from rich.text import Text

        if self.title:
            console.print(Text(said(self.title), "bold"))
        columns = [column._replace(name=said(column.name)) for column in self.columns]
        rows = ([one.said(cell, said) for one, cell in zip(self.columns, row, strict=True)] for row in self.cells())
        show_table(console, columns, rows, said)


# At the terminal ------------------------------------------------------------------------------------------------------


class _Sized:
    """A column with its cells and the widths that it may have."""

    def __init__(self, column: TextColumn, cells: Sequence[str]) -> None:
        self.column, self.cells = column, cells
        head = max(map(cell_len, column.name.split()), default=0)
        self.full = max(map(cell_len, (column.name, *cells)))
        parts = [least_of(piece) for cell in cells for piece in pieces(cell)] if column.kind.wraps else []
        longest = min(LONGEST_PIECE, max(parts, default=0)) if parts else max(map(cell_len, cells), default=0)
        self.least = max(head, longest)


def show_table(
    console: Console, columns: Sequence[TextColumn], rows: Iterable[Sequence[str]], said: Said = translate
) -> None:
    """Rows of text as a table that fits the console.

    Words, and names between their parts, are broken into lines. Where that is not enough, minor columns are left out;
    where that is not enough either, further columns come in a second table, with the first column again.

    >>> from rich.console import Console
    >>> columns = TextColumn("player", SPELLING), TextColumn("games", FIGURE), TextColumn("score", FIGURE)
    >>> rows = [("mcts:iterations=1000,c=0.7", "1,200", "57.3 %")]
    >>> show_table(Console(width=34), columns, rows)  # doctest: +NORMALIZE_WHITESPACE
    player               games   score
    mcts:                1,200  57.3 %
    iterations=1000,
    c=0.7
    """
    from rich.text import Text

    cells = list(zip(*rows, strict=True)) or [()] * len(columns)
    sized = [_Sized(column, own) for column, own in zip(columns, cells, strict=True)]
    kept = without_minor(sized, console.width)
    for place, block in enumerate(blocks(kept, console.width)):
        if place:
            console.print()
        widths = widths_of(block, console.width)
        drawn = drawn_table(block, widths, console.is_terminal)
        console.print(drawn, width=max(console.width, total(widths)), crop=False)
    left_out = [one.column.name for one in sized if one not in kept]
    if left_out:
        console.print(
            Text(said(Message("not shown, for want of room: {names}", names=", ".join(left_out))), "dim"),
            soft_wrap=True,
        )


def drawn_table(block: Sequence[_Sized], widths: Sequence[int], ruled: bool) -> RichTable:
    """Columns of these widths side by side; in a terminal with a rule below the head."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    padding = (0, GAP - 1, 0, 0) if ruled else (0, GAP, 0, 0)
    lines = box.SIMPLE_HEAD if ruled else None
    table = RichTable(box=lines, show_edge=False, pad_edge=False, padding=padding, border_style="dim")
    for one, width in zip(block, widths, strict=True):
        head = Text("\n".join(wrapped(one.column.name, width)))
        table.add_column(head, justify="left" if one.column.kind.left else "right", width=width, overflow="fold")
    for row in zip(*(one.cells for one in block), strict=True):
        table.add_row(*[Text("\n".join(cell)) for cell in map(wrapped, row, widths)])
    return table


def total(widths: Iterable[int]) -> int:
    """The width of columns side by side."""
    each = list(widths)
    return sum(each) + GAP * (len(each) - 1)


def fits(sized: Iterable[_Sized], width: int) -> bool:
    """Whether columns can be side by side."""
    return total([one.least for one in sized]) <= width


def without_minor(sized: list[_Sized], width: int) -> list[_Sized]:
    """As many minor columns less, from the last on, as it takes to fit; all if it does not fit without them either."""
    kept = list(sized)
    for one in reversed(sized):
        if one.column.minor and not fits(kept, width):
            kept.remove(one)
    return kept if fits(kept, width) else sized


def blocks(sized: list[_Sized], width: int) -> list[list[_Sized]]:
    """Columns that fit side by side; the first ones, up to who or what a row is about, are in every block.

    An interval stays with the value before it.
    """
    lead = next((place for place, one in enumerate(sized) if one.column.kind.left), 0) + 1
    groups: list[list[_Sized]] = []
    for one in sized[lead:]:
        if one.column.kind.pair and groups and fits([*sized[:lead], *groups[-1], one], width):
            groups[-1].append(one)
        else:
            groups.append([one])
    found = [sized[:lead]]
    for group in groups:
        if len(found[-1]) > lead and not fits([*found[-1], *group], width):
            found.append(sized[:lead])
        found[-1] = [*found[-1], *group]
    return found


def widths_of(block: Sequence[_Sized], width: int) -> list[int]:
    """As wide as can be: heads are folded first, then the widest column that may gives way."""
    widths = [one.full for one in block]
    if total(widths) > width:
        widths = [one.full if one.column.kind.wraps else one.least for one in block]
    while total(widths) > width:
        room = [wide if wide > one.least else 0 for wide, one in zip(widths, block, strict=True)]
        if not any(room):
            break
        widths[room.index(max(room))] -= 1
    return widths
