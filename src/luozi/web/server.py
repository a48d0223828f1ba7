"""`luozi serve`: the server from its settings to its end."""

from __future__ import annotations

import asyncio
import gc
import logging
import secrets
import sys
import threading
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
from luozi.web.access_control import LOOPBACK, AccessControl, is_loopback
from luozi.web.app import PAGE, make_app
from luozi.web.catalog import Catalog
from luozi.web.cluster_search import ClusterMachines
from luozi.web.connections import BACKLOG, QUEUE, CountingApp, limited_protocol
from luozi.web.data_routes import DataRoutes
from luozi.web.limits import ServerLimits
from luozi.web.logs import bound_logs
from luozi.web.resources import Resources
from luozi.web.sessions import Sessions
from luozi.web.storage import storage_at

DEFAULT_PORT = 8177
NEAR_PORTS = 20  # are tried when the usual one is taken
MEMORY_SHARE = 0.5  # of the machine's
SWITCH_SECONDS = 0.001  # Python's threads take turns so often: an answer waits for no engine


@dataclass(frozen=True)
class ServerOptions:
    """What the command line says."""

    host: str = "127.0.0.1"
    port: int | None = None
    games: Sequence[str] = ()
    programs: dict[str, str] = field(default_factory=dict)
    threads: int | None = None
    memory: float | None = None  # megabytes
    token: str = ""
    tables: Path | None = None
    results: Path | None = None
    limits: ServerLimits = field(default_factory=ServerLimits)
    cluster: str = ""
    names: Sequence[str] = ()  # other names of this server
    proxy: str = ""  # the address of a server before this one


def make_sessions(settings: ServerOptions) -> Sessions:
    """All that is served."""
    limits = settings.limits
    catalog = Catalog(settings.games, settings.programs, limits)
    memory = settings.memory or MEMORY_SHARE * memory_megabytes()
    resources = Resources(settings.threads or usual_threads(), memory, limits)
    storage = storage_at(settings.tables or cache_folder() / "tables.db")
    if settings.cluster:
        resources.brains = ClusterMachines.at(settings.cluster)
    return Sessions(catalog, resources, storage)


def access_for(settings: ServerOptions) -> AccessControl:
    """Loopback needs nothing but its name; elsewhere a token."""
    if is_loopback(settings.host):
        return AccessControl(settings.token, (*LOOPBACK, settings.host, *settings.names))
    return AccessControl(settings.token or secrets.token_urlsafe(18), tuple(settings.names))


def bound(host: str, port: int | None) -> socket:
    """A socket that listens; one sentence if it can't be."""
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
    """Uvicorn, which says when it is ready; signals are ours."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end; who is impatient and asks again need not read where it was."""
        if self.should_exit:
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Say that it listens."""
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(QUEUE)  # more may wait than are accepted at a time
        self.ready()


def serve(
    settings: ServerOptions, open_browser: bool, say: Callable[[str], None], until_end_of_input: bool = False
) -> int:
    """Serve until Ctrl-C, SIGTERM, or where it is wanted, the end of the input; the exit status."""
    access = access_for(settings)
    listening = bound(settings.host, settings.port)
    sessions = make_sessions(settings)
    bound_logs(settings.limits)
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()  # what is loaded stays: looking for garbage among it would hold everybody up
    gc.set_threshold(*RARELY)
    app = make_app(sessions, access, DataRoutes(sessions, settings.results), proxy=settings.proxy)
    address = address_of(settings.host, listening.getsockname()[1], access.token)

    def ready() -> None:
        say(translate("Luozi is at {address}", address=address))
        if not (PAGE / "index.html").is_file():
            say(translate("the page is not built: run 'make page'; programs can talk to the server already"))
        say(translate("end it with Ctrl-C; every game is kept"))
        if open_browser:
            threading.Thread(target=show_page, args=(address,), daemon=True).start()
        if until_end_of_input:
            threading.Thread(target=wait_for_end, args=(server,), daemon=True).start()

    server = Server(config_for(app, settings.limits), ready)
    with suppress(KeyboardInterrupt):
        asyncio.run(server.serve([listening]))
    return 0


def config_for(app: Starlette, limits: ServerLimits) -> uvicorn.Config:
    """How uvicorn runs the application."""
    return uvicorn.Config(
        CountingApp(app, app.state.limiter),
        http=limited_protocol(app.state.limiter),
        backlog=BACKLOG,
        proxy_headers=False,
        log_level="error",
        log_config=None,  # all that is written is bounded in one place
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
    """What to open in a browser.

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


__all__ = ["ServerOptions", "serve"]
