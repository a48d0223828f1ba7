"""Python calls of Luozi's own functions, and the deepest chain of its own frames, on all threads, for common requests.

Counts are the same on every machine, but differ between versions of Python: from 3.12 on comprehensions are no calls.
Each request is made once before, so that everything is compiled and imported.
"""

from __future__ import annotations

import csv
import io
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

from rich.table import Table

import luozi
from luozi.cli.app import main
from luozi.rules.compiled_rules import compile_rules
from luozi.util.interruptible import idle_workers

PACKAGE = str(Path(luozi.__file__).parent)
GAMES = ("gomoku", "go:size=9", "othello", "connect4")
SETTLED = 0.05  # seconds without a call, after which a request is over on all threads
LONGEST = 30.0  # seconds to wait for that


class Counter:
    """Counts calls of the package in all threads that begin while it watches, and in this one."""

    def __init__(self) -> None:
        self.calls = self.deepest = 0
        self._depths: dict[int, int] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return
        thread = threading.get_ident()
        if event == "call":
            self._depths[thread] = depth = self._depths.get(thread, 0) + 1
            self.calls, self.deepest = self.calls + 1, max(self.deepest, depth)
        elif event == "return":
            self._depths[thread] = max(0, self._depths.get(thread, 0) - 1)

    def begin(self) -> None:
        """Count from nothing; frames that are open stay open."""
        self.calls = self.deepest = 0

    def settle(self) -> None:
        """Wait until nothing is called any more."""
        before, began = -1, time.monotonic()
        while self.calls != before and time.monotonic() < began + LONGEST:
            before = self.calls
            time.sleep(SETTLED)

    @contextmanager
    def watching(self) -> Iterator[Counter]:
        """Count within this block."""
        idle_workers.clear()  # a thread that has begun is not watched: the next search takes a new one
        earlier = sys.getprofile()
        threading.setprofile(self)
        sys.setprofile(self)
        try:
            yield self
        finally:
            sys.setprofile(earlier)
            threading.setprofile(None)  # type: ignore[arg-type]


class Count(tuple[int, int]):
    """Calls, and the deepest chain."""

    calls = property(lambda self: self[0])
    deepest = property(lambda self: self[1])


def command(*arguments: str, script: str = "") -> None:
    """Run a command of the command line; what it prints is dropped."""
    with (
        redirect_stdout(io.StringIO()),
        redirect_stderr(io.StringIO()),
        patch.object(sys, "stdin", io.StringIO(script)),
    ):
        if status := main(list(arguments)):
            raise RuntimeError(f"{' '.join(arguments)} ended with {status}")


def counted(request: Callable[[], object]) -> Count:
    """What a request takes the second time."""
    request()
    with Counter().watching() as counter:
        request()
        return Count((counter.calls, counter.deepest))


def think(game: str, player: str = "mcts:iterations=200") -> Count:
    """`luozi think`."""
    return counted(lambda: command("think", game, "--seed", "1", "--player", player))


def one_iteration(game: str = "gomoku") -> Count:
    """`Engine.think` of one iteration, on an engine that has thought before."""
    engine = luozi.Engine(luozi.game(game), seed=1)
    state = engine.game.new_state()
    return counted(lambda: engine.think(state, iterations=1))


def genmove() -> Count:
    """One more `genmove` of the Go engine: a conversation with three of them against one with two."""
    few, many = (
        counted(
            lambda moves=moves: command(  # type: ignore[misc]
                *("gtp", "--size", "5", "--player", "mcts:iterations=200,seed=1", "--seconds", "1000"),
                script="boardsize 5\n" + "genmove b\ngenmove w\n" * moves + "quit\n",
            )
        )
        for moves in (1, 2)
    )
    return Count(((many.calls - few.calls) // 2, many.deepest))


def move_in_match(game: str, few: int = 2, many: int = 12) -> Count:
    """A move of a match: a longer match less a shorter one, by the moves that it has more."""
    with tempfile.TemporaryDirectory() as folder:

        def play(games: int, name: str) -> int:
            players = ("mcts:iterations=200", "mcts:iterations=200,c=1.0")
            where = ("--store", f"{folder}/{name}.db", "--csv", f"{folder}/{name}.csv", "--workers", "1", "--seed", "3")
            command("match", *players, "--game", game, "--games", str(games), *where)
            with open(f"{folder}/{name}.csv", encoding="utf-8") as file:
                return sum(int(row["moves"]) for row in csv.DictReader(file))

        play(few, "first")
        with Counter().watching() as counter:
            moves = play(few, "few")
            calls, _ = counter.calls, counter.begin()
            moves_more = play(many, "many") - moves
            return Count(((counter.calls - calls) // moves_more, counter.deepest))


def click(game: str, moves: tuple[int, ...]) -> Count:
    """The last of some moves of a person against a person, from the socket to the answer."""
    from tests.web_page import PERSONS, page_at, serving

    compile_rules(luozi.game(game))  # as in a server that has searched this game before
    with Counter().watching() as counter, serving() as client, page_at(client) as page:
        page.ask("new", game=game, seats=PERSONS)
        for move in moves[:-1]:
            page.ask("play", action=move)
        counter.settle()
        counter.begin()
        if page.ask("play", action=moves[-1])["type"] != "moved":
            raise RuntimeError(f"{game}: {moves[-1]} was refused")
        counter.settle()
        return Count((counter.calls, counter.deepest))


CLICKS = {"gomoku": (112, 111, 97, 96), "go:size=9": (40, 39, 49, 48), "othello": (37, 43, 18, 19)}


def requests() -> Iterator[tuple[str, Callable[[], Count]]]:
    """What is counted, by name."""
    for game in GAMES:
        yield f"think {game}, mcts", lambda game=game: think(game)  # type: ignore[misc]
    yield "think gomoku, strong", lambda: think("gomoku", "strong:iterations=200")
    for game in ("gomoku:size=9", "othello"):
        yield f"a move in a match of {game}", lambda game=game: move_in_match(game)  # type: ignore[misc]
    for game, moves in CLICKS.items():
        yield f"click, {game}", lambda game=game, moves=moves: click(game, moves)  # type: ignore[misc]
    yield "GTP genmove, Go 5x5", genmove
    yield "Engine.think, one iteration, gomoku", one_iteration


def run() -> Table:
    """The table of all counts; the seconds are of the processor and of the whole measurement, and tell little."""
    table = Table(title="Python calls of Luozi's own functions")
    for column in ("request", "calls", "deepest chain", "CPU s"):
        table.add_column(column, justify="left" if column == "request" else "right")
    for name, request in requests():
        began = time.process_time()
        found = request()
        table.add_row(name, f"{found.calls:,}", str(found.deepest), f"{time.process_time() - began:.1f}")
    return table
