"""The command that serves the page. Thin, as the rest of the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from luozi.cli.approvals import PROGRAM, TrustOption, name_player
from luozi.cli.contests import DEFAULT_STORE, ClusterOption
from luozi.cli.outputs import output, refuse_no_store, refuse_no_tables
from luozi.messages import LuoziError
from luozi.util.parsing import plain
from luozi.web.limits import ServerLimits
from luozi.web.server import ServerOptions
from luozi.web.server import serve as run


def serve(
    games: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAME]...", help="Games of your own beside those of the house, such as my_game.py."),
    ] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Not given: 8177, or the next one free.")] = None,
    host: Annotated[str, typer.Option(help="Where to listen; elsewhere than here a token is needed.")] = "127.0.0.1",
    name: Annotated[
        list[str] | None,
        typer.Option("--allowed-host", metavar="HOST", help="Another name by which the server is reached."),
    ] = None,
    proxy: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="The address of a server before this one, whose X-Forwarded-For counts."),
    ] = "",
    token: Annotated[str, typer.Option(help="What others must know; not given, one is drawn and printed.")] = "",
    open_page: Annotated[
        bool | None,
        typer.Option("--open/--no-open", help="Open the page in the browser; not given, if this is a terminal."),
    ] = None,
    program: Annotated[
        list[str] | None,
        typer.Option(
            "--engine",
            metavar="NAME=COMMAND",
            help="An outside program that may take a seat: gnugo='gnugo --mode gtp'.",
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=256, help="For all engines together; not given, one a core.")
    ] = None,
    memory: Annotated[
        float | None,
        typer.Option(
            "--max-memory-mb", min=64, help="Megabytes for all trees together; not given, half of the machine's."
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--max-seconds", min=0.1, max=86_400, help="The longest a program may think.")
    ] = 60.0,
    tables: Annotated[
        Path | None,
        output("--sessions-db", help="Where games are kept; not given, in the cache folder.", check=refuse_no_tables),
    ] = None,
    store: Annotated[Path, output("--db", help="Where results are kept.", check=refuse_no_store)] = DEFAULT_STORE,
    cluster: ClusterOption = None,
    trust: TrustOption = None,
) -> None:
    """Serve the page: play, analyse and look into the search in a browser; docs/en/how-to/server.md has all of it.

    Without a terminal it ends when its input ends.
    """
    settings = ServerOptions(
        host,
        port,
        games or (),
        read_programs(program or []),
        threads,
        memory,
        token,
        tables,
        store,
        ServerLimits(seconds=seconds),
        cluster or "",
        name or (),
        proxy,
    )
    terminal = sys.stdin.isatty()
    shows = terminal if open_page is None else open_page
    raise typer.Exit(run(settings, shows, typer.echo, not terminal))


def read_programs(given: list[str]) -> dict[str, str]:
    """Names and commands; one sentence if one is not written so."""
    programs: dict[str, str] = {}
    for one in given:
        name, equals, command = (part.strip() for part in one.partition("="))
        if not equals or not name or not command:
            raise LuoziError("--engine '{text}': write NAME=COMMAND, as in gnugo='gnugo --mode gtp'", text=plain(one))
        if name in programs:
            raise LuoziError("--engine names '{name}' twice", name=plain(name))
        name_player(command if PROGRAM.match(command) else f"gtp:{command}")
        programs[name] = command
    return programs
