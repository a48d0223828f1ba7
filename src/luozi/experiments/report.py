"""Reports of experiments: tables in the terminal, JSON, CSV, plot, page. They contain no clock times."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from luozi.experiments.frame import Bench, Experiment
from luozi.experiments.table import Result, csv_lines
from luozi.matches.store import Store
from luozi.matches.summary import finite
from luozi.messages import Message, counted, joined, translate
from luozi.reports.contest_files import versions_text
from luozi.reports.pages import Code, DefinitionList, Item, Line, Section, SvgFigure, page
from luozi.util.files import check_plot_name, write_whole
from luozi.util.old_names import old_experiment

RUNS, MOST_RUNS = "how it was done", 50
QUICK = "A quick look: too few games or too little thought for conclusions."


@dataclass(frozen=True)
class Report:
    """An experiment with its bench, parameters and result."""

    experiment: Experiment
    bench: Bench
    values: Mapping[str, Any]
    result: Result

    @property
    def state(self) -> str:
        """A warning that the experiment is quick or unfinished, or nothing."""
        bench = self.bench
        unfinished = Message(
            "Not complete: {done} of {wanted} games and measurements are finished.",
            done=f"{bench.done:,}",
            wanted=f"{bench.wanted:,}",
        )
        return joined([Message(QUICK)] * bench.quick + [unfinished] * (not bench.complete), " ")

    @property
    def settings(self) -> list[tuple[str, Line]]:
        """The conditions of the experiment."""
        budget = self.bench.budget
        work: Line = Message(
            "{work}, {each} for each row{timed}",
            work=budget.work,
            each=counted(budget.games, self.experiment.unit),
            timed="" if budget.iterations else Message("; by the clock, so a repetition plays other games"),
        )
        played = [
            (Message("{text}, {count} times", text=what, count=f"{times:,}") if len(self.bench.versions) > 1 else what)
            for what, times in ((versions_text(text), times) for text, times in self.bench.versions.items())
        ]
        facts: list[tuple[str, Line]] = [("budget", work), ("seed", str(self.bench.seed)), *self.result.facts]
        return [*facts, *(("played by", what) for what in played)]

    @property
    def command(self) -> str:
        """The command that repeats the experiment."""
        bench, budget = self.bench, self.bench.budget
        words = ["luozi", "experiment", self.experiment.name, *["--quick"] * bench.quick, "--games", str(budget.games)]
        words += ["--iterations", str(budget.iterations)] if budget.iterations else ["--seconds", f"{budget.seconds:g}"]
        words += ["--seed", str(bench.seed)]
        for name, value in self.values.items():
            words += ["--set", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
        return shlex.join(words)

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        bench, result = self.bench, self.result
        return finite(
            {
                "experiment": self.experiment.name,
                "question": self.experiment.question,
                "source": self.experiment.source,
                "quick": bench.quick,
                "complete": bench.complete,
                "settings": {name: plain(line) for name, line in self.settings},
                "tables": [table.as_dict() for table in result.tables],
                "findings": [self.state] if self.state else [],
                "notes": list(result.notes),
                "command": self.command,
            }
        )


def plain(line: Line) -> str:
    """Return a line of a page as plain text."""
    return line if isinstance(line, str) else "".join(line)


def do_experiment(experiment: Experiment, bench: Bench, values: Mapping[str, Any]) -> Report:
    """Carry out an experiment with the bench's budget and seed, or only read its results; return the report.

    >>> from luozi.experiments import EXPERIMENTS
    >>> opponents = EXPERIMENTS["opponents"]
    >>> bench = opponents.bench(games=2, iterations=10)
    >>> do_experiment(opponents, bench.looking(), {}).bench.done
    0
    """
    if bench.working:
        remember(bench, values)
    return Report(experiment, bench, values, experiment.result(bench, values))


def remember(bench: Bench, values: Mapping[str, Any]) -> None:
    """Store budget, seed and parameters, so that the report can be made again from the games."""
    budget = asdict(bench.budget)
    run = {"quick": bench.quick, "seed": bench.seed, **budget, "values": dict(values)}
    others = [one for one in bench.store.measured(bench.stored_name, RUNS) or [] if one != run]
    bench.store.measure(bench.stored_name, RUNS, [*others, run][-MOST_RUNS:])


def remembered(experiment: Experiment, store: Store) -> list[tuple[Bench, dict[str, Any]]]:
    """Return benches that read the results of all stored runs of an experiment, the last run first, with parameters."""
    found = []
    for run in reversed(store.measured(old_experiment(experiment.name), RUNS) or []):
        iterations, seconds = run["iterations"] or None, None if run["iterations"] else run["seconds"]
        bench = experiment.bench(run["quick"], run["seed"], run["games"], iterations, seconds, store=store)
        found.append((bench.looking(), experiment.values(run["values"])))
    return found


# Ways out -------------------------------------------------------------------------------------------------------------


def show_report(console: Console, report: Report) -> None:
    """Print a report in the terminal."""
    experiment, result = report.experiment, report.result
    beside = translate("beside {source}", source=Message(experiment.source))
    console.print(Text.assemble((translate(experiment.title), "bold"), f"   {beside}"), soft_wrap=True)
    for name, line in report.settings:
        console.print(
            Text(
                translate(
                    "{name}: {line}",
                    name=Message(name),
                    line=Message(line) if isinstance(line, str) else joined(map(Message, line), ""),
                ),
                "dim",
            ),
            soft_wrap=True,
        )
    for table in result.tables:
        console.print()
        table.show(console)
    if report.state:
        console.print()
        console.print(Text(translate(report.state)), soft_wrap=True)


def json_text(report: Report) -> str:
    """Return a report as JSON."""
    return json.dumps(report.as_dict(), indent=2, allow_nan=False, ensure_ascii=False)


def write_csv(path: Path, report: Report) -> None:
    """Write all tables into one CSV file."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(csv_lines(report.result.tables))
    write_whole(path, file.getvalue().encode())


def write_plot(path: Path, report: Report) -> bool:
    """Write the figure; return false if there is nothing to draw yet."""
    check_plot_name(path)
    from luozi.experiments.drawing import draw  # matplotlib takes a while to load
    from luozi.reports.figures import figure_bytes

    figure = draw(report.result)
    if figure is not None:
        write_whole(path, figure_bytes(figure, path.suffix.lower()[1:]))
    return figure is not None


def write_page(path: Path, report: Report) -> None:
    """Write an HTML page that needs no other file."""
    write_whole(path, report_page(report).encode())


def report_page(report: Report) -> str:
    """Return the HTML page: question, result, conditions and the command that repeats it."""
    experiment, result = report.experiment, report.result
    found: list[Item] = [*picture(report), *result.tables, *result.notes]
    done: list[Item] = [
        DefinitionList(report.settings),
        "This command does it again; what is kept is not played again:",
    ]
    sections = [
        *([Section("", [report.state])] if report.state else []),
        Section("Result", found),
        Section("How it was done", [f"Beside it: {experiment.source}.", *done, Code(report.command)]),
    ]
    kind = f"Luozi experiment {experiment.name}{' · quick look' if report.bench.quick else ''}"
    return page(experiment.title, sections, experiment.question, kind)


def picture(report: Report) -> list[Item]:
    """Return the figure for the page, if there is one."""
    from luozi.experiments.drawing import description, draw
    from luozi.reports.figures import svg_text

    figure = draw(report.result)
    return [] if figure is None else [SvgFigure(svg_text(figure), description(report.result))]
