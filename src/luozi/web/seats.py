"""The player in a seat as plain data: a person, a player of Luozi, or an external program of the server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from luozi.messages import LuoziError, nearest
from luozi.players import PLAYERS
from luozi.players.presets import DEFAULT
from luozi.players.simple import Person
from luozi.util.old_names import new_names
from luozi.util.parameters import convert_values, join_spelling
from luozi.util.parsing import OptionValue, plain
from luozi.web.answers import SeatData
from luozi.web.requests import SeatChoice

PERSON = Person.spelling
USUAL_SECONDS = 1.0
ALLOWED = tuple(name for name, kind in PLAYERS.items() if not kind.runs_command)
SEARCHERS = ("mcts", "strong", "level")
# The server controls these: how much of the machine a search has, and how it is shared.
KEPT_BACK = (
    "threads",
    "max_memory_mb",
    "pool_size",
    "parallel",
    "iterations",
    "seconds",
    "nodes",
    "self_play_tree",
    "number",
)
MOST_OF = {"tt_millions": 16, "depth": 20, "nodes": 10**9, "batch_size": 64}  # of options that cost memory or time
SEPARATORS = ",=|\n\r"  # of options and players, where these are written in a row


@dataclass(frozen=True)
class Seat:
    """One seat; `read_seat` makes it."""

    kind: Literal["person", "player", "program"] = "person"
    name: str = PERSON
    level: int | None = None
    seconds: float | None = None
    iterations: int | None = None
    options: Mapping[str, bool | int | float | str] = field(default_factory=dict)

    def data(self) -> SeatData:
        """Return it for the page and the database; only what was given."""
        values = {"level": self.level, "seconds": self.seconds, "iterations": self.iterations}
        said = {name: value for name, value in values.items() if value is not None}
        options = {"options": dict(self.options)} if self.options else {}
        return cast(SeatData, {"kind": self.kind, "name": self.name, **said, **options, "spelling": self.spelling})

    @property
    def choice(self) -> SeatChoice:
        """It in the form in which a page asks for it."""
        options = dict(self.options) or None
        return SeatChoice(self.kind, self.name, self.level, self.seconds, self.iterations, options)

    @property
    def is_person(self) -> bool:
        """Whether a person moves."""
        return self.kind == PERSON

    @property
    def searches(self) -> bool:
        """Whether it is a search, whose progress can be shown."""
        return self.kind == "player" and self.name in SEARCHERS

    @property
    def spelling(self) -> str:
        """Its spelling in records.

        >>> Seat("player", "strong", seconds=1.0).spelling
        'strong:seconds=1'
        """
        if self.kind != "player":
            return self.name
        values: dict[str, OptionValue] = {"number": self.level} if self.level is not None else {}
        for name, value in zip(limit_names(self.name), (self.seconds, self.iterations), strict=True):
            if name and value is not None:
                values[name] = f"{value:g}" if isinstance(value, float) else value
        return join_spelling(self.name, {**values, **self.options})


def limit_names(player: str) -> tuple[str, str]:
    """Return the options of a player that are its limits in seconds and in iterations; empty where it has none.

    >>> limit_names("flat"), limit_names("exact"), limit_names("random")
    (('seconds', 'playouts'), ('seconds', ''), ('', ''))
    """
    known = PLAYERS[player].parameters if player in PLAYERS else {}
    counts = [name for name in ("iterations", "playouts") if name in known]
    return "seconds" if "seconds" in known else "", counts[0] if counts else ""


def read_seat(choice: SeatChoice, programs: Mapping[str, str]) -> Seat:
    """Return the seat that a page asks for; raise LuoziError if there is no such player.

    >>> read_seat(SeatChoice("player", "level", 3), {}).spelling
    'level:number=3'
    """
    name = choice.name
    if choice.kind == "person":
        return Seat(name=" ".join((name or PERSON).split())[:40] or PERSON)
    if choice.kind == "program":
        if name not in programs:
            raise LuoziError(
                "the server knows no program '{name}'{nearest}", name=name, nearest=nearest(str(name), programs)
            )
        return Seat("program", str(name), seconds=choice.seconds)
    return read_player(choice)


def read_player(choice: SeatChoice) -> Seat:
    """Return a seat with a player of Luozi."""
    name = choice.name or DEFAULT
    if name not in ALLOWED:
        raise LuoziError("'{name}' can't take a seat here{nearest}", name=name, nearest=nearest(str(name), ALLOWED))
    seconds, iterations = choice.seconds, choice.iterations
    timed, counts = limit_names(name)
    if timed and seconds is None and (iterations is None or not counts):
        seconds = USUAL_SECONDS
    level = (choice.level or 5) if name == "level" else None
    options = read_options(name, choice.options or {})
    counted = iterations if counts else None
    return Seat("player", name, level, None if seconds is None else float(seconds), counted, options)


def read_options(name: str, given: Mapping[str, OptionValue]) -> dict[str, Any]:
    """Return a player's options. Each is checked by itself: none can contain another, and none names a file.

    >>> read_options("mcts", {"c": "0.7"})
    {'c': 0.7}
    """
    given = new_names(given, name)
    for option, value in given.items():
        if option in KEPT_BACK and (name, option) != ("exact", "nodes"):  # how far the solver looks
            raise LuoziError("the option '{option}' cannot be set for a seat: the server controls it", option=option)
        if isinstance(value, str) and not set(value).isdisjoint(SEPARATORS):
            raise LuoziError("the option '{option}' has a value that no option has", option=plain(option))
    options = convert_values(dict(given), PLAYERS[name].parameters, name, offered=True)
    for option, most in MOST_OF.items():
        if (options.get(option) or 0) > most:
            raise LuoziError("'{option}' may be {most} at most here", option=option, most=most)
    return options
