"""One connection: messages come in, are checked, and are brought to the table; answers and news go out."""

from __future__ import annotations

import asyncio
import itertools
import time
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

import luozi
from luozi.messages import LuoziError
from luozi.web.encoding import dumped
from luozi.web.message_data import refusal
from luozi.web.openings import OPENINGS, open_table
from luozi.web.protocol import ClientMessage, read_id, read_message
from luozi.web.rates import AddressQuota, Bucket
from luozi.web.session import GameSession
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

NUMBERS = itertools.count(1)  # of connections


class Connection:
    """A page."""

    def __init__(self, hall: Sessions, socket: WebSocket, place: AddressQuota | None = None) -> None:
        self.hall, self.socket = hall, socket
        self.place = place or AddressQuota(hall.limits)  # what all pages of its address have sent
        self.client = client_of(self.place.name, next(NUMBERS))
        self.always = Bucket(hall.limits.always_each_second, hall.limits.always_at_once)
        self.table: GameSession | None = None
        self.watching = True  # whether it wants to see programs think
        self.answering: int | None = None  # the id of the message in hand
        self.made: list[float] = []  # when it made tables
        self._later: list[dict[str, Any]] = []
        self._out: asyncio.Queue[str] = asyncio.Queue(MOST_WAITING)
        self._waiting = 0  # characters of them
        self._gone = False

    # Out --------------------------------------------------------------------------------------------------------------

    def send(self, message: dict[str, Any]) -> None:
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

    def answer(self, number: int | None, message: dict[str, Any]) -> None:
        """Answer a message."""
        self.send(message if number is None else {**message, "id": number})

    def after_answer(self, message: dict[str, Any]) -> None:
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
        limits = self.hall.limits
        bucket = Bucket(limits.messages_each_second, limits.messages_at_once)
        while not self._gone:
            received = await self.socket.receive()
            if received["type"] == "websocket.disconnect":
                return
            text = received.get("text") or received.get("bytes") or b""
            wait = bucket.wait(time.monotonic())  # so that a page that sends without end is read slowly
            if wait:
                await asyncio.sleep(wait)
            if len(text) > limits.message_bytes:
                self.send({"type": "error", "message": "the message is too long"})
                return
            now = time.monotonic()
            if self.place.messages.takes(now) or (not self.place.name and self.always.takes(now)):
                await self.handle(text)
            else:
                self.answer(read_id(text), {"type": "error", "message": TOO_MUCH})
                await asyncio.sleep(BUSY_SECONDS)

    async def handle(self, text: str | bytes) -> None:
        """One message, and its one answer."""
        self.answering, self._later = None, []
        try:
            message = read_message(text, self.hall.limits)
            self.answering = message.id
            reply = await self.reply(message)
        except LuoziError as error:
            number = self.answering if self.answering is not None else read_id(text)
            self.answer(number, refusal(error))
            return
        except (WebSocketDisconnect, asyncio.CancelledError):
            raise
        except Exception as error:
            self.answer(self.answering, refusal(self.hall.sorry(error)))
            return
        if reply is not None:
            self.answer(self.answering, reply)
        for later in self._later:
            self.send(later)

    async def reply(self, message: ClientMessage) -> dict[str, Any] | None:
        """What the message asks for; None if the answer comes later."""
        kind, values = message.type, message.values
        if kind == "hello":
            return await self.hello(values)
        if kind == "leave":
            self.leave()
            return self.welcome()
        if kind == "watch":
            self.watching = values["on"]
            return {"type": "ok"}
        if kind in OPENINGS:
            self.refuse_too_many()
            table, secret = await open_table(self.hall, self.table, kind, values)
            return await self.sit(table, secret)
        if self.table is None:
            raise LuoziError("you are at no table: begin a new game first")
        return await self.hall.whole(self._at_table(self.table, kind, values))

    async def _at_table(self, table: GameSession, kind: str, values: dict[str, Any]) -> dict[str, Any] | None:
        async with table.lock:
            reply: dict[str, Any] | None = await getattr(table, f"on_{kind}")(self, values)
            return reply

    def refuse_too_many(self) -> None:
        """One sentence if a page makes tables without end."""
        now = time.monotonic()
        self.made = [at for at in self.made if now - at < 60.0]
        few = not self.place.name and len(self.made) < self.hall.limits.always_new_tables
        if len(self.made) >= self.hall.limits.new_tables or not (self.place.tables.takes(now) or few):
            raise LuoziError("too many new games in a minute: wait a little")
        self.made.append(now)

    # Tables -----------------------------------------------------------------------------------------------------------

    def welcome(self) -> dict[str, Any]:
        """What a page should know first."""
        limits = self.hall.limits
        return {
            "type": "welcome",
            "version": luozi.__version__,
            "threads": self.hall.minds.workers.threads,
            "limits": {"seconds": limits.seconds, "iterations": limits.iterations, "tables": limits.tables},
            "programs": list(self.hall.offer.programs),
            "cluster": self.hall.cluster,
        }

    async def hello(self, values: dict[str, Any]) -> dict[str, Any]:
        """Come back to a table."""
        if ("table" in values) != ("secret" in values):
            raise LuoziError("a table is found by its name and its secret")
        if "table" not in values:
            return self.welcome()
        table = await self.hall.find(values["table"], values["secret"])
        return await self.sit(table, values["secret"])

    async def sit(self, table: GameSession, secret: str) -> dict[str, Any]:
        """Sit down at a table."""
        self.leave()
        self.table = table
        async with table.lock:
            table.join(self)
            return {**await table.whole(), "secret": secret}

    def leave(self) -> None:
        """Leave the table."""
        if self.table is not None:
            self.table.leave(self)
            self.table = None
