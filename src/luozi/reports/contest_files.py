"""Results of matches and tunings as files: JSON, CSV, plot, page. Each file is written in one step."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

from luozi.matches.game_runner import Outcome, moves_of
from luozi.matches.runner import Run
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Store
from luozi.matches.summary import Summary
from luozi.matches.tuning.ranges import written
from luozi.matches.tuning.result import TuningResult
from luozi.util.files import check_plot_name, write_whole


def json_text(result: Summary | TuningResult) -> str:
    """Return a result as JSON."""
    return json.dumps(result.as_dict(), indent=2, sort_keys=True, allow_nan=False, ensure_ascii=False)


def write_csv(path: Path, run: Run, store: Store) -> None:
    """Write a line for each counted game. Only its last columns, with times, differ when it is played again."""
    file = io.StringIO()
    lines = csv.writer(file, lineterminator="\n")
    lines.writerow(csv_columns(run.contest.seats))
    for outcome in counted_outcomes(run, store):
        lines.writerow(csv_line(run.contest, outcome))
    write_whole(path, file.getvalue().encode())


def write_plot(path: Path, run: Run, summary: Summary) -> None:
    """Write the most important figures as one picture."""
    check_plot_name(path)
    from luozi.reports.figures import figure_bytes
    from luozi.reports.panels import overview

    write_whole(path, figure_bytes(overview(run, summary), path.suffix.lower()[1:]))


def write_page(path: Path, run: Run, summary: Summary, store: Store) -> None:
    """Write an HTML page that needs no other file."""
    from luozi.reports.contest_pages import contest_page

    write_whole(path, contest_page(run, summary, counted_outcomes(run, store)).encode())


def counted_outcomes(run: Run, store: Store) -> Iterator[Outcome]:
    """Yield the games that make the result, in the order of the schedule."""
    return filter(run.counts, store.outcomes(run.contest))


def versions_text(versions: str) -> str:
    """Return the versions that played as text.

    >>> versions_text('{"luozi": "0.1.0", "python": "3.11.2"}')
    'luozi 0.1.0, python 3.11.2'
    """
    return ", ".join(f"{name} {version}" for name, version in json.loads(versions).items())


def csv_columns(seats: int) -> list[str]:
    """Return the names of the columns."""
    per_seat = {name: [f"{name}_{seat}" for seat in range(1, seats + 1)] for name in ("seat", "result", "seed")}
    clocks = [f"seconds_{seat}" for seat in range(1, seats + 1)]
    games = ["game", "encounter", "opening", *per_seat["seat"], *per_seat["result"], "moves", "loser", "reason"]
    return [*games, *per_seat["seed"], *clocks, "finished"]


def csv_line(contest: MatchSchedule, outcome: Outcome) -> list[object]:
    """Return the columns of one game."""
    (number, encounter, round_, seats), labels = outcome.fixture, contest.labels
    loser = "" if outcome.loser < 0 else labels[outcome.loser]
    reason = outcome.forfeit or ("resigned" if loser else "")
    players = [labels[player] for player in seats]
    known = [number + 1, encounter + 1, round_ + 1, *players, *outcome.results, outcome.moves, loser, reason]
    seconds = [0.0] * contest.seats
    for move in moves_of(contest, outcome):
        seconds[move.seat] += move.seconds or 0.0
    return [*known, *outcome.seeds, *(round(total, 4) for total in seconds), outcome.finished]


def trials_csv(result: TuningResult) -> str:
    """Return a line of CSV for each trial of a tuning."""
    file = io.StringIO()
    lines = csv.writer(file, lineterminator="\n")
    lines.writerow(["trial", *result.parameters, "games", "score", "low", "high"])
    for row in result.rows:
        values = [written(row.values[name]) for name in result.parameters]
        lines.writerow([row.number, *values, row.games, *(round(one, 6) for one in (row.score, *row.interval))])
    return file.getvalue()
