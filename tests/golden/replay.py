"""Ask what `cases` lists and reduce the answers to what must stay: no times, paths, versions and sentences."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

import luozi
from luozi.cli.app import main
from luozi.util.old_names import old_spelling
from tests.golden import cases
from tests.web_page import PATIENCE, page_at, serving

HERE = Path(__file__).parent
TRANSCRIPTS = HERE / "transcripts"
NAMED_SHARE = 8  # hexadecimal digits that stand for a list of candidates
UNSTABLE = ("seconds", "bytes", "notice", "score")  # of `think --json`: times, sizes of arrays, sentences
OF_MOVE = ("iterations", "nodes", "depth", "kept", "shared", "visits", "means", "draw", "line")
Transcript = Any  # plain JSON


@contextmanager
def playground(folder: Path, compiled: bool = False) -> Iterator[None]:
    """Work in a folder that holds the custom game; rules and searches run uncompiled unless asked for."""
    shutil.copy(HERE / "heap.py", folder)
    with chdir(folder), patch.object(luozi.Game, "compilable", compiled):
        yield


def run(*arguments: str, script: str = "", answer: str = "") -> str:
    """The standard output of a command that succeeds; a pattern tells the answers to the lines of a script."""
    with (
        redirect_stdout(io.StringIO()) as out,
        redirect_stderr(io.StringIO()) as err,
        patch.object(sys, "stdin", Controller(script, out, answer)),
    ):
        status = main(list(arguments))
    assert status == 0, (arguments, err.getvalue())
    return out.getvalue()


class Controller(io.TextIOBase):
    """A standard input that writes a line once the line before is answered; those that begin with a dash are not."""

    def __init__(self, script: str, output: io.StringIO, answer: str) -> None:
        self._lines, self._output, self._answer = script.strip().splitlines(), output, re.compile(answer, re.MULTILINE)
        self._asked = 0

    def readline(self, size: int | None = -1) -> str:
        """The next line, or nothing at the end."""
        began = time.monotonic()
        while (told := len(self._answer.findall(self._output.getvalue()))) < self._asked:
            assert time.monotonic() < began + PATIENCE, self._output.getvalue()
            time.sleep(0.001)
        assert told == self._asked or not self._asked, self._output.getvalue()
        if not self._lines:
            return ""
        line = self._lines.pop(0)
        self._asked += not line.startswith("-")
        return line.removeprefix("-") + "\n"


# Matches --------------------------------------------------------------------------------------------------------------


def match(name: str, game: str, players: tuple[str, ...], games: int, *more: str) -> Transcript:
    """Play a match into NAME.db, or go on with it there; its id and its table."""
    told = json.loads(
        run("match", *players, "--game", game, "--games", str(games), "--workers", "1", "--seed", "3",
            "--store", f"{name}.db", "--csv", f"{name}.csv", "--json", *more)
    )  # fmt: skip
    kept = ("id", "finished", "moves", "points", "meetings")
    return {**{key: told[key] for key in kept}, "scores": [row["score"] for row in told["rows"]]}


def rows(name: str) -> list[list[str]]:
    """Who sat where in each game of a match, the result, the number of moves and the seeds."""
    with open(f"{name}.csv", encoding="utf-8") as file:
        return [
            [
                old_spelling(value)
                for column, value in row.items()
                if not column.startswith(("seconds", "finished", "reason"))
            ]
            for row in csv.DictReader(file)
        ]


def searched(move: dict[str, Any]) -> list[Any]:
    """A move of a record: action, seat, what was thought, and a digest of all candidates."""
    found = [move["action"], move["seat"]]
    if thought := move.get("thought"):
        found += [thought.get(key) for key in OF_MOVE]
    if candidates := move.get("candidates"):
        found.append(hashlib.sha256(json.dumps(candidates).encode()).hexdigest()[:NAMED_SHARE])
    return found


def moves(name: str, number: int) -> list[list[Any]]:
    """All moves of one game of a match: the one place that knows how a record is read."""
    record = run("results", "--store", f"{name}.db", "--record", str(number))
    return [searched(json.loads(line)) for line in record.splitlines() if line.startswith('{"action"')]


def game(named: tuple[str, tuple[str, ...]]) -> Transcript:
    """The games of one pair or rotation, move by move."""
    spelling, players = named
    told = match("games", spelling, players, 1, "--visits")
    return {**told, "games": rows("games"), "moves": [moves("games", i + 1) for i in range(told["finished"])]}


def half(name: str) -> None:
    """Play the first half of a match and note that all of it was asked for, as if it had been stopped."""
    import sqlite3

    spelling, *players = cases.HALVES[name]
    match(name, spelling, tuple(players), cases.HALF)
    with sqlite3.connect(f"{name}.db") as store:
        store.execute("UPDATE contests SET wanted = ?", (cases.WHOLE,))
        store.execute("PRAGMA journal_mode=DELETE")
    store.close()
    shutil.copy(f"{name}.db", TRANSCRIPTS)


def whole(name: str) -> Transcript:
    """The table and the games of a match that is played to its end in the folder, where its first half may be."""
    spelling, *players = cases.HALVES[name]
    told = match(name, spelling, tuple(players), cases.WHOLE)
    return {**told, "games": rows(name), "moves": [moves(name, i + 1) for i in range(told["finished"])]}


def stored_times(name: str) -> list[str]:
    """When each game of a match was finished."""
    run("results", "--store", f"{name}.db", "--csv", "times.csv")
    with open("times.csv", encoding="utf-8") as file:
        return [row["finished"] for row in csv.DictReader(file)]


def identities(_: object = None) -> Transcript:
    """Ids of contests by the player named first, and of one whose game's class is in no file."""
    found = {}
    for number, player in enumerate(cases.NAMED):
        told = match(f"named{number}", "tictactoe", (player, "random"), 1, "--plies", "9")
        found[player] = told["id"]
    for spelling in (
        "gomoku",
        "go:size=9,komi=0.5",
        "heap.py",
        "heap.py:heap=7",
        "five3d:players=2",
        "qubic",
        "nim:players=2",
    ):
        found[f"of {spelling}"] = match("random", spelling, ("random", "random"), 1)["id"]
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(compile((HERE / "heap.py").read_text(), "<cell>", "exec"), scope)
    found["of a class in no file"] = luozi.match("random", "random", game=scope["Heap"](6), games=2, workers=1).id
    return found


