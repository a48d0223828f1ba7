"""Designs of experiments, and how they are carried out with a budget, a seed and a results database.

An experiment is a function `(bench, **parameters) -> Design`, decorated with `@experiment`. A design has tables; each
of their rows has known values, published figures, and the matches and measurements that it needs. `carry_out` plays and
measures, then summarises each row. Rows must accept missing results: after Ctrl-C the design is carried out once more
on a bench that plays and measures nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any, Protocol, TypeVar

from luozi import __version__
from luozi.experiments.table import INTERVAL, RATE, Drawing, Record, Result, ResultTable, Score
from luozi.limits import LIMITS
from luozi.matches.game_runner import versions
from luozi.matches.openings import Openings
from luozi.matches.runner import Run, play_all
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store
from luozi.matches.tuning.trials import Tuning, TuningRun
from luozi.matches.workers import Executor, Here
from luozi.messages import LuoziError, Message, plural
from luozi.reports.contest_files import counted_outcomes
from luozi.reports.pages import Line
from luozi.util.old_names import old_experiment, old_spellings_in
from luozi.util.parameters import Parameter, convert_values, parameters_of
from luozi.util.tables import TextColumn

FROM_THE_START = Openings(plies=0)
OWN_LIMITS = (*LIMITS, "playouts")  # options of players that are limits


@dataclass(frozen=True)
class ExperimentBudget:
    """Games (or repeats of a measurement) for each row of a table, and the limit of each move.

    >>> ExperimentBudget(200, iterations=10_000).limits(0.5)
    {'iterations': 5000}
    """

    games: int
    iterations: int = 0
    seconds: float = 0.0

    def limits(self, share: float = 1.0) -> dict[str, float]:
        """Return the limit of a move, or a share of it, as options of a player."""
        if self.iterations:
            return {"iterations": max(1, round(self.iterations * share))}
        return {"seconds": float(f"{max(0.001, self.seconds * share):.3g}")}

    def changed(self, games: int | None, iterations: int | None, seconds: float | None) -> ExperimentBudget:
        """Return the budget with the user's values."""
        if iterations is not None and seconds is not None:
            raise LuoziError("give --iterations or --seconds, not both")
        changed = self if games is None else replace(self, games=games)
        if iterations is not None:
            return replace(changed, iterations=iterations, seconds=0.0)
        return changed if seconds is None else replace(changed, iterations=0, seconds=seconds)

    @property
    def work(self) -> Message:
        """The limit of each move, as a message."""
        if self.iterations:
            return plural(self.iterations, "{count} iteration a move", "{count} iterations a move")
        return Message("{count} s a move", count=f"{self.seconds:g}")

    def __str__(self) -> str:
        return self.work


def refuse_own_budget(values: Mapping[str, Any], of: str) -> None:
    """Raise LuoziError if a player or an option has a limit of its own: all have the experiment's."""
    for name in OWN_LIMITS:
        if name in values and not (name == "nodes" and of.startswith("exact")):  # how far the solver looks
            raise LuoziError(
                "{of}: remove {name}. All players have the same limit, which --iterations or --seconds sets.",
                of=of,
                name=name,
            )


class ProgressBar(Protocol):
    """Shows progress."""

    def advance(self, note: str | None = None) -> None:
        """Add one finished measurement."""


class ExperimentHost(Protocol):
    """Plays matches and shows progress; `Silent` shows none."""

    def play(
        self, runs: Sequence[Run], tunings: Sequence[TuningRun], store: Store, executor: Executor, label: str
    ) -> None:
        """Load all matches and tunings, and play the missing games."""

    def bar(self, label: str, total: int, done: int) -> AbstractContextManager[ProgressBar]:
        """Return a progress bar for measurements."""


class Silent:
    """Plays and measures without showing progress."""

    def play(
        self, runs: Sequence[Run], tunings: Sequence[TuningRun], store: Store, executor: Executor, label: str
    ) -> None:
        for run in runs:
            run.load(store)
        play_all(runs, store, executor)
        for tuning in tunings:
            tuning.play(executor)

    def bar(self, label: str, total: int, done: int) -> AbstractContextManager[ProgressBar]:
        return nullcontext(self)

    def advance(self, note: str | None = None) -> None:
        pass


