"""Tables of values, in one form for the terminal, JSON, CSV and web pages.

In a terminal, a table fits the available width: text is broken into lines, numbers never.
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

GAP = 2  # spaces between columns
LONGEST_PIECE = 40  # a longer part of a name may be broken anywhere
Said = Callable[[str], str]  # translates a message, or returns it unchanged


class Kind(NamedTuple):
    """How the values of a column are formatted. A table may define kinds of its own."""

    show: Callable[[Any], str]
    left: bool = False  # words are aligned left, numbers right
    code: bool = False  # typed text, which is never translated
    pair: bool = False  # an interval or another pair of numbers
    wraps: bool = False  # may be broken into lines; numbers never are


def number(value: float) -> str:
    """Return a measured number with few digits.

    >>> number(1234567.8), number(12.345), number(0.01234)
    ('1,234,568', '12.3', '0.0123')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def as_text(value: Any) -> str:
    """Return a value as text. A message keeps its template, to be translated later."""
    return value if isinstance(value, str) else str(value)


TEXT = Kind(as_text, left=True, wraps=True)
LABEL = Kind(as_text, left=True)
SPELLING = Kind(str, left=True, code=True, wraps=True)
FIGURE = Kind(as_text)  # a number that is already text, or one of a few short words
COUNT = Kind("{:,}".format)
NUMBER = Kind(number)
SHARE = Kind(percent)
YES_NO = Kind(lambda value: "yes" if value else "no")
SHARE_INTERVAL = Kind(lambda ends: percent_interval(*ends), pair=True)
NUMBER_INTERVAL = Kind(lambda ends: f"{number(ends[0])} to {number(ends[1])}", pair=True)


class TextColumn(NamedTuple):
    """A column: its name, which is also its key in JSON and CSV, and its kind."""

    name: str
    kind: Kind = TEXT
    minor: bool = False  # omitted where the table is too wide

    def shown(self, value: Any) -> str:
        """Return a value as people read it, or a dash for None."""
        return "-" if value is None else self.kind.show(value)

    def said(self, cell: str, said: Said) -> str:
        """Return the same text in a language."""
        if self.kind.code or said is not translate:
            return cell
        return translate(cell).replace(" to ", translate(" to ")).replace(" of ", translate(" of "))


@dataclass(frozen=True)
class Table:
    """Columns and rows of values. A value that is missing, or not known yet, is None.

    >>> Table((TextColumn("threads", COUNT), TextColumn("rate", NUMBER)), ((1, 1000.4), (2, None))).cells()
    [['1', '1,000'], ['2', '-']]
    """

    columns: Sequence[TextColumn]
    rows: Sequence[Sequence[Any]]
    title: str = ""

    def cells(self) -> list[list[str]]:
        """Return all values as people read them."""
        cells = []
        for row in self.rows:
            cells.append(list(map(TextColumn.shown, self.columns, row)))
        return cells

    def as_dict(self) -> JsonObject:
        """Return the table for JSON."""
        names = [column.name for column in self.columns]
        return {"title": self.title, "rows": [dict(zip(names, row, strict=True)) for row in self.rows]}

    def show(self, console: Console, said: Said = translate) -> None:
        """Print the table in the terminal."""
        from rich.text import Text

        if self.title:
            console.print(Text(said(self.title), "bold"))
        columns = [column._replace(name=said(column.name)) for column in self.columns]
        rows = ([one.said(cell, said) for one, cell in zip(self.columns, row, strict=True)] for row in self.cells())
        show_table(console, columns, rows, said)


# At the terminal ------------------------------------------------------------------------------------------------------


class _Sized:
    """A column with its cells and its possible widths."""

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
    """Print rows of text as a table that fits the console.

    Text is broken into lines, and long names between their parts. If the table is still too wide, minor columns are
    omitted. If that is not enough, the other columns follow in a second table, which repeats the first column.

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
    """Return columns of these widths side by side. In a terminal there is a rule below the header."""
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
    """Return the total width of columns side by side."""
    each = list(widths)
    return sum(each) + GAP * (len(each) - 1)


def fits(sized: Iterable[_Sized], width: int) -> bool:
    """Return whether the columns fit side by side."""
    return total([one.least for one in sized]) <= width


def without_minor(sized: list[_Sized], width: int) -> list[_Sized]:
    """Return the columns without minor ones, omitted from the last on until the rest fits. Return all columns if it
    never fits.
    """
    kept = list(sized)
    for one in reversed(sized):
        if one.column.minor and not fits(kept, width):
            kept.remove(one)
    return kept if fits(kept, width) else sized


def blocks(sized: list[_Sized], width: int) -> list[list[_Sized]]:
    """Return groups of columns that fit side by side. Each group repeats the first columns, which identify a row.

    An interval stays beside its value.
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
    """Return the widths of columns: headers are broken first, then the widest column that can be narrower."""
    widths = [one.full for one in block]
    if total(widths) > width:
        widths = [one.full if one.column.kind.wraps else one.least for one in block]
    while total(widths) > width:
        room = [wide if wide > one.least else 0 for wide, one in zip(widths, block, strict=True)]
        if not any(room):
            break
        widths[room.index(max(room))] -= 1
    return widths
