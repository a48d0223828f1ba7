"""The command `luozi`. `main` is the way in: it turns every kind of bad input into one sentence and exit status 2."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from luozi import __version__
from luozi.cli.commands import Commands
from luozi.cli.errors import INTERRUPTED, complain
from luozi.messages import on_warning, translate
from luozi.terminal.streams import quiet_output, take_streams
from luozi.util.own_code import place_in_own_game
from luozi.util.tempdirs import remove_stale
from luozi.util.trust import only_named

app = typer.Typer(
    name="luozi",
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # its panels cut numbers in a narrow terminal
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        typer.echo(f"luozi {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Monte-Carlo tree search for board games: play, look inside, check a game of your own."""
    on_warning(lambda sentence: typer.echo(f"luozi: {translate(sentence)}", err=True))


GROUP = typer.main.get_command(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    try:
        take_streams()
        remove_stale()  # what a killed one may have left
        words = list(sys.argv[1:] if arguments is None else arguments)
        with only_named(ask_user):
            status = GROUP(args=words or ["--help"], prog_name="luozi", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except BrokenPipeError:
        quiet_output()
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except SystemExit as error:
        if place_in_own_game(error) is None:
            raise
        return complain(error)
    except Exception as error:
        return complain(error)


def ask_user(word: str) -> bool:
    """Ask at the terminal whether something may run."""
    typer.echo(translate("A file names {name}. Run it? [y/N] ", name=word), err=True, nl=False)
    try:
        return input().strip().lower() in ("y", "yes", "是")
    except EOFError:
        return False
