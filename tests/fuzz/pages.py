"""Messages of a page, in any order and spoilt: each gets one answer, nothing breaks, and nobody's game is another's.

The network is left out; searches run uncompiled, and for a moment only.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from types import SimpleNamespace
from typing import Any

import msgspec

from luozi.rules.game import Game
from luozi.search import Options
from luozi.search.readiness import CompileStep, Readiness
from luozi.search.ready_engine import ReadyEngine
from luozi.web import seat_players
from luozi.web.catalog import Catalog
from luozi.web.limits import ServerLimits
from luozi.web.protocol import REQUESTS
from luozi.web.resources import Resources
from luozi.web.sessions import Sessions
from luozi.web.socket import Connection
from luozi.web.storage import Storage

from .chance import Chance

CONVERSATION = 12  # messages
GAMES = ("tictactoe", "connect4:rows=4,columns=4", "go:size=3", "tictactoe:size=3,players=3", "qubic", "nosuch", "x.py")
RECORD = "luozi record 2\ngame: tictactoe\nplayers: person | random\n\n1. X b2\n2. O a1\n"
SGF = "(;GM[1]FF[4]SZ[3]KM[0.5];B[bb];W[aa])"
SEATS: tuple[dict[str, Any], ...] = (
    {"kind": "person"},
    {"kind": "person", "name": "Ada"},
    {"kind": "player", "name": "random"},
    {"kind": "player", "name": "mcts", "iterations": 3},
    {"kind": "player", "name": "level", "level": 1},
    {"kind": "player", "name": "mcts", "seconds": 0.01, "options": {"c": 0.5, "seed": 3}},
    {"kind": "player", "name": "gtp", "options": {"command": "true"}},
    {"kind": "program", "name": "none"},
)


class UncompiledResources(Resources):
    """Nothing is ever compiled."""

    def readiness(self, game: Game, options: Options) -> ReadyEngine:
        readiness = Readiness(game.spelling, [])
        readiness.load()
        readiness.close()
        return ReadyEngine(game, Options(seed=1), readiness, CompileStep("", "", lambda: None), workers=self.pool)


class Pages:
    """A conversation of one page beside another's game."""

    share = 1

    def __init__(self) -> None:
        seat_players.SLOW_SECONDS = 0.005
        limits = ServerLimits(new_tables=10**6, engines=8, analysis_seconds=0.05, open_tables=6)
        self.loop = asyncio.new_event_loop()
        self.sessions = Sessions(Catalog(limits=limits), UncompiledResources(1, 100, limits), Storage(None))
        self.sessions.unexpected = self.wrong  # type: ignore[method-assign]
        self.failure: BaseException | None = None

    def wrong(self, error: BaseException) -> Any:
        """What the page would be told in one vague sentence is a failure here."""
        self.failure = error
        raise error

    def run(self, chance: Chance) -> int:
        """One conversation."""
        return self.loop.run_until_complete(self.converse(chance))

    async def converse(self, chance: Chance) -> int:
        """Feed a page's messages to the server, and look at every answer."""
        other, page = (Connection(self.sessions, SimpleNamespace()) for _ in range(2))  # type: ignore[arg-type]
        persons = [{"kind": "person"}] * 2
        await other.handle(json.dumps({"type": "new", "id": 0, "game": "tictactoe", "seats": persons}))
        theirs = answers(other)[-1]
        heard: list[dict[str, Any]] = []
        whole: list[int] = []  # messages that were not spoilt
        for number in range(CONVERSATION):
            text = json.dumps(self.message(chance, number, theirs))
            spoilt = bool(number) and chance.often(0.15)
            whole += [] if spoilt else [number]
            self.input = text = chance.spoil(text) if spoilt else text
            await page.handle(text)
            await asyncio.sleep(0)
            assert page.session is None or page.session is not other.session, "it came to another's game"
            heard += answers(page)
        await self.settle(page)
        heard += answers(page)
        counts = Counter(one.get("id") for one in heard)
        assert all(counts[number] >= 1 for number in whole), "a message got no answer"
        assert all(theirs["secret"] not in str(one) for one in heard), "it heard another's secret"
        assert other.session is not None
        assert not other.session.history.position.moves, "another's game was changed"
        page.leave()
        other.leave()
        self.sessions.sweep(0.0)
        for task in (left := list(self.sessions.tasks)):
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure
        return CONVERSATION

    async def settle(self, page: Connection) -> None:
        """Let what is being thought end, so that a try leaves nothing to the next."""
        await page.handle('{"type": "stop", "id": 1000}')
        for _ in range(200):
            if not any("_run" in str(task.get_coro()) for task in self.sessions.tasks):
                return
            await asyncio.sleep(0.01)

    def message(self, chance: Chance, number: int, theirs: dict[str, Any]) -> dict[str, Any]:
        """A message with most of its fields, most of them sensible."""
        if not number:
            seats = [chance.choice(SEATS[:6]) for _ in range(2)]
            return {"type": "new", "id": number, "game": chance.choice(GAMES[:3]), "seats": seats}
        kind = chance.choice([*REQUESTS, *["play"] * 6])
        fields = [field for field in msgspec.structs.fields(REQUESTS[kind]) if field.name != "id"]
        wanted = [field.name for field in fields if field.required or chance.often(0.5)]
        values = {name: self.value(chance, name, theirs) for name in wanted}
        if kind == "play":
            values.pop(chance.pick("action", "text"), None)
        if kind == "new" and "moves" in values:
            values["moves"] = chance.pick([], [4, 0], ["b2"], [chance.randrange(12)])
        if chance.often(0.05):
            values[chance.nonsense()] = chance.nonsense()
        return {"type": kind, "id": number, **values}

    def value(self, chance: Chance, name: str, theirs: dict[str, Any]) -> Any:
        """What a field may hold."""
        if chance.often(0.04):
            return chance.pick(None, chance.nonsense(), [], {}, -1, 2**70, 1.5, True, [[1, 2]], float("nan"))
        small = chance.randrange(12)
        known: dict[str, Any] = {
            "game": chance.choice(GAMES),
            "seats": [chance.choice(SEATS) for _ in range(chance.pick(1, 2, 2, 3))],
            "moves": chance.pick(1, 2, small),
            "move": chance.randrange(4),
            "seat": chance.randrange(3),
            "to_move": chance.randrange(2),
            "depth": chance.randrange(4),
            "count": chance.pick(1, 2, 9),
            "level": chance.randrange(12),
            "text": chance.pick("b2", "pass", RECORD, SGF, chance.spoil(RECORD), chance.spoil(SGF), "X..\n.O.\n..."),
            "pieces": [[chance.randrange(9), chance.randrange(2)] for _ in range(chance.randrange(4))],
            "path": [chance.randrange(9) for _ in range(chance.randrange(3))],
            "kind": chance.pick("person", "player", "program"),
            "name": chance.pick("random", "mcts", "Ada", "gtp", chance.nonsense()),
            "options": chance.pick({}, {"c": 0.5}, {"c": "1,threads=9"}, {"threads": 9}, {"selection": "puct"}),
            "seconds": chance.pick(0.01, 0.02),
            "iterations": chance.pick(1, 5),
            "format": chance.pick("text", "sgf", "json"),
            "of": chance.pick("engine", "walk"),
            "table": chance.pick(theirs["table"], "x"),
            "secret": chance.pick("", "x", theirs["secret"][:-1]),
            "on": chance.often(0.6),
            "view": chance.often(0.5),
        }
        return known.get(name, small)


def answers(page: Connection) -> list[dict[str, Any]]:
    """All that was sent to a page since."""
    found = []
    while not page._out.empty():
        found.append(json.loads(page._out.get_nowait(), parse_constant=refuse))
    return found


def refuse(constant: str) -> None:
    """JSON has no NaN."""
    raise ValueError(constant)
