"""What all experiments share: a budget, a seed, and a bench on which everything that was done once is kept.

An experiment is a function `(bench, **parameters) -> Design`, decorated with `@experiment`. The design states tables,
their columns, and for each row what is known of it, which published figures stand in it, and what is to be played or
measured for it. `carry_out` plays and measures, and summarises each row. Rows must get along with what is missing:
after Ctrl-C all is done once more, on a bench that plays and measures nothing, and reports what there is.
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
OWN_LIMITS = (*LIMITS, "playouts")  # what players call their budgets


@dataclass(frozen=True)
class ExperimentBudget:
    """How much is done: games (or repeats of a measurement) for each row of a table, and the work for each move.

    >>> ExperimentBudget(200, iterations=10_000).limits(0.5)
    {'iterations': 5000}
    """

    games: int
    iterations: int = 0
    seconds: float = 0.0

    def limits(self, share: float = 1.0) -> dict[str, float]:
        """What a searcher may spend on a move, or a share of it."""
        if self.iterations:
            return {"iterations": max(1, round(self.iterations * share))}
        return {"seconds": float(f"{max(0.001, self.seconds * share):.3g}")}

    def changed(self, games: int | None, iterations: int | None, seconds: float | None) -> ExperimentBudget:
        """With what the user wishes instead."""
        if iterations is not None and seconds is not None:
            raise LuoziError("give --iterations or --seconds, not both")
        changed = self if games is None else replace(self, games=games)
        if iterations is not None:
            return replace(changed, iterations=iterations, seconds=0.0)
        return changed if seconds is None else replace(changed, iterations=0, seconds=seconds)

    @property
    def work(self) -> Message:
        """What each move may take."""
        if self.iterations:
            return plural(self.iterations, "{count} iteration a move", "{count} iterations a move")
        return Message("{count} s a move", count=f"{self.seconds:g}")

    def __str__(self) -> str:
        return self.work


def refuse_own_budget(values: Mapping[str, Any], of: str) -> None:
    """One sentence if a player, or an option, has a budget of its own where all get the experiment's."""
    for name in OWN_LIMITS:
        if name in values and not (name == "nodes" and of.startswith("exact")):  # how far the solver looks
            raise LuoziError(
                "{of}: leave out {name}, all get the same budget (give --iterations or --seconds)", of=of, name=name
            )


class ProgressBar(Protocol):
    """Shows how much is done."""

    def advance(self, note: str | None = None) -> None:
        """One more is done."""


class ExperimentHost(Protocol):
    """Who shows the progress; `Silent` does not."""

    def play(
        self, runs: Sequence[Run], tunings: Sequence[TuningRun], store: Store, executor: Executor, label: str
    ) -> None:
        """Load all contests and all tunings, and play what is missing."""

    def bar(self, label: str, total: int, done: int) -> AbstractContextManager[ProgressBar]:
        """A bar for measurements."""


