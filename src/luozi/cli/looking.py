"""The commands that tell what there is: `games`, `players`, `check`, `doctor` and `cache`. Thin, as the rest."""

from __future__ import annotations

from typing import Annotated

import typer

from luozi.check import check_game
from luozi.cli.errors import BAD_INPUT, CACHE_ACTIONS
from luozi.cli.outputs import console
from luozi.cli.serving import notices_to_standard_error
from luozi.compiled.cache import clear_cache
from luozi.messages import LuoziError, nearest, plural, translate
from luozi.terminal.lists import examine, show_cache, show_games, show_players


def games(name: Annotated[str | None, typer.Argument(metavar="GAME", help="Only this one.")] = None) -> None:
    """List the games and their parameters."""
    show_games(console(), name)


def players(name: Annotated[str | None, typer.Argument(metavar="PLAYER", help="Only this one.")] = None) -> None:
    """List the players and their options."""
    show_players(console(), name)


def check(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game, such as my_game.py.")],
    games: Annotated[int, typer.Option(min=1, help="How many random games to play.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed plays the same games.")] = 0,
) -> None:
    """Check a game's rules by random play, compiled and uncompiled."""
    report = check_game(game, games, seed, lambda line: typer.echo(translate(line), err=True), speed=True)
    for line in (*report.sentences, *report.facts):
        typer.echo(translate(line))
    if not report.ok:
        raise typer.Exit(BAD_INPUT)


def doctor() -> None:
    """Tell what is installed, where compiled code is kept and how fast this machine is."""
    notices_to_standard_error()
    examine(typer.echo)


def cache(
    action: Annotated[str, typer.Argument(metavar="[list|clear]", help="What to do.", show_default=False)] = "list",
) -> None:
    """List the compiled code that is kept between runs, or clear it.

    It is in the user's cache folder, or in the folder that the environment variable LUOZI_CACHE names.
    """
    if action not in CACHE_ACTIONS:
        raise LuoziError("the cache can't '{name}'{nearest}", name=action, nearest=nearest(action, CACHE_ACTIONS))
    if action == "clear":
        typer.echo(translate(plural(clear_cache(), "{count} kernel deleted", "{count} kernels deleted")))
    else:
        show_cache(console())
