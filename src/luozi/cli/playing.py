"""The commands `play` and `think`. Thin, as the rest of the command line."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import Annotated

import typer

from luozi.cli.approvals import TrustOption
from luozi.cli.outputs import output
from luozi.games import game as make_game
from luozi.messages import LuoziError, translate
from luozi.records import LiveGame
from luozi.records.files import load_record
from luozi.records.record import Record
from luozi.rules.game import Game
from luozi.rules.move_names import split_moves
from luozi.rules.watchdog import patience
from luozi.terminal.analysis import analyse, position_after
from luozi.terminal.autosave import last_unfinished, load_kept
from luozi.terminal.seats import PROGRAM, fill_seats, notes_on_seats, seats_in_file, sit_down
from luozi.terminal.session import TerminalOptions, TerminalSession
from luozi.util.machine import usual_threads

GameArgument = Annotated[
    str | None, typer.Argument(metavar="GAME", help="A game of 'luozi games', such as gomoku:size=9, or a file.")
]
LoadOption = Annotated[Path | None, typer.Option("--load", metavar="FILE", help="Go on from a record.")]
SeedOption = Annotated[int | None, typer.Option(min=0, max=2**62, help="For the programs; not given, one is drawn.")]


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
    chosen, record = game_and_record(game, load, None)
    with patience(chosen):
        position = position_after(chosen, record.actions if record else (), split_moves(moves))
        analyse(position, player or PROGRAM, seed, as_json, trace)


def game_and_record(spelling: str | None, path: Path | None, otherwise: str | None) -> tuple[Game, Record | None]:
    """The game that is named or that a record names; both must be the same, and a file is run only if it is named."""
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
