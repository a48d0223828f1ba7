"""How a table thinks: programs that are to move, analysis, hints; one of them at a time. `thinking` is one of them."""

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
from luozi.web.jobs import Job, SearchPlayer, SeatPlayer, limits_of
from luozi.web.message_data import refusal, told
from luozi.web.other_players import player_for, search_player_for
from luozi.web.seats import Seat
from luozi.web.shares import CLIENT
from luozi.web.thinking import (
    COMPILING_SECONDS,
    FinishedJob,
    Purpose,
    QueuedRequest,
    Thinking,
    compiling,
    think_through,
)

if TYPE_CHECKING:
    from luozi.web.session import Session

ANALYST = Seat("player", "strong")
LIVE = -1  # in place of a number of moves: the position that is played


class SearchControl:
    """Who thinks when at a table, and what follows from it."""

    def __init__(self, session: Session) -> None:
        self.session, self.sessions, self.game = session, session.sessions, session.game
        self.thinking: Thinking | None = None
        self.thinkers: dict[int, SeatPlayer] = {}
        self.analyst: SearchPlayer | None = None
        self.analysing: int | None = None  # the position by its moves, or LIVE
        self.paused = session.history.waits
        self.failure = ""  # why a program does not move
        self.last_searcher: SearchPlayer | None = None  # who thought last, and about what
        self.last_position = session.history.position
        self._analysed: Position | None = None  # the position that was analysed to the end
        self._compiling: asyncio.Task[None] | None = None
        self._unready: list[SeatPlayer] = []  # who is being compiled

    def position_analysed(self) -> int:
        """The number of moves before the position that is analysed."""
        return self.session.history.number if self.analysing in (None, LIVE) else self.analysing

    def analyse(self, position: int | None) -> None:
        """Begin to analyse a position, or end it."""
        self.analysing, self._analysed = position, None
        if self.thinking is not None and self.thinking.what == "analysis":
            self.stop()
        self.go_on()

    def the_analyst(self) -> SearchPlayer:
        """Who analyses and gives hints."""
        if self.analyst is None:
            self.analyst = search_player_for(self.sessions.resources, self.game, ANALYST)
        return self.analyst

    def the_searcher(self) -> SearchPlayer:
        """The search that thinks now, or thought last."""
        thinker = self.thinking.thinker if self.thinking is not None else self.last_searcher
        if not isinstance(thinker, SearchPlayer):
            raise LuoziError("no search has thought here yet: ask for a hint, or begin an analysis")
        return thinker

    def go_on(self) -> None:
        """Let the program to move think, or else the analyst, if anybody looks on."""
        session, history = self.session, self.session.history
        session.used = time.monotonic()
        if session.yields and self.thinking is None:
            session.rest()
        if self.thinking is not None or not session.connections or self.sessions.closing:
            return
        if not history.is_over and not history.seat.is_person:
            if not self.paused:
                limits = limits_of(history.seat, self.game, self.sessions.limits)
                self.think("move", self._thinker(history.position.to_move), history.position, limits)
            return
        if self.analysing is not None:
            position = history.at(self.position_analysed())
            if position.returns is None and not self._is_analysed(position):
                limits = Limits(seconds=self.sessions.limits.analysis_seconds)
                self.think("analysis", self.the_analyst(), position, limits)

    def _thinker(self, number: int) -> SeatPlayer:
        if number not in self.thinkers:
            seat, programs = self.session.history.seats[number], self.sessions.catalog.programs
            self.thinkers[number] = player_for(self.sessions.resources, self.game, seat, programs)
        return self.thinkers[number]

    def think(
        self,
        what: Purpose,
        thinker: SeatPlayer,
        position: Position,
        limits: Limits,
        waiting: QueuedRequest | None = None,
    ) -> None:
        """Begin to think about a position."""
        job = Job(position, limits, owner=self.session.owner)
        thinking = Thinking(what, thinker, job, self.sessions.pace, waiting)
        self.sessions.shares.before(self.session)
        self.thinking = thinking
        thinking.tasks = [self.sessions.spawn(self._run(thinking))]
        if isinstance(thinker, SearchPlayer):
            self.last_searcher, self.last_position = thinker, position
            thinking.tasks.append(self.sessions.spawn(self._tell_news(thinking)))
        self._watch_compiling(thinker)

    async def _tell_news(self, thinking: Thinking) -> None:
        """Until it is over, tell those who watch what is known."""
        async for text in thinking.news_texts(self.sessions.tell, self.is_watched):
            self.session.tell_text(text, news=True)

    def is_watched(self) -> bool:
        """Whether anybody wants to see the thinking."""
        return any(one.watching for one in self.session.connections)

    async def _run(self, thinking: Thinking) -> None:
        """Wait for a thought, and do what follows from it."""
        found, failure = None, None
        CLIENT.set(self.session.owner)
        try:
            found = await self.sessions.think(think_through, thinking, self.sessions.resources.one_at_a_time)
        except LuoziError as error:
            failure = error
        except Exception as error:  # a user's own rules may raise anything
            failure = self.sessions.sorry(error)
        async with self.session.lock:
            for task in thinking.tasks[1:]:
                task.cancel()
            thinking.tasks = []  # a task that holds what holds it would outlive the table
            wanted = self.thinking is thinking  # nobody has stopped it
            if wanted:
                self.thinking = None
            try:
                await self._conclude(thinking, found, failure, wanted)
            except Exception as error:  # it can't be kept, or a user's own rules can't show it
                await self._give_up(thinking, error if isinstance(error, LuoziError) else self.sessions.sorry(error))
            self.go_on()

    async def _give_up(self, thinking: Thinking, failure: LuoziError) -> None:
        """What was thought leads to nothing: rest, since the same would only happen again, and say why."""
        if thinking.waiting is not None:
            thinking.waiting.answer(refusal(failure))
            return
        self._fail(failure.message)
        if thinking.what == "move":
            self.paused = True
        self.analysing = None
        await self.session.tell_table()

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
        """An analysis or a hint has ended: keep what was found, and tell it."""
        thought, position = None if found is None else found.thought, thinking.job.position
        now = self.session.history.position
        if found is not None and (now == position or now.is_after(position)):
            data = self.session.history.find(thinking.move, found.note)
            if data is not None:
                with suppress(LuoziError):  # it is still told
                    await self.sessions.keep(self.sessions.storage.note, self.session.id, thinking.move, data)
        message = None if thought is None else await self.sessions.work(thinking.news, thought, True)
        if thinking.waiting is not None:
            stopped = FailureMessage(str(failure or "the hint was stopped"))
            thinking.waiting.answer(stopped if not wanted or message is None else message)
        elif message is not None:
            self.session.tell(message)
        elif failure is not None:
            self.analysing = None
            self._fail(failure.message)
        if thinking.what == "analysis" and wanted and failure is None:
            self._analysed = position  # it had its time there, and goes on from another position

    def _is_analysed(self, position: Position) -> bool:
        """Whether the analyst is done with a position, by guesses too, and nothing better is compiled yet."""
        return self._analysed == position and not self.the_analyst().has_better

    def _fail(self, sentence: str) -> None:
        """Tell what went wrong with a program."""
        self.failure = sentence
        self.session.tell(TroubleMessage(str(sentence), told(sentence)))

    def stop(self) -> None:
        """End whatever is being thought; nothing follows from it."""
        if self.thinking is not None:
            self.thinking.job.cancel.set()
            self.thinking = None

    def forget(self, number: int) -> None:
        """Who sat in a seat leaves it, and what they think about ends."""
        if self.thinking is not None and self.thinking.what == "move" and self.thinking.seat == number:
            self.stop()
        gone = self.thinkers.pop(number, None)
        if gone is not None:
            gone.close()

    def rest(self) -> None:
        """Give back the engines and their trees."""
        for thinker in (*self.thinkers.values(), self.analyst):
            if thinker is not None:
                thinker.close()
        self.thinkers, self.analyst, self.last_searcher, self._unready = {}, None, None, []

    # Compiling --------------------------------------------------------------------------------------------------------

    def get_ready(self) -> None:
        """Begin to compile what the seats need, before anybody waits for it."""
        for number, seat in enumerate(self.session.history.seats):
            if seat.kind == "player":
                self.sessions.spawn(self._ready(self._thinker(number)))

    async def _ready(self, thinker: SeatPlayer) -> None:
        try:
            await self.sessions.think(thinker.get_ready)
        except LuoziError as error:
            self._fail(error.message)
            return
        self._watch_compiling(thinker)

    def _watch_compiling(self, thinker: SeatPlayer) -> None:
        if thinker not in self._unready and not thinker.is_ready:
            self._unready.append(thinker)
        if self._unready and (self._compiling is None or self._compiling.done()):
            self._compiling = self.sessions.spawn(self._tell_compiling())

    def compiling_now(self) -> CompilingMessage | None:
        """How far compiling is; None if there is nothing to wait for."""
        thinkers = [one for one in (*self.thinkers.values(), self.analyst) if one is not None]
        found = (compiling(one, self.session.history.spelling) for one in thinkers)
        return next((one for one in found if one is not None), None)

    async def _tell_compiling(self) -> None:
        """While something is compiled, say how far it is; think with each part of it that is ready."""
        has_told = False
        while self._unready:
            await asyncio.sleep(COMPILING_SECONDS)
            self._unready = [one for one in self._unready if not one.is_ready]
            message = self.compiling_now() if self._unready else None
            if message is not None:
                self.session.tell(message)
                has_told = True
            self._analyse_better()
        if has_told:
            self.session.tell(CompilingMessage(self.session.history.spelling, 1.0, 0.0, "full", done=True))

    def _analyse_better(self) -> None:
        """Let the analyst begin again where more is compiled by now than it thought with."""
        if self.analyst is None or not self.analyst.has_better:
            return
        if self.thinking is not None and self.thinking.what == "analysis":
            self.stop()
        self.go_on()
