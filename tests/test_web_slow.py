"""Who sends half a request, or takes nothing of what is sent, keeps nobody else from being served."""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import os
import resource
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from unittest.mock import patch

import pytest
from web_page import PATIENCE, PERSONS, make_sessions, page_at, serving

from luozi.web import connections as limiter
from luozi.web.access_control import AccessControl
from luozi.web.connections import LOOK_SECONDS
from luozi.web.limits import ServerLimits
from luozi.web.server import bound_logs

HALF = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Half: "
BODY = b"POST /api/health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nx"
UPGRADE = b"GET /socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"


def connected(port: int) -> socket.socket:
    """A connection; it may be ended at any time."""
    made = socket.create_connection(("127.0.0.1", port), PATIENCE)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


@contextmanager
def half_sent(port: int, count: int, text: bytes = HALF):
    """So many connections that send this and no more."""
    with ExitStack() as held:
        for _ in range(count):
            one = held.enter_context(closing(connected(port)))
            with suppress(OSError):  # it had to make room already
                one.sendall(text)
        yield


def is_ended(one: socket.socket) -> bool:
    """Whether the server ends a connection; it is waited for."""
    with suppress(ConnectionError):
        while one.recv(65536):
            pass
    return True


def ends_while_sending(one: socket.socket, text: bytes, reading: bool = True) -> bool:
    """Whether the server has ended a connection while this was sent."""
    try:
        one.sendall(text)
        return reading and not one.recv(1000)
    except TimeoutError:
        return False
    except ConnectionError:
        return True


@pytest.mark.parametrize("text", [b"", HALF, BODY, UPGRADE])
def test_half_sent_requests_block_nobody_before_the_token_is_looked_at(text):
    sessions = make_sessions(limits=ServerLimits(engines=4, sockets=24))
    with serving(sessions, AccessControl("the token")) as client, half_sent(client.port, 60, text):
        assert client.get("/api/health", Authorization="Bearer the token")[0] == 200
        with page_at(client, Authorization="Bearer the token") as page, half_sent(client.port, 60, text):
            assert page.ask("new", game="tictactoe", seats=PERSONS)["type"] == "table"  # who is served stays
            assert client.get("/api/health", Authorization="Bearer the token")[0] == 200


@pytest.mark.parametrize("text", [b"", HALF, BODY, UPGRADE])
def test_a_request_has_so_long_to_be_sent(text):
    with serving(make_sessions(limits=ServerLimits(engines=4, asking_seconds=0.1))) as client, page_at(client) as page:
        with closing(connected(client.port)) as one:
            one.sendall(text)
            assert is_ended(one)
        assert page.ask("hello")["type"] == "welcome"  # a page may be silent for as long as it likes


def test_a_page_behind_another_server_may_be_silent_too():
    limits = ServerLimits(engines=4, asking_seconds=0.1)
    with serving(make_sessions(limits=limits)) as client, page_at(client, X_Forwarded_For="192.0.2.7") as page:
        with pytest.raises(TimeoutError):
            page.socket.recv(timeout=3 * LOOK_SECONDS)  # nothing comes, and it stays open
        assert page.ask("hello")["type"] == "welcome"


def test_a_request_that_comes_letter_by_letter_has_no_longer():
    limits = ServerLimits(engines=4, asking_seconds=0.3)
    with serving(make_sessions(limits=limits)) as client, closing(connected(client.port)) as one:
        one.settimeout(0.02)
        one.sendall(HALF)
        while not ends_while_sending(one, b"x"):
            pass


def test_nonsense_after_an_answer_ends_the_connection_without_a_traceback(caplog):
    with serving(make_sessions()) as client, closing(connected(client.port)) as one:
        one.sendall(b"POST /api/health HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")
        assert one.recv(1000).startswith(b"HTTP/1.1 405")
        one.sendall(b"a" * 100)
        assert is_ended(one)
    assert "Traceback" not in caplog.text


