"""Who is at the limiter: every connection is counted here before anything else is done for it.

Half-sent requests and connections that say nothing hold a descriptor each, of which a process has few. So each has so
long to say what it wants, and where there are too many, who has waited longest makes room for who comes: first of the
same address, then of the address that has most. Where nobody waits, the page that was silent longest does, which may
come back. Who sends what takes long to read is read slowly.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from h11 import LocalProtocolError
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

from luozi.web.access_control import is_loopback
from luozi.web.limits import ServerLimits
from luozi.web.rates import TokenBucket, address_key

PIECE = 1024  # bytes that are read at a time, in some 3 ms if they are pings
LOOK_SECONDS = 0.5  # between two looks at who is late
BACKLOG = 32  # connections that are accepted at a time
QUEUE = 1024  # connections that wait in the system until they are accepted
SPARE = 6 * BACKLOG  # descriptors for those that come while others go
KEPT_FREE = 96  # and for files, programs and what else the process opens
FEWEST = 16
QUIET = 0.95  # of what may be read at once
SILENT_SECONDS = 1.0  # of a page that may be closed for others
REST_SECONDS = 0.01  # before who sent too much is read again, at least
LOCAL_SHARE, PLACE_SHARE = 0.5, 0.3  # of the network's thread, for reading what one address sends


class Visit:
    """One connection."""

    def __init__(self, name: tuple[str, int], transport: asyncio.Transport, limits: ServerLimits) -> None:
        self.name, self.place, self.transport = name, address_key(name[0]), transport
        self.asked = 0  # requests that are being answered; a socket of a page is one
        self.since = time.monotonic()  # when it began to wait
        self.is_page, self.heard = False, self.since  # whether it is the socket of a page, and when it sent something
        self.work = TokenBucket(limits.reading_share, limits.reading_at_once)  # seconds of reading what it sends
        self.sent, self.taken, self.taking = 0, 0, self.since  # bytes, and when it took some
        self.requests = TokenBucket(limits.always_each_second, limits.always_at_once)

    @property
    def waits(self) -> bool:
        """Whether it has still to say what it wants."""
        return not self.asked

    @property
    def is_quiet(self) -> bool:
        """Whether it has sent next to nothing lately: then it need not wait for others of its address."""
        return self.work.level > QUIET * self.work.at_once

    def is_late(self, now: float, limits: ServerLimits) -> bool:
        """Whether it takes too long to ask, or to take what was sent."""
        unsent = 0
        with suppress(NotImplementedError, AttributeError):
            unsent = self.transport.get_write_buffer_size()
        if not unsent or self.sent - unsent - self.taken >= limits.taking_bytes:
            self.taken, self.taking = self.sent - unsent, now
        return now - self.taking > limits.taking_seconds or (self.waits and now - self.since > limits.asking_seconds)


class ConnectionLimiter:
    """All connections of a server; `most` is how many there may be."""

    def __init__(self, limits: ServerLimits, proxy: str = "", most: int | None = None) -> None:
        self.limits, self.proxy = limits, proxy
        self.most = min(limits.sockets, sockets_for(most_descriptors()) if most is None else most)
        self.visits: dict[asyncio.Transport, Visit] = {}  # in the order in which they came
        self.named: dict[tuple[str, int], Visit] = {}  # by address and port, as requests know them
        self.work: dict[str, TokenBucket] = {}  # seconds of reading what each address sends

    def enter(self, transport: asyncio.Transport) -> Visit | None:
        """Somebody has come; None if there is no room for them."""
        peer = transport.get_extra_info("peername")
        visit = Visit((str(peer[0]), int(peer[1])) if isinstance(peer, tuple) else ("", 0), transport, self.limits)
        host, place = visit.name[0], visit.place
        here = [one for one in self.visits.values() if one.place == place]
        waiting, share = [one for one in here if one.waits], self.share_of(host)
        full = len(here) >= share or len(waiting) >= max(1, share // 2)
        if full and not (self.send_away(waiting) or self.send_away(silent(here))):
            return None
        if len(self.visits) >= self.most and not (self.send_away(self.crowd()) or self.close_page(place)):
            return None
        part = LOCAL_SHARE if is_loopback(host) else PLACE_SHARE
        self.work.setdefault(place, TokenBucket(part, 2 * part)).fill(time.monotonic())
        self.visits[transport] = self.named[visit.name] = visit
        return visit

    def share_of(self, host: str) -> int:
        """How many of all connections an address may have."""
        if host == self.proxy or (is_loopback(host) and is_loopback(self.proxy)):
            return self.most  # it speaks for many
        return max(1, self.most // 2 if is_loopback(host) else min(self.limits.place_sockets, self.most // 2))

    def crowd(self) -> list[Visit]:
        """Those who wait at the address from which most do."""
        waiting: dict[str, list[Visit]] = {}
        for visit in self.visits.values():
            if visit.waits:
                waiting.setdefault(visit.place, []).append(visit)
        return max(waiting.values(), key=len, default=[])

    def send_away(self, waiting: list[Visit]) -> bool:
        """Let who has waited longest, or was silent longest, go; False if there is nobody."""
        if not waiting:
            return False
        visit = min(waiting, key=lambda one: one.since if one.waits else one.heard)
        self.leave(visit)
        visit.transport.abort()
        return True

    def close_page(self, place: str) -> bool:
        """Close a silent page, of the address that has most pages, for one of this address; False if none is silent."""
        pages: dict[str, list[Visit]] = {}
        for visit in self.visits.values():
            if visit.is_page:
                pages.setdefault(visit.place, []).append(visit)
        most = max(pages, key=lambda one: len(pages[one]), default=place)
        has_more = len(pages.get(most, ())) > len(pages.get(place, ()))
        return self.send_away(silent(pages.get(most if has_more else place, ())))

    def leave(self, visit: Visit) -> None:
        """Somebody is gone."""
        if self.visits.pop(visit.transport, None) is None:
            return
        if self.named.get(visit.name) is visit:
            del self.named[visit.name]
        if not any(one.place == visit.place for one in self.visits.values()):
            self.work.pop(visit.place, None)

    def rest(self, visit: Visit) -> float:
        """How long to wait before more is read of what somebody sends; 0 if it is read now."""
        now, quiet = time.monotonic(), visit.is_quiet
        shared = self.work.get(visit.place, visit.work)
        for bucket in (visit.work, shared):
            bucket.fill(now)
        empty = [one for one in (visit.work, shared) if one.level <= 0 and not (quiet and one is shared)]
        return max((REST_SECONDS - one.level / one.each_second for one in empty), default=0.0)

    def read(self, visit: Visit, seconds: float) -> None:
        """It took so long to read a piece of what somebody sends."""
        for bucket in (visit.work, self.work.get(visit.place, visit.work)):
            bucket.level -= seconds

    # What they ask for ------------------------------------------------------------------------------------------------

    def begin(self, client: tuple[str, int] | None) -> Visit | None:
        """A request of an address and port is whole, and is being answered now."""
        visit = self.named.get((client[0], client[1])) if client else None
        if visit is not None:
            visit.asked += 1
        return visit

    def end(self, visit: Visit | None) -> None:
        """It was answered: what comes next has its own time."""
        if visit is not None:
            visit.asked, visit.since = visit.asked - 1, time.monotonic()

    # Time -------------------------------------------------------------------------------------------------------------

    async def watch(self) -> None:
        """As long as the server runs, send away who is late."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            now = time.monotonic()
            for visit in list(self.visits.values()):
                if visit.is_late(now, self.limits):
                    self.leave(visit)
                    visit.transport.abort()


