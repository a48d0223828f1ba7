"""The command `luozi`. Thin: what a command does is elsewhere, and imported only when it runs, so that help is quick.

`main` is the way in: it turns every kind of bad input into one sentence and exit status 2.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from luozi.cli.commands import Commands
from luozi.cli.contests import match, openings, results, tournament
from luozi.cli.experiments import experiment
from luozi.cli.learning import learn
from luozi.cli.reviews import analyze, replay
from luozi.cli.serving import serve
from luozi.cli.tuning import tune
from luozi.errors import LuoziError, nearest, on_warning
from luozi.outside_text import shown
from luozi.own_folder import remove_stale
from luozi.terminal.streams import quiet_output, say_error, take_streams
from luozi.words import again

if TYPE_CHECKING:
    from luozi.records.record import GameRecord
    from luozi.rules import Game
    from luozi.search import Options

BAD_INPUT, INTERNAL, INTERRUPTED = 2, 1, 130
CACHE_ACTIONS = ("list", "clear")

app = typer.Typer(
    name="luozi",
    help="Monte-Carlo tree search for board games: play, look inside, check a game of your own.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # its panels cut numbers in a narrow terminal
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
)

GameArgument = Annotated[
    str | None, typer.Argument(metavar="GAME", help="A game of 'luozi games', such as gomoku:size=9, or a file.")
]
LoadOption = Annotated[Path | None, typer.Option("--load", metavar="FILE", help="Go on from a record.")]
SeedOption = Annotated[int | None, typer.Option(min=0, max=2**62, help="For the programs; not given, one is drawn.")]
STRONGEST = "not given, the strongest there is"
ServedOption = Annotated[
    str | None, typer.Option(metavar="PLAYER", help=f"Who answers: mcts or strong, with any options; {STRONGEST}.")
]


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
    on_warning(lambda sentence: typer.echo(f"luozi: {again(sentence)}", err=True))


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
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the record at the end or on quit.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Let --save overwrite a file.")] = False,
    visits: Annotated[
        bool, typer.Option("--visits", help="Let records have all candidates of every search, with their visits.")
    ] = False,
    load: LoadOption = None,
    go_on: Annotated[
        bool, typer.Option("--continue", help="Go on with the last game that was left, of GAME if it is named.")
    ] = False,
    hint: Annotated[
        str | None, typer.Option(metavar="PLAYER", help=f"Who answers 'hint'; {STRONGEST}, with 1 s.")
    ] = None,
) -> None:
    """Play a game in the terminal (connect4 if none is named); 'help' there lists the commands.

    Every game is kept as it goes on; the last 20 are in the cache folder. Without a terminal, and with no --seat,
    programs play a short demonstration.
    """
    import secrets

    from luozi.endless import patience
    from luozi.machine import usual_threads
    from luozi.records import Table
    from luozi.terminal.keeping import last_unfinished
    from luozi.terminal.seats import PROGRAM, fill_seats, notes_on_seats, sit_down
    from luozi.terminal.session import Session, Settings

    if go_on and load is not None:
        raise LuoziError("give --load or --continue, not both")
    threads = usual_threads() if seed is None else 1
    continued = last_unfinished(game) if go_on else None
    chosen, record = game_and_record(None if go_on else game, continued or load, "connect4")
    if record is not None:
        seat = seat or list(record.players)
        seed = record.seed if seed is None else seed
    if seed is None:
        seed = secrets.randbits(32)
    seats = fill_seats(chosen, seat or [], sys.stdin.isatty(), level)
    with patience(chosen):
        table = Table(chosen, sit_down(chosen, seats, seed, threads), seed, visits)
        if record is not None:
            table.restart(record.actions, record.comments, record.notes)
        session = Session(table, Settings(hint or PROGRAM, save, force, continued, threads))
        for note in notes_on_seats(chosen, seats):
            typer.echo(again(note), err=True)
        session.run()


@app.command()
def think(
    game: GameArgument = None,
    player: Annotated[str | None, typer.Option(metavar="PLAYER", help=f"Who thinks; {STRONGEST}, with 1 s.")] = None,
    load: LoadOption = None,
    moves: Annotated[
        str, typer.Option(metavar="MOVES", help="Moves to play first: 'h8 i9', or 'a1, b2' where names have spaces.")
    ] = "",
    seed: SeedOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Then tell one simulation move by move, and what chose each move.")
    ] = False,
) -> None:
    """Think about a position: print the board and the candidates with their win rates."""
    from luozi.endless import patience
    from luozi.terminal.analysis import analyse
    from luozi.terminal.seats import PROGRAM

    chosen, record = game_and_record(game, load, None)
    names = [name.strip() for name in moves.split(",")] if "," in moves else moves.split()
    with patience(chosen):
        analyse(chosen, record.actions if record else (), names, player or PROGRAM, seed, as_json, trace)


@app.command()
def games(name: Annotated[str | None, typer.Argument(metavar="GAME", help="Only this one.")] = None) -> None:
    """List the games and their parameters."""
    from rich.console import Console

    from luozi.terminal.lists import show_games

    show_games(Console(highlight=False), name)


@app.command()
def players(name: Annotated[str | None, typer.Argument(metavar="PLAYER", help="Only this one.")] = None) -> None:
    """List the players and their options."""
    from rich.console import Console

    from luozi.terminal.lists import show_players

    show_players(Console(highlight=False), name)


@app.command()
def check(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game, such as my_game.py.")],
    games: Annotated[int, typer.Option(min=1, help="How many random games to play.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed plays the same games.")] = 0,
) -> None:
    """Check a game's rules by random play, compiled and uncompiled."""
    from luozi.check import check_game

    report = check_game(game, games, seed, lambda line: typer.echo(again(line), err=True), speed=True)
    for line in (*report.sentences, *report.facts):
        typer.echo(again(line))
    if not report.ok:
        raise typer.Exit(BAD_INPUT)


