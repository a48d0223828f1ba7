"""Players that tell nothing before they move: those without a tree, and outside programs."""

from __future__ import annotations

import threading
from typing import Any

from luozi.messages import LuoziError
from luozi.players import Player, player, read_spelling
from luozi.players.engine import steps_of
from luozi.players.external import OutsidePlayer
from luozi.rules.game import Game
from luozi.search import SearchResult
from luozi.search.readiness import CompileProgress, Readiness
from luozi.search.ready_engine import FULL
from luozi.web.cluster_search import ClusterPlayer
from luozi.web.jobs import Job, JobChoice, SearchPlayer, SeatPlayer, is_search, options_of
from luozi.web.resources import Resources
from luozi.web.seats import Seat


class OtherPlayer:
    """A player that tells nothing before it moves: without a tree, or an outside program."""

    def __init__(self, resources: Resources, game: Game, spelling: str, seconds: float) -> None:
        self.resources, self.game, self.spelling, self.seconds = resources, game, spelling, seconds
        self._player: Player | None = None
        self._busy = threading.Lock()  # while it thinks
        self._making = threading.Lock()  # for a moment: who asks whether it is ready does not wait until it has moved
        self._outside, self._closed = False, False
        self._readiness: Readiness | None = None

    stage = FULL  # nobody stands in while it is compiled

    @property
    def moves_at_once(self) -> bool:
        """Whether it has a move when it is cancelled."""
        return not read_spelling(self.spelling)[0].runs_command

    @property
    def engine(self) -> Any:
        """Who thinks, if there is one now."""
        return None if self._outside else self._player

    @property
    def program(self) -> Any:
        """The outside program, if it runs now."""
        return self._player if self._outside else None

    def check(self) -> None:
        """One sentence if it can't play this game; an outside program is not started for it."""
        made = player(self.spelling, self.game, seconds=self.seconds)
        made.close()

    def get_ready(self) -> None:
        """Begin to compile what it needs; for an outside program that is nothing."""
        self._ready_player()

    def _ready_player(self) -> tuple[Player, Readiness | None]:
        with self._making:
            one = self._made()
            return one, None if self._outside else self._begun(one)

    def _begun(self, one: Player) -> Readiness:
        if self._readiness is None:
            self._readiness = Readiness(
                self.game.spelling, list(steps_of([one]).values()), settings=self.resources.compiling()
            )
            self._readiness.start()
        return self._readiness

    @property
    def is_ready(self) -> bool:
        """Whether nothing is left to be compiled."""
        compiled = self._readiness is not None and self._readiness.is_over
        return compiled or self._outside or self._closed

    def progress(self) -> CompileProgress | None:
        """How far compiling is, or None if there is nothing to wait for."""
        return None if self._readiness is None else self._readiness.progress()

    def snapshot(self) -> SearchResult | None:
        """It tells nothing."""
        return None

    def choose(self, job: Job) -> JobChoice:
        """Wait for its move."""
        with self._busy:
            one, readiness = self._ready_player()
            one.thought = None
            if readiness is None:
                return JobChoice(one.choose(job.position, job.limits, job.cancel), None, one.remark)
            readiness.wait(lambda: readiness.is_over)
            if self._closed:  # who sat here is gone
                raise LuoziError("it was stopped")
            if readiness.refused:
                raise LuoziError(
                    "this player can't be compiled: the server has no room for more; choose another player"
                )
            with self.resources.cores.turn(1, job.cancel, owner=job.owner) as core:
                if not core:
                    raise LuoziError("it was stopped")
                return JobChoice(one.choose(job.position, job.limits, job.cancel), one.thought, one.remark)

    def _made(self) -> Player:
        if self._player is None:
            made = player(self.spelling, self.game, seconds=self.seconds)
            self._outside = isinstance(made, OutsidePlayer)
            if self._outside:
                self.resources.take_program()
            else:
                self.resources.workers.admit(made, made.bytes / 1e6)
            self._player = made
        return self._player

    def close(self) -> None:
        """End an outside program."""
        one, self._player, self._closed = self._player, None, True
        if self._readiness is not None:
            self._readiness.close()
        if one is None:
            return
        if self._outside:
            self.resources.give_program()
        threading.Thread(target=one.close, daemon=True).start()  # a program may take its time


def search_player_for(resources: Resources, game: Game, seat: Seat) -> SearchPlayer:
    """A search, on a cluster if there is one."""
    options = options_of(seat, game)
    if resources.brains is None:
        return SearchPlayer(resources, game, options)

    return ClusterPlayer(resources, game, options, resources.brains)


def player_for(resources: Resources, game: Game, seat: Seat, programs: dict[str, str]) -> SeatPlayer:
    """Who moves for a seat."""
    if is_search(seat, game):
        return search_player_for(resources, game, seat)
    seconds = seat.seconds if seat.seconds is not None else resources.limits.seconds
    spelling = programs[seat.name] if seat.kind == "program" else seat.spelling
    return OtherPlayer(resources, game, spelling, min(seconds, resources.limits.seconds))
