"""`Readiness`: which code of searches is compiled, and the progress of the rest.

Numba holds the GIL while it compiles: in a thread of this process it would delay a prompt and a first, simple search.
So another process compiles (`compile_process.py`) into the cache, from where this process loads the machine code.
Where the cache can't be written, a thread of this process compiles.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import filterfalse
from typing import NamedTuple

from luozi.compiled.cache import NotKeptError, cache_folder, kept_only, quietly, reason_not_to_keep
from luozi.limits import NEVER, Cancel, Stop
from luozi.search.compile_process import note_seconds, start_process, usual_seconds


@dataclass(frozen=True, eq=False)
class CompileStep:
    """A search to be compiled."""

    spelling: str  # a player that needs it, for the other process
    kind: str  # one of its kind takes about as long
    compile: Callable[[], None]  # compiles it in this process, or loads it


@dataclass(frozen=True)
class CompileSettings:
    """Where searches are compiled."""

    process: Callable[[str, Sequence[str]], subprocess.Popen[str]] | None = start_process  # None: in this one
    here: bool = True  # whether this process may compile what the other one did not
    turn: Callable[[], AbstractContextManager[int | None]] = nullcontext  # held by who compiles, one after another
    has_room: Callable[[], bool] = lambda: True  # for more machine code in this process


HERE = CompileSettings(process=None)
BESIDE = CompileSettings(here=False)  # for servers: what this process compiles makes its answers late


class CompileProgress(NamedTuple):
    """The progress of compiling, by the usual times."""

    share: float  # of the time, 0 to 1
    left: float  # seconds; 0 or less where it takes longer than usual


class Readiness:
    """Compiles steps, one after the other; `first` only if another one must be compiled.

    >>> readiness = Readiness("tictactoe", [])
    >>> readiness.start()
    >>> readiness.wait(lambda: readiness.is_over), readiness.missing
    (True, ())
    """

    def __init__(
        self,
        game: str,
        steps: Sequence[CompileStep],
        first: CompileStep | None = None,
        settings: CompileSettings | None = None,
    ) -> None:
        self.game, self.steps, self.first = game, steps, first
        self.settings = settings or CompileSettings()
        self.missing: tuple[CompileStep, ...] = ()  # what must be compiled
        self.is_known = False  # whether anything must be
        self.refused = False  # whether there is no room for what is missing
        self._expected: dict[CompileStep, float] = {}  # the seconds that each usually takes
        self._ready: set[CompileStep] = set()
        self._began = time.monotonic()  # the step that is being compiled
        self._listeners: dict[object, Stop] = {}  # who waits for a change
        self._started, self._ended, self._closed = False, False, False
        self._process: subprocess.Popen[str] | None = None
        self._starting = threading.Lock()  # of the other process, while nobody closes

    def __repr__(self) -> str:
        """How much is ready."""
        return f"<Readiness for {self.game}: {len(self._ready)} of {len(self.missing)} compiled>"

    # What is known --------------------------------------------------------------------------------------------------

    def is_ready(self, step: CompileStep) -> bool:
        """Return whether a step is compiled, and loaded here."""
        return step in self._ready

    @property
    def is_over(self) -> bool:
        """Return whether compiling has ended."""
        return self._ended or self._closed

    @property
    def is_compiling(self) -> bool:
        """Return whether compiling goes on."""
        return self._started and not self.is_over

    @property
    def seconds(self) -> float:
        """Return how long compiling all that is missing usually takes."""
        return sum(self._expected[step] for step in self.missing)

    def progress(self) -> CompileProgress | None:
        """Return the progress of compiling, or None if there is nothing to wait for."""
        waiting = [step for step in self.missing if step not in self._ready]
        if not self.is_compiling or not waiting:
            return None
        later = sum(self._expected[step] for step in waiting[1:])
        now = self._expected[waiting[0]] - (time.monotonic() - self._began)
        return CompileProgress(min(0.99, max(0.0, 1 - (max(0.0, now) + later) / self.seconds)), now + later)

    # Waiting --------------------------------------------------------------------------------------------------------

    def wait(self, wanted: Callable[[], bool], seconds: float | None = None, cancel: Cancel = NEVER) -> bool:
        """Wait until something is so that may change when more is ready, at most so long; whether it is."""
        end = Cancel()

        def look() -> None:
            if wanted():
                end.set()

        with cancel.calling(end.set), self.calling(look):
            end.wait(seconds)
        return wanted()

    @contextmanager
    def calling(self, look: Stop) -> Iterator[None]:
        """Call `look` now and whenever more is ready while the block runs; perhaps once more after it."""
        key = object()
        self._listeners[key] = look
        try:
            look()
            yield
        finally:
            del self._listeners[key]

    def _tell(self) -> None:
        for look in list(self._listeners.values()):
            look()

    # Compiling ------------------------------------------------------------------------------------------------------

    def load(self) -> None:
        """Load what is in the cache; the rest is missing."""
        missing = list(filterfalse(self._load, self.steps))
        if missing and self.first is not None and not self._load(self.first):
            missing.insert(0, self.first)
        self._expected = {step: usual_seconds(step.kind) for step in missing}
        self.refused = bool(missing) and not self.settings.has_room()
        self.missing, self._began, self.is_known = tuple(missing), time.monotonic(), True
        self._tell()

    def start(self) -> None:
        """Load and compile in the background."""
        self._started = True
        threading.Thread(target=self._run, daemon=True).start()

    def compile_now(self, step: CompileStep) -> None:
        """Compile a step in the caller's thread; what goes wrong is raised."""
        step.compile()
        self.mark_ready(step)

    def mark_ready(self, step: CompileStep) -> None:
        """A step is compiled and loaded here; the next one begins."""
        self._began = time.monotonic()
        self._ready.add(step)
        self._tell()

    def close(self) -> None:
        """End the other process."""
        with self._starting:
            self._closed = True
            if self._process is not None:
                self._process.kill()
                self._process.wait()
        self._tell()

    def _run(self) -> None:
        try:
            if not self.is_known:
                self.load()
            self.missing = tuple(step for step in self.missing if step not in self._ready)
            if self.missing and not self.refused:
                with self.settings.turn():
                    self._compile(self.missing)
        finally:
            self.is_known = self._ended = True
            self._tell()

    def _compile(self, missing: Sequence[CompileStep]) -> None:
        """Have all of it compiled, beside this process if that can be."""
        self._began = time.monotonic()
        if self.settings.process is not None and not reason_not_to_keep(cache_folder()):
            with suppress(OSError):
                self._compile_beside(missing)
        for step in missing if self.settings.here else ():
            self._compile_here(step)

    def _load(self, step: CompileStep) -> bool:
        """Load it if it is in the cache; what else is wrong with it, whoever needs it will hear."""
        try:
            with kept_only(self.settings.has_room()):
                step.compile()
        except NotKeptError:
            return False
        except Exception:
            pass
        self.mark_ready(step)
        return True

    def _compile_here(self, step: CompileStep) -> None:
        if step in self._ready or self._closed or not self.settings.has_room():
            return
        with quietly(), suppress(Exception):
            step.compile()
        note_seconds(step.kind, time.monotonic() - self._began)
        self.mark_ready(step)

    def _compile_beside(self, missing: Sequence[CompileStep]) -> None:
        """Let the other process compile; what it does not get done is left."""
        with self._starting:
            if self._closed or self.settings.process is None:
                return
            process = self._process = self.settings.process(self.game, [step.spelling for step in missing])
        try:
            for step, _line in zip(missing, process.stdout or (), strict=False):
                seconds = time.monotonic() - self._began
                if self._closed or not self._load(step):
                    return
                note_seconds(step.kind, seconds)
        finally:
            process.kill()
            process.communicate()