@app.command()
def doctor() -> None:
    """Tell what is installed, where compiled code is kept and how fast this machine is."""
    from luozi.doctor import examine

    notices_to_standard_error()
    examine(typer.echo)


@app.command()
def cache(
    action: Annotated[str, typer.Argument(metavar="[list|clear]", help="What to do.", show_default=False)] = "list",
) -> None:
    """List the compiled code that is kept between runs, or clear it.

    It is in the user's cache folder, or in the folder that the environment variable LUOZI_CACHE names.
    """
    from rich.console import Console

    from luozi.compiled.cache import clear_cache
    from luozi.terminal.lists import show_cache
    from luozi.text import counted

    if action not in CACHE_ACTIONS:
        raise LuoziError(f"the cache can't '{action}'{nearest(action, CACHE_ACTIONS)}")
    if action == "clear":
        typer.echo(again(f"{counted(clear_cache(), 'kernel')} deleted"))
    else:
        show_cache(Console(highlight=False))


@app.command()
def gomocup(player: ServedOption = None) -> None:
    """Be a brain for Gomocup programs, such as piskvork: answer its protocol on the standard input."""
    from luozi.servers.gomocup import serve

    notices_to_standard_error()
    raise typer.Exit(serve(sys.stdin, sys.stdout, served_options(player, "gomoku")))


@app.command()
def gtp(
    player: ServedOption = None,
    size: Annotated[int, typer.Option(min=2, max=25, help="Lines of the board until 'boardsize' says.")] = 19,
    komi: Annotated[float, typer.Option(help="Until 'komi' says.")] = 7.5,
    rules: Annotated[str, typer.Option(help="chinese, japanese or tromp_taylor.")] = "chinese",
    seconds: Annotated[float, typer.Option(min=0.01, help="A move, where there is no clock and no other limit.")] = 5.0,
    lag: Annotated[float, typer.Option(min=0, max=60, help="Seconds a move that may get lost on the way.")] = 0.2,
    ponder: Annotated[bool, typer.Option("--ponder", help="Think while the other side does.")] = False,
    resign: Annotated[
        float, typer.Option(min=0, max=0.5, help="Give up below this win rate, three moves in a row; 0: never.")
    ] = 0.05,
    no_pass: Annotated[bool, typer.Option("--no-pass", help="Play on to the end, also where all is decided.")] = False,
    commands: Annotated[bool, typer.Option("--commands", help="Print all commands of the protocol, and end.")] = False,
) -> None:
    """Be a Go engine for Sabaki, Lizzie, GoGui, KGS and others: answer the Go Text Protocol on the standard input."""
    from luozi.servers.gtp import commands_table, serve
    from luozi.servers.gtp_base import Settings

    if commands:
        typer.echo(commands_table())
        return
    notices_to_standard_error()
    settings = Settings(size, komi, rules, seconds, lag, ponder, resign, not no_pass)
    served_options(player, f"go:size={size}")  # one sentence now if it can't answer
    raise typer.Exit(serve(sys.stdin, sys.stdout, lambda game: served_options(player, game), settings))


