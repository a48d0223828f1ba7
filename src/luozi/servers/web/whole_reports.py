"""The report of a whole tuning or experiment, made again from its games: a store keeps these and the name alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from luozi.contests.store import Entry, Store
from luozi.messages import LuoziError
from luozi.players import read_spelling
from luozi.tuning.trials import Tuning, TuningRun

MOST_SEEDS = 30  # a store does not tell from which seed a tuning was begun: the usual ones are tried


def whole_report(store: Store, name: str) -> str:
    """The page of a tuning or an experiment by the name that its contests carry; one sentence if it can't be made."""
    entries = [entry for entry in store.entries() if entry.part_of == name]
    if not entries:
        raise LuoziError("there is no such tuning or experiment in this folder")
    found = (
        tuning_report(store, name, entries) if name.startswith("tuning ") else experiment_report(store, name, entries)
    )
    if found is None:
        raise LuoziError(
            "the report of '{name}' needs more than is kept: repeat its command with --html FILE", name=name[:80]
        )
    return found


def tuning_report(store: Store, name: str, entries: Sequence[Entry]) -> str | None:
    """The page of a tuning, if what its name says is all that there was to it."""
    from luozi.reports.tuning_pages import tuning_page
    from luozi.tuning.result import conclude

    tuning = tuning_of(name, entries)
    if tuning is None:
        return None
    run = TuningRun(tuning, sum(entry.wanted for entry in entries), store, looking=True)
    run.load()
    return tuning_page(conclude(run))


def tuning_of(name: str, entries: Sequence[Entry]) -> Tuning | None:
    """The tuning with this name: its identity tells whether it was understood."""
    contest = entries[0].contest
    _, found, rest = name.partition(f": {contest.game}, ")
    player, _, rest = rest.partition(" with ")
    ranges, _, against = rest.rpartition(" against ")
    if not found or not ranges:
        return None
    for seed in range(MOST_SEEDS):
        games = max(entry.wanted for entry in entries)
        tuning = Tuning.of(player, ranges.split(", "), against, contest.game, seed, contest.openings, games)
        if tuning.label == name:
            return tuning
    return None


def experiment_report(store: Store, name: str, entries: Sequence[Entry]) -> str | None:
    """The page of an experiment as it was done last; of an older file, at the budget at which most of it is there."""
    from luozi.experiments import EXPERIMENTS
    from luozi.experiments.report import do_experiment, remembered, report_page

    if name not in EXPERIMENTS:
        return None
    experiment, reports = EXPERIMENTS[name], []
    for bench, values in remembered(experiment, store):
        report = do_experiment(experiment, bench, values)
        if report.bench.done:
            return report_page(report)
    games, seeds = max(entry.wanted for entry in entries), {entry.contest.seed for entry in entries}
    iterations = next((found for entry in entries if (found := iterations_of(entry)) is not None), None)
    for quick, seed in product((False, True), seeds):
        for wanted in (None, games):
            bench = experiment.bench(quick, seed, wanted, iterations, store=store).looking()
            reports.append(do_experiment(experiment, bench, experiment.values({})))
    best = max(reports, key=lambda report: (report.bench.done, -report.bench.wanted))
    return report_page(best) if best.bench.done else None


def iterations_of(entry: Entry) -> int | None:
    """The work for each move, where a player says it."""
    _, values = read_spelling(entry.contest.players[0])
    found = values.get("iterations")
    return int(found) if found else None
