"""The server as one Starlette application: the page's files, a few pages of data, and the socket."""

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
from luozi.web.access_control import COOKIE, AccessControl, is_loopback, is_same
from luozi.web.connections import ConnectionLimiter
from luozi.web.data_routes import DataRoutes
from luozi.web.documentation import DOCUMENTATION, DocumentationFiles
from luozi.web.message_data import told
from luozi.web.rates import AddressQuotas, address_key
from luozi.web.sessions import Sessions
from luozi.web.shares import CLIENT, client_of
from luozi.web.socket import TOO_MUCH, Connection

PAGE = Path(__file__).parent / "page"
NO_PAGE = "The page is not built yet: run 'make page' (it needs npm), then load this again."
POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; worker-src 'self' blob:; "
    "connect-src 'self' ws: wss:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
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
    """Every request passes here first."""

    def __init__(self, app: ASGIApp, access: AccessControl, places: AddressQuotas) -> None:
        self.app, self.access, self.places = app, access, places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        host, port = scope.get("client") or ("", 0)
        CLIENT.set(client_of(address_key(host), -port))  # connections of pages have numbers of their own
        asked = HTTPConnection(scope)
        refusal = self.refusal(asked)
        if not self.is_admitted(asked):  # guesses of the token count too
            await too_many(scope, receive, send)
        elif refusal is None:
            await self.app(scope, receive, with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": REFUSED, "reason": refusal})
        else:
            await self.refused(scope, receive, send, refusal)

    def is_admitted(self, asked: HTTPConnection) -> bool:
        """Whether a request is answered now; of this machine each connection may ask a little, whatever others ask."""
        address, visit = address_of(asked), asked.scope.get("visit")
        if self.places.admits(address):
            return True
        return is_loopback(address) and visit is not None and bool(visit.requests.takes(time.monotonic()))

    def refusal(self, asked: HTTPConnection) -> str | None:
        """Why a request is not answered, or None."""
        host, access = asked.headers.get("host"), self.access
        if not access.knows_host(host):
            return "this server does not go by that name; --host says by which it does"
        if not access.is_own_page(asked.headers.get("origin"), host) or not access.is_for_own_page(asked.headers):
            return "only pages of this server may ask"
        if not access.has_token(asked.headers):
            return "open the address with the token that the server printed when it was started"
        return None

    async def refused(self, scope: Scope, receive: Receive, send: Send, refusal: str) -> None:
        """Say so; but who opens the address with the token gets it as a cookie."""
        request, token = Request(scope), self.access.token
        given = request.query_params.get("token", "")
        response: Response = JSONResponse({"error": refusal}, 403)
        if token and given and is_same(given, token) and self.access.knows_host(request.headers.get("host")):
            response = RedirectResponse("/" + request.url.path.lstrip("/"), 303)  # two would begin another's address
            response.set_cookie(COOKIE, quote(token, safe=""), httponly=True, samesite="strict", max_age=90 * 86_400)
        await response(scope, receive, with_headers(send))


def address_of(asked: HTTPConnection) -> str:
    """From where somebody asks."""
    return asked.client.host if asked.client is not None else ""


async def too_many(scope: Scope, receive: Receive, send: Send) -> None:
    """One sentence to who asks too often."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": BUSY, "reason": TOO_MUCH})
        return
    response = JSONResponse({"error": TOO_MUCH}, 429, {"retry-after": "1"})
    await response(scope, receive, with_headers(send))


def with_headers(send: Send) -> Send:
    """The same answers with what keeps a browser from doing more than it should."""

    async def sending(message: types.Message) -> None:
        if message["type"] == "http.response.start":
            known = {name for name, _ in message["headers"]}
            added = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in known]
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return sending


def make_app(
    sessions: Sessions,
    access: AccessControl,
    pages: DataRoutes,
    page: Path = PAGE,
    proxy: str = "",
    docs: Path = DOCUMENTATION,
) -> Starlette:
    """The application; `proxy` is the address of a server before this one, which says for whom it asks."""

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        sessions.shares.open()
        sessions.spawn(sessions.keep_sweeping())
        sessions.spawn(sessions.pace.feel())
        sessions.spawn(limiter.watch())
        try:
            yield
        finally:
            sessions.close()

    connections, places, limiter = 0, AddressQuotas(sessions.limits), ConnectionLimiter(sessions.limits, proxy)

    async def socket(websocket: WebSocket) -> None:
        nonlocal connections
        address = address_of(websocket)
        place = places.at(address)
        crowded = place.connections >= sessions.limits.place_connections and not is_loopback(address)
        full = connections >= sessions.limits.connections and not limiter.close_page(place.name)
        if crowded or full or sessions.closing:
            await websocket.close(BUSY, "too many pages are open")
            return
        connections, place.connections = connections + 1, place.connections + 1
        try:
            await Connection(sessions, websocket, place).run()
        finally:
            connections, place.connections = connections - 1, place.connections - 1

    async def front(_request: Request) -> Response:
        return PlainTextResponse(NO_PAGE + "\n", 503)

    built = (page / "index.html").is_file()
    files = Mount("/", StaticFiles(directory=page, html=True)) if built else Route("/", front)
    routes = [WebSocketRoute("/socket", socket), *pages.routes(), files]
    if docs.is_dir():
        routes.insert(0, Mount("/docs", DocumentationFiles(docs)))
    errors: dict[Any, Callable[[Request, Exception], Awaitable[Response]]] = {LuoziError: bad_input, 404: not_found}
    app = Starlette(
        routes=routes,
        middleware=[Middleware(AccessMiddleware, access=access, places=places)],
        exception_handlers=errors,
        lifespan=lifespan,
    )
    app.state.sessions, app.state.limiter = sessions, limiter
    return app


async def bad_input(_request: Request, error: Exception) -> Response:
    """One sentence."""
    sentence = told(error.message) if isinstance(error, LuoziError) else UNSET
    return JSONResponse({"error": str(error), **({} if sentence is UNSET else {"told": sentence})}, 400)


async def not_found(_request: Request, _error: Exception) -> Response:
    """One sentence too."""
    return JSONResponse({"error": "there is nothing at this address"}, 404)
