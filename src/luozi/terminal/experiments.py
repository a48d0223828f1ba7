"""Experiments at the terminal: the list of all, and their progress."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager

from rich.console import Console
from rich.text import Text

from luozi.experiments.frame import Experiment, ProgressBar
from luozi.matches.runner import Run, play_all
from luozi.matches.store import Store
from luozi.matches.tuning.trials import TuningRun
from luozi.matches.workers import Executor
from luozi.messages import Message, counted, translate
from luozi.terminal.contests import get_ready
from luozi.terminal.lists import show_entry
from luozi.terminal.progress import Bar


class Terminal:
    """Shows bars on standard error."""

    def play(
        self, runs: Sequence[Run], tunings: Sequence[TuningRun], store: Store, executor: Executor, label: str
    ) -> None:
        """Play what is missing, with one bar over all games."""
        for run in runs:
            run.load(store)
        for tuning in tunings:
            tuning.load()
        if all(run.complete for run in runs) and all(tuning.complete for tuning in tunings):
            return
        wanted = sum(run.wanted for run in runs) + sum(tuning.wanted for tuning in tunings)
        finished = sum(len(run.played) for run in runs) + sum(tuning.finished for tuning in tunings)
        with Bar(label, wanted, finished) as bar:
            get_ready(bar, runs, store, [Run(tuning.tuning.base, 0) for tuning in tunings])
            play_all(runs, store, executor, lambda *_: advance(bar))
            for tuning in tunings:
                tuning.play(executor, lambda: advance(bar))

    def bar(self, label: str, total: int, done: int) -> AbstractContextManager[ProgressBar]:
        return Bar(label, total, done)


def advance(bar: Bar) -> None:
    """One more game; where there is no terminal, a line now and then."""
    bar.advance("" if bar.due() else None)


def show_experiments(console: Console, experiments: Iterable[Experiment]) -> None:
    """What there is, what it asks, what it costs and what can be set."""
    for one in experiments:
        meaning = f"{translate(one.question)} {translate('Beside {source}.', source=Message(one.source))}"
        show_entry(console, one.name, meaning, one.parameters.values())
        budgets = translate(
            "{each} a row, {work}; --quick: {quick} a row, {more}",
            each=counted(one.budget.games, one.unit),
            work=one.budget.work,
            quick=counted(one.quick.games, one.unit),
            more=one.quick.work,
        )
        console.print(Text(budgets, "dim"), soft_wrap=True)
        console.print()
    console.print(translate("Write 'luozi experiment NAME --set parameter=value --set parameter=value'."))