class Silent:
    """Works without a word."""

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
    """Where one experiment is done, at one budget and from one seed."""

    experiment: str
    budget: ExperimentBudget
    seed: int = 1
    quick: bool = False
    store: Store = field(default_factory=lambda: Store.open(None))
    executor: Executor = field(default_factory=Here)
    host: ExperimentHost = field(default_factory=Silent)
    working: bool = True  # false: only look at what there is
    done: int = 0  # games and measurements
    wanted: int = 0
    versions: Counter[str] = field(default_factory=Counter)  # what has played or measured, and how often
    runs: dict[str, Run] = field(default_factory=dict)  # by contest: rows of several tables may stand on the same games

    def contest(
        self, game: str, players: Sequence[str], games: int, kind: str = "match", openings: Openings | None = None
    ) -> Run:
        """A match or a tournament to play with `matches`; without openings, from the start of the game."""
        contest = MatchSchedule.of(game, players, kind, self.seed, openings or FROM_THE_START)
        return self.runs.setdefault(contest.id, Run(contest, games, part_of=self.stored_name))

    def tuning(self, player: str, parameters: Sequence[str], against: str, game: str, games: int) -> TuningRun:
        """A tuning to play with `matches`, from the start of the game."""
        tuning = Tuning.of(player, parameters, against, game, self.seed, FROM_THE_START)
        return TuningRun(tuning, games, self.store, looking=not self.working)

    def matches(self, runs: Sequence[Run], tunings: Sequence[TuningRun] = ()) -> None:
        """Play all of these contests, no two of which may be the same, then these tunings."""
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
        """Note what is finished, and by what it was played."""
        self.done += len(run.played)
        self.versions.update(outcome.versions for outcome in counted_outcomes(run, self.store))

    def measure(self, key: str, function: Callable[[], Any]) -> Any:
        """One value, such as JSON can hold; None if it is missing and this bench only looks."""
        return self.measurements({key: function})[key]

    def measurements(self, functions: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
        """Values by key. What is kept is not measured again; the key must name all that a value depends on."""
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
        """The experiment as stores name it."""
        return old_experiment(self.experiment)

    def looking(self) -> Bench:
        """The same bench, on which nothing more is played or measured."""
        return replace(self, working=False, done=0, wanted=0, versions=Counter(), runs={})

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return self.done >= self.wanted


# Designs --------------------------------------------------------------------------------------------------------------


def score_values(row: ExperimentRow) -> Record:
    """What the columns of matches show: the first player's games, wins, score and its interval."""
    tally, score = row.score.tally, row.score
    counts = {"games": tally.games, "wins": tally.wins, "draws": tally.draws, "losses": tally.losses}
    return {**counts, RATE: score.score, INTERVAL: score.interval}


def stated(_: ExperimentRow) -> Record:
    """Nothing: all of such a row is known before anything is played."""
    return {}


@dataclass(eq=False)
class ExperimentRow:
    """A row: what is known of it before it is played, what is to be done for it, and what is said of that.

    Rows of different tables may be the same object, and several rows may stand on the same games or measurements.
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
        """Where all that is known of the games is kept."""
        assert self.bench is not None  # it is summarised after it was played
        return self.bench.store

    @cached_property
    def records(self) -> list[Record]:
        """What the table shows."""
        found = self.summarise(self)
        return [{**self.known, **one} for one in (found if isinstance(found, list) else [found])]


@dataclass(frozen=True)
class TableDesign:
    """A table: its columns, and its rows in their order."""

    title: str
    columns: Sequence[TextColumn]
    rows: Sequence[ExperimentRow]
    if_any: bool = False  # there is no such table without rows

    def filled(self) -> ResultTable:
        """The table with what is known by now."""
        records = (record for row in self.rows for record in row.records)
        return ResultTable.of(self.title, tuple(self.columns), list(records))


@dataclass(frozen=True)
class Design:
    """All that an experiment is to find out with the parameters that were set."""

    tables: Sequence[TableDesign]
    facts: Sequence[tuple[str, Line]] = ()  # how it is done, beside budget and seed
    notes: Sequence[str] = ()
    drawing: Drawing | None = None


def carry_out(design: Design, bench: Bench) -> Result:
    """Play and measure what is missing, and summarise all rows."""
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
    """What rows need, the first of each before the second of any: so a stop or a slow hour is everybody's.

    >>> in_turns(["ab", "", "cd"])
    ['a', 'c', 'b', 'd']
    """
    return [one for turn in zip_longest(*rows) for one in turn if one is not None]


@dataclass(frozen=True)
class Experiment:
    """One experiment: what it asks, what it costs, and the function that designs it."""

    name: str
    title: str
    question: str
    source: str  # whose figures stand beside ours
    budget: ExperimentBudget
    quick: ExperimentBudget  # a look that takes less than two minutes
    function: Callable[..., Design]
    unit: str = "game"  # what the budget counts for each row

    @property
    def parameters(self) -> dict[str, Parameter]:
        """What --set may say."""
        return {name: one for name, one in parameters_of(self.function).items() if name != "bench"}

    def values(self, written: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters as the function wants them, checked."""
        return convert_values(dict(written), self.parameters, self.name)

    def result(self, bench: Bench, values: Mapping[str, Any]) -> Result:
        """Do it, or look at what there is of it."""
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
        """A bench with this experiment's own budget where no other is given."""
        budget = (self.quick if quick else self.budget).changed(games, iterations, seconds)
        return Bench(self.name, budget, seed, quick, **place)


def experiment(
    name: str, title: str, source: str, budget: ExperimentBudget, quick: ExperimentBudget, unit: str = "game"
) -> Callable[[Callable[..., Design]], Experiment]:
    """Make an experiment of a function; its docstring is the question."""

    def made(function: Callable[..., Design]) -> Experiment:
        question = " ".join((function.__doc__ or "").split())
        return Experiment(name, title, question, source, budget, quick, function, unit)

    return made
