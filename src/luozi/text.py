"""Numbers and tables as people read them, the same everywhere."""

from __future__ import annotations

import math
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from luozi.messages import Message, translate

if TYPE_CHECKING:
    from rich.console import Console


def counted(number: int, noun: str) -> str:
    """A number and its noun.

    >>> counted(1, "kernel"), counted(2, "kernel")
    ('1 kernel', '2 kernels')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(value: float) -> str:
    """A share.

    >>> percent(0.573), percent(23 / 80), percent(57 / 80)
    ('57.3 %', '28.8 %', '71.2 %')
    """
    return f"{hundredfold(value):.1f} %"


def percent_interval(low: float, high: float) -> str:
    """An interval of a share.

    >>> percent_interval(0.501, 0.64)
    '50.1 to 64.0 %'
    """
    return Message("{low} to {high} %", low=f"{hundredfold(low):.1f}", high=f"{hundredfold(high):.1f}")


def hundredfold(value: float) -> float:
    """A hundred times what is written, so that both sides of a match are 100.0 % together.

    >>> 100 * 0.2875, hundredfold(0.2875)
    (28.749999999999996, 28.75)
    """
    written = repr(float(value))
    return float(f"{written}e2") if written[-1].isdigit() and "e" not in written else 100 * value


def signed(value: float | None) -> str:
    """An Elo difference.

    >>> signed(12.3), signed(-math.inf), signed(None)
    ('+12', '-∞', '-')
    """
    if value is None or math.isnan(value):
        return "-"
    return ("+∞" if value > 0 else "-∞") if math.isinf(value) else f"{value:+.0f}"


def page_width(otherwise: int = 140) -> int:
    """The width of the terminal that is written to; another one where there is none."""
    return shutil.get_terminal_size((otherwise, 0)).columns if sys.stdout.isatty() else otherwise


# Tables ---------------------------------------------------------------------------------------------------------------

GAP = 2  # between columns
NAME_LEAST = 14  # a name is not made shorter than this
SIGNS_LEAST = 20  # Chinese is not made narrower than this
ELLIPSIS = "…"
BREAKS = re.compile(  # in a long word without spaces; never inside a number
    r"(?<=[,;:/|+])(?=[^\d\s,;:/|+])|(?<=[，。；：、？）”])(?=[^，。；：、？）”])"
)
SIGNS = re.compile(  # between Chinese signs, and where they meet others; no line begins or ends with the wrong mark
    r"(?<=[\u4e00-\u9fff，。；：、？）”])(?=[^\s，。；：、？）”\]])|(?<=[^\s（“\[])(?=[\u4e00-\u9fff（“])"
)

NUMERAL = re.compile(r"[\d.]{2}")


class Style(NamedTuple):
    """What may happen to the cells of a column where there is no room. Nothing ever happens to a number."""

    left: bool = True
    wraps: bool = False  # into several lines
    shortens: bool = False  # in the middle; the whole name then stands below the table


NUMBER, LABEL, WORDS, NAME = Style(left=False), Style(), Style(wraps=True), Style(shortens=True)


class Column(NamedTuple):
    """One column of a table of text."""

    name: str
    style: Style = NUMBER
    minor: bool = False  # left out where there is room for all others
    joined: bool = False  # stays with the one before where the table is folded


class _Drawn:
    """A column with its cells and the widths that it may have."""

    def __init__(self, column: Column, cells: Sequence[str]) -> None:
        self.column, self.cells = column, list(cells)
        self.names: dict[str, int] = {}  # the numbers of shortened names
        head = max(map(cell_len, column.name.split()), default=0)
        self.full = max(map(cell_len, (column.name, *self.cells)))
        if column.style.wraps:
            self.least = max(head, *(least_of(piece) for cell in self.cells for piece in pieces(cell)), 0)
        elif column.style.shortens:
            self.least = max(head, min(self.full, NAME_LEAST))
        else:
            self.least = max(head, *map(cell_len, self.cells), 0)

    def lines(self, width: int) -> list[list[str]]:
        """The head and all cells, each as its lines of just this width."""
        style, shown = self.column.style, self.cells
        if style.shortens and any(cell_len(cell) > width for cell in shown):
            self.names = {name: number for number, name in enumerate(dict.fromkeys(shown), 1)}
            shown = [shortened(f"{self.names[name]} {name}", width) for name in shown]
            self.names = {name: number for name, number in self.names.items() if cell_len(f"{number} {name}") > width}
        cells = [wrapped(cell, width) if style.wraps else [cell] for cell in shown]
        return [
            [padded(line, width, style.left) for line in cell] for cell in (wrapped(self.column.name, width), *cells)
        ]


def show_table(console: Console, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """A table that fits the console: numbers are whole, names are shortened in the middle and stand below in full.

    Where that is not enough, minor columns are left out; where that is not enough either, the table is folded instead:
    further columns come in a second table, with the first column again.

    >>> from rich.console import Console
    >>> columns = Column("player", NAME), Column("games"), Column("score")
    >>> show_table(Console(width=34), columns, [("mcts:iterations=1000,c=0.7", "1,200", "57.3 %")])
    player               games   score
    1 mcts:it…,c=0.7     1,200  57.3 %
    1: mcts:iterations=1000,c=0.7
    """
    show_names(console, draw_table(console, columns, rows))


def draw_table(console: Console, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> dict[str, int]:
    """The same without what stands below: the numbers of the names that were shortened."""
    from rich.text import Text

    cells = list(zip(*rows, strict=True)) or [()] * len(columns)
    drawn = [_Drawn(column, own) for column, own in zip(columns, cells, strict=True)]
    kept = without_minor(drawn, console.width)
    for number, block in enumerate(blocks(kept, console.width)):
        if number:
            console.print()
        for line in block_lines(block, console.width, console.is_terminal):
            console.print(Text(*line), soft_wrap=True)
    left_out = [column.name for column in columns if column not in [one.column for one in kept]]
    if left_out:
        console.print(
            Text(translate("not shown, for want of room: {names}", names=", ".join(left_out)), "dim"), soft_wrap=True
        )
    return {name: number for one in kept for name, number in one.names.items()}


def show_names(console: Console, names: dict[str, int]) -> None:
    """What the shortened names stand for; a terminal may break the lines, but copies them whole."""
    from rich.text import Text

    for name, number in sorted(names.items(), key=lambda pair: pair[1]):
        console.print(Text(f"{number}: {name}"), soft_wrap=True)


def show_line(console: Console, line: str) -> None:
    """A line of text, which a terminal gets broken between words and never inside a number."""
    from rich.text import Text

    lines = wrapped(line, console.width) if console.is_terminal else [line]
    console.print(Text("\n".join(lines)), soft_wrap=True)


def total(widths: Iterable[int]) -> int:
    """The width of columns side by side."""
    each = list(widths)
    return sum(each) + GAP * (len(each) - 1)


def fits(drawn: Iterable[_Drawn], width: int) -> bool:
    """Whether columns can be side by side."""
    return total(one.least for one in drawn) <= width


def without_minor(drawn: list[_Drawn], width: int) -> list[_Drawn]:
    """As many minor columns less, from the last on, as it takes to fit; all if it does not fit without them either."""
    kept = list(drawn)
    for one in reversed(drawn):
        if fits(kept, width):
            return kept
        if one.column.minor:
            kept.remove(one)
    return kept if fits(kept, width) else drawn


def blocks(drawn: list[_Drawn], width: int) -> list[list[_Drawn]]:
    """Columns that fit side by side; the first ones, up to who or what a row is about, are in every block."""
    lead = next((place for place, one in enumerate(drawn) if one.column.style.left), 0) + 1
    found = [drawn[:lead]]
    for group in groups_of(drawn[lead:]):
        together = fits([*drawn[:lead], *group], width)
        for part in [group] if together else [[one] for one in group]:
            if len(found[-1]) > lead and not fits([*found[-1], *part], width):
                found.append(drawn[:lead])
            found[-1] = [*found[-1], *part]
    return found


def groups_of(drawn: Iterable[_Drawn]) -> list[list[_Drawn]]:
    """Columns that stay together."""
    groups: list[list[_Drawn]] = []
    for one in drawn:
        if one.column.joined and groups:
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def widths_of(block: Sequence[_Drawn], width: int) -> list[int]:
    """As wide as can be: heads are folded first, then the widest column that may gives way."""
    widths = [one.full for one in block]
    if total(widths) > width:
        widths = [one.full if one.column.style.wraps or one.column.style.shortens else one.least for one in block]
    while total(widths) > width:
        room = [wide if wide > one.least else 0 for wide, one in zip(widths, block, strict=True)]
        if not any(room):
            break
        widths[room.index(max(room))] -= 1
    return widths


def block_lines(block: Sequence[_Drawn], width: int, ruled: bool) -> Iterator[tuple[str, str]]:
    """Lines with their styles: the head, a rule below it in a terminal, the rows."""
    widths = widths_of(block, width)
    parts = [one.lines(wide) for one, wide in zip(block, widths, strict=True)]
    head, *rows = zip(*parts, strict=True)
    for line in side_by_side(head, widths, at_the_bottom=True):
        yield line, "bold"
    if ruled:
        yield "─" * total(widths), "dim"
    for row in rows:
        for line in side_by_side(row, widths):
            yield line, ""


def side_by_side(cells: Sequence[list[str]], widths: Sequence[int], at_the_bottom: bool = False) -> Iterator[str]:
    """Cells of several lines next to each other."""
    height = max(map(len, cells))
    for number in range(height):
        places = [number - (height - len(cell) if at_the_bottom else 0) for cell in cells]
        parts = [
            cell[place] if 0 <= place < len(cell) else " " * wide
            for cell, place, wide in zip(cells, places, widths, strict=True)
        ]
        yield (" " * GAP).join(parts).rstrip()


def padded(text: str, width: int, left: bool) -> str:
    """A text with the spaces that it lacks."""
    spaces = " " * (width - cell_len(text))
    return text + spaces if left else spaces + text


def pieces(text: str) -> list[str]:
    """The parts of a text that stay whole: words, and what is between the signs of a long spelling.

    >>> pieces("mcts:c=0.7,solve=true or 1,000")
    ['mcts:', 'c=0.7,', 'solve=true', 'or', '1,000']
    """
    return [piece for word in text.split() for piece in BREAKS.split(word)]


def least_of(piece: str) -> int:
    """How wide a column must be for a piece; Chinese may be broken, but what is not Chinese in it may not.

    >>> least_of("solve=true"), least_of("棋类"), least_of("保留获胜的着法（keep_won）以及搜索树")
    (10, 4, 20)
    """
    return max(min(cell_len(piece), SIGNS_LEAST), *map(cell_len, SIGNS.split(piece)))


def wrapped(text: str, width: int) -> list[str]:
    """A text in lines, broken between words if it can be, and where they are too long between their pieces.

    Chinese is broken between any two signs.

    >>> wrapped("stands for mcts:c=0.7,solve=true", 12), wrapped("棋类或文件，如 gomoku。", 12)
    (['stands for', 'mcts:c=0.7,', 'solve=true'], ['棋类或文件，', '如 gomoku。'])
    """
    lines = [""]
    for word in text.split(" "):
        parts = [word] if cell_len(word) <= width else BREAKS.split(word)
        for number, part in enumerate(sign for one in parts for sign in SIGNS.split(one)):
            space = " " if lines[-1] and not number else ""
            if cell_len(lines[-1] + space + part) <= width or not lines[-1]:
                lines[-1] += space + part
            else:
                lines.append(part)
    return lines


def shortened(text: str, width: int) -> str:
    """A text without its middle, if it is too long.

    >>> shortened("mcts:iterations=1000,c=0.7", 15)
    'mcts:it…,c=0.7'
    """
    if cell_len(text) <= width:
        return text
    head, tail = width // 2, len(text) - (width - 1) // 2
    while cell_len(text[:head] + ELLIPSIS + text[tail:]) > width:  # signs of double width
        head, tail = (head - 1, tail) if head > len(text) - tail else (head, tail + 1)
    while NUMERAL.fullmatch(text[head - 1 : head + 1]):  # half a number would be another number
        head -= 1
    while NUMERAL.fullmatch(text[tail - 1 : tail + 1]):
        tail += 1
    return text[:head] + ELLIPSIS + text[tail:]
