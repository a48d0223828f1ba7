"""One game as it went so far, with what was thought of each position: what a table keeps, tells and writes down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from luozi.messages import LuoziError
from luozi.players import ForfeitError
from luozi.records.moves import (
    NOTE,
    CandidateNote,
    Move,
    MoveNote,
    SearchNote,
    chances_in,
    expected,
    note_data,
    read_data,
    work_of,
)
from luozi.records.play import LiveGame
from luozi.records.record import Record, record_json, result_text
from luozi.records.replay import replay_of
from luozi.records.sgf import is_written, sgf_bytes
from luozi.reports.gif import gif_bytes
from luozi.reports.replays import replay_page
from luozi.rules.board import moves_of
from luozi.rules.game import Game
from luozi.rules.position import POSITION_BYTES, Position, kept_states
from luozi.util.parsing import JsonObject, JsonValue
from luozi.util.win_rates import FEWEST, WINS, WinRates, certain, value_of
from luozi.web.answers import LastMoveData, OverMessage, PlayedMoveData, ThoughtData, ValueData
from luozi.web.seats import Seat

ENDING = ("result", "value", "names", "resigned", "reason")  # of a record as JSON


class GameHistory:
    """A game so far. Everything that changes it also says what is to be kept of the change."""

    def __init__(self, game: Game, spelling: str, seats: Sequence[Seat]) -> None:
        self.game, self.spelling, self.seats = game, spelling, list(seats)
        self.played = LiveGame(game, [seat.spelling for seat in seats], visits=True)
        self.remarks: list[str] = []
        self.findings: dict[int, MoveNote] = {}  # of positions, by the number of moves before
        self.rows: list[PlayedMoveData] = []  # the moves as a page hears of them
        self.opened_at: int | None = None  # the moves of a record that was opened: there programs wait to be told
        self.left_out = 0  # variations of that record

    # What it is -------------------------------------------------------------------------------------------------------

    @property
    def position(self) -> Position:
        """The position now."""
        return self.played.position

    @property
    def start(self) -> Position:
        """The position in which the game began."""
        return self.position.back(self.number)

    @property
    def number(self) -> int:
        """How many moves were played."""
        return self.played.position.length

    @property
    def position_bytes(self) -> int:
        """The memory of its positions."""
        return kept_states(self.number) * self.game.dtype.itemsize + self.number * POSITION_BYTES

    def at(self, number: int) -> Position:
        """The position after so many moves."""
        return self.played.position.back(self.number - number)

    @property
    def is_over(self) -> bool:
        """Whether nobody moves any more."""
        return self.played.results is not None

    @property
    def waits(self) -> bool:
        """Whether a program is to move at the end of a record that was opened to be looked at."""
        return self.number == self.opened_at and not self.is_over and not self.seat.is_person

    @property
    def seat(self) -> Seat:
        """Who is to move."""
        return self.seats[self.played.to_move]

    def over(self) -> OverMessage | None:
        """How it ended, or None."""
        results = self.played.results
        if results is None:
            return None
        names, value = result_text(self.game, results), value_data(certain(results))
        return OverMessage(results, value, names, self.played.resigned, self.played.forfeit)

    def moves_of_a_turn(self) -> int:
        """How many moves lead back to a person's turn; one if there is none."""
        back = range(1, self.number + 1)
        return next((moves for moves in back if self.seats[self.at(self.number - moves).to_move].is_person), 1)

    def about(self, seats: Sequence[Seat] = (), **changed: Any) -> JsonObject:
        """What is kept of it beside the moves; what is given is kept before it is changed here."""
        kept = {"resigned": self.played.resigned, "forfeit": self.played.forfeit, "date": self.played.date}
        if self.opened_at is not None:
            kept |= {"opened_at": self.opened_at, "left_out": self.left_out}
        return {"seats": [seat.data() for seat in seats or self.seats], **kept, **changed}

    # Changes ----------------------------------------------------------------------------------------------------------

    def play(self, action: int | str, note: MoveNote, remark: str = "") -> JsonObject:
        """Play a move; what is kept of it."""
        return self.add(self.position.play(action), note, remark)

    def add(self, following: Position, note: MoveNote, remark: str = "") -> JsonObject:
        """Go on to a position that a move has led to; what is kept of the move."""
        before, action = self.position, following.step
        assert isinstance(action, int)
        self.played.add(following, remark, note)
        [move] = moves_of(self.game, before.state, [action])
        row: PlayedMoveData = {
            "number": self.number,
            **move,
            "by": before.to_move,
            "seconds": note.seconds,
            "means": expected(note.thought),
            "value": value_data(chances_in(note.thought)),
            "remark": remark,
        }
        self.rows.append(row)
        self.remarks.append(remark)
        return move_data(Move(action, before.to_move, *note), remark)

    def take_back(self, moves: int) -> None:
        """Go back by some moves."""
        left = self.number - moves
        self.played.take_back(moves)
        del self.rows[left:], self.remarks[left:]
        self.findings = {number: note for number, note in self.findings.items() if number <= left}

    def sit(self, number: int, seat: Seat) -> None:
        """Somebody takes a seat."""
        self.seats[number] = seat
        self.played.spellings = tuple(one.spelling for one in self.seats)

    def find(self, number: int, note: MoveNote) -> JsonObject | None:
        """Keep what an analysis found, if it is the best that is known; what is kept of it."""
        before = self.findings.get(number)
        if not (now := work_of(note.thought)) or (before is not None and now < work_of(before.thought)):
            return None
        self.findings[number] = note
        return note_data(note)

    def kept_moves(self) -> list[JsonObject]:
        """What is kept of each move."""
        moves = zip(self.played.actions, self.rows, self.played.notes, self.remarks, strict=True)
        return [move_data(Move(action, row["by"], *note), remark) for action, row, note, remark in moves]

    def kept_findings(self) -> list[tuple[int, JsonObject]]:
        """What is kept of each position that was analysed."""
        return [(number, note_data(note)) for number, note in self.findings.items()]

    # What is known ----------------------------------------------------------------------------------------------------

    def known(self, number: int) -> MoveNote | None:
        """What was thought of a position: by an analysis, or by who moved there if that is longer and of its kind."""
        found, moved = self.findings.get(number), self.played.notes[number] if number < self.number else None
        if moved is None or moved.thought is None:
            return found
        if found is None or found.thought is None:
            return moved
        alike = all(moved.thought.get(name) == found.thought.get(name) for name in ("kind", "positions"))
        return moved if alike and work_of(moved.thought) > work_of(found.thought) else found

    def means(self, number: int) -> list[float] | None:
        """Every player's mean result as known of a position."""
        if number == self.number and self.played.results is not None:
            return list(self.played.results)
        note = self.known(number)
        means = expected(note.thought) if note is not None else None
        return list(means) if means is not None else None

    def value(self, number: int) -> ValueData | None:
        """What everybody may expect of a position, as plain data."""
        if number == self.number and self.played.results is not None:
            return value_data(certain(self.played.results))
        note = self.known(number)
        return None if note is None else value_data(chances_in(note.thought))

    def values(self) -> list[ValueData | None]:
        """The same of all positions."""
        return [self.value(number) for number in range(self.number + 1)]

    def last_moves(self, number: int | None = None) -> list[LastMoveData | None]:
        """Everybody's last move before a position, for its mark."""
        found: list[LastMoveData | None] = [None] * self.game.players
        for row in self.rows[: self.number if number is None else number]:
            found[row["by"]] = {"number": row["number"], "clicks": row["clicks"]}
        return found

    def thought(self, number: int) -> ThoughtData | None:
        """What is known of a position, in the words of a thought."""
        note = self.known(number)
        if note is None or note.thought is None:
            return None
        position = self.at(number)
        names = {action: position.name(action) for action in position.actions}
        found = note.thought
        rows = [candidate_data(one, names, found) for one in note.candidates if one.action in names]
        data: JsonObject = {
            **cast(JsonObject, found),
            "player": position.to_move,
            "variation": found.get("line", []),
            "candidates": rows,
            "action": rows[0]["action"] if rows else None,
            "sampled": not (found.get("static") or found.get("learned")),
            "learned": found.get("learned", False),
            "kind": found.get("kind", WINS),
            "fewest": FEWEST,
            "value": value_of(chances_in(found)),
            "stored": True,
        }
        return cast(ThoughtData, data)

    # Records ----------------------------------------------------------------------------------------------------------

    def record(self) -> Record:
        """The game as a record, with what was found of each position."""
        record = self.played.record()
        notes = []
        for number, note in enumerate(record.notes):
            known = self.known(number)
            fits = note.thought is None and known is not None
            notes.append(note._replace(thought=known.thought, candidates=known.candidates) if fits and known else note)
        return replace(record, notes=tuple(notes))

    def file(self, form: str, spelled: str) -> bytes:
        """The record in a form; `spelled` is the game as others can read it."""
        record = self.record()
        if form == "sgf":
            return sgf_bytes(record)
        if form in ("html", "gif"):
            replay = replay_of(record)
            return gif_bytes(replay) if form == "gif" else replay_page(replay).encode()
        if form == "text":
            return record.text(game=spelled, data=True).encode()
        over = self.over()
        end = None if over is None else {name: getattr(over, name) for name in ENDING}
        return record_json(record, spelled, end).encode()

    @property
    def formats(self) -> list[str]:
        """The forms in which it can be written."""
        return ["text", *(["sgf"] if is_written(self.game) else []), "json", "html", "gif"]


def value_data(chances: WinRates | None) -> ValueData | None:
    """What everybody may expect, as plain data."""
    return cast("ValueData | None", value_of(chances))


def candidate_data(one: CandidateNote, names: Mapping[int, str], thought: SearchNote) -> JsonObject:
    """A kept candidate in the words of a thought."""
    row: JsonObject = {"action": one.action, "name": names[one.action], "visits": one.visits, "means": list(one.means)}
    row |= {"value": value_of(chances_in(thought, one)), "proven": one.proven}
    return {**row, "prior": one.prior, "cut": False, "line": [], "line_names": [], "interval": None}


def move_data(move: Move, remark: str) -> JsonObject:
    """What is kept of a move beside its action."""
    return {**note_data(move.note), "seat": move.seat, "remark": remark}


def read_note(data: Mapping[str, JsonValue], action: int, players: int, actions: int) -> MoveNote:
    """The opposite of `note_data`."""
    kept = {name: data[name] for name in NOTE if data.get(name) is not None}
    return read_data({"action": action, "seat": 0, **kept}, players, actions).note


def loss_of(error: LuoziError) -> str:
    """What a player who can't go on did, for the record; nothing if it gave up."""
    return error.message if isinstance(error, ForfeitError) else ""
