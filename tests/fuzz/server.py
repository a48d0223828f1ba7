"""Messages and requests to a server that runs: valid ones with something in them changed, at any depth.

Several pages ask at once. Each message gets an answer; no answer is vague or asks for a report; the server writes no
error, stays there, and keeps its memory within bounds. Rates are not limited here, all else is as for everybody.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from luozi.web.limits import ServerLimits

from .chance import Chance

PAGES = 6
CONVERSATION = 40  # messages; then a page connects anew
MEMORY = 192  # megabytes, as --memory
MOST_MEGABYTES = MEMORY + ServerLimits().base_megabytes
PATIENCE = 120.0  # seconds for an answer, on a machine that is busy with other things
MOST_FAILURES = 10
REQUESTS = 0.1  # of all messages
SHOWN = 600  # characters
START = """
import sys
from pathlib import Path
from luozi.web.limits import ServerLimits
from luozi.web.server import ServerOptions, serve
many = 10**9
limits = ServerLimits(seconds=0.3, analysis_seconds=0.5, kernels=12, messages_each_second=many, messages_at_once=many,
    place_messages_each_second=many, place_messages_at_once=many, new_tables=many, place_new_tables=many,
    requests_each_second=many, requests_at_once=many, log_lines_a_minute=many, log_lines_at_once=many)
settings = ServerOptions(port=0, threads=1, memory={memory}, tables=Path({tables!r}), limits=limits)
sys.exit(serve(settings, False, print, True))
"""
VAGUE = re.compile(r"went wrong|report it|Traceback|Internal Server Error")
SAID = re.compile(r"Traceback|\w+(Error|Exception)\b")  # in what the server writes
RECORD = "luozi record 2\ngame: tictactoe\nplayers: person | random\n\n1. X b2\n2. O a1\n"
SGF = "(;GM[1]FF[4]SZ[3]KM[0.5];B[bb];W[aa](;B[ca])(;B[cc]))"
AS_JSON = json.dumps({"game": "tictactoe", "players": ["a", "b"], "moves": [{"action": 4, "name": "b2", "by": 0}]})
SEAT: dict[str, Any] = {"kind": "player", "name": "mcts", "seconds": 0.02, "iterations": 9, "options": {"c": 0.5}}
SEATS: list[dict[str, Any]] = [
    {"kind": "person"},
    {"kind": "person", "name": "Ada"},
    {"kind": "program", "name": "none"},
    {"kind": "player", "name": "random", "options": {"seed": 3}},
    {"kind": "player", "name": "level", "level": 2, "seconds": 0.02},
    {"kind": "player", "name": "flat", "seconds": 0.02, "options": {"simulations": 5}},
    {"kind": "player", "name": "alphabeta", "seconds": 0.02, "options": {"depth": 2}},
    {"kind": "player", "name": "exact", "seconds": 0.02, "options": {"table": 1}},
    SEAT,
    {**SEAT, "options": {"c": 0.5, "formula": "puct", "network": "", "seed": 1, "rave": 100, "prove": "standard"}},
]
GAMES = ("tictactoe", "tictactoe:size=4", "connect4:rows=4,columns=5", "go:size=5", "gomoku:size=7", "hex:size=3")
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 7, 2**31, 2**53, 2**53 + 1, 2**63, 2**64, 10**400, 0.5, 1e308, -1e-308, 5e-324),
    *("", " ", "0", "null", "x" * 399, "y" * 401, "z" * 100_000, "\0", "\ud800", "\u202e", "落子", "mcts", "a1", "{}"),
    *("/dev/zero", "/etc/passwd", "../../x", "file.py", "gtp:true", "c=1,threads=9", "openspiel:name=chess", "%s{0}"),
    *(
        [],
        {},
        [None],
        [[]],
        {"": None},
        {"kind": None},
        [0] * 5000,
        ["a1"] * 3001,
        {str(number): 0 for number in range(99)},
    ),
)
ADDRESSES = (
    "/api/games", "/api/games/gomoku:size=9", "/api/players", "/api/results", "/api/results/1?from=0&count=5",
    "/api/results/1/report", "/api/results/whole/tuning%20x", "/api/results/1/games/1", "/api/lessons/uct?seed=1",
    "/api/lessons/alliance", "/api/tables/x/record?format=sgf", "/api/health", "/socket", "/", "/index.html",
)  # fmt: skip
METHODS = ("GET", "GET", "GET", "GET", "POST", "HEAD", "PUT", "OPTIONS", "NONSENSE")
HEADERS = ("X-Secret", "Range", "Cookie", "Accept", "Authorization", "Sec-Fetch-Site", "Upgrade", "If-None-Match")


class FoundError(Exception):
    """What must not be."""


def template(chance: Chance, known: dict[str, Any]) -> dict[str, Any]:
    """A message as a page could send it."""
    game, seats, moves = chance.choice(GAMES), [chance.choice(SEATS) for _ in range(2)], known.get("moves") or [0]
    action, number = chance.choice(moves), chance.randrange(4)
    return chance.choice(
        [
            {"type": "new", "game": game, "seats": seats, "moves": [chance.randrange(9), chance.pick("a1", "b2", 3)]},
            {"type": "new", "game": game, "seats": seats},
            {"type": "hello", "table": known.get("table", "x"), "secret": known.get("secret", "y")},
            *[{"type": "play", "action": action}] * 4,
            {"type": "play", "text": chance.pick("a1", "b2", "pass", "c3")},
            {"type": "undo", "moves": 1 + number},
            {"type": "hint", "seconds": 0.02, "move": number},
            {"type": "analyse", "on": chance.often(0.5), "move": number},
            {"type": chance.pick("move_now", "stop", "go_on", "leave", "why", "stop")},
            {"type": "watch", "on": chance.often(0.5)},
            {"type": "seat", "seat": chance.randrange(2), **chance.choice(SEATS)},
            {"type": "resign", "seat": 0},
            {"type": "goto", "move": number},
            {"type": "from_here", "move": number},
            {"type": "walk", "move": number, "seed": 1, "player": chance.choice(SEATS[3:])},
            {"type": "walk", "options": {"c": 0.3, "formula": "ucb1-tuned"}},
            {"type": "step", "count": chance.pick(1, 5)},
            {
                "type": "tree",
                "depth": 2,
                "visits": 1,
                "path": [action],
                "of": chance.pick("walk", "engine"),
                "view": True,
            },
            {"type": "line", "move": number, "moves": [action, "a1"]},
            {"type": "save", "format": chance.pick("text", "sgf", "json", "html", "gif")},
            {"type": "load", "text": chance.pick(RECORD, SGF, AS_JSON, known.get("saved", RECORD)), "seats": seats},
            {"type": "paste", "text": chance.pick(RECORD, "X..\n.O.\n...", "a1 b2"), "game": game, "seats": seats},
            {
                "type": "edit",
                "game": game,
                "pieces": [[0, 0], [chance.randrange(9), 1, ""]],
                "to_move": 0,
                "seats": seats,
            },
        ]
    )


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where there is something in a value."""
    yield path
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths(one, (*path, key))


