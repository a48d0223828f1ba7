"""A record as JSON: as the page saves it, and other programs read it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from luozi.messages import LuoziError
from luozi.records.moves import is_whole, move_data, read_data
from luozi.records.record import Record
from luozi.rules.game import Game
from luozi.util.parsing import JsonObject, json_value


def record_json(record: Record, game: str, over: JsonObject | None) -> str:
    """A record as JSON; `game` is its game as others can read it, `over` how it ended.

    >>> from luozi.games import game as make_game
    >>> text = record_json(Record(make_game("tictactoe"), ("a", "b"), (4,)), "tictactoe", None)
    >>> record_of_json(text, make_game).actions
    (4,)
    """
    comments = record.comments or ("",) * len(record.actions)
    moves = [
        {**move_data(move), **({"comment": comment} if comment else {})}
        for move, comment in zip(record.moves, comments, strict=True)
    ]
    about = {**header_data(record), "game": game, "date": record.date, "over": over, "moves": moves}
    return json.dumps(about, indent=1)


def header_data(record: Record) -> JsonObject:
    """What JSON and SGF hold of a game beside its moves, without what is not known.

    >>> from luozi.games import game as make_game
    >>> header_data(Record(make_game("tictactoe"), ("a", "b"), (4,), seed=3))
    {'game': 'tictactoe', 'players': ('a', 'b'), 'seed': 3}
    """
    values = {"game": record.game.spelling, "players": record.players, "seed": record.seed}
    values |= {"resigned": record.resigned, "forfeit": record.forfeit}
    return {key: value for key, value in values.items() if value not in (None, "")}


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
    comments = tuple(text_in(one, "comment") for one in value["moves"])
    moves = [read_data(without_comment(one), game.players, game.actions) for one in value["moves"]]
    over, seed = value.get("over"), value.get("seed")
    loser = over.get("resigned") if isinstance(over, dict) else value.get("resigned")
    resigned = loser if is_whole(loser, 0, game.players - 1) else None
    return Record(
        game,
        names_of(value.get("players"), game.players),
        tuple(move.action for move in moves),
        comments if any(comments) else (),
        text_in(value, "date"),
        seed if is_whole(seed, 0) else None,
        resigned,
        text_in(value, "forfeit") if resigned is not None else "",
        notes=tuple(move.note for move in moves),
    )


def text_in(value: Any, key: str) -> str:
    """The text under a key, without letters that steer a terminal; nothing where there is none."""
    text = value.get(key) if isinstance(value, dict) else None
    return "".join(one for one in text if one == "\n" or one.isprintable()) if isinstance(text, str) else ""


def without_comment(value: Any) -> Any:
    """The data of a move without what people said of it."""
    return {key: known for key, known in value.items() if key != "comment"} if isinstance(value, dict) else value


def names_of(found: Any, players: int) -> tuple[str, ...]:
    """Who played, where it is told for each seat."""
    named = isinstance(found, list) and len(found) == players and all(isinstance(one, str) for one in found)
    return tuple(found) if named else ("person",) * players
