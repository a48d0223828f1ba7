"""The command `experiment`. Thin, as the rest of the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from luozi.cli.approvals import TrustOption
from luozi.cli.contests import DEFAULT_STORE, ClusterOption, SeedOption, StoreOption, WorkersOption
from luozi.cli.errors import goes_on, stoppable
from luozi.cli.outputs import HtmlOption, JsonOption, Outputs, PlotOption, console, output
from luozi.experiments import EXPERIMENTS, find_experiment
from luozi.experiments.frame import Bench, Experiment
from luozi.experiments.report import Report, do_experiment, json_text, show_report, write_csv, write_page, write_plot
from luozi.matches.store import Store
from luozi.matches.workers import chosen_executor
from luozi.messages import LuoziError, translate
from luozi.terminal.experiments import Terminal, show_experiments

LIST = "list"


def experiment(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="An experiment; 'list' shows all and what --set can say.")
    ] = LIST,
    quick: Annotated[
        bool, typer.Option("--quick", help="A look that takes less than two minutes on two cores.")
    ] = False,
    games: Annotated[
        int | None, typer.Option("--games", "-n", min=1, max=10**7, help="Games for each row of the table.")
    ] = None,
    iterations: Annotated[int | None, typer.Option(min=1, max=10**12, help="The work for each move.")] = None,
    seconds: Annotated[float | None, typer.Option(min=0.001, max=10**5, help="The time for each move instead.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A parameter of the experiment.")
    ] = None,
    seed: SeedOption = 1,
    store: StoreOption = DEFAULT_STORE,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
    csv: Annotated[Path | None, output("--csv", help="Write the tables.")] = None,
    plot: PlotOption = None,
    html: HtmlOption = None,
    trust: TrustOption = None,
) -> None:
    """Do an experiment: the table of a source again, with 95 % intervals beside the source's own figures.

    Everything is kept: the same command goes on where it was stopped, and repeats from its seed.
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
    """All experiments."""
    show_experiments(console(), EXPERIMENTS.values())


def read_settings(written: list[str]) -> dict[str, str]:
    """What --set says, by name."""
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
    """Do what is missing and report; Ctrl-C reports what there is."""

    def report_stopped() -> None:
        bench.executor.close()
        report_experiment(do_experiment(found, bench.looking(), values), outputs)

    with stoppable(report_stopped, goes_on(bench.store.name)):
        report_experiment(do_experiment(found, bench, values), outputs)


def report_experiment(report: Report, outputs: Outputs) -> None:
    """The tables or JSON on standard output, and the files."""

    def draw(path: Path) -> None:
        if not write_plot(path, report):
            typer.echo(translate("there is nothing to draw yet: {text} is not written", text=path), err=True)

    outputs.write(lambda path: write_csv(path, report), draw, lambda path: write_page(path, report))
    outputs.give(lambda tables: show_report(tables, report), lambda: json_text(report), width=160)
