"""The record of a game as text: a header, one move a line, then the same moves as data. Loading replays every move.

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

from dataclasses import dataclass, field
from functools import cached_property

from luozi.records.moves import Move, MoveNote
from luozi.records.text_format import (
    COMMENT,
    data_text,
    header_value,
    move_text,
    players_text,
    result_text,
    results_of,
    sign_of,
)
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.rules.state import State

TITLE = "luozi record"
VERSION = 2  # 1 had no data


@dataclass(frozen=True)
class Record:
    """One game: who played it and all actions, from the start.

    >>> import luozi
    >>> record = Record(luozi.game("tictactoe"), ("person", "random"), (4, 0))
    >>> [(move.action, move.seat) for move in record.moves]
    [(4, 0), (0, 1)]
    """

    game: Game
    players: tuple[str, ...]  # as they are spelled
    actions: tuple[int, ...]
    comments: tuple[str, ...] = ()  # one an action, or none at all
    date: str = ""
    seed: int | None = None
    resigned: int | None = None  # the player who gave up or forfeited
    forfeit: str = ""  # what a player who forfeited did
    notes: tuple[MoveNote, ...] = ()  # one an action, or none at all
    seated: bool = True  # whether its players can sit down again: names of people in files of others can't
    names: tuple[str, ...] = ()  # what the people are called, one a seat or none at all; only SGF has them
    remark: str = ""  # on the game as a whole; only SGF has one
    left_out: int = 0  # variations of an SGF file beside the main line: a record has one line
    last: Position | None = field(default=None, compare=False, repr=False)  # the end, where it need not be replayed

    @property
    def called(self) -> tuple[str, ...]:
        """The players by name, those without one as they are spelled.

        >>> import luozi
        >>> Record(luozi.game("go"), ("person", "strong"), (), names=("Lee Sedol", "")).called
        ('Lee Sedol', 'strong')
        """
        names = self.names or ("",) * len(self.players)
        return tuple(name or player for name, player in zip(names, self.players, strict=True))

    @cached_property
    def positions(self) -> tuple[Position, ...]:
        """Every position, from the start to the last."""
        position = self.last
        if position is None or position.moves != self.actions:
            position = Position.begin(self.game).after(self.actions)
        return tuple(position.history())

    def states(self) -> list[State]:
        """The states of all positions."""
        return [position.state for position in self.positions]

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """All moves as data: action, seat, seconds, what was thought and, if they were asked for, all candidates."""
        notes = self.notes or (MoveNote(),) * len(self.actions)
        turns = (position.to_move for position in self.positions[:-1])
        return tuple(Move(action, seat, *note) for action, seat, note in zip(self.actions, turns, notes, strict=True))

    def results(self) -> list[float] | None:
        """The result of every player; None if the game is not over."""
        return results_of(self.positions[-1], self.resigned)

    def text(self, dated: bool = True, game: str = "", numbered: bool = False, data: bool = False) -> str:
        """What people read, and the data too if asked; without both date and data it is the same at every playing.

        `game` spells the game in another way; moves that are numbered and not named are written without delay.
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
        """Who gave up, or who forfeited and why."""
        if self.resigned is None:
            return {}
        name, reason = sign_of(self.game, self.resigned), " ".join(self.forfeit.split())
        return {"forfeit": f"{name}: {reason}"} if reason else {"resigned": name}
