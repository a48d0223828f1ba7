"""The commands that answer others: `serve` (the page), `gtp`, `gomocup` and `connect4-agent`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from luozi.cli.approvals import PROGRAM, TrustOption, name_player
from luozi.cli.contests import DEFAULT_STORE, ClusterOption
from luozi.cli.outputs import output, refuse_no_store, refuse_no_tables
from luozi.compiled.cache import on_compile
from luozi.games import game as make_game
from luozi.messages import LuoziError, translate
from luozi.players import PLAYERS, may_use_threads, spelled_out
from luozi.players.presets import default_player
from luozi.rules.game import Game
from luozi.search import Options
from luozi.servers.connect4_agent import serve as serve_agent
from luozi.servers.gomocup.server import serve as serve_gomocup
from luozi.servers.gtp.server import commands_table
from luozi.servers.gtp.server import serve as serve_gtp
from luozi.servers.gtp.session import GtpOptions
from luozi.util.machine import usual_threads
from luozi.util.parameters import split_spelling
from luozi.util.parsing import plain
from luozi.web.limits import ServerLimits
from luozi.web.server import ServerOptions
from luozi.web.server import serve as run


def serve(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAME]...", help="Your own games to offer beside the built-in ones, such as my_game.py."
        ),
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port. Default: 8177, or the next free one.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on. Any address other than loopback requires a token.")
    ] = "127.0.0.1",
    name: Annotated[
        list[str] | None,
        typer.Option(
            "--allowed-host",
            metavar="HOST",
            help="Another host name under which browsers reach the server. You can repeat it.",
        ),
    ] = None,
    proxy: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Address of a reverse proxy whose X-Forwarded-For header is trusted."),
    ] = "",
    token: Annotated[
        str, typer.Option(help="Token that browsers must present. Default: a random one, printed at the start.")
    ] = "",
    open_page: Annotated[
        bool | None,
        typer.Option("--open/--no-open", help="Open the page in a browser. Default: only from a terminal."),
    ] = None,
    program: Annotated[
        list[str] | None,
        typer.Option(
            "--engine",
            metavar="NAME=COMMAND",
            help="An external engine to offer as a player, such as gnugo='gnugo --mode gtp'. You can repeat it.",
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=256, help="Search threads of all games together. Default: one per core.")
    ] = None,
    memory: Annotated[
        float | None,
        typer.Option(
            "--max-memory-mb",
            min=64,
            help="Memory limit of all search trees together, in MB. Default: half of the machine's memory.",
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--max-seconds", min=0.1, max=86_400, help="Longest time of one search, in seconds.")
    ] = 60.0,
    tables: Annotated[
        Path | None,
        output(
            "--sessions-db",
            help="SQLite file in which games are stored. Default: in the cache folder.",
            check=refuse_no_tables,
        ),
    ] = None,
    store: Annotated[Path, output("--db", help="SQLite file with results.", check=refuse_no_store)] = DEFAULT_STORE,
    cluster: ClusterOption = None,
    trust: TrustOption = None,
) -> None:
    """Serve the web page: play, analyse games and inspect searches in a browser.

    See docs/en/how-to/server.md before you open it to others. Without a terminal the server stops when its standard
    input ends.
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
    """Return the commands of --engine by name.

    Raises:
        LuoziError: one is not valid, or is given twice.
    """
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


ServedOption = Annotated[
    str | None,
    typer.Option(
        metavar="PLAYER", help="The player that answers: mcts or strong, with any of their options. Default: strong."
    ),
]


def gomocup(player: ServedOption = None) -> None:
    """Run as an engine for Gomocup programs such as Piskvork, on standard input and output."""
    notices_to_standard_error()
    served_options(player, "gomoku")  # refuse a bad player now
    raise typer.Exit(serve_gomocup(sys.stdin, sys.stdout, lambda game: served_options(player, game)))


def gtp(
    player: ServedOption = None,
    size: Annotated[int, typer.Option(min=2, max=25, help="Board size until the first 'boardsize' command.")] = 19,
    komi: Annotated[float, typer.Option(help="Komi until the first 'komi' command.")] = 7.5,
    rules: Annotated[str, typer.Option(help="Rules: chinese, japanese or tromp_taylor.")] = "chinese",
    seconds: Annotated[float, typer.Option(min=0.01, help="Seconds a move while no time control is set.")] = 5.0,
    lag: Annotated[
        float,
        typer.Option(
            "--lag-buffer",
            min=0,
            max=60,
            help="Seconds a move reserved for network delay. Increase it for games over a network.",
        ),
    ] = 0.2,
    ponder: Annotated[bool, typer.Option("--ponder", help="Ponder: search on the opponent's time.")] = False,
    resign: Annotated[
        float,
        typer.Option(
            "--resign-threshold",
            min=0,
            max=0.5,
            help="Resign when the win rate is below this for three moves in a row; 0 means never.",
        ),
    ] = 0.05,
    no_pass: Annotated[
        bool,
        typer.Option(
            "--no-early-pass",
            help="Play on until no useful move is left, even if the result is decided.",
        ),
    ] = False,
    commands: Annotated[bool, typer.Option("--list-commands", help="Print all GTP commands and exit.")] = False,
) -> None:
    """Run as a Go engine for Sabaki, Lizzie, GoGui, KGS and others (GTP), on standard input and output."""
    if commands:
        typer.echo(commands_table())
        return
    notices_to_standard_error()
    settings = GtpOptions(size, komi, rules, seconds, lag, ponder, resign, not no_pass)
    served_options(player, f"go:size={size}")  # refuse a bad player now
    raise typer.Exit(serve_gtp(sys.stdin, sys.stdout, lambda game: served_options(player, game), settings))


def connect4_agent(player: ServedOption = None) -> None:
    """Run as an agent for the Connect Four platform: new, move, go and quit on standard input."""
    notices_to_standard_error()
    served_options(player, "connect4")  # refuse a bad player now
    raise typer.Exit(serve_agent(sys.stdin, sys.stdout, lambda game: served_options(player, game)))


def served_options(spelling: str | None, game: str | Game) -> Options:
    """Return the options of a player that may answer other programs.

    Raises:
        LuoziError: the player is neither mcts nor strong.
    """
    spelling = spelling or default_player()
    name, values = split_spelling(spelling)
    if name == "strong":
        values = split_spelling(spelled_out(spelling, make_game(game), searching=True))[1]
    elif name != "mcts":
        raise LuoziError("only mcts and strong can answer here, not '{name}': write --player mcts:...", name=name)
    shared = {"threads": usual_threads(), **values}
    fits = may_use_threads(make_game(game), PLAYERS["mcts"], shared, "seed" in values)
    return Options.of(**shared if fits else values)


def notices_to_standard_error() -> None:
    """Print compilation notices on standard error, apart from results."""
    on_compile(lambda notice: typer.echo(translate(notice), err=True))
