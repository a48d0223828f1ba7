"""How a table thinks: programs that are to move, analysis, hints; one of them at a time."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from luozi.limits import Limits
from luozi.messages import LuoziError
from luozi.players import ForfeitError, ResignationError
from luozi.rules.position import Position
from luozi.web.game_history import loss_of
from luozi.web.jobs import (
    Job,
    Searcher,
    Thinker,
    limits_of,
)
from luozi.web.message_data import refusal, told
from luozi.web.other_players import searcher_for, thinker_for
from luozi.web.seats import Seat
from luozi.web.session_base import Reply, SessionBase
from luozi.web.shares import CLIENT
from luozi.web.thinking import COMPILING_SECONDS, FinishedJob, Thinking, think_through

if TYPE_CHECKING:
    from luozi.web.socket import Connection

ANALYST = Seat("player", "strong")
HINT_SECONDS = 1.0


class SearchControl(SessionBase):
    """Who thinks when, and what follows from it."""

    # Thinking ---------------------------------------------------------------------------------------------------------

    async def on_move_now(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """The program answers at once."""
        if self.thinking is not None and self.thinking.what == "move":
            self.thinking.move_now()
        elif self.paused:
            self.paused = False
            self.go_on()
        return {"type": "ok"}

    async def on_stop(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """Nobody thinks, until somebody says so."""
        self.analysing = None
        moving = self.thinking is not None and self.thinking.what == "move"
        self.stop_thinking()
        if moving:
            self.paused = True
            self.tell({"type": "paused", "paused": True}, connection)
        return {"type": "ok"}

    async def on_go_on(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """Programs move again."""
        self.paused, self.failure = False, ""
        self.tell({"type": "paused", "paused": False}, connection)
        self.go_on()
        return {"type": "ok"}

    async def on_analyse(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """Analysis on or off, of the position on the board or of another."""
        position = None
        if "move" in values and self.move_number(values["move"]) != self.course.number:
            position = values["move"]
        self.analysing, self._analysed = {"move": position} if values["on"] else None, None
        if self.thinking is not None and self.thinking.what == "analysis":
            self.stop_thinking()
        self.go_on()
        return {"type": "ok"}

    async def on_hint(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """What the engine would play, or would have played before a move that was made; the answer comes when it has
        thought."""
        position = self.course.at(self.move_number(values.get("move")))
        if position.returns is not None or ("move" not in values and self.course.is_over):
            raise LuoziError("the game is over: there is no hint to give")
        if self.thinking is not None and self.thinking.what == "move":
            raise LuoziError("a program is thinking about its move: stop it first, or wait")
        self.stop_thinking()
        limits = Limits(seconds=values.get("seconds", HINT_SECONDS))
        self._think("hint", self.the_analyst(), position, limits, (connection, connection.answering))
        return None

    def the_analyst(self) -> Searcher:
        """Who analyses and gives hints."""
        if self.analyst is None:
            self.analyst = searcher_for(self.hall.minds, self.game, ANALYST)
        return self.analyst

    def go_on(self) -> None:
        """Let the program to move think, or else the analyst, if anybody looks on."""
        self.used = time.monotonic()
        if self.yields and self.thinking is None:
            self.rest()
        if self.thinking is not None or not self.connections or self.hall.closing:
            return
        course = self.course
        if not course.is_over and not course.seat.is_person:
            if not self.paused:
                number = course.played.to_move
                thinker, limits = self._thinker(number), limits_of(course.seat, self.game, self.hall.limits)
                self._think("move", thinker, course.played.position, limits)
            return
        if self.analysing is not None:
            position = course.at(self.position_analysed())
            if position.returns is None and not self._is_analysed(position):
                self._think("analysis", self.the_analyst(), position, Limits(seconds=self.hall.limits.analysis_seconds))

    def _thinker(self, number: int) -> Thinker:
        if number not in self.thinkers:
            seat, programs = self.course.seats[number], self.hall.offer.programs
            self.thinkers[number] = thinker_for(self.hall.minds, self.game, seat, programs)
        return self.thinkers[number]

    def _think(self, what: str, thinker: Thinker, position: Position, limits: Limits, answer_to: Any = None) -> None:
        seat, move = position.to_move, position.length
        errand = Job(position, limits, owner=self.owner)
        workers, pace = self.hall.minds.workers, self.hall.pace
        thinking = Thinking(what, seat, move, thinker, errand, workers, pace, answer_to)
        self.hall.shares.before(self)
        self.thinking = thinking
        thinking.tasks = [self.hall.spawn(self._run(thinking))]
        if isinstance(thinker, Searcher):
            self.last_searcher, self.last_position = thinker, position
            news = thinking.tell_news(self.hall.tell, self.is_watched, lambda text: self.tell_text(text, news=True))
            thinking.tasks.append(self.hall.spawn(news))
        self._watch_compiling(thinker)

    def is_watched(self) -> bool:
        """Whether anybody wants to see the thinking."""
        return any(one.watching for one in self.connections)

    async def _run(self, thinking: Thinking) -> None:
        """Wait for a thought, and do what follows from it."""
        found, failure = None, None
        CLIENT.set(self.owner)
        try:
            found = await self.hall.think(think_through, thinking, self.hall.minds.one_at_a_time)
        except LuoziError as error:
            failure = error
        except Exception as error:  # a user's own rules may raise anything
            failure = self.hall.sorry(error)
        async with self.lock:
            for task in thinking.tasks[1:]:
                task.cancel()
            thinking.tasks = []  # a task that holds what holds it would outlive the table
            wanted = self.thinking is thinking  # nobody has stopped it
            if wanted:
                self.thinking = None
            try:
                await self._concluded(thinking, found, failure, wanted)
            except Exception as error:  # it can't be kept, or a user's own rules can't show it
                await self._gave_up(thinking, error if isinstance(error, LuoziError) else self.hall.sorry(error))
            self.go_on()

    async def _gave_up(self, thinking: Thinking, failure: LuoziError) -> None:
        """What was thought leads to nothing: rest, since the same would only happen again, and say why."""
        if thinking.answer_to is not None:
            connection, number = thinking.answer_to
            connection.answer(number, refusal(failure))
            return
        self._failed(failure.message)
        if thinking.what == "move":
            self.paused = True
        self.analysing = None
        await self.tell_whole()

    async def _concluded(
        self, thinking: Thinking, found: FinishedJob | None, failure: LuoziError | None, wanted: bool
    ) -> None:
        if thinking.what != "move":
            await self._found(thinking, found, failure, wanted)
        elif not wanted:
            return
        elif found is not None:
            await self.make_move(found)
        elif isinstance(failure, (ForfeitError, ResignationError)):
            await self.lose(thinking.seat, loss_of(failure))
        else:
            await self._gave_up(thinking, failure or LuoziError("no move was found"))

    async def _found(
        self, thinking: Thinking, found: FinishedJob | None, failure: LuoziError | None, wanted: bool
    ) -> None:
        """An analysis or a hint has ended: keep what was found, and tell it."""
        thought, position = None if found is None else found.choice.thought, thinking.errand.position
        now = self.course.played.position
        if found is not None and (now == position or now.is_after(position)):
            data = self.course.find(thinking.move, found.note)
            if data is not None:
                with suppress(LuoziError):  # it is still told
                    await self.hall.keep(self.hall.storage.note, self.id, thinking.move, data)
        message = None if thought is None else await self.hall.work(thinking.news, thought, True)
        if thinking.answer_to is not None:
            connection, number = thinking.answer_to
            error = {"type": "error", "message": str(failure or "the hint was stopped")}
            stopped = not wanted or message is None
            connection.answer(number, error if stopped or message is None else message)
        elif message is not None:
            self.tell(message)
        elif failure is not None:
            self.analysing = None
            self._failed(str(failure))
        if thinking.what == "analysis" and wanted and failure is None:
            self._analysed = position  # it had its time there, and goes on from another position

    def _is_analysed(self, position: Position) -> bool:
        """Whether the analyst is done with a position, by guesses too, and nothing better is compiled yet."""
        return self._analysed == position and not self.the_analyst().has_better

    def _failed(self, sentence: str) -> None:
        """Tell what went wrong with a program."""
        self.failure = sentence
        self.tell({"type": "trouble", **told(sentence)})

    def stop_thinking(self) -> None:
        """End whatever is being thought; nothing follows from it."""
        if self.thinking is not None:
            self.thinking.errand.cancel.set()
            self.thinking = None

    # Compiling --------------------------------------------------------------------------------------------------------

    def get_ready(self) -> None:
        """Begin to compile what the seats need, before anybody waits for it."""
        for number, seat in enumerate(self.course.seats):
            if seat.kind == "player":
                thinker = self._thinker(number)
                self.hall.spawn(self._ready(thinker))

    async def _ready(self, thinker: Thinker) -> None:
        try:
            await self.hall.think(thinker.get_ready)
        except LuoziError as error:
            self._failed(str(error))
            return
        self._watch_compiling(thinker)

    def _watch_compiling(self, thinker: Thinker) -> None:
        if thinker not in self._unready and not thinker.is_ready:
            self._unready.append(thinker)
        if self._unready and (self._compiling is None or self._compiling.done()):
            self._compiling = self.hall.spawn(self._tell_compiling())

    async def _tell_compiling(self) -> None:
        """While something is compiled, say how far it is; think with each part of it that is ready."""
        told = False
        while self._unready:
            await asyncio.sleep(COMPILING_SECONDS)
            self._unready = [one for one in self._unready if not one.is_ready]
            message = self._compiling_now() if self._unready else None
            if message is not None:
                self.tell(message)
                told = True
            self._analyse_better()
        if told:
            done = {"part": 1.0, "seconds": 0.0, "engine": "full", "done": True}
            self.tell({"type": "compiling", "what": self.course.spelling, **done})

    def _analyse_better(self) -> None:
        """Let the analyst begin again where more is compiled by now than it thought with."""
        if self.analyst is None or not self.analyst.has_better:
            return
        if self.thinking is not None and self.thinking.what == "analysis":
            self.stop_thinking()
        self.go_on()
