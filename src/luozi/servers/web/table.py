"""One table: a game under way, who sits there, who looks on, and what is being thought. Messages come to `on_...`.

Everything here runs in the thread that talks to the network, one message at a time (`lock`); whatever takes time is
handed to others (`hall.work`, `Thinking`) and waited for.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

from luozi.errors import LuoziError
from luozi.players import ForfeitError, ResignationError
from luozi.players.person import read_move
from luozi.players.presets import unmeasured
from luozi.records.moves import Note, note_of
from luozi.search import Thought
from luozi.servers.web.courses import Course, loss_of
from luozi.servers.web.looks import board_data, view
from luozi.servers.web.seats import Seat, read_seat
from luozi.servers.web.thinkers import (
    Budget,
    Choice,
    Errand,
    Line,
    Searcher,
    Thinker,
    budget_of,
    options_of,
    thinker_for,
)
from luozi.servers.web.thinking import COMPILING_SECONDS, Thinking, compiling

if TYPE_CHECKING:
    from luozi.servers.web.hall import Hall
    from luozi.servers.web.socket import Connection

ANALYST = Seat("player", "strong")
HINT_SECONDS = 1.0
Reply = dict[str, Any] | None  # None: the answer comes later


class Table:
    """A game under way."""

    def __init__(self, hall: Hall, table: str, secret: str, course: Course) -> None:
        self.hall, self.id, self.digest, self.course = hall, table, secret, course
        self.game = course.game
        self.lock = asyncio.Lock()
        self.connections: set[Connection] = set()
        self.thinking: Thinking | None = None
        self.thinkers: dict[int, Thinker] = {}
        self.analyst: Searcher | None = None
        self.analysing: dict[str, int | None] | None = None  # the position, or None: the one on the board
        self.paused = False
        self.failure = ""  # why a program does not move
        self.turn_began = time.monotonic()
        self.used = time.monotonic()
        self._compiling: asyncio.Task[None] | None = None
        self._walk: Any = None

    # Telling ----------------------------------------------------------------------------------------------------------

    def tell(self, message: dict[str, Any], but: Connection | None = None) -> None:
        """Tell everybody at the table."""
        if self.connections:
            self.tell_text(json.dumps(message), but)

    def tell_text(self, text: str, but: Connection | None = None, news: bool = False) -> None:
        """The same of a message that is text already; news may be left out where somebody is slow."""
        for one in list(self.connections):
            if one is not but:
                one.send_text(text, news)

    async def whole(self) -> dict[str, Any]:
        """Everything about the table, for a page that knows nothing yet."""
        course = self.course
        shown = await self.hall.work(view, self.game, course.played.state)
        names = [self.game.player_name(player) for player in range(self.game.players)]
        searching = {seat.name for seat in course.seats if seat.kind == "player"}
        notes = [unmeasured(self.game, name) for name in sorted(searching)]
        return {
            "type": "table",
            "table": self.id,
            "game": course.spelling,
            "players": self.game.players,
            "player_names": names,
            "board": board_data(self.game),
            "seats": [seat.as_dict() for seat in course.seats],
            "moves": course.rows,
            "win_rates": [course.means(number) for number in range(course.number + 1)],
            "view": shown,
            "over": course.over(),
            "thinking": None if self.thinking is None else self.thinking.about(),
            "analysing": None if self.analysing is None else {"move": self.position_analysed()},
            "paused": self.paused,
            "compiling": self._compiling_now(),
            "formats": course.formats,
            "editable": self.hall.can_edit(self.game),
            "notes": [note for note in [*notes, self.failure] if note],
        }

    async def tell_whole(self, but: Connection | None = None) -> dict[str, Any]:
        """Tell everybody everything; the message, for who asked."""
        message = await self.whole()
        self.tell(message, but)
        return message

    # Moves ------------------------------------------------------------------------------------------------------------

    async def on_play(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """A move of whoever is to move, also in place of a program."""
        course = self.course
        if course.is_over:
            raise LuoziError("the game is over: take a move back, or begin a new game")
        if ("action" in values) == ("text" in values):
            raise LuoziError("a move is an action or a text")
        state = course.played.state
        action = values["action"] if "action" in values else read_move(self.game, state, values["text"])
        if not self.game.allows(state, action):
            raise LuoziError("this move is not legal here")
        self.stop_thinking()
        seconds = round(time.monotonic() - self.turn_began, 3)
        self.paused = False
        return await self.make_move(action, Note(seconds), "", None, connection)

    async def make_move(
        self, action: int, note: Note, remark: str, thought: Thought | None, mover: Connection | None = None
    ) -> dict[str, Any]:
        """Play, keep, tell; the message for who made the move. `thought` is told with it."""
        course = self.course
        data = course.play(action, note, remark)
        try:
            self.hall.storage.play(self.id, course.number, action, data)
        except LuoziError:
            course.take_back(1)
            raise
        self.turn_began, self.failure = time.monotonic(), ""
        before = course.number - 1
        message = {
            "type": "moved",
            **course.rows[-1],
            "view": await self.hall.work(view, self.game, course.played.state),
            "thought": None if thought is None else await self.hall.work(lambda: self.hall.told(thought)),
            "win_rates_at": [before, course.means(before)],
        }
        self.tell(message, but=mover)
        over = course.over()
        if over is not None and mover is not None:
            mover.after_answer({"type": "over", **over})
        if over is not None:
            self.tell({"type": "over", **over}, but=mover)
        self.go_on()
        return message

    async def on_undo(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """Take moves back: to the last turn of a person, if nothing is said."""
        course = self.course
        moves = values.get("moves") or self._moves_of_a_turn()
        if course.played.resigned is not None and "moves" not in values:
            moves = 0
        if moves > course.number or (not moves and course.played.resigned is None):
            raise LuoziError("there is no move to take back")
        self.stop_thinking()
        course.take_back(moves)
        self.hall.storage.take_back(self.id, course.number, course.about())
        self.turn_began, self._walk = time.monotonic(), None
        self.paused = not course.is_over and not course.seat.is_person
        message = await self.tell_whole(connection)
        self.go_on()
        return message

    def _moves_of_a_turn(self) -> int:
        """How many moves lead back to a person's turn; one if there is none."""
        course = self.course
        for back in range(1, course.number + 1):
            if course.seats[course.played.mover(course.number - back)].is_person:
                return back
        return 1

    async def on_resign(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """A person gives up."""
        course = self.course
        if course.is_over:
            raise LuoziError("the game is over")
        seat = values.get("seat", course.played.to_move)
        if seat >= self.game.players or not course.seats[seat].is_person:
            raise LuoziError("only a person can resign: take that seat first")
        self.stop_thinking()
        return await self.lose(seat, "", connection)

    async def lose(self, seat: int, reason: str, connection: Connection | None = None) -> dict[str, Any]:
        """Somebody gave up or can't go on."""
        self.course.played.resigned, self.course.played.forfeit = seat, reason
        self.hall.storage.change(self.id, self.course.about())
        message = await self.tell_whole(connection)
        over = {"type": "over", **(self.course.over() or {})}
        self.tell(over, but=connection)
        if connection is not None:
            connection.after_answer(over)
        self.go_on()
        return message

    async def on_seat(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """Somebody else takes a seat."""
        number = values.pop("seat")
        if number >= self.game.players:
            raise LuoziError(f"{self.course.spelling} has {self.game.players} seats, counted from 0")
        seat = read_seat(values, self.hall.offer.programs)
        self.check_seat(seat)
        thinking = self.thinking
        if thinking is not None and thinking.what == "move" and thinking.seat == number:
            self.stop_thinking()
        self.course.sit(number, seat)
        self.hall.storage.change(self.id, self.course.about())
        gone = self.thinkers.pop(number, None)
        if gone is not None:
            gone.close()
        self.paused, self.failure = False, ""
        self.go_on()
        return await self.tell_whole(connection)

    def check_seat(self, seat: Seat) -> None:
        """One sentence if this player can't play this game."""
        self.hall.check_seat(self.game, seat)

    # Looking back -----------------------------------------------------------------------------------------------------

    async def on_goto(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """An earlier position, with what was thought of it."""
        number, course = self.move_number(values["move"]), self.course
        shown, thought = await self.hall.work(
            lambda: (view(self.game, course.played.states[number]), course.thought(number))
        )
        last = course.rows[number - 1] if number else None
        means = course.means(number)
        return {"type": "shown", "move": number, "view": shown, "last": last, "thought": thought, "means": means}

    def move_number(self, number: int | None) -> int:
        """A number of moves that were played; not given, all of them."""
        if number is None:
            return self.course.number
        if number > self.course.number:
            raise LuoziError(f"only {self.course.number} moves were played")
        return number

    async def on_save(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """The record."""
        form = values["format"]
        return {"type": "saved", **await self.hall.work(self.saved, form)}

    def saved(self, form: str) -> dict[str, str]:
        """The record in a form, and a name for its file."""
        text = self.course.text(form, self.hall.offer.outside_spelling(self.course.spelling))
        name = self.course.spelling.partition(":")[0]
        return {"format": form, "name": f"{name}.{ {'text': 'txt'}.get(form, form) }", "text": text}

    # Thinking ---------------------------------------------------------------------------------------------------------

    async def on_move_now(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """The program answers at once."""
        if self.thinking is not None and self.thinking.what == "move":
            self.thinking.stop()
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
        self.analysing = {"move": position} if values["on"] else None
        if self.thinking is not None and self.thinking.what == "analysis":
            self.stop_thinking()
        self.go_on()
        return {"type": "ok"}

    def position_analysed(self) -> int:
        """The number of moves before the position that is analysed."""
        position = (self.analysing or {}).get("move")
        return self.course.number if position is None else position

    async def on_hint(self, connection: Connection, values: dict[str, Any]) -> Reply:
        """What the engine would play; the answer comes when it has thought."""
        if self.course.is_over:
            raise LuoziError("the game is over: there is no hint to give")
        if self.thinking is not None and self.thinking.what == "move":
            raise LuoziError("a program is thinking about its move: stop it first, or wait")
        self.stop_thinking()
        budget = Budget(values.get("seconds", HINT_SECONDS))
        self._think("hint", self.the_analyst(), self.course.line, budget, (connection, connection.answering))
        return None

    def the_analyst(self) -> Searcher:
        """Who analyses and gives hints."""
        if self.analyst is None:
            self.analyst = Searcher(self.hall.minds, self.game, options_of(ANALYST, self.game))
        return self.analyst

    def go_on(self) -> None:
        """Let the program to move think, or else the analyst, if anybody looks on."""
        self.used = time.monotonic()
        if self.thinking is not None or not self.connections or self.hall.closing:
            return
        course = self.course
        if not course.is_over and not course.seat.is_person:
            if not self.paused:
                number = course.played.to_move
                thinker, budget = self._thinker(number), budget_of(course.seat, self.game, self.hall.limits)
                self._think("move", thinker, course.line, budget)
            return
        if self.analysing is not None:
            line = course.line.upto(self.position_analysed())
            if not self.game.is_terminal(line.state):
                self._think("analysis", self.the_analyst(), line, Budget(self.hall.limits.analysis_seconds))

    def _thinker(self, number: int) -> Thinker:
        if number not in self.thinkers:
            seat, programs = self.course.seats[number], self.hall.offer.programs
            self.thinkers[number] = thinker_for(self.hall.minds, self.game, seat, programs)
        return self.thinkers[number]

    def _think(self, what: str, thinker: Thinker, line: Line, budget: Budget, answer_to: Any = None) -> None:
        seat = self.game.player_to_move(line.state)
        errand, move = Errand(line, budget), len(line.actions)
        workers, pace = self.hall.minds.workers, self.hall.pace
        thinking = Thinking(what, seat, move, thinker, errand, workers, pace, answer_to)
        self.thinking = thinking
        thinking.tasks = [self.hall.spawn(self._run(thinking))]
        if isinstance(thinker, Searcher):
            news = thinking.tell_news(self.hall.work, self.is_watched, lambda text: self.tell_text(text, news=True))
            thinking.tasks.append(self.hall.spawn(news))
            self._watch_compiling(thinker)

    def is_watched(self) -> bool:
        """Whether anybody wants to see the thinking."""
        return any(one.watching for one in self.connections)

    async def _run(self, thinking: Thinking) -> None:
        """Wait for a thought, and do what follows from it."""
        choice, failure = None, None
        try:
            choice = await self.hall.think(thinking.thinker.choose, thinking.errand)
        except LuoziError as error:
            failure = error
        except Exception as error:  # a user's own rules may raise anything
            failure = self.hall.sorry(error)
        async with self.lock:
            for task in thinking.tasks[1:]:
                task.cancel()
            if self.thinking is thinking:
                self.thinking = None
            try:
                await self._concluded(thinking, choice, failure)
            except LuoziError as error:
                self._failed(str(error))
            self.go_on()

    async def _concluded(self, thinking: Thinking, choice: Choice | None, failure: LuoziError | None) -> None:
        thought = None if choice is None else choice.thought
        if thinking.what != "move":
            await self._found(thinking, thought, failure)
        elif thinking.discarded:
            return
        elif choice is not None:
            note = note_of(thought, time.perf_counter() - thinking.errand.began, True)
            note = note._replace(seconds=round(time.monotonic() - self.turn_began, 3))
            await self.make_move(choice.action, note, choice.remark, thought)
        elif isinstance(failure, (ForfeitError, ResignationError)):
            await self.lose(thinking.seat, loss_of(failure))
        else:
            self._failed(str(failure))
            self.paused = True
            await self.tell_whole()

    async def _found(self, thinking: Thinking, thought: Thought | None, failure: LuoziError | None) -> None:
        """An analysis or a hint has ended: keep what was found, and tell it."""
        actions = list(thinking.errand.line.actions)
        if thought is not None and self.course.played.actions[: len(actions)] == actions:
            data = self.course.find(thinking.move, thought)
            if data is not None:
                self.hall.storage.note(self.id, thinking.move, data)
        message = None if thought is None else await self.hall.work(thinking.news, thought, True)
        if thinking.answer_to is not None:
            connection, number = thinking.answer_to
            error = {"type": "error", "message": str(failure or "the hint was stopped")}
            stopped = thinking.discarded or message is None
            connection.answer(number, error if stopped or message is None else message)
        elif message is not None:
            self.tell(message)
        elif failure is not None:
            self.analysing = None
            self._failed(str(failure))
        if thinking.what == "analysis" and not thinking.discarded:
            self.analysing = None  # it had its time

    def _failed(self, sentence: str) -> None:
        """Tell what went wrong with a program."""
        self.failure = sentence
        self.tell({"type": "trouble", "message": sentence})

    def stop_thinking(self) -> None:
        """End whatever is being thought; nothing follows from it."""
        if self.thinking is not None:
            self.thinking.discard()
            self.thinking = None

    # Compiling --------------------------------------------------------------------------------------------------------

    def get_ready(self) -> None:
        """Begin to compile what the seats need, before anybody waits for it."""
        for number, seat in enumerate(self.course.seats):
            if seat.searches:
                thinker = self._thinker(number)
                self.hall.spawn(self._ready(thinker))

    async def _ready(self, thinker: Thinker) -> None:
        try:
            await self.hall.work(thinker.get_ready)
        except LuoziError as error:
            self._failed(str(error))
            return
        if isinstance(thinker, Searcher):
            self._watch_compiling(thinker)

    def _compiling_now(self) -> dict[str, Any] | None:
        searchers = [one for one in (*self.thinkers.values(), self.analyst) if one is not None]
        found = [compiling(one, self.course.spelling) for one in searchers]
        return next((one for one in found if one is not None), None)

    def _watch_compiling(self, thinker: Searcher) -> None:
        if self._compiling is None or self._compiling.done():
            self._compiling = self.hall.spawn(self._tell_compiling(thinker))

    async def _tell_compiling(self, thinker: Searcher) -> None:
        """While something is compiled, say how far it is; then think with it."""
        await asyncio.sleep(COMPILING_SECONDS)
        told = False
        while not thinker.is_ready:
            message = self._compiling_now()
            if message is not None:
                self.tell(message)
                told = True
            await asyncio.sleep(COMPILING_SECONDS)
        if told:
            done = {"part": 1.0, "seconds": 0.0, "engine": "full", "done": True}
            self.tell({"type": "compiling", "what": self.course.spelling, **done})
        if self.thinking is not None and self.thinking.what == "analysis" and thinker.has_better:
            self.stop_thinking()
            self.go_on()

    # Coming and going -------------------------------------------------------------------------------------------------

    def join(self, connection: Connection) -> None:
        """Somebody sits down, or comes back."""
        self.connections.add(connection)
        self.go_on()

    def leave(self, connection: Connection) -> None:
        """Somebody is gone; an analysis that nobody sees ends, a program's move is still made."""
        self.connections.discard(connection)
        self.used = time.monotonic()
        if not self.connections and self.thinking is not None and self.thinking.what != "move":
            self.stop_thinking()

    def close(self) -> None:
        """Leave the memory; everything is kept."""
        self.stop_thinking()
        for thinker in (*self.thinkers.values(), self.analyst):
            if thinker is not None:
                thinker.close()
        self.thinkers, self.analyst = {}, None
