"""Numbers and lines in the one format that people see everywhere."""

from __future__ import annotations

import math
import re
import shutil
import sys
from typing import TYPE_CHECKING

from rich.cells import cell_len

from luozi.messages import Message

if TYPE_CHECKING:
    from rich.console import Console


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "kernel"), counted(2, "kernel")
    ('1 kernel', '2 kernels')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(value: float) -> str:
    """Return a share in per cent.

    >>> percent(0.573), percent(23 / 80), percent(57 / 80)
    ('57.3 %', '28.8 %', '71.2 %')
    """
    return f"{hundredfold(value):.1f} %"


def percent_interval(low: float, high: float) -> str:
    """Return an interval of a share in per cent.

    >>> percent_interval(0.501, 0.64)
    '50.1 to 64.0 %'
    """
    return Message("{low} to {high} %", low=f"{hundredfold(low):.1f}", high=f"{hundredfold(high):.1f}")


def hundredfold(value: float) -> float:
    """Return a share times 100, rounded so that both sides of a match sum to 100.0.

    >>> 100 * 0.2875, hundredfold(0.2875)
    (28.749999999999996, 28.75)
    """
    written = repr(float(value))
    return float(f"{written}e2") if written[-1].isdigit() and "e" not in written else 100 * value


def signed(value: float | None) -> str:
    """Return an Elo difference with its sign.

    >>> signed(12.3), signed(-math.inf), signed(None)
    ('+12', '-∞', '-')
    """
    if value is None or math.isnan(value):
        return "-"
    return ("+∞" if value > 0 else "-∞") if math.isinf(value) else f"{value:+.0f}"


def page_width(otherwise: int = 140) -> int:
    """Return the width of the terminal, or `otherwise` if the output is not a terminal."""
    return shutil.get_terminal_size((otherwise, 0)).columns if sys.stdout.isatty() else otherwise


# Lines ----------------------------------------------------------------------------------------------------------------

SIGNS_LEAST = 20  # minimum width for Chinese
BREAKS = re.compile(  # in long words without spaces, but never inside a number
    r"(?<=[,;:/|+])(?=[^\d\s,;:/|+])|(?<=[，。；：、？）”])(?=[^，。；：、？）”])"
)
SIGNS = re.compile(  # between Chinese characters and beside them; no line begins or ends with the wrong punctuation
    r"(?<=[\u4e00-\u9fff，。；：、？）”])(?=[^\s，。；：、？）”\]])|(?<=[^\s（“\[])(?=[\u4e00-\u9fff（“])"
)


def show_line(console: Console, line: str) -> None:
    """Print a line of text. A terminal gets line breaks between words, never inside a number."""
    from rich.text import Text

    lines = wrapped(line, console.width) if console.is_terminal else [line]
    console.print(Text("\n".join(lines)), soft_wrap=True)


def padded(text: str, width: int, left: bool) -> str:
    """Return a text padded with spaces to a width."""
    spaces = " " * (width - cell_len(text))
    return text + spaces if left else spaces + text


def pieces(text: str) -> list[str]:
    """Return the parts of a text that are never broken: words, and the parts of a long specification.

    >>> pieces("mcts:c=0.7,exact_solver_nodes=true or 1,000")
    ['mcts:', 'c=0.7,', 'exact_solver_nodes=true', 'or', '1,000']
    """
    return [piece for word in text.split() for piece in BREAKS.split(word)]


def least_of(piece: str) -> int:
    """Return the minimum column width for a part. Chinese text may be broken anywhere, other text may not.

    >>> least_of("exact_solver_nodes=true"), least_of("棋类"), least_of("保留获胜的着法（keep_proven_win）以及搜索树")
    (23, 4, 20)
    """
    return max(min(cell_len(piece), SIGNS_LEAST), *map(cell_len, SIGNS.split(piece)))


def wrapped(text: str, width: int) -> list[str]:
    """Return a text in lines of at most `width`. Lines break between words, and words that are too long between parts.

    Chinese text breaks between any two characters.

    >>> wrapped("stands for mcts:c=0.7,exact_solver_nodes=true", 12), wrapped("棋类或文件，如 gomoku。", 12)
    (['stands for', 'mcts:c=0.7,', 'exact_solver_nodes=true'], ['棋类或文件，', '如 gomoku。'])
    """
    if cell_len(text) <= width:
        return [text.lstrip(" ")]
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
