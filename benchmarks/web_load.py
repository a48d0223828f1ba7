"""How soon a move is confirmed and shown while many games are under way and engines think.

    python -m benchmarks.web_load --tables 50 --seconds 30

starts a server with two threads for its engines and plays so many games at once over sockets. A person's move counts
from when it is sent until the position after it is there. Each engine's iterations tell whether one of them starves.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect

GAMES = ("connect4", "gomoku", "gomoku:size=9")
PAUSE = 3.0  # seconds that a person thinks, at most
MOST_SECONDS = 300.0  # for everything to be compiled


@dataclass
class Heard:
    """What was measured."""

    latencies: list[float] = field(default_factory=list)  # of persons' moves, in seconds
    iterations: dict[int, int] = field(default_factory=dict)  # of each table's engine
    thinking: dict[int, float] = field(default_factory=dict)  # seconds it has thought
    lags: list[float] = field(default_factory=list)  # by which a nap of this process was too long
    news: int = 0
    errors: list[str] = field(default_factory=list)


class Player:
    """One page: plays at random against an engine, game after game."""

    def __init__(self, number: int, game: str, port: int, budget: float, heard: Heard) -> None:
        self.number, self.game, self.port, self.budget, self.heard = number, game, port, budget, heard
        self.id, self.rng = 0, random.Random(number)
        self.counts = False  # whether the clock runs

    async def run(self, watching: bool) -> None:
        """Until it is cancelled."""
        async with connect(f"ws://127.0.0.1:{self.port}/socket", max_size=None) as self.socket:
            await self.ask("watch", on=watching)
            await asyncio.sleep(self.rng.uniform(0.0, self.budget))  # people do not begin all at once
            while True:
                await self.play()

    async def play(self) -> None:
        """One game."""
        seats = [{"kind": "person"}, {"kind": "player", "name": "mcts", "seconds": self.budget}]
        table = await self.ask("new", game=self.game, seats=seats)
        view = table["view"]
        while not view["terminal"]:
            await asyncio.sleep(self.rng.uniform(0.5, PAUSE))
            began, counts = time.perf_counter(), self.counts
            moved = await self.ask("play", action=self.rng.choice(view["moves"])["action"])
            if counts:
                self.heard.latencies.append(time.perf_counter() - began)
            view = moved["view"]
            if not view["terminal"]:
                answer = await self.until(lambda message: message["type"] == "moved")
                self.note(answer)
                view = answer["view"]

    def note(self, answer: dict[str, Any]) -> None:
        """What the engine has done for its move."""
        if self.counts and answer["thought"] is not None:
            heard, number = self.heard, self.number
            heard.iterations[number] = heard.iterations.get(number, 0) + answer["thought"]["iterations"]
            heard.thinking[number] = heard.thinking.get(number, 0.0) + answer["thought"]["seconds"]

    async def ask(self, kind: str, **values: Any) -> dict[str, Any]:
        """Say something; the answer to it."""
        self.id += 1
        number = self.id
        await self.socket.send(json.dumps({"type": kind, "id": number, **values}))
        answer = await self.until(lambda message: message.get("id") == number)
        if answer["type"] == "error":
            raise RuntimeError(answer["message"])
        return answer

    async def until(self, wanted: Any) -> dict[str, Any]:
        """The next message that is wanted."""
        while True:
            message: dict[str, Any] = json.loads(await self.socket.recv())
            if wanted(message):
                return message
            self.heard.news += message["type"] == "thinking"


async def get_compiled(game: str, port: int) -> None:
    """Wait until a game is searched by its full search."""
    async with connect(f"ws://127.0.0.1:{port}/socket", max_size=None) as socket:
        player = Player(0, game, port, 0.05, Heard())
        player.socket = socket
        seats = [{"kind": "player", "name": "mcts", "iterations": 200}, {"kind": "person"}]
        end = time.monotonic() + MOST_SECONDS
        while time.monotonic() < end:
            await player.ask("new", game=game, seats=seats)
            moved = await player.until(lambda message: message["type"] == "moved")
            if not moved["remark"]:
                return
            await asyncio.sleep(1.0)
    raise RuntimeError(f"{game} is not compiled after {MOST_SECONDS:g} s")


async def feel_machine(heard: Heard) -> None:
    """How long a process waits for a core here at all."""
    while True:
        began = time.perf_counter()
        await asyncio.sleep(0.05)
        heard.lags.append(time.perf_counter() - began - 0.05)


async def measure(port: int, tables: int, seconds: float, warm: float, budget: float, watching: float) -> Heard:
    """Play at so many tables for so long."""
    for game in GAMES:
        await get_compiled(game, port)
    heard = Heard()
    players = [Player(number, GAMES[number % len(GAMES)], port, budget, heard) for number in range(tables)]
    tasks = [asyncio.create_task(player.run(player.number < watching * tables)) for player in players]
    await asyncio.sleep(warm)
    for player in players:
        player.counts = True
    feeling = asyncio.create_task(feel_machine(heard))
    await asyncio.sleep(seconds)
    for task in tasks:
        if task.done() and not task.cancelled() and task.exception() is not None:
            heard.errors.append(str(task.exception()))
        task.cancel()
    feeling.cancel()
    await asyncio.gather(*tasks, feeling, return_exceptions=True)
    return heard


def quantile(values: list[float], share: float) -> float:
    """The value below which such a share lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def report(heard: Heard, tables: int, threads: int) -> str:
    """What came out, in a few lines."""
    times, done = heard.latencies, sorted(heard.iterations.values())
    lines = [
        f"{tables} games, {threads} threads: {len(times)} moves of persons",
        f"  confirmed and shown: p50 {1e3 * quantile(times, 0.5):.0f} ms, p90 {1e3 * quantile(times, 0.9):.0f} ms, "
        f"p99 {1e3 * quantile(times, 0.99):.0f} ms, slowest {1e3 * max(times, default=float('nan')):.0f} ms",
        f"  of which this process alone waited for its core: p50 {1e3 * quantile(heard.lags, 0.5):.0f} ms, "
        f"p99 {1e3 * quantile(heard.lags, 0.99):.0f} ms",
        f"  {heard.news} messages of thinking; {len(done)} engines moved",
    ]
    for kind, game in enumerate(GAMES):
        rates = [
            heard.iterations[number] / max(heard.thinking[number], 1e-9)
            for number in heard.iterations
            if number % len(GAMES) == kind
        ]
        if rates:
            lines.append(
                f"  {game}: iterations a second of each engine: least {min(rates):,.0f}, "
                f"median {quantile(rates, 0.5):,.0f}, most {max(rates):,.0f}"
            )
    return "\n".join([*lines, *(f"  error: {error}" for error in heard.errors)])


def main() -> int:
    """Measure, and say what came out; 1 if something failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--warm", type=float, default=10.0, help="seconds before the clock runs")
    parser.add_argument("--budget", type=float, default=5.0, help="seconds an engine thinks about a move")
    parser.add_argument("--watching", type=float, default=0.5, help="the share of pages that see engines think")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "luozi.cli", "serve", "--port", "0", "--no-open"]
        command += ["--threads", str(given.threads), "--tables", str(Path(folder, "tables.db"))]
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline().strip().rstrip("/").rpartition(":")[2])
            limits = (given.tables, given.seconds, given.warm, given.budget, given.watching)
            heard = asyncio.run(measure(port, *limits))
        finally:
            server.communicate()
    print(report(heard, given.tables, given.threads))
    return int(bool(heard.errors))


if __name__ == "__main__":
    sys.exit(main())
