"""What may be named in a message: games of the house and those that the server was started with, players, programs.

Nothing that comes from a page is ever used as the name of a file, a command or a class: it is looked up here.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path

from luozi.games import GAMES, Listing
from luozi.games import game as make_game
from luozi.games.openspiel import from_openspiel
from luozi.messages import LuoziError, nearest
from luozi.players import PLAYERS, read_spelling
from luozi.players.presets import LEVELS
from luozi.rules.game import Game
from luozi.util.old_names import KINDS, new_spelling
from luozi.util.parameters import Parameter, join_spelling, parameters_of, split_spelling
from luozi.util.parsing import is_file, plain
from luozi.web.limits import ServerLimits
from luozi.web.offers import GameOffer, ParameterData, PlayerOffer
from luozi.web.seats import ALLOWED, KEPT_BACK, limit_names

KEPT_GAMES = 64
OPENSPIEL = "openspiel"
PROTOCOL = "gtp"  # of a program that says nothing about it


class Catalog:
    """The games, players and programs of one server.

    >>> Catalog().game("gomoku:size=9").actions
    81
    """

    def __init__(
        self, own: Sequence[str] = (), programs: Mapping[str, str] | None = None, limits: ServerLimits | None = None
    ) -> None:
        self.limits = limits or ServerLimits()
        self.own = {name_of(spelling): spelling for spelling in own}  # by name: as the command line spells them
        self.programs = {name: read_program(name, command) for name, command in (programs or {}).items()}
        self._known: OrderedDict[str, Game] = OrderedDict()
        self._own_parameters: dict[str, dict[str, Parameter]] = {}
        self._lock = threading.Lock()
        for name, spelling in self.own.items():
            made = make_game(spelling)  # one sentence now if it is not a game
            self._own_parameters[name] = parameters_of(from_openspiel if name == OPENSPIEL else type(made))
            self._keep(name, made)

    def spelled(self, spelling: str) -> str:
        """The one way in which a game is written here, if it may be played; no file is looked at for it."""
        if len(spelling) > self.limits.spelling:
            raise LuoziError(
                "the game '{name}' has more than {most} characters",
                name=plain(spelling),
                most=f"{self.limits.spelling:,}",
            )
        name, values = split_spelling(new_spelling(spelling))
        if name not in GAMES and name not in self.own:
            raise LuoziError(
                "there is no game '{name}' here{nearest}",
                name=plain(name),
                nearest=nearest(name[:100], [*GAMES, *self.own]),
            )
        self._refuse_texts(name, values)
        return join_spelling(name, values)

    def _refuse_texts(self, name: str, values: Mapping[str, str]) -> None:
        """One sentence about a value that may name a file or more, unless the server was started with it."""
        known = parameters_of(GAMES[name]) if name in GAMES else self._own_parameters[name]
        given = split_spelling(self.own.get(name, name))[1]
        for key, value in values.items():
            if key in known and value != given.get(key):
                known[key].convert_offered(value, name)

    def game(self, spelling: str) -> Game:
        """The game that is written so; it may take a moment to make."""
        spelled = self.spelled(spelling)
        with self._lock:
            if spelled in self._known:
                self._known.move_to_end(spelled)
                return self._known[spelled]
        name, values = split_spelling(spelled)
        self._refuse_large(name, values)
        return self._keep(spelled, make_game(self.own.get(name, name), **values))

    def _keep(self, spelled: str, made: Game) -> Game:
        """Keep a game for who asks next; one sentence if it is too large."""
        if made.actions > self.limits.actions:
            raise LuoziError(
                "'{game}' has {count} moves, and the page has room for {most}",
                game=plain(spelled),
                count=f"{made.actions:,}",
                most=f"{self.limits.actions:,}",
            )
        with self._lock:
            self._known[spelled] = made
            while len(self._known) > KEPT_GAMES:
                self._known.popitem(last=False)
        return made

    def outside_spelling(self, spelling: str) -> str:
        """A game as the command line knows it: in a record, a file's name without its folder."""
        name, values = split_spelling(spelling)
        own = self.own.get(name)
        if own is None:
            return spelling
        file, given = split_spelling(own)
        return join_spelling(Path(file).name, {**given, **values})

    def recorded_spelling(self, spelling: str) -> str:
        """The opposite of `outside_spelling`: a file's name stands for the game that the server was started with."""
        file, values = split_spelling(spelling)
        for name, own in self.own.items():
            if Path(split_spelling(own)[0]).name == file:
                return join_spelling(name, values)
        return spelling

    def inside_spelling(self, spelling: str) -> str:
        """A game as it is written here, from how it spells itself."""
        for name, own in self.own.items():
            if split_spelling(own)[0] == split_spelling(spelling)[0]:
                given = split_spelling(own)[1]
                values = {key: value for key, value in split_spelling(spelling)[1].items() if given.get(key) != value}
                return join_spelling(name, values)
        return self.spelled(spelling)

    def _refuse_large(self, name: str, values: Mapping[str, str]) -> None:
        """One sentence about a board that would take long to make, before it is made."""
        if name not in GAMES:
            self._refuse_large_own(name, values)
            return
        sides = {"size": 2, "rows": 1, "columns": 1, "layers": 1}
        if name == "five3d":
            sides["size"] = 3
        cells = 1.0
        for side, power in sides.items():
            parameter = parameters_of(GAMES[name]).get(side)
            if parameter is not None:
                cells *= float(parameter.convert(values.get(side, parameter.default), name)) ** power
        if cells > self.limits.cells:
            raise LuoziError(
                "a board of {cells} cells is too large for the page: {most} at most",
                cells=f"{cells:,.0f}",
                most=f"{self.limits.cells:,}",
            )

    def _refuse_large_own(self, name: str, values: Mapping[str, str]) -> None:
        """The same of a user's own game: a number to which its class sets no bound may be as large as a board."""
        for key, parameter in self._own_parameters[name].items():
            unbounded = key in values and parameter.kind in (int, float) and parameter.about.high is None
            if unbounded and abs(parameter.convert(values[key], name)) > self.limits.cells:
                raise LuoziError(
                    "{game}: {name} may be {most} at most here", game=name, name=key, most=f"{self.limits.cells:,}"
                )

    # Lists ------------------------------------------------------------------------------------------------------------

    def games(self) -> list[GameOffer]:
        """All games with their parameters, for a form."""
        listed = [(one, False) for one in Listing.all()]
        for name in self.own:
            game = self.game(name)
            meaning = ((type(game).__doc__ or "").strip().splitlines() or [""])[0]
            listed.append((Listing.of(name, meaning, type(game)), True))
        return [
            GameOffer(
                one.name,
                one.meaning,
                own,
                self.game(one.name).players,
                [parameter_data(parameter) for parameter in one.parameters],
                PRESETS.get(one.name, [one.name]),
            )
            for one, own in listed
        ]

    def players(self) -> list[PlayerOffer]:
        """All players that may take a seat."""
        programs = (PlayerOffer(name, "program", "An outside program.", ["seconds"], 0, []) for name in self.programs)
        return [*map(player_offer, ALLOWED), *programs]


