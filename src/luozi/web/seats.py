"""Who sits at a table, as plain data: a person, a program of the house, or an outside one that the server knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from luozi.messages import LuoziError, nearest
from luozi.players import PLAYERS
from luozi.players.person import Person
from luozi.players.presets import DEFAULT
from luozi.util.old_names import new_names
from luozi.util.parameters import convert_values, join_spelling
from luozi.util.parsing import plain

PERSON = Person.spelling
USUAL_SECONDS = 1.0
ALLOWED = tuple(name for name, kind in PLAYERS.items() if not kind.runs_command)
SEARCHERS = ("mcts", "strong", "level")
# What belongs to the server: how much of the machine a search has, and how it is shared.
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

    kind: str = PERSON
    name: str = PERSON
    level: int | None = None
    seconds: float | None = None
    iterations: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """For the page and for the store; only what was said."""
        values = {"level": self.level, "seconds": self.seconds, "iterations": self.iterations}
        said: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
        options = {"options": dict(self.options)} if self.options else {}
        return {"kind": self.kind, "name": self.name, **said, **options, "spelling": self.spelling}

    @property
    def is_person(self) -> bool:
        """Whether somebody at the page moves."""
        return self.kind == PERSON

    @property
    def searches(self) -> bool:
        """Whether it is a search, which can be watched."""
        return self.kind == "player" and self.name in SEARCHERS

    @property
    def spelling(self) -> str:
        """As records write it.

        >>> Seat("player", "strong", seconds=1.0).spelling
        'strong:seconds=1'
        """
        if self.kind != "player":
            return self.name
        values: dict[str, Any] = {"number": self.level} if self.level is not None else {}
        for name, value in zip(limit_names(self.name), (self.seconds, self.iterations), strict=True):
            if name and value is not None:
                values[name] = f"{value:g}" if isinstance(value, float) else value
        return join_spelling(self.name, {**values, **self.options})


def limit_names(player: str) -> tuple[str, str]:
    """Which options of a player are its limits in seconds and in iterations; empty where it has none.

    >>> limit_names("flat"), limit_names("exact"), limit_names("random")
    (('seconds', 'playouts'), ('seconds', ''), ('', ''))
    """
    known = PLAYERS[player].parameters if player in PLAYERS else {}
    counts = [name for name in ("iterations", "playouts") if name in known]
    return "seconds" if "seconds" in known else "", counts[0] if counts else ""


def read_seat(values: Mapping[str, Any], programs: Mapping[str, str]) -> Seat:
    """A seat from a message whose fields were checked; one sentence if nobody can sit there so.

    >>> read_seat({"kind": "player", "name": "level", "level": 3}, {}).spelling
    'level:number=3'
    """
    values = {field: value for field, value in values.items() if value is not None}
    kind, name = values["kind"], values.get("name")
    if kind == PERSON:
        return Seat(PERSON, " ".join((name or PERSON).split())[:40] or PERSON)
    if kind == "program":
        if name not in programs:
            raise LuoziError(
                "the server knows no program '{name}'{nearest}", name=name, nearest=nearest(str(name), programs)
            )
        return Seat("program", str(name), seconds=values.get("seconds"))
    return read_player(values)


def read_player(values: Mapping[str, Any]) -> Seat:
    """A program of the house."""
    values = {field: value for field, value in values.items() if value is not None}
    name = values.get("name") or DEFAULT
    if name not in ALLOWED:
        raise LuoziError("'{name}' can't take a seat here{nearest}", name=name, nearest=nearest(str(name), ALLOWED))
    seconds, iterations = values.get("seconds"), values.get("iterations")
    timed, counts = limit_names(name)
    if timed and seconds is None and (iterations is None or not counts):
        seconds = USUAL_SECONDS
    level = int(values.get("level", 5)) if name == "level" else None
    options = read_options(name, values.get("options", {}))
    counted = iterations if counts else None
    return Seat("player", name, level, None if seconds is None else float(seconds), counted, options)


def read_options(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """A player's options, each checked by itself: none can bring another along, and none names a file.

    >>> read_options("mcts", {"c": "0.7"})
    {'c': 0.7}
    """
    given = new_names(given, name)
    for option, value in given.items():
        if option in KEPT_BACK and (name, option) != ("exact", "nodes"):  # how far the solver looks
            raise LuoziError("'{option}' is the server's to say, not an option of a seat", option=option)
        if isinstance(value, str) and not set(value).isdisjoint(SEPARATORS):
            raise LuoziError("the option '{option}' has a value that no option has", option=plain(option))
    options = convert_values(dict(given), PLAYERS[name].parameters, name, offered=True)
    for option, most in MOST_OF.items():
        if (options.get(option) or 0) > most:
            raise LuoziError("'{option}' may be {most} at most here", option=option, most=most)
    return options