def mutated(chance: Chance, message: dict[str, Any]) -> dict[str, Any]:
    """The same with something replaced, removed, added, or put one level deeper."""
    found: dict[str, Any] = json.loads(json.dumps(message))
    path = chance.choice([one for one in paths(found) if one])
    place: Any = found
    for key in path[:-1]:
        place = place[key]
    key, how = path[-1], chance.randrange(8)
    if how == 0:
        del place[key]
    elif how == 1:
        place[key] = [place[key]] if chance.often(0.5) else {"kind": place[key]}
    elif how == 2 and isinstance(place, dict):
        place[chance.pick(chance.nonsense(), "options", "network", "seed", "kind", "moves")] = chance.choice(VALUES)
    elif how == 3 and isinstance(place[key], str):
        place[key] = chance.spoil(place[key])
    else:
        place[key] = chance.choice(VALUES)
    return found


def text_of(chance: Chance, message: Any) -> str | bytes:
    """A message as it is sent; its text may be spoilt too."""
    text = json.dumps(message, ensure_ascii=chance.often(0.8))
    if chance.often(0.1):
        text = chance.spoil(text)
    if chance.often(0.002):
        text = "[" * 200_000
    try:
        content = text.encode()
    except UnicodeEncodeError:
        return json.dumps(message)
    return chance.spoil_bytes(content) if chance.often(0.03) else text


