"""`luozi serve`: the server from its options to its end, and what it logs."""

from __future__ import annotations

import asyncio
import gc
import logging
import secrets
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from socket import AF_INET, AF_INET6, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket
from types import FrameType
from urllib.parse import quote

import uvicorn
from starlette.applications import Starlette

from luozi.compiled.cache import RARELY, cache_folder
from luozi.messages import LuoziError, reason_of, translate
from luozi.util.machine import memory_megabytes, usual_threads
from luozi.web.access_control import LOOPBACK, AccessControl, TokenBucket, is_loopback
from luozi.web.app import PAGE, make_app
from luozi.web.catalog import Catalog
from luozi.web.cluster_search import ClusterMachines
from luozi.web.connections import BACKLOG, QUEUE, CountingApp, limited_protocol
from luozi.web.data_routes import DataRoutes
from luozi.web.limits import ServerLimits
from luozi.web.resources import Resources
from luozi.web.sessions import Sessions
from luozi.web.storage import storage_at

DEFAULT_PORT = 8177
NEAR_PORTS = 20  # that are tried where none was given
MEMORY_SHARE = 0.5  # of the machine's
SWITCH_SECONDS = 0.001  # between Python's threads: an answer waits for no engine


@dataclass(frozen=True)
class ServerOptions:
    """The options of the command."""

    host: str = "127.0.0.1"
    port: int | None = None
    games: Sequence[str] = ()
    programs: dict[str, str] = field(default_factory=dict)
    threads: int | None = None
    memory: float | None = None  # megabytes
    token: str = ""
    tables: Path | None = None  # the sessions database
    results: Path | None = None
    limits: ServerLimits = field(default_factory=ServerLimits)
    cluster: str = ""
    names: Sequence[str] = ()  # other names of this server
    proxy: str = ""  # the address of a proxy before this server


def make_sessions(options: ServerOptions) -> Sessions:
    """Return the sessions of a server."""
    limits = options.limits
    catalog = Catalog(options.games, options.programs, limits)
    memory = options.memory or MEMORY_SHARE * memory_megabytes()
    resources = Resources(options.threads or usual_threads(), memory, limits)
    storage = storage_at(options.tables or cache_folder() / "tables.db")
    if options.cluster:
        resources.machines = ClusterMachines.at(options.cluster)
    return Sessions(catalog, resources, storage)


def access_for(options: ServerOptions) -> AccessControl:
    """Return the access control: on this machine the server's names suffice, elsewhere a token is needed."""
    if is_loopback(options.host):
        return AccessControl(options.token, (*LOOPBACK, options.host, *options.names))
    return AccessControl(options.token or secrets.token_urlsafe(18), tuple(options.names))


def bound(host: str, port: int | None) -> socket:
    """Return a bound socket; without a port, at the first free one from DEFAULT_PORT on.

    Raises:
        LuoziError: no port is free, or the host is not of this machine.
    """
    wanted = [port] if port is not None else [DEFAULT_PORT + number for number in range(NEAR_PORTS)]
    reason = ""
    for number in wanted:
        one = socket(AF_INET6 if ":" in host else AF_INET, SOCK_STREAM)
        one.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        try:
            one.bind((host, number))
        except (OSError, OverflowError) as error:
            one.close()
            reason = reason_of(error)
            continue
        return one
    raise LuoziError(
        "can't listen at {host}, port {port}: {reason}; choose another with --port",
        host=host,
        port=wanted[0],
        reason=reason,
    )


