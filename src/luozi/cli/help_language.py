"""Help in languages other than English; imported only for these, so that English help is fast."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.cells import cell_len
from typer.core import TyperGroup

from luozi.messages import Message, translate
from luozi.util.formats import padded, wrapped

NAMES = re.compile(r"<[^>]*>|\b[A-Z]{2,}\b")  # kinds and placeholders of values, in usage lines and lists
GAP, LONGEST_NAME = 2, 30


# The words that Typer itself writes.
WORDS = (
    *(Message("Usage:"), Message("Options"), Message("Arguments"), Message("Commands")),
    *(Message("OPTIONS"), Message("COMMAND"), Message("ARGS"), Message("VALUES"), Message("KEY"), Message("VALUE")),
    *(Message("<str>"), Message("<list[str]>"), Message("<int>"), Message("<int range>"), Message("<path>")),
    *(Message("<float>"), Message("<float range>"), Message("Show this message and exit.")),
    *(Message("default"), Message("required"), Message("PLAYER...")),
)


class SpokenHelp(TyperGroup.context_class.formatter_class):  # type: ignore[name-defined, misc]
    """A help page of Typer, translated; Chinese characters are two columns wide."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the usage line."""
        start = f"{translate(prefix or 'Usage:')}{prog} "
        lines = wrapped(with_names(args), self.width - cell_len(start))
        self.write("\n".join([start + lines[0], *(" " * cell_len(start) + line for line in lines[1:]), ""]))

    def write_heading(self, heading: str) -> None:
        """Write the title of a section."""
        self.write(f"{translate('{title}:', title=Message(heading))}\n")

    def write_text(self, text: str) -> None:
        """Write paragraphs."""
        paragraphs = (" ".join(one.split()) for one in text.split("\n\n"))
        indent = " " * self.current_indent
        said = (wrapped(translate(one), self.width - self.current_indent) for one in paragraphs)
        self.write("\n\n".join("\n".join(indent + line for line in lines) for lines in said) + "\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = LONGEST_NAME, col_spacing: int = GAP) -> None:
        """Write names and their meanings side by side."""
        said = [(with_names(name), with_more(meaning)) for name, meaning in rows]
        wide = min(max(cell_len(name) for name, _ in said), col_max)
        place = " " * (self.current_indent + wide + col_spacing)
        for name, meaning in said:
            lines = [place + line for line in wrapped(meaning, max(self.width - len(place), 10))]
            start = " " * self.current_indent + name
            if cell_len(name) <= wide:
                lines[0] = padded(start, len(place), left=True) + lines[0][len(place) :]
            else:
                lines.insert(0, start)
            self.write("\n".join(line.rstrip() for line in lines) + "\n")


class SpokenContext(TyperGroup.context_class):  # type: ignore[valid-type, misc]
    """The context of a command with translated help."""

    formatter_class = SpokenHelp


def with_names(text: str) -> str:
    """Return a usage line, or an option's name, with translated placeholders.

    >>> import os; os.environ["LUOZI_LANGUAGE"] = "zh"
    >>> with_names("luozi play [OPTIONS] [GAME]"), with_names("--level <int range>")
    ('luozi play [选项] [棋类]', '--level <整数>')
    >>> del os.environ["LUOZI_LANGUAGE"]
    """
    return NAMES.sub(lambda found: translate(found[0]), text)


def with_more(text: str) -> str:
    """Return the meaning of an option with its default and range, translated.

    >>> import os; os.environ["LUOZI_LANGUAGE"] = "zh"
    >>> with_more("Number of random games.  [default: 1000; x>=1]")
    '随机对局的局数。  [默认：1000；x>=1]'
    >>> del os.environ["LUOZI_LANGUAGE"]
    """
    meaning, more = text, ""
    if text.endswith("]"):
        meaning, _, more = text.rpartition("  [" if "  [" in text else "[")
    said = translate("; ").join(map(with_value, more.rstrip("]").split("; ")))
    return "  ".join(part for part in (translate(" ".join(meaning.split())), f"[{said}]" if more else "") if part)


def with_value(text: str) -> str:
    """Return a remark about a value, such as its default, translated."""
    name, colon, value = text.partition(": ")
    return translate("{name}: {value}", name=Message(name), value=value) if colon else translate(text)
