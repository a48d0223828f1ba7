"""The command `luozi`. Thin: what a command does is elsewhere, and imported only when it runs, so that help is quick.

`main` is the way in: it turns every kind of bad input into one sentence and exit status 2.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache as kept
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from luozi.cli.approvals import TrustOption, ask_user, with_approvals
from luozi.cli.commands import Commands, HelpCommand
from luozi.cli.contests import match, openings, results, tournament
from luozi.cli.errors import BAD_INPUT, CACHE_ACTIONS, INTERRUPTED, complain
from luozi.cli.experiments import experiment
from luozi.cli.learning import learn
from luozi.cli.outputs import console, output
from luozi.cli.protocols import connect4_agent, gomocup, gtp, notices_to_standard_error
from luozi.cli.reviews import analyze, replay
from luozi.cli.serving import serve
from luozi.cli.tuning import tune
from luozi.messages import LuoziError, language, nearest, on_warning, plural, translate
from luozi.terminal.streams import quiet_output, take_streams
from luozi.util.old_names import COMMANDS
from luozi.util.tempdirs import remove_stale
from luozi.util.trust import only_named

if TYPE_CHECKING:
    from luozi.records.record import Record
    from luozi.rules.game import Game

SETTINGS: dict[str, Any] = {
    "name": "luozi",
    "help": "Monte-Carlo tree search for board games: play, look inside, check a game of your own.",
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,  # its panels cut numbers in a narrow terminal
    "cls": Commands,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}
app = typer.Typer(**SETTINGS)

GameArgument = Annotated[
    str | None, typer.Argument(metavar="GAME", help="A game of 'luozi games', such as gomoku:size=9, or a file.")
]
LoadOption = Annotated[Path | None, typer.Option("--load", metavar="FILE", help="Go on from a record.")]
SeedOption = Annotated[int | None, typer.Option(min=0, max=2**62, help="For the programs; not given, one is drawn.")]


def show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        from luozi import __version__

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


@app.command()
def play(
    game: GameArgument = None,
    seat: Annotated[
        list[str] | None,
        typer.Option(metavar="PLAYER", help="person, or a player as 'luozi players' lists it; once for each player."),
    ] = None,
    level: Annotated[
        int | None,
        typer.Option(min=1, max=10, help="How strong programs are, 1 (beginner) to 10; not given, strong with 1 s."),
    ] = None,
    seed: SeedOption = None,
    save: Annotated[Path | None, output("--save", help="Write the record at the end or on quit.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Let --save overwrite a file.")] = False,
    visits: Annotated[
        bool,
        typer.Option("--save-candidates", help="Let records have all candidates of every search, with their visits."),
    ] = False,
    load: LoadOption = None,
    go_on: Annotated[
        bool, typer.Option("--continue", help="Go on with the last game that was left, of GAME if it is named.")
    ] = False,
    hint: Annotated[
        str | None,
        typer.Option(metavar="PLAYER", help="Who answers 'hint'; not given, the strongest there is, with 1 s."),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Tell all about the work of a search after each move: nodes, depth, cuts.")
    ] = False,
    trust: TrustOption = None,
) -> None:
    """Play a game in the terminal (connect4 if none is named); 'help' there lists the commands.

    Every game is kept as it goes on; the last 20 are in the cache folder. Without a terminal, and with no --seat,
    programs play a short demonstration.
    """
    import secrets

    from luozi.records import LiveGame
    from luozi.rules.watchdog import patience
    from luozi.terminal.autosave import last_unfinished, load_kept
    from luozi.terminal.seats import PROGRAM, fill_seats, notes_on_seats, seats_in_file, sit_down
    from luozi.terminal.session import TerminalOptions, TerminalSession
    from luozi.util.machine import usual_threads

    if go_on and load is not None:
        raise LuoziError("give --load or --continue, not both")
    threads = usual_threads() if seed is None else 1
    continued = last_unfinished(game) if go_on else None
    kept = load_kept(continued) if continued is not None else None
    chosen, record = (kept.game, kept) if kept is not None else game_and_record(game, load, "connect4")
    if record is not None:
        seat = seat or (list(record.players) if load is None else seats_in_file(record))
        seed = record.seed if seed is None else seed
    if seed is None:
        seed = secrets.randbits(32)
    seats = fill_seats(chosen, seat or [], sys.stdin.isatty(), level)
    with patience(chosen):
        table = LiveGame(chosen, sit_down(chosen, seats, seed, threads), seed, visits)
        if record is not None:
            table.go_on(record)
        session = TerminalSession(table, TerminalOptions(hint or PROGRAM, save, force, continued, verbose, threads))
        for note in notes_on_seats(chosen, seats):
            typer.echo(translate(note), err=True)
        session.run()


@app.command()
def think(
    game: GameArgument = None,
    player: Annotated[
        str | None, typer.Option(metavar="PLAYER", help="Who thinks; not given, the strongest there is, with 1 s.")
    ] = None,
    load: LoadOption = None,
    moves: Annotated[
        str, typer.Option(metavar="MOVES", help="Moves to play first: 'h8 i9', or 'a1, b2' where names have spaces.")
    ] = "",
    seed: SeedOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Then tell one simulation move by move, and what chose each move.")
    ] = False,
    trust: TrustOption = None,
) -> None:
    """Think about a position: print the board and the candidates with their win rates."""
    from luozi.rules.move_names import split_moves
    from luozi.rules.watchdog import patience
    from luozi.terminal.analysis import analyse, position_after
    from luozi.terminal.seats import PROGRAM

    chosen, record = game_and_record(game, load, None)
    with patience(chosen):
        position = position_after(chosen, record.actions if record else (), split_moves(moves))
        analyse(position, player or PROGRAM, seed, as_json, trace)


@app.command()
def games(name: Annotated[str | None, typer.Argument(metavar="GAME", help="Only this one.")] = None) -> None:
    """List the games and their parameters."""
    from luozi.terminal.lists import show_games

    show_games(console(), name)


@app.command()
def players(name: Annotated[str | None, typer.Argument(metavar="PLAYER", help="Only this one.")] = None) -> None:
    """List the players and their options."""
    from luozi.terminal.lists import show_players

    show_players(console(), name)


@app.command()
def check(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game, such as my_game.py.")],
    games: Annotated[int, typer.Option(min=1, help="How many random games to play.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed plays the same games.")] = 0,
) -> None:
    """Check a game's rules by random play, compiled and uncompiled."""
    from luozi.check import check_game

    report = check_game(game, games, seed, lambda line: typer.echo(translate(line), err=True), speed=True)
    for line in (*report.sentences, *report.facts):
        typer.echo(translate(line))
    if not report.ok:
        raise typer.Exit(BAD_INPUT)


