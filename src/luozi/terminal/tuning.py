"""A tuning at the terminal: playing it with its progress."""

from __future__ import annotations

from contextlib import closing

from luozi.matches.tuning.ranges import written
from luozi.matches.tuning.result import conclude
from luozi.matches.tuning.trials import TuningRun
from luozi.matches.workers import Executor
from luozi.messages import translate
from luozi.terminal.contests import get_ready
from luozi.terminal.progress import Bar
from luozi.util.formats import percent


class BestSoFar:
    """The best so far, looked for again only after some more trials: it takes a while."""

    def __init__(self, run: TuningRun) -> None:
        self.run, self.known, self.text = run, 0, ""

    def make(self) -> str:
        """The note."""
        done = sum(trial.run.complete for trial in self.run.trials)
        if done >= max(4, 1.2 * self.known):
            self.known, result = done, conclude(self.run)
            values = ", ".join(f"{finding.name}={written(finding.best)}" for finding in result.findings)
            self.text = translate("best so far: {values}, {rate}", values=values, rate=percent(result.rate))
        return self.text


def play_tuning(run: TuningRun, executor: Executor) -> None:
    """Play all that is missing with a bar on standard error; what is finished is kept whatever happens."""
    run.load()
    if run.complete:
        return
    with closing(executor), Bar("tuning", run.wanted, run.finished) as bar:
        get_ready(bar, run.pending, run.store)
        note = BestSoFar(run)
        run.play(executor, lambda: bar.advance(note.make if bar.due() else None))
