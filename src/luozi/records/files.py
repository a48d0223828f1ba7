"""Game records in files, as text, JSON and SGF; and the reader of records as text."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from luozi.games import game as make_game
from luozi.games import is_own
from luozi.messages import LuoziError, Message, nearest, reason_of
from luozi.records.moves import MOVE, Move, MoveNote, read_data, read_note
from luozi.records.record import (
    COMMENT,
    DATA,
    SEPARATOR,
    TITLE,
    VERSION,
    Record,
    record_of_json,
    result_text,
    sign_of,
)
from luozi.records.sgf import new_tree, sgf_bytes
from luozi.records.sgf_reader import load_sgf
from luozi.rules.game import Game
from luozi.rules.move_names import read_move
from luozi.rules.state import State
from luozi.util.files import refuse_existing, refuse_unwritable, write_whole
from luozi.util.parameters import join_spelling, split_spelling
from luozi.util.parsing import is_file, json_value, path_of, plain, read_bounded, shown, whole_number
from luozi.util.trust import foreign, named_file

KEYS = ("game", "players", "date", "seed", "resigned", "forfeit", "result")
MOST_SEED = 2**62  # the largest seed of the command line
MEND = Message("; to go by the moves alone, delete all from the line '{text}' on", text=DATA)


def refuse_unsaved(game: Game, path: Path, overwrite: bool = False) -> None:
    """Raise LuoziError if no record of a game can be written to a file: now, not when the game is over."""
    refuse_unwritable(path)
    if not overwrite:
        refuse_existing(path)
    if path.suffix.lower() == ".sgf":
        new_tree(game)


def save_record(record: Record, path: Path, overwrite: bool = False, game: str = "", numbered: bool = False) -> None:
    """Write a record, completely or not at all; `game` and `numbered` as for `Record.text`."""
    path = path_of(path)
    refuse_unsaved(record.game, path, overwrite)
    write_whole(path, content_for(record, path, game, numbered))


def content_for(record: Record, path: Path, game: str, numbered: bool) -> bytes:
    """Return the content of a file: SGF if its name ends in .sgf."""
    if path.suffix.lower() == ".sgf":
        return sgf_bytes(record)
    return record.text(game=game, numbered=numbered, data=True).encode("utf-8", "replace")


def load_record(path: Path, game: str | None = None) -> Record:
    """Return the record of a file, as text, JSON or SGF, with its moves replayed.

    Records may come from untrusted sources: a record of a game in a Python file runs that file only if `game` names it
    too.

    Raises:
        LuoziError: the file can't be read or replayed; the message names the line.
    """
    path = path_of(path)
    if path.suffix.lower() == ".sgf":
        return load_sgf(path)
    try:
        text = read_bounded(path).decode("utf-8-sig")
    except FileNotFoundError:
        raise LuoziError("there is no file '{name}'", name=path) from None
    except UnicodeDecodeError:
        raise LuoziError("{text} is not a text file, so it is no record", text=path) from None
    except OSError as error:
        raise LuoziError("can't read '{name}': {reason}", name=path, reason=reason_of(error)) from None
    reader = _Reader(path, text.splitlines(), game or "")
    return reader.json_record(text) if text.lstrip().startswith("{") else reader.record()


def replayed(game: Game, text: str, of: str) -> Record:
    """Return the record of a text that is known to be of this game. Raises as `load_record`; messages begin with `of`.

    >>> text = "luozi record 1\\ngame: x\\nplayers: a | b\\n\\n1. X b2  # 40.0 %"
    >>> replayed(make_game("tictactoe"), text, "it").actions
    (4,)
    """
    return _Reader(of, text.splitlines()).record(game)


def header_values(text: str, of: str) -> dict[str, str]:
    """Return the header of a record, without making its game. Raises as `load_record`; messages begin with `of`.

    >>> header_values("luozi record 2\\ngame: gomoku:size=9\\nplayers: a | b", "it")["game"]
    'gomoku:size=9'
    """
    reader = _Reader(of, text.splitlines())
    header = reader.header()
    return {**header, "game": reader.quoted(header["game"], "game")}


class _Reader:
    """Reads one record as text, line by line."""

    def __init__(self, path: Path | str, lines: list[str], trusted: str = "") -> None:
        self.path, self.lines = path, lines
        self.trusted = trusted  # the game that the user named: its file may run
        self.number = 0  # of the current line, from 1
        self.where: dict[str, int] = {}  # the lines of the header's keys

    def record(self, known: Game | None = None) -> Record:
        header = self.header()
        game = known or self.game(self.quoted(header["game"], "game"))
        players = self.players(header["players"])
        if len(players) != game.players:
            raise self.wrong(
                Message(
                    "{game} has {count} players, not {given}",
                    game=game.spelling,
                    count=game.players,
                    given=len(players),
                ),
                "players",
            )
        actions, comments = self.moves(game)
        resigned, forfeit = self.loss(game, header)
        date = self.quoted(header.get("date", ""), "date")
        record = Record(game, players, actions, comments, date, self.seed(header), resigned, forfeit)
        self.check_result(record, header)
        return replace(record, notes=self.notes(record))

    def json_record(self, text: str) -> Record:
        """Return the record of a JSON text."""
        self.number = 1
        try:
            record = record_of_json(text, self.game)
            assert record.positions  # checks that every move is legal
        except LuoziError as error:
            raise error if isinstance(error, RecordError) else self.wrong(error.message) from None
        return record

    def wrong(self, sentence: str, key: str = "") -> RecordError:
        """Return the error for the current line, or for a key's line."""
        return RecordError(
            "{text}, line {number}: {error}", text=self.path, number=self.where.get(key, self.number), error=sentence
        )

    def header(self) -> dict[str, str]:
        """Return the header: the lines up to the first blank one."""
        self.number = 1
        title = self.lines[0].strip() if self.lines else ""
        if not title.startswith(TITLE):
            raise self.wrong(Message("a record starts with '{title} {version}'", title=TITLE, version=VERSION))
        version = whole_number(title.removeprefix(TITLE), 1, MOST_SEED)
        if version is None:
            raise self.wrong(
                Message(
                    "'{text}' is no version of a record: write '{title} {version}'",
                    text=plain(title),
                    title=TITLE,
                    version=VERSION,
                )
            )
        if version > VERSION:
            raise self.wrong(
                Message(
                    "this record is of version {version}, from a newer Luozi: install that one to read it",
                    version=version,
                )
            )
        header: dict[str, str] = {}
        for line in self.lines[1:]:
            if not line.strip() or re.match(r"\s*\d+\.", line):
                break
            self.number += 1
            key, colon, value = (part.strip() for part in line.partition(":"))
            if not colon:
                raise self.wrong(Message("'{text}' is not a header line such as 'game: gomoku'", text=line.strip()))
            if key not in KEYS:
                raise self.wrong(Message("a record has no '{name}'{nearest}", name=key, nearest=nearest(key, KEYS)))
            if key in header:
                raise self.wrong(Message("'{name}' stands there twice", name=key))
            header[key], self.where[key] = value, self.number
        for key in ("game", "players"):
            if key not in header:
                raise self.wrong(Message("the header has no line '{name}: ...'", name=key))
        return header

    def quoted(self, text: str, key: str) -> str:
        """Return a header value; the inverse of `header_value`."""
        found = self.json(text, key) if text.startswith('"') else text
        if not isinstance(found, str):
            raise self.wrong(Message("'{text}' is no text in quotes", text=plain(text)), key)
        return found

    def players(self, text: str) -> tuple[str, ...]:
        """Return the players; the inverse of `players_text`."""
        if not text.startswith("["):
            return tuple(part.strip() for part in text.split(SEPARATOR.strip()))
        found = self.json(text, "players")
        if not isinstance(found, list) or not all(isinstance(player, str) for player in found):
            raise self.wrong(Message("'{text}' is no list of players", text=plain(text)), "players")
        return tuple(found)

    def json(self, text: str, key: str) -> Any:
        try:
            return json_value(text, shown(text))
        except LuoziError as error:
            raise self.wrong(error.message, key) from None

    def game(self, spelling: str) -> Game:
        """Return the game; for a custom game the file of the same name that the user trusts."""
        try:
            name, values = split_spelling(spelling)
            if is_own(name):
                return self.own_game(name, values)
            with foreign():  # a built-in game with options of the record
                return make_game(spelling)
        except LuoziError as error:
            raise self.wrong(error.message, "game") from None

    def own_game(self, name: str, values: dict[str, str]) -> Game:
        """Return a custom game: from the file that the user named, else from a file of this name if `trust` allows
        it.
        """
        trusted, file = split_spelling(self.trusted)[0], Path(name).name
        if Path(trusted).name == file:
            return make_game(join_spelling(trusted, values))
        places = [named_file(name), str(Path(self.path).parent / file)]
        found = next(filter(is_file, places), "")
        if not found:
            raise LuoziError(
                "there is no file '{name}' with the game of this record: name it with --trust", name=plain(name)
            )
        with foreign():
            return make_game(join_spelling(found, values))

    def seed(self, header: dict[str, str]) -> int | None:
        text = header.get("seed", "")
        number = whole_number(text, 0, MOST_SEED)
        if text and number is None:
            raise self.wrong(
                Message("the seed '{text}' is not a whole number from 0 to {most}", text=plain(text), most=MOST_SEED),
                "seed",
            )
        return number

    def loss(self, game: Game, header: dict[str, str]) -> tuple[int | None, str]:
        """Return who resigned or forfeited, and the reason of a forfeit."""
        key = "forfeit" if "forfeit" in header else "resigned"
        name, _, reason = (part.strip() for part in header.get(key, "").partition(":" if key == "forfeit" else "\n"))
        names = [sign_of(game, player) for player in range(game.players)]
        if name and name not in names:
            raise self.wrong(
                Message("there is no player '{name}'{nearest}", name=name, nearest=nearest(name, names)), key
            )
        return names.index(name) if name else None, reason

    def moves(self, game: Game) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Return the actions and comments of the numbered lines."""
        state = game.new_state()
        actions: list[int] = []
        comments: list[str] = []
        for line in self.lines[self.number :]:
            self.number += 1
            if line.strip() == DATA:
                break
            if not line.strip() or line.startswith("#"):
                continue
            move, _, comment = line.partition(COMMENT)
            action = self.action(game, state, move.strip(), len(actions) + 1)
            actions.append(action)
            comments.append(comment.strip())
            state = game.after(state, action)
        return tuple(actions), tuple(comments)

    def action(self, game: Game, state: State, line: str, number: int) -> int:
        if game.is_terminal(state):
            raise self.wrong(Message("the game was over before '{name}'", name=line))
        sign = sign_of(game, game.player_to_move(state))
        start = f"{number}. {sign} "
        if not line.startswith(start):
            raise self.wrong(
                Message(
                    "'{text}' is not move {number} of {sign}, which starts with '{start}'",
                    text=line,
                    number=number,
                    sign=sign,
                    start=start.strip(),
                )
            )
        try:
            return read_move(game, state, line[len(start) :])
        except LuoziError as error:
            raise self.wrong(short_sentence(error)) from None

    def notes(self, record: Record) -> tuple[MoveNote, ...]:
        """Return the notes of the data lines, if there are any; they must be of the same moves."""
        notes: list[MoveNote] = []
        for line in self.lines[self.number :]:
            self.number += 1
            if line.strip():
                notes.append(self.note(record, len(notes), line))
        if notes and len(notes) != len(record.actions):
            raise self.wrong(
                Message(
                    "the data have {count} moves, but the lines above {other}{mend}",
                    count=len(notes),
                    other=len(record.actions),
                    mend=MEND,
                )
            )
        return tuple(notes)

    def note(self, record: Record, place: int, line: str) -> MoveNote:
        """Return the note of one data line."""
        try:
            found = self.read_line(record, place, json_value(line, shown(line)))
        except LuoziError as error:
            raise self.wrong(Message("{error}{mend}", error=error, mend=MEND)) from None
        written = record.moves[place] if place < len(record.moves) else None
        if written is not None and found[:2] != written[:2]:
            raise self.wrong(
                Message(
                    "the data say that move {number} is action {action} of seat {seat}, but its line above says action "
                    "{other} of seat {sitting}{mend}",
                    number=place + 1,
                    action=found.action,
                    seat=found.seat,
                    other=written.action,
                    sitting=written.seat,
                    mend=MEND,
                )
            )
        return found.note

    def read_line(self, record: Record, place: int, value: Any) -> Move:
        """Return the move of one data line; in old databases the data do not have action and seat."""
        players, actions = record.game.players, record.game.actions
        if isinstance(value, dict) and place < len(record.moves) and not MOVE & value.keys():
            action, seat, *_ = record.moves[place]
            return Move(action, seat, *read_note(value, players, actions))
        return read_data(value, players, actions)

    def check_result(self, record: Record, header: dict[str, str]) -> None:
        found = result_text(record.game, record.results())
        if record.resigned is not None and record.positions[-1].returns is not None:
            raise self.wrong("nobody can resign after the end of a game", "resigned")
        if header.get("result", found) != found:
            raise self.wrong(
                Message("the result is '{text}', but the moves give '{found}'", text=header["result"], found=found),
                "result",
            )


class RecordError(LuoziError):
    """What is wrong with a record; the message names the line."""


def short_sentence(error: LuoziError) -> Message:
    """Return an error's message, without its list of choices if that is long.

    >>> error = LuoziError("'{name}' is wrong{nearest}", name="x", nearest="; choose one of: " + "a, " * 100)
    >>> short_sentence(error)
    "'x' is wrong"
    """
    message = error.message
    return message if len(message) < 160 or "nearest" not in message.values else message.with_values(nearest="")
