"""Waiting for a program: the status line, and Ctrl-C, which means "move now" or asks to leave."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from rich.status import Status
from rich.text import Text

from luozi.compiled.cache import cache_folder, how_often
from luozi.limits import Cancel
from luozi.messages import LuoziError, Message, translate
from luozi.players import Player
from luozi.players.engine import ReadyPlayers
from luozi.rules.position import Position
from luozi.terminal.progress import EVERY, bar_text, time_left
from luozi.util.console import TextConsole
from luozi.util.interruptible import STOP_SECONDS, WaitedCall

REFRESH_SECONDS = 0.05  # between two looks at the progress of compilation
WIDE = 110  # columns that have space for a bar
KNOWN_SECONDS = 20.0  # the longest that a prompt waits to find out whether something must be compiled


class Leave(KeyboardInterrupt):
    """The person wants to quit."""


class Interrupts:
    """Lets Ctrl-C interrupt only where the session waits, for a program or at the prompt: no move is half played."""

    def __init__(self) -> None:
        self.heard = False
        self.before: Any = None

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            self.before = signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, *error: object) -> None:
        if self.before is not None:
            signal.signal(signal.SIGINT, self.before)

    def _press(self, _number: int, _frame: object) -> None:
        if self.heard:
            raise KeyboardInterrupt

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Let Ctrl-C interrupt the block."""
        self.heard = True
        try:
            yield
        finally:
            self.heard = False


class Waiting:
    """The status line on standard error while a program thinks."""

    def __init__(
        self,
        interrupts: Interrupts | None = None,
        may_leave: Callable[[], bool] = lambda: True,
        moves_now: bool = True,
        one_move: bool = False,
    ) -> None:
        self.interrupts, self.may_leave = interrupts or Interrupts(), may_leave
        self.one_move = one_move  # whether the game ends with the answer
        self.moves_now = moves_now  # whether the first Ctrl-C means "move now"; if not, it asks to leave
        self.console = TextConsole(stderr=True, highlight=False)
        self.notice = ""
        self.ready: ReadyPlayers | None = None  # whose search is being compiled in the background
        self.hints_only = False  # whether only hints need that search
        # whether compilation was announced, and when its progress was printed last
        self.announced, self.said = False, 0.0

    def on_compile(self, notice: str) -> None:
        """Print what is being compiled: it explains why the first move takes longer."""
        what = notice.values.get("what") if isinstance(notice, Message) else None
        self.notice = translate("compiling {what}", what=what) if what else translate(notice)
        self._say(translate(notice))

    def announce(self, wait: float = 0.0) -> None:
        """Print once what is being compiled, as soon as that is known, and when it is ready."""
        if self.ready is None:
            return
        readiness = self.ready.readiness
        if not readiness.wait(lambda: readiness.is_known, wait) or not readiness.missing:
            return
        if readiness.is_over:
            if self.announced:
                self._say(translate("the full search is compiled"))
            self.ready = None
        elif not self.announced:
            self.announced, self.said = True, time.monotonic()
            often, seconds = translate(how_often(cache_folder())), f"{readiness.seconds:.0f}"
            told = {"game": readiness.game, "seconds": seconds, "often": often}
            line = (
                translate("compiling the search for {game}, about {seconds} s ({often})", **told)
                if readiness.settings.process is None
                else translate("compiling the search for {game} in the background, about {seconds} s ({often})", **told)
            )
            self._say(line + (self._stand_in(self.ready) if self.ready.stood_in else ""))

    def _stand_in(self, ready: ReadyPlayers) -> str:
        """Return who gives hints or plays until the search is compiled."""
        one = next(iter(ready.stood_in.values()))
        told = Message("; until then {who} gives hints") if self.hints_only else Message("; until then {who} plays")
        return translate(told.with_values(who=one.stand_in(one.least)))

    def _say(self, line: str) -> None:
        self.console.print(line, style="dim", markup=False, soft_wrap=True)

    def choose(self, player: Player, position: Position, label: str) -> int:
        """Return the player's move. Ctrl-C makes it move now; a second Ctrl-C leaves the game if `may_leave` agrees."""
        self.announce()
        self.notice = ""
        request = _Request(label, player, Cancel(), time.perf_counter())
        job = WaitedCall(partial(self._answer, request, position))
        status = Status(_Line(self, request), console=self.console) if self.console.is_terminal else None
        began = False
        with status or nullcontext():
            while not job.done.is_set():
                try:
                    with self.interrupts.listening():
                        self._tell_progress(status is None)
                        if not began:
                            began = True
                            job.start()
                        job.wait(self._seconds_to_wait(request))
                    if not job.done.is_set() and time.perf_counter() >= request.late:
                        self._refuse_unanswered(player)
                except KeyboardInterrupt:
                    if self.moves_now and player.moves_at_once and not request.is_stopping:
                        request.late = time.perf_counter() + STOP_SECONDS
                        request.cancel.set()
                    elif self._leaves(status):
                        request.cancel.set()
                        raise Leave from None
        return job.result()

    def _answer(self, request: _Request, position: Position) -> int:
        """Choose the move, in a thread beside the main thread, which Ctrl-C interrupts."""
        ready = self.ready
        if ready is not None:
            ready.wait_for(request.player)
        return request.player.choose(position, cancel=request.cancel)

    def _seconds_to_wait(self, request: _Request) -> float | None:
        """Return the seconds to the next thing to print or check; None if there is none."""
        if self.ready is not None:
            return REFRESH_SECONDS
        return STOP_SECONDS if request.is_stopping else None

    def _refuse_unanswered(self, player: Player) -> None:
        """Raise LuoziError if a rule of a custom game has not returned since Ctrl-C.

        While a search is being compiled it can't end; then Ctrl-C leaves if that loses nothing.
        """
        compiling = bool(self.notice) or (self.ready is not None and self.ready.readiness.progress() is not None)
        if player.game.checked and not compiling:
            title = type(player.game).__name__
            raise LuoziError(
                "a rule of {text} has not returned since Ctrl-C; look for a loop that never ends", text=title
            )
        if self.one_move:
            raise Leave

    def _leaves(self, status: Status | None) -> bool:
        """Ask whether to leave, with the status line stopped."""
        if status is not None:
            status.stop()
        leaves = self.may_leave()
        if status is not None and not leaves:
            status.start()
        return leaves

    def _tell_progress(self, in_lines: bool) -> None:
        """Print what is being compiled, and its progress now and then if no status line shows it."""
        if not self.announced:
            self.announce()
        progress = self.ready.readiness.progress() if in_lines and self.ready is not None else None
        if progress is not None and time.monotonic() > self.said + EVERY:
            self.said = time.monotonic()
            self._say(f"{translate('compiling')}: {time_left(progress.left)}")


