"""A rich console that prints text from outside without what a terminal would obey."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from luozi.messages import printable
from luozi.messages.languages import CONTROL


class TextConsole(Console):
    """A console for tables and sentences: names and comments of files may hold escape sequences.

    >>> TextConsole(width=40).print("a\\x1b[2Jb", markup=False)
    a?[2Jb
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        segments = list(super().render(renderable, options))
        if CONTROL.search("".join(map(attrgetter("text"), segments))) is None:  # one search instead of one a segment
            return segments
        return [one if one.control else one._replace(text=printable(one.text)) for one in segments]