# Searches and conversations -------------------------------------------------------------------------------------------


def stable(value: Any) -> Any:
    """A value without what may differ from run to run."""
    if isinstance(value, dict):
        return {key: stable(inner) for key, inner in value.items() if key not in UNSTABLE}
    if isinstance(value, str):
        return old_spelling(value)
    return [stable(inner) for inner in value] if isinstance(value, list) else value


def thought(arguments: tuple[str, ...]) -> Transcript:
    """What `luozi think --json` answers, with the first candidates and a digest of all."""
    found = stable(json.loads(run("think", *arguments, "--seed", "5", "--json")))
    outline = [[one["action"], one["visits"], [f"{mean:.9f}" for mean in one["means"]]] for one in found["candidates"]]
    found["all"] = hashlib.sha256(json.dumps(outline).encode()).hexdigest()[:NAMED_SHARE]
    found["candidates"] = found["candidates"][:3]
    return found


def gtp(player: str) -> Transcript:
    """The answers of the Go engine; of failures only that they failed, of a written game only its moves."""
    Path("game.sgf").write_text(cases.SGF, encoding="utf-8")
    script = cases.GTP.replace("{folder}", str(Path.cwd()))
    answers = run("gtp", "--player", player, "--size", "5", "--seconds", "1000", script=script, answer=r"\n\n").split(
        "\n\n"
    )
    lines = [answer.split(" ")[0] if answer.startswith("?") else answer.strip() for answer in answers if answer.strip()]
    written = Path("printed.sgf").read_text(encoding="utf-8") if Path("printed.sgf").exists() else ""
    return {"answers": lines, "written": re.findall(r"(?:\b(?:AB|AW|SZ|KM|HA|B|W)(?:\[[^\]]*\])+)", written)}