@dataclass
class Bench:
    """Plays and measures for one experiment, with one budget and seed."""

    experiment: str
    budget: ExperimentBudget
    seed: int = 1
    quick: bool = False
    store: Store = field(default_factory=lambda: Store.open(None))
    executor: Executor = field(default_factory=Here)
    host: ExperimentHost = field(default_factory=Silent)
    working: bool = True  # false: only read results
    done: int = 0  # games and measurements
    wanted: int = 0
    versions: Counter[str] = field(default_factory=Counter)  # versions that played or measured, and how often
    runs: dict[str, Run] = field(default_factory=dict)  # by id: rows of several tables may use the same games

    def contest(
        self, game: str, players: Sequence[str], games: int, kind: str = "match", openings: Openings | None = None
    ) -> Run:
        """Return a match or tournament for `matches`, by default from the start of the game."""
        contest = MatchSchedule.of(game, players, kind, self.seed, openings or FROM_THE_START)
        return self.runs.setdefault(contest.id, Run(contest, games, part_of=self.stored_name))

    def tuning(self, player: str, parameters: Sequence[str], against: str, game: str, games: int) -> TuningRun:
        """Return a tuning for `matches`, from the start of the game."""
        tuning = Tuning.of(player, parameters, against, game, self.seed, FROM_THE_START)
        return TuningRun(tuning, games, self.store, looking=not self.working)

    def matches(self, runs: Sequence[Run], tunings: Sequence[TuningRun] = ()) -> None:
        """Play matches, which must differ from each other, then tunings."""
        if self.working:
            self.host.play(runs, tunings, self.store, self.executor, self.experiment)
        for run in runs:
            run.load_games(self.store)
            self._count(run)
            self.wanted += len(run.played) if run.complete else run.wanted
        for tuning in tunings:
            tuning.load()
            self.wanted += tuning.wanted
            for trial in tuning.trials:
                self._count(trial.run)

    def _count(self, run: Run) -> None:
        """Count the finished games of a match, by the versions that played them."""
        self.done += len(run.played)
        self.versions.update(outcome.versions for outcome in counted_outcomes(run, self.store))

    def measure(self, key: str, function: Callable[[], Any]) -> Any:
        """Return one measured JSON value; None if it is missing and nothing is measured."""
        return self.measurements({key: function})[key]

    def measurements(self, functions: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
        """Return values by key. Stored values are not measured again: a key must name all that its value depends on."""
        found = {key: self.store.measured(self.stored_name, self._full(key)) for key in functions}
        missing = [key for key in functions if found[key] is None]
        if missing and self.working:
            with self.host.bar(self.experiment, len(functions), len(functions) - len(missing)) as bar:
                for key in missing:
                    found[key] = {"value": functions[key](), "versions": versions()}
                    self.store.measure(self.stored_name, self._full(key), found[key])
                    bar.advance(key)
        kept = [one for one in found.values() if one is not None]
        self.done, self.wanted = self.done + len(kept), self.wanted + len(functions)
        self.versions.update(one["versions"] for one in kept)
        return {key: None if one is None else one["value"] for key, one in found.items()}

    def _full(self, key: str) -> str:
        return f"luozi {__version__}, seed {self.seed}, {old_spellings_in(key)}"

    @property
    def stored_name(self) -> str:
        """The name of the experiment in databases."""
        return old_experiment(self.experiment)

    def looking(self) -> Bench:
        """Return a bench that reads the same results, and plays and measures nothing."""
        return replace(self, working=False, done=0, wanted=0, versions=Counter(), runs={})

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return self.done >= self.wanted


# Designs --------------------------------------------------------------------------------------------------------------


def score_values(row: ExperimentRow) -> Record:
    """Return the first player's games, wins, score and interval, for the columns of matches."""
    tally, score = row.score.tally, row.score
    counts = {"games": tally.games, "wins": tally.wins, "draws": tally.draws, "losses": tally.losses}
    return {**counts, RATE: score.score, INTERVAL: score.interval}


def stated(_: ExperimentRow) -> Record:
    """Return nothing: all values of the row are known before."""
    return {}


@dataclass(eq=False)
class ExperimentRow:
    """A row of a table: its known values, what is played or measured for it, and how that is summarised.

    Tables may share rows, and rows may share games and measurements.
    """

    known: Record
    runs: Sequence[Run] = ()
    measurements: Mapping[str, Callable[[], Any]] = field(default_factory=dict)  # by key
    tuning: TuningRun | None = None
    summarise: Callable[[ExperimentRow], Record | list[Record]] = score_values  # a list: any number of rows
    bench: Bench | None = None
    measured: dict[str, Any] = field(default_factory=dict)  # what is there, by key

    @cached_property
    def score(self) -> Score:
        """The first player's score in all games."""
        return Score(tuple(self.runs))

    @property
    def store(self) -> Store:
        """The results database."""
        assert self.bench is not None  # it is summarised after it was played
        return self.bench.store

    @cached_property
    def records(self) -> list[Record]:
        """The rows of the table as records."""
        found = self.summarise(self)
        return [{**self.known, **one} for one in (found if isinstance(found, list) else [found])]


@dataclass(frozen=True)
class TableDesign:
    """The columns and rows of a table."""

    title: str
    columns: Sequence[TextColumn]
    rows: Sequence[ExperimentRow]
    if_any: bool = False  # whether the table is left out when it is empty

    def filled(self) -> ResultTable:
        """Return the table with the results so far."""
        records = (record for row in self.rows for record in row.records)
        return ResultTable.of(self.title, tuple(self.columns), list(records))


@dataclass(frozen=True)
class Design:
    """What an experiment plays and measures with the given parameters."""

    tables: Sequence[TableDesign]
    facts: Sequence[tuple[str, Line]] = ()  # conditions, beside budget and seed
    notes: Sequence[str] = ()
    drawing: Drawing | None = None


def carry_out(design: Design, bench: Bench) -> Result:
    """Play and measure what is missing; return the summary of all rows."""
    rows = list(dict.fromkeys(row for table in design.tables for row in table.rows))
    runs = in_turns([row.runs for row in rows])
    bench.matches(list(dict.fromkeys(runs)), [row.tuning for row in rows if row.tuning is not None])
    keys = in_turns([list(row.measurements.items()) for row in rows])
    values = bench.measurements(dict(keys))
    for row in rows:
        row.bench = bench
        row.measured = {key: values[key] for key in row.measurements if values[key] is not None}
    tables = [table.filled() for table in design.tables]
    kept = tuple(made for made, table in zip(tables, design.tables, strict=True) if made.records or not table.if_any)
    return Result(kept, tuple(design.facts), tuple(design.notes), design.drawing)


Item = TypeVar("Item")


def in_turns(rows: Iterable[Sequence[Item]]) -> list[Item]:
    """Return the items of all rows in turns, so that an interruption or a slow hour affects all rows.

    >>> in_turns(["ab", "", "cd"])
    ['a', 'c', 'b', 'd']
    """
    return [one for turn in zip_longest(*rows) for one in turn if one is not None]


@dataclass(frozen=True)
class Experiment:
    """An experiment: its question, its budgets, and the function that designs it."""

    name: str
    title: str
    question: str
    source: str  # of the published figures
    budget: ExperimentBudget
    quick: ExperimentBudget  # takes less than two minutes
    function: Callable[..., Design]
    unit: str = "game"  # what the budget counts for each row

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters of --set."""
        return {name: one for name, one in parameters_of(self.function).items() if name != "bench"}

    def values(self, written: Mapping[str, Any]) -> dict[str, Any]:
        """Return checked values of parameters."""
        return convert_values(dict(written), self.parameters, self.name)

    def result(self, bench: Bench, values: Mapping[str, Any]) -> Result:
        """Return the result, after playing and measuring what is missing if the bench does so."""
        return carry_out(self.function(bench, **values), bench)

    def bench(
        self,
        quick: bool = False,
        seed: int = 1,
        games: int | None = None,
        iterations: int | None = None,
        seconds: float | None = None,
        **place: Any,
    ) -> Bench:
        """Return a bench, by default with the experiment's budget."""
        budget = (self.quick if quick else self.budget).changed(games, iterations, seconds)
        return Bench(self.name, budget, seed, quick, **place)


def experiment(
    name: str, title: str, source: str, budget: ExperimentBudget, quick: ExperimentBudget, unit: str = "game"
) -> Callable[[Callable[..., Design]], Experiment]:
    """Return a decorator that makes an experiment of a function, whose docstring is the question."""

    def made(function: Callable[..., Design]) -> Experiment:
        question = " ".join((function.__doc__ or "").split())
        return Experiment(name, title, question, source, budget, quick, function, unit)

    return made
