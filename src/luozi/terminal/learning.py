"""Training at the terminal: the list of all runs, the settings, and the progress of one run."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from luozi.compiled.cache import on_compile
from luozi.learning.curve import elo_text, minutes
from luozi.learning.folder import Entry
from luozi.learning.generations import LearningRun
from luozi.learning.settings import LearningOptions
from luozi.messages import Message, counted, translate
from luozi.terminal.lists import show_entry, translated_columns
from luozi.terminal.progress import Bar
from luozi.util.console import TextConsole
from luozi.util.parameters import parameters_of
from luozi.util.tables import FIGURE, LABEL, TEXT, TextColumn, show_table

RUNS = (
    TextColumn("name", LABEL),
    TextColumn("game", TEXT),
    *(TextColumn(name, FIGURE) for name in ("generation", "games", "positions", "time", "Elo", "size")),
    TextColumn("final", LABEL),
)


def show_runs(console: Console, states: list[dict[str, Any]], place: str) -> None:
    """Print all runs of a folder."""
    if not states:
        none = translate("There is no run in '{place}' yet: 'luozi learn gomoku' begins one.", place=place)
        console.print(Text(none), soft_wrap=True)
        return
    show_table(console, translated_columns(RUNS), map(run_row, states))


def run_row(state: dict[str, Any]) -> tuple[str, ...]:
    """Return the row of one run."""
    numbers = (f"{state[name]:,}" for name in ("generation", "games", "positions"))
    size = f"{state['bytes'] / 1e6:.1f} MB"
    rest = (
        minutes(state["seconds"]),
        elo_text(state["ladder"]),
        size,
        translate(Message("yes") if state["final"] else Message("no")),
    )
    return state["name"], state["game"], *numbers, *rest


def show_settings(console: Console) -> None:
    """Print all settings of training."""
    show_entry(console, "learn", "The settings of --set.", parameters_of(LearningOptions).values())


class LearningProgress:
    """The progress of a run on standard error: a bar for the games, a line for each generation."""

    def __init__(self) -> None:
        self.console = TextConsole(stderr=True, highlight=False)
        self.bar: Bar | None = None
        self.fresh = True
        on_compile(self.say)

    def say(self, sentence: str) -> None:
        """Print a message."""
        self.console.print(Text(f"luozi: {translate(sentence)}", "dim"), soft_wrap=True)

    def begin(self, what: str, total: int, done: int) -> None:
        """Start a bar of games."""
        self.end()
        self.bar = Bar(what, total, done).__enter__()
        self.bar.start_clock()

    def games(self, run: LearningRun, count: int) -> None:
        """Advance by `count` finished games."""
        if self.bar is None:
            return
        for _ in range(count - 1):
            self.bar.advance()
        self.bar.advance((lambda: self.note(run)) if self.bar.due() else None)
        if self.fresh:  # loading and compiling say nothing about the time left
            self.fresh = False
            self.bar.start_clock()

    def note(self, run: LearningRun) -> str:
        """Return the state of the run in one line."""
        return translate(
            "{games}, {positions}, {losses}, {pace} positions/s, {left} left in all",
            games=counted(run.so_far.games, "game"),
            positions=counted(run.so_far.positions, "position"),
            losses=losses_text(run.entries[-1]) if run.entries else Message("no training yet"),
            pace=f"{run.pace:,.0f}",
            left=minutes(run.seconds_left()),
        )

    def generation(self, run: LearningRun, entry: Entry) -> None:
        """Print a line about a trained generation."""
        self.end()
        told = translate(
            "generation {number}: {games}, {positions}, {losses}, {pace} positions/s, {left} left",
            number=entry["generation"],
            games=counted(entry["games"], "game"),
            positions=counted(entry["positions"], "position"),
            losses=losses_text(entry),
            pace=f"{run.pace:,.0f}",
            left=minutes(run.seconds_left()),
        )
        self.console.print(Text(told), soft_wrap=True)

    def ladder(self, run: LearningRun) -> None:
        """Print a line about a new checkpoint evaluation."""
        self.end()
        newest = run.checkpoints[-1]
        told = translate(
            "evaluation: generation {number} has {elo} Elo against generation {first}",
            number=newest.generation,
            elo=elo_text([newest.as_dict()]),
            first=run.checkpoints[0].generation,
        )
        self.console.print(Text(told), soft_wrap=True)

    def end(self) -> None:
        """Remove the bar."""
        if self.bar is not None:
            self.bar.__exit__(None, None, None)
            self.bar = None


def losses_text(entry: Entry) -> str:
    """Return the losses of a generation as text."""
    return Message(
        "policy {policy}, value {value} (error {error})",
        policy=f"{entry['policy']:.3f}",
        value=f"{entry['value']:.3f}",
        error=f"{entry['error']:.3f}",
    )