def gomocup(player: str) -> Transcript:
    """The answers of the Gomocup brain without its remarks."""
    lines = run("gomocup", "--player", player, script=cases.GOMOCUP, answer=r"^(?!MESSAGE|DEBUG).+$").splitlines()
    return [re.sub(r"^(ERROR|UNKNOWN).*", r"\1", line) for line in lines if not line.startswith(("MESSAGE", "DEBUG"))]


def course(player: str) -> Transcript:
    """The answers of the agent for the course platform."""
    lines = run("course", "--player", player, script=cases.COURSE, answer=r"^.+$").splitlines()
    return [re.sub(r"^error.*", "error", line) for line in lines]


# The page -------------------------------------------------------------------------------------------------------------

TOLD = (
    "type", "number", "name", "by", "action", "actions", "last", "moves", "result", "terminal", "to_move", "winning",
    "game", "rows", "columns", "players", "means", "kind", "pieces", "clicks", "stars", "move",
)  # fmt: skip


def shape(key: str, value: Any) -> Any:
    """The fields of a message, with the values of those that are moves, numbers and signs."""
    if isinstance(value, dict):
        return {name: shape(name, inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [len(value), *(shape(key, inner) for inner in value[:2])]
    return value if key in TOLD else type(value).__name__


def page(messages: tuple[dict[str, Any], ...]) -> Transcript:
    """The answers of the page's server to the messages of a person who plays for both sides."""
    told = []
    with serving() as client, page_at(client) as asking:
        for message in messages:
            values = dict(message)
            answer = asking.ask(str(values.pop("type")), **values)
            if answer["type"] == "moved":
                answer["name"] = answer["name"].lower()
            told.append(shape("", answer))
    return told


# All of it ------------------------------------------------------------------------------------------------------------

ASKED: dict[str, tuple[Callable[[Any], Transcript], dict[str, Any], bool]] = {
    "games": (game, cases.GAMES, False),
    "thoughts": (thought, cases.THOUGHTS, False),
    "compiled": (thought, cases.COMPILED_THOUGHTS, True),
    "gtp": (gtp, cases.BY_LINES, False),
    "gomocup": (gomocup, cases.BY_LINES, False),
    "course": (course, cases.BY_LINES, False),
    "page": (page, cases.PAGES, False),
    "identities": (identities, {"ids": None}, False),
    "halves": (whole, {name: name for name in cases.HALVES}, False),
    "long_games": (game, cases.LONG_GAMES, True),
    "long_thoughts": (thought, cases.LONG_THOUGHTS, True),
}


def answer(kind: str, name: str, folder: Path) -> Transcript:
    """What is answered now, in a folder that may be written to; as it is read from JSON."""
    ask, asked, compiled = ASKED[kind]
    with playground(folder, compiled):
        return json.loads(json.dumps(ask(asked[name])))


def transcript(kind: str) -> dict[str, Transcript]:
    """What was answered."""
    found: dict[str, Transcript] = json.loads((TRANSCRIPTS / f"{kind}.json").read_text(encoding="utf-8"))
    return found


def differences(was: Any, now: Any, where: str = "") -> Iterator[str]:
    """Where an answer is not what it was; fields may have been added."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key, value in was.items():
            yield from differences(value, now[key], f"{where}.{key}") if key in now else [f"{where}.{key} is missing"]
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for index, (before, after) in enumerate(zip(was, now, strict=True)):
            yield from differences(before, after, f"{where}[{index}]")
    elif not (was == now or (isinstance(was, float) and isinstance(now, float) and math.isclose(was, now))):
        yield f"{where}: {was} became {now}"
