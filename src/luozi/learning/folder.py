"""The folder of a run: what was asked for, games, weights, the trainer's state, the log; and who may write to it.

settings.json      the game, the settings, the weights it began from
parts/G-P.npz      part P of generation G, which is being played
samples/G.npz      all positions of generation G
weights/G.npz      what generation G has learned; 0 is the beginning
trainer.npz        all that the training needs to go on, with the last line of the log
log.jsonl          a line for each generation
ladder.db          the games of the ladder, for `luozi results --db`
learning.png .html the learning curve
final.npz          the weights of the last generation, when the run is complete
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from luozi import __version__
from luozi.compiled import Array
from luozi.learning.files import (
    DamagedFileError,
    played_arrays,
    read_arrays,
    read_played,
    write_arrays,
    write_content,
)
from luozi.learning.learner import SelfPlayBatch, Weights
from luozi.learning.settings import LearningOptions
from luozi.messages import LuoziError, Message, reason_of
from luozi.util.files import UNFINISHED
from luozi.util.old_names import new_spelling, old_spelling, to_old_names
from luozi.util.parsing import content_of, is_file, json_value, plain
from luozi.util.tempdirs import lock

FORMAT = 1
Entry = dict[str, Any]  # a line of the log: what a generation was
Say = Callable[[str], None]


class RunRequest(NamedTuple):
    """What a run is asked to do."""

    game: str
    settings: LearningOptions
    begun_from: str = ""  # the file of weights, or nothing

    def command(self, name: str) -> str:
        """The command that makes this run."""
        words = ["luozi", "learn", self.game]
        words += ["--name", name] if name != default_name(self.game) else []
        words += ["--from", self.begun_from] if self.begun_from else []
        usual = LearningOptions().as_dict()
        for key, value in self.settings.as_dict().items():
            words += ["--set", f"{key}={value}"] if value != usual[key] else []
        return shlex.join(words)


class RunFolder:
    """One run on the disk. `say` is told of files that are damaged."""

    def __init__(self, path: Path, say: Say = lambda _: None) -> None:
        self.path, self.say = path, say
        self.name = path.name
        self._lock: int | None = None

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    @property
    def exists(self) -> bool:
        """Whether there is a run."""
        return is_file(self / "settings.json")

    # Who writes -------------------------------------------------------------------------------------------------------

    def take(self) -> None:
        """Make the folder and keep all others from writing to it, as long as this process lives."""
        try:
            for part in ("parts", "samples", "weights"):
                (self / part).mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise LuoziError(
                "can't keep a run in '{name}': {reason}", name=self.path, reason=reason_of(error)
            ) from None
        try:
            lock(descriptor)
        except BlockingIOError:
            os.close(descriptor)
            raise LuoziError(
                "another luozi learn is at work in '{name}': wait for it, or give this one another --name",
                name=self.path,
            ) from None
        self._lock = descriptor
        for unfinished in self.path.rglob(f"{UNFINISHED}*"):
            unfinished.unlink(missing_ok=True)

    def leave(self) -> None:
        """Let others write."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    # What was asked ---------------------------------------------------------------------------------------------------

    def read_asked(self) -> RunRequest:
        """What the run is asked to do; one sentence if that can't be read."""
        file = self / "settings.json"
        found = json_value(content_of(file), f"'{file}'")
        try:
            if found["format"] != FORMAT:
                raise LuoziError(
                    "'{name}' was written by another version of Luozi: begin a new run with --name", name=file
                )
            settings = LearningOptions.of({key: value for key, value in found["settings"].items() if value is not None})
            return RunRequest(new_spelling(str(found["game"])), settings, str(found["from"]))
        except (KeyError, TypeError, AttributeError):
            raise LuoziError("'{name}' is not a run's: begin a new one with --name", name=file) from None

    def write_asked(self, asked: RunRequest) -> None:
        """Keep what the run is asked to do."""
        settings = to_old_names(asked.settings.as_dict(), "learn")
        known = {"format": FORMAT, "luozi": __version__, "game": old_spelling(asked.game), "settings": settings}
        content = json.dumps({**known, "from": asked.begun_from, "command": asked.command(self.name)}, indent=2)
        write_content(self / "settings.json", f"{content}\n".encode())

    # Games ------------------------------------------------------------------------------------------------------------

    def part_file(self, generation: int, part: int) -> Path:
        return self / "parts" / f"{generation:05d}-{part:05d}.npz"

    def samples_file(self, generation: int) -> Path:
        return self / "samples" / f"{generation:05d}.npz"

    def weights_file(self, generation: int) -> Path:
        return self / "weights" / f"{generation:05d}.npz"

    def keep_part(self, generation: int, part: int, seed: int, played: SelfPlayBatch, seconds: float) -> None:
        """Keep games as soon as they are played, with the seconds that the run has taken."""
        notes = {"seed": np.int64(seed), "seconds": np.float64(seconds)}
        write_arrays(self.part_file(generation, part), {**played_arrays(played), **notes})  # type: ignore[dict-item]

    def read_part(self, generation: int, part: int, seed: int, games: int) -> tuple[SelfPlayBatch, float] | None:
        """A part that was played, with the seconds of the run then; None if it is to be played."""
        file = self.part_file(generation, part)
        if not file.is_file():
            return None
        try:
            arrays = read_arrays(file)
            played = read_played(arrays, file)
            if int(arrays["seed"]) != seed or played.games != games:
                return None  # from before a setting was changed
            return played, float(arrays["seconds"])
        except DamagedFileError as error:
            self.say(Message("{error}; its games are played again", error=error))
            return None

    def keep_generation(self, generation: int, played: SelfPlayBatch, seconds: float) -> None:
        """Keep all games of a generation in one file, in the place of its parts."""
        arrays = {**played_arrays(played), "seconds": np.float64(seconds)}
        write_arrays(self.samples_file(generation), arrays, compressed=True)  # type: ignore[arg-type]
        self.forget_parts(generation)

    def forget_parts(self, until: int) -> None:
        """Remove the parts of a generation and of those before."""
        for file in (self / "parts").glob("*.npz"):
            number = re.match(r"\d+", file.name)
            if number is None or int(number[0]) <= until:
                file.unlink(missing_ok=True)

    def read_generation(self, generation: int, again: bool = False) -> tuple[SelfPlayBatch, float] | None:
        """All games of a generation, with the seconds of the run then; None if they are not there, or damaged."""
        file = self.samples_file(generation)
        if not file.is_file():
            return None
        try:
            arrays = read_arrays(file)
            return read_played(arrays, file), float(arrays["seconds"])
        except (DamagedFileError, KeyError) as error:
            self.say(f"{error}; {'its games are played again' if again else 'its positions are left out'}")
            return None

    # The trainer ------------------------------------------------------------------------------------------------------

    def keep_trainer(self, generation: int, state: Weights, entry: Entry) -> None:
        """Keep all that the training needs to go on after a generation."""
        arrays: dict[str, Array] = {f"state/{name}": array for name, array in state.items()}
        arrays["generation"] = np.array(generation)
        arrays["entry"] = np.frombuffer(json.dumps(entry).encode(), np.uint8)
        write_arrays(self / "trainer.npz", arrays)

    def read_trainer(self) -> tuple[int, Weights, Entry] | None:
        """The generation after which the training goes on, its state and the line of the log; None if there is none."""
        file = self / "trainer.npz"
        if not file.is_file():
            return None
        try:
            arrays = read_arrays(file)
            state = {name.removeprefix("state/"): array for name, array in arrays.items() if name.startswith("state/")}
            entry = json_value(arrays["entry"].tobytes(), "its entry")
            if not is_entry(entry):
                raise ValueError("its entry is no line of a log")
            return int(arrays["generation"]), state, entry
        except (LuoziError, KeyError, ValueError, TypeError) as error:
            told = (
                error
                if isinstance(error, DamagedFileError)
                else Message("'{name}' can't be read: it is damaged", name=file)
            )
            self.say(
                Message("{error}; the training goes on from the last weights without what it remembered", error=told)
            )
            return None

    # The log ----------------------------------------------------------------------------------------------------------

    def read_log(self) -> list[Entry]:
        """The lines of the log, one a generation, in order; lines that make no sense are left out."""
        file = self / "log.jsonl"
        if not file.is_file():
            return []
        found: dict[int, Entry] = {}
        for number, line in enumerate(content_of(file).decode(errors="replace").splitlines(), 1):
            with suppress(ValueError, RecursionError):
                entry = json.loads(line)
                if is_entry(entry):
                    found[entry["generation"]] = entry
                    continue
            self.say(Message("line {number} of '{name}' is damaged and is left out", number=number, name=file))
        return [found[generation] for generation in sorted(found)]

    def write_log(self, entries: Iterable[Entry]) -> None:
        """Write the whole log: it is short, and so never half a line longer."""
        write_content(self / "log.jsonl", "".join(f"{json.dumps(entry)}\n" for entry in entries).encode())

    @property
    def bytes(self) -> int:
        """What the folder takes on the disk."""
        total = 0
        for file in self.path.rglob("*"):
            with suppress(OSError):  # a run that is at work may have renamed it
                total += file.stat().st_size if file.is_file() else 0
        return total


NUMBERS = "games positions new_positions window_positions moves draws policy value error rate cpu_seconds seconds"


def is_entry(value: object) -> bool:
    """Whether this is a line of a log."""
    if not isinstance(value, dict) or not isinstance(value.get("generation"), int):
        return False
    return all(isinstance(value.get(name), int | float) for name in NUMBERS.split())


def run_names(place: Path) -> list[str]:
    """All runs of a place, by name."""
    if not os.path.isdir(place):
        return []
    return sorted(folder.name for folder in place.iterdir() if RunFolder(folder).exists)


def default_name(game: str) -> str:
    """The name of a run of this game, if none is given: by the old names of options, as earlier versions named it.

    >>> default_name("connect4:rows=9,columns=12")
    'connect4-rows-9-columns-12'
    """
    return re.sub(r"[^\w.]+", "-", old_spelling(game)).strip("-.") or "run"


def folder_of(place: Path, name: str, say: Say = lambda _: None) -> RunFolder:
    """The folder of a run by its name; one sentence if that is no name."""
    if not re.fullmatch(r"\w[\w.+-]*", name):
        raise LuoziError("'{name}' is no name for a run; use letters, digits, dots and dashes", name=plain(name))
    return RunFolder(place / name, say)
