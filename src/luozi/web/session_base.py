"""What a table is and what it tells; `pondering` is how it thinks, `inspecting` how one looks in, `table` the rest."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from luozi.messages import LuoziError, Message
from luozi.players.presets import notes_on
from luozi.rules.position import Position
from luozi.util.win_rates import FEWEST
from luozi.web.board_data import described
from luozi.web.encoding import dumped
from luozi.web.game_history import GameHistory
from luozi.web.jobs import Searcher, Thinker, Walk
from luozi.web.shares import CLIENT
from luozi.web.thinking import FinishedJob, Thinking, compiling

if TYPE_CHECKING:
    from luozi.web.sessions import Sessions
    from luozi.web.socket import Connection

Reply = dict[str, Any] | None  # None: the answer comes later


class SessionBase(ABC):
    """A game under way, who looks on, and who thinks."""

    def __init__(self, hall: Sessions, table: str, secret: str, course: GameHistory) -> None:
        self.hall, self.id, self.digest, self.course = hall, table, secret, course
        self.game = course.game
        self.lock = asyncio.Lock()
        self.connections: set[Connection] = set()
        self.owner = CLIENT.get()  # who came last
        self.yields = False  # whether it is to give up its engines when what is thought ends
        self.thinking: Thinking | None = None
        self.thinkers: dict[int, Thinker] = {}
        self.analyst: Searcher | None = None
        self.analysing: dict[str, int | None] | None = None  # the position, or None: the one on the board
        self.paused = course.waits
        self.failure = ""  # why a program does not move
        self.turn_began = time.monotonic()
        self.used = time.monotonic()
        self._compiling: asyncio.Task[None] | None = None
        self._unready: list[Thinker] = []  # who is being compiled
        self._analysed: Position | None = None  # the position that was analysed to the end
        self.walk: Walk | None = None
        self.last_searcher: Searcher | None = None  # who thought last, and about what
        self.last_position = course.played.position

    @property
    def is_busy(self) -> bool:
        """Whether somebody is here, or something is under way."""
        return bool(self.connections) or self.thinking is not None or self.lock.locked()

    @property
    def engines(self) -> list[Any]:
        """All engines that it has now."""
        holders = (*self.thinkers.values(), self.analyst, self.walk)
        return [one.engine for one in holders if one is not None and one.engine is not None]

    @property
    def programs(self) -> list[Any]:
        """All outside programs that run for it now."""
        return [one.program for one in self.thinkers.values() if one.program is not None]

    # Telling ----------------------------------------------------------------------------------------------------------

    def tell(self, message: dict[str, Any], but: Connection | None = None) -> None:
        """Tell everybody at the table."""
        if self.connections:
            self.tell_text(dumped(message), but)

    def tell_text(self, text: str, but: Connection | None = None, news: bool = False) -> None:
        """The same of a message that is text already; news may be left out where somebody is slow."""
        for one in list(self.connections):
            if one is not but:
                one.send_text(text, news)

    async def whole(self) -> dict[str, Any]:
        """Everything about the table, for a page that knows nothing yet."""
        course = self.course
        shown = await self.hall.view(course.played.position)
        names = [self.game.player_name(player) for player in range(self.game.players)]
        searching = {seat.name for seat in course.seats if seat.kind == "player"}
        heard = [note for note in (*notes_on(self.game, sorted(searching)).values(), self.failure) if note]
        return {
            "type": "table",
            "table": self.id,
            "game": course.spelling,
            "players": self.game.players,
            "player_names": names,
            "board": described(self.game),
            "seats": [seat.as_dict() for seat in course.seats],
            "moves": course.rows,
            "win_rates": [course.means(number) for number in range(course.number + 1)],
            "values": course.values(),
            "fewest": FEWEST,
            "last_moves": course.last_moves(),
            "view": shown,
            "over": course.over(),
            "thinking": None if self.thinking is None else self.thinking.about(),
            "analysing": None if self.analysing is None else {"move": self.position_analysed()},
            "paused": self.paused,
            "compiling": self._compiling_now(),
            "formats": course.formats,
            "editable": self.hall.can_edit(self.game),
            "left_out": course.left_out,
            "notes": [str(note) for note in heard],
            "notes_told": [Message(note).data() for note in heard],
        }

    async def tell_whole(self, but: Connection | None = None) -> dict[str, Any]:
        """Tell everybody everything; the message, for who asked."""
        message = await self.whole()
        self.tell(message, but)
        return message

    def move_number(self, number: int | None) -> int:
        """A number of moves that were played; not given, all of them."""
        if number is None:
            return self.course.number
        if number > self.course.number:
            raise LuoziError("only {count} moves were played", count=self.course.number)
        return number

    def position_analysed(self) -> int:
        """The number of moves before the position that is analysed."""
        position = (self.analysing or {}).get("move")
        return self.course.number if position is None else position

    # What follows from thinking ---------------------------------------------------------------------------------------

    @abstractmethod
    def rest(self) -> None: ...

    @abstractmethod
    async def make_move(self, found: FinishedJob, mover: Connection | None = None) -> dict[str, Any]: ...

    @abstractmethod
    async def lose(self, seat: int, reason: str, connection: Connection | None = None) -> dict[str, Any]: ...

    def _compiling_now(self) -> dict[str, Any] | None:
        searchers = [one for one in (*self.thinkers.values(), self.analyst) if one is not None]
        found = [compiling(one, self.course.spelling) for one in searchers]
        return next((one for one in found if one is not None), None)
