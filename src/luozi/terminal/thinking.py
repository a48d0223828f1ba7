"""Waiting for a program: a line that says who thinks, and what Ctrl-C means: "move now", or the wish to leave."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

from rich.console import Console
from rich.status import Status
from rich.text import Text

from luozi.compiled.cache import cache_folder, how_often
from luozi.limits import Cancel
from luozi.messages import LuoziError, Message, translate
from luozi.players import Player
from luozi.players.ready_players import ReadyPlayers
from luozi.rules.position import Position
from luozi.terminal.progress import EVERY, bar_text, time_left
from luozi.util.interruptible import STOP_SECONDS, Job

REFRESH_SECONDS = 0.05  # of the line that moves
WIDE = 110  # columns that have room for a bar
KNOWN_SECONDS = 20.0  # the longest that a prompt waits to hear whether something must be compiled


class Leave(KeyboardInterrupt):
    """The person wants to stop playing."""


class Interrupts:
    """Ctrl-C is heard only where somebody waits, for a program or at the prompt: a move is never played by half."""

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
        """Ctrl-C is heard in here."""
        self.heard = True
        try:
            yield
        finally:
            self.heard = False


class Waiting:
    """The line on standard error that moves while a program thinks."""

    def __init__(
        self,
        interrupts: Interrupts | None = None,
        may_leave: Callable[[], bool] = lambda: True,
        moves_now: bool = True,
        one_move: bool = False,
    ) -> None:
        self.interrupts, self.may_leave = interrupts or Interrupts(), may_leave
        self.one_move = one_move  # whether no game goes on after the answer
        self.moves_now = moves_now  # what the first Ctrl-C means; if not, it is the wish to leave already
        self.console = Console(stderr=True, highlight=False)
        self.status: Status | None = None
        self.notice = ""
        self.ready: ReadyPlayers | None = None  # whose code is being compiled in the background
        self.hints_only = False  # whether no seat needs it
        self.announced, self.said = False, 0.0  # whether that was said, and when how far it is was said last

    def on_compile(self, notice: str) -> None:
        """Show what is being compiled, for good: it explains why the first move takes longer."""
        what = notice.values.get("what") if isinstance(notice, Message) else None
        self.notice = translate("compiling {what}", what=what) if what else translate(notice)
        self._say(translate(notice))

    def announce(self, wait: float = 0.0) -> None:
        """Say what is being compiled, once, as soon as that is known; and when it is ready."""
        if self.ready is None:
            return
        readiness = self.ready.readiness
        if not readiness.wait(lambda: readiness.is_known, wait) or not readiness.missing:
            return
        if readiness.is_over:
            if self.announced:
                self._say(translate("the full search is ready"))
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
        """Who gives hints or plays until all is compiled."""
        one = next(iter(ready.stood_in.values()))
        told = Message("; until then {who} gives hints") if self.hints_only else Message("; until then {who} plays")
        return translate(told.with_values(who=one.stand_in(one.least)))

    def _say(self, line: str) -> None:
        self.console.print(line, style="dim", markup=False, soft_wrap=True)

    def choose(self, player: Player, position: Position, label: str) -> int:
        """The player's move. Ctrl-C makes it move now, a second Ctrl-C leaves the game if one may."""
        self.announce()
        worker = _Worker(player, position, self.ready)
        self.notice = ""
        self.status = self.console.status("") if self.console.is_terminal else None
        with self.status or nullcontext():
            while not worker.done.is_set():
                try:
                    with self.interrupts.listening():
                        self._update(label, worker)
                        worker.wait(self._seconds_to_wait(worker))
                    self._refuse_unanswered(worker)
                except KeyboardInterrupt:
                    if self.moves_now and player.moves_at_once and not worker.stopping:
                        worker.stop()
                    elif self._leaves():
                        worker.cancel.set()
                        raise Leave from None
        return worker.answer()

    def _seconds_to_wait(self, worker: _Worker) -> float | None:
        """Until the line has to change, or a rule has not returned in time; None where neither can be."""
        if self.status is not None or self.ready is not None:
            return REFRESH_SECONDS
        return STOP_SECONDS if worker.stopping else None

    def _refuse_unanswered(self, worker: _Worker) -> None:
        """Raise a sentence where a program goes on after Ctrl-C: a rule of a user's class does not return.

        While the search is being compiled it can't end; then Ctrl-C leaves where that loses nothing.
        """
        if worker.seconds_stopped < STOP_SECONDS or worker.done.is_set():
            return
        compiling = bool(self.notice) or (self.ready is not None and self.ready.readiness.progress() is not None)
        if worker.player.game.checked and not compiling:
            title = type(worker.player.game).__name__
            raise LuoziError(
                "a rule of {text} has not returned since Ctrl-C; look for a loop that never ends", text=title
            )
        if self.one_move:
            raise Leave

    def _leaves(self) -> bool:
        """Ask with a quiet line."""
        if self.status is not None:
            self.status.stop()
        leaves = self.may_leave()
        if self.status is not None and not leaves:
            self.status.start()
        return leaves

    def _update(self, label: str, worker: _Worker) -> None:
        if not self.announced:
            self.announce()
        progress = None if self.ready is None else self.ready.readiness.progress()
        if self.status is None:
            if progress is not None and time.monotonic() > self.said + EVERY:
                self.said = time.monotonic()
                self._say(f"{translate('compiling')}: {time_left(progress.left)}")
            return
        seconds = time.perf_counter() - worker.began
        hint = (
            translate("stopping, Ctrl-C again leaves")
            if worker.stopping
            else translate(
                Message("Ctrl-C: move now")
                if self.moves_now and worker.player.moves_at_once
                else Message("Ctrl-C: leave")
            )
        )
        doing = f" ({self.notice})" if self.notice else ""
        if progress is not None:
            bar = bar_text(progress.share) + " " if self.console.width >= WIDE else ""
            doing = f"   {translate('compiling')} {bar}{time_left(progress.left)}"
        line = Text(f"{label} {seconds:.0f} s{doing}   {hint}", "dim")
        line.truncate(self.console.width - 3, overflow="ellipsis")  # beside the sign that turns; two lines would jump
        self.status.update(line)


class _Worker:
    """Runs `choose` beside the main thread, where Ctrl-C arrives."""

    def __init__(self, player: Player, position: Position, ready: ReadyPlayers | None) -> None:
        self.player = player
        self.cancel = Cancel()
        self.stopped_at = 0.0  # when `stop` was called
        self.began = time.perf_counter()
        choose = partial(player.choose, position, cancel=self.cancel)
        self._job = Job(choose if ready is None else partial(self._choose_when_ready, ready, choose))
        self.done = self._job.done
        self._begun = False

    def _choose_when_ready(self, ready: ReadyPlayers, choose: Callable[[], int]) -> int:
        ready.wait_for(self.player)
        return choose()

    def wait(self, seconds: float | None) -> None:
        """Begin, or look whether it is done; both inside the caller's watch for Ctrl-C."""
        if not self._begun:
            self._begun = True
            self._job.start()
        self._job.wait(seconds)

    def stop(self) -> None:
        """Have the player move now."""
        self.stopped_at = time.perf_counter()
        self.cancel.set()

    @property
    def stopping(self) -> bool:
        """Whether the player was asked to move now."""
        return bool(self.stopped_at)

    @property
    def seconds_stopped(self) -> float:
        """The seconds since then."""
        return time.perf_counter() - self.stopped_at if self.stopping else 0.0

    def answer(self) -> int:
        """The move."""
        return self._job.result()