def silent(visits: Iterable[Visit]) -> list[Visit]:
    """Those of pages that have sent nothing for a while."""
    now = time.monotonic()
    return [one for one in visits if one.is_page and now - one.heard >= SILENT_SECONDS]


def most_descriptors() -> int:
    """How many descriptors the process may have; it takes what it is allowed to."""
    try:
        import resource
    except ImportError:
        return 1024
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4096 if hard == resource.RLIM_INFINITY else min(4096, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return 4096 if soft == resource.RLIM_INFINITY else int(soft)


def sockets_for(descriptors: int) -> int:
    """How many connections so many descriptors are enough for.

    >>> sockets_for(1024), sockets_for(64)
    (736, 16)
    """
    return max(FEWEST, descriptors - SPARE - KEPT_FREE)


class CountingApp:
    """An application whose requests are counted at the limiter, by the address of the connection itself.

    With `proxy`, the application gets the address for which the server there asks.
    """

    def __init__(self, app: ASGIApp, limiter: ConnectionLimiter) -> None:
        self.limiter = limiter
        self.app: ASGIApp = ProxyHeadersMiddleware(app, limiter.proxy) if limiter.proxy else app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["visit"] = visit = self.limiter.begin(scope.get("client"))
        if visit is not None:
            visit.is_page = scope["type"] == "websocket"
        try:
            await self.app(scope, receive, send)
        finally:
            self.limiter.end(visit)


# Between the network and uvicorn --------------------------------------------------------------------------------------


class LimitedTransport:
    """A transport as uvicorn sees it: who reads next, and whether anything is read, is decided at the limiter."""

    def __init__(self, transport: asyncio.Transport, entrance: LimitedProtocol) -> None:
        self._transport, self._entrance = transport, entrance

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send something."""
        if self._entrance.visit is not None:
            self._entrance.visit.sent += len(data)
        self._transport.write(data)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Another one reads from now on, as when a page opens its socket."""
        self._entrance.inner = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Who reads now."""
        return self._entrance.inner

    def pause_reading(self) -> None:
        """Nothing more, for now."""
        self._entrance.pause(True)

    def resume_reading(self) -> None:
        """Go on."""
        self._entrance.pause(False)


class LimitedProtocol(asyncio.Protocol):
    """One connection on its way from the network to uvicorn."""

    def __init__(self, limiter: ConnectionLimiter, **values: Any) -> None:
        self.limiter, self.inner = limiter, H11Protocol(**values)
        self._unsent = False  # whether it takes nothing of what is sent
        self.visit: Visit | None = None
        self.transport: Any = None
        self._come = bytearray()  # what nobody has read yet
        self._paused, self._resting = False, False

    def connection_made(self, transport: Any) -> None:
        """Let it in, or not."""
        self.transport = transport
        self.visit = self.limiter.enter(transport)
        if self.visit is None:
            transport.abort()
            return
        self.inner.connection_made(LimitedTransport(transport, self))

    def data_received(self, data: bytes) -> None:
        """Something has come."""
        self._come += data
        if self.visit is not None:
            self.visit.heard = time.monotonic()
        if not self._resting:
            self._feed()

    def _feed(self) -> None:
        """Hand over one piece of what has come; other connections have a turn before the next piece."""
        self._resting = False
        if self._come and self.visit is not None and not self._paused and not self.transport.is_closing():
            loop, rest = asyncio.get_running_loop(), self.limiter.rest(self.visit)
            if not rest:
                self._read_piece(self.visit)
            if self._come:
                self._resting = True
                loop.call_later(rest, self._feed) if rest else loop.call_soon(self._feed)
        self._hold()

    def _read_piece(self, visit: Visit) -> None:
        piece = bytes(self._come[:PIECE])
        del self._come[:PIECE]
        began = time.monotonic()  # not the processor's time: on a busy machine that is a small part of it
        try:
            self.inner.data_received(piece)
        except LocalProtocolError:  # it sends nonsense after it was answered, and uvicorn would answer again
            self.transport.abort()
        self.limiter.read(visit, time.monotonic() - began)

    def pause(self, paused: bool) -> None:
        """Uvicorn wants nothing more for now, or goes on."""
        self._paused = paused
        if not paused and self._come and not self._resting:
            asyncio.get_running_loop().call_soon(self._feed)
        self._hold()

    def _hold(self) -> None:
        """Read from the network only if nothing waits here."""
        with suppress(RuntimeError):  # it is closing
            if self._paused or self._come or self._unsent:
                self.transport.pause_reading()
            else:
                self.transport.resume_reading()

    def pause_writing(self) -> None:
        """It takes nothing, so nothing is read from it: answers to what it sends would pile up."""
        self._unsent = True
        self.inner.pause_writing()
        self._hold()

    def resume_writing(self) -> None:
        """It has taken what was sent."""
        self._unsent = False
        self.inner.resume_writing()
        self._hold()

    def eof_received(self) -> bool | None:
        """Nothing more will come."""
        return None if self.visit is None else self.inner.eof_received()

    def connection_lost(self, error: Exception | None) -> None:
        """It is gone."""
        self._come.clear()
        if self.visit is not None:
            self.limiter.leave(self.visit)
            self.inner.connection_lost(error)


def limited_protocol(limiter: ConnectionLimiter) -> Callable[..., LimitedProtocol]:
    """What uvicorn makes for each connection."""

    def made(**values: Any) -> LimitedProtocol:
        return LimitedProtocol(limiter, **values)

    return made
