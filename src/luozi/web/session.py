"""One session: a game under way, its seats, and the pages that show it. `handlers` has the functions for requests.

All of it runs in the thread that serves the network, one request at a time (`lock`). What takes time runs in other
threads (`Sessions`, `SearchControl`) and is awaited.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from luozi.messages import LuoziError
from luozi.players import Player
from luozi.players.presets import preset_warnings
from luozi.rules.board import board_of
from luozi.rules.position import Position
from luozi.rules.text_position import can_be_given
from luozi.util.win_rates import FEWEST
from luozi.web.answers import AnalysisData, Answer, MovedMessage, TableMessage
from luozi.web.game_history import GameHistory
from luozi.web.protocol import dumped, sentence_data
from luozi.web.search_control import SearchControl
from luozi.web.seat_players import StepByStep
from luozi.web.seats import Seat
from luozi.web.shares import CLIENT, Holder
from luozi.web.thinking import FinishedJob, Thinking

if TYPE_CHECKING:
    from luozi.web.sessions import Sessions
    from luozi.web.socket import Connection


class Session:
    """A game with its moves, its seats, and the connections that are told of changes."""

    def __init__(self, sessions: Sessions, name: str, digest: str, history: GameHistory) -> None:
        self.sessions, self.id, self.digest, self.history = sessions, name, digest, history
        self.game = history.game
        self.lock = asyncio.Lock()
        self.connections: set[Connection] = set()
        self.owner = CLIENT.get()  # the client that came last
        self.yields = False  # whether it releases its engines when its search ends
        self.turn_began = self.used = time.monotonic()
        self.steps: StepByStep | None = None
        self.search = SearchControl(self)

    @property
    def thinking(self) -> Thinking | None:
        """The running search or player."""
        return self.search.thinking

    @property
    def is_busy(self) -> bool:
        """Whether it has a page, or something runs in it."""
        return bool(self.connections) or self.thinking is not None or self.lock.locked()

    @property
    def engines(self) -> list[Holder]:
        """All engines and players that use memory for it."""
        holders = (*self.search.players.values(), self.search.analyst, self.steps)
        return [one.engine for one in holders if one is not None and one.engine is not None]

    @property
    def programs(self) -> list[Player]:
        """All external programs that run for it."""
        return [one.program for one in self.search.players.values() if one.program is not None]

    # Messages ---------------------------------------------------------------------------------------------------------

    def broadcast(self, message: Answer, but: Connection | None = None) -> None:
        """Send a message to all connections but one."""
        if any(one is not but for one in self.connections):
            text = dumped(message)
            for one in list(self.connections):
                if one is not but:
                    one.send_text(text)

    def broadcast_progress(self, text: str) -> None:
        """Send the progress of a search to all connections that want it and keep up."""
        for one in list(self.connections):
            one.send_text(text, progress=True)

    async def state(self) -> TableMessage:
        """Return the whole state of the session."""
        history, search, game = self.history, self.search, self.game
        searching = {seat.name for seat in history.seats if seat.kind == "player"}
        notes = [note for note in (*preset_warnings(game, sorted(searching)).values(), search.failure) if note]
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

    async def broadcast_state(self, but: Connection | None = None) -> TableMessage:
        """Send the whole state to all connections but one; return it for that one."""
        message = await self.state()
        self.broadcast(message, but)
        return message

    def move_number(self, number: int | None) -> int:
        """Return a move number, by default that of the last position; raise LuoziError if it was not reached."""
        if number is None:
            return self.history.number
        if number > self.history.number:
            raise LuoziError("only {count} moves were played", count=self.history.number)
        return number

    # Changes ----------------------------------------------------------------------------------------------------------

    async def play(self, move: int | str, connection: Connection) -> MovedMessage:
        """Play a move of the side to move, also in place of a program."""
        if self.history.is_over:
            raise LuoziError("the game is over: take a move back, or begin a new game")
        following = self.history.position.play(move)
        self.search.stop()
        self.search.paused = False
        try:
            return await self.add(following, FinishedJob(), connection)
        except LuoziError:
            self.search.go_on()  # the search that was stopped starts again
            raise

    async def add(self, following: Position, found: FinishedJob, mover: Connection | None = None) -> MovedMessage:
        """Store a move and send it to all connections; return the message for the one that made it."""
        history = self.history
        note = found.note._replace(seconds=round(time.monotonic() - self.turn_began, 3))
        stored, row = history.add(following, note, found.remark), history.rows[-1]
        try:
            await self.sessions.store(self.sessions.storage.play, self.id, history.number, row["action"], stored)
        except LuoziError:
            history.take_back(1)
            raise
        self.turn_began, self.search.failure = time.monotonic(), ""
        before = history.number - 1
        message = MovedMessage(
            **row,
            view=found.view or await self.sessions.view(following, False),
            thought=found.thought_data,
            win_rates_at=(before, history.means(before)),
            value_at=(before, history.value(before)),
            last_moves=history.last_moves(),
        )
        self.broadcast(message, mover)
        self.broadcast_end(mover)
        self.search.go_on()
        return message

    def broadcast_end(self, mover: Connection | None) -> None:
        """Send the result of a finished game; the connection that ended it gets it after its response."""
        over = self.history.over()
        if over is not None:
            self.broadcast(over, mover)
            if mover is not None:
                mover.after_answer(over)

    async def take_back(self, moves: int, connection: Connection) -> TableMessage:
        """Take moves back, and a resignation."""
        history = self.history
        left, about = history.number - moves, history.about(resigned=None, forfeit="")
        await self.sessions.store(self.sessions.storage.take_back, self.id, history.number, left, about)
        self.search.stop()
        history.take_back(moves)
        self.turn_began, self.steps = time.monotonic(), None
        self.search.paused = not history.is_over and not history.seat.is_person
        message = await self.broadcast_state(connection)
        self.search.go_on()
        return message

    async def lose(self, seat: int, reason: str, connection: Connection | None = None) -> TableMessage:
        """End the game by a resignation, or with a reason by a forfeit."""
        about = self.history.about(resigned=seat, forfeit=reason)
        await self.sessions.store(self.sessions.storage.change, self.id, about)
        self.search.stop()
        self.history.played.resigned, self.history.played.forfeit = seat, reason
        message = await self.broadcast_state(connection)
        self.broadcast_end(connection)
        self.search.go_on()
        return message

    async def seat(self, number: int, seat: Seat, connection: Connection) -> TableMessage:
        """Give a seat to another player."""
        history, search = self.history, self.search
        seats = [*history.seats[:number], seat, *history.seats[number + 1 :]]
        await self.sessions.store(self.sessions.storage.change, self.id, history.about(seats))
        search.forget(number)
        history.sit(number, seat)
        search.paused, search.failure = history.waits and search.paused, ""  # an opened record stays paused
        search.go_on()
        return await self.broadcast_state(connection)

    # Connections ------------------------------------------------------------------------------------------------------

    def join(self, connection: Connection) -> None:
        """Add a connection."""
        self.connections.add(connection)
        self.owner = connection.client
        self.search.go_on()

    def leave(self, connection: Connection) -> None:
        """Remove a connection; without any, an analysis ends and a move is still made."""
        self.connections.discard(connection)
        self.used = time.monotonic()
        if not self.connections and self.thinking is not None and self.thinking.what != "move":
            self.search.stop()

    def release(self) -> None:
        """Release the engines and their trees until they are needed again."""
        self.search.release()
        self.steps, self.yields = None, False

    def close(self) -> None:
        """End the search and release the engines."""
        self.search.stop()
        self.release()
