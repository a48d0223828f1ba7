"""The commands on one game: `play`, `think`, `analyze` and `replay`."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import Annotated

import typer

from luozi.cli.approvals import TrustOption
from luozi.cli.contests import WorkersOption
from luozi.cli.errors import stoppable
from luozi.cli.outputs import output
from luozi.cli.serving import notices_to_standard_error
from luozi.games import game as make_game
from luozi.matches.analysis import Reviewing
from luozi.messages import LuoziError, Message, counted, translate
from luozi.players.presets import default_player
from luozi.records import LiveGame
from luozi.records.files import load_record
from luozi.records.record import Record
from luozi.records.replay import load_replay
from luozi.records.review import Review
from luozi.reports.gif import gif_bytes
from luozi.reports.replays import replay_page
from luozi.reports.review_pages import refuse_other_page, review_page
from luozi.rules.game import Game
from luozi.rules.move_names import split_moves
from luozi.rules.watchdog import patience
from luozi.terminal.analysis import analyse, position_after, step_through
from luozi.terminal.autosave import last_unfinished
from luozi.terminal.progress import Bar
from luozi.terminal.seats import fill_seats, players_of_seats, seat_warnings, seats_in_file
from luozi.terminal.session import TerminalOptions, TerminalSession
from luozi.util.files import refuse_existing, refuse_unwritable, write_whole
from luozi.util.machine import cores, usual_threads

GameArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="GAME", help="A game of 'luozi games', such as gomoku:size=9, or a Python file with your own game."
    ),
]
LoadOption = Annotated[
    Path | None, typer.Option("--load", metavar="FILE", help="Continue from a game record: text, JSON or SGF.")
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=2**62,
        help="Seed of the computer players. A game with a seed and limits in iterations can be repeated. "
        "Default: random.",
    ),
]


def play(
    game: GameArgument = None,
    seat: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="Who plays a seat: person, or a player of 'luozi players'. Repeat it for each seat, in the order "
            "of play. Default: you against a program.",
        ),
    ] = None,
    level: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=10,
            help="Strength of the computer players, from 1 (beginner) to 10. Default: the preset 'strong' with 1 s"
            " per move.",
        ),
    ] = None,
    seed: SeedOption = None,
    save: Annotated[
        Path | None, output("--save", help="Save the game record at the end: text, or SGF if the name ends in .sgf.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file with --save.")] = False,
    visits: Annotated[
        bool,
        typer.Option(
            "--save-candidates", help="Save all candidate moves of each search, with their visits, in the record."
        ),
    ] = False,
    load: LoadOption = None,
    go_on: Annotated[
        bool, typer.Option("--continue", help="Resume the last unfinished game (of GAME, if given).")
    ] = False,
    hint: Annotated[
        str | None,
        typer.Option(metavar="PLAYER", help="The player that answers 'hint'. Default: strong with 1 s."),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Print the nodes, depth and pruned moves of each search.")
    ] = False,
    trust: TrustOption = None,
) -> None:
    """Play a game in the terminal. Type 'help' there to list the commands.

    Without GAME the game is connect4. Every game is saved as it goes on: 'luozi play --continue' resumes the last one.
    Without a terminal and without --seat, two programs play a short demonstration.
    """
    if go_on and load is not None:
        raise LuoziError("give --load or --continue, not both")
    threads = usual_threads() if seed is None else 1
    continued = last_unfinished(game) if go_on else None
    kept = load_record(continued) if continued is not None else None
    chosen, record = (kept.game, kept) if kept is not None else game_and_record(game, load, "connect4")
    if record is not None:
        seat = seat or (list(record.players) if load is None else seats_in_file(record))
        seed = record.seed if seed is None else seed
    if seed is None:
        seed = secrets.randbits(32)
    seats = fill_seats(chosen, seat or [], sys.stdin.isatty(), level)
    with patience(chosen):
        table = LiveGame(chosen, players_of_seats(chosen, seats, seed, threads), seed, visits)
        if record is not None:
            table.go_on(record)
        session = TerminalSession(
            table, TerminalOptions(hint or default_player(seconds=1), save, force, continued, verbose, threads)
        )
        for note in seat_warnings(chosen, seats):
            typer.echo(translate(note), err=True)
        session.run()


def think(
    game: GameArgument = None,
    player: Annotated[
        str | None, typer.Option(metavar="PLAYER", help="The player that searches. Default: strong with 1 s.")
    ] = None,
    load: LoadOption = None,
    moves: Annotated[
        str,
        typer.Option(
            metavar="MOVES",
            help="Moves to play before the search: 'h8 i9'. Separate moves by commas if their names have spaces.",
        ),
    ] = "",
    seed: SeedOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Print one playout, move by move, with the rule that chose each move.")
    ] = False,
    trust: TrustOption = None,
) -> None:
    """Search a position and print the board and the candidate moves with their win rates."""
    chosen, record = game_and_record(game, load, None)
    with patience(chosen):
        position = position_after(chosen, record.actions if record else (), split_moves(moves))
        analyse(position, player or default_player(seconds=1), seed, as_json, trace)


def game_and_record(spelling: str | None, path: Path | None, otherwise: str | None) -> tuple[Game, Record | None]:
    """Return the game of a specification or a record.

    Raises:
        LuoziError: both are given and differ, or none is given.
    """
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


MOST_SHOWN = 10


def analyze(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A game of Go or Gomoku as SGF.")],
    player: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER", help="The player that searches: mcts or strong. Default: strong with 1 s per position."
        ),
    ] = None,
    out: Annotated[Path | None, output("--out", help="SGF file with the results. Default: FILE-analysed.sgf.")] = None,
    html: Annotated[Path | None, output("--html", help="Page with the results. Default: FILE-analysed.html.")] = None,
    workers: WorkersOption = None,
) -> None:
    """Analyse a game of Go or Gomoku: what each move lost, the mistakes and the win rate over the game.

    Results are written to --out as they are found. Run the same command again to resume; positions that are analysed
    already are not searched again.
    """
    if not file.name:
        raise LuoziError("'{file}' is a folder: name a game in it", file=file)
    out = out or file.with_name(f"{file.stem}-analysed.sgf")
    html = html or out.with_suffix(".html")
    for path in (out, html):
        refuse_unwritable(path)
    if html.resolve() in (file.resolve(), out.resolve()):
        raise LuoziError("the page would overwrite the game '{name}'; name another file with --html", name=html)
    refuse_other_page(html)
    reviewing = Reviewing(file, player or default_player(1), out)
    notices_to_standard_error()
    reviewing.prepare()
    missing, found = len(reviewing.missing()), len(reviewing.findings)
    stopped = Message("stopped; run the same command to resume (results are in {path})", path=out)
    with stoppable(lambda: None, stopped), Bar("positions", missing + found, found) as bar:
        review = reviewing.run(workers or cores(), lambda: bar.advance("" if bar.due() else None))
    write_whole(html, review_page(review, title_of(review, file)).encode())
    if reviewing.of_others:
        longer = counted(reviewing.of_others, "position")
        typer.echo(
            translate(
                "{positions} kept the longer analysis of another player; --out with a new file has only this one",
                positions=longer,
            )
        )
    for line in summary(review):
        typer.echo(translate(line))
    typer.echo(translate("written: {text} and {value}", text=out, value=html))


def title_of(review: Review, file: Path) -> str:
    """Return the names of the players, or the file's name."""
    names = review.record.called
    return " and ".join(names) if any(name != "person" for name in names) else file.name


