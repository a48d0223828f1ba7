"""A rich console that prints text from outside without what a terminal would obey."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.segment import Segment

from luozi.messages import printable
from luozi.messages.languages import CONTROL


class TextConsole(Console):
    """A console for tables and sentences: names and comments of files may hold escape sequences.

    >>> TextConsole(width=40).print("a\\x1b[2Jb", markup=False)
    a?[2Jb
    """

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        """Replace control characters in all that is printed together; rich calls `render` for each part of a table."""
        return super()._render_buffer(
            [
                one if one.control or CONTROL.search(one.text) is None else one._replace(text=printable(one.text))
                for one in buffer
            ]
        )
