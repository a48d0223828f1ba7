"""One connection of a page: its requests are checked and answered, and events are sent to it."""

from __future__ import annotations

import asyncio
import itertools
import time
from contextlib import suppress

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

import luozi
from luozi.messages import LuoziError, Message
from luozi.web.access_control import AddressQuota, TokenBucket
from luozi.web.answers import Answer, FailureMessage, OkMessage, ServerBounds, TableMessage, WelcomeMessage
from luozi.web.handlers import HANDLERS, NO_SESSION, Handler, open_session
from luozi.web.protocol import dumped, read_id, read_request, refusal
from luozi.web.requests import AnyRequest, HelloRequest, LeaveRequest, OpeningRequest, WatchRequest
from luozi.web.session import Session
from luozi.web.sessions import Sessions
from luozi.web.shares import CLIENT, client_of

MOST_WAITING = 400  # messages for a page that reads slowly
MOST_CHARACTERS = 2**24  # of all of them together
MOST_PROGRESS = 20  # waiting messages; with more, progress is left out
SLOW_SECONDS = 60.0  # to take one message: then the page counts as gone
GOODBYE_SECONDS = 1.0
TRY_LATER = 1013
BUSY_SECONDS = 0.2  # before the next message of a client that sends too many is read
TOO_MUCH = "too many requests from your address: wait a moment"
NUMBERS = itertools.count(1)  # of connections


