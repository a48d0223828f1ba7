"""Limits of network connections, before anything else is done for them.

Half-sent requests and silent connections hold a descriptor each, of which a process has few. So a request must be
complete in time. Where there are too many connections, the one that has waited longest makes room for a new one: first
of the same address, then of the address with most. Where none waits, the page that was silent longest does; it can
connect again. A client whose data take long to read is read slowly.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any

from h11 import LocalProtocolError
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

from luozi.web.access_control import TokenBucket, address_key, is_loopback
from luozi.web.limits import ServerLimits

PIECE = 1024  # bytes that are read at a time, in some 3 ms if they are pings
LOOK_SECONDS = 0.5  # between two looks for late connections
BACKLOG = 32  # connections that are accepted at a time
QUEUE = 1024  # connections that wait in the system until they are accepted
SPARE = 6 * BACKLOG  # descriptors for connections that come while others go
KEPT_FREE = 96  # and for files, programs and what else the process opens
FEWEST = 16
QUIET = 0.95  # a connection with so much of its reading time left has sent next to nothing
SILENT_SECONDS = 1.0  # of a page that may be closed for others
REST_SECONDS = 0.01  # least pause before a connection that sent too much is read again
LOCAL_SHARE, ADDRESS_SHARE = 0.5, 0.3  # of the network's thread, for reading what one address sends


class OpenConnection:
    """One network connection."""

    def __init__(self, name: tuple[str, int], transport: asyncio.Transport, limits: ServerLimits) -> None:
        self.name, self.key, self.transport = name, address_key(name[0]), transport
        self.requests_open = 0  # that are being answered; the socket of a page is one
        self.since = time.monotonic()  # when it began to wait
        self.is_page, self.heard = False, self.since  # whether it is the socket of a page, and when it sent something
        self.reading = TokenBucket(limits.reading_share, limits.reading_at_once)  # seconds of reading its data
        self.sent, self.taken, self.taking = 0, 0, self.since  # bytes, and when it took some
        self.requests = TokenBucket(limits.always_each_second, limits.always_at_once)

    @property
    def waits(self) -> bool:
        """Whether it has not sent a whole request."""
        return not self.requests_open

    @property
    def is_quiet(self) -> bool:
        """Whether it has sent next to nothing lately: then it need not wait for others of its address."""
        return self.reading.level > QUIET * self.reading.at_once

    def is_late(self, now: float, limits: ServerLimits) -> bool:
        """Return whether it takes too long to send a request, or to take an answer."""
        unsent = 0
        with suppress(NotImplementedError, AttributeError):
            unsent = self.transport.get_write_buffer_size()
        if not unsent or self.sent - unsent - self.taken >= limits.taking_bytes:
            self.taken, self.taking = self.sent - unsent, now
        return now - self.taking > limits.taking_seconds or (self.waits and now - self.since > limits.asking_seconds)


Opened = list[OpenConnection]


class ConnectionLimiter:
    """All connections of a server; `most` is how many there may be."""

    def __init__(self, limits: ServerLimits, proxy: str = "", most: int | None = None) -> None:
        self.limits, self.proxy = limits, proxy
        self.most = min(limits.sockets, sockets_for(most_descriptors()) if most is None else most)
        self.opened: dict[asyncio.Transport, OpenConnection] = {}  # in the order in which they came
        self.named: dict[tuple[str, int], OpenConnection] = {}  # by address and port, as requests know them
        self.reading: dict[str, TokenBucket] = {}  # seconds of reading the data of each address

    def enter(self, transport: asyncio.Transport) -> OpenConnection | None:
        """Add a connection; return None if there is no room for it."""
        peer = transport.get_extra_info("peername")
        name = (str(peer[0]), int(peer[1])) if isinstance(peer, tuple) else ("", 0)
        one = OpenConnection(name, transport, self.limits)
        same = [other for other in self.opened.values() if other.key == one.key]
        waiting, share = [other for other in same if other.waits], self.share_of(name[0])
        full = len(same) >= share or len(waiting) >= max(1, share // 2)
        if full and not (self.close_oldest(waiting) or self.close_oldest(silent(same))):
            return None
        if len(self.opened) >= self.most and not (self.close_oldest(self.most_waiting()) or self.close_page(one.key)):
            return None
        part = LOCAL_SHARE if is_loopback(name[0]) else ADDRESS_SHARE
        self.reading.setdefault(one.key, TokenBucket(part, 2 * part)).fill(time.monotonic())
        self.opened[transport] = self.named[name] = one
        return one

    def share_of(self, host: str) -> int:
        """Return how many connections an address may have; a proxy, which speaks for many, may have all."""
        if host == self.proxy or (is_loopback(host) and is_loopback(self.proxy)):
            return self.most
        return max(1, self.most // 2 if is_loopback(host) else min(self.limits.place_sockets, self.most // 2))

    def most_waiting(self) -> Opened:
        """Return the waiting connections of the address with most of them."""
        return max(by_address(one for one in self.opened.values() if one.waits).values(), key=len, default=[])

    def close_oldest(self, found: Opened) -> bool:
        """Close the connection that has waited, or was silent, longest; return False if there is none."""
        if not found:
            return False
        oldest = min(found, key=lambda one: one.since if one.waits else one.heard)
        self.leave(oldest)
        oldest.transport.abort()
        return True

    def close_page(self, key: str) -> bool:
        """Close a silent page for one of an address: of the address with most pages, if it has more than this.

        Return False if no page is silent.
        """
        pages = by_address(one for one in self.opened.values() if one.is_page)
        most = max(pages, key=lambda one: len(pages[one]), default=key)
        has_more = len(pages.get(most, ())) > len(pages.get(key, ()))
        return self.close_oldest(silent(pages.get(most if has_more else key, ())))

    def leave(self, one: OpenConnection) -> None:
        """Remove a connection."""
        if self.opened.pop(one.transport, None) is None:
            return
        if self.named.get(one.name) is one:
            del self.named[one.name]
        if not any(other.key == one.key for other in self.opened.values()):
            self.reading.pop(one.key, None)

    def pause_seconds(self, one: OpenConnection) -> float:
        """Return how long to wait before more data of a connection are read; 0 if they are read now."""
        now, quiet = time.monotonic(), one.is_quiet
        shared = self.reading.get(one.key, one.reading)
        for bucket in (one.reading, shared):
            bucket.fill(now)
        empty = [it for it in (one.reading, shared) if it.level <= 0 and not (quiet and it is shared)]
        return max((REST_SECONDS - bucket.level / bucket.each_second for bucket in empty), default=0.0)

    def took(self, one: OpenConnection, seconds: float) -> None:
        """Note the time that it took to read a piece of a connection's data."""
        for bucket in (one.reading, self.reading.get(one.key, one.reading)):
            bucket.level -= seconds

    def begin(self, client: tuple[str, int] | None) -> OpenConnection | None:
        """Note that a whole request of an address and port has come; return its connection."""
        one = self.named.get((client[0], client[1])) if client else None
        if one is not None:
            one.requests_open += 1
        return one

    def end(self, one: OpenConnection | None) -> None:
        """Note that a request is answered: the next one has its own time."""
        if one is not None:
            one.requests_open, one.since = one.requests_open - 1, time.monotonic()

    async def watch(self) -> None:
        """Close late connections as long as the server runs."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            now = time.monotonic()
            for one in list(self.opened.values()):
                if one.is_late(now, self.limits):
                    self.leave(one)
                    one.transport.abort()


def by_address(found: Iterable[OpenConnection]) -> dict[str, Opened]:
    """Return connections by their address."""
    groups: dict[str, Opened] = defaultdict(list)
    for one in found:
        groups[one.key].append(one)
    return groups


def silent(found: Iterable[OpenConnection]) -> Opened:
    """Return the connections of pages that have sent nothing for a while."""
    now = time.monotonic()
    return [one for one in found if one.is_page and now - one.heard >= SILENT_SECONDS]


def most_descriptors() -> int:
    """Return how many descriptors the process may have, after raising its soft limit."""
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
    """Return how many connections fit into so many descriptors.

    >>> sockets_for(1024), sockets_for(64)
    (736, 16)
    """
    return max(FEWEST, descriptors - SPARE - KEPT_FREE)


class CountingApp:
    """An application whose requests are counted by the address of the connection itself.

    With a proxy, the application gets the address for which the proxy asks.
    """

    def __init__(self, app: ASGIApp, limiter: ConnectionLimiter) -> None:
        self.limiter = limiter
        self.app: ASGIApp = ProxyHeadersMiddleware(app, limiter.proxy) if limiter.proxy else app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["opened"] = opened = self.limiter.begin(scope.get("client"))
        if opened is not None:
            opened.is_page = scope["type"] == "websocket"
        try:
            await self.app(scope, receive, send)
        finally:
            self.limiter.end(opened)


# Between the network and uvicorn --------------------------------------------------------------------------------------


class LimitedTransport:
    """The transport that uvicorn sees: its calls that control reading go to the `LimitedProtocol`."""

    def __init__(self, transport: asyncio.Transport, outer: LimitedProtocol) -> None:
        self._transport, self._outer = transport, outer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send data."""
        if self._outer.opened is not None:
            self._outer.opened.sent += len(data)
        self._transport.write(data)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Have another protocol read from now on, as when a page opens its socket."""
        self._outer.inner = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Return the protocol that reads now."""
        return self._outer.inner

    def pause_reading(self) -> None:
        """Read no more for now."""
        self._outer.pause(True)

    def resume_reading(self) -> None:
        """Read on."""
        self._outer.pause(False)


