"""A rich console that prints text from outside without what a terminal would obey."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from luozi.messages import printable


class TextConsole(Console):
    """A console for tables and sentences: names and comments of files may hold escape sequences.

    >>> TextConsole(width=40).print("a\\x1b[2Jb", markup=False)
    a?[2Jb
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))
