"""Saves each terminal game as it goes on; `luozi play --continue` resumes the last one."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from luozi.compiled.cache import cache_folder
from luozi.messages import LuoziError, Message, reason_of
from luozi.records.files import header_values, save_record
from luozi.records.play import LiveGame
from luozi.records.record import UNFINISHED
from luozi.util.parameters import split_spelling
from luozi.util.parsing import read_bounded

KEPT = 20  # the most saved games; the oldest are deleted
GO_ON = "'luozi play --continue' resumes it"


def saved_games() -> list[Path]:
    """Return the files of all saved games, the latest first."""
    times: dict[Path, float] = {}
    for path in (cache_folder() / "games").glob("*.txt"):
        try:
            times[path] = path.stat().st_mtime
        except OSError:  # another session deleted it
            continue
    return sorted(times, key=lambda path: (-times[path], path))


def last_unfinished(spelling: str | None = None) -> Path:
    """Return the file of the last unfinished game (of this game, if given).

    Raises:
        LuoziError: there is none.
    """
    wanted = None if spelling is None else absolute_spelling(spelling)
    for path in saved_games():
        with suppress(OSError, LuoziError):  # another session deleted it, or somebody changed it
            header = header_values(read_bounded(path).decode(errors="replace"), str(path))
            if header.get("result") == UNFINISHED and wanted in (None, header["game"]):
                return path
    if wanted is None:
        raise LuoziError("there is no unfinished game to resume")
    raise LuoziError("there is no unfinished game of {game} to resume", game=spelling)


def absolute_spelling(spelling: str) -> str:
    """Return a specification that means the same game in every folder.

    >>> absolute_spelling("gomoku:size=9")
    'gomoku:size=9'
    """
    name = split_spelling(spelling)[0]
    return str(Path(name).resolve()) + spelling[len(name) :] if Path(name).is_file() else spelling


class Autosave:
    """The file of one game; `replaces` is the file that the game was resumed from, which it replaces."""

    def __init__(self, replaces: Path | None = None) -> None:
        name = f"{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}.txt"
        self.path, self.replaces = cache_folder() / "games" / name, replaces
        self.failure = ""  # why it could not be written
        self.written: tuple[object, ...] = ()

    def write(self, table: LiveGame) -> None:
        """Write the game so far if it changed; note a failure instead of raising it."""
        now = (*table.actions, table.resigned)
        if not table.actions:
            if self.written:  # all moves were taken back: there is nothing to resume
                with suppress(OSError):
                    self.path.unlink(missing_ok=True)
            self.written = ()
            return
        if now == self.written:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            save_record(
                table.record(), self.path, overwrite=True, game=absolute_spelling(table.game.spelling), numbered=True
            )
            self.written, self.failure = now, ""
            self._make_room()
        except OSError as error:
            self.failure = reason_of(error)
        except LuoziError as error:
            self.failure = error.message

    def _make_room(self) -> None:
        for path in (*saved_games()[KEPT:], *([self.replaces] if self.replaces else [])):
            path.unlink(missing_ok=True)
        self.replaces = None

    @property
    def notice(self) -> str:
        """Return what happens to an unfinished game that is left now."""
        return (
            Message("the game can't be saved: {reason}", reason=self.failure)
            if self.failure
            else Message("the game is saved: {text}", text=GO_ON)
        )
