"""All games by name. `game("gomoku:size=9")` makes a game, in Python, on the command line and in records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from luozi.games.amazons import Amazons
from luozi.games.breakthrough import Breakthrough
from luozi.games.go.rules import Go
from luozi.games.hex import Hex
from luozi.games.lines.bits import BitLines, fits_in_bits
from luozi.games.lines.rules import Lines
from luozi.games.nim import Nim
from luozi.games.openspiel import from_openspiel
from luozi.games.othello import Othello
from luozi.games.user_files import load_own_game
from luozi.games.y import Y
from luozi.messages import LuoziError, nearest
from luozi.rules.checked import refuse_faulty
from luozi.rules.game import Game, needed_game
from luozi.rules.text_position import KEY, arrange
from luozi.util.parameters import (
    CLASS,
    Parameter,
    ParameterInfo,
    convert_values,
    join_spelling,
    parameters_of,
    split_spelling,
)
from luozi.util.parsing import is_file, path_of, plain

__all__ = ["GAMES", "Listing", "game", "is_own"]

Side = Annotated[int, ParameterInfo("cells along this side", 1, 2048)]
Size = Annotated[int, ParameterInfo("cells a side", 1, 45)]
WinLength = Annotated[int, ParameterInfo("how many in a row win", 1, 127)]
Players = Annotated[int, ParameterInfo("players, with the signs X O L G H T S V M", 2, 9)]
ExactLength = Annotated[bool, ParameterInfo("only exactly so many in a row win, longer runs do not")]
Gravity = Annotated[bool, ParameterInfo("stones fall: down the rows of a flat board, down the layers of a deep one")]
Blocked = Annotated[
    str,
    ParameterInfo(
        "cells nobody may use, as row.column or layer.row.column, counted from 0 at the top, joined by +", plain=True
    ),
]


def lines(
    layers: Side = 1,
    rows: Side = 15,
    columns: Side = 15,
    win_length: WinLength = 5,
    players: Players = 2,
    gravity: Gravity = False,
    exact_length: ExactLength = False,
    blocked: Blocked = "",
) -> Lines:
    """k in a row on a board of 1 to 3 dimensions with up to 2,048 cells."""
    family = BitLines if fits_in_bits(layers, rows, columns, win_length) else Lines
    return family(layers, rows, columns, win_length, players, gravity, exact_length, blocked)


def tictactoe(size: Size = 3, win_length: WinLength = 3, players: Players = 2) -> Lines:
    """Three in a row on a 3x3 board. With 2x2 and two in a row, the whole search tree can be seen."""
    return lines(1, size, size, win_length, players)


def gomoku(
    size: Size = 15,
    win_length: WinLength = 5,
    players: Players = 2,
    exact_length: ExactLength = False,
    blocked: Blocked = "",
) -> Lines:
    """Five in a row on a 15x15 board."""
    return lines(1, size, size, win_length, players, exact_length=exact_length, blocked=blocked)


def connect4(
    rows: Side = 6, columns: Side = 7, win_length: WinLength = 4, players: Players = 2, blocked: Blocked = ""
) -> Lines:
    """Four in a row with falling stones. A column skips a blocked cell."""
    return lines(1, rows, columns, win_length, players, gravity=True, blocked=blocked)


def five3d(
    size: Annotated[int, ParameterInfo("cells a side", 1, 12)] = 6, win_length: WinLength = 5, players: Players = 3
) -> Lines:
    """Five in a row in a cube of 6x6x6, for three players."""
    return lines(size, size, size, win_length, players)


def qubic(players: Players = 2, gravity: Gravity = False) -> Lines:
    """Four in a row in a cube of 4x4x4: 76 lines."""
    return lines(4, 4, 4, 4, players, gravity)


GAMES: dict[str, Callable[..., Game]] = {
    "tictactoe": tictactoe,
    "gomoku": gomoku,
    "connect4": connect4,
    "five3d": five3d,
    "qubic": qubic,
    "go": Go,
    "lines": lines,
    "othello": Othello,
    "hex": Hex,
    "y": Y,
    "breakthrough": Breakthrough,
    "amazons": Amazons,
    "nim": Nim,
}


@dataclass(frozen=True)
class Listing:
    """A game in the list of games."""

    name: str
    meaning: str
    parameters: tuple[Parameter, ...]
    weights: tuple[Parameter, ...] = ()  # weights of the game's heuristic

    @classmethod
    def of(cls, name: str, meaning: str, make: Callable[..., Game]) -> Listing:
        """Return the entry for a function or class that makes a game."""
        weights = getattr(make, "weights", None)
        known = tuple(parameters_of(weights).values()) if weights else ()
        return cls(name, meaning, tuple(parameters_of(make).values()), known)

    @classmethod
    def all(cls) -> list[Listing]:
        """Return the entries of all built-in games."""
        return [cls.of(name, (make.__doc__ or "").strip().splitlines()[0], make) for name, make in GAMES.items()]


def is_own(name: str) -> bool:
    """Return whether a name is a user's file, which is executed to make its game.

    >>> is_own("my_game.py"), is_own("gomoku")
    (True, False)
    """
    return name.endswith(".py") or (name not in GAMES and is_file(name))


def game(spelling: str | Game | type[Game], **values: str | float) -> Game:
    """Return the game of a specification: a name or a file with a game class, and parameters.

    >>> game("connect4:rows=9,columns=12,blocked=3.4").actions
    12
    >>> game("gomoku", size=9).spelling
    'gomoku:size=9'
    >>> game("hex:size=3,position=X2/1O1/3.X").new_state().stones[:5].tolist()
    [1, 0, 0, 0, 2]

    A user's class gets a short check, and its first fault is raised as one sentence.
    """
    made = made_game(spelling, **values)
    if isinstance(spelling, str) and is_own(split_spelling(spelling)[0]):
        refuse_faulty(made)
    return made


def made_game(spelling: str | Game | type[Game], **values: str | float) -> Game:
    """Return the same game without the short check of its rules.

    >>> made_game("gomoku:size=9").actions
    81
    """
    if not isinstance(spelling, str):
        return needed_game(spelling, "game")
    name, written = split_spelling(spelling)
    chosen = {CLASS: written[CLASS]} if CLASS in written else {}
    make: Callable[..., Game]
    if is_own(name):
        make = load_own_game(path_of(name), written.pop(CLASS, ""))
    elif name == "openspiel":
        make = from_openspiel
    elif name in GAMES:
        make = GAMES[name]
    else:
        raise LuoziError(
            "there is no game '{name}'{nearest}", name=plain(name), nearest=nearest(name[:100], [*GAMES, "my_game.py"])
        )
    given = {**written, **values}
    known = parameters_of(make)
    position = str(given.pop(KEY)) if KEY in given and KEY not in known else ""
    parameters = convert_values(given, known, name)
    made = make(**parameters)
    made.validate()
    if position:
        arrange(made, position)
    vars(made)["_spelling"] = join_spelling(name, {**chosen, **parameters, **({KEY: position} if position else {})})
    return made
