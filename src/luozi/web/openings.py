"""Games that a session starts with: new ones, and those read from a record, a text, a set-up position or the database.

Nothing that is read is trusted: anybody may have written it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import ValidationError

from luozi.messages import LuoziError
from luozi.records.files import header_values, replayed
from luozi.records.moves import MoveNote, is_whole
from luozi.records.record import Record, record_of_json
from luozi.records.sgf_reader import record_from
from luozi.rules.game import Game
from luozi.rules.move_names import read_move, split_moves
from luozi.util.parsing import JsonValue, plain
from luozi.web.catalog import Catalog
from luozi.web.game_history import GameHistory, read_note
from luozi.web.limits import MOST_TEXT, ServerLimits
from luozi.web.position_editor import looks_like_a_board, read_board, set_up
from luozi.web.protocol import refuse_long
from luozi.web.requests import PlacedPiece, SeatChoice
from luozi.web.resources import Resources
from luozi.web.seat_players import player_for
from luozi.web.seats import Seat, read_seat
from luozi.web.storage import DAMAGED, StoredSession

MOST_REMARK = 2_000  # characters of a stored remark
Choices = Sequence[SeatChoice] | None


class GameReader:
    """Reads games for a server with this catalog."""

    def __init__(self, catalog: Catalog, resources: Resources) -> None:
        self.catalog, self.resources = catalog, resources
        self.limits: ServerLimits = catalog.limits

    def new(self, spelling: str, seats: Choices, moves: Sequence[int | str] = ()) -> GameHistory:
        """Return a new game after some moves."""
        game = self.catalog.game(spelling)
        history = GameHistory(game, self.catalog.spelled(spelling), self.seats(game, seats))
        for move in moves:
            if history.is_over:
                raise LuoziError("the game was over before move {number}", number=history.number + 1)
            history.play(move, MoveNote())
        return history

    def seats(self, game: Game, given: Choices) -> list[Seat]:
        """Return the players of all seats: those given, then `strong`; a person first if none is given."""
        if given and len(given) > game.players:
            raise LuoziError(
                "this game has {count} players, but {given} seats were given", count=game.players, given=len(given)
            )
        wanted = list(given or [SeatChoice("person")])
        wanted += [SeatChoice("player", "strong")] * (game.players - len(wanted))
        return [self.seat(game, choice) for choice in wanted]

    def seat(self, game: Game, choice: SeatChoice) -> Seat:
        """Return the player of a seat; raise LuoziError if it can't play the game."""
        seat = read_seat(choice, self.catalog.programs)
        if not seat.is_person:
            player_for(self.resources, game, seat, self.catalog.programs).check()
        return seat

    def fitting(self, spelling: str, seats: Choices) -> Choices:
        """Return the seats, or None if the game has another number of players."""
        return seats if seats and len(seats) == self.catalog.game(spelling).players else None

    def edited(self, spelling: str, pieces: Sequence[PlacedPiece], to_move: int | None, seats: Choices) -> GameHistory:
        """Return a game from a position that was set up."""
        if not spelling:
            raise LuoziError("name the game of this position")
        begun = set_up(self.catalog.game(spelling), self.catalog.spelled(spelling), pieces, to_move)
        return self.new(begun, self.fitting(begun, seats))

    def read(self, text: str, spelling: str, seats: Choices) -> GameHistory:
        """Return a game from a text: a record, SGF, or for a named game a board or moves; programs wait at its end."""
        history = self._read(text.strip(), spelling, seats)
        history.opened_at = history.number
        return history

    def _read(self, text: str, spelling: str, seats: Choices) -> GameHistory:
        if not text:
            raise LuoziError("there is nothing to read")
        record = self.record(text)
        if record is not None:
            return self.from_record(record, seats)
        if not spelling:
            raise LuoziError("this is neither a record of Luozi, as text or JSON, nor SGF")
        game = self.catalog.game(spelling)
        found = read_board(game, text)
        if found is not None:
            pieces, to_move = found
            history = self.edited(spelling, [PlacedPiece(*piece) for piece in pieces], to_move, seats)
            refuse_lost_words(text, history.game.show(history.position.state))
            return history
        if looks_like_a_board(game, text):
            raise LuoziError("{game} can't be given a position: play or paste the moves that lead there", game=spelling)
        return play_names(self.new(spelling, self.fitting(spelling, seats)), split_moves(text))

    def record(self, text: str) -> Record | None:
        """Return the record that a text is, or None; its game must be one of the catalog."""
        catalog = self.catalog
        if text.startswith("luozi record"):
            spelling = catalog.recorded_spelling(header_values(text, "the record")["game"])
            return replayed(catalog.game(spelling), text, "the record")
        if text.startswith("{"):
            made = record_of_json(text, lambda named: catalog.game(catalog.recorded_spelling(named)), self.limits.moves)
            return made
        if text.startswith("("):
            record = record_from(text.encode(), "the SGF file")  # only Go and Gomoku can be in it
            catalog.game(record.game.spelling)  # refuses a large one
            return record
        return None

    def from_record(self, record: Record, seats: Choices) -> GameHistory:
        """Return the game of a record, with its search results."""
        spelling = self.catalog.inside_spelling(record.game.spelling)
        history = self.new(spelling, self.fitting(spelling, seats))
        if len(record.actions) > self.limits.moves:
            raise LuoziError("the record has more than {count} moves", count=f"{self.limits.moves:,}")
        history.left_out = record.left_out
        comments = record.comments or ("",) * len(record.actions)
        notes = record.notes or (MoveNote(),) * len(record.actions)
        for action, comment, note in zip(record.actions, comments, notes, strict=True):
            history.play(action, note, comment[:200])
        if not history.is_over:
            history.played.resigned, history.played.forfeit = record.resigned, record.forfeit
        return history


