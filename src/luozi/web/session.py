"""One table: a game under way, who sits there and who looks on. What is asked of it comes from `handlers`.

Everything here runs in the thread that talks to the network, one request at a time (`lock`); whatever takes time is
handed to others (`sessions.work`, `SearchControl`) and waited for.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from luozi.messages import LuoziError
from luozi.players import Player
from luozi.players.presets import notes_on
from luozi.rules.board import board_of
from luozi.rules.position import Position
from luozi.rules.text_position import can_be_given
from luozi.search import Engine
from luozi.util.win_rates import FEWEST
from luozi.web.answers import AnalysisData, Answer, MovedMessage, TableMessage
from luozi.web.encoding import dumped
from luozi.web.game_history import GameHistory
from luozi.web.jobs import StepByStep
from luozi.web.message_data import sentence_data
from luozi.web.search_control import SearchControl
from luozi.web.seats import Seat
from luozi.web.shares import CLIENT
from luozi.web.thinking import FinishedJob, Thinking

if TYPE_CHECKING:
    from luozi.web.sessions import Sessions
    from luozi.web.socket import Connection


class Session:
    """A game under way: its moves, its seats, and the pages that hear of it."""

    def __init__(self, sessions: Sessions, name: str, digest: str, history: GameHistory) -> None:
        self.sessions, self.id, self.digest, self.history = sessions, name, digest, history
        self.game = history.game
        self.lock = asyncio.Lock()
        self.connections: set[Connection] = set()
        self.owner = CLIENT.get()  # who came last
        self.yields = False  # whether it is to give up its engines when what is thought ends
        self.turn_began = self.used = time.monotonic()
        self.walk: StepByStep | None = None
        self.search = SearchControl(self)

    @property
    def thinking(self) -> Thinking | None:
        """What is being thought now."""
        return self.search.thinking

    @property
    def is_busy(self) -> bool:
        """Whether somebody is here, or something is under way."""
        return bool(self.connections) or self.thinking is not None or self.lock.locked()

    @property
    def engines(self) -> list[Engine | Player]:
        """All engines that it has now."""
        holders = (*self.search.thinkers.values(), self.search.analyst, self.walk)
        return [one.engine for one in holders if one is not None and one.engine is not None]

    @property
    def programs(self) -> list[Player]:
        """All outside programs that run for it now."""
        return [one.program for one in self.search.thinkers.values() if one.program is not None]

    # Telling ----------------------------------------------------------------------------------------------------------

    def tell(self, message: Answer, but: Connection | None = None) -> None:
        """Tell everybody at the table."""
        if any(one is not but for one in self.connections):
            self.tell_text(dumped(message), but)

    def tell_text(self, text: str, but: Connection | None = None, news: bool = False) -> None:
        """The same of a message that is text already; news may be left out where somebody is slow."""
        for one in list(self.connections):
            if one is not but:
                one.send_text(text, news)

    async def table(self) -> TableMessage:
        """Everything about the table, for a page that knows nothing yet."""
        history, search, game = self.history, self.search, self.game
        searching = {seat.name for seat in history.seats if seat.kind == "player"}
        notes = [note for note in (*notes_on(game, sorted(searching)).values(), search.failure) if note]
        return TableMessage(
            table=self.id,
            game=history.spelling,
            players=game.players,
            player_names=[game.player_name(player) for player in range(game.players)],
            board=board_of(game),
            seats=[seat.data() for seat in history.seats],
            moves=history.rows,
            win_rates=[history.means(number) for number in range(history.number + 1)],
            values=history.values(),
            fewest=FEWEST,
            last_moves=history.last_moves(),
            view=await self.sessions.view(history.position),
            over=history.over(),
            thinking=None if self.thinking is None else self.thinking.about(),
            analysing=AnalysisData(search.position_analysed()) if search.analysing else None,
            paused=search.paused,
            compiling=search.compiling_now(),
            formats=history.formats,
            editable=can_be_given(game),
            left_out=history.left_out,
            notes=[str(note) for note in notes],
            notes_told=[sentence_data(note) for note in notes],
        )

    async def tell_table(self, but: Connection | None = None) -> TableMessage:
        """Tell everybody everything; the message, for who asked."""
        message = await self.table()
        self.tell(message, but)
        return message

    def move_number(self, number: int | None) -> int:
        """A number of moves that were played; not given, all of them."""
        if number is None:
            return self.history.number
        if number > self.history.number:
            raise LuoziError("only {count} moves were played", count=self.history.number)
        return number

    # Moves ------------------------------------------------------------------------------------------------------------

    async def play(self, move: int | str, connection: Connection) -> MovedMessage:
        """A move of whoever is to move, also in place of a program."""
        if self.history.is_over:
            raise LuoziError("the game is over: take a move back, or begin a new game")
        following = self.history.position.play(move)
        self.search.stop()
        self.search.paused = False
        try:
            return await self.add(following, FinishedJob(), connection)
        except LuoziError:
            self.search.go_on()  # whoever was thinking thinks again
            raise

    async def add(self, following: Position, found: FinishedJob, mover: Connection | None = None) -> MovedMessage:
        """Keep a move and tell of it; the message for who made it."""
        history = self.history
        note = found.note._replace(seconds=round(time.monotonic() - self.turn_began, 3))
        kept, row = history.add(following, note, found.remark), history.rows[-1]
        try:
            await self.sessions.keep(self.sessions.storage.play, self.id, history.number, row["action"], kept)
        except LuoziError:
            history.take_back(1)
            raise
        self.turn_began, self.search.failure = time.monotonic(), ""
        before = history.number - 1
        message = MovedMessage(
            **row,
            view=found.shown or await self.sessions.view(following, False),
            thought=found.told,
            win_rates_at=(before, history.means(before)),
            value_at=(before, history.value(before)),
            last_moves=history.last_moves(),
        )
        self.tell(message, mover)
        self.tell_end(mover)
        self.search.go_on()
        return message

    def tell_end(self, mover: Connection | None) -> None:
        """If the game is over, tell it; who ended it hears it after the answer."""
        over = self.history.over()
        if over is not None:
            self.tell(over, mover)
            if mover is not None:
                mover.after_answer(over)

    async def take_back(self, moves: int, connection: Connection) -> TableMessage:
        """Take so many moves back, and a resignation."""
        history = self.history
        left, about = history.number - moves, history.about(resigned=None, forfeit="")
        await self.sessions.keep(self.sessions.storage.take_back, self.id, history.number, left, about)
        self.search.stop()
        history.take_back(moves)
        self.turn_began, self.walk = time.monotonic(), None
        self.search.paused = not history.is_over and not history.seat.is_person
        message = await self.tell_table(connection)
        self.search.go_on()
        return message

    async def lose(self, seat: int, reason: str, connection: Connection | None = None) -> TableMessage:
        """Somebody gave up or can't go on."""
        about = self.history.about(resigned=seat, forfeit=reason)
        await self.sessions.keep(self.sessions.storage.change, self.id, about)
        self.search.stop()
        self.history.played.resigned, self.history.played.forfeit = seat, reason
        message = await self.tell_table(connection)
        self.tell_end(connection)
        self.search.go_on()
        return message

    async def seat(self, number: int, seat: Seat, connection: Connection) -> TableMessage:
        """Somebody else takes a seat."""
        history, search = self.history, self.search
        seats = [*history.seats[:number], seat, *history.seats[number + 1 :]]
        await self.sessions.keep(self.sessions.storage.change, self.id, history.about(seats))
        search.forget(number)
        history.sit(number, seat)
        search.paused, search.failure = history.waits and search.paused, ""  # a record is looked at first
        search.go_on()
        return await self.tell_table(connection)

    # Coming and going -------------------------------------------------------------------------------------------------

    def join(self, connection: Connection) -> None:
        """Somebody sits down, or comes back."""
        self.connections.add(connection)
        self.owner = connection.client
        self.search.go_on()

    def leave(self, connection: Connection) -> None:
        """Somebody is gone; an analysis that nobody sees ends, a program's move is still made."""
        self.connections.discard(connection)
        self.used = time.monotonic()
        if not self.connections and self.thinking is not None and self.thinking.what != "move":
            self.search.stop()

    def rest(self) -> None:
        """Give back the engines and their trees, as long as nobody needs them."""
        self.search.rest()
        self.walk, self.yields = None, False

    def close(self) -> None:
        """Leave the memory; everything is kept."""
        self.search.stop()
        self.rest()
