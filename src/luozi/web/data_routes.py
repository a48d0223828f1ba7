"""HTTP routes beside the socket: games, players, results, lessons, and records to download."""

from __future__ import annotations

import base64
import json
from collections.abc import Awaitable, Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

import luozi
from luozi.games import game as make_game
from luozi.messages import LuoziError, nearest
from luozi.rules.board import board_of
from luozi.rules.game import Game
from luozi.rules.position import Position
from luozi.search import Engine
from luozi.util.parsing import plain, whole_number
from luozi.web.board_data import line_changes, position_data, trace_with_boards
from luozi.web.handlers import in_format
from luozi.web.protocol import dumped
from luozi.web.requests import FORMATS
from luozi.web.results import Results
from luozi.web.sessions import Sessions

MOST_LISTED = 500  # games of a contest in one response
LESSON_GAME = "tictactoe:size=2,win_length=2"  # of the first lesson on UCT: two in a row win
LESSON_ITERATIONS = 24
ALLIANCE = Path(__file__).with_name("alliance.json")  # made by tools/scenes.py
MOST_SEED = 1000
Endpoint = Callable[[Request], Awaitable[Response]]


class DataRoutes:
    """All routes; `results` is the results database of the folder."""

    def __init__(self, sessions: Sessions, results: Path | None) -> None:
        self.sessions, self.results = sessions, Results(results)

    def routes(self) -> list[BaseRoute]:
        """Return the routes with their addresses; an unexpected error is logged, and one sentence is the response."""
        return [Route(route.path, self._guarded(route.endpoint)) for route in self._routes()]

    def _guarded(self, endpoint: Endpoint) -> Endpoint:
        @wraps(endpoint)
        async def guarded(request: Request) -> Response:
            try:
                return await endpoint(request)
            except (LuoziError, HTTPException):
                raise
            except Exception as error:
                return json_response({"error": self.sessions.unexpected(error)}, 500)

        return guarded

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
        """Return the version and the number of sessions."""
        sessions = self.sessions.by_id.values()
        thinking = sum(one.thinking is not None for one in sessions)
        return json_response({"version": luozi.__version__, "tables": len(sessions), "thinking": thinking})

    async def games(self, _request: Request) -> Response:
        """Return all games."""
        return json_response(await self.sessions.openers.run(self.sessions.catalog.games))

    async def game(self, request: Request) -> Response:
        """Return the start of a game."""
        spelling = bounded(request.path_params["spelling"])
        return json_response(await self.sessions.openers.run(self.sessions.catalog.look, spelling))

    async def players(self, _request: Request) -> Response:
        """Return all players."""
        return json_response(self.sessions.catalog.players())

    async def all_results(self, _request: Request) -> Response:
        """Return all contests of the folder."""
        return json_response(await self.sessions.openers.run(self.results.listed))

    async def result(self, request: Request) -> Response:
        """Return one contest."""
        first = whole_number(request.query_params.get("from", "0"), 0, 10**9) or 0
        count = whole_number(request.query_params.get("count", "200"), 0, MOST_LISTED)
        count = MOST_LISTED if count is None else count
        contest = bounded(request.path_params["contest"])
        return json_response(await self.sessions.openers.run(self.results.contest, contest, first, count))

    async def report(self, request: Request) -> Response:
        """Return the report of a contest."""
        contest = bounded(request.path_params["contest"])
        return HTMLResponse(await self.sessions.drawers.run(self.results.report, contest))

    async def whole(self, request: Request) -> Response:
        """Return the report of a tuning or an experiment."""
        name = bounded(request.path_params["name"])
        return HTMLResponse(await self.sessions.drawers.run(self.results.whole, name))

    async def replay(self, request: Request) -> Response:
        """Return a game of a contest."""
        number = whole_number(bounded(request.path_params["number"]), 1, 10**9)
        if number is None:
            raise LuoziError("games are counted from 1")
        contest = bounded(request.path_params["contest"])
        return json_response(await self.sessions.openers.run(self.results.game, contest, number))

    async def lesson(self, request: Request) -> Response:
        """Return the data of a lesson."""
        seed = whole_number(request.query_params.get("seed", "1"), 0, MOST_SEED)
        name = bounded(request.path_params["name"])
        return json_response(await self.sessions.openers.run(lesson, name, 1 if seed is None else seed))

    async def record(self, request: Request) -> Response:
        """Return a record to download; the secret of the session comes in a header."""
        form = request.query_params.get("format", "text")
        if form not in FORMATS:
            raise LuoziError("a record is written as {names}", names=", ".join(FORMATS))
        name, secret = bounded(request.path_params["table"]), request.headers.get("x-secret", "")[:400]
        session = await self.sessions.find(name, secret)
        async with session.lock:
            record = await in_format(session, form)
        headers = {"content-disposition": f"attachment; filename*=utf-8''{quote(record.name)}"}
        content = record.text or base64.b64decode(record.base64 or "")
        # A download, never shown by the browser: a record may hold scripts.
        return Response(content, headers=headers, media_type="application/octet-stream")


def json_response(content: object, status: int = 200) -> Response:
    """Return plain data, or structs, as JSON."""
    return Response(dumped(content), status, media_type="application/json")


def bounded(text: str) -> str:
    """Return a part of an address; raise LuoziError if it is too long."""
    if len(text) > 400:
        raise LuoziError("this address is too long")
    return text


# Lessons --------------------------------------------------------------------------------------------------------------


def lesson(name: str, seed: int = 1) -> dict[str, Any]:
    """Return the data of a lesson; raise LuoziError if there is no such lesson.

    >>> lesson("uct")["game"], lesson("alliance")["game"]
    ('tictactoe:size=2,win_length=2', 'five3d')
    """
    if name not in LESSONS:
        raise LuoziError(
            "there is no lesson '{name}'{nearest}", name=plain(name[:50]), nearest=nearest(name[:50], LESSONS)
        )
    return LESSONS[name](max(0, min(seed, MOST_SEED)))


@cache
def uct_lesson(seed: int) -> dict[str, Any]:
    """Return a search on the smallest board, iteration by iteration, with the tree after each."""
    start = make_game(LESSON_GAME).begin()
    engine = Engine(start.game, compiled=False, seed=seed, selection="cp")
    steps, trees = [], []
    for _ in range(LESSON_ITERATIONS):
        steps.append(trace_with_boards(start, engine.trace(start)))
        trees.append(engine.subtree(depth=4, visits=0).as_dict())
    return {**lesson_start(start), "seed": seed, "steps": steps, "trees": trees}


@cache
def alliance_lesson(_seed: int) -> dict[str, Any]:
    """Return positions where two of three players must stand together, played by several searches."""
    played = json.loads(ALLIANCE.read_text(encoding="utf-8"))
    game = make_game(played["game"])
    return {**lesson_start(game.begin()), "acts": [act_data(game, act) for act in played["acts"]]}


def act_data(game: Game, act: dict[str, Any]) -> dict[str, Any]:
    """Return an act with the board at its start and what each move changes."""
    start = game.begin().after(act["start"])
    runs = []
    for run in act["runs"]:
        actions = [move["action"] for move in run["moves"]]
        runs.append({**run, "changes": line_changes(start, actions)})
    return {**act, "view": position_data(start), "runs": runs}


def lesson_start(start: Position) -> dict[str, Any]:
    """Return the game of a lesson and its board at the start."""
    game = start.game
    names = [game.player_name(player) for player in range(game.players)]
    return {"game": game.spelling, "player_names": names, "board": board_of(game), "view": position_data(start)}


LESSONS = {"uct": uct_lesson, "alliance": alliance_lesson}
