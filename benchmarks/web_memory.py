"""How much memory the page's server takes while many short games are played.

    python -m benchmarks.web_memory --minutes 12 --memory 512 --save curve.csv --picture curve.png

starts a server and plays short games of several kinds over sockets, with hints and analysis, one after the other at
each of a few pages. Every few seconds it reads the server's resident memory. `--compare other.csv` draws another curve
beside it. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from websockets.asyncio.client import connect

GAMES = ("tictactoe", "connect4", "gomoku:size=9", "othello", "go:size=9")
PLAYERS: tuple[dict[str, Any], ...] = (
    {"name": "mcts"},
    {"name": "strong"},
    {"name": "level", "level": 3},
    {"name": "level", "level": 8},
    {"name": "alphabeta"},
)
MOVES = 5  # of a person in one game
SECONDS = 0.1  # that a program thinks
PAUSE = 0.3  # seconds that a person thinks, at most
PATIENCE = 120.0
SAMPLE_SECONDS = 2.0


class Sample(NamedTuple):
    """The server at one moment."""

    seconds: float
    megabytes: float
    games: int


class TroubleError(Exception):
    """The server said that something can't be done now."""


class Page:
    """One page: plays short games until it is cancelled."""

    def __init__(self, number: int, port: int, over: Callable[[], None]) -> None:
        self.port, self.over, self.id, self.rng = port, over, 0, random.Random(number)
        self.games = number  # so that not all pages play the same

    async def run(self) -> None:
        """One game after the other; a server without room for another is asked again."""
        while True:
            async with connect(f"ws://127.0.0.1:{self.port}/socket", max_size=None) as self.socket:
                with suppress(TroubleError, TimeoutError):
                    while True:
                        await self.play()
                        self.over()
            await asyncio.sleep(1.0)

    async def play(self) -> None:
        """One short game, with a hint or an analysis now and then."""
        game, player = GAMES[self.games % len(GAMES)], self.rng.choice(PLAYERS)
        self.games += 1
        seats = [{"kind": "person"}, {"kind": "player", **player, "seconds": SECONDS}]
        view = (await self.ask("new", game=game, seats=seats))["view"]
        for _ in range(MOVES):
            if view["terminal"]:
                return
            await asyncio.sleep(self.rng.uniform(0.0, PAUSE))
            if self.rng.random() < 0.2:
                await self.ask("hint", seconds=SECONDS)
            if self.rng.random() < 0.1:
                await self.ask("analyse", on=True)
                await asyncio.sleep(SECONDS)
                await self.ask("analyse", on=False)
            view = (await self.ask("play", action=self.rng.choice(view["moves"])["action"]))["view"]
            if not view["terminal"]:
                view = (await self.until(lambda message: message["type"] == "moved"))["view"]

    async def ask(self, kind: str, **values: Any) -> dict[str, Any]:
        """Say something; the answer to it."""
        self.id += 1
        number = self.id
        await self.socket.send(json.dumps({"type": kind, "id": number, **values}))
        answer = await self.until(lambda message: message.get("id") == number)
        if answer["type"] == "error":
            raise TroubleError(answer["message"])
        return answer

    async def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message that is wanted."""
        while True:
            message: dict[str, Any] = json.loads(await asyncio.wait_for(self.socket.recv(), PATIENCE))
            if wanted(message):
                return message
            if message["type"] == "trouble":
                raise TroubleError(message["message"])


@contextmanager
def server(memory: float) -> Iterator[tuple[int, int]]:
    """A server with so many megabytes: its process and its port."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "luozi.cli", "serve", "--port", "0", "--no-open", "--threads", "2"]
        command += ["--memory", str(memory), "--tables", str(Path(folder, "tables.db"))]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            yield process.pid, int(process.stdout.readline().strip().rstrip("/").rpartition(":")[2])
        finally:
            process.communicate()


def resident(process: int) -> float:
    """The megabytes of a process that are in memory."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


async def measure(process: int, port: int, pages: int, wanted: Callable[[Sample], bool]) -> list[Sample]:
    """Play as long as it is wanted."""
    done, began = [0], time.monotonic()

    def over() -> None:
        done[0] += 1

    tasks = [asyncio.create_task(Page(number, port, over).run()) for number in range(pages)]
    samples: list[Sample] = []
    while not samples or wanted(samples[-1]):
        samples.append(Sample(round(time.monotonic() - began, 1), round(resident(process), 1), done[0]))
        await asyncio.wait(tasks, timeout=SAMPLE_SECONDS)
        for task in tasks:
            if task.done():
                task.result()  # what went wrong
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return samples


def short_games(memory: float, pages: int, wanted: Callable[[Sample], bool]) -> list[Sample]:
    """The server's memory while short games are played at so many pages."""
    with server(memory) as (process, port):
        return asyncio.run(measure(process, port, pages, wanted))


def write(samples: list[Sample], path: Path) -> None:
    """Keep a curve."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([Sample._fields, *samples])


def read(path: Path) -> list[Sample]:
    """A curve that was kept."""
    with path.open(newline="") as file:
        return [
            Sample(float(row["seconds"]), float(row["megabytes"]), int(row["games"])) for row in csv.DictReader(file)
        ]


def draw(curves: dict[str, list[Sample]], memory: float, path: Path) -> None:
    """A picture of some curves and the limit."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 3.5), layout="constrained")
    axes = figure.subplots()
    for name, samples in curves.items():
        minutes, megabytes = [one.seconds / 60 for one in samples], [one.megabytes for one in samples]
        axes.plot(minutes, megabytes, label=f"{name}: {samples[-1].games:,} games")
    axes.axhline(memory, color="grey", linestyle="--", label=f"--memory {memory:g}")
    axes.set(xlabel="minutes", ylabel="resident memory of the server, MB", ylim=(0, None), xlim=(0, None))
    axes.legend(loc="best", frameon=False)
    figure.savefig(path, dpi=100)


def table(samples: list[Sample], minutes: float) -> str:
    """Some points of a curve."""
    times = [minutes * 60 * part / 6 for part in range(7)]
    nearest = [min(samples, key=lambda one, at=at: abs(one.seconds - at)) for at in times]  # type: ignore[misc]
    rows = [f"{one.seconds / 60:7.1f} {one.games:7,} {one.megabytes:9,.0f}" for one in nearest]
    return "\n".join(["minutes   games        MB", *rows])


def main() -> int:
    """Measure, and say what came out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=12.0)
    parser.add_argument("--memory", type=float, default=512.0, help="megabytes, as the server's option")
    parser.add_argument("--pages", type=int, default=4)
    parser.add_argument("--save", type=Path, help="a CSV file for the curve")
    parser.add_argument("--compare", type=Path, help="a curve that was saved before the change")
    parser.add_argument("--picture", type=Path, help="a PNG or SVG file")
    given = parser.parse_args()
    samples = short_games(given.memory, given.pages, lambda sample: sample.seconds < given.minutes * 60)
    if given.save:
        write(samples, given.save)
    if given.picture:
        before = {"before": read(given.compare)} if given.compare else {}
        draw({**before, "now": samples}, given.memory, given.picture)
    print(table(samples, given.minutes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
