"""Waiting for a program: a line that says who thinks, and Ctrl-C for "move now"."""

from __future__ import annotations

import threading
import time
from contextlib import nullcontext
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from luozi.players import Player

POLL_SECONDS = 0.05


class Leave(KeyboardInterrupt):
    """The person wants to stop playing."""


class Waiting:
    """The line on standard error that moves while a program thinks."""

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)
        self.status: Status | None = None
        self.notice = ""

    def on_compile(self, notice: str) -> None:
        """Show what is being compiled, for good: it explains why the first move takes longer."""
        self.notice = notice
        self.console.print(notice, style="dim", markup=False, soft_wrap=True)

    def choose(self, player: Player, state: Any, label: str) -> int:
        """The player's move. Ctrl-C makes it move now, a second Ctrl-C leaves the game."""
        worker = _Worker(player, state)
        self.notice = ""
        self.status = self.console.status("") if self.console.is_terminal else None
        with self.status or nullcontext():
            while not worker.done.is_set():
                try:
                    self._update(label, worker)
                    worker.wait()
                except KeyboardInterrupt:
                    if worker.stopping:
                        raise Leave from None
                    worker.stopping = True
        return worker.answer()

    def _update(self, label: str, worker: _Worker) -> None:
        if self.status is None:
            return
        seconds = time.perf_counter() - worker.began
        hint = "stopping, Ctrl-C again leaves" if worker.stopping else "Ctrl-C: move now"
        doing = f" ({self.notice.split(' (')[0]})" if self.notice else ""
        self.status.update(f"[dim]{escape(label)} {seconds:.0f} s{escape(doing)}   {hint}[/dim]")


class _Worker(threading.Thread):
    """Runs `choose` beside the main thread, where Ctrl-C arrives."""

    def __init__(self, player: Player, state: Any) -> None:
        super().__init__(daemon=True)
        self.player, self.state = player, state
        self.action = -1
        self.failure: BaseException | None = None
        self.stopping = False
        # Not `is_alive`: before Python 3.13 a `join` that Ctrl-C interrupts takes a running thread for finished.
        self.done = threading.Event()
        self.began = time.perf_counter()
        self.begun = False

    def run(self) -> None:
        try:
            self.action = self.player.choose(self.state)
        except BaseException as error:
            self.failure = error
        finally:
            self.done.set()

    def wait(self) -> None:
        """Begin, or look whether it is done; both inside the caller's watch for Ctrl-C."""
        if not self.begun:
            self.begun = True
            self.start()
        # Again and again: a search that is only about to begin forgets an early call.
        if not self.done.wait(POLL_SECONDS) and self.stopping:
            self.player.stop()

    def answer(self) -> int:
        if self.failure is not None:
            raise self.failure
        return self.action