@app.command()
def course(player: ServedOption = None) -> None:
    """Be an agent for the course platform for Connect Four: new, move, go and quit on the standard input."""
    from luozi.servers.course import serve

    notices_to_standard_error()
    served_options(player, "connect4")  # one sentence now if it can't answer
    raise typer.Exit(serve(sys.stdin, sys.stdout, lambda game: served_options(player, game)))


for contest_command in (serve, analyze, replay, match, tournament, openings, results, tune, learn, experiment):
    app.command()(contest_command)


def game_and_record(spelling: str | None, path: Path | None, otherwise: str | None) -> tuple[Game, GameRecord | None]:
    """The game that is named or that a record names; both must be the same."""
    from luozi.games import game as make_game
    from luozi.records.record import load_record

    record = load_record(path) if path is not None else None
    if spelling is None and record is not None:
        return record.game, record
    spelling = spelling or otherwise
    if spelling is None:
        raise LuoziError("name a game, such as gomoku, or a record with --load")
    chosen = make_game(spelling)
    if record is not None and record.game.spelling != chosen.spelling:
        raise LuoziError(f"{path} is a record of {record.game.spelling}, not of {chosen.spelling}")
    return chosen, record


def served_options(spelling: str | None, game: str | Game) -> Options:
    """The options of a player that other programs can talk to."""
    from luozi.games import game as make_game
    from luozi.machine import usual_threads
    from luozi.parameters import split_spelling
    from luozi.players import PLAYERS, may_share, spelled_out
    from luozi.players.presets import default_player
    from luozi.search import Options

    spelling = spelling or default_player()
    name, values = split_spelling(spelling)
    if name == "strong":
        values = split_spelling(spelled_out(spelling, make_game(game)))[1]
    elif name != "mcts":
        raise LuoziError(f"only mcts and strong can answer here, not '{name}': write --player mcts:...")
    shared = {"threads": usual_threads(), **values}
    fits = may_share(make_game(game), PLAYERS["mcts"], shared, "seed" in values)
    return Options.of(**shared if fits else values)


def notices_to_standard_error() -> None:
    """Say what is being compiled, away from the results."""
    from luozi.compiled.cache import on_compile

    on_compile(lambda notice: typer.echo(again(notice), err=True))


# The way in -----------------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    try:
        take_streams()
        remove_stale()  # what a killed one may have left
        words = list(sys.argv[1:] if arguments is None else arguments)
        status = app(args=words or ["--help"], prog_name="luozi", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except BrokenPipeError:
        quiet_output()
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except SystemExit as error:
        from luozi.games.own import place_in_own_game

        if place_in_own_game(error) is None:
            raise
        return complain(error)
    except Exception as error:
        return complain(error)


def complain(error: BaseException) -> int:
    """One sentence about what went wrong; the exit status."""
    if os.environ.get("LUOZI_DEBUG"):
        traceback.print_exception(error)
    sentence, status = sentence_about(error)
    say_error(sentence)
    return status


def sentence_about(error: BaseException) -> tuple[str, int]:
    """The sentence and the exit status: the user's input, the user's game, or our fault."""
    if isinstance(error, LuoziError):
        return again(str(error)), BAD_INPUT
    if hasattr(error, "format_message"):  # the command line itself is wrong
        return again(usage_sentence(error)), BAD_INPUT
    from luozi.games.own import place_in_own_game

    place = place_in_own_game(error)
    if place is not None:
        return again(place), BAD_INPUT
    if isinstance(error, OSError) and error.strerror:  # the machine's no: a full disk, a name too long, no permission
        return (
            f"{again(error.strerror)}{'' if error.filename is None else f': {shown(str(error.filename))}'}",
            BAD_INPUT,
        )
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    return again(f"unexpected {what}; please report it (LUOZI_DEBUG=1 shows where it happened)"), INTERNAL


def usage_sentence(error: BaseException) -> str:
    """Typer's own errors in the same form as ours."""
    message: str = error.format_message()  # type: ignore[attr-defined]
    unknown = re.match(r"No such (command|option):? '?([^' ]*)", message)
    if unknown is None:
        return message[:1].lower() + message[1:]
    kind, wrong = unknown.groups()
    command = getattr(getattr(error, "ctx", None), "info_name", "")
    if command == "cache" and wrong.lstrip("-") in CACHE_ACTIONS:
        return f"there is no option '{wrong}': write 'luozi cache {wrong.lstrip('-')}'"
    commands = [command.callback.__name__ for command in app.registered_commands if command.callback]
    possible = commands if kind == "command" else getattr(error, "possibilities", None) or ()
    return f"there is no {kind} '{wrong}'{nearest(wrong, possible) or '; --help lists what there is'}"
