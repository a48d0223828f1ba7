"""What each client may have of what all share: threads, engines and outside programs.

A client is an address; of this machine, where one address may stand for many people, each connection is a client. Where
there is no room, engines at rest leave the memory first, then searches of the client that has most answer at once.
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
HERE = "#"  # before the number of a connection of this machine
CLIENT: ContextVar[str] = ContextVar("client", default="")  # for whom something is done now
ROOM_SECONDS = 5.0  # for searches that are to answer at once
ANSWER_SECONDS = 0.5  # for one of them; then another is to answer too
LOOK_SECONDS = 0.02


def started(threads: ThreadPoolExecutor, count: int) -> ThreadPoolExecutor:
    """The same with so many threads started: who starts one later has to wait for it."""
    ready = threading.Event()
    for _ in range(count):
        threads.submit(ready.wait)
    ready.set()
    return threads


class Threads:
    """Threads for the work of all clients, who take turns: one client has at most `each` of them at once, or half.

    Everything but the work itself happens in the thread of the network.
    """

    def __init__(self, count: int, name: str, ready: int, each: Callable[[str], int] | None = None) -> None:
        self.pool = started(ThreadPoolExecutor(count, name), ready)
        self.each = each or (lambda client: max(1, count // 2))
        self._free = count
        self._running: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()  # who had a turn last at the end

    async def run(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Have something done for the client at hand, when it has a turn."""
        client, loop = CLIENT.get(), asyncio.get_running_loop()
        await self._turn(client)
        try:
            work = self.pool.submit(contextvars.copy_context().run, partial(function, *arguments, **named))
        except BaseException:
            self._over(client)
            raise

        def over(_work: Future[T]) -> None:  # also where nobody waits for it any more
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(self._over, client)

        work.add_done_callback(over)
        return await asyncio.wrap_future(work)

    async def _turn(self, client: str) -> None:
        if self._free and self._running[client] < self.each(client) and client not in self._waiting:
            self._begin(client)
            return
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(called)
        try:
            await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled():  # its turn came too late
                self._over(client)
            raise

    def _begin(self, client: str) -> None:
        self._free -= 1
        self._running[client] += 1

    def _over(self, client: str) -> None:
        """A thread is free; who waits next has a turn."""
        self._free += 1
        self._running[client] -= 1
        if not self._running[client]:
            del self._running[client]
        for name in list(self._waiting):
            if not self._free:
                return
            if self._running[name] < self.each(name):
                self._call(name)

    def _call(self, client: str) -> None:
        """The turn of the client's first work that is still wanted."""
        calls = self._waiting[client]
        while calls:
            called = calls.popleft()
            if not called.done():
                self._begin(client)
                called.set_result(None)
                break
        self._waiting.move_to_end(client)
        if not calls:
            del self._waiting[client]

    def close(self, wait: bool = False) -> None:
        """Nothing more is done."""
        self.pool.shutdown(wait=wait, cancel_futures=not wait)


Held = Callable[["Session"], Sequence["Engine | Player"]]  # what a table has


def engines_of(table: Session) -> Sequence[Engine | Player]:
    """Its engines."""
    return table.engines


def programs_of(table: Session) -> Sequence[Engine | Player]:
    """Its outside programs."""
    return table.programs


