"""The results database of the folder, read anew at each request: contests, their reports, and their games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from luozi.experiments import EXPERIMENTS
from luozi.experiments.report import do_experiment, remembered, report_page
from luozi.matches.game_runner import Outcome, moves_of
from luozi.matches.runner import Run, stored_run
from luozi.matches.schedule import MatchSchedule
from luozi.matches.store import Entry, Store
from luozi.matches.summary import summarise, summary_text
from luozi.matches.tuning.result import conclude
from luozi.matches.tuning.trials import shown_label, stored_tuning
from luozi.messages import LuoziError
from luozi.reports.contest_files import counted_outcomes
from luozi.rules.board import board_of
from luozi.util.parsing import JsonObject, JsonValue, is_file
from luozi.util.trust import foreign
from luozi.web.board_data import position_data
from luozi.web.game_history import GameHistory
from luozi.web.seats import Seat

RECENT_SECONDS = 120.0  # a contest with a game so recent may still be running
FIRST_SECONDS = 900.0  # the same as long as it has at most one game
# What definitions and measurements raise that Luozi has not written: anybody may have written the database.
FOREIGN = (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError)
PATIENCE = 4  # or as long as so many of its games take on average


class Results:
    """One results database; there may be none yet."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._scores: dict[tuple[str, int], list[float | None]] = {}  # by contest and its number of games

    @contextmanager
    def _store(self) -> Iterator[Store]:
        if self.path is None or not is_file(self.path):
            raise LuoziError("there are no results in this folder yet: play a match first")
        store = Store.open(self.path, create=False)
        try:
            with foreign():  # anybody may have written the file, and the games that it names
                yield store
        finally:
            store.close()

    def listed(self) -> list[JsonObject]:
        """Return all contests, the newest first."""
        if self.path is None or not is_file(self.path):
            return []
        with self._store() as store:
            return [self.about(store, entry) for entry in reversed(store.entries())]

    def about(self, store: Store, entry: Entry) -> JsonObject:
        """Return a contest with the score of each player."""
        contest, finished = entry.contest, store.count(entry.contest)
        key, wanted = (contest.id, finished), Run(contest, entry.wanted).wanted
        if key not in self._scores:
            self._scores = {old: scores for old, scores in self._scores.items() if old[0] != contest.id}
            self._scores[key] = scores_of(store, entry)
        return {
            "id": contest.id,
            "kind": contest.kind,
            "game": contest.game,
            "players": list(contest.labels),
            "seats": contest.seats,
            "finished": finished,
            "wanted": wanted,
            "asked": entry.asked,
            "part_of": shown_label(entry.part_of),
            "running": finished < wanted and is_recent(store, entry),
            "scores": self._scores[key],
        }

    def contest(self, wanted: str, first: int, count: int) -> JsonObject:
        """Return one contest with its result, and some of its games."""
        with self._store() as store:
            entry = find(store, wanted)
            run = stored_run(store, entry)
            summary = summarise(run)
            games: list[JsonValue] = [
                {
                    "number": game.number + 1,
                    "seats": list(game.seats),
                    "results": list(game.results),
                    "moves": game.moves,
                    "loser": game.loser,
                    "forfeit": game.forfeit,
                }
                for game in [run.played[number] for number in sorted(run.played)][first : first + count]
            ]
            about = self.about(store, entry)
            return {**about, "summary": summary.as_dict(), "text": summary_text(summary), "games": games, "from": first}

    def report(self, wanted: str) -> str:
        """Return the report of a contest as a page."""
        from luozi.reports.contest_pages import contest_page

        with self._store() as store:
            run = stored_run(store, find(store, wanted))
            return contest_page(run, summarise(run), counted_outcomes(run, store))

    def whole(self, name: str) -> str:
        """Return the report of a tuning or an experiment as a page."""
        with self._store() as store:
            return whole_report(store, name)

    def game(self, wanted: str, number: int) -> JsonObject:
        """Return a game of a contest: its moves, its positions and their search results."""
        with self._store() as store:
            contest = find(store, wanted).contest
            outcome = store.outcome(contest, number - 1)
            text = store.record(contest, number - 1)
            labels = [contest.labels[player] for player in outcome.fixture.seats]
            return {**replay_data(contest, outcome, labels), "text": text, "number": number, "contest": contest.id}


