"""The commands `experiment` and `tune`."""

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
from luozi.cli.errors import resume_hint, stoppable
from luozi.cli.outputs import HtmlOption, JsonOption, Outputs, PlotOption, console, output
from luozi.experiments import EXPERIMENTS, find_experiment
from luozi.experiments.frame import Bench, Experiment
from luozi.experiments.report import Report, do_experiment, json_text, show_report, write_csv, write_page, write_plot
from luozi.matches.store import Store
from luozi.matches.tuning.result import conclude, show_result
from luozi.matches.tuning.trials import Tuning, TuningRun
from luozi.matches.workers import chosen_executor
from luozi.messages import LuoziError, translate
from luozi.reports.contest_files import json_text as result_json
from luozi.reports.contest_files import trials_csv
from luozi.terminal.contests import Terminal, play_tuning, show_experiments
from luozi.util.files import write_whole

LIST = "list"


def experiment(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="Name of an experiment; 'list' prints all of them and their parameters."),
    ] = LIST,
    quick: Annotated[
        bool, typer.Option("--quick", help="Use a small budget: less than two minutes on two cores.")
    ] = False,
    games: Annotated[
        int | None, typer.Option("--games", "-n", min=1, max=10**7, help="Games per row of the table.")
    ] = None,
    iterations: Annotated[int | None, typer.Option(min=1, max=10**12, help="Iterations per move.")] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.001, max=10**5, help="Seconds per move, instead of iterations.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A parameter of the experiment. You can repeat it."),
    ] = None,
    seed: SeedOption = 1,
    store: StoreOption = DEFAULT_STORE,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
    csv: Annotated[Path | None, output("--csv", help="Write the tables as CSV.")] = None,
    plot: PlotOption = None,
    html: HtmlOption = None,
    trust: TrustOption = None,
) -> None:
    """Repeat a published table, with 95 % confidence intervals beside the published figures.

    Everything is stored: run the same command again to resume.
    """
    if name == LIST:
        show_list()
        return
    found, reports = find_experiment(name), Outputs(as_json, csv, plot, html)
    values = found.values(read_settings(settings or []))
    opened, executor = Store.open(store), chosen_executor(workers, cluster)
    place = {"store": opened, "executor": executor, "host": Terminal()}
    try:
        do_and_report(found, found.bench(quick, seed, games, iterations, seconds, **place), values, reports)
    finally:
        executor.close()
        opened.close()


def show_list() -> None:
    """Print all experiments."""
    show_experiments(console(), EXPERIMENTS.values())


def read_settings(written: list[str]) -> dict[str, str]:
    """Return the values of --set by name.

    Raises:
        LuoziError: one is not valid, or is given twice.
    """
    found: dict[str, str] = {}
    for text in written:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise LuoziError("--set {text} is not valid; write --set name=value", text=text)
        if name.strip() in found:
            raise LuoziError("--set gives {name} twice", name=name.strip())
        found[name.strip()] = value.strip()
    return found


def do_and_report(found: Experiment, bench: Bench, values: dict[str, object], outputs: Outputs) -> None:
    """Run what is missing and report; Ctrl-C reports what there is."""

    def report_stopped() -> None:
        bench.executor.close()
        report_experiment(do_experiment(found, bench.looking(), values), outputs)

    with stoppable(report_stopped, resume_hint(bench.store.name)):
        report_experiment(do_experiment(found, bench, values), outputs)


def report_experiment(report: Report, outputs: Outputs) -> None:
    """Print the tables or JSON, and write the files."""

    def draw(path: Path) -> None:
        if not write_plot(path, report):
            typer.echo(translate("there is nothing to draw yet: {text} is not written", text=path), err=True)

    outputs.write(lambda path: write_csv(path, report), draw, lambda path: write_page(path, report))
    outputs.give(lambda tables: show_report(tables, report), lambda: json_text(report), width=160)


def tune(
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER",
            help="The player to tune, without the parameters of --param, such as mcts:iterations=2000.",
        ),
    ],
    against: Annotated[str, typer.Option("--opponent", metavar="PLAYER", help="The player in all other seats.")],
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            "-p",
            metavar="NAME=VALUES",
            help="A parameter and its values: LOW:HIGH, LOW:HIGH:log or ONE|OTHER. You can repeat it.",
        ),
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
    csv: Annotated[Path | None, output("--csv", help="Write a CSV table of all trials.")] = None,
    plot: PlotOption = None,
    html: HtmlOption = None,
    trust: TrustOption = None,
) -> None:
    """Find the best values of a player's parameters, with 95 % confidence intervals.

    Values are tried in short matches, more often where they win more. The answer is the maximum of a surface fitted to
    all games. Run the same command again to resume.
    """
    reports = Outputs(as_json, csv, plot, html)
    opened = chosen_openings(game, plies, openings)
    tuning = Tuning.of(player, parameters or [], against, game, seed, opened).in_trials(trial_games)
    named = "" if openings is None else str(openings)
    with closing(Store.open(store)) as kept:
        run = TuningRun(tuning, games, kept)
        with stoppable(lambda: report(run, reports, named), resume_hint(store)):
            play_tuning(run, chosen_executor(workers, cluster))
            report(run, reports, named)


def report(run: TuningRun, outputs: Outputs, openings_file: str) -> None:
    """Print the table or JSON, and write the files."""
    result = conclude(run, openings_file)

    def write_plot(path: Path) -> None:
        from luozi.reports.figures import figure_bytes
        from luozi.reports.tuning_pages import tuning_figure

        write_whole(path, figure_bytes(tuning_figure(result), path.suffix.lower()[1:]))

    def write_page(path: Path) -> None:
        from luozi.reports.tuning_pages import tuning_page

        write_whole(path, tuning_page(result).encode())

    outputs.write(lambda path: write_whole(path, trials_csv(result).encode()), write_plot, write_page)
    outputs.give(lambda tables: show_result(tables, result), lambda: result_json(result))
