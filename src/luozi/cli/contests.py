"""The commands that play many games: `match`, `tournament`, `openings` and `results`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from luozi.cli.approvals import TrustOption
from luozi.cli.errors import resume_hint, stoppable
from luozi.cli.outputs import (
    CsvOption,
    HtmlOption,
    JsonOption,
    Outputs,
    PlotOption,
    console,
    output,
    refuse_no_new_file,
    refuse_no_new_folder,
)
from luozi.games import game as make_game
from luozi.matches.openings import Openings, balanced_openings, load_openings
from luozi.matches.recovery import recover
from luozi.matches.runner import Run, stored_run
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store
from luozi.matches.summary import show_summary, summarise
from luozi.messages import LuoziError, counted, printable, reason_of, translate
from luozi.players import player
from luozi.records.files import replayed
from luozi.records.sgf import sgf_bytes
from luozi.reports.contest_files import json_text, write_csv, write_page, write_plot
from luozi.statistics.matches import Sprt
from luozi.terminal.contests import find_entry, playing, print_openings, show_store

PlayersArgument = Annotated[
    list[str], typer.Argument(metavar="PLAYER...", help="Players of 'luozi players', such as mcts:c=0.7.")
]
GameOption = Annotated[
    str, typer.Option("--game", "-g", metavar="GAME", help="Game of 'luozi games', or a file with your own.")
]
GamesOption = Annotated[
    int,
    typer.Option(
        "--games",
        "-n",
        min=1,
        max=10**7,
        help="Games between the same players, rounded up to whole pairs or rotations.",
    ),
]
SeedOption = Annotated[int, typer.Option(min=0, max=2**62, help="Seed: the same seed repeats the games.")]
PliesOption = Annotated[
    int | None,
    typer.Option(min=0, max=1000, help="Random moves at the start of each game. Default: two per player."),
]
OpeningsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="File with openings to use instead of random moves, one a line, such as '4 4 3'. 'luozi openings'"
        " makes one.",
    ),
]
StoreOption = Annotated[Path, output("--db", help="SQLite file with results. The same command resumes from it.")]
WorkersOption = Annotated[
    int | None, typer.Option(min=1, max=1024, help="Processes on this machine. Default: one per core.")
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Run on the machines of a Ray cluster at this address, such as 192.168.1.10:6379; 'local' starts "
        "a cluster on this machine.",
    ),
]
VisitsOption = Annotated[
    bool,
    typer.Option(
        "--save-candidates",
        help="Store all candidate moves of each search, with their visits. Such a match is stored apart from "
        "one without them.",
    ),
]
DEFAULT_STORE = Path("luozi-results.db")


def match(
    players: PlayersArgument,
    game: GameOption = "connect4",
    games: GamesOption = 100,
    seed: SeedOption = 1,
    plies: PliesOption = None,
    openings: OpeningsOption = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1",
            help="Stop as soon as a sequential probability ratio test (SPRT) decides between these Elo differences.",
        ),
    ] = None,
    error: Annotated[
        float | None,
        typer.Option("--sprt-error", min=0.0001, max=0.4, help="Error rate of the SPRT on each side. Default: 0.05."),
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    visits: VisitsOption = False,
    as_json: JsonOption = False,
    csv: CsvOption = None,
    plot: PlotOption = None,
    html: HtmlOption = None,
    trust: TrustOption = None,
) -> None:
    """Play games between players and print their scores with 95 % confidence intervals.

    Games come in pairs: the same opening with the seats swapped. With more than two players, each opening is played in
    all rotations of the seats. Stop and run the same command again to resume.
    """
    contest = MatchSchedule.of(game, players, "match", seed, chosen_openings(game, plies, openings), visits)
    run = Run(contest, games, read_sprt(sprt, error))
    with (
        reported(run, store, Outputs(as_json, csv, plot, html)) as opened,
        playing(run, opened, workers, cluster) as play,
    ):
        play()


def tournament(
    players: PlayersArgument,
    game: GameOption = "connect4",
    games: GamesOption = 20,
    gauntlet: Annotated[bool, typer.Option("--gauntlet", help="Let only the first player meet all others.")] = False,
    seed: SeedOption = 1,
    plies: PliesOption = None,
    openings: OpeningsOption = None,
    store: StoreOption = DEFAULT_STORE,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    visits: VisitsOption = False,
    as_json: JsonOption = False,
    csv: CsvOption = None,
    plot: PlotOption = None,
    html: HtmlOption = None,
    trust: TrustOption = None,
) -> None:
    """Play a round robin between many players and print a cross table and Elo ratings."""
    kind = "gauntlet" if gauntlet else "round-robin"
    contest = MatchSchedule.of(game, players, kind, seed, chosen_openings(game, plies, openings), visits)
    run = Run(contest, games)
    with (
        reported(run, store, Outputs(as_json, csv, plot, html)) as opened,
        playing(run, opened, workers, cluster) as play,
    ):
        play()


def openings(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Game of 'luozi games', or a file with your own.")],
    number: Annotated[int, typer.Option("--count", "-n", min=1, max=10**6, help="Number of openings.")] = 50,
    plies: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Moves of each opening. Default: two per player.")
    ] = None,
    choices: Annotated[
        int,
        typer.Option(
            "--best-of",
            min=1,
            max=1000,
            help="Number of random candidate moves per opening move. The candidate that extends the player's lines"
            " most is played. Line games only. Increase it if most games are draws.",
        ),
    ] = 1,
    judge: Annotated[
        str, typer.Option("--evaluator", metavar="PLAYER", help="Player that evaluates the openings.")
    ] = "strong:iterations=2000",
    within: Annotated[
        float,
        typer.Option(
            "--max-imbalance",
            min=0.001,
            max=1,
            help="Maximum imbalance, from 0.001 to 1. Keeps openings in which each player's expected result is "
            "within this distance of the average.",
        ),
    ] = 0.1,
    seed: SeedOption = 1,
) -> None:
    """Find balanced openings for --openings of match, tournament and tune.

    One opening a line is printed. Random openings are often decided already, and then say nothing about the players.
    """
    chosen = make_game(game)
    plies = 2 * chosen.players if plies is None else plies
    of_choices = f" of {choices} choices each" if choices > 1 else ""
    with closing(player(judge, chosen, searching=True, seed=seed)) as thinker:
        title = f"# {chosen.spelling}: {plies} moves{of_choices}, even within {within:.0%} by {thinker.spelling}"
        print_openings(title, islice(balanced_openings(chosen, thinker, plies, within, seed, choices), number), number)


def results(
    contest: Annotated[
        str | None, typer.Argument(metavar="ID", help="First characters of a match's id. Default: the last match.")
    ] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List all matches and tournaments in the file.")] = False,
    record: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", min=1, help="Print the record of this game, for 'luozi play --load'."),
    ] = None,
    sgf: Annotated[
        Path | None,
        output(
            "--sgf",
            metavar="FOLDER",
            help="Write all games as SGF files into a new folder (go and gomoku).",
            check=refuse_no_new_folder,
        ),
    ] = None,
    recover: Annotated[
        Path | None,
        output(
            "--recover",
            metavar="NEW",
            help="Save what can still be read of a damaged file to this new file.",
            check=refuse_no_new_file,
        ),
    ] = None,
    store: Annotated[Path, typer.Option("--db", metavar="FILE", help="SQLite file with results.")] = DEFAULT_STORE,
    as_json: JsonOption = False,
    csv: CsvOption = None,
    plot: PlotOption = None,
    html: HtmlOption = None,
    trust: TrustOption = None,
) -> None:
    """Print the results of a match or a tournament, also while it is running."""
    reports = Outputs(as_json, csv, plot, html)
    if recover is not None:
        recover_database(store, recover)
        return
    if (list_all or record is not None) and reports:
        raise LuoziError("--list and --record print text only: leave --json, --csv, --plot and --html out")
    opened = Store.open(store, create=False)
    if list_all:
        show_store(console(), opened)
        return
    run = stored_run(opened, find_entry(opened, contest))
    if record is not None:
        typer.echo(printable(opened.record(run.contest, record - 1)), nl=False)
        return
    if sgf is not None:
        write_games(run, opened, sgf)
        return
    report_match(run, opened, reports)


def write_games(run: Run, store: Store, folder: Path) -> None:
    """Write every finished game as an SGF file."""
    contest, games = run.contest, {}
    for number in sorted(run.played):
        record = replayed(contest.board, store.record(contest, number), f"game {number + 1}")
        games[number] = sgf_bytes(record)
    try:
        folder.mkdir()
        for number, content in games.items():
            (folder / f"game-{number + 1:04d}.sgf").write_bytes(content)
    except OSError as error:
        raise LuoziError(
            "can't write into '{name}': {reason}; name a new folder", name=folder, reason=reason_of(error)
        ) from None
    typer.echo(translate("{games} in {place}", games=counted(len(games), "game"), place=folder))


def recover_database(store: Path, saved: Path) -> None:
    """Write what can be read of a database into a new one, and print how much that is."""
    typer.echo(translate("{found} in {place}", found=recover(store, saved).message, place=saved))


def report_match(run: Run, store: Store, outputs: Outputs) -> None:
    """Print the table or JSON, and write the files."""
    summary = summarise(run)
    outputs.write(
        partial(write_csv, run=run, store=store),
        partial(write_plot, run=run, summary=summary),
        partial(write_page, run=run, summary=summary, store=store),
    )
    outputs.give(partial(show_summary, summary=summary), partial(json_text, summary))


@contextmanager
def reported(run: Run, path: Path, outputs: Outputs) -> Iterator[Store]:
    """Open the results database, and report in the end; Ctrl-C reports what is finished."""
    with closing(Store.open(path)) as store, stoppable(lambda: report_match(run, store, outputs), resume_hint(path)):
        yield store
        report_match(run, store, outputs)


def chosen_openings(game: str, plies: int | None, path: Path | None) -> Openings | None:
    """Return random openings, those of a file, or None for the default."""
    if path is not None:
        if plies is not None:
            raise LuoziError("give --plies or --openings, not both")
        return load_openings(path, make_game(game))
    return None if plies is None else Openings(plies=plies)


def read_sprt(text: str | None, error: float | None) -> Sprt | None:
    """Return the SPRT of two Elo differences.

    Raises:
        LuoziError: the text is not valid.
    """
    if text is None:
        if error is not None:
            raise LuoziError("--sprt-error needs --sprt, such as --sprt 0,10")
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise LuoziError("--sprt {value} is not valid; write two Elo differences, such as 0,10", value=text) from None
    if not -1000 <= low < high <= 1000:
        raise LuoziError(
            "--sprt {value} is not valid; the first difference must be the smaller one, such as 0,10", value=text
        )
    return Sprt(low, high, error or 0.05, error or 0.05)
