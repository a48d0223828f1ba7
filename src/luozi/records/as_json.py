"""A record as JSON: as the page saves it, and other programs read it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from luozi.messages import LuoziError
from luozi.records.moves import is_whole, move_data, read_data
from luozi.records.record import Record
from luozi.rules.game import Game
from luozi.util.parsing import json_value


def record_json(record: Record, game: str, over: dict[str, Any] | None) -> str:
    """A record as JSON; `game` is its game as others can read it, `over` how it ended.

    >>> from luozi.games import game as make_game
    >>> text = record_json(Record(make_game("tictactoe"), ("a", "b"), (4,)), "tictactoe", None)
    >>> record_of_json(text, make_game).actions
    (4,)
    """
    moves = [move_data(move) for move in record.moves]
    about = {"game": game, "players": record.players, "date": record.date, "over": over}
    return json.dumps({**about, "moves": moves}, indent=1)


def record_of_json(text: str, find: Callable[[str], Game], most_moves: int | None = None) -> Record:
    """The record that a JSON text holds; `find` makes the game that it names. Its moves are not replayed yet."""
    value = json_value(text, "the record")
    if (
        not isinstance(value, dict)
        or not isinstance(value.get("game"), str)
        or not isinstance(value.get("moves"), list)
    ):
        raise LuoziError("the record has no 'game' and no list of 'moves'")
    game = find(value["game"])
    if most_moves is not None and len(value["moves"]) > most_moves:
        raise LuoziError("the record has more than {count} moves", count=f"{most_moves:,}")
    moves = [read_data(one, game.players, game.actions) for one in value["moves"]]
    over, date = value.get("over"), value.get("date")
    loser = over.get("resigned") if isinstance(over, dict) else None
    return Record(
        game,
        names_of(value.get("players"), game.players),
        tuple(move.action for move in moves),
        date=date if isinstance(date, str) else "",
        resigned=loser if is_whole(loser, 0, game.players - 1) else None,
        notes=tuple(move.note for move in moves),
    )


def names_of(found: Any, players: int) -> tuple[str, ...]:
    """Who played, where it is told for each seat."""
    named = isinstance(found, list) and len(found) == players and all(isinstance(one, str) for one in found)
    return tuple(found) if named else ("person",) * players
