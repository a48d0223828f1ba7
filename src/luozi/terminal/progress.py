"""Progress of long work on standard error: a bar with the time left in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from types import TracebackType

from rich.console import RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from luozi.messages import translate
from luozi.util.console import TextConsole

EVERY = 10.0  # seconds between two lines without a terminal
SHARE = 50  # a note that takes long to make is made more rarely: notes may cost 1/50 of the time
ROOM = 30  # columns for the times and the gaps beside the bar


class NotedProgress(Progress):
    """A bar with its note on a line of its own: beside the bar a narrow terminal would cut it."""

    def get_renderables(self) -> Iterable[RenderableType]:
        yield from super().get_renderables()
        yield from (Text(task.fields["note"]) for task in self.tasks if task.fields["note"])


class Bar:
    """A number of finished games out of all; call `advance` after each."""

    def __init__(self, label: str, total: int, done: int = 0) -> None:
        self.console = TextConsole(stderr=True, highlight=False)
        self.label, self.total, self.done = translate(label), total, done
        self.began, self.before, self.said = time.monotonic(), done, time.monotonic()
        self.every = 0.5 if self.console.is_terminal else EVERY
        self.progress = NotedProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(max(4, min(40, self.console.width - len(label) - ROOM - 2 * len(str(total))))),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn(translate("left")),
            TimeRemainingColumn(),
            console=self.console,
            transient=True,
            refresh_per_second=4,
        )
        self.task = self.progress.add_task(self.label, total=total, completed=done, note="")

    def __enter__(self) -> Bar:
        if self.console.is_terminal:
            self.progress.start()
        elif self.done:
            self._print(translate("{label}: {done} of {total} were finished before", **self._far()))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.console.is_terminal:
            self.progress.stop()

    def due(self) -> bool:
        """Return whether a new note would be seen; notes may take time to make."""
        return time.monotonic() - self.said > self.every

    def start_clock(self) -> None:
        """Start to measure the speed: what was done before was no game."""
        self.began, self.before = time.monotonic(), self.done
        self.progress.reset(self.task, total=self.total, completed=self.done)

    def advance(self, note: str | Callable[[], str] | None = None) -> None:
        """Advance by one; a note may be given as a function that makes it."""
        self.done += 1
        self.progress.update(self.task, advance=1)
        if note is not None:
            began = time.monotonic()
            note = note() if callable(note) else note
            self.every = max(self.every, SHARE * (time.monotonic() - began))
            self.progress.update(self.task, note=note)
            if not self.console.is_terminal:
                line = translate(
                    "{label}: {done} of {total}, about {seconds} s left   {note}",
                    seconds=f"{self.seconds_left():.0f}",
                    note=note,
                    **self._far(),
                )
                self._print(line)
            self.said = time.monotonic()

    def _far(self) -> dict[str, str]:
        """Return how far it is."""
        return {"label": self.label, "done": f"{self.done:,}", "total": f"{self.total:,}"}

    def _print(self, line: str) -> None:
        self.console.print(line, markup=False, soft_wrap=True)

    def seconds_left(self) -> float:
        """Return the seconds left at the speed so far."""
        passed = time.monotonic() - self.began
        return passed / max(1, self.done - self.before) * (self.total - self.done)

    def say(self, line: str) -> None:
        """Print a translated line above the bar."""
        self.console.print(translate(line), style="dim", markup=False, soft_wrap=True)


def bar_text(share: float, width: int = 20) -> str:
    """Return a bar as text.

    >>> bar_text(0.5, 10)
    '━━━━━─────'
    """
    full = round(min(1.0, max(0.0, share)) * width)
    return "━" * full + "─" * (width - full)


def time_left(seconds: float) -> str:
    """Return the time left as text, from an estimate in seconds.

    >>> time_left(12.4), time_left(-3)
    ('about 12 s left', 'longer than usual')
    """
    return (
        translate("about {seconds} s left", seconds=max(1, round(seconds)))
        if seconds > 0
        else translate("longer than usual")
    )
