"""Options that name a file or folder to write: each is checked with the command line, before any work."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from luozi.messages import LuoziError
from luozi.util.console import TextConsole
from luozi.util.files import check_plot_name, refuse_existing, refuse_no_folder, refuse_unwritable
from luozi.util.parsing import is_file, path_of

SEEN = "luozi.cli.outputs"  # the key of the files named so far in a context


def output(*names: str, metavar: str = "FILE", help: str, check: Callable[[Path], None] = refuse_unwritable) -> Any:
    """Return an option for a file to write; `check` refuses bad paths, and no two options may name the same file."""

    def checked(context: typer.Context, parameter: typer.CallbackParam, value: Path | None) -> Path | None:
        if value is None:
            return None
        source = context.get_parameter_source(parameter.name or "")
        if source is None or source.name != "DEFAULT":
            check(value)
        refuse_seen(context.meta.setdefault(SEEN, set()), value)
        return value

    return typer.Option(*names, metavar=metavar, help=help, callback=checked)


def refuse_seen(seen: set[Path], path: Path) -> None:
    """Raise LuoziError if another option names this file too: one would overwrite the other."""
    try:
        target = path_of(path).resolve()
    except (OSError, RuntimeError):
        return
    if target in seen:
        raise LuoziError("'{name}' is named by two options: name another file in one of them", name=path)
    if is_file(target) or not target.exists():  # several options may write to a device
        seen.add(target)


def refuse_no_picture(path: Path) -> None:
    """Raise LuoziError if no picture can be written to a path."""
    check_plot_name(path)
    refuse_unwritable(path)


def refuse_no_new_file(path: Path) -> None:
    """Raise LuoziError if no new file can be written to a path."""
    refuse_existing(path)
    refuse_unwritable(path)


def refuse_no_new_folder(path: Path) -> None:
    """Raise LuoziError if no new folder can be made."""
    if path_of(path).exists():
        raise LuoziError("can't write into '{path}': File exists; name a new folder", path=path)
    refuse_no_folder(path)


def refuse_no_store(path: Path) -> None:
    """Raise LuoziError if there is no results database and none can be made; an existing one may be read-only."""
    if not is_file(path_of(path)):
        refuse_unwritable(path)


def refuse_no_tables(path: Path) -> None:
    """Raise LuoziError if no file of sessions can be written; the server makes the folders above it."""
    if path_of(path).parent.exists():
        refuse_unwritable(path)
    else:
        refuse_no_folder(path_of(path).parent)


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
CsvOption = Annotated[Path | None, output("--csv", help="Write a CSV table of all games.")]
PlotOption = Annotated[
    Path | None,
    output("--plot", metavar="FILE.png", help="Draw the result as PNG, SVG or PDF.", check=refuse_no_picture),
]
HtmlOption = Annotated[Path | None, output("--html", help="Write a self-contained page with tables and charts.")]


def console(width: int | None = None) -> Console:
    """Return a console for tables on standard output; `width` is for output that is no terminal."""
    return TextConsole(highlight=False, width=None if sys.stdout.isatty() else width)


@dataclass(frozen=True)
class Outputs:
    """The forms of a result: a table or JSON on standard output, and files."""

    as_json: bool
    csv: Path | None
    plot: Path | None
    html: Path | None

    def __bool__(self) -> bool:
        """Whether more than the table is asked for."""
        return self.as_json or bool(self.csv or self.plot or self.html)

    def give(self, show: Callable[[Console], None], json_text: Callable[[], str], width: int = 140) -> None:
        """Print the result."""
        if self.as_json:
            typer.echo(json_text())
            return
        tables = console(width)
        with tables.capture() as captured:
            show(tables)
        typer.echo(captured.get(), nl=False)

    def write(
        self,
        csv: Callable[[Path], object],
        plot: Callable[[Path], object],
        html: Callable[[Path], object],
    ) -> None:
        """Write the files."""
        for path, writer in ((self.csv, csv), (self.plot, plot), (self.html, html)):
            if path is not None:
                writer(path)
