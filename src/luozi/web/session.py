"""One table: a game under way, who sits there, who looks on, and what is being thought. Messages come to `on_...`.

Everything here runs in the thread that talks to the network, one message at a time (`lock`); whatever takes time is
handed to others (`hall.work`, `Thinking`) and waited for.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from luozi.messages import LuoziError
from luozi.records.moves import MoveNote
from luozi.rules.move_names import read_move
from luozi.web.analysis_views import AnalysisViews
from luozi.web.jobs import JobChoice
from luozi.web.seats import Seat, read_seat
from luozi.web.session_base import Reply
from luozi.web.thinking import FinishedJob

if TYPE_CHECKING:
    from luozi.web.socket import Connection


class GameSession(AnalysisViews):
    """A game under way: moves, seats, coming and going."""

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
        self.paused = False
        try:
            return await self.make_move(FinishedJob(JobChoice(action, None), MoveNote()), connection)
        except LuoziError:
            self.go_on()  # whoever was thinking thinks again
            raise

    async def make_move(self, found: FinishedJob, mover: Connection | None = None) -> dict[str, Any]:
        """Play, keep, tell; the message for who made the move."""
        course, action = self.course, found.choice.action
        note = found.note._replace(seconds=round(time.monotonic() - self.turn_began, 3))
        data = course.play(action, note, found.choice.remark)
        try:
            await self.hall.keep(self.hall.storage.play, self.id, course.number, action, data)
        except LuoziError:
            course.take_back(1)
            raise
        self.turn_began, self.failure = time.monotonic(), ""
        before = course.number - 1
        message = {
            "type": "moved",
            **course.rows[-1],
            "view": found.shown or await self.hall.view(course.played.position, False),
            "thought": found.told,
            "win_rates_at": [before, course.means(before)],
            "value_at": [before, course.value(before)],
            "last_moves": course.last_moves(),
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
        about, left = course.about(resigned=None, forfeit=""), course.number - moves
        await self.hall.keep(self.hall.storage.take_back, self.id, course.number, left, about)
        self.stop_thinking()
        course.take_back(moves)
        self.turn_began, self.walk = time.monotonic(), None
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
        return await self.lose(seat, "", connection)

    async def lose(self, seat: int, reason: str, connection: Connection | None = None) -> dict[str, Any]:
        """Somebody gave up or can't go on."""
        await self.hall.keep(self.hall.storage.change, self.id, self.course.about(resigned=seat, forfeit=reason))
        self.stop_thinking()
        self.course.played.resigned, self.course.played.forfeit = seat, reason
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
            raise LuoziError(
                "{game} has {count} seats, counted from 0", game=self.course.spelling, count=self.game.players
            )
        seat = read_seat(values, self.hall.offer.programs)
        self.check_seat(seat)
        seats = [*self.course.seats[:number], seat, *self.course.seats[number + 1 :]]
        await self.hall.keep(self.hall.storage.change, self.id, self.course.about(seats))
        thinking = self.thinking
        if thinking is not None and thinking.what == "move" and thinking.seat == number:
            self.stop_thinking()
        self.course.sit(number, seat)
        gone = self.thinkers.pop(number, None)
        if gone is not None:
            gone.close()
        self.paused, self.failure = self.course.waits and self.paused, ""  # a record that was opened is looked at first
        self.go_on()
        return await self.tell_whole(connection)

    def check_seat(self, seat: Seat) -> None:
        """One sentence if this player can't play this game."""
        self.hall.check_seat(self.game, seat)

    # Coming and going -------------------------------------------------------------------------------------------------

    def join(self, connection: Connection) -> None:
        """Somebody sits down, or comes back."""
        self.connections.add(connection)
        self.owner = connection.client
        self.go_on()

    def leave(self, connection: Connection) -> None:
        """Somebody is gone; an analysis that nobody sees ends, a program's move is still made."""
        self.connections.discard(connection)
        self.used = time.monotonic()
        if not self.connections and self.thinking is not None and self.thinking.what != "move":
            self.stop_thinking()

    def rest(self) -> None:
        """Give back the engines and their trees, as long as nobody needs them."""
        for thinker in (*self.thinkers.values(), self.analyst):
            if thinker is not None:
                thinker.close()
        self.thinkers, self.analyst, self.last_searcher, self.walk, self.yields = {}, None, None, None, False
        self._unready = []

    def close(self) -> None:
        """Leave the memory; everything is kept."""
        self.stop_thinking()
        self.rest()
