"""Pages of data beside the socket: games, players, an empty board, results of contests, records to download."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

import luozi
from luozi.messages import LuoziError
from luozi.players.presets import notes_on
from luozi.rules.board import board_of
from luozi.rules.text_position import can_be_given
from luozi.util.parsing import whole_number
from luozi.web.analysis_views import saved
from luozi.web.board_views import shown
from luozi.web.encoding import dumped
from luozi.web.lessons import MOST_SEED, lesson
from luozi.web.message_data import sentence_data
from luozi.web.offers import GameLook
from luozi.web.position_editor import kinds_to_put
from luozi.web.requests import FORMATS
from luozi.web.results import Results
from luozi.web.sessions import Sessions

MOST_LISTED = 500  # games of a contest in one answer
Answering = Callable[[Request], Awaitable[Response]]


class DataRoutes:
    """All of them; `results` is the file with the results of the folder."""

    def __init__(self, sessions: Sessions, results: Path | None) -> None:
        self.sessions, self.results = sessions, Results(results)

    def routes(self) -> list[BaseRoute]:
        """Their addresses; an error that nobody foresaw is one sentence there, and one line of the server."""
        return [Route(route.path, self._told(route.endpoint)) for route in self._routes()]

    def _told(self, answer: Answering) -> Answering:
        async def answered(request: Request) -> Response:
            try:
                return await answer(request)
            except (LuoziError, HTTPException):
                raise
            except Exception as error:
                return json_response({"error": self.sessions.sorry(error)}, 500)

        return answered

    def _routes(self) -> list[Route]:
        return [
            Route("/api/health", self.health),
            Route("/api/games", self.games),
            Route("/api/games/{spelling:path}", self.game),
            Route("/api/players", self.players),
            Route("/api/results", self.all_results),
            Route("/api/results/whole/{name:path}", self.whole),
            Route("/api/results/{contest}", self.result),
            Route("/api/results/{contest}/report", self.report),
            Route("/api/results/{contest}/games/{number}", self.replay),
            Route("/api/lessons/{name}", self.lesson),
            Route("/api/tables/{table}/record", self.record),
        ]

    async def health(self, _request: Request) -> Response:
        """Whether it is there."""
        tables = self.sessions.tables.values()
        thinking = sum(table.thinking is not None for table in tables)
        return json_response({"version": luozi.__version__, "tables": len(tables), "thinking": thinking})

    async def games(self, _request: Request) -> Response:
        """All games."""
        return json_response(await self.sessions.fetch(self.sessions.catalog.games))

    async def game(self, request: Request) -> Response:
        """An empty board."""
        return json_response(await self.sessions.fetch(self._game, bounded(request.path_params["spelling"])))

    def _game(self, spelling: str) -> GameLook:
        game = self.sessions.catalog.game(spelling)
        notes = notes_on(game, ("strong", "level"))
        return GameLook(
            game=self.sessions.catalog.spelled(spelling),
            players=game.players,
            player_names=[game.player_name(player) for player in range(game.players)],
            board=board_of(game),
            view=shown(game.begin()),
            editable=can_be_given(game),
            kinds=kinds_to_put(game),
            notes={name: str(note) for name, note in notes.items()},
            notes_told={name: sentence_data(note) for name, note in notes.items()},
        )

    async def players(self, _request: Request) -> Response:
        """All players."""
        return json_response(self.sessions.catalog.players())

    async def all_results(self, _request: Request) -> Response:
        """All contests of the folder."""
        return json_response(await self.sessions.work(self.results.listed))

    async def result(self, request: Request) -> Response:
        """One contest."""
        first = whole_number(request.query_params.get("from", "0"), 0, 10**9) or 0
        count = whole_number(request.query_params.get("count", "200"), 0, MOST_LISTED)
        count = MOST_LISTED if count is None else count
        contest = bounded(request.path_params["contest"])
        return json_response(await self.sessions.work(self.results.contest, contest, first, count))

    async def report(self, request: Request) -> Response:
        """Its report."""
        return HTMLResponse(await self.sessions.fetch(self.results.report, bounded(request.path_params["contest"])))

    async def whole(self, request: Request) -> Response:
        """The report of a tuning or an experiment."""
        return HTMLResponse(await self.sessions.fetch(self.results.whole, bounded(request.path_params["name"])))

    async def replay(self, request: Request) -> Response:
        """One of its games."""
        number = whole_number(bounded(request.path_params["number"]), 1, 10**9)
        if number is None:
            raise LuoziError("games are counted from 1")
        contest = bounded(request.path_params["contest"])
        return json_response(await self.sessions.fetch(self.results.game, contest, number))

    async def lesson(self, request: Request) -> Response:
        """The data of a lesson."""
        seed = whole_number(request.query_params.get("seed", "1"), 0, MOST_SEED)
        name = bounded(request.path_params["name"])
        return json_response(await self.sessions.fetch(lesson, name, 1 if seed is None else seed))

    async def record(self, request: Request) -> Response:
        """A record to download; the secret comes in a header."""
        form = request.query_params.get("format", "text")
        if form not in FORMATS:
            raise LuoziError("a record is written as {names}", names=", ".join(FORMATS))
        table = await self.sessions.find(
            bounded(request.path_params["table"]), request.headers.get("x-secret", "")[:400]
        )
        async with table.lock:
            record = await self.sessions.work(saved, table, form)
        named = {"content-disposition": f"attachment; filename*=utf-8''{quote(record.name)}"}
        content = record.text or base64.b64decode(record.base64 or "")
        # Never shown here, only kept: what a record says is not the page's.
        return Response(content, headers=named, media_type="application/octet-stream")


def json_response(content: object, status: int = 200) -> Response:
    """Plain data, or structs, as JSON."""
    return Response(dumped(content), status, media_type="application/json")


def bounded(text: str) -> str:
    """A part of an address that is not too long."""
    if len(text) > 400:
        raise LuoziError("this address is too long")
    return text
