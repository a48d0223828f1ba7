"""The commands that show what there is: `games`, `players`, `check`, `doctor` and `cache`."""

from __future__ import annotations

from typing import Annotated

import typer

from luozi.check import check_game
from luozi.cli.errors import BAD_INPUT, CACHE_ACTIONS
from luozi.cli.outputs import console
from luozi.cli.serving import notices_to_standard_error
from luozi.compiled.cache import clear_cache
from luozi.messages import LuoziError, nearest, plural, translate
from luozi.terminal.lists import report_environment, show_cache, show_games, show_players


def games(name: Annotated[str | None, typer.Argument(metavar="GAME", help="Print only this one.")] = None) -> None:
    """List the games and their parameters."""
    show_games(console(), name)


def players(name: Annotated[str | None, typer.Argument(metavar="PLAYER", help="Print only this one.")] = None) -> None:
    """List the players and their options."""
    show_players(console(), name)


def check(
    game: Annotated[
        str,
        typer.Argument(metavar="GAME", help="The file with the game class, such as my_game.py, or a built-in game."),
    ],
    games: Annotated[int, typer.Option(min=1, help="Number of random games.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed: the same seed repeats the games.")] = 0,
) -> None:
    """Check a game class by random playouts, compiled and uncompiled."""
    report = check_game(game, games, seed, lambda line: typer.echo(translate(line), err=True), speed=True)
    for line in (*report.sentences, *report.facts):
        typer.echo(translate(line))
    if not report.ok:
        raise typer.Exit(BAD_INPUT)


def doctor() -> None:
    """Print what is installed, where compiled code is cached and how fast searches run."""
    notices_to_standard_error()
    report_environment(typer.echo)


def cache(
    action: Annotated[
        str, typer.Argument(metavar="[list|clear]", help="list (default) or clear.", show_default=False)
    ] = "list",
) -> None:
    """List the cached compiled code, or delete it.

    The cache is in your cache folder. The environment variable LUOZI_CACHE chooses another folder.
    """
    if action not in CACHE_ACTIONS:
        raise LuoziError("the cache can't '{name}'{nearest}", name=action, nearest=nearest(action, CACHE_ACTIONS))
    if action == "clear":
        typer.echo(translate(plural(clear_cache(), "{count} kernel deleted", "{count} kernels deleted")))
    else:
        show_cache(console())
