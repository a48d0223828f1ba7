"""The result of a tuning as a table of text."""

from __future__ import annotations

import io

from rich.console import Console
from rich.text import Text

from luozi.tables import SPELLING, Column, Kind, Said, Table
from luozi.text import counted, page_width, percent, percent_interval
from luozi.tuning.ranges import written
from luozi.tuning.result import Finding, TuningResult
from luozi.words import again

FINDINGS = (
    Column("parameter", SPELLING),
    Column("tried", SPELLING),
    Column("best", Kind(str, left=True, code=True)),
    Column("95 % interval"),
    Column(""),
)


def findings_table(result: TuningResult) -> Table:
    """One line a parameter."""
    lines = [(one.name, one.values, written(one.best), certainty(one), one.note) for one in result.findings]
    return Table(FINDINGS, lines)


def show_result(console: Console, result: TuningResult, said: Said = again) -> None:
    """Everything about one tuning."""
    about = f"   {result.game}, {said(result.openings)}, {said(f'seed {result.seed}')}; {said(state_of(result))}"
    console.print(Text.assemble((said(f"tuning {result.id}"), "bold"), about))
    if not result.findings:
        console.print(said("no game is finished yet"))
        return
    findings_table(result).show(console, said)
    rate = f"{percent(result.rate)} (95 %: {percent_interval(*result.interval)})"
    forfeits = [f"forfeit: {who} {what} ({counted(times, 'game')})" for who, what, times in result.forfeits]
    for line in (
        *forfeits,
        f"win rate of the best against {result.against}: {rate}",
        f"the best player: {result.best}",
        f"verify it in new games: {result.verify}",
    ):
        console.print(Text(said(line)), soft_wrap=True)


def state_of(result: TuningResult) -> str:
    """How far it is."""
    trials = counted(len(result.rows), "trial")
    if result.complete:
        return f"{counted(result.finished, 'game')} in {trials}"
    return f"{result.finished:,} of {counted(result.wanted, 'game')} so far, in {trials}"


def certainty(finding: Finding) -> str:
    """The interval of a number; how likely the choices are the best ones.

    >>> certainty(Finding("keep", "true|false", True, None, {"true": 0.9, "false": 0.1}, ""))
    'true: 90 %, false: 10 %'
    """
    if finding.interval is not None:
        return f"{written(finding.interval[0])} to {written(finding.interval[1])}"
    return ", ".join(f"{choice}: {100 * likely:.0f} %" for choice, likely in (finding.shares or {}).items())


def result_text(result: TuningResult, width: int | None = None) -> str:
    """The same as plain text in English, as wide as the terminal if there is one."""
    console = Console(file=io.StringIO(), width=width or page_width(), highlight=False)
    with console.capture() as captured:
        show_result(console, result, str)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