class Shares:
    """Which tables give up their engines for whom."""

    def __init__(self, tables: Mapping[str, Session], resources: Resources, limits: ServerLimits) -> None:
        self.tables, self.workers, self.limits = tables, resources.workers, limits
        resources.workers.make_room = lambda has_room: self.make_room(has_room, engines_of)
        resources.make_program_room = lambda has_room: self.make_room(has_room, programs_of)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0  # where tables live

    def open(self) -> None:
        """From now on tables live in the thread at hand."""
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()

    def of_clients(self, tables: Iterable[Session], held: Held = engines_of) -> dict[str, float]:
        """The share of all engines, or of their memory, that each client has at these tables."""
        found: dict[str, float] = {}
        for table in tables:
            found[table.owner] = found.get(table.owner, 0.0) + sum(map(self.workers.share_of, held(table)))
        return found

    def most(self, client: str) -> int:
        """How many engines a client may have."""
        return most_engines(client, self.limits)

    # Before something is thought --------------------------------------------------------------------------------------

    def before(self, table: Session) -> None:
        """A client wants something thought: where it has too many thinking at once, the oldest of those that nobody
        sees answers now, and what follows waits for it.
        """
        thinking = [one for one in self.tables.values() if one.thinking is not None and one is not table]
        own = [one for one in thinking if one.owner == table.owner]
        if len(own) >= self.most(table.owner):
            hurry(oldest([one for one in own if not one.connections and not one.yields]))
        elif len(thinking) >= self.limits.engines:
            hurry(oldest(self.busiest(table.owner, [one for one in thinking if not one.yields])))

    def rests(self, table: Session) -> bool:
        """Whether nobody uses the engines of a table now."""
        return table.thinking is None and not table.lock.locked()

    def busiest(self, client: str, thinking: list[Session], held: Held = engines_of) -> list[Session]:
        """Of tables where somebody thinks: those that nobody sees, or of who has most, if that is more."""
        shares = self.of_clients(thinking, held)
        mine = shares.get(client, 0.0)
        alone = [one for one in thinking if not one.connections and shares[one.owner] >= mine]
        if alone:
            return alone
        most = max(shares, key=lambda one: shares[one], default=client)
        return [one for one in thinking if one.owner == most] if shares.get(most, 0.0) > mine else []

    # Before an engine is made -----------------------------------------------------------------------------------------

    def make_room(self, has_room: Callable[[], bool], held: Held) -> None:
        """In another thread than the network's: have tables give up what they hold, until there is room for one more of
        the client's or nothing is left that could be given up.
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

    def _own_make_room(self, client: str, held: Held) -> None:
        """Where a client has as many engines as it may have, its own at rest leave for one more."""
        mine = [one for one in self.tables.values() if one.owner == client and held(one)]
        taken = sum(len(held(one)) for one in mine)
        for one in sorted(filter(self.rests, mine), key=rank):
            if taken < self.most(client):
                return
            taken -= len(held(one))
            one.rest()

    async def _make_room(self, client: str, has_room: Callable[[], bool], held: Held) -> None:
        self._own_make_room(client, held)
        end, last, left = time.monotonic() + ROOM_SECONDS, 0.0, 0.0
        while not has_room() and time.monotonic() < end:
            holding = [one for one in self.tables.values() if held(one)]
            resting = [one for one in holding if self.rests(one)]
            if resting:
                shares = self.of_clients(self.tables.values(), held)
                min(resting, key=lambda one: (-shares[one.owner], *rank(one))).rest()
                left = time.monotonic()
                continue
            yielding = [one for one in holding if one.yields]
            if not yielding or time.monotonic() - last > ANSWER_SECONDS:  # some players can't be stopped
                thinking = [one for one in holding if one.thinking is not None and not one.yields]
                busy = self.busiest(client, thinking, held)
                yielding, last = [*yielding, *oldest(busy)], time.monotonic()
            if not yielding and time.monotonic() - left > ANSWER_SECONDS:  # an engine that left is in use to its end
                return
            hurry(yielding)
            await asyncio.sleep(LOOK_SECONDS)


def most_engines(client: str, limits: ServerLimits) -> int:
    """How many engines a client may have.

    >>> most_engines("192.0.2.1", ServerLimits()), most_engines(client_of("", 7), ServerLimits())
    (64, 16)
    """
    return limits.connection_engines if client.startswith(HERE) else limits.place_engines


def client_of(place: str, number: int) -> str:
    """Who asks from a place (`address_key`) over a connection.

    >>> client_of("192.0.2.1", 7), client_of("", 7)
    ('192.0.2.1', '#7')
    """
    return place or f"{HERE}{number}"


def rank(table: Session) -> tuple[bool, float]:
    """Tables that nobody sees first, and of these who was used last at the end."""
    return bool(table.connections), table.used


def oldest(tables: list[Session]) -> list[Session]:
    """The one that has thought longest, of those that nobody sees if there are any."""
    return sorted(tables, key=lambda one: (bool(one.connections), one.thinking.made if one.thinking else 0.0))[:1]


def hurry(tables: list[Session]) -> None:
    """Have programs answer at once; their engines are given up then."""
    for one in tables:
        one.yields = True
        if one.thinking is not None:
            one.thinking.move_now()
