"""The report of a whole tuning or experiment, drawn again from what a store holds: its definition and its games."""

from __future__ import annotations

from luozi.experiments import EXPERIMENTS
from luozi.experiments.report import do_experiment, remembered, report_page
from luozi.matches.store import Store
from luozi.matches.tuning.result import conclude
from luozi.matches.tuning.trials import shown_label, stored_tuning
from luozi.messages import LuoziError

# What definitions and measurements raise that no Luozi wrote: a file of results may come from anybody.
FOREIGN = (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError)


def whole_report(store: Store, name: str) -> str:
    """The page of a tuning or an experiment by the name that its contests carry; one sentence if it can't be made.

    Files of before definitions were kept, and games that no spelling leads to, have no such report. The name may have
    the old names of options and experiments, as links to earlier versions do.
    """
    labels = (entry.part_of for entry in store.entries())
    label = next((label for label in labels if name in (label, shown_label(label))), None)
    if not label:
        raise LuoziError("there is no such tuning or experiment in this folder")
    try:
        is_tuning = label.startswith("tuning ")
        found = tuning_report(store, label) if is_tuning else experiment_report(store, shown_label(label))
    except FOREIGN:
        found = None
    if found is None:
        raise LuoziError(
            "the report of '{name}' needs more than is kept: repeat its command with --html FILE", name=name[:80]
        )
    return found


def tuning_report(store: Store, name: str) -> str | None:
    """The page of a tuning."""
    from luozi.reports.tuning_pages import tuning_page

    run = stored_tuning(store, name)
    return None if run is None else tuning_page(conclude(run))


def experiment_report(store: Store, name: str) -> str | None:
    """The page of an experiment as it was done last, of those ways of which something is there."""
    for bench, values in remembered(EXPERIMENTS[name], store) if name in EXPERIMENTS else ():
        report = do_experiment(EXPERIMENTS[name], bench, values)
        if report.bench.done:
            return report_page(report)
    return None