def find(store: Store, wanted: str) -> Entry:
    """Return the contest with an id."""
    found = [entry for entry in store.entries() if entry.contest.id == wanted]
    if not found:
        raise LuoziError("there is no such contest in this folder")
    return found[-1]


def scores_of(store: Store, entry: Entry) -> list[float | None]:
    """Return the score of each player, where a shared first place counts in parts; None without games."""
    command = """SELECT player.value, avg(CASE WHEN result.value < best THEN 0.0 ELSE 1.0 / firsts END) FROM (
            SELECT seats, results, (SELECT max(value) FROM json_each(results)) AS best,
                (SELECT count(*) FROM json_each(results) WHERE value =
                    (SELECT max(value) FROM json_each(results))) AS firsts
            FROM games WHERE contest = ? AND json_array_length(seats) = ? AND json_array_length(results) = ?
        ), json_each(seats) AS player, json_each(results) AS result
        WHERE player.key = result.key GROUP BY player.value"""
    seats = entry.contest.seats  # a foreign file may hold longer lists, and all pairs of them are looked at
    found = dict(store.rows(command, (entry.contest.id, seats, seats)))
    return [found.get(player) for player in range(len(entry.contest.labels))]


def is_recent(store: Store, entry: Entry) -> bool:
    """Return whether a contest was requested or finished a game a short while ago, measured by its games."""
    command = "SELECT min(finished), max(finished), count(*) FROM games WHERE contest = ?"
    [(first, last, count)] = store.rows(command, (entry.contest.id,))
    begun, ended, now = time_of(first), time_of(last), datetime.now(UTC)
    usual = (ended - begun).total_seconds() / max(1, count - 1) if begun and ended else 0.0
    patience = max(RECENT_SECONDS, PATIENCE * usual) if count > 1 else FIRST_SECONDS
    return any(abs((now - when).total_seconds()) < patience for when in (ended, time_of(entry.asked)) if when)


def time_of(text: str) -> datetime | None:
    """Return a stored time: of games in local time, of contests with a time zone; None if it is malformed."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (TypeError, ValueError):
        return None


def replay_data(contest: MatchSchedule, outcome: Outcome, labels: Sequence[str]) -> dict[str, Any]:
    """Return a stored game, position by position."""
    game = contest.board
    history = GameHistory(game, contest.game, [Seat("program", label) for label in labels])
    for move in moves_of(contest, outcome):
        history.play(move.action, move.note)
    if not history.is_over and outcome.loser >= 0:
        history.played.resigned = outcome.fixture.seats.index(outcome.loser)
        history.played.forfeit = outcome.forfeit
    numbers = range(history.number + 1)
    return {
        "game": contest.game,
        "players": game.players,
        "player_names": [game.player_name(player) for player in range(game.players)],
        "labels": list(labels),
        "board": board_of(game),
        "moves": history.rows,
        "win_rates": [history.means(number) for number in numbers],
        "values": history.values(),
        "views": [position_data(position) for position in history.played.position.history()],
        "thoughts": [history.thought(number) for number in numbers],
        "over": history.over(),
    }


def whole_report(store: Store, name: str) -> str:
    """Return the report of a tuning or an experiment, drawn again from its definition and games.

    The name is that of its contests; old names of options and experiments are accepted, as in old links.

    Raises:
        LuoziError: nothing has this name, or its definition was not stored.
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
    """Return the page of a tuning, or None."""
    from luozi.reports.tuning_pages import tuning_page

    run = stored_tuning(store, name)
    return None if run is None else tuning_page(conclude(run))


def experiment_report(store: Store, name: str) -> str | None:
    """Return the page of an experiment with the newest of its settings that has results, or None."""
    for bench, values in remembered(EXPERIMENTS[name], store) if name in EXPERIMENTS else ():
        report = do_experiment(EXPERIMENTS[name], bench, values)
        if report.bench.done:
            return report_page(report)
    return None
