"""Games at the terminal are kept as they go on, without being asked: `luozi play --continue` finds the last one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from luozi.compiled.cache import cache_folder
from luozi.messages import LuoziError, Message, reason_of
from luozi.records.files import load_record, save_record
from luozi.records.play import LiveGame
from luozi.records.record import UNFINISHED, Record
from luozi.util.parameters import split_spelling
from luozi.util.parsing import read_bounded

KEPT = 20  # so many games; the oldest go first
GO_ON = "'luozi play --continue' resumes it"


def kept_games() -> list[Path]:
    """The files of all games that are kept, the last one first."""
    times: dict[Path, float] = {}
    for path in (cache_folder() / "games").glob("*.txt"):
        try:
            times[path] = path.stat().st_mtime
        except OSError:  # another session deleted it
            continue
    return sorted(times, key=lambda path: (-times[path], path))


def last_unfinished(spelling: str | None = None) -> Path:
    """The last game that was left before its end, of this game if one is named; one sentence if there is none."""
    wanted = None if spelling is None else anywhere(spelling)
    for path in kept_games():
        header = dict(header_lines(path))
        if header.get("result") == UNFINISHED and wanted in (None, header.get("game")):
            return path
    if wanted is None:
        raise LuoziError("there is no unfinished game to go on with")
    raise LuoziError("there is no unfinished game of {game} to go on with", game=spelling)


def load_kept(path: Path) -> Record:
    """A game that is kept: the user's file of its game runs if it is still what the user approved."""
    return load_record(path)


def header_lines(path: Path) -> Iterator[tuple[str, str]]:
    """The keys and values at the top of a record, not checked."""
    try:
        lines = read_bounded(path).decode(errors="replace").splitlines()
    except OSError:
        return
    for line in lines[1:]:
        if not line:
            return
        key, _, value = line.partition(": ")
        yield key, value


def anywhere(spelling: str) -> str:
    """A game's spelling that means the same in every folder.

    >>> anywhere("gomoku:size=9")
    'gomoku:size=9'
    """
    name = split_spelling(spelling)[0]
    return str(Path(name).resolve()) + spelling[len(name) :] if Path(name).is_file() else spelling


class Autosave:
    """The file of one game; `replaces` is the one that the game was read from, which it makes needless."""

    def __init__(self, replaces: Path | None = None) -> None:
        name = f"{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}.txt"
        self.path, self.replaces = cache_folder() / "games" / name, replaces
        self.failure = ""  # why it could not be written
        self.written: tuple[object, ...] = ()

    def write(self, table: LiveGame) -> None:
        """Write the game so far, if there is something new; what goes wrong is only noted."""
        now = (*table.actions, table.resigned)
        if not table.actions:
            if self.written:  # all moves were taken back: there is nothing to go on with
                with suppress(OSError):
                    self.path.unlink(missing_ok=True)
            self.written = ()
            return
        if now == self.written:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            save_record(table.record(), self.path, overwrite=True, game=anywhere(table.game.spelling), numbered=True)
            self.written, self.failure = now, ""
            self._make_room()
        except OSError as error:
            self.failure = reason_of(error)
        except LuoziError as error:
            self.failure = error.message

    def _make_room(self) -> None:
        for path in (*kept_games()[KEPT:], *([self.replaces] if self.replaces else [])):
            path.unlink(missing_ok=True)
        self.replaces = None

    @property
    def fate(self) -> str:
        """What becomes of an unfinished game that is left now."""
        return (
            Message("the game can't be saved: {reason}", reason=self.failure)
            if self.failure
            else Message("the game is saved: {text}", text=GO_ON)
        )
