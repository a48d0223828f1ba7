"""Matches as they are played: `play_all` is the loop, `Run` the state of one match.

A result depends on the finished games alone, in the order of the schedule. A sequential test takes whole encounters in
that order too, so that it decides at the same game whichever finished first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from luozi.matches.game_runner import Outcome
from luozi.matches.remote_task import PortableCall
from luozi.matches.schedule import MatchSchedule, ScheduledGame
from luozi.matches.store import Entry, ScoredGame, Store
from luozi.matches.workers import Executor, game_task
from luozi.messages import LuoziError
from luozi.statistics.matches import Sprt


class Run:
    """A match, how many games are wanted, and those that are finished."""

    def __init__(self, contest: MatchSchedule, games: int, sprt: Sprt | None = None, part_of: str = "") -> None:
        if sprt is not None and (contest.kind != "match" or len(set(contest.players[1:])) > 1):
            raise LuoziError(
                "a sequential test compares two players. Name two, and in a game with more seats repeat the"
                " second player."
            )
        self.contest, self.games, self.sprt, self.part_of = contest, games, sprt, part_of
        self.wanted = contest.count(games)
        self.played: dict[int, ScoredGame] = {}
        self.encounters: dict[int, list[ScoredGame]] = defaultdict(list)
        self.tested = no_encounters(contest.seats)  # complete encounters by half points, for the sequential test
        self.llr = 0.0
        self.verdict: str | None = None
        self.last = self.wanted  # games from this number on do not count: the test has decided before

    def load(self, store: Store) -> None:
        """Enter the match into a store and take its finished games from there."""
        store.enter(self.contest, self.games, asdict(self.sprt) if self.sprt else None, self.part_of)
        self.load_games(store)

    def load_games(self, store: Store) -> None:
        """Take the finished games of a store, without writing to it."""
        for played in store.played(self.contest):
            self.add(played)

    def add(self, played: ScoredGame) -> None:
        """Add a finished game."""
        if played.number in self.played or played.number >= self.wanted:
            return
        self.played[played.number] = played
        self.encounters[played.encounter].append(played)
        self._test()

    def _test(self) -> None:
        """Give the sequential test the encounters that are now complete, in order, until it decides."""
        while self.sprt and not self.verdict:
            number, size = sum(self.tested), self.contest.seats
            games = self.encounters.get(number, [])
            if len(games) < size:
                return
            self.tested[points_of(games)] += 1
            self.llr = self.sprt.ratio(self.tested, size)
            self.verdict = self.sprt.verdict(self.llr)
            if self.verdict:
                self.last = (number + 1) * size

    def counts(self, outcome: Outcome) -> bool:
        """Return whether a finished game makes part of the result."""
        return outcome.fixture.number in self.played and outcome.fixture.number < self.last

    @property
    def counted(self) -> list[ScoredGame]:
        """The games that make the result, in the order of the schedule."""
        return [self.played[number] for number in sorted(self.played) if number < self.last]

    @property
    def complete(self) -> bool:
        """Whether no game is left to play."""
        return self.verdict is not None or len(self.played) == self.wanted

    def pending(self) -> Iterator[PortableCall[MatchSchedule, ScheduledGame, Outcome]]:
        """Yield the tasks of missing games, as long as the test has not decided."""
        for fixture in self.contest.fixtures(self.games):
            if self.verdict is not None:
                return
            if fixture.number not in self.played:
                yield game_task(self.contest, fixture)


def stored_run(store: Store, entry: Entry) -> Run:
    """Return a match as it was last asked for, with its finished games."""
    run = Run(entry.contest, entry.wanted, None if entry.test is None else Sprt(**entry.test), entry.part_of)
    run.load_games(store)
    return run


def first_player_score(game: ScoredGame) -> float:
    """Return the mean score of the match's first player against the others of a game: 1, 0.5 or 0 for each."""
    seat = game.seats.index(0)
    others = [result for place, result in enumerate(game.results) if place != seat]
    points = [1.0 if game.results[seat] > other else 0.5 if game.results[seat] == other else 0.0 for other in others]
    return sum(points) / len(points)


def no_encounters(seats: int) -> list[int]:
    """Return zero counts of encounters, one for each number of half points that the first player can score."""
    return [0] * (2 * seats * (seats - 1) + 1)


def points_of(games: Sequence[ScoredGame]) -> int:
    """Return the first player's half points in a complete encounter, summed over opponents and games."""
    opponents = len(games[0].seats) - 1
    return round(sum(2 * opponents * first_player_score(game) for game in games))


def play_all(
    runs: Sequence[Run], store: Store, executor: Executor, on_game: Callable[[Run, Any], None] | None = None
) -> None:
    """Play the missing games of all matches, and store each game as soon as it is finished."""
    if all(run.complete for run in runs):
        return
    by_contest = {run.contest.id: run for run in runs}
    tasks = (task for run in runs for task in run.pending() if not taken_from(store, run, task))
    for task, outcome in executor.run(tasks):
        run = by_contest[task.shared.id]
        if store.add(task.shared, outcome):
            run.add(ScoredGame.of(outcome))
        else:
            taken_from(store, run, task)
        if on_game is not None:
            on_game(run, outcome)
        if all(run.complete for run in runs):
            return


def taken_from(store: Store, run: Run, task: PortableCall[MatchSchedule, ScheduledGame, Outcome]) -> bool:
    """Add a game that is in the store by now, since another command plays the same match; return whether it is."""
    found = store.played(task.shared, task.part.number)
    for played in found:
        run.add(played)
    return bool(found)
