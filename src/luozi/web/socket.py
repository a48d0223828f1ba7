"""One connection: messages come in, are checked, and are brought to the table; answers and news go out."""

from __future__ import annotations

import asyncio
import itertools
import time
from contextlib import suppress

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

import luozi
from luozi.messages import LuoziError, Message
from luozi.web.analysis_views import VIEWS
from luozi.web.answers import Answer, FailureMessage, OkMessage, ServerBounds, TableMessage, WelcomeMessage
from luozi.web.documentation import DOCUMENTATION
from luozi.web.encoding import dumped
from luozi.web.handlers import HANDLERS, Handler
from luozi.web.message_data import refusal
from luozi.web.openings import open_table
from luozi.web.protocol import read_id, read_request
from luozi.web.rates import AddressQuota, TokenBucket
from luozi.web.requests import AnyRequest, HelloRequest, LeaveRequest, OpeningRequest, WatchRequest
from luozi.web.session import Session
from luozi.web.sessions import Sessions
from luozi.web.shares import CLIENT, client_of

MOST_WAITING = 400  # messages for somebody who is slow
MOST_CHARACTERS = 2**24  # of all of them together
SLOW_SECONDS = 60.0  # to take one message: then it is gone
GOODBYE_SECONDS = 1.0
MOST_NEWS = 20  # then news are left out
TOO_BIG, TRY_LATER = 1009, 1013
BUSY_SECONDS = 0.2  # before the next message of who sends too many is looked at
TOO_MUCH = "too much is asked from your address at once: wait a moment"

AT_TABLE = HANDLERS | VIEWS
NUMBERS = itertools.count(1)  # of connections


class Connection:
    """A page."""

    def __init__(self, sessions: Sessions, socket: WebSocket, place: AddressQuota | None = None) -> None:
        self.sessions, self.socket = sessions, socket
        self.place = place or AddressQuota(sessions.limits)  # what all pages of its address have sent
        self.client = client_of(self.place.name, next(NUMBERS))
        self.always = TokenBucket(sessions.limits.always_each_second, sessions.limits.always_at_once)
        self.table: Session | None = None
        self.watching = True  # whether it wants to see programs think
        self.made: list[float] = []  # when it made tables
        self._later: list[Answer] = []
        self._out: asyncio.Queue[str] = asyncio.Queue(MOST_WAITING)
        self._waiting = 0  # characters of them
        self._gone = False

    # Out --------------------------------------------------------------------------------------------------------------

    def send(self, message: Answer) -> None:
        """Send a message, soon."""
        self.send_text(dumped(message))

    def send_text(self, text: str, news: bool = False) -> None:
        """The same as text; news may be left out where there are too many."""
        if news and (self._out.qsize() > MOST_NEWS or not self.watching):
            return
        with suppress(asyncio.QueueFull):
            if not self._waiting or self._waiting + len(text) <= MOST_CHARACTERS:
                self._out.put_nowait(text)
                self._waiting += len(text)
                return
        self._gone = True  # it reads nothing: it may come back, and hears everything then

    def answer(self, number: int | None, message: Answer) -> None:
        """Answer a message."""
        self.send(message if number is None else msgspec.structs.replace(message, id=number))

    def after_answer(self, message: Answer) -> None:
        """Send a message after the answer to the one in hand."""
        self._later.append(message)

    async def _write(self) -> None:
        while not self._gone:
            text = await self._out.get()
            await asyncio.wait_for(self.socket.send_text(text), SLOW_SECONDS)
            self._waiting -= len(text)

    # In ---------------------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Until the page is gone."""
        CLIENT.set(self.client)
        await self.socket.accept()
        self.send(self.welcome())
        writer = asyncio.ensure_future(self._write())
        reader = asyncio.ensure_future(self._read())
        try:
            await asyncio.wait([writer, reader], return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._gone = True
            for task in (reader, writer):
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
            wait = bucket.wait(time.monotonic())  # so that a page that sends without end is read slowly
            if wait:
                await asyncio.sleep(wait)
            if len(text) > limits.message_bytes:
                self.send(FailureMessage(Message("the message is too long")))
                return
            now = time.monotonic()
            if self.place.messages.takes(now) or (not self.place.name and self.always.takes(now)):
                await self.handle(text)
            else:
                self.answer(read_id(text), FailureMessage(TOO_MUCH))
                await asyncio.sleep(BUSY_SECONDS)

    async def handle(self, text: str | bytes) -> None:
        """One request, and its one answer."""
        self._later, number = [], None
        try:
            request = read_request(text, self.sessions.limits)
            number = request.id
            reply = await self.reply(request)
        except LuoziError as error:
            self.answer(read_id(text) if number is None else number, refusal(error))
            return
        except (WebSocketDisconnect, asyncio.CancelledError):
            raise
        except Exception as error:
            self.answer(number, refusal(self.sessions.sorry(error)))
            return
        if reply is not None:
            self.answer(number, reply)
        for later in self._later:
            self.send(later)

    async def reply(self, request: AnyRequest) -> Answer | None:
        """What the request asks for; None if the answer comes later."""
        handler = AT_TABLE.get(type(request))
        if handler is not None:
            if self.table is None:
                raise LuoziError("you are at no table: begin a new game first")
            return await self.sessions.whole(self._at_table(self.table, handler, request))
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
        return await self.sit(*await open_table(self.sessions, self.table, request))

    async def _at_table(self, table: Session, handler: Handler, request: AnyRequest) -> Answer | None:
        async with table.lock:
            return await handler(table, self, request)

    def refuse_too_many(self) -> None:
        """One sentence if a page makes tables without end."""
        now = time.monotonic()
        self.made = [at for at in self.made if now - at < 60.0]
        few = not self.place.name and len(self.made) < self.sessions.limits.always_new_tables
        if len(self.made) >= self.sessions.limits.new_tables or not (self.place.tables.takes(now) or few):
            raise LuoziError("too many new games in a minute: wait a little")
        self.made.append(now)

    # Tables -----------------------------------------------------------------------------------------------------------

    def welcome(self) -> WelcomeMessage:
        """What a page should know first."""
        limits = self.sessions.limits
        return WelcomeMessage(
            version=luozi.__version__,
            threads=self.sessions.resources.workers.threads,
            limits=ServerBounds(limits.seconds, limits.iterations, limits.tables),
            programs=list(self.sessions.catalog.programs),
            cluster=self.sessions.cluster,
            docs=DOCUMENTATION.is_dir(),
        )

    async def hello(self, request: HelloRequest) -> Answer:
        """Come back to a table."""
        if request.table is None and request.secret is None:
            return self.welcome()
        if request.table is None or request.secret is None:
            raise LuoziError("a table is found by its name and its secret")
        return await self.sit(await self.sessions.find(request.table, request.secret), request.secret)

    async def sit(self, table: Session, secret: str) -> TableMessage:
        """Sit down at a table."""
        self.leave()
        self.table = table
        async with table.lock:
            table.join(self)
            return msgspec.structs.replace(await table.table(), secret=secret)

    def leave(self) -> None:
        """Leave the table."""
        if self.table is not None:
            self.table.leave(self)
            self.table = None