def test_who_takes_nothing_of_what_is_sent_is_not_waited_for():
    limits = ServerLimits(engines=4, requests_at_once=10**6, taking_seconds=0.2, asking_seconds=PATIENCE)
    with serving(make_sessions(limits=limits)) as client, closing(connected(client.port)) as one:
        one.settimeout(0.1)
        while not ends_while_sending(one, b"GET /api/players HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100, False):
            pass
        assert client.get("/api/health")[0] == 200


@pytest.mark.parametrize("limits", [ServerLimits(engines=4, sockets=24), ServerLimits(engines=4, connections=20)])
def test_silent_pages_make_room_for_others_and_may_come_back(limits, monkeypatch):
    monkeypatch.setattr(limiter, "SILENT_SECONDS", 0.0)
    with serving(make_sessions(limits=limits)) as client, ExitStack() as held:
        pages = [held.enter_context(page_at(client)) for _ in range(60)]
        assert pages[-1].ask("new", game="tictactoe", seats=PERSONS)["type"] == "table"
        assert client.get("/api/health")[0] == 200
        with page_at(client) as again:
            assert again.ask("hello")["type"] == "welcome"


def frames(opcode: int, count: int) -> bytes:
    """So many empty frames of a page's socket."""
    return bytes([opcode, 0x80, 0, 0, 0, 0]) * count


@pytest.mark.parametrize("opcode", [0x89, 0x01])  # pings, and a message without an end
def test_frames_without_end_keep_nobody_waiting(opcode):
    key = b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    with serving() as client, page_at(client) as page, closing(connected(client.port)) as one:
        one.sendall(UPGRADE + key)
        assert b"101" in one.recv(1000)
        one.settimeout(0.05)
        for _ in range(20):
            with suppress(TimeoutError, ConnectionError):
                one.sendall(frames(opcode, 20_000))
            assert page.ask("hello")["type"] == "welcome"


def test_the_servers_own_lines_are_few_and_short(capsys):
    limits = ServerLimits(log_lines_a_minute=0.001, log_lines_at_once=5, log_characters=100)
    handler = bound_logs(limits)
    try:
        for name in ("uvicorn.error", "asyncio", "luozi.server"):
            for number in range(200):
                try:
                    raise ValueError("x" * 10_000)
                except ValueError:
                    logging.getLogger(name).exception("line %d of %s", number, "y" * 10_000)
    finally:
        logging.getLogger().removeHandler(handler)
    assert len(capsys.readouterr().err) < 5 * 300


# With as many as an attack has ----------------------------------------------------------------------------------------


@contextmanager
def command(descriptors: int, *more: str):
    """The server as a command, with so many descriptors."""
    start = [sys.executable, "-m", "luozi.cli", "serve", "--port", "0", "--no-open", "--threads", "1", *more]
    bounded = f"import resource, os, sys; resource.setrlimit(resource.RLIMIT_NOFILE, ({descriptors},) * 2); "
    started = [sys.executable, "-c", bounded + "os.execv(sys.argv[1], sys.argv[1:])", *start]
    with subprocess.Popen(started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().decode()
            yield process, int(address.rsplit(":", 1)[1].split("/")[0])
        finally:
            process.kill()


@pytest.mark.long
def test_1300_half_sent_requests_and_1024_descriptors(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2000), hard))
    try:
        with command(1024, "--host", "0.0.0.0", "--token", "t", "--sessions-db", str(tmp_path / "t")) as (
            process,
            port,
        ):
            with half_sent(port, 1300):
                for _ in range(20):
                    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
                    asked.request("GET", "/api/health", headers={"Authorization": "Bearer t"})
                    assert json.loads(asked.getresponse().read())["tables"] == 0
                    asked.close()
                assert len(os.listdir(f"/proc/{process.pid}/fd")) < 1024
            process.terminate()
            assert process.stderr is not None
            assert process.stderr.read() == b""
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Sender:
    """A transport of which nothing is ever written."""

    def __init__(self) -> None:
        self.reading = True

    def get_extra_info(self, name: str) -> tuple[str, int]:
        return "192.0.2.1", 1

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True


class Reader(asyncio.Protocol):
    """What reads, slowly, without taking the processor's time, as on a machine that is busy with other things."""

    def __init__(self, log: list[str], name: str, seconds: float = 0.0) -> None:
        self.log, self.name, self.seconds = log, name, seconds

    def data_received(self, data: bytes) -> None:
        self.log.append(self.name)
        time.sleep(self.seconds)


def limited(reader: Reader, limits: ServerLimits) -> tuple[Sender, limiter.LimitedProtocol]:
    """A connection whose data is read by this."""
    with patch.object(limiter, "H11Protocol", lambda: reader):
        made, sender = limiter.LimitedProtocol(limiter.ConnectionLimiter(limits)), Sender()
    made.transport = sender
    made.opened = made.limiter.enter(sender)
    return sender, made


def test_connections_that_send_much_are_read_in_turn():
    async def both() -> list[str]:
        log: list[str] = []
        for name in "ab":
            sender, one = limited(Reader(log, name), ServerLimits())
            one.data_received(bytes(5 * limiter.PIECE))
            assert not sender.reading
        while one._data:
            await asyncio.sleep(0)
        return log

    assert "".join(asyncio.run(both())) == "ababababab"


def test_the_time_that_reading_takes_counts_though_the_processor_does_other_things():
    async def read() -> int:
        limits = ServerLimits(reading_share=0.01, reading_at_once=0.05)
        log: list[str] = []
        _, one = limited(Reader(log, "a", 0.02), limits)
        one.data_received(bytes(50 * limiter.PIECE))
        await asyncio.sleep(0.5)
        return len(log)

    assert asyncio.run(read()) <= 4
