"""The words of a record: every value on its one line, players, results, moves, data. `record` puts them together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from luozi.messages import LuoziError
from luozi.records.moves import MOVE, NOTE, Move, data_line
from luozi.rules.game import Game, result_names
from luozi.rules.move_names import read_move
from luozi.rules.position import Position
from luozi.util.parsing import json_value

SEPARATOR = " | "  # between players
COMMENT = "  # "  # between a move and what was thought of it
DATA = "data:"  # the line before the moves as data
UNFINISHED = "unfinished"


def header_value(text: str) -> str:
    """A value as it stands in the header: as it is, or in the quotes of JSON where it would not come back.

    >>> header_value("gomoku:size=9"), header_value("my\\ngame.py")
    ('gomoku:size=9', '"my\\\\ngame.py"')
    """
    plain = text == text.strip() and text.isprintable() and not text.startswith(('"', "["))
    return text if plain else json.dumps(text)


def players_text(players: tuple[str, ...]) -> str:
    """All players on one line: between bars, or as a list of JSON where a command of theirs holds more than that.

    >>> players_text(("person", "mcts:c=1")), players_text(("gtp:a | b", "random"))
    ('person | mcts:c=1', '["gtp:a | b", "random"]')
    """
    plain = all(header_value(player) == player and SEPARATOR.strip() not in player for player in players)
    return SEPARATOR.join(players) if plain else json.dumps(players)


def data_text(moves: Sequence[Move]) -> str:
    """The moves as data, as they end a file.

    >>> print(data_text([Move(4, 0), Move(0, 1, 0.25)]), end="")
    <BLANKLINE>
    data:
    {"action":4,"seat":0}
    {"action":0,"seat":1,"seconds":0.25}
    """
    return "\n".join(["", DATA, *map(data_line, moves)]) + "\n" if moves else ""


def split_data(text: str) -> tuple[str, str]:
    """A record as people read it, and the moves as data after it, if there are any.

    >>> split_data("1. X b2\\n" + data_text([Move(4, 0)]))
    ('1. X b2\\n', '\\ndata:\\n{"action":4,"seat":0}\\n')
    """
    people, line, data = text.partition(f"\n{DATA}\n")
    return people, line + data


def data_values(data: str) -> list[dict[str, Any]]:
    """The plain data of each move, from what follows the text for people; one sentence if it is none.

    >>> data_values(data_text([Move(4, 0), Move(0, 1)]))
    [{'action': 4, 'seat': 0}, {'action': 0, 'seat': 1}]
    """
    values = [json_value(line, "the data of a move") for line in data.splitlines()[2:]]
    if not all(isinstance(value, dict) for value in values):
        raise LuoziError("this is not the data of a move, which has {names}", names=", ".join(sorted(MOVE | NOTE)))
    return values


def sign_of(game: Game, player: int) -> str:
    """A player's name on one line."""
    return " ".join(game.player_name(player).split())


def results_of(position: Position, resigned: int | None) -> list[float] | None:
    """The results in a position: the game's own, or after a resignation 0 and the others' equal shares of 1."""
    game = position.game
    if position.returns is not None:
        return list(position.returns)
    if resigned is None:
        return None
    share = 1 / max(1, game.players - 1)
    return [0.0 if player == resigned else share for player in range(game.players)]


def result_text(game: Game, results: Sequence[float] | None) -> str:
    """A result in words, or that there is none yet."""
    if results is None:
        return UNFINISHED
    told = result_names(game, results)
    line = " ".join(told.split())
    return told if told == line else line


def move_text(position: Position, action: int) -> str:
    """A move's name, or its number where the name does not lead back to it."""
    name = position.name(action)
    plain = name == " ".join(name.split())
    if plain and position.game.fixed_names:
        return name
    try:
        found = read_move(position.game, position.state, name) if plain else None
    except LuoziError:
        found = None
    return name if found == action else f"#{action}"
