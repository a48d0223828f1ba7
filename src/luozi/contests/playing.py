"""One fixture from beginning to end, wherever it is played: in this process, in another, on another machine."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from luozi import __version__
from luozi.contests.contest import Contest, Fixture
from luozi.errors import LuoziError
from luozi.games.own import place_in_own_game
from luozi.players import Player, player, seat_players
from luozi.records.record import GameRecord
from luozi.records.table import Table, play_game
from luozi.search import Thought

LINE = 6  # moves of the expected line that are kept


class Outcome(NamedTuple):
    """A finished game, as it is stored. Texts are JSON but for the record."""

    fixture: Fixture
    results: tuple[float, ...]  # by seat
    loser: int  # the player, by number in the contest, who forfeited or resigned, or -1
    forfeit: str  # what a player who forfeited did, or nothing
    moves: int
    seeds: tuple[int, ...]
    record: str  # the game as text, without its date
    statistics: str  # what was thought at each move
    clock: str  # the seconds of each move; these and `finished` are the only things that differ when played again
    versions: str
    finished: str


def play_fixture(contest: Contest, fixture: Fixture) -> Outcome:
    """Play one game of a contest.

    >>> contest = Contest.of("tictactoe", ["random", "random"])
    >>> first = next(contest.fixtures())
    >>> play_fixture(contest, first).record == play_fixture(contest, first).record
    True
    """
    players: list[Player] = []
    try:
        return _played(contest, fixture, players)
    except LuoziError as error:
        raise LuoziError(f"game {fixture.number + 1} can't be played: {error}") from None
    except (Exception, SystemExit) as error:  # here, since the place does not travel to another process
        place = place_in_own_game(error)
        if place is None:
            raise
        raise LuoziError(f"game {fixture.number + 1} can't be played: {place}") from None
    finally:
        for one in players:
            one.close()


def _played(contest: Contest, fixture: Fixture, players: list[Player]) -> Outcome:
    """The game itself; whoever is seated is in the list, to be closed whatever happens."""
    game, seeds, opening = contest.board, contest.seeds(fixture), contest.opening(fixture)
    statistics: list[Any] = [None] * len(opening)
    clock: list[float] = [0.0] * len(opening)

    def note(_table: Table, thought: Thought | None, seconds: float) -> None:
        statistics.append(about(thought))
        clock.append(round(seconds, 4))

    spellings = [contest.players[number] for number in fixture.seats]
    players += seat_players(spellings, lambda seat, spelling: player(spelling, game, seed=seeds[seat]))
    for one in players:
        one.prepare()  # what is loaded once in a process is not thinking
    record = play_game(game, players, opening, note)
    return outcome(contest, fixture, record, json.dumps(statistics), json.dumps(clock))


def outcome(contest: Contest, fixture: Fixture, record: GameRecord, statistics: str, clock: str) -> Outcome:
    """What is kept of a game."""
    results = record.results()
    assert results is not None  # it was played to its end
    loser = -1 if record.resigned is None else fixture.seats[record.resigned]
    return Outcome(
        fixture,
        tuple(results),
        loser,
        record.forfeit,
        len(record.actions),
        contest.seeds(fixture),
        record.text(dated=False),
        statistics,
        clock,
        versions(),
        datetime.now().isoformat(" ", "milliseconds"),
    )


def about(thought: Thought | None) -> dict[str, Any] | None:
    """The statistics of one move; no clock times, so that they repeat."""
    if thought is None:
        return None
    best = thought.best
    return {
        "iterations": thought.iterations,
        "nodes": thought.nodes,
        "depth": thought.depth,
        "kept": thought.kept,
        "visits": best.visits,
        "means": [round(mean, 4) for mean in best.means],
        "line": list(thought.variation[:LINE]),
        **({"cuts": thought.cuts} if thought.cuts else {}),
    }


@cache
def versions() -> str:
    """What played: a game is only as repeatable as these."""
    found = {"luozi": __version__, "python": platform.python_version(), "machine": platform.machine()}
    for package in ("numba", "numpy"):
        found[package] = importlib.metadata.version(package)
    return json.dumps(found)
