"""The games, players and external programs that a page may name.

Nothing that a page sends is used as the name of a file, a command or a class: the catalog looks each name up.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from luozi.games import GAMES, Listing
from luozi.games import game as make_game
from luozi.games.openspiel import from_openspiel
from luozi.messages import LuoziError, nearest
from luozi.players import PLAYERS, read_spelling
from luozi.players.presets import LEVELS, preset_warnings
from luozi.rules.board import Board, PositionData, board_of
from luozi.rules.game import Game
from luozi.rules.text_position import can_be_given
from luozi.util.old_names import KINDS, new_spelling
from luozi.util.parameters import Parameter, join_spelling, parameters_of, split_spelling
from luozi.util.parsing import is_file, plain
from luozi.web.answers import SentenceData
from luozi.web.board_data import position_data
from luozi.web.limits import ServerLimits
from luozi.web.position_editor import kinds_to_put
from luozi.web.protocol import sentence_data
from luozi.web.seats import ALLOWED, KEPT_BACK, limit_names

KEPT_GAMES = 64
OPENSPIEL = "openspiel"
PROTOCOL = "gtp"  # of an external program whose command names none
PRESETS: dict[str, list[str]] = {
    "tictactoe": ["tictactoe", "tictactoe:size=2,win_length=2"],
    "gomoku": ["gomoku", "gomoku:size=9", "gomoku:size=19"],
    "connect4": ["connect4", "connect4:rows=9,columns=12", "connect4:rows=9,columns=12,blocked=3.4"],
    "five3d": ["five3d", "five3d:players=2", "five3d:size=5,win_length=4"],
    "qubic": ["qubic", "qubic:gravity=true"],
    "go": ["go:size=9", "go:size=13", "go:size=19", "go:size=9,rules=japanese,komi=6.5"],
}


class ParameterData(Struct):
    """A parameter of a game or a player."""

    name: str
    kind: Annotated[str, Meta(description="int, float, bool or str")]
    default: int | float | str | bool | None
    low: float | None
    high: float | None
    choices: list[str]
    meaning: str


class GameOffer(Struct):
    """A game that clients can choose."""

    name: str
    meaning: str
    own: bool
    players: int
    parameters: list[ParameterData]
    presets: list[str]


class PlayerOffer(Struct):
    """A player that clients can choose."""

    name: str
    kind: Literal["player", "program"]
    meaning: str
    budget: list[str]
    levels: int
    parameters: list[ParameterData]


class GameLook(Struct):
    """The start of a game, for forms and editors."""

    game: str
    players: int
    player_names: list[str]
    board: Board | None
    view: PositionData
    editable: bool
    kinds: Annotated[list[tuple[int, str]], Meta(description="the pieces that an editor puts; -1: nobody's")]
    notes: dict[str, str]
    notes_told: Annotated[dict[str, SentenceData], Meta(description="by the name of a player")]


OFFERS = (ParameterData, GameOffer, PlayerOffer, GameLook)


class Catalog:
    """The games, players and programs of one server.

    >>> Catalog().game("gomoku:size=9").actions
    81
    """

    def __init__(
        self, own: Sequence[str] = (), programs: Mapping[str, str] | None = None, limits: ServerLimits | None = None
    ) -> None:
        self.limits = limits or ServerLimits()
        self.own = {name_of(spelling): spelling for spelling in own}  # custom games by name, as the command spells them
        self.programs = {name: read_program(name, command) for name, command in (programs or {}).items()}
        self._made: OrderedDict[str, Game] = OrderedDict()
        self._own_parameters: dict[str, dict[str, Parameter]] = {}
        self._lock = threading.Lock()
        for name, spelling in self.own.items():
            made = make_game(spelling)  # a wrong one is refused when the server starts
            self._own_parameters[name] = parameters_of(from_openspiel if name == OPENSPIEL else type(made))
            self._keep(name, made)

    def spelled(self, spelling: str) -> str:
        """Return the canonical spelling of a game that may be played here; no file is opened for it.

        Raises:
            LuoziError: the catalog does not have the game, or an option may not come from a page.
        """
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
        given = split_spelling(self.own.get(name, name))[1]
        known = self._parameters(name)
        for key, value in values.items():
            if key in known and value != given.get(key):  # a text may name a file
                known[key].convert_offered(value, name)
        return join_spelling(name, values)

    def _parameters(self, name: str) -> dict[str, Parameter]:
        return parameters_of(GAMES[name]) if name in GAMES else self._own_parameters[name]

    def game(self, spelling: str) -> Game:
        """Return the game of a spelling; making it may take a moment."""
        spelled = self.spelled(spelling)
        with self._lock:
            if spelled in self._made:
                self._made.move_to_end(spelled)
                return self._made[spelled]
        name, values = split_spelling(spelled)
        self._refuse_large(name, values)
        return self._keep(spelled, make_game(self.own.get(name, name), **values))

    def _keep(self, spelled: str, made: Game) -> Game:
        """Keep a game for the next request; raise LuoziError if it has too many moves."""
        if made.actions > self.limits.actions:
            raise LuoziError(
                "'{game}' has {count} moves, and the page has room for {most}",
                game=plain(spelled),
                count=f"{made.actions:,}",
                most=f"{self.limits.actions:,}",
            )
        with self._lock:
            self._made[spelled] = made
            while len(self._made) > KEPT_GAMES:
                self._made.popitem(last=False)
        return made

    def outside_spelling(self, spelling: str) -> str:
        """Return the spelling for records and the command line: of a file its name, without the folder."""
        name, values = split_spelling(spelling)
        own = self.own.get(name)
        if own is None:
            return spelling
        file, given = split_spelling(own)
        return join_spelling(Path(file).name, {**given, **values})

    def recorded_spelling(self, spelling: str) -> str:
        """Invert `outside_spelling`: a file's name stands for the custom game that the server was started with."""
        file, values = split_spelling(spelling)
        for name, own in self.own.items():
            if Path(split_spelling(own)[0]).name == file:
                return join_spelling(name, values)
        return spelling

    def inside_spelling(self, spelling: str) -> str:
        """Return the spelling of the catalog for a game's own spelling."""
        for name, own in self.own.items():
            file, given = split_spelling(own)
            own_file, values = split_spelling(spelling)
            if own_file == file:
                return join_spelling(name, {key: value for key, value in values.items() if given.get(key) != value})
        return self.spelled(spelling)

    def _refuse_large(self, name: str, values: Mapping[str, str]) -> None:
        """Raise LuoziError for a board that would take long to make, before it is made."""
        parameters, most = self._parameters(name), self.limits.cells
        if name not in GAMES:  # a number without a bound may be as large as a board
            for key, parameter in parameters.items():
                unbounded = key in values and parameter.kind in (int, float) and parameter.about.high is None
                if unbounded and abs(parameter.convert(values[key], name)) > most:
                    raise LuoziError("{game}: {name} may be {most} at most here", game=name, name=key, most=f"{most:,}")
            return
        cells = 1.0
        for side, power in {"size": 3 if name == "five3d" else 2, "rows": 1, "columns": 1, "layers": 1}.items():
            if side in parameters:
                default = parameters[side].default
                cells *= float(parameters[side].convert(values.get(side, default), name)) ** power
        if cells > most:
            raise LuoziError(
                "a board of {cells} cells is too large for the page: {most} at most",
                cells=f"{cells:,.0f}",
                most=f"{most:,}",
            )

    # Lists ------------------------------------------------------------------------------------------------------------

    def games(self) -> list[GameOffer]:
        """Return all games with their parameters."""
        listed = [(one, False) for one in Listing.all()]
        for name in self.own:
            kind = type(self.game(name))
            meaning = ((kind.__doc__ or "").strip().splitlines() or [""])[0]
            listed.append((Listing.of(name, meaning, kind), True))
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

    def look(self, spelling: str) -> GameLook:
        """Return the start of a game."""
        game = self.game(spelling)
        notes = preset_warnings(game, ("strong", "level"))
        return GameLook(
            game=self.spelled(spelling),
            players=game.players,
            player_names=[game.player_name(player) for player in range(game.players)],
            board=board_of(game),
            view=position_data(game.begin()),
            editable=can_be_given(game),
            kinds=kinds_to_put(game),
            notes={name: str(note) for name, note in notes.items()},
            notes_told={name: sentence_data(note) for name, note in notes.items()},
        )

    def players(self) -> list[PlayerOffer]:
        """Return all players that may take a seat."""
        programs = (PlayerOffer(name, "program", "An external program.", ["seconds"], 0, []) for name in self.programs)
        return [*map(player_offer, ALLOWED), *programs]


