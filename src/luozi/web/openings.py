"""The messages that open a table: a new game, one from here, one that is loaded, pasted or set up."""

from __future__ import annotations

import re
from collections.abc import Sequence

from luozi.messages import LuoziError
from luozi.records.files import header_game, replayed
from luozi.records.moves import MoveNote
from luozi.records.record import Record, record_of_json
from luozi.records.sgf import record_from
from luozi.rules.game import Game
from luozi.rules.move_names import read_move, split_moves
from luozi.util.parsing import plain
from luozi.web.game_history import GameHistory
from luozi.web.pasted_boards import looks_like_a_board, read_board
from luozi.web.position_editor import set_up
from luozi.web.requests import (
    EditRequest,
    FromHereRequest,
    LoadRequest,
    NewRequest,
    OpeningRequest,
    PlacedPiece,
    SeatChoice,
)
from luozi.web.session import Session
from luozi.web.sessions import Sessions

Seats = Sequence[SeatChoice] | None


async def open_table(sessions: Sessions, here: Session | None, request: OpeningRequest) -> tuple[Session, str]:
    """A new table as a message asks for it, and its secret."""
    if isinstance(request, NewRequest):
        return await sessions.new_table(request.game, request.seats, request.moves or ())
    if isinstance(request, FromHereRequest):
        if here is None:
            raise LuoziError("you are at no table: begin a new game first")
        actions = here.history.position.moves[: here.move_number(request.move)]
        return await sessions.new_table(here.history.spelling, seats_of(here), actions)
    seats, usual = request.seats or seats_of(here), here.history.spelling if here is not None else ""
    if isinstance(request, EditRequest):
        spelling = request.game or usual
        history = await sessions.fetch(edited, sessions, spelling, request.pieces, request.to_move, seats)
    else:
        spelling = "" if isinstance(request, LoadRequest) else request.game or usual
        history = await sessions.fetch(read_text, sessions, request.text, spelling, seats)
        history.opened_at = history.number
    return await sessions.add_history(history)


def seats_of(table: Session | None) -> list[SeatChoice] | None:
    """The seats of the table at hand, for the next game."""
    return None if table is None else [seat.choice for seat in table.history.seats]


def edited(
    sessions: Sessions, spelling: str, pieces: Sequence[PlacedPiece], to_move: int | None, seats: Seats
) -> GameHistory:
    """A game from a position that was set up."""
    if not spelling:
        raise LuoziError("name the game of this position")
    begun = set_up(sessions.catalog.game(spelling), sessions.catalog.spelled(spelling), pieces, to_move)
    return sessions.new_history(begun, fitting(sessions, begun, seats), [])


def fitting(sessions: Sessions, spelling: str, seats: Seats) -> Seats:
    """Seats for a game, if it has as many."""
    return seats if seats and len(seats) == sessions.catalog.game(spelling).players else None


def read_text(sessions: Sessions, text: str, spelling: str, seats: Seats) -> GameHistory:
    """A game from a text: a record of ours, SGF, and where a game is named, a board or moves."""
    words = text.strip()
    if not words:
        raise LuoziError("there is nothing to read")
    if words.startswith("luozi record"):
        return from_record(sessions, text_record(sessions, words), seats)
    if words.startswith("("):
        return from_record(sessions, sgf_record(sessions, words), seats)
    if words.startswith("{"):
        return from_record(sessions, json_record(sessions, words), seats)
    if not spelling:
        raise LuoziError("this is neither a record of Luozi, as text or JSON, nor SGF")
    game = sessions.catalog.game(spelling)
    found = read_board(game, words)
    if found is not None:
        pieces, to_move = found
        history = edited(sessions, spelling, [PlacedPiece(*piece) for piece in pieces], to_move, seats)
        refuse_lost_words(words, history.game.show(history.position.state))
        return history
    if looks_like_a_board(game, words):
        raise LuoziError("{game} can't be given a position: play or paste the moves that lead there", game=spelling)
    history = sessions.new_history(spelling, fitting(sessions, spelling, seats), [])
    return play_names(history, game, split_moves(words))


def refuse_lost_words(text: str, shown_again: str) -> None:
    """One sentence if a board says something that its pieces do not, as which queen is about to move.

    >>> refuse_lost_words("X .\\nX to move", "X .")
    """
    for line in map(str.strip, text.splitlines()):
        said = re.match(r"[^\W\d]{2,}:? \S", line) and " to move" not in line and not line.startswith("layer")
        if said and line not in shown_again:
            raise LuoziError("'{line}' can't be set up: play or paste the moves that lead there", line=plain(line))


def play_names(history: GameHistory, game: Game, names: list[str]) -> GameHistory:
    """Play moves by name; numbers before them, as in '1. e5', are left out."""

    for name in names:
        word = name.rpartition(". ")[2] if ". " in name else name
        if not word or (word.endswith(".") and word[:-1].isdigit()):
            continue
        if history.is_over:
            raise LuoziError("the game was over before '{name}'", name=plain(word))
        history.play(read_move(game, history.position.state, word), MoveNote())
    return history


def text_record(sessions: Sessions, text: str) -> Record:
    """A record of ours; the game in it must be one that is offered here."""
    spelling = sessions.catalog.recorded_spelling(header_game(text, "the record"))
    return replayed(sessions.catalog.game(spelling), text, "the record")


def json_record(sessions: Sessions, text: str) -> Record:
    """A record of ours as JSON, as `save` writes it."""
    catalog = sessions.catalog
    return record_of_json(text, lambda named: catalog.game(catalog.recorded_spelling(named)), sessions.limits.moves)


def sgf_record(sessions: Sessions, text: str) -> Record:
    """An SGF file; only Go and Gomoku are ever made of one."""
    record = record_from(text.encode(), "the SGF file")
    sessions.catalog.game(record.game.spelling)  # one sentence if it is too large
    return record


def from_record(sessions: Sessions, record: Record, seats: Seats) -> GameHistory:
    """A game as it was written down, with what was thought of each move."""
    spelling = sessions.catalog.inside_spelling(record.game.spelling)
    history = sessions.new_history(spelling, fitting(sessions, spelling, seats), [])
    if len(record.actions) > sessions.limits.moves:
        raise LuoziError("the record has more than {count} moves", count=f"{sessions.limits.moves:,}")
    history.left_out = record.left_out
    comments = record.comments or ("",) * len(record.actions)
    notes = record.notes or (MoveNote(),) * len(record.actions)
    for action, comment, note in zip(record.actions, comments, notes, strict=True):
        history.play(action, note, comment[:200])
    if not history.is_over:
        history.played.resigned, history.played.forfeit = record.resigned, record.forfeit
    return history
