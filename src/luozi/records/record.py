"""The record of one game, as text and as JSON. As text it has a header, one move a line, then the same moves as data:

luozi record 2
game: gomoku:size=9
players: person | mcts:seconds=1
date: 2025-11-15 09:30:00
seed: 42
result: unfinished

1. X e5
2. O d6  # 47.3 %

data:
{"action":40,"seat":0,"seconds":2.1}
{"action":48,"seat":1,"seconds":1.0,"thought":{"iterations":90000,"means":[0.527,0.473]}}

People read and edit the moves; programs use the data (`moves.py`), in which nothing has to be guessed from names. A
record may have no data: those of version 1 have none, nor need those that are written by hand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from luozi.messages import LuoziError
from luozi.records.moves import MOVE, NOTE, Move, MoveNote, data_line, is_whole, move_data, read_data
from luozi.rules.game import Game, result_names
from luozi.rules.move_names import read_move
from luozi.rules.position import Position
from luozi.rules.state import State
from luozi.util.parsing import JsonObject, json_value

SEPARATOR = " | "  # between players
COMMENT = "  # "  # between a move and its comment
DATA = "data:"  # the line before the data
UNFINISHED = "unfinished"


def header_value(text: str) -> str:
    """Return a header value: as it is, or as a JSON string if it could not be read back.

    >>> header_value("gomoku:size=9"), header_value("my\\ngame.py")
    ('gomoku:size=9', '"my\\\\ngame.py"')
    """
    plain = text == text.strip() and text.isprintable() and not text.startswith(('"', "["))
    return text if plain else json.dumps(text)


def players_text(players: tuple[str, ...]) -> str:
    """Return all players on one line: separated by bars, or as a JSON list if a command contains a bar.

    >>> players_text(("person", "mcts:c=1")), players_text(("gtp:a | b", "random"))
    ('person | mcts:c=1', '["gtp:a | b", "random"]')
    """
    plain = all(header_value(player) == player and SEPARATOR.strip() not in player for player in players)
    return SEPARATOR.join(players) if plain else json.dumps(players)


def data_text(moves: Sequence[Move]) -> str:
    """Return the data of the moves, as they end a record.

    >>> print(data_text([Move(4, 0), Move(0, 1, 0.25)]), end="")
    <BLANKLINE>
    data:
    {"action":4,"seat":0}
    {"action":0,"seat":1,"seconds":0.25}
    """
    return "\n".join(["", DATA, *map(data_line, moves)]) + "\n" if moves else ""


def split_data(text: str) -> tuple[str, str]:
    """Return the part of a record for people, and its data.

    >>> split_data("1. X b2\\n" + data_text([Move(4, 0)]))
    ('1. X b2\\n', '\\ndata:\\n{"action":4,"seat":0}\\n')
    """
    people, line, data = text.partition(f"\n{DATA}\n")
    return people, line + data


def data_values(data: str) -> list[dict[str, Any]]:
    """Return the JSON values of each move from the data of a record.

    Raises:
        LuoziError: a line has no data of a move.

    >>> data_values(data_text([Move(4, 0), Move(0, 1)]))
    [{'action': 4, 'seat': 0}, {'action': 0, 'seat': 1}]
    """
    values = [json_value(line, "the data of a move") for line in data.splitlines()[2:]]
    if not all(isinstance(value, dict) for value in values):
        raise LuoziError("this is not the data of a move, which has {names}", names=", ".join(sorted(MOVE | NOTE)))
    return values


def sign_of(game: Game, player: int) -> str:
    """Return a player's name without line breaks."""
    return " ".join(game.player_name(player).split())


def results_of(position: Position, resigned: int | None) -> list[float] | None:
    """Return the results in a position: the game's own, or after a resignation 0 and equal shares for the others."""
    game = position.game
    if position.returns is not None:
        return list(position.returns)
    if resigned is None:
        return None
    share = 1 / max(1, game.players - 1)
    return [0.0 if player == resigned else share for player in range(game.players)]


def result_text(game: Game, results: Sequence[float] | None) -> str:
    """Return a result as text, or 'unfinished'."""
    if results is None:
        return UNFINISHED
    told = result_names(game, results)
    line = " ".join(told.split())
    return told if told == line else line


def move_text(position: Position, action: int) -> str:
    """Return a move's name, or its number if the name is ambiguous."""
    name = position.name(action)
    plain = name == " ".join(name.split())
    if plain and position.game.fixed_names:
        return name
    try:
        found = read_move(position.game, position.state, name) if plain else None
    except LuoziError:
        found = None
    return name if found == action else f"#{action}"


TITLE = "luozi record"
VERSION = 2  # version 1 had no data


