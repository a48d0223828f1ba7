"""One fixture from beginning to end, wherever it is played: in this process, in another, on another machine."""

from __future__ import annotations

import importlib.metadata
import json
import platform
import zlib
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from luozi import __version__
from luozi.games.user_files import place_in_own_game
from luozi.matches.schedule import MatchSchedule, ScheduledGame
from luozi.messages import LuoziError
from luozi.players import Player, player, seat_players
from luozi.records.moves import Move, candidate_rows, compact, read_candidates
from luozi.records.play import play_game
from luozi.records.record import Record, replayed
from luozi.rules.watchdog import patience, try_patiently
from luozi.util.parsing import json_value
from luozi.util.trust import foreign

MOST_BYTES = 2**28  # of all candidates of one game
_tried: set[str] = set()  # the contests whose rules came to an end in this process


class Outcome(NamedTuple):
    """A finished game, as it is stored. Texts are JSON but for the record; `moves_of` has them as data."""

    fixture: ScheduledGame
    results: tuple[float, ...]  # by seat
    loser: int  # the player, by number in the contest, who forfeited or resigned, or -1
    forfeit: str  # what a player who forfeited did, or nothing
    moves: int
    seeds: tuple[int, ...]
    record: str  # the game as people read it, without its date
    statistics: str  # what was thought at each move
    clock: str  # the seconds of each move; these and `finished` are the only things that differ when played again
    versions: str
    finished: str
    actions: str = ""  # the number of each move; nothing in games that were stored before there were such
    turns: str = ""  # the seat that made each move
    candidates: bytes = b""  # packed: all candidates of each move, if they were asked for


def play_fixture(contest: MatchSchedule, fixture: ScheduledGame) -> Outcome:
    """Play one game of a contest.

    >>> contest = MatchSchedule.of("tictactoe", ["random", "random"])
    >>> first = next(contest.fixtures())
    >>> play_fixture(contest, first).record == play_fixture(contest, first).record
    True
    """
    players: list[Player] = []
    try:
        with patience(contest.board):
            return _played(contest, fixture, players)
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


def _played(contest: MatchSchedule, fixture: ScheduledGame, players: list[Player]) -> Outcome:
    """The game itself; whoever is seated is in the list, to be closed whatever happens."""
    game, seeds, opening = contest.board, contest.seeds(fixture), contest.opening(fixture)
    if contest.id not in _tried:
        _tried.add(contest.id)
        try_patiently(game)
    spellings = [contest.players[number] for number in fixture.seats]
    with foreign():  # who made the contest named its players there
        players += seat_players(spellings, lambda seat, spelling: player(spelling, game, seed=seeds[seat]))
    for one in players:
        one.prepare()  # what is loaded once in a process is not thinking
    return outcome(contest, fixture, play_game(game, players, opening, visits=contest.visits))


def outcome(contest: MatchSchedule, fixture: ScheduledGame, record: Record) -> Outcome:
    """What is kept of a game."""
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
        json.dumps([move.thought for move in moves]),
        json.dumps([move.seconds or 0.0 for move in moves]),
        versions(),
        datetime.now().isoformat(" ", "milliseconds"),
        compact([move.action for move in moves]),
        compact([move.seat for move in moves]),
        packed_candidates(moves) if contest.visits else b"",
    )


# Moves as data --------------------------------------------------------------------------------------------------------


def moves_of(contest: MatchSchedule, outcome: Outcome) -> tuple[Move, ...]:
    """The moves of a stored game as data.

    >>> contest = MatchSchedule.of("tictactoe", ["flat:playouts=9", "random"], visits=True)
    >>> played = play_fixture(contest, next(contest.fixtures()))
    >>> move = moves_of(contest, played)[4]  # after an opening of four
    >>> move.seat, sum(candidate.visits for candidate in move.candidates)
    (0, 9)
    """
    actions, turns = actions_of(contest, outcome)
    notes = zip(json.loads(outcome.clock), json.loads(outcome.statistics), unpacked_candidates(outcome), strict=True)
    return tuple(Move(action, seat, *note) for action, seat, note in zip(actions, turns, notes, strict=True))


def actions_of(contest: MatchSchedule, outcome: Outcome) -> tuple[list[int], list[int]]:
    """Each move's action and seat; a game that was stored without them is replayed, for which its rules are needed."""
    if outcome.actions:
        return json.loads(outcome.actions), json.loads(outcome.turns)
    of = f"game {outcome.fixture.number + 1} of {contest.id}"
    moves = replayed(contest.board, outcome.record, of).moves
    return [move.action for move in moves], [move.seat for move in moves]


def packed_candidates(moves: Sequence[Move]) -> bytes:
    """All candidates of all moves, small."""
    return zlib.compress(compact([candidate_rows(move.candidates) for move in moves]).encode())


def unpacked_candidates(outcome: Outcome) -> list[Any]:
    """The opposite of `packed_candidates`; none for every move if none were asked for."""
    if not outcome.candidates:
        return [()] * outcome.moves
    of, seats = f"what was packed of game {outcome.fixture.number + 1}", len(outcome.fixture.seats)
    try:
        found = json_value(zlib.decompressobj().decompress(outcome.candidates, MOST_BYTES), of)
    except zlib.error:
        raise LuoziError("{of} can't be unpacked", of=of) from None
    if not isinstance(found, list) or len(found) != outcome.moves:
        raise LuoziError("{of} is not of {count} moves", of=of, count=outcome.moves)
    return [read_candidates(rows, seats) for rows in found]


@cache
def versions() -> str:
    """What played: a game is only as repeatable as these."""
    found = {"luozi": __version__, "python": platform.python_version(), "machine": platform.machine()}
    for package in ("numba", "numpy"):
        found[package] = importlib.metadata.version(package)
    return json.dumps(found)