@app.command()
def doctor() -> None:
    """Tell what is installed, where compiled code is kept and how fast this machine is."""
    from luozi.terminal.doctor import examine

    notices_to_standard_error()
    examine(typer.echo)


@app.command()
def cache(
    action: Annotated[str, typer.Argument(metavar="[list|clear]", help="What to do.", show_default=False)] = "list",
) -> None:
    """List the compiled code that is kept between runs, or clear it.

    It is in the user's cache folder, or in the folder that the environment variable LUOZI_CACHE names.
    """
    from luozi.compiled.cache import clear_cache
    from luozi.terminal.lists import show_cache

    if action not in CACHE_ACTIONS:
        raise LuoziError("the cache can't '{name}'{nearest}", name=action, nearest=nearest(action, CACHE_ACTIONS))
    if action == "clear":
        typer.echo(translate(plural(clear_cache(), "{count} kernel deleted", "{count} kernels deleted")))
    else:
        show_cache(console())


for command in (
    gomocup,
    gtp,
    connect4_agent,
    serve,
    analyze,
    replay,
    match,
    tournament,
    openings,
    results,
    tune,
    learn,
):
    app.command()(command)
app.command()(experiment)
for registered in app.registered_commands:
    assert registered.callback is not None
    registered.callback = with_approvals(registered.callback)
    registered.cls = HelpCommand


def game_and_record(spelling: str | None, path: Path | None, otherwise: str | None) -> tuple[Game, Record | None]:
    """The game that is named or that a record names; both must be the same, and a file is run only if it is named."""
    from luozi.games import game as make_game
    from luozi.records.record import load_record

    record = load_record(path, spelling) if path is not None else None
    if spelling is None and record is not None:
        return record.game, record
    spelling = spelling or otherwise
    if spelling is None:
        raise LuoziError("name a game, such as gomoku, or a record with --load")
    chosen = make_game(spelling)
    if record is not None and record.game.spelling != chosen.spelling:
        raise LuoziError(
            "{text} is a record of {game}, not of {other}", text=path, game=record.game.spelling, other=chosen.spelling
        )
    return chosen, record


# The way in -----------------------------------------------------------------------------------------------------------


@kept
def ready(name: str, spoken: str) -> Any:
    """The command of that name alone, or all if there is none: to make all ready takes longer than many a command.

    It is kept, for whoever calls `main` again, in each language, which it remembers.
    """
    named = [
        info for info in app.registered_commands if info.callback and info.callback.__name__ == name.replace("-", "_")
    ]
    part = typer.Typer(**SETTINGS)
    part.registered_callback = app.registered_callback
    part.registered_commands = named or app.registered_commands
    return typer.main.get_command(part)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    try:
        take_streams()
        remove_stale()  # what a killed one may have left
        words = list(sys.argv[1:] if arguments is None else arguments)
        words[:1] = [COMMANDS.get(word, word) for word in words[:1]]
        command = ready(words[0] if words else "", language())
        with only_named(ask_user):
            status = command(args=words or ["--help"], prog_name="luozi", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except BrokenPipeError:
        quiet_output()
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except SystemExit as error:
        from luozi.games.user_files import place_in_own_game

        if place_in_own_game(error) is None:
            raise
        return complain(error)
    except Exception as error:
        return complain(error)