def refuse_lost_words(text: str, shown_again: str) -> None:
    """Raise LuoziError if a board says something that its pieces do not, such as which queen is about to move.

    >>> refuse_lost_words("X .\\nX to move", "X .")
    """
    for line in map(str.strip, text.splitlines()):
        said = re.match(r"[^\W\d]{2,}:? \S", line) and " to move" not in line and not line.startswith("layer")
        if said and line not in shown_again:
            raise LuoziError("'{line}' can't be set up: play or paste the moves that lead there", line=plain(line))


def play_names(history: GameHistory, names: list[str]) -> GameHistory:
    """Play moves by name; numbers before them, as in '1. e5', are ignored."""
    for name in names:
        word = name.rpartition(". ")[2] if ". " in name else name
        if not word or (word.endswith(".") and word[:-1].isdigit()):
            continue
        if history.is_over:
            raise LuoziError("the game was over before '{name}'", name=plain(word))
        history.play(read_move(history.game, history.position.state, word), MoveNote())
    return history


# Stored sessions ------------------------------------------------------------------------------------------------------


def restored(catalog: Catalog, stored: StoredSession) -> GameHistory:
    """Return a stored game. A seat may hold only what a page could ask for now.

    Raises:
        LuoziError: the stored values are damaged.

    >>> about = {"seats": [{"kind": "player", "name": "mcts", "options": {"network": "/dev/zero"}}]}
    >>> history = restored(Catalog(), StoredSession("k", "s", "tictactoe", about, [(4, {})], {}))
    >>> history.number, [seat.kind for seat in history.seats]
    (1, ['person', 'person'])
    """
    if not isinstance(stored.game, str):
        raise LuoziError(DAMAGED)
    game, about = catalog.game(stored.game), stored.about
    history = GameHistory(game, catalog.spelled(stored.game), restored_seats(catalog, about.get("seats"), game.players))
    history.played.date = text_in(about, "date")
    for action, data in stored.moves:
        refuse_damaged(history, action, data, catalog.limits)
        note = read_note(data, action, game.players, game.actions)
        history.play(action, note, text_in(data, "remark"))
    loser, opened, left_out = about.get("resigned"), about.get("opened_at"), about.get("left_out")
    history.played.resigned = loser if is_whole(loser, 0, game.players - 1) else None
    history.played.forfeit = text_in(about, "forfeit")
    history.opened_at = opened if is_whole(opened, 0, history.number) else None
    history.left_out = left_out if isinstance(left_out, int) and is_whole(left_out, 0, MOST_TEXT) else 0
    for number, data in stored.findings.items():
        if is_whole(number, 0, history.number) and isinstance(data, dict):
            history.findings[number] = read_note(data, 0, game.players, game.actions)
    return history


def refuse_damaged(history: GameHistory, action: Any, data: Any, limits: ServerLimits) -> None:
    """Raise LuoziError if stored values can't be the next move of a game."""
    known = isinstance(data, dict) and is_whole(action, 0, history.game.actions - 1) and history.number < limits.moves
    if not known or history.is_over or not history.game.allows(history.played.state, action):
        raise LuoziError(DAMAGED)


def text_in(values: Mapping[str, JsonValue], name: str) -> str:
    """Return a short text, or an empty one where there is none."""
    value = values.get(name)
    if not isinstance(value, str) or len(value) > MOST_REMARK:
        return ""
    return value.encode(errors="ignore").decode()  # without lone surrogates


def restored_seats(catalog: Catalog, found: JsonValue, players: int) -> list[Seat]:
    """Return the players of all seats; persons where nothing valid is stored."""
    rows = found[:players] if isinstance(found, list) else []
    return [restored_seat(catalog, values) for values in (*rows, *([None] * (players - len(rows))))]


def restored_seat(catalog: Catalog, values: Any) -> Seat:
    """Return the player of one seat; a person if the server does not have the stored one."""
    known = {name: value for name, value in values.items() if name != "spelling"} if isinstance(values, dict) else {}
    try:
        return read_seat(refuse_long(msgspec.convert(known, SeatChoice), catalog.limits), catalog.programs)
    except (LuoziError, ValidationError, UnicodeError):
        return Seat()
