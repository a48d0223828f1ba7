"""The server as one Starlette application: the files of the page, the data routes, and the WebSocket."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from msgspec import UNSET
from starlette import types
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from luozi.messages import LuoziError
from luozi.web.access_control import COOKIE, AccessControl, AddressQuotas, address_key, is_loopback, is_same
from luozi.web.connections import ConnectionLimiter
from luozi.web.data_routes import DataRoutes
from luozi.web.protocol import told
from luozi.web.sessions import Sessions
from luozi.web.shares import CLIENT, client_of
from luozi.web.socket import TOO_MUCH, Connection

PAGE = Path(__file__).parent / "page"
DOCUMENTATION = Path(__file__).parent / "docs"  # written by `make docs`
NO_PAGE = "The page is not built yet: run 'make page' (it needs npm), then load this again."
POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; worker-src 'self' blob:; "
    "connect-src 'self' ws: wss:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
)
# The documentation has scripts inside its pages. Its files come with Luozi and hold nothing that a client wrote.
DOCUMENTATION_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "worker-src 'self' blob:; frame-ancestors 'self'; base-uri 'none'; form-action 'self'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
REFUSED, BUSY = 4403, 4429


class AccessMiddleware:
    """Checks each request before anything else sees it."""

    def __init__(self, app: ASGIApp, access: AccessControl, quotas: AddressQuotas) -> None:
        self.app, self.access, self.quotas = app, access, quotas

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        host, port = scope.get("client") or ("", 0)
        CLIENT.set(client_of(address_key(host), -port))  # connections of pages have positive numbers
        request = HTTPConnection(scope)
        refusal = self.access.refusal(request.headers)
        if not self.is_admitted(request):  # before the refusal: guesses of the token count too
            await too_many(scope, receive, send)
        elif refusal is None:
            await self.app(scope, receive, with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": REFUSED, "reason": refusal})
        else:
            await self.refused(scope, receive, send, refusal)

    def is_admitted(self, request: HTTPConnection) -> bool:
        """Return whether a request is within its rate; each connection of this machine has a small one of its own."""
        address, opened = address_of(request), request.scope.get("opened")
        if self.quotas.admits(address):
            return True
        return is_loopback(address) and opened is not None and bool(opened.requests.takes(time.monotonic()))

    async def refused(self, scope: Scope, receive: Receive, send: Send, refusal: str) -> None:
        """Send the refusal; an address with the right token gets it as a cookie instead."""
        request, token = Request(scope), self.access.token
        given = request.query_params.get("token", "")
        response: Response = JSONResponse({"error": refusal}, 403)
        if token and given and is_same(given, token) and self.access.knows_host(request.headers.get("host")):
            response = RedirectResponse("/" + request.url.path.lstrip("/"), 303)  # '//' would name another host
            response.set_cookie(COOKIE, quote(token, safe=""), httponly=True, samesite="strict", max_age=90 * 86_400)
        await response(scope, receive, with_headers(send))


def address_of(request: HTTPConnection) -> str:
    """Return the address of a client."""
    return request.client.host if request.client is not None else ""


async def too_many(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse a request of a client that sends too many."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": BUSY, "reason": TOO_MUCH})
        return
    response = JSONResponse({"error": TOO_MUCH}, 429, {"retry-after": "1"})
    await response(scope, receive, with_headers(send))


def with_headers(send: Send) -> Send:
    """Add the security headers to each response."""

    async def sending(message: types.Message) -> None:
        if message["type"] == "http.response.start":
            known = {name for name, _ in message["headers"]}
            added = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in known]
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return sending


class DocumentationFiles(StaticFiles):
    """The files of the documentation, with their own content security policy."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["content-security-policy"] = DOCUMENTATION_POLICY
        return response


def make_app(
    sessions: Sessions,
    access: AccessControl,
    pages: DataRoutes,
    page: Path = PAGE,
    proxy: str = "",
    docs: Path = DOCUMENTATION,
) -> Starlette:
    """Return the application. `proxy` is the address of a proxy before this server, whose X-Forwarded-For counts."""
    quotas, limiter = AddressQuotas(sessions.limits), ConnectionLimiter(sessions.limits, proxy)
    connections = 0
    sessions.has_docs = docs.is_dir()

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        sessions.shares.open()
        for work in (sessions.keep_sweeping(), sessions.pace.measure_lag(), limiter.watch()):
            sessions.spawn(work)
        try:
            yield
        finally:
            sessions.close()

    async def socket(websocket: WebSocket) -> None:
        nonlocal connections
        address = address_of(websocket)
        quota = quotas.at(address)
        crowded = quota.connections >= sessions.limits.place_connections and not is_loopback(address)
        full = connections >= sessions.limits.connections and not limiter.close_page(quota.name)
        if crowded or full or sessions.closing:
            await websocket.close(BUSY, "too many pages are open")
            return
        connections, quota.connections = connections + 1, quota.connections + 1
        try:
            await Connection(sessions, websocket, quota).run()
        finally:
            connections, quota.connections = connections - 1, quota.connections - 1

    async def no_page(_request: Request) -> Response:
        return PlainTextResponse(NO_PAGE + "\n", 503)

    built = (page / "index.html").is_file()
    files = Mount("/", StaticFiles(directory=page, html=True)) if built else Route("/", no_page)
    documentation = [Mount("/docs", DocumentationFiles(directory=docs, html=True))] if sessions.has_docs else []
    errors: dict[Any, Callable[[Request, Exception], Awaitable[Response]]] = {LuoziError: bad_input, 404: not_found}
    app = Starlette(
        routes=[*documentation, WebSocketRoute("/socket", socket), *pages.routes(), files],
        middleware=[Middleware(AccessMiddleware, access=access, quotas=quotas)],
        exception_handlers=errors,
        lifespan=lifespan,
    )
    app.state.sessions, app.state.limiter = sessions, limiter
    return app


async def bad_input(_request: Request, error: Exception) -> Response:
    """Return the sentence of a LuoziError."""
    sentence = told(error.message) if isinstance(error, LuoziError) else UNSET
    return JSONResponse({"error": str(error), **({} if sentence is UNSET else {"told": sentence})}, 400)


async def not_found(_request: Request, _error: Exception) -> Response:
    """Return a sentence for an unknown address."""
    return JSONResponse({"error": "there is nothing at this address"}, 404)
