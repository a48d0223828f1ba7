"""All sessions of a server: starting them, finding them by id and secret, and the threads and files that they share."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, ParamSpec, TypeVar

from luozi.messages import LuoziError, Message, translate
from luozi.rules.board import PositionData
from luozi.rules.position import Position
from luozi.util.machine import give_back_memory
from luozi.util.own_code import place_in_own_game
from luozi.web.board_data import position_data
from luozi.web.catalog import Catalog
from luozi.web.game_history import GameHistory
from luozi.web.limits import ServerLimits
from luozi.web.openings import GameReader, restored
from luozi.web.protocol import GoneError
from luozi.web.resources import Resources
from luozi.web.session import Session
from luozi.web.shares import CLIENT, LOOK_SECONDS, ROOM_SECONDS, Shares, Threads
from luozi.web.storage import PATIENCE_SECONDS, Storage, StoredSession, digest_of
from luozi.web.thinking import Pace

IDLE_SECONDS = 900.0  # then a session without a page leaves the memory
REST_SECONDS = 600.0  # without a move, then its engines do
SWEEP_SECONDS = 30.0
MUCH = 1 / 8  # of all sessions, or of the memory of their positions: a client with more
KEPT_FREE = 1 / 4  # finds this part taken
CROWDED = 0.75  # of all engines, or of their memory: then sessions without a page leave sooner
SHORT_THREADS, SEARCH_THREADS, OPENING_THREADS = 4, 32, 8  # SEARCH_THREADS: that are started at once
SMALL = 450  # actions of a game whose positions are drawn in the network's thread
LOGGED_CHARACTERS = 300
MOST_LOGGED = 100  # different messages within LOGGED_SECONDS
LOGGED_SECONDS = 60.0  # between two equal messages in the log
P = ParamSpec("P")
T = TypeVar("T")
LOG = logging.getLogger("luozi.server")
NO_SESSION = Message("this game does not exist on the server, or its secret is wrong")


def bytes_of(histories: Sequence[GameHistory]) -> int:
    """Return the memory of the positions of some games."""
    return sum(history.position_bytes for history in histories)


class Sessions:
    """The sessions in memory, by id, and what they share.

    Each kind of work has its own threads, so that none waits for a longer one: `workers` for a moment of work,
    `openers` for making and reading games, `drawers` for pictures and reports, `notifier` for search progress,
    `searchers` for players.
    """

    def __init__(self, catalog: Catalog, resources: Resources, storage: Storage) -> None:
        self.catalog, self.resources, self.storage = catalog, resources, storage
        self.limits: ServerLimits = catalog.limits
        self.openings = GameReader(catalog, resources)
        self.by_id: dict[str, Session] = {}
        self.pace = Pace()
        self.shares = Shares(self.by_id, resources, self.limits)
        self.closing, self.has_docs = False, False
        self.workers = Threads(SHORT_THREADS, "luozi-work", SHORT_THREADS)
        self.notifier = Threads(1, "luozi-news", 1)
        self.openers = Threads(OPENING_THREADS, "luozi-open", 0)
        self.drawers = Threads(1, "luozi-draw", 0)  # a moving picture of a long game takes many seconds
        engines = self.limits.engines
        self.searchers = Threads(engines, "luozi-think", min(SEARCH_THREADS, engines), self.shares.most)
        self.writer = Threads(1, "luozi-keep", 1)
        self._arriving = 0  # sessions that are being stored before they start
        self.tasks: set[asyncio.Task[Any]] = set()
        self._logged: dict[str, float] = {}  # when each message was logged

    # Work -------------------------------------------------------------------------------------------------------------

    async def view(self, position: Position, with_text: bool = True) -> PositionData:
        """Return a position for the page; that of a large board is made in another thread."""
        if position.game.actions <= SMALL and not position.game.checked:
            return position_data(position, with_text)
        return await self.workers.run(position_data, position, with_text)

    async def store(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Read or write the sessions database in its own thread.

        Raises:
            LuoziError: it fails, or another program holds the file for PATIENCE_SECONDS from this call on.
        """
        end = time.monotonic() + PATIENCE_SECONDS
        try:
            return await self.writer.run(self.storage.until, end, partial(function, *arguments, **named))
        except LuoziError as error:
            self.log(error.message)
            raise

    def log(self, sentence: str) -> None:
        """Log a message for the operator, the same one at most once in LOGGED_SECONDS."""
        now = time.monotonic()
        if now - self._logged.get(sentence, -LOGGED_SECONDS) >= LOGGED_SECONDS:
            self._logged = {one: at for one, at in self._logged.items() if now - at < LOGGED_SECONDS}
            if len(self._logged) < MOST_LOGGED:
                self._logged[sentence] = now
                LOG.error(translate(sentence))

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task that nobody waits for, and hold on to it until it is over."""
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self._over)
        return task

    def _over(self, task: asyncio.Task[Any]) -> None:
        self.tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, LuoziError):
            self.unexpected(error)

    async def uninterrupted(self, work: Coroutine[Any, Any, T]) -> T:
        """Run work to its end, also if its client leaves: no move is made by half."""
        return await asyncio.shield(self.spawn(work))

    def unexpected(self, error: BaseException) -> LuoziError:
        """Log an error of the program or of a custom game, and return one sentence about it."""
        place = place_in_own_game(error)
        self.log(place or f"{type(error).__name__}: {error}".partition("\n")[0][:LOGGED_CHARACTERS])
        return LuoziError(
            place or Message("something went wrong here ({kind}); the game is kept", kind=type(error).__name__)
        )

    # Sessions ---------------------------------------------------------------------------------------------------------

    async def add(self, history: GameHistory) -> tuple[Session, str]:
        """Start a session with a game; return it and its secret."""
        await self.make_room(history)
        name, secret = secrets.token_urlsafe(9), secrets.token_urlsafe(18)
        self._arriving += 1
        try:
            await self.store(self._store_new, name, secret, history)
        finally:
            self._arriving -= 1
        return self._start(name, digest_of(secret), history), secret

    def _start(self, name: str, digest: str, history: GameHistory) -> Session:
        session = self.by_id[name] = Session(self, name, digest, history)
        session.search.get_ready()
        return session

    def _store_new(self, name: str, secret: str, history: GameHistory) -> None:
        """Store a new session, after old ones have made room for it."""
        if self.storage.count() >= self.limits.tables:
            self.storage.forget_old(self.limits.tables - 1)
        if self.storage.count() >= self.limits.tables:
            raise LuoziError("the database has too many games: choose another file with --sessions-db")
        moves = list(zip(history.played.actions, history.stored_moves(), strict=True))
        self.storage.add(name, secret, history.spelling, history.about(), moves, history.stored_findings())

    async def make_room(self, history: GameHistory) -> None:
        """Make room in memory for one more session: those without a page move at once and leave.

        Raises:
            LuoziError: all sessions have a page.
        """
        end = time.monotonic() + ROOM_SECONDS
        while self.is_full(history):
            self.sweep(0.0)
            if not self.is_full(history):
                return
            if not self.hurry() or time.monotonic() > end:
                raise LuoziError("too many games are open on this server: try again in a while")
            await asyncio.sleep(LOOK_SECONDS)

    def is_full(self, history: GameHistory) -> bool:
        """Return whether one more session would be too many, or its positions take too much memory.

        A part of both is kept free for clients that have few.
        """
        client = CLIENT.get()
        most, megabytes = self.limits.open_tables, self.limits.positions_megabytes
        mine = [session.history for session in self.by_id.values() if session.owner == client]
        has_much = max(len(mine) / most, bytes_of(mine) / 1e6 / megabytes) >= MUCH
        part = 1 - KEPT_FREE if has_much else 1.0
        taken = bytes_of([history, *(session.history for session in self.by_id.values())]) / 1e6
        return len(self.by_id) + self._arriving >= part * most or taken > part * megabytes

    async def find(self, name: str, secret: str) -> Session:
        """Return the session with an id and a secret, from memory or from the database.

        Raises:
            GoneError: there is none.
        """
        session = self.by_id.get(name)
        if session is None or await self.is_stale(session):
            stored = await self.store(self.storage.find, name)
            if stored is None or not secrets.compare_digest(stored.secret, digest_of(secret)):
                raise GoneError(NO_SESSION)
            session = await self.loaded(stored, await self.openers.run(restored, self.catalog, stored))
        if not secrets.compare_digest(session.digest, digest_of(secret)):
            raise GoneError(NO_SESSION)
        return session

    async def loaded(self, stored: StoredSession, history: GameHistory) -> Session:
        """Return a session of the database, or the one in memory if another client has loaded it sooner."""
        session = self.by_id.get(stored.id)
        if session is not None and (session.is_busy or session.history.number == history.number):
            return session
        if session is not None:
            session.close()
            del self.by_id[stored.id]
        await self.make_room(history)
        return self.by_id.get(stored.id) or self._start(stored.id, stored.secret, history)

    async def is_stale(self, session: Session) -> bool:
        """Return whether another server has made moves in a session that has no page here."""
        return not session.is_busy and await self.store(self.storage.moves, session.id) != session.history.number

    # Cleaning up ------------------------------------------------------------------------------------------------------

    def sweep(self, idle: float = IDLE_SECONDS) -> None:
        """Remove sessions without a page from memory after so many idle seconds, and engines without use."""
        now = time.monotonic()
        for name, session in list(self.by_id.items()):
            if session.thinking is not None or session.lock.locked():
                continue
            if not session.connections and now - session.used >= idle:
                session.close()
                del self.by_id[name]
            elif now - session.used >= REST_SECONDS:
                session.release()

    async def keep_sweeping(self) -> None:
        """Sweep as long as the server runs."""
        while not self.closing:
            await asyncio.sleep(SWEEP_SECONDS)
            crowded = self.resources.pool.crowding > CROWDED
            self.sweep(SWEEP_SECONDS if crowded else IDLE_SECONDS)
            if crowded:
                self.hurry()
            await self.workers.run(give_back_memory)

    def hurry(self) -> bool:
        """Have players move at once in sessions without a page; return whether there are any."""
        alone = [one.thinking for one in self.by_id.values() if one.thinking is not None and not one.connections]
        for thinking in alone:
            thinking.move_now()
        return bool(alone)

    def close(self) -> None:
        """End all searches; every game is stored already."""
        self.closing = True
        for session in list(self.by_id.values()):
            session.close()
        for task in list(self.tasks):
            task.cancel()
        self.resources.close()
        for threads in (self.workers, self.notifier, self.openers, self.drawers, self.searchers):
            threads.close()
        self.writer.close(wait=True)  # what is to be stored is stored
        self.storage.close()