class Server(uvicorn.Server):  # type: ignore[misc]
    """Uvicorn with a call when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end; after a second signal, uvicorn's errors are not shown."""
        if self.should_exit:
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Listen, then call `ready`."""
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(QUEUE)  # more may wait than are accepted at a time
        self.ready()


def serve(
    options: ServerOptions, open_browser: bool, say: Callable[[str], None], until_end_of_input: bool = False
) -> int:
    """Serve until Ctrl-C, SIGTERM or, if so wanted, the end of the input; return the exit status."""
    access = access_for(options)
    listening = bound(options.host, options.port)
    sessions = make_sessions(options)
    bound_logs(options.limits)
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()  # loaded modules stay: looking for garbage among them would delay answers
    gc.set_threshold(*RARELY)
    app = make_app(sessions, access, DataRoutes(sessions, options.results), proxy=options.proxy)
    address = address_of(options.host, listening.getsockname()[1], access.token)

    def ready() -> None:
        say(translate("Luozi is at {address}", address=address))
        if not (PAGE / "index.html").is_file():
            say(translate("the page is not built: run 'make page'; programs can talk to the server already"))
        say(translate("end it with Ctrl-C; every game is kept"))
        if open_browser:
            threading.Thread(target=show_page, args=(address,), daemon=True).start()
        if until_end_of_input:
            threading.Thread(target=wait_for_end, args=(server,), daemon=True).start()

    server = Server(config_for(app, options.limits), ready)
    with suppress(KeyboardInterrupt):
        asyncio.run(server.serve([listening]))
    return 0


def config_for(app: Starlette, limits: ServerLimits) -> uvicorn.Config:
    """Return uvicorn's configuration."""
    return uvicorn.Config(
        CountingApp(app, app.state.limiter),
        http=limited_protocol(app.state.limiter),
        backlog=BACKLOG,
        proxy_headers=False,
        log_level="error",
        log_config=None,  # all logs go through `bound_logs`
        ws="websockets-sansio",
        ws_max_size=limits.message_bytes,
        ws_per_message_deflate=False,  # it would take longer than the network does
        ws_ping_interval=20.0,
        ws_ping_timeout=60.0,
        timeout_graceful_shutdown=2,
        server_header=False,
        lifespan="on",
    )


def address_of(host: str, port: int, token: str) -> str:
    """Return the address to open in a browser.

    >>> address_of("127.0.0.1", 8177, ""), address_of("0.0.0.0", 80, "abc")
    ('http://127.0.0.1:8177/', 'http://0.0.0.0:80/?token=abc')
    """
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + (f"?token={quote(token, safe='')}" if token else "")


def show_page(address: str) -> None:
    """Open the browser, if there is one."""
    with suppress(Exception):
        webbrowser.open(address)


def wait_for_end(server: Server) -> None:
    """End the server when the input ends."""
    with suppress(OSError, ValueError):
        while sys.stdin.buffer.read(4096):
            pass
    server.should_exit = True


# Logs -----------------------------------------------------------------------------------------------------------------


class LogFilter(logging.Filter):
    """Lets a bounded number of lines of bounded length through, so that no client can fill a disk; counts the others.

    >>> bounded = LogFilter(ServerLimits(log_lines_a_minute=0.001, log_lines_at_once=1, log_characters=4))
    >>> records = [logging.makeLogRecord({"msg": "a long line"}) for _ in range(3)]
    >>> [bounded.filter(one) for one in records], records[0].getMessage(), bounded.left_out
    ([True, False, False], 'a lo...', 2)
    """

    def __init__(self, limits: ServerLimits) -> None:
        super().__init__()
        self.limits, self.left_out = limits, 0
        self._lines = TokenBucket(limits.log_lines_a_minute / 60, limits.log_lines_at_once)
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line is written, after shortening it."""
        with self._lock:
            if not self._lines.takes(time.monotonic()):
                self.left_out += 1
                return False
            left_out, self.left_out = self.left_out, 0
        text = self._cut(self._text(record))
        more = translate("{count} more lines were left out", count=left_out)
        record.msg = f"{text} ({more})" if left_out else text
        record.args, record.stack_info = (), None
        if record.exc_info:
            record.exc_text = self._cut(logging.Formatter().formatException(record.exc_info), end=True)
            record.exc_info = None
        return True

    def _text(self, record: logging.LogRecord) -> str:
        try:
            return record.getMessage()
        except Exception:  # its arguments do not fit its format
            return str(record.msg)

    def _cut(self, text: str, end: bool = False) -> str:
        """Return the beginning of a long text, or its end, where an error has its message."""
        most = self.limits.log_characters
        if len(text) <= most:
            return text
        return f"...{text[-most:]}" if end else f"{text[:most]}..."


def bound_logs(limits: ServerLimits) -> logging.Handler:
    """Write all logs through one handler with a `LogFilter`, and return it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(LogFilter(limits))
    logging.getLogger().addHandler(handler)
    return handler


__all__ = ["ServerOptions", "serve"]