def player_offer(name: str) -> PlayerOffer:
    """Return a player for a form, without the options that the server controls."""
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


def parameter_data(parameter: Parameter) -> ParameterData:
    """Return a parameter as plain data."""
    about = parameter.about
    low, high = (None if bound is None or math.isinf(bound) else bound for bound in (about.low, about.high))
    kind, choices = parameter.kind.__name__, list(parameter.offered)
    return ParameterData(parameter.name, kind, parameter.default, low, high, choices, about.meaning)


def name_of(spelling: str) -> str:
    """Return the name on the page of a game of the command line.

    >>> name_of("games/my_game.py:size=9"), name_of("openspiel:name=breakthrough")
    ('my_game', 'openspiel')
    """
    name = split_spelling(spelling)[0]
    return Path(name).stem if name.endswith(".py") or is_file(name) else name


def read_program(name: str, command: str) -> str:
    """Return the spelling of the player that an external program of the command line is.

    >>> read_program("gnugo", "gnugo --mode gtp")
    'gtp:gnugo --mode gtp'
    """
    if not name or not name.replace("-", "").replace("_", "").replace(" ", "").isalnum() or len(name) > 40:
        raise LuoziError(
            "--engine '{name}': a program's name is made of letters and digits, as in gnugo=COMMAND", name=plain(name)
        )
    kind = command.partition(":")[0].strip()
    spelling = command if KINDS.get(kind, kind) in PLAYERS else f"{PROTOCOL}:{command}"
    read_spelling(spelling)  # refuses a wrong one
    return spelling
