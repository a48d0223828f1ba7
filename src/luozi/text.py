"""Numbers and tables as people read them, the same everywhere."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def counted(number: int, noun: str) -> str:
    """A number and its noun.

    >>> counted(1, "kernel"), counted(2, "kernel")
    ('1 kernel', '2 kernels')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(value: float) -> str:
    """A share.

    >>> percent(0.573)
    '57.3 %'
    """
    return f"{100 * value:.1f} %"


def percent_interval(low: float, high: float) -> str:
    """An interval of a share.

    >>> percent_interval(0.501, 0.64)
    '50.1 to 64.0 %'
    """
    return f"{100 * low:.1f} to {100 * high:.1f} %"


def signed(value: float | None) -> str:
    """An Elo difference.

    >>> signed(12.3), signed(-math.inf), signed(None)
    ('+12', '-∞', '-')
    """
    if value is None or math.isnan(value):
        return "-"
    return ("+∞" if value > 0 else "-∞") if math.isinf(value) else f"{value:+.0f}"


def grid(*columns: str, lines: bool) -> Table:
    """A table: with a line under its head in a terminal, bare columns elsewhere."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD if lines else None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name in columns:
        table.add_column(name, overflow="fold")
    return table
