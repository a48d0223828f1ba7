"""The game of a session so far, with the search results of its positions, as it is stored, sent and saved."""

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
    """A game so far. Methods that change it return what is to be stored of the change."""

    def __init__(self, game: Game, spelling: str, seats: Sequence[Seat]) -> None:
        self.game, self.spelling, self.seats = game, spelling, list(seats)
        self.played = LiveGame(game, [seat.spelling for seat in seats], visits=True)
        self.findings: dict[int, MoveNote] = {}  # of analyses, by the move number of the position
        self.rows: list[PlayedMoveData] = []  # the moves as the page gets them
        self.opened_at: int | None = None  # the moves of an opened record: programs do not move there by themselves
        self.left_out = 0  # variations of that record

    # The game ---------------------------------------------------------------------------------------------------------

    @property
    def position(self) -> Position:
        """The last position."""
        return self.played.position

    @property
    def start(self) -> Position:
        """The first position."""
        return self.position.back(self.number)

    @property
    def number(self) -> int:
        """The number of moves."""
        return self.played.position.length

    @property
    def position_bytes(self) -> int:
        """The memory of its positions."""
        return kept_states(self.number) * self.game.dtype.itemsize + self.number * POSITION_BYTES

    def at(self, number: int) -> Position:
        """Return the position after so many moves."""
        return self.played.position.back(self.number - number)

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.played.results is not None

    @property
    def waits(self) -> bool:
        """Whether a program is to move at the end of an opened record."""
        return self.number == self.opened_at and not self.is_over and not self.seat.is_person

    @property
    def seat(self) -> Seat:
        """The player to move."""
        return self.seats[self.played.to_move]

    def over(self) -> OverMessage | None:
        """Return the result of a finished game, or None."""
        results = self.played.results
        if results is None:
            return None
        names, value = result_text(self.game, results), value_data(certain(results))
        return OverMessage(results, value, names, self.played.resigned, self.played.forfeit)

    def moves_of_a_turn(self) -> int:
        """Return how many moves lead back to a person's turn; 1 if there is none."""
        back = range(1, self.number + 1)
        return next((moves for moves in back if self.seats[self.at(self.number - moves).to_move].is_person), 1)

    def about(self, seats: Sequence[Seat] = (), **changed: Any) -> JsonObject:
        """Return what is stored beside the moves, with changes that are made here only after they are stored."""
        stored = {"resigned": self.played.resigned, "forfeit": self.played.forfeit, "date": self.played.date}
        if self.opened_at is not None:
            stored |= {"opened_at": self.opened_at, "left_out": self.left_out}
        return {"seats": [seat.data() for seat in seats or self.seats], **stored, **changed}

    # Changes ----------------------------------------------------------------------------------------------------------

    def play(self, action: int | str, note: MoveNote, remark: str = "") -> JsonObject:
        """Play a move; return what is to be stored of it."""
        return self.add(self.position.play(action), note, remark)

    def add(self, following: Position, note: MoveNote, remark: str = "") -> JsonObject:
        """Go on to the position after a move; return what is to be stored of the move."""
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
        return move_data(Move(action, before.to_move, *note), remark)

    def take_back(self, moves: int) -> None:
        """Take moves back."""
        left = self.number - moves
        self.played.take_back(moves)
        del self.rows[left:]
        self.findings = {number: note for number, note in self.findings.items() if number <= left}

    def sit(self, number: int, seat: Seat) -> None:
        """Give a seat to another player."""
        self.seats[number] = seat
        self.played.spellings = tuple(one.spelling for one in self.seats)

    def find(self, number: int, note: MoveNote) -> JsonObject | None:
        """Keep the result of an analysis; return what is to be stored, None if a longer one is known."""
        before = self.findings.get(number)
        if not (now := work_of(note.thought)) or (before is not None and now < work_of(before.thought)):
            return None
        self.findings[number] = note
        return note_data(note)

    def stored_moves(self) -> list[JsonObject]:
        """Return what is stored of each move."""
        moves = zip(self.played.actions, self.rows, self.played.notes, self.played.comments, strict=True)
        return [move_data(Move(action, row["by"], *note), remark) for action, row, note, remark in moves]

    def stored_findings(self) -> list[tuple[int, JsonObject]]:
        """Return what is stored of each analysed position."""
        return [(number, note_data(note)) for number, note in self.findings.items()]

    # Search results ---------------------------------------------------------------------------------------------------

    def known(self, number: int) -> MoveNote | None:
        """Return the search result of a position: the analysis, or that of the mover if it is longer and alike."""
        found, moved = self.findings.get(number), self.played.notes[number] if number < self.number else None
        if moved is None or moved.thought is None:
            return found
        if found is None or found.thought is None:
            return moved
        alike = all(moved.thought.get(name) == found.thought.get(name) for name in ("kind", "positions"))
        return moved if alike and work_of(moved.thought) > work_of(found.thought) else found

    def means(self, number: int) -> list[float] | None:
        """Return the mean value of each player in a position, or None."""
        if number == self.number and self.played.results is not None:
            return list(self.played.results)
        note = self.known(number)
        means = expected(note.thought) if note is not None else None
        return list(means) if means is not None else None

    def value(self, number: int) -> ValueData | None:
        """Return the expected result of each player in a position, or None."""
        if number == self.number and self.played.results is not None:
            return value_data(certain(self.played.results))
        note = self.known(number)
        return None if note is None else value_data(chances_in(note.thought))

    def values(self) -> list[ValueData | None]:
        """Return the expected results in all positions."""
        return [self.value(number) for number in range(self.number + 1)]

    def last_moves(self, number: int | None = None) -> list[LastMoveData | None]:
        """Return each player's last move before a position, by default the last position."""
        found: list[LastMoveData | None] = [None] * self.game.players
        for row in self.rows[: self.number if number is None else number]:
            found[row["by"]] = {"number": row["number"], "clicks": row["clicks"]}
        return found

    def thought(self, number: int) -> ThoughtData | None:
        """Return the stored search result of a position in the form of a new one, or None."""
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
        """Return the game as a record, with analyses where the mover has no search result."""
        record = self.played.record()
        notes = []
        for number, note in enumerate(record.notes):
            known = self.known(number) if note.thought is None else None
            notes.append(note._replace(thought=known.thought, candidates=known.candidates) if known else note)
        return replace(record, notes=tuple(notes))

    def file(self, form: str, spelled: str) -> bytes:
        """Return the record in a format; `spelled` is the game's spelling for others."""
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
        """The formats of its record."""
        return ["text", *(["sgf"] if is_written(self.game) else []), "json", "html", "gif"]


def value_data(chances: WinRates | None) -> ValueData | None:
    """Return win rates as plain data."""
    return cast("ValueData | None", value_of(chances))


def candidate_data(one: CandidateNote, names: Mapping[int, str], thought: SearchNote) -> JsonObject:
    """Return a stored candidate in the form of a new one."""
    row: JsonObject = {"action": one.action, "name": names[one.action], "visits": one.visits, "means": list(one.means)}
    row |= {"value": value_of(chances_in(thought, one)), "proven": one.proven}
    return {**row, "prior": one.prior, "cut": False, "line": [], "line_names": [], "interval": None}


def move_data(move: Move, remark: str) -> JsonObject:
    """Return what is stored of a move beside its action."""
    return {**note_data(move.note), "seat": move.seat, "remark": remark}


def read_note(data: Mapping[str, JsonValue], action: int, players: int, actions: int) -> MoveNote:
    """Return what `note_data` has stored."""
    kept = {name: data[name] for name in NOTE if data.get(name) is not None}
    return read_data({"action": action, "seat": 0, **kept}, players, actions).note


def loss_of(error: LuoziError) -> str:
    """Return the reason of a forfeit for the record; nothing for a resignation."""
    return error.message if isinstance(error, ForfeitError) else ""