class Asker:
    """One page after the other, until all has been asked."""

    def __init__(self, port: int, seed: str, left: list[int]) -> None:
        self.port, self.seed, self.left = port, seed, left
        self.tried: list[str] = []
        self.known: dict[str, Any] = {}

    async def run(self) -> None:
        """Ask as long as there is something left to ask."""
        number = 0
        while self.left[0] > 0:
            chance = Chance(f"{self.seed} {number}")
            number += 1
            async with connect(f"ws://127.0.0.1:{self.port}/socket", max_size=None, ping_interval=None) as socket:
                with suppress(ConnectionClosed):
                    await self.converse(chance, socket)

    async def converse(self, chance: Chance, socket: Any) -> None:
        """A conversation of one page; the connection may end where a message was too long."""
        for number in range(CONVERSATION):
            self.left[0] -= 1
            if chance.often(REQUESTS):
                await asyncio.to_thread(self.request, chance)
                continue
            message = {**template(chance, self.known), "id": 2 * number}
            for _ in range(chance.pick(0, 1, 1, 1, 2)):
                message = mutated(chance, message)
            sent = text_of(chance, message)
            self.tried = [*self.tried[-5:], repr(sent)]
            try:
                await socket.send(sent)
                await socket.send(json.dumps({"type": "watch", "id": 2 * number + 1, "on": True}))
                heard = await self.until(socket, 2 * number + 1)
            except ConnectionClosed as error:
                if len(sent) < 2**20 and not (isinstance(sent, bytes) and error.rcvd is None):
                    raise FoundError(f"the connection ended: {error}") from None
                raise
            same_id = message.get("id") == 2 * number and message["id"] is not False  # which is 0 in Python
            intact = sent == json.dumps(message) and same_id and "type" in message
            if intact and message["type"] != "hint" and not any(one.get("id") == 2 * number for one in heard):
                raise FoundError(f"no answer among {heard}")

    async def until(self, socket: Any, number: int) -> list[dict[str, Any]]:
        """All that comes until the answer of this number."""
        heard = []
        while True:
            text = await asyncio.wait_for(socket.recv(), PATIENCE)
            if VAGUE.search(text):
                raise FoundError(text[:SHOWN])
            message = json.loads(text, parse_constant=refuse)
            heard.append(message)
            self.learn(message)
            if message.get("id") == number:
                return heard

    def learn(self, message: dict[str, Any]) -> None:
        """What the next messages may speak of."""
        if "secret" in message:
            self.known.update(table=message["table"], secret=message["secret"])
        if message["type"] in ("table", "moved"):
            self.known["moves"] = [move["action"] for move in message["view"]["moves"]][:50]
        if message["type"] == "saved" and len(message.get("text", "x" * 5000)) < 5000:
            self.known["saved"] = message["text"]

    def request(self, chance: Chance) -> None:
        """One request of a page of data."""
        address = chance.choice(ADDRESSES).replace("/x/", f"/{self.known.get('table', 'x')}/")
        if chance.often(0.7):
            address = "".join(one if " " < one < "\x7f" else "%ff" for one in chance.spoil(address))
        method, header = chance.choice(METHODS), chance.choice(HEADERS)
        value = chance.pick(self.known.get("secret", ""), chance.nonsense().encode("latin-1", "replace"))
        self.tried = [*self.tried[-5:], f"{method} {address} {header}: {value!r}"]
        asked = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            asked.putrequest(method, address or "/")
            asked.putheader(header, value)
            asked.endheaders()
            answer = asked.getresponse()
            text = answer.read().decode(errors="replace")
        except ValueError:  # what no client can send
            return
        except (http.client.HTTPException, ConnectionError) as error:
            raise FoundError(f"{error!r}") from None
        finally:
            asked.close()
        if (answer.status >= 500 and answer.status != 503) or VAGUE.search(text):  # 503: the page is not built
            raise FoundError(f"{answer.status}: {text[:SHOWN]}")


def refuse(constant: str) -> None:
    """JSON has no NaN."""
    raise FoundError(constant)


@contextmanager
def server(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int, Path]]:
    """A server in a process of its own: its port, and the file of what it writes."""
    log = folder / "log"
    command = [sys.executable, "-c", START.format(memory=MEMORY, tables=str(folder / "tables.db"))]
    with log.open("w") as errors:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        assert process.stdout is not None
        yield process, int(process.stdout.readline().strip().rstrip("/").rpartition(":")[2]), log
    finally:
        process.kill()
        process.communicate()


def megabytes(process: int) -> float:
    """The memory that a process has now, or had at most; 0 where the system does not say."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1000
    return 0.0


async def ask_all(port: int, messages: int, seed: int) -> list[str]:
    """Feed so many messages to a server; what was found."""
    left, found, number = [messages], list[str](), 0
    running: dict[asyncio.Task[None], Asker] = {}
    while (left[0] > 0 and len(found) < MOST_FAILURES) or running:
        while len(running) < PAGES and left[0] > 0 and len(found) < MOST_FAILURES:
            asker = Asker(port, f"{seed} {number}", left)
            running[asyncio.ensure_future(asker.run())] = asker
            number += 1
        done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            asker, error = running.pop(task), task.exception()
            if error is not None:
                found.append(f"{error!r} after\n" + "\n".join(one[:SHOWN] for one in asker.tried))
                if not isinstance(error, FoundError):
                    left[0] = 0
    return found


def fuzz_server(messages: int, seed: int) -> int:
    """Feed so many messages to a server that runs; how many failures there were."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, server(Path(folder)) as (process, port, log):
        found = asyncio.run(ask_all(port, messages, seed))
        most = megabytes(process.pid)
        if process.poll() is not None:
            found.append(f"the server ended with status {process.returncode}")
        found += [line for line in log.read_text().splitlines() if SAID.search(line)][:MOST_FAILURES]
        if most > MOST_MEGABYTES:
            found.append(f"the server took {most:.0f} MB")
    for one in found:
        print(f"\nFAILED: python -m tests.fuzz --inputs 0 --messages {messages} --seed {seed}\n{one}", file=sys.stderr)
    seconds = time.monotonic() - began
    print(f"server: {messages:,} messages in {seconds:.1f} s, {most:.0f} MB, {len(found)} failures", flush=True)
    return len(found)
