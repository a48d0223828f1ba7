"""A page for tests: it asks a real server, waits for the one answer, and remembers what else it heard."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

from luozi.web.access_control import AccessControl
from luozi.web.app import make_app
from luozi.web.catalog import Catalog
from luozi.web.data_routes import DataRoutes
from luozi.web.limits import ServerLimits
from luozi.web.resources import Resources
from luozi.web.server import Server, bound, config_for
from luozi.web.sessions import Sessions
from luozi.web.storage import Storage

PERSONS = [{"kind": "person"}, {"kind": "person"}]
PATIENCE = 60.0  # seconds, on a machine that is busy with other tests
RANDOM = {"kind": "player", "name": "random", "options": {"seed": 1}}


class Page:
    """One connection."""

    def __init__(self, socket: Any) -> None:
        self.socket, self.number = socket, 0
        self.news: list[dict[str, Any]] = []
        self.welcome = self.receive()

    def receive(self) -> dict[str, Any]:
        """The next message, whatever it is."""
        found: dict[str, Any] = json.loads(self.socket.recv(timeout=PATIENCE))
        return found

    def send(self, kind: str, /, **values: Any) -> int:
        """Say something and wait for nothing."""
        self.number += 1
        self.socket.send(json.dumps({"type": kind, "id": self.number, **values}))
        return self.number

    def ask(self, kind: str, /, **values: Any) -> dict[str, Any]:
        """Say something; the answer to it."""
        number = self.send(kind, **values)
        return self.until(lambda message: message.get("id") == number)

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message that is wanted; others are remembered."""
        while True:
            message = self.receive()
            if wanted(message):
                return message
            self.news.append(message)

    def until_type(self, kind: str) -> dict[str, Any]:
        """The next message of a type."""
        return self.until(lambda message: message["type"] == kind)


def make_sessions(tables: Path | None = None, limits: ServerLimits | None = None, **catalog: Any) -> Sessions:
    """A server's sessions with one thread and little memory."""
    limits = limits or ServerLimits(engines=16)
    return Sessions(Catalog(limits=limits, **catalog), Resources(1, 200, limits), Storage(tables))


class Client:
    """A server that listens on this machine."""

    def __init__(self, port: int, sessions: Sessions) -> None:
        self.port, self.sessions = port, sessions

    def get(self, path: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
        """What an address answers: status, content and headers."""
        asked = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            asked.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            answer = asked.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, answer.read(), found
        finally:
            asked.close()

    def json(self, path: str, **headers: str) -> Any:
        """The same where the answer is data."""
        return json.loads(self.get(path, **headers)[1])


@contextmanager
def serving(
    sessions: Sessions | None = None, access: AccessControl | None = None, results: Path | None = None
) -> Iterator[Client]:
    """A server in a thread of this process."""
    sessions = sessions or make_sessions()
    app, listening, ready = (
        make_app(sessions, access or AccessControl(), DataRoutes(sessions, results), proxy="127.0.0.1"),
        bound("127.0.0.1", 0),
        threading.Event(),
    )
    server = Server(config_for(app, sessions.limits), ready.set)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE)
    try:
        yield Client(listening.getsockname()[1], sessions)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)


@contextmanager
def page_at(client: Client, origin: str | None = None, **headers: str) -> Iterator[Page]:
    """A page of that server."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    address = f"ws://127.0.0.1:{client.port}/socket"
    with connect(address, origin=origin, additional_headers=named, max_size=None) as socket:  # type: ignore[arg-type]
        yield Page(socket)