@dataclass(frozen=True)
class Record:
    """The record of one game: who played it, and all actions from the start.

    >>> import luozi
    >>> record = Record(luozi.game("tictactoe"), ("person", "random"), (4, 0))
    >>> [(move.action, move.seat) for move in record.moves]
    [(4, 0), (0, 1)]
    """

    game: Game
    players: tuple[str, ...]  # their specifications
    actions: tuple[int, ...]
    comments: tuple[str, ...] = ()  # one for each action, or none at all
    date: str = ""
    seed: int | None = None
    resigned: int | None = None  # the player who resigned or forfeited
    forfeit: str = ""  # the reason of a forfeit
    notes: tuple[MoveNote, ...] = ()  # one for each action, or none at all
    seated: bool = True  # whether the players can be made again; names of people in other programs' files can't
    names: tuple[str, ...] = ()  # of people, one for each seat or none at all; only in SGF
    remark: str = ""  # on the game as a whole; only in SGF
    left_out: int = 0  # variations beside the main line of an SGF file, which a record does not have
    # the last position, so that it need not be replayed
    last: Position | None = field(default=None, compare=False, repr=False)

    @property
    def called(self) -> tuple[str, ...]:
        """The players by name; those without a name by their specification.

        >>> import luozi
        >>> Record(luozi.game("go"), ("person", "strong"), (), names=("Lee Sedol", "")).called
        ('Lee Sedol', 'strong')
        """
        names = self.names or ("",) * len(self.players)
        return tuple(name or player for name, player in zip(names, self.players, strict=True))

    @cached_property
    def positions(self) -> tuple[Position, ...]:
        """All positions, from the start to the last."""
        position = self.last
        if position is None or position.moves != self.actions:
            position = Position.begin(self.game).after(self.actions)
        return tuple(position.history())

    def states(self) -> list[State]:
        """Return the states of all positions."""
        return [position.state for position in self.positions]

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """All moves as data."""
        notes = self.notes or (MoveNote(),) * len(self.actions)
        turns = (position.to_move for position in self.positions[:-1])
        return tuple(Move(action, seat, *note) for action, seat, note in zip(self.actions, turns, notes, strict=True))

    def results(self) -> list[float] | None:
        """Return the result of every player; None if the game is not over."""
        return results_of(self.positions[-1], self.resigned)

    def text(self, dated: bool = True, game: str = "", numbered: bool = False, data: bool = False) -> str:
        """Return the record as text, with the data of the moves if `data`.

        Without date and data the text of a repeated game is the same. `game` replaces the game's specification.
        Numbered moves are written without the cost of their names.
        """
        header = {
            "game": header_value(game or self.game.spelling),
            "players": players_text(self.players),
            "date": header_value(self.date) if dated else "",
            "seed": "" if self.seed is None else str(self.seed),
            **self.loss_header(),
            "result": result_text(self.game, self.results()),
        }
        lines = [f"{TITLE} {VERSION}", *(f"{key}: {value}" for key, value in header.items() if value), ""]
        comments = self.comments or ("",) * len(self.actions)
        for number, (move, comment) in enumerate(zip(self.moves, comments, strict=True), 1):
            remark = COMMENT + " ".join(comment.split()) if comment.strip() else ""
            name = f"#{move.action}" if numbered else move_text(self.positions[number - 1], move.action)
            lines.append(f"{number}. {sign_of(self.game, move.seat)} {name}{remark}")
        return "\n".join(lines) + "\n" + (data_text(self.moves) if data else "")

    def loss_header(self) -> dict[str, str]:
        """Return the header line of a resignation or a forfeit."""
        if self.resigned is None:
            return {}
        name, reason = sign_of(self.game, self.resigned), " ".join(self.forfeit.split())
        return {"forfeit": f"{name}: {reason}"} if reason else {"resigned": name}


def record_json(record: Record, game: str, over: JsonObject | None) -> str:
    """Return a record as JSON; `game` is the game's specification for others, `over` how the game ended.

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
    """Return what JSON and SGF hold of a game beside its moves, without unknown values.

    >>> from luozi.games import game as make_game
    >>> header_data(Record(make_game("tictactoe"), ("a", "b"), (4,), seed=3))
    {'game': 'tictactoe', 'players': ('a', 'b'), 'seed': 3}
    """
    values = {"game": record.game.spelling, "players": record.players, "seed": record.seed}
    values |= {"resigned": record.resigned, "forfeit": record.forfeit}
    return {key: value for key, value in values.items() if value not in (None, "")}


def record_of_json(text: str, find: Callable[[str], Game], most_moves: int | None = None) -> Record:
    """Return the record of a JSON text, not replayed yet; `find` makes the game from its specification.

    Raises:
        LuoziError: the text is no record, or has more than `most_moves` moves.
    """
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
    """Return the text under a key without control characters; empty if there is none."""
    text = value.get(key) if isinstance(value, dict) else None
    return "".join(one for one in text if one == "\n" or one.isprintable()) if isinstance(text, str) else ""


def without_comment(value: Any) -> Any:
    """Return the data of a move without its comment."""
    return {key: known for key, known in value.items() if key != "comment"} if isinstance(value, dict) else value


def names_of(found: Any, players: int) -> tuple[str, ...]:
    """Return the players if each seat has one, else persons."""
    named = isinstance(found, list) and len(found) == players and all(isinstance(one, str) for one in found)
    return tuple(found) if named else ("person",) * players
