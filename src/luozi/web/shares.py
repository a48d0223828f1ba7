"""What each client may have of what all share: threads, engines and external programs.

A client is an address. On this machine, where one address may stand for many people, each connection is a client. Where
there is no room, engines without a search leave memory first; then searches of the client that has most move at once.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from luozi.players import Player
from luozi.search import Engine
from luozi.web.limits import ServerLimits

if TYPE_CHECKING:
    from luozi.web.resources import Resources
    from luozi.web.session import Session

P = ParamSpec("P")
T = TypeVar("T")
Holder = Engine | Player
Held = Callable[["Session"], Sequence[Holder]]  # the engines, or the programs, of a session
HERE = "#"  # before the number of a connection of this machine
CLIENT: ContextVar[str] = ContextVar("client", default="")  # that work is done for
ROOM_SECONDS = 5.0  # for searches that are to move at once
ANSWER_SECONDS = 0.5  # for one of them; then another one is to move too
LOOK_SECONDS = 0.02


class Threads:
    """A pool of threads in which clients take turns; one client has at most `each(client)` of them at once, or half.

    Everything but the work itself happens in the thread that serves the network. `ready` threads are started at once:
    starting one later takes time of that thread.
    """

    def __init__(self, count: int, name: str, ready: int, each: Callable[[str], int] | None = None) -> None:
        self.pool = ThreadPoolExecutor(count, name)
        started = threading.Event()
        for _ in range(ready):
            self.pool.submit(started.wait)
        started.set()
        self.each = each or (lambda client: max(1, count // 2))
        self._free = count
        self._running: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()  # the client served last is last

    async def run(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run a function for the current client when it has a turn, and return its result."""
        client, loop = CLIENT.get(), asyncio.get_running_loop()
        await self._turn(client)
        try:
            work = self.pool.submit(contextvars.copy_context().run, partial(function, *arguments, **named))
        except BaseException:
            self._over(client)
            raise

        def over(_work: Future[T]) -> None:  # also if nobody waits for it any more
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(self._over, client)

        work.add_done_callback(over)
        return await asyncio.wrap_future(work)

    async def _turn(self, client: str) -> None:
        if self._free and self._running[client] < self.each(client) and client not in self._waiting:
            self._begin(client)
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was cancelled after its turn had come
                self._over(client)
            raise

    def _begin(self, client: str) -> None:
        self._free -= 1
        self._running[client] += 1

    def _over(self, client: str) -> None:
        """Free a thread, and give turns to those who wait."""
        self._free += 1
        self._running[client] -= 1
        if not self._running[client]:
            del self._running[client]
        for name in list(self._waiting):
            if not self._free:
                return
            if self._running[name] < self.each(name):
                self._give_turn(name)

    def _give_turn(self, client: str) -> None:
        """Give a turn to the client's first work that is still wanted."""
        turns = self._waiting[client]
        while turns:
            turn = turns.popleft()
            if not turn.done():
                self._begin(client)
                turn.set_result(None)
                break
        self._waiting.move_to_end(client)
        if not turns:
            del self._waiting[client]

    def close(self, wait: bool = False) -> None:
        """End the pool; with `wait`, after the work that was given to it."""
        self.pool.shutdown(wait=wait, cancel_futures=not wait)


def engines_of(session: Session) -> Sequence[Holder]:
    """Return the engines of a session."""
    return session.engines


def programs_of(session: Session) -> Sequence[Holder]:
    """Return the external programs of a session."""
    return session.programs


