"""The command `replay`. Thin, as the rest of the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from luozi.cli.approvals import TrustOption
from luozi.cli.outputs import output
from luozi.messages import LuoziError, translate
from luozi.records.replay import load_replay
from luozi.reports.gif import gif_bytes
from luozi.reports.replays import replay_page
from luozi.terminal.replaying import step_through
from luozi.util.files import refuse_existing, write_whole

REPLAYS = (".html", ".gif")


def replay(
    file: Annotated[Path, typer.Argument(metavar="RECORD", help="A record, as text or JSON, or a game as SGF.")],
    out: Annotated[
        Path | None,
        output("--out", "-o", help="Write it instead: .html to step through, or a moving .gif."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Let --out overwrite a file.")] = False,
    game: Annotated[
        str | None,
        typer.Option("--game", "-g", metavar="GAME", help="The record's game, if it is a file of yours: it is run."),
    ] = None,
    trust: TrustOption = None,
) -> None:
    """Step through a game: every position with the win rates and the analysis that its record holds.

    In a terminal Enter goes on and 'b' back; without one all positions are printed. With --out the game becomes one
    HTML file that needs nothing else, or an animated GIF.
    """
    kind = "" if out is None else out.suffix.lower()
    if out is not None and kind not in REPLAYS:
        raise LuoziError("a replay is a file named .html or .gif, not '{name}'", name=out.name)
    if out is not None and not force:
        refuse_existing(out)
    played = load_replay(file, game)
    if out is None:
        step_through(played)
    elif kind == ".gif":
        write_whole(out, gif_bytes(played))
    else:
        write_whole(out, replay_page(played).encode())
    if out is not None:
        typer.echo(translate("written: {text}", text=out))
