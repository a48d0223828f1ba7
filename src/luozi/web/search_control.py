"""Which search or player runs in a session, and what follows from its result: a move, an analysis or a hint.

One runs at a time; `thinking` describes it.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from luozi.limits import Limits
from luozi.messages import LuoziError
from luozi.players import ForfeitError, ResignationError
from luozi.rules.position import Position
from luozi.web.answers import CompilingMessage, FailureMessage, TroubleMessage
from luozi.web.game_history import loss_of
from luozi.web.protocol import refusal, told
from luozi.web.seat_players import Job, SearchPlayer, SeatPlayer, limits_of, player_for, search_player_for
from luozi.web.seats import Seat
from luozi.web.shares import CLIENT
from luozi.web.thinking import (
    COMPILING_SECONDS,
    FinishedJob,
    Purpose,
    QueuedRequest,
    Thinking,
    compiling,
    finished,
)

if TYPE_CHECKING:
    from luozi.web.session import Session

ANALYST = Seat("player", "strong")
LIVE = -1  # in place of a move number: the analysis follows the game


class SearchControl:
    """Starts and stops the searches and players of a session."""

    def __init__(self, session: Session) -> None:
        self.session, self.sessions, self.game = session, session.sessions, session.game
        self.thinking: Thinking | None = None
        self.players: dict[int, SeatPlayer] = {}  # by seat
        self.analyst: SearchPlayer | None = None
        self.analysing: int | None = None  # a move number, or LIVE
        self.paused = session.history.waits
        self.failure = ""  # why a program does not move
        self.last_search: SearchPlayer | None = None  # the search that ran last, and its position
        self.last_position = session.history.position
        self._analysed: Position | None = None  # the position whose analysis reached its limit
        self._compiling: asyncio.Task[None] | None = None
        self._unready: list[SeatPlayer] = []  # those that are being compiled

    def position_analysed(self) -> int:
        """Return the move number of the position that is analysed."""
        return self.session.history.number if self.analysing in (None, LIVE) else self.analysing

    def analyse(self, position: int | None) -> None:
        """Start to analyse a position (LIVE: follow the game), or end the analysis."""
        self.analysing, self._analysed = position, None
        if self.thinking is not None and self.thinking.what == "analysis":
            self.stop()
        self.go_on()

    def the_analyst(self) -> SearchPlayer:
        """Return the search for analyses and hints."""
        if self.analyst is None:
            self.analyst = search_player_for(self.sessions.resources, self.game, ANALYST)
        return self.analyst

    def the_search(self) -> SearchPlayer:
        """Return the search that runs, or ran last."""
        player = self.thinking.player if self.thinking is not None else self.last_search
        if not isinstance(player, SearchPlayer):
            raise LuoziError("nothing was searched here yet: ask for a hint, or start an analysis")
        return player

    def go_on(self) -> None:
        """Start the program to move, or else the analysis, if a page is connected and nothing runs."""
        session, history, limits = self.session, self.session.history, self.sessions.limits
        session.used = time.monotonic()
        if session.yields and self.thinking is None:
            session.release()
        if self.thinking is not None or not session.connections or self.sessions.closing:
            return
        if not history.is_over and not history.seat.is_person:
            if not self.paused:
                player = self._player(history.position.to_move)
                self.think("move", player, history.position, limits_of(history.seat, self.game, limits))
        elif self.analysing is not None:
            position = history.at(self.position_analysed())
            if position.returns is None and not self._is_analysed(position):
                self.think("analysis", self.the_analyst(), position, Limits(seconds=limits.analysis_seconds))

    def _player(self, number: int) -> SeatPlayer:
        if number not in self.players:
            seat, programs = self.session.history.seats[number], self.sessions.catalog.programs
            self.players[number] = player_for(self.sessions.resources, self.game, seat, programs)
        return self.players[number]

    def think(
        self,
        what: Purpose,
        player: SeatPlayer,
        position: Position,
        limits: Limits,
        waiting: QueuedRequest | None = None,
    ) -> None:
        """Start a search or player."""
        thinking = Thinking(what, player, Job(position, limits, owner=self.session.owner), self.sessions.pace, waiting)
        self.sessions.shares.before(self.session)
        self.thinking = thinking
        thinking.tasks = [self.sessions.spawn(self._run(thinking))]
        if isinstance(player, SearchPlayer):
            self.last_search, self.last_position = player, position
            thinking.tasks.append(self.sessions.spawn(self._send_progress(thinking)))
        self._watch_compiling(player)

    async def _send_progress(self, thinking: Thinking) -> None:
        async for text in thinking.progress_texts(self.sessions.notifier.run, self.is_watched):
            self.session.broadcast_progress(text)

    def is_watched(self) -> bool:
        """Return whether a connection wants search progress."""
        return any(one.watching for one in self.session.connections)

    async def _run(self, thinking: Thinking) -> None:
        """Wait for the result, and do what follows from it."""
        found, failure = None, None
        CLIENT.set(self.session.owner)
        try:
            found = await self.sessions.searchers.run(finished, thinking, self.sessions.resources.one_at_a_time)
        except LuoziError as error:
            failure = error
        except Exception as error:  # the rules of a custom game may raise anything
            failure = self.sessions.unexpected(error)
        async with self.session.lock:
            for task in thinking.tasks[1:]:
                task.cancel()
            thinking.tasks = []  # this task is in the list: the cycle would keep the session in memory
            wanted = self.thinking is thinking  # or it was stopped
            if wanted:
                self.thinking = None
            try:
                await self._conclude(thinking, found, failure, wanted)
            except Exception as error:  # the result can't be stored, or a custom game can't show it
                failure = error if isinstance(error, LuoziError) else self.sessions.unexpected(error)
                await self._give_up(thinking, failure)
            self.go_on()

    async def _give_up(self, thinking: Thinking, failure: LuoziError) -> None:
        """Pause and send the error: another try would fail in the same way."""
        if thinking.waiting is not None:
            thinking.waiting.answer(refusal(failure))
            return
        self._fail(failure.message)
        if thinking.what == "move":
            self.paused = True
        self.analysing = None
        await self.session.broadcast_state()

    async def _conclude(
        self, thinking: Thinking, found: FinishedJob | None, failure: LuoziError | None, wanted: bool
    ) -> None:
        if thinking.what != "move":
            await self._keep_finding(thinking, found, failure, wanted)
        elif not wanted:
            return
        elif found is not None and found.following is not None:
            await self.session.add(found.following, found)
        elif isinstance(failure, (ForfeitError, ResignationError)):
            await self.session.lose(thinking.seat, loss_of(failure))
        else:
            await self._give_up(thinking, failure or LuoziError("no move was found"))

    async def _keep_finding(
        self, thinking: Thinking, found: FinishedJob | None, failure: LuoziError | None, wanted: bool
    ) -> None:
        """Store and send the result of an analysis or a hint."""
        thought, position = None if found is None else found.thought, thinking.job.position
        now = self.session.history.position
        if found is not None and (now == position or now.is_after(position)):
            data = self.session.history.find(thinking.move, found.note)
            if data is not None:
                with suppress(LuoziError):  # it is sent all the same
                    await self.sessions.store(self.sessions.storage.note, self.session.id, thinking.move, data)
        message = None if thought is None else await self.sessions.workers.run(thinking.progress, thought, True)
        if thinking.waiting is not None:
            stopped = FailureMessage(str(failure or "the hint was stopped"))
            thinking.waiting.answer(stopped if not wanted or message is None else message)
        elif message is not None:
            self.session.broadcast(message)
        elif failure is not None:
            self.analysing = None
            self._fail(failure.message)
        if thinking.what == "analysis" and wanted and failure is None:
            self._analysed = position

    def _is_analysed(self, position: Position) -> bool:
        """Return whether the analysis of a position reached its limit, and no better search is compiled by now."""
        return self._analysed == position and not self.the_analyst().has_better

    def _fail(self, sentence: str) -> None:
        self.failure = sentence
        self.session.broadcast(TroubleMessage(str(sentence), told(sentence)))

    def stop(self) -> None:
        """Stop what runs; nothing follows from its result."""
        if self.thinking is not None:
            self.thinking.job.cancel.set()
            self.thinking = None

    def forget(self, number: int) -> None:
        """Remove the player of a seat, and stop it."""
        if self.thinking is not None and self.thinking.what == "move" and self.thinking.seat == number:
            self.stop()
        gone = self.players.pop(number, None)
        if gone is not None:
            gone.close()

    def release(self) -> None:
        """Release all engines and their trees."""
        for player in (*self.players.values(), self.analyst):
            if player is not None:
                player.close()
        self.players, self.analyst, self.last_search, self._unready = {}, None, None, []

    # Compilation ------------------------------------------------------------------------------------------------------

    def get_ready(self) -> None:
        """Begin to compile what the seats need."""
        for number, seat in enumerate(self.session.history.seats):
            if seat.kind == "player":
                self.sessions.spawn(self._get_ready(self._player(number)))

    async def _get_ready(self, player: SeatPlayer) -> None:
        try:
            await self.sessions.searchers.run(player.get_ready)
        except LuoziError as error:
            self._fail(error.message)
            return
        self._watch_compiling(player)

    def _watch_compiling(self, player: SeatPlayer) -> None:
        if player not in self._unready and not player.is_ready:
            self._unready.append(player)
        if self._unready and (self._compiling is None or self._compiling.done()):
            self._compiling = self.sessions.spawn(self._send_compiling())

    def compiling_now(self) -> CompilingMessage | None:
        """Return the message about the compilation under way, or None."""
        players = [one for one in (*self.players.values(), self.analyst) if one is not None]
        found = (compiling(one, self.session.history.spelling) for one in players)
        return next((one for one in found if one is not None), None)

    async def _send_compiling(self) -> None:
        """Send the progress of compilation until it is over, and analyse with each part that is compiled."""
        was_sent = False
        while self._unready:
            await asyncio.sleep(COMPILING_SECONDS)
            self._unready = [one for one in self._unready if not one.is_ready]
            message = self.compiling_now() if self._unready else None
            if message is not None:
                self.session.broadcast(message)
                was_sent = True
            self._analyse_better()
        if was_sent:
            self.session.broadcast(CompilingMessage(self.session.history.spelling, 1.0, 0.0, "full", done=True))

    def _analyse_better(self) -> None:
        """Start the analysis again if a better search is compiled by now."""
        if self.analyst is None or not self.analyst.has_better:
            return
        if self.thinking is not None and self.thinking.what == "analysis":
            self.stop()
        self.go_on()