class Shares:
    """Decides which sessions release their engines for which clients."""

    def __init__(self, sessions: Mapping[str, Session], resources: Resources, limits: ServerLimits) -> None:
        self.sessions, self.pool, self.limits = sessions, resources.pool, limits
        resources.pool.make_room = lambda has_room: self.make_room(has_room, engines_of)
        resources.make_program_room = lambda has_room: self.make_room(has_room, programs_of)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0  # that serves the network

    def open(self) -> None:
        """Take the current thread as the one that serves the network."""
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()

    def of_clients(self, sessions: Iterable[Session], held: Held = engines_of) -> dict[str, float]:
        """Return the share of all engines, or of their memory, that each client has in these sessions."""
        found: dict[str, float] = {}
        for session in sessions:
            found[session.owner] = found.get(session.owner, 0.0) + sum(map(self.pool.share_of, held(session)))
        return found

    def most(self, client: str) -> int:
        """Return how many engines a client may have."""
        return most_engines(client, self.limits)

    # Before a search --------------------------------------------------------------------------------------------------

    def before(self, session: Session) -> None:
        """Make room for a search: with too many of its client, the oldest that nobody sees moves at once."""
        thinking = [one for one in self.sessions.values() if one.thinking is not None and one is not session]
        own = [one for one in thinking if one.owner == session.owner]
        if len(own) >= self.most(session.owner):
            hurry(oldest([one for one in own if not one.connections and not one.yields]))
        elif len(thinking) >= self.limits.engines:
            hurry(oldest(self.busiest(session.owner, [one for one in thinking if not one.yields])))

    def rests(self, session: Session) -> bool:
        """Return whether nothing uses the engines of a session now."""
        return session.thinking is None and not session.lock.locked()

    def busiest(self, client: str, thinking: list[Session], held: Held = engines_of) -> list[Session]:
        """Return, of sessions with a search, those that nobody sees, or those of a client that has more than this."""
        shares = self.of_clients(thinking, held)
        mine = shares.get(client, 0.0)
        alone = [one for one in thinking if not one.connections and shares[one.owner] >= mine]
        if alone:
            return alone
        most = max(shares, key=lambda one: shares[one], default=client)
        return [one for one in thinking if one.owner == most] if shares.get(most, 0.0) > mine else []

    # Before an engine is made -----------------------------------------------------------------------------------------

    def make_room(self, has_room: Callable[[], bool], held: Held) -> None:
        """Have sessions release what they hold until there is room, or nothing is left to release.

        Called in other threads than the network's, for the current client.
        """
        loop = self._loop
        if loop is None or loop.is_closed() or threading.get_ident() == self._thread:
            return
        work = self._make_room(CLIENT.get(), has_room, held)
        try:
            asked = asyncio.run_coroutine_threadsafe(work, loop)
        except RuntimeError:  # the server has ended
            work.close()
            return
        with suppress(Exception):  # it ends meanwhile
            asked.result(2 * ROOM_SECONDS)

    def _release_own(self, client: str, held: Held) -> None:
        """Release resting engines of a client that has as many as it may have."""
        mine = [one for one in self.sessions.values() if one.owner == client and held(one)]
        taken = sum(len(held(one)) for one in mine)
        for one in sorted(filter(self.rests, mine), key=rank):
            if taken < self.most(client):
                return
            taken -= len(held(one))
            one.release()

    async def _make_room(self, client: str, has_room: Callable[[], bool], held: Held) -> None:
        self._release_own(client, held)
        end, last, left = time.monotonic() + ROOM_SECONDS, 0.0, 0.0
        while not has_room() and time.monotonic() < end:
            holding = [one for one in self.sessions.values() if held(one)]
            resting = [one for one in holding if self.rests(one)]
            if resting:
                shares = self.of_clients(self.sessions.values(), held)
                min(resting, key=lambda one: (-shares[one.owner], *rank(one))).release()
                left = time.monotonic()
                continue
            yielding = [one for one in holding if one.yields]
            if not yielding or time.monotonic() - last > ANSWER_SECONDS:  # some players can't be stopped
                thinking = [one for one in holding if one.thinking is not None and not one.yields]
                busy = self.busiest(client, thinking, held)
                yielding, last = [*yielding, *oldest(busy)], time.monotonic()
            if not yielding and time.monotonic() - left > ANSWER_SECONDS:  # a released engine is in use to its end
                return
            hurry(yielding)
            await asyncio.sleep(LOOK_SECONDS)


def most_engines(client: str, limits: ServerLimits) -> int:
    """Return how many engines a client may have.

    >>> most_engines("192.0.2.1", ServerLimits()), most_engines(client_of("", 7), ServerLimits())
    (64, 16)
    """
    return limits.connection_engines if client.startswith(HERE) else limits.place_engines


def client_of(key: str, number: int) -> str:
    """Return the client of an address (its `address_key`) and a connection.

    >>> client_of("192.0.2.1", 7), client_of("", 7)
    ('192.0.2.1', '#7')
    """
    return key or f"{HERE}{number}"


def rank(session: Session) -> tuple[bool, float]:
    """Order sessions: those that nobody sees first, then by their last use."""
    return bool(session.connections), session.used


def oldest(sessions: list[Session]) -> list[Session]:
    """Return the session with the longest search, of those that nobody sees if there are any; none of none."""
    began = {one.id: one.thinking.made if one.thinking else 0.0 for one in sessions}
    return sorted(sessions, key=lambda one: (bool(one.connections), began[one.id]))[:1]


def hurry(sessions: list[Session]) -> None:
    """Have programs move at once; their engines are released then."""
    for one in sessions:
        one.yields = True
        if one.thinking is not None:
            one.thinking.move_now()
