"""The result of a tuning as a table of text."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from luozi.matches.tuning.ranges import written
from luozi.messages import Message, counted, translate
from luozi.util.console import TextConsole
from luozi.util.formats import page_width, percent, percent_interval
from luozi.util.tables import SPELLING, Kind, Said, Table, TextColumn

if TYPE_CHECKING:
    from luozi.matches.tuning.result import TunedParameter, TuningResult

FINDINGS = (
    TextColumn("parameter", SPELLING),
    TextColumn("tried", SPELLING),
    TextColumn("best", Kind(str, left=True, code=True)),
    TextColumn("95 % interval"),
    TextColumn(""),
)


def findings_table(result: TuningResult) -> Table:
    """One line a parameter."""
    lines = [(one.name, one.values, written(one.best), certainty(one), one.note) for one in result.findings]
    return Table(FINDINGS, lines)


def show_result(console: Console, result: TuningResult, said: Said = translate) -> None:
    """Everything about one tuning."""
    seed = said(Message("seed {seed}", seed=result.seed))
    about = f"   {result.game}, {said(result.openings)}, {seed}; {said(state_of(result))}"
    console.print(Text.assemble((said(Message("tuning {id}", id=result.id)), "bold"), about))
    if not result.findings:
        console.print(said("no game is finished yet"))
        return
    findings_table(result).show(console, said)
    forfeits = [
        Message("forfeit: {who} {what} ({times})", who=Message(who), what=Message(what), times=counted(times, "game"))
        for who, what, times in result.forfeits
    ]
    for line in (
        *forfeits,
        Message(
            "win rate of the best against {text}: {rate} (95 %: {interval})",
            text=result.against,
            rate=percent(result.rate),
            interval=percent_interval(*result.interval),
        ),
        Message("the best player: {text}", text=result.best),
        Message("verify it in new games: {text}", text=result.verify),
    ):
        console.print(Text(said(line)), soft_wrap=True)


def state_of(result: TuningResult) -> str:
    """How far it is."""
    trials = counted(len(result.rows), "trial")
    if result.complete:
        return Message("{games} in {trials}", games=counted(result.finished, "game"), trials=trials)
    return Message(
        "{finished} of {wanted} so far, in {trials}",
        finished=f"{result.finished:,}",
        wanted=counted(result.wanted, "game"),
        trials=trials,
    )


def certainty(finding: TunedParameter) -> str:
    """The interval of a number; how likely the choices are the best ones.

    >>> from luozi.matches.tuning.result import TunedParameter
    >>> certainty(TunedParameter("reuse_tree", "true|false", True, None, {"true": 0.9, "false": 0.1}, ""))
    'true: 90 %, false: 10 %'
    """
    if finding.interval is not None:
        return Message("{low} to {high}", low=written(finding.interval[0]), high=written(finding.interval[1]))
    return ", ".join(f"{choice}: {100 * likely:.0f} %" for choice, likely in (finding.shares or {}).items())


def result_text(result: TuningResult, width: int | None = None) -> str:
    """The same as plain text in English, as wide as the terminal if there is one."""
    console = TextConsole(file=io.StringIO(), width=width or page_width(), highlight=False)
    with console.capture() as captured:
        show_result(console, result, str)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
