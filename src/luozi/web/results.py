"""The results of the folder, read anew at each request: contests, their reports, and their games on the board."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from luozi.matches.runner import Run, stored_run
from luozi.matches.store import Entry, Store
from luozi.matches.summary import summarise
from luozi.matches.tables import summary_text
from luozi.matches.tuning.trials import shown_label
from luozi.messages import LuoziError
from luozi.reports.contest_files import counted_outcomes
from luozi.util.parsing import JsonObject, JsonValue, is_file
from luozi.util.trust import foreign
from luozi.web.replaying import replay_data
from luozi.web.reports import whole_report

RECENT_SECONDS = 120.0  # a contest that was asked for or got a game so lately may still be running
FIRST_SECONDS = 900.0  # the same before anything is known of how long its games take
PATIENCE = 4  # or as long as so many of its games usually take


class Results:
    """One file of results; there may be none yet."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._scores: dict[tuple[str, int], list[float | None]] = {}  # of contests with so many games

    @contextmanager
    def _store(self) -> Iterator[Store]:
        if self.path is None or not is_file(self.path):
            raise LuoziError("there are no results in this folder yet: play a match first")
        store = Store.open(self.path, create=False)
        try:
            with foreign():  # the file may be anybody's, and so may be what it names
                yield store
        finally:
            store.close()

    def listed(self) -> list[JsonObject]:
        """All contests, the newest first."""
        if self.path is None or not is_file(self.path):
            return []
        with self._store() as store:
            return [self.about(store, entry) for entry in reversed(store.entries())]

    def about(self, store: Store, entry: Entry) -> JsonObject:
        """A contest for the list, with the score of every player."""
        found = about(store, entry)
        key = entry.contest.id, found["finished"]
        if key not in self._scores:
            self._scores = {old: scores for old, scores in self._scores.items() if old[0] != key[0]}
            self._scores[key] = scores_of(store, entry)
        return {**found, "scores": self._scores[key]}

    def contest(self, wanted: str, first: int, count: int) -> JsonObject:
        """One contest with its result, and some of its games."""
        with self._store() as store:
            entry = find(store, wanted)
            run = stored_run(store, entry)
            summary = summarise(run)
            played = [run.played[number] for number in sorted(run.played)][first : first + count]
            games: list[JsonValue] = [
                {
                    "number": game.number + 1,
                    "seats": list(game.seats),
                    "results": list(game.results),
                    "moves": game.moves,
                    "loser": game.loser,
                    "forfeit": game.forfeit,
                }
                for game in played
            ]
            text = summary_text(summary)
            return {
                **self.about(store, entry),
                "summary": summary.as_dict(),
                "text": text,
                "games": games,
                "from": first,
            }

    def report(self, wanted: str) -> str:
        """The report as a page."""
        from luozi.reports.contest_pages import contest_page

        with self._store() as store:
            run = stored_run(store, find(store, wanted))
            return contest_page(run, summarise(run), counted_outcomes(run, store))

    def whole(self, name: str) -> str:
        """The report of a tuning or an experiment as a page."""
        with self._store() as store:
            return whole_report(store, name)

    def game(self, wanted: str, number: int) -> JsonObject:
        """A game of a contest, position by position, with what was thought."""
        with self._store() as store:
            contest = find(store, wanted).contest
            outcome = store.outcome(contest, number - 1)
            text = store.record(contest, number - 1)
            labels = [contest.labels[player] for player in outcome.fixture.seats]
            return {**replay_data(contest, outcome, labels), "text": text, "number": number, "contest": contest.id}


def find(store: Store, wanted: str) -> Entry:
    """The contest with this id."""
    found = [entry for entry in store.entries() if entry.contest.id == wanted]
    if not found:
        raise LuoziError("there is no such contest in this folder")
    return found[-1]


def about(store: Store, entry: Entry) -> dict[str, Any]:
    """A contest for the list."""
    contest = entry.contest
    run = Run(contest, entry.wanted)
    finished = store.count(contest)
    return {
        "id": contest.id,
        "kind": contest.kind,
        "game": contest.game,
        "players": list(contest.labels),
        "seats": contest.seats,
        "finished": finished,
        "wanted": run.wanted,
        "asked": entry.asked,
        "part_of": shown_label(entry.part_of),
        "running": finished < run.wanted and is_recent(store, entry),
    }


def scores_of(store: Store, entry: Entry) -> list[float | None]:
    """The score of every player as in its table, where a shared first place counts in parts; None without games."""
    command = """SELECT player.value, avg(CASE WHEN result.value < best THEN 0.0 ELSE 1.0 / firsts END) FROM (
            SELECT seats, results, (SELECT max(value) FROM json_each(results)) AS best,
                (SELECT count(*) FROM json_each(results) WHERE value =
                    (SELECT max(value) FROM json_each(results))) AS firsts
            FROM games WHERE contest = ? AND json_array_length(seats) = ? AND json_array_length(results) = ?
        ), json_each(seats) AS player, json_each(results) AS result
        WHERE player.key = result.key GROUP BY player.value"""
    seats = entry.contest.seats  # longer lists were never written, and all pairs of them are looked at
    found = dict(store.rows(command, (entry.contest.id, seats, seats)))
    return [found.get(player) for player in range(len(entry.contest.labels))]


def is_recent(store: Store, entry: Entry) -> bool:
    """Whether a game was finished, or the contest asked for, a short while ago, as its games go."""
    command = "SELECT min(finished), max(finished), count(*) FROM games WHERE contest = ?"
    [(first, last, count)] = store.rows(command, (entry.contest.id,))
    begun, ended, now = time_of(first), time_of(last), datetime.now(UTC)
    usual = (ended - begun).total_seconds() / max(1, count - 1) if begun and ended else 0.0
    patience = max(RECENT_SECONDS, PATIENCE * usual) if count > 1 else FIRST_SECONDS
    return any(abs((now - when).total_seconds()) < patience for when in (ended, time_of(entry.asked)) if when)


def time_of(text: str) -> datetime | None:
    """A stored time: of games that of the clock on the wall, of contests with its zone; None if it is none."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (TypeError, ValueError):
        return None
