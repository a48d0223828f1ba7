"""Matches, tournaments, tuning and experiments at the terminal: lists, and playing with a progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import datetime
from functools import partial

from rich.console import Console
from rich.text import Text

from luozi.compiled.cache import on_compile
from luozi.experiments.frame import Experiment, ProgressBar
from luozi.matches.game_runner import Outcome
from luozi.matches.openings import EvaluatedOpening
from luozi.matches.runner import Run, play_all, stored_run
from luozi.matches.store import Entry, Store
from luozi.matches.summary import ranking, summarise, tally_of
from luozi.matches.tuning.ranges import written
from luozi.matches.tuning.result import conclude
from luozi.matches.tuning.trials import TuningRun, shown_label
from luozi.matches.workers import Executor, chosen_executor
from luozi.messages import LuoziError, Message, counted, translate
from luozi.players import player
from luozi.statistics.matches import score_interval
from luozi.terminal.lists import show_entry, translated_columns
from luozi.terminal.progress import Bar
from luozi.util.formats import percent, percent_interval
from luozi.util.tables import FIGURE, LABEL, TEXT, TextColumn, show_table

CONTESTS = (  # names are translated when they are shown
    TextColumn("id", LABEL),
    TextColumn("asked for", TEXT),
    TextColumn("kind", LABEL),
    TextColumn("game", TEXT),
    TextColumn("seed", FIGURE, minor=True),
    TextColumn("games", FIGURE),
    TextColumn("result", TEXT),
    TextColumn("players", TEXT),
)


def show_store(console: Console, store: Store) -> None:
    """Print all matches of a results database, the oldest first."""
    rows, parts = [], dict[str, int]()
    for entry in store.entries():
        if entry.part_of:
            parts[entry.part_of] = parts.get(entry.part_of, 0) + store.count(entry.contest)
            continue
        run = stored_run(store, entry)
        summary = summarise(run)
        result = "-"
        if summary.counted:
            best = min(summary.rows, key=ranking)
            result = percent(summary.rows[0].score) if summary.duel else translate("best: {label}", label=best.label)
        done = (
            translate("{count}, decided", count=f"{summary.counted:,}")
            if run.verdict
            else f"{summary.finished:,}/{run.wanted:,}"
        )
        players = ", ".join(entry.contest.labels)
        contest, asked = entry.contest, local_time(entry.asked)
        rows.append(
            (contest.id, asked, translate(contest.kind), contest.game, str(contest.seed), done, result, players)
        )
    show_table(console, translated_columns(CONTESTS), rows)
    for name, games in parts.items():
        console.print(Text(f"{shown_label(name)}: {translate(counted(games, 'game'))}"), soft_wrap=True)


def local_time(stored: str) -> str:
    """Return a stored time in the local time zone; unchanged if it is no time."""
    try:
        return datetime.fromisoformat(stored).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return stored


def find_entry(store: Store, name: str | None) -> Entry:
    """Return the match whose id starts with `name`; the last one if there is no name.

    Raises:
        LuoziError: there is no such match, or several.
    """
    entries = store.entries()
    whole = [entry for entry in entries if not entry.part_of] if name is None else entries
    found = [entry for entry in whole if name is None or entry.contest.id.startswith(name)]
    if not found:
        if name is None:
            raise LuoziError("'{name}' holds no contest", name=store.name)
        raise LuoziError("'{name}' holds no contest '{id}'; --list shows all", name=store.name, id=name)
    if name is not None and len(found) > 1:
        raise LuoziError("'{name}' begins {count} contests: write more of the id", name=name, count=len(found))
    return found[-1]


def print_openings(title: str, openings: Iterable[EvaluatedOpening], number: int) -> None:
    """Print openings as they are found, with a progress bar on standard error."""
    with Bar("openings", number) as bar:
        on_compile(bar.say)
        print(title, flush=True)
        for found in openings:
            print(found, flush=True)
            bar.advance()


@contextmanager
def playing(run: Run, store: Store, workers: int | None, cluster: str | None) -> Iterator[Callable[[], None]]:
    """Give what plays the missing games, with a bar on standard error; finished games are stored at once.

    It is no function of ours: each of our frames would be one more in the way from a command to a move.
    """
    run.load(store)
    if run.complete:
        yield lambda: None
        return
    with (
        closing(chosen_executor(workers, cluster)) as executor,
        Bar(run.contest.kind, run.wanted, len(run.played)) as bar,
    ):
        prepare_runs(bar, [run], store)
        yield partial(play_all, [run], store, executor, GameReporter(bar).see)


def prepare_runs(bar: Bar, runs: Sequence[Run], store: Store, others: Sequence[Run] = ()) -> None:
    """Print what has changed, compile what the players of all runs need, and start the clock of the bar."""
    on_compile(bar.say)
    report_changes(runs, store, bar.say)
    compile_players([*runs, *others])
    bar.start_clock()


class GameReporter:
    """Reports finished games: the score so far, and each new kind of forfeit."""

    def __init__(self, bar: Bar) -> None:
        self.bar = bar
        self.forfeits: set[tuple[str, str]] = set()

    def see(self, run: Run, outcome: Outcome) -> None:
        """Report one more game."""
        label = run.contest.labels[outcome.loser]
        if outcome.forfeit and (label, outcome.forfeit) not in self.forfeits:
            self.forfeits.add((label, outcome.forfeit))
            self.bar.say(
                Message(
                    "forfeit in game {number}: {who} {what}",
                    number=outcome.fixture.number + 1,
                    who=label,
                    what=Message(outcome.forfeit),
                )
            )
        self.bar.advance((lambda: state_of(run)) if self.bar.due() else None)


def report_changes(runs: Sequence[Run], store: Store, say: Callable[[str], None]) -> None:
    """Report why no games of a match of the same words are used: a file or the program has changed."""
    # one is enough: all runs of a command name the same files
    new = next((run for run in runs if not run.played), None)
    for entry in reversed(store.entries() if new else []):
        changed = new.contest.changes_since(entry.contest) if new else []
        games = store.count(entry.contest) if changed else 0
        if new and games:
            told = {
                "what": " and ".join(changed),
                "games": counted(games, "game"),
                "kind": Message(new.contest.kind),
                "id": entry.contest.id,
            }
            one = Message(
                "{what} has changed since {games} of this {kind}: it starts again ('luozi results {id}' shows these)"
            )
            all_ = Message(
                "{what} have changed since {games} of this {kind}: it starts again ('luozi results {id}' shows these)"
            )
            say((one if len(changed) == 1 else all_).with_values(**told))
            return


def compile_players(runs: Sequence[Run]) -> None:
    """Compile once before all workers would, and refuse players that can't play the game."""
    seats = {(run.contest.game, spelling): run.contest.board for run in runs for spelling in run.contest.players}
    for (_, spelling), game in seats.items():
        one = player(spelling, game)
        one.prepare()
        one.close()


