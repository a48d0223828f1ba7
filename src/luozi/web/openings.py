"""The messages that open a table: a new game, one from here, one that is loaded, pasted or set up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from luozi.messages import LuoziError
from luozi.records.as_json import record_of_json
from luozi.records.moves import MoveNote
from luozi.records.record import Record, header_game, replayed
from luozi.records.sgf import record_from
from luozi.rules.game import Game
from luozi.rules.move_names import read_move, split_moves
from luozi.util.parsing import plain
from luozi.web.game_history import GameHistory
from luozi.web.pasted_boards import looks_like_a_board, read_board
from luozi.web.position_editor import EditedPosition, set_up
from luozi.web.session import GameSession
from luozi.web.sessions import Sessions

OPENINGS = ("new", "from_here", "load", "paste", "edit")


async def open_table(
    hall: Sessions, here: GameSession | None, kind: str, values: dict[str, Any]
) -> tuple[GameSession, str]:
    """A new table as a message asks for it, and its secret."""
    if kind == "new":
        return await hall.new_table(values["game"], values.get("seats"), values.get("moves", ()))
    seats = values.get("seats") or seats_of(here)
    if kind == "from_here":
        if here is None:
            raise LuoziError("you are at no table: begin a new game first")
        actions = here.course.played.actions[: here.move_number(values["move"])]
        return await hall.new_table(here.course.spelling, seats, list(actions))
    spelling = values.get("game") or (here.course.spelling if here is not None else "")
    if kind == "edit":
        course = await hall.fetch(edited, hall, spelling, values["pieces"], values.get("to_move"), seats)
    else:
        course = await hall.fetch(read_text, hall, values["text"], spelling if kind == "paste" else "", seats)
        course.opened_at = course.number
    return await hall.add_course(course)


def seats_of(table: GameSession | None) -> list[dict[str, Any]] | None:
    """The seats of the table at hand, for the next game."""
    if table is None:
        return None
    return [{key: value for key, value in seat.as_dict().items() if key != "spelling"} for seat in table.course.seats]


def edited(
    hall: Sessions, spelling: str, pieces: Sequence[Sequence[Any]], to_move: int | None, seats: Any
) -> GameHistory:
    """A game from a position that was set up."""
    if not spelling:
        raise LuoziError("name the game of this position")
    return from_position(hall, set_up(hall.offer.game(spelling), hall.offer.spelled(spelling), pieces, to_move), seats)


def from_position(hall: Sessions, position: EditedPosition, seats: Any) -> GameHistory:
    """A game with its first moves played."""
    return hall.new_course(position.game, fitting(hall, position.game, seats), position.moves)


def fitting(hall: Sessions, spelling: str, seats: Any) -> Any:
    """Seats for a game, if it has as many."""
    return seats if seats and len(seats) == hall.offer.game(spelling).players else None


def read_text(hall: Sessions, text: str, spelling: str, seats: Any) -> GameHistory:
    """A game from a text: a record of ours, SGF, and where a game is named, a board or moves."""
    words = text.strip()
    if not words:
        raise LuoziError("there is nothing to read")
    if words.startswith("luozi record"):
        return from_record(hall, text_record(hall, words), seats)
    if words.startswith("("):
        return from_record(hall, sgf_record(hall, words), seats)
    if words.startswith("{"):
        return from_record(hall, json_record(hall, words), seats)
    if not spelling:
        raise LuoziError("this is neither a record of Luozi, as text or JSON, nor SGF")
    game = hall.offer.game(spelling)
    found = read_board(game, words)
    if found is not None:
        course = edited(hall, spelling, *found, seats)
        refuse_lost_words(words, course.game.show(course.played.state))
        return course
    if looks_like_a_board(game, words):
        raise LuoziError("{game} can't be given a position: play or paste the moves that lead there", game=spelling)
    course = hall.new_course(spelling, fitting(hall, spelling, seats), [])
    return play_names(course, game, split_moves(words))


def refuse_lost_words(text: str, shown_again: str) -> None:
    """One sentence if a board says something that its pieces do not, as which queen is about to move.

    >>> refuse_lost_words("X .\\nX to move", "X .")
    """
    for line in map(str.strip, text.splitlines()):
        said = re.match(r"[^\W\d]{2,}:? \S", line) and " to move" not in line and not line.startswith("layer")
        if said and line not in shown_again:
            raise LuoziError("'{line}' can't be set up: play or paste the moves that lead there", line=plain(line))


def play_names(course: GameHistory, game: Game, names: list[str]) -> GameHistory:
    """Play moves by name; numbers before them, as in '1. e5', are left out."""

    for name in names:
        word = name.rpartition(". ")[2] if ". " in name else name
        if not word or (word.endswith(".") and word[:-1].isdigit()):
            continue
        if course.is_over:
            raise LuoziError("the game was over before '{name}'", name=plain(word))
        course.play(read_move(game, course.played.state, word), MoveNote())
    return course


def text_record(hall: Sessions, text: str) -> Record:
    """A record of ours; the game in it must be one that is offered here."""
    spelling = hall.offer.recorded_spelling(header_game(text, "the record"))
    return replayed(hall.offer.game(spelling), text, "the record")


def json_record(hall: Sessions, text: str) -> Record:
    """A record of ours as JSON, as `save` writes it."""
    offer = hall.offer
    return record_of_json(text, lambda named: offer.game(offer.recorded_spelling(named)), hall.limits.moves)


def sgf_record(hall: Sessions, text: str) -> Record:
    """An SGF file; only Go and Gomoku are ever made of one."""
    record = record_from(text.encode(), "the SGF file")
    hall.offer.game(record.game.spelling)  # one sentence if it is too large
    return record


def from_record(hall: Sessions, record: Record, seats: Any) -> GameHistory:
    """A game as it was written down, with what was thought of each move."""
    spelling = hall.offer.inside_spelling(record.game.spelling)
    course = hall.new_course(spelling, fitting(hall, spelling, seats), [])
    if len(record.actions) > hall.limits.moves:
        raise LuoziError("the record has more than {count} moves", count=f"{hall.limits.moves:,}")
    course.left_out = record.left_out
    comments = record.comments or ("",) * len(record.actions)
    notes = record.notes or (MoveNote(),) * len(record.actions)
    for action, comment, note in zip(record.actions, comments, notes, strict=True):
        course.play(action, note, comment[:200])
    if not course.is_over:
        course.played.resigned, course.played.forfeit = record.resigned, record.forfeit
    return course
