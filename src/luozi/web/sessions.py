"""All tables of a server: making them, finding them again by their secret, and what they share."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any, ParamSpec, TypeVar

from luozi.messages import LuoziError, Message, translate
from luozi.records.moves import MoveNote
from luozi.rules.board import PositionData
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.util.machine import give_back_memory
from luozi.util.own_code import place_in_own_game
from luozi.web.board_views import shown
from luozi.web.catalog import Catalog
from luozi.web.game_history import GameHistory
from luozi.web.limits import ServerLimits
from luozi.web.message_data import GoneError
from luozi.web.other_players import player_for
from luozi.web.requests import SeatChoice
from luozi.web.resources import Resources
from luozi.web.restoring import restored
from luozi.web.seats import Seat, read_seat
from luozi.web.session import Session
from luozi.web.shares import CLIENT, LOOK_SECONDS, ROOM_SECONDS, Shares, Threads
from luozi.web.storage import PATIENCE_SECONDS, Storage, StoredSession, digest_of
from luozi.web.thinking import Pace

IDLE_SECONDS = 900.0  # a table at which nobody is leaves the memory
REST_SECONDS = 600.0  # its engines do, after so long without a move
SWEEP_SECONDS = 30.0
MUCH = 1 / 8  # of all tables, or of the memory of their positions
KEPT_FREE = 1 / 4  # of that, for clients that have less
CROWDED = 0.75  # of all engines, or of their memory: then tables at which nobody is leave sooner
HANDS = 4  # threads for short work
READY = 32  # threads for thinking that are there from the start
GUIDES = 8  # for what takes a moment: making a game, reading a record, a report
SMALL = 450  # actions of a game whose positions are drawn at once, without the way to another thread
NOTE_CHARACTERS = 300
MOST_NOTED = 100  # different sentences in that time
NOTE_SECONDS = 60.0  # between two notes of the same to who runs the server
P = ParamSpec("P")
T = TypeVar("T")
LOG = logging.getLogger("luozi.server")
NO_TABLE = Message("there is no such table, or the secret is not its own")


def bytes_of(histories: Sequence[GameHistory]) -> int:
    """The memory of the positions of some games."""
    return sum(history.position_bytes for history in histories)


class Sessions:
    """The tables, and the threads, memory and files that they share."""

    def __init__(self, catalog: Catalog, resources: Resources, storage: Storage) -> None:
        self.catalog, self.resources, self.storage = catalog, resources, storage
        self.limits: ServerLimits = catalog.limits
        self.tables: dict[str, Session] = {}
        self.pace = Pace()
        self.closing, self.cluster = False, resources.brains is not None
        self._hands = Threads(HANDS, "luozi-work", HANDS)
        self._mouths = Threads(1, "luozi-news", 1)  # news wait for each other, and nobody for them
        self._guides = Threads(GUIDES, "luozi-open", 0)  # so that nobody at the limiter waits for those who think
        self._keeper = Threads(1, "luozi-keep", 1)  # so that a slow disk holds up no talk
        self._arriving = 0  # tables that are being put into the file
        self.shares = Shares(self.tables, resources, self.limits)
        self._heads = Threads(self.limits.engines, "luozi-think", min(READY, self.limits.engines), self.shares.most)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._noted: dict[str, float] = {}  # when a sentence was said to who runs the server

    # Work -------------------------------------------------------------------------------------------------------------

    async def work(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Have something short done in another thread."""
        return await self._hands.run(function, *arguments, **named)

    async def tell(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Have news put into words in another thread; nothing else waits for it."""
        return await self._mouths.run(function, *arguments, **named)

    async def view(self, position: Position, with_text: bool = True) -> PositionData:
        """A position as plain data; on a large board that takes a while."""
        game = position.game
        if game.actions <= SMALL and not game.checked:
            return shown(position, with_text)
        return await self.work(shown, position, with_text)

    async def fetch(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Have something done in another thread that may take a moment, for somebody who waits."""
        return await self._guides.run(function, *arguments, **named)

    async def think(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Have something done in another thread that may take its time."""
        return await self._heads.run(function, *arguments, **named)

    async def keep(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Have the file of tables read or written; if another program holds it, one sentence after a while.

        The wait counts from here, so that many who wait for the file do not wait for each other too.
        """
        end = time.monotonic() + PATIENCE_SECONDS
        try:
            return await self._keeper.run(self.storage.until, end, partial(function, *arguments, **named))
        except LuoziError as error:
            self.note(error.message)
            raise

    def note(self, sentence: str) -> None:
        """Say something to who runs the server: the same not more than once in a while."""
        now = time.monotonic()
        if now - self._noted.get(sentence, -NOTE_SECONDS) >= NOTE_SECONDS:
            self._noted = {one: at for one, at in self._noted.items() if now - at < NOTE_SECONDS}
            if len(self._noted) >= MOST_NOTED:
                return
            self._noted[sentence] = now
            LOG.error(translate(sentence))

    def spawn(self, work: Coroutine[None, None, None] | Awaitable[None]) -> asyncio.Task[None]:
        """Begin something that nobody waits for; it is held on to until it is over."""
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def whole(self, work: Coroutine[None, None, T]) -> T:
        """Do something to its end, also if who asked for it is gone before: a move is never made by half."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)

        def over(one: asyncio.Task[T]) -> None:
            self._tasks.discard(one)
            if not one.cancelled():
                one.exception()  # it was told, or there is nobody to tell

        task.add_done_callback(over)
        return await asyncio.shield(task)

    def sorry(self, error: BaseException) -> LuoziError:
        """One sentence about what should not have happened; a user's own game is named."""
        place = place_in_own_game(error)
        self.note(place or f"{type(error).__name__}: {error}".partition("\n")[0][:NOTE_CHARACTERS])
        return LuoziError(
            place or Message("something went wrong here ({kind}); the game is kept", kind=type(error).__name__)
        )

    # Games and seats --------------------------------------------------------------------------------------------------

    def seats_for(self, game: Game, given: Sequence[SeatChoice] | None) -> list[Seat]:
        """All seats: those given, then programs; a person first if none is."""
        if given and len(given) > game.players:
            raise LuoziError(
                "this game has {count} players, but {given} seats were given", count=game.players, given=len(given)
            )
        wanted = list(given or [SeatChoice("person")])
        wanted += [SeatChoice("player", "strong")] * (game.players - len(wanted))
        seats = [read_seat(choice, self.catalog.programs) for choice in wanted]
        for seat in seats:
            self.check_seat(game, seat)
        return seats

    def check_seat(self, game: Game, seat: Seat) -> None:
        """One sentence if this player can't play this game."""
        if seat.is_person:
            return
        thinker = player_for(self.resources, game, seat, self.catalog.programs)
        thinker.check()

    # Tables -----------------------------------------------------------------------------------------------------------

    async def new_table(
        self, spelling: str, seats: Sequence[SeatChoice] | None, moves: Sequence[int | str] = ()
    ) -> tuple[Session, str]:
        """A new table and its secret; the moves are played already."""
        history = await self.fetch(self.new_history, spelling, seats, moves)
        return await self.add_history(history)

    def new_history(self, spelling: str, seats: Sequence[SeatChoice] | None, moves: Sequence[int | str]) -> GameHistory:
        """A game with some moves played."""
        game = self.catalog.game(spelling)
        history = GameHistory(game, self.catalog.spelled(spelling), self.seats_for(game, seats))
        for move in moves:
            if history.is_over:
                raise LuoziError("the game was over before move {number}", number=history.number + 1)
            history.play(move, MoveNote())
        return history

    async def add_history(self, history: GameHistory) -> tuple[Session, str]:
        """A table for a game; its secret."""
        await self.make_room(history)
        name, secret = secrets.token_urlsafe(9), secrets.token_urlsafe(18)
        self._arriving += 1
        try:
            await self.keep(self._store, name, secret, history)
        finally:
            self._arriving -= 1
        table = self.tables[name] = Session(self, name, digest_of(secret), history)
        table.search.get_ready()
        return table, secret

    def _store(self, name: str, secret: str, history: GameHistory) -> None:
        """Put a new table into the file, where old ones make room for it."""
        if self.storage.count() >= self.limits.tables:
            self.storage.forget_old(self.limits.tables - 1)
        if self.storage.count() >= self.limits.tables:
            raise LuoziError("too many games are kept here: name another file with --sessions-db")
        moves = list(zip(history.played.actions, history.kept_moves(), strict=True))
        self.storage.add(name, secret, history.spelling, history.about(), moves, history.kept_findings())

    async def make_room(self, history: GameHistory) -> None:
        """Room for one more table in memory; one sentence if people are at all of them.

        Programs at tables at which nobody is answer at once, and these tables leave.
        """
        end = time.monotonic() + ROOM_SECONDS
        while self.is_full(history):
            self.sweep(0.0)
            if not self.is_full(history):
                return
            if not self.hurry() or time.monotonic() > end:
                raise LuoziError("too many games are under way here: try again in a while")
            await asyncio.sleep(LOOK_SECONDS)

    def is_full(self, history: GameHistory) -> bool:
        """Whether there are too many tables for one more, or their games have too many positions.

        A part is kept for those who have few tables.
        """
        client = CLIENT.get()
        most, megabytes = self.limits.open_tables, self.limits.positions_megabytes
        mine = [table.history for table in self.tables.values() if table.owner == client]
        has_much = max(len(mine) / most, bytes_of(mine) / 1e6 / megabytes) >= MUCH
        part = 1 - KEPT_FREE if has_much else 1.0
        taken = bytes_of([history, *(table.history for table in self.tables.values())]) / 1e6
        return len(self.tables) + self._arriving >= part * most or taken > part * megabytes

    async def find(self, name: str, secret: str) -> Session:
        """The table with this secret, from memory or from the file; one sentence if there is none."""
        table = self.tables.get(name)
        if table is None or await self.is_stale(table):
            kept = await self.keep(self.storage.find, name)
            if kept is None or not secrets.compare_digest(kept.secret, digest_of(secret)):
                raise GoneError(NO_TABLE)
            table = await self.seated(kept, await self.fetch(restored, self.catalog, kept))
        if not secrets.compare_digest(table.digest, digest_of(secret)):
            raise GoneError(NO_TABLE)
        return table

    async def seated(self, kept: StoredSession, history: GameHistory) -> Session:
        """A table from the file; the one in memory, if somebody was sooner."""
        table = self.tables.get(kept.id)
        if table is not None and (table.is_busy or table.history.number == history.number):
            return table
        if table is not None:
            table.close()
            del self.tables[kept.id]
        await self.make_room(history)
        if kept.id in self.tables:  # somebody was sooner
            return self.tables[kept.id]
        table = self.tables[kept.id] = Session(self, kept.id, kept.secret, history)
        table.search.get_ready()
        return table

    async def is_stale(self, table: Session) -> bool:
        """Whether another server has moved at a table at which nobody is here."""
        return not table.is_busy and await self.keep(self.storage.moves, table.id) != table.history.number

    # Coming and going -------------------------------------------------------------------------------------------------

    def sweep(self, idle: float = IDLE_SECONDS) -> None:
        """Let tables leave the memory at which nobody is."""
        now = time.monotonic()
        for name, table in list(self.tables.items()):
            if table.thinking is not None or table.lock.locked():
                continue
            if not table.connections and now - table.used >= idle:
                table.close()
                del self.tables[name]
            elif now - table.used >= REST_SECONDS:
                table.rest()

    async def keep_sweeping(self) -> None:
        """As long as the server runs."""
        while not self.closing:
            await asyncio.sleep(SWEEP_SECONDS)
            crowded = self.resources.workers.crowding > CROWDED
            self.sweep(SWEEP_SECONDS if crowded else IDLE_SECONDS)
            if crowded:
                self.hurry()
            await self.work(give_back_memory)

    def hurry(self) -> bool:
        """Where there is little room, programs at tables at which nobody is answer at once; whether there are any."""
        alone = [table for table in self.tables.values() if table.thinking is not None and not table.connections]
        for table in alone:
            if table.thinking is not None:
                table.thinking.move_now()
        return bool(alone)

    def close(self) -> None:
        """Everybody leaves; everything is kept."""
        self.closing = True
        for table in list(self.tables.values()):
            table.close()
        for task in list(self._tasks):
            task.cancel()
        self.resources.close()
        for threads in (self._hands, self._mouths, self._guides, self._heads):
            threads.close()
        self._keeper.close(wait=True)  # what was to be kept is kept
        self.storage.close()