def player_offer(name: str) -> PlayerOffer:
    """A player for a form, without what the server keeps back."""
    kind, limits = PLAYERS[name], limit_names(name)
    hidden = {*KEPT_BACK, *limits}
    return PlayerOffer(
        name,
        "player",
        kind.meaning,
        [one for one, own in zip(("seconds", "iterations"), limits, strict=True) if own],
        LEVELS if name == "level" else 0,
        [parameter_data(one) for key, one in kind.parameters.items() if key not in hidden],
    )


PRESETS: dict[str, list[str]] = {
    "tictactoe": ["tictactoe", "tictactoe:size=2,win_length=2"],
    "gomoku": ["gomoku", "gomoku:size=9", "gomoku:size=19"],
    "connect4": ["connect4", "connect4:rows=9,columns=12", "connect4:rows=9,columns=12,blocked=3.4"],
    "five3d": ["five3d", "five3d:players=2", "five3d:size=5,win_length=4"],
    "qubic": ["qubic", "qubic:gravity=true"],
    "go": ["go:size=9", "go:size=13", "go:size=19", "go:size=9,rules=japanese,komi=6.5"],
}


def parameter_data(parameter: Parameter) -> ParameterData:
    """A parameter as plain data."""
    about = parameter.about
    low, high = (None if bound is None or math.isinf(bound) else bound for bound in (about.low, about.high))
    kind, choices = parameter.kind.__name__, list(parameter.offered)
    return ParameterData(parameter.name, kind, parameter.default, low, high, choices, about.meaning)


def name_of(spelling: str) -> str:
    """What a game of the command line is called on the page.

    >>> name_of("games/my_game.py:size=9"), name_of("openspiel:name=breakthrough")
    ('my_game', 'openspiel')
    """
    name = split_spelling(spelling)[0]
    return Path(name).stem if name.endswith(".py") or is_file(name) else name


def read_program(name: str, command: str) -> str:
    """The player that an outside program of the command line is.

    >>> read_program("gnugo", "gnugo --mode gtp")
    'gtp:gnugo --mode gtp'
    """
    if not name or not name.replace("-", "").replace("_", "").replace(" ", "").isalnum() or len(name) > 40:
        raise LuoziError(
            "--engine '{name}': a program's name is made of letters and digits, as in gnugo=COMMAND", name=plain(name)
        )
    kind = command.partition(":")[0].strip()
    spelling = command if KINDS.get(kind, kind) in PLAYERS else f"{PROTOCOL}:{command}"
    read_spelling(spelling)
    return spelling