@dataclass
class _Request:
    """A move that is waited for."""

    label: str
    player: Player
    cancel: Cancel
    began: float  # of the clock `time.perf_counter`
    late: float = math.inf  # when a rule that has not returned counts as endless

    @property
    def is_stopping(self) -> bool:
        """Whether the player was asked to move now."""
        return self.cancel.is_set()


class _Line:
    """The current text of the status line."""

    def __init__(self, waiting: Waiting, request: _Request) -> None:
        self.waiting, self.request = waiting, request

    def __rich__(self) -> Text:
        waiting, request, ready = self.waiting, self.request, self.waiting.ready
        seconds, width = time.perf_counter() - request.began, waiting.console.width
        may_move = waiting.moves_now and request.player.moves_at_once
        hint = translate(Message("Ctrl-C: move now") if may_move else Message("Ctrl-C: leave"))
        if request.is_stopping:
            hint = translate("stopping, Ctrl-C again leaves")
        doing = f" ({waiting.notice})" if waiting.notice else ""
        progress = None if ready is None else ready.readiness.progress()
        if progress is not None:
            bar = bar_text(progress.share) + " " if width >= WIDE else ""
            doing = f"   {translate('compiling')} {bar}{time_left(progress.left)}"
        line = Text(f"{request.label} {seconds:.0f} s{doing}   {hint}", "dim")
        line.truncate(width - 3, overflow="ellipsis")  # beside the spinner; two lines would flicker
        return line
