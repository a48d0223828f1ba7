"""The players of a terminal game, from `--seat`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from luozi.messages import LuoziError, nearest
from luozi.players import PLAYERS, Player, player, seat_players
from luozi.players.presets import default_player, preset_warnings
from luozi.players.simple import Person
from luozi.records.record import Record
from luozi.rules.game import Game
from luozi.util.old_names import KINDS, new_spelling

PERSON = Person.spelling
PROGRAM = default_player(seconds=1)
QUICK_PROGRAM = "mcts:iterations=2000,seconds=0.2"  # for the demonstration


def default_program(level: int | None) -> str:
    """Return the program for a seat without a player.

    >>> default_program(3), default_program(None)
    ('level:number=3', 'strong:seconds=1')
    """
    return PROGRAM if level is None else f"level:number={level}"


def fill_seats(game: Game, given: Sequence[str], anybody_there: bool, level: int | None = None) -> list[str]:
    """Return the specifications of all seats: those given, else a person and programs; quick programs without a
    terminal.
    """
    program = default_program(level)
    if len(given) > game.players:
        raise LuoziError(
            "{game} has {count} players, but {given} seats were given",
            game=game.spelling,
            count=game.players,
            given=len(given),
        )
    if level is not None and len(given) == game.players:
        raise LuoziError("--level is for seats without --seat, and all seats have one: remove --level or a --seat")
    if given:
        return [*given, *[program] * (game.players - len(given))]
    if not anybody_there and level is None:
        return [QUICK_PROGRAM] * game.players
    return [PERSON, *[program] * (game.players - 1)]


def seats_in_file(record: Record) -> list[str]:
    """Return the players of a loaded game; none if the file only has names of people."""
    return list(record.players) if record.seated else []


def seat_warnings(game: Game, seats: Sequence[str]) -> list[str]:
    """Return warnings about the players, each once.

    >>> import luozi
    >>> seat_warnings(luozi.game("gomoku:size=9"), ["person", "level:number=3"])
    ['the levels were measured on gomoku only: their distances on gomoku:size=9 are unknown']
    """
    return list(preset_warnings(game, (seat.partition(":")[0].strip() for seat in seats)).values())


def players_of_seats(game: Game, seats: Sequence[str], seed: int, threads: int = 1) -> list[Player]:
    """Return the players. A program without a seed gets one that follows from the game's seed and its seat."""
    makers = [partial(make_player, game, seat, seed + number, threads) for number, seat in enumerate(seats)]
    return seat_players(seats, makers)


def make_player(game: Game, seat: str, seed: int, threads: int = 1, searching: bool = False) -> Player:
    """Return a person or a program with this number of threads by default; `searching` as for `player`."""
    name, _, values = (part.strip() for part in seat.partition(":"))
    if name == PERSON:
        if values:
            raise LuoziError("'{text}': a person has no parameters", text=seat)
        return Person(game)
    seat = new_spelling(seat)
    if KINDS.get(name, name) not in PLAYERS:
        raise LuoziError("there is no player '{name}'{nearest}", name=name, nearest=nearest(name, [PERSON, *PLAYERS]))
    made = player(seat, game, searching, seed=seed, threads=threads)
    made.spelling = seat  # without the seed that follows from the game's: a record has that one
    return made
