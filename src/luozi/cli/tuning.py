"""The command `tune`. Thin, as the rest of the command line."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from luozi.cli.approvals import TrustOption
from luozi.cli.contests import (
    DEFAULT_STORE,
    ClusterOption,
    GameOption,
    OpeningsOption,
    PliesOption,
    SeedOption,
    StoreOption,
    WorkersOption,
    chosen_openings,
)
from luozi.cli.errors import goes_on, stoppable
from luozi.cli.outputs import HtmlOption, JsonOption, Outputs, PlotOption, output
from luozi.matches.store import Store
from luozi.matches.tuning.result import conclude, csv_text, json_text
from luozi.matches.tuning.tables import show_result
from luozi.matches.tuning.trials import Tuning, TuningRun
from luozi.matches.workers import chosen_executor
from luozi.terminal.tuning import play_tuning
from luozi.util.files import write_whole


def tune(
    player: Annotated[
        str, typer.Argument(metavar="PLAYER", help="The player without what is tuned, such as mcts:iterations=2000.")
    ],
    against: Annotated[str, typer.Option("--opponent", metavar="PLAYER", help="The opponent, in all other seats.")],
    parameters: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", metavar="NAME=VALUES", help="What to tune: LOW:HIGH, LOW:HIGH:log or ONE|OTHER."),
    ] = None,
    game: GameOption = "connect4",
    games: Annotated[int, typer.Option("--games", "-n", min=1, max=10**7, help="Games in all.")] = 2000,
    trial_games: Annotated[
        int, typer.Option(min=2, max=10**6, help="Games of one trial, which tries one value of each parameter.")
    ] = 20,
    seed: SeedOption = 1,
    plies: PliesOption = None,
    openings: OpeningsOption = None,
    store: StoreOption = DEFAULT_STORE,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
    csv: Annotated[Path | None, output("--csv", help="Write a table of all trials.")] = None,
    plot: PlotOption = None,
    html: HtmlOption = None,
    trust: TrustOption = None,
) -> None:
    """Find the best values of a player's parameters, and say how certain they are.

    Values are tried in short matches, more often where they win more; a surface fitted to all games gives the answer.
    """
    reports = Outputs(as_json, csv, plot, html)
    opened = chosen_openings(game, plies, openings)
    tuning = Tuning.of(player, parameters or [], against, game, seed, opened).in_trials(trial_games)
    named = "" if openings is None else str(openings)
    with closing(Store.open(store)) as kept:
        run = TuningRun(tuning, games, kept)
        with stoppable(lambda: report(run, reports, named), goes_on(store)):
            play_tuning(run, chosen_executor(workers, cluster))
            report(run, reports, named)


def report(run: TuningRun, outputs: Outputs, openings_file: str) -> None:
    """The table or JSON on standard output, and the files."""
    result = conclude(run, openings_file)

    def write_plot(path: Path) -> None:
        from luozi.reports.figures import figure_bytes
        from luozi.reports.tuning_plots import tuning_figure

        write_whole(path, figure_bytes(tuning_figure(result), path.suffix.lower()[1:]))

    def write_page(path: Path) -> None:
        from luozi.reports.tuning_pages import tuning_page

        write_whole(path, tuning_page(result).encode())

    outputs.write(lambda path: write_whole(path, csv_text(result).encode()), write_plot, write_page)
    outputs.give(lambda tables: show_result(tables, result), lambda: json_text(result))