def summary(review: Review) -> list[str]:
    """Return the mean losses and the worst mistakes as lines."""
    lines: list[str] = []
    for player, name in enumerate(("Black", "White")):
        lines.append(
            Message(
                "{who} lost {loss} % of win rate per move on average",
                who=name,
                loss=f"{100 * review.mean_loss(player):.1f}",
            )
        )
    for move in review.mistakes()[:MOST_SHOWN]:
        name = ("Black", "White")[move.player]
        lines.append(
            Message(
                "move {number}, {who} {text}: lost {loss} %, {value} was better",
                number=move.number,
                who=name,
                text=move.name,
                loss=f"{100 * move.loss:.1f}",
                value=move.best,
            )
        )
    return lines


REPLAYS = (".html", ".gif")


def replay(
    file: Annotated[Path, typer.Argument(metavar="RECORD", help="A game record: text, JSON or SGF.")],
    out: Annotated[
        Path | None,
        output("--out", "-o", help="Write a file instead: a page to step through (.html) or an animation (.gif)."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file with --out.")] = False,
    game: Annotated[
        str | None,
        typer.Option(
            "--game", "-g", metavar="GAME", help="Your own game file, if the record is of one: it will be run."
        ),
    ] = None,
    trust: TrustOption = None,
) -> None:
    """Step through a game record, with the win rates and the analysis that it holds.

    In a terminal, Enter steps forward and 'b' back; without one, all positions are printed. With --out the game becomes
    a self-contained HTML page or an animated GIF.
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
