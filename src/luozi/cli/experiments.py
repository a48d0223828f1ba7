"""The command `experiment`. Thin, as the rest of the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from luozi.cli.approvals import TrustOption
from luozi.cli.contests import (
    DEFAULT_STORE,
    INTERRUPTED,
    ClusterOption,
    HtmlOption,
    JsonOption,
    PlotOption,
    SeedOption,
    StoreOption,
    WorkersOption,
)
from luozi.cli.outputs import output
from luozi.messages import LuoziError, translate

if TYPE_CHECKING:
    from luozi.experiments.frame import Bench, Experiment
    from luozi.experiments.report import Report

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
    from luozi.experiments import find_experiment
    from luozi.matches.store import Store
    from luozi.matches.workers import chosen_executor
    from luozi.terminal.experiments import Terminal

    if name == LIST:
        show_list()
        return
    found, reports = find_experiment(name), ExperimentReports(as_json, csv, plot, html)
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
    from rich.console import Console

    from luozi.experiments import EXPERIMENTS
    from luozi.terminal.experiments import show_experiments

    show_experiments(Console(highlight=False), EXPERIMENTS.values())


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


def do_and_report(found: Experiment, bench: Bench, values: dict[str, object], reports: ExperimentReports) -> None:
    """Do what is missing and report; Ctrl-C reports what there is."""
    from luozi.experiments.report import do_experiment

    try:
        report = do_experiment(found, bench, values)
    except KeyboardInterrupt:
        bench.executor.close()
        reports.give(do_experiment(found, bench.looking(), values))
        typer.echo(
            translate("stopped; the same command goes on from here (results are in {path})", path=bench.store.name),
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    reports.give(report)


class ExperimentReports:
    """In which forms a report is wanted."""

    def __init__(self, as_json: bool, csv: Path | None, plot: Path | None, html: Path | None) -> None:
        self.as_json, self.csv, self.plot, self.html = as_json, csv, plot, html

    def give(self, report: Report) -> None:
        """The tables or JSON on standard output, and the files."""
        from rich.console import Console

        from luozi.experiments.report import json_text, show_report, write_csv, write_page, write_plot

        if self.as_json:
            typer.echo(json_text(report))
        else:
            show_report(Console(highlight=False, width=None if sys.stdout.isatty() else 160), report)
        if self.csv is not None:
            write_csv(self.csv, report)
        if self.plot is not None and not write_plot(self.plot, report):
            typer.echo(translate("there is nothing to draw yet: {text} is not written", text=self.plot), err=True)
        if self.html is not None:
            write_page(self.html, report)