class Connection:
    """The WebSocket of one page."""

    def __init__(self, sessions: Sessions, socket: WebSocket, quota: AddressQuota | None = None) -> None:
        self.sessions, self.socket = sessions, socket
        self.quota = quota or AddressQuota(sessions.limits)  # of all pages of its address
        self.client = client_of(self.quota.name, next(NUMBERS))
        self.always = TokenBucket(sessions.limits.always_each_second, sessions.limits.always_at_once)
        self.session: Session | None = None
        self.watching = True  # whether it wants search progress
        self.made: list[float] = []  # when it started sessions
        self._later: list[Answer] = []
        self._out: asyncio.Queue[str] = asyncio.Queue(MOST_WAITING)
        self._waiting = 0  # characters of them
        self._gone = False

    # Sending ----------------------------------------------------------------------------------------------------------

    def send(self, message: Answer) -> None:
        """Queue a message."""
        self.send_text(dumped(message))

    def send_text(self, text: str, progress: bool = False) -> None:
        """Queue a message that is JSON already; search progress may be left out where too much waits."""
        if progress and (self._out.qsize() > MOST_PROGRESS or not self.watching):
            return
        with suppress(asyncio.QueueFull):
            if not self._waiting or self._waiting + len(text) <= MOST_CHARACTERS:
                self._out.put_nowait(text)
                self._waiting += len(text)
                return
        self._gone = True  # it reads nothing; when it connects again, it gets the whole state

    def answer(self, number: int | None, message: Answer) -> None:
        """Queue the response to the request with an id."""
        self.send(message if number is None else msgspec.structs.replace(message, id=number))

    def after_answer(self, message: Answer) -> None:
        """Send a message after the response to the current request."""
        self._later.append(message)

    async def _write(self) -> None:
        while not self._gone:
            text = await self._out.get()
            await asyncio.wait_for(self.socket.send_text(text), SLOW_SECONDS)
            self._waiting -= len(text)

    # Receiving --------------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Serve the page until it is gone."""
        CLIENT.set(self.client)
        await self.socket.accept()
        self.send(self.welcome())
        tasks = [asyncio.ensure_future(self._write()), asyncio.ensure_future(self._read())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._gone = True
            for task in reversed(tasks):
                task.cancel()
                with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError, OSError):
                    await task
            self.leave()
            with suppress(RuntimeError, WebSocketDisconnect, OSError):
                await asyncio.wait_for(self.socket.close(TRY_LATER), GOODBYE_SECONDS)

    async def _read(self) -> None:
        limits = self.sessions.limits
        bucket = TokenBucket(limits.messages_each_second, limits.messages_at_once)
        while not self._gone:
            received = await self.socket.receive()
            if received["type"] == "websocket.disconnect":
                return
            text = received.get("text") or received.get("bytes") or b""
            wait = bucket.wait(time.monotonic())  # a page that sends without end is read slowly
            if wait:
                await asyncio.sleep(wait)
            if len(text) > limits.message_bytes:
                self.send(FailureMessage(Message("the message is too long")))
                return
            now = time.monotonic()
            if self.quota.messages.takes(now) or (not self.quota.name and self.always.takes(now)):
                await self.handle(text)
            else:
                self.answer(read_id(text), FailureMessage(TOO_MUCH))
                await asyncio.sleep(BUSY_SECONDS)

    async def handle(self, text: str | bytes) -> None:
        """Serve one request: send its one response."""
        self._later, number = [], None
        try:
            request = read_request(text, self.sessions.limits)
            number = request.id
            reply = await self.reply(request)
        except LuoziError as error:
            self.answer(read_id(text) if number is None else number, refusal(error))
            return
        except WebSocketDisconnect:
            raise
        except Exception as error:
            self.answer(number, refusal(self.sessions.unexpected(error)))
            return
        if reply is not None:
            self.answer(number, reply)
        for later in self._later:
            self.send(later)

    async def reply(self, request: AnyRequest) -> Answer | None:
        """Return the response to a request; None if it comes later."""
        handler = HANDLERS.get(type(request))
        if handler is not None:
            if self.session is None:
                raise LuoziError(NO_SESSION)
            return await self.sessions.uninterrupted(self._in_session(self.session, handler, request))
        if isinstance(request, HelloRequest):
            return await self.hello(request)
        if isinstance(request, LeaveRequest):
            self.leave()
            return self.welcome()
        if isinstance(request, WatchRequest):
            self.watching = request.on
            return OkMessage()
        assert isinstance(request, OpeningRequest)
        self.refuse_too_many()
        return await self.join(*await open_session(self.sessions, self.session, request))

    async def _in_session(self, session: Session, handler: Handler, request: AnyRequest) -> Answer | None:
        async with session.lock:
            return await handler(session, self, request)

    def refuse_too_many(self) -> None:
        """Raise LuoziError if the page, or its address, starts too many sessions."""
        now = time.monotonic()
        self.made = [at for at in self.made if now - at < 60.0]
        few = not self.quota.name and len(self.made) < self.sessions.limits.always_new_tables
        if len(self.made) >= self.sessions.limits.new_tables or not (self.quota.sessions.takes(now) or few):
            raise LuoziError("too many new games in a minute: wait a little")
        self.made.append(now)

    # Sessions ---------------------------------------------------------------------------------------------------------

    def welcome(self) -> WelcomeMessage:
        """Return the first message."""
        sessions, limits = self.sessions, self.sessions.limits
        return WelcomeMessage(
            version=luozi.__version__,
            threads=sessions.resources.pool.threads,
            limits=ServerBounds(limits.seconds, limits.iterations, limits.tables),
            programs=list(sessions.catalog.programs),
            cluster=sessions.resources.machines is not None,
            docs=sessions.has_docs,
        )

    async def hello(self, request: HelloRequest) -> Answer:
        """Join a session again."""
        if request.table is None and request.secret is None:
            return self.welcome()
        if request.table is None or request.secret is None:
            raise LuoziError("a game is opened by its id and its secret: send both")
        return await self.join(await self.sessions.find(request.table, request.secret), request.secret)

    async def join(self, session: Session, secret: str) -> TableMessage:
        """Join a session, and leave the one until now; return its state."""
        self.leave()
        self.session = session
        async with session.lock:
            session.join(self)
            return msgspec.structs.replace(await session.state(), secret=secret)

    def leave(self) -> None:
        """Leave the session."""
        if self.session is not None:
            self.session.leave(self)
            self.session = None