def state_of(run: Run) -> str:
    """Return the result so far as text."""
    if run.contest.kind != "match" or run.contest.seats != 2:
        return translate("best: {label}", label=min(summarise(run).rows, key=ranking).label)
    tally = tally_of(run.counted)
    test = "" if run.sprt is None else f"  LLR {run.llr:+.2f} of {run.sprt.lower:.2f}, {run.sprt.upper:.2f}"
    return f"{percent(tally.score)} ({translate(percent_interval(*score_interval(tally)))}){test}"


class BestSoFar:
    """The best values so far; they are computed after some more trials only, since that takes a while."""

    def __init__(self, run: TuningRun) -> None:
        self.run, self.known, self.text = run, 0, ""

    def make(self) -> str:
        """Return the note."""
        done = sum(trial.run.complete for trial in self.run.trials)
        if done >= max(4, 1.2 * self.known):
            self.known, result = done, conclude(self.run)
            values = ", ".join(f"{finding.name}={written(finding.best)}" for finding in result.findings)
            self.text = translate("best so far: {values}, {rate}", values=values, rate=percent(result.rate))
        return self.text


def play_tuning(run: TuningRun, executor: Executor) -> None:
    """Play the missing games of a tuning with a progress bar; finished games are stored in any case."""
    run.load()
    if run.complete:
        return
    with closing(executor), Bar("tuning", run.wanted, run.finished) as bar:
        prepare_runs(bar, run.pending, run.store)
        note = BestSoFar(run)
        run.play(executor, lambda: bar.advance(note.make if bar.due() else None))


class Terminal:
    """Runs the games of experiments with progress bars on standard error."""

    def play(
        self, runs: Sequence[Run], tunings: Sequence[TuningRun], store: Store, executor: Executor, label: str
    ) -> None:
        """Play the missing games, with one bar over all."""
        for run in runs:
            run.load(store)
        for tuning in tunings:
            tuning.load()
        if all(run.complete for run in runs) and all(tuning.complete for tuning in tunings):
            return
        wanted = sum(run.wanted for run in runs) + sum(tuning.wanted for tuning in tunings)
        finished = sum(len(run.played) for run in runs) + sum(tuning.finished for tuning in tunings)
        with Bar(label, wanted, finished) as bar:
            prepare_runs(bar, runs, store, [Run(tuning.tuning.base, 0) for tuning in tunings])
            play_all(runs, store, executor, lambda *_: advance(bar))
            for tuning in tunings:
                tuning.play(executor, lambda: advance(bar))

    def bar(self, label: str, total: int, done: int) -> AbstractContextManager[ProgressBar]:
        return Bar(label, total, done)


def advance(bar: Bar) -> None:
    """Advance by one game; without a terminal print a line now and then."""
    bar.advance("" if bar.due() else None)


def show_experiments(console: Console, experiments: Iterable[Experiment]) -> None:
    """Print all experiments with their question, cost and parameters."""
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