class LimitedProtocol(asyncio.Protocol):
    """Reads one connection piece by piece, within its limits, and hands the data to uvicorn's protocol."""

    def __init__(self, limiter: ConnectionLimiter, **values: Any) -> None:
        self.limiter, self.inner = limiter, H11Protocol(**values)
        self.opened: OpenConnection | None = None
        self.transport: Any = None
        self._data = bytearray()  # that is not handed over yet
        self._unsent = False  # whether the client takes nothing of what is sent
        self._paused, self._resting = False, False

    def connection_made(self, transport: Any) -> None:
        """Accept the connection, or close it."""
        self.transport = transport
        self.opened = self.limiter.enter(transport)
        if self.opened is None:
            transport.abort()
            return
        self.inner.connection_made(LimitedTransport(transport, self))

    def data_received(self, data: bytes) -> None:
        """Receive data."""
        self._data += data
        if self.opened is not None:
            self.opened.heard = time.monotonic()
        if not self._resting:
            self._feed()

    def _feed(self) -> None:
        """Hand over one piece of data; other connections have a turn before the next piece."""
        self._resting = False
        if self._data and self.opened is not None and not self._paused and not self.transport.is_closing():
            loop, pause = asyncio.get_running_loop(), self.limiter.pause_seconds(self.opened)
            if not pause:
                self._read_piece(self.opened)
            if self._data:
                self._resting = True
                loop.call_later(pause, self._feed) if pause else loop.call_soon(self._feed)
        self._hold()

    def _read_piece(self, opened: OpenConnection) -> None:
        piece = bytes(self._data[:PIECE])
        del self._data[:PIECE]
        began = time.monotonic()  # not the processor's time: on a busy machine that is a small part of it
        try:
            self.inner.data_received(piece)
        except LocalProtocolError:  # malformed data after an answer, to which uvicorn would answer again
            self.transport.abort()
        self.limiter.took(opened, time.monotonic() - began)

    def pause(self, paused: bool) -> None:
        """Stop or go on handing over data, as uvicorn wants it."""
        self._paused = paused
        if not paused and self._data and not self._resting:
            asyncio.get_running_loop().call_soon(self._feed)
        self._hold()

    def _hold(self) -> None:
        """Read from the network only while nothing waits here."""
        with suppress(RuntimeError):  # it is closing
            if self._paused or self._data or self._unsent:
                self.transport.pause_reading()
            else:
                self.transport.resume_reading()

    def pause_writing(self) -> None:
        """Read nothing from a client that takes nothing: answers would pile up."""
        self._unsent = True
        self.inner.pause_writing()
        self._hold()

    def resume_writing(self) -> None:
        """Read on when the client has taken what was sent."""
        self._unsent = False
        self.inner.resume_writing()
        self._hold()

    def eof_received(self) -> bool | None:
        """Note the end of the data."""
        return None if self.opened is None else self.inner.eof_received()

    def connection_lost(self, error: Exception | None) -> None:
        """Remove the connection."""
        self._data.clear()
        if self.opened is not None:
            self.limiter.leave(self.opened)
            self.inner.connection_lost(error)


def limited_protocol(limiter: ConnectionLimiter) -> Callable[..., LimitedProtocol]:
    """Return what uvicorn calls for each connection."""
    return partial(LimitedProtocol, limiter)
