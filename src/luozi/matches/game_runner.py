"""One game of a match from beginning to end, and the moves of a stored game."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from datetime import datetime
from functools import cache, partial
from itertools import repeat
from typing import NamedTuple

from luozi import __version__
from luozi.matches.schedule import MatchSchedule, ScheduledGame
from luozi.messages import LuoziError
from luozi.players import Player, player, seat_players
from luozi.records.files import replayed
from luozi.records.moves import Move, read_data
from luozi.records.play import play_game
from luozi.records.record import Record, data_text, data_values
from luozi.rules.watchdog import patience, try_patiently
from luozi.util.own_code import place_in_own_game
from luozi.util.trust import foreign

_tried: set[str] = set()  # ids of contests whose rules were found to end, in this process


class Outcome(NamedTuple):
    """A finished game as it is stored; `moves_of` returns its moves."""

    fixture: ScheduledGame
    results: tuple[float, ...]  # by seat
    loser: int  # the player, by number in the contest, who forfeited or resigned, or -1
    forfeit: str  # what a player did who forfeited, or nothing
    moves: int
    seeds: tuple[int, ...]
    record: str  # the record as text, without its date
    data: str  # the data of its moves, as they follow that text; its seconds differ when the game is played again
    versions: str  # JSON
    finished: str


def play_fixture(contest: MatchSchedule, fixture: ScheduledGame) -> Outcome:
    """Play one game of a match or tournament.

    >>> contest = MatchSchedule.of("tictactoe", ["random", "random"])
    >>> first = next(contest.fixtures())
    >>> play_fixture(contest, first).record == play_fixture(contest, first).record
    True
    """
    players: list[Player] = []
    try:
        game, seeds = contest.board, contest.seeds(fixture)
        spellings = [contest.players[number] for number in fixture.seats]
        makers = [partial(player, spelling, game, seed=seed) for spelling, seed in zip(spellings, seeds, strict=True)]
        with patience(game):
            opening = contest.opening(fixture)
            if contest.id not in _tried:
                _tried.add(contest.id)
                try_patiently(game)
            with foreign():  # the program that made the contest has named what its players run
                players += seat_players(spellings, makers)
            for one in players:
                one.prepare()  # what is loaded once in a process is not thinking
            return outcome(contest, fixture, play_game(game, players, opening, visits=contest.visits))
    except LuoziError as error:
        raise LuoziError("game {number} can't be played: {reason}", number=fixture.number + 1, reason=error) from None
    except (Exception, SystemExit) as error:  # here, since the place does not travel to another process
        place = place_in_own_game(error)
        if place is None:
            raise
        raise LuoziError("game {number} can't be played: {reason}", number=fixture.number + 1, reason=place) from None
    finally:
        for one in players:
            one.close()


def outcome(contest: MatchSchedule, fixture: ScheduledGame, record: Record) -> Outcome:
    """Return what is stored of a game."""
    results, moves = record.results(), record.moves
    assert results is not None  # it was played to its end
    return Outcome(
        fixture,
        tuple(results),
        -1 if record.resigned is None else fixture.seats[record.resigned],
        record.forfeit,
        len(moves),
        contest.seeds(fixture),
        record.text(dated=False),
        data_text([move._replace(seconds=move.seconds or 0.0) for move in moves]),
        versions(),
        datetime.now().isoformat(" ", "milliseconds"),
    )


def moves_of(contest: MatchSchedule, outcome: Outcome) -> tuple[Move, ...]:
    """Return the moves of a stored game, with what is known of each.

    >>> contest = MatchSchedule.of("tictactoe", ["flat:playouts=9", "random"], visits=True)
    >>> played = play_fixture(contest, next(contest.fixtures()))
    >>> move = moves_of(contest, played)[4]  # after an opening of four
    >>> move.seat, sum(candidate.visits for candidate in move.candidates)
    (0, 9)
    """
    values = data_values(outcome.data)
    if all("action" in value for value in values):
        return tuple(map(read_data, values, repeat(contest.seats)))
    # Formats 2 and 3 store no actions and seats: the record is replayed, for which the rules are needed.
    of = f"game {outcome.fixture.number + 1} of {contest.id}"
    return replayed(contest.board, outcome.record + outcome.data, of).moves


@cache
def versions() -> str:
    """Return the versions that played, as JSON: other versions may play other games."""
    found = {"luozi": __version__, "python": platform.python_version(), "machine": platform.machine()}
    for package in ("numba", "numpy"):
        found[package] = importlib.metadata.version(package)
    return json.dumps(found)
