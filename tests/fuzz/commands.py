"""Whole commands: words, files and streams that are wrong, each in a process with limits of its own.

A command must end in time with status 0 or 2 (130 where it was interrupted), without a traceback and without asking for
a report of an error of ours.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from .chance import Chance
from .classes import source
from .records import Records
from .stem import limit
from .stores import make_store

SECONDS = 300.0  # for one command; more is a hang, also on a busy machine: a command may take 100 s of the processor
MOST_FAILURES = 20
STREAMS = ("<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full", "</dev/zero")
# Only players and games that are compiled quickly, or not at all; a word in capitals stands for a file.
TEMPLATES = (
    "games NAME",
    "players NAME",
    "play tictactoe --seat random --seat random --seed 3 --save NEW",
    "play tictactoe --seat person --seat random",
    "play --load RECORD --seat random --seat random",
    "play OWN --seat random --seat random",
    "think tictactoe --player flat:playouts=3 --moves MOVES",
    "think --load RECORD --player random --json",
    "think OWN --player random",
    "check OWN --games 3",
    "think OWN --player mcts:iterations=30,seed=1 --seed 1",
    "results --db STORE",
    "results --db STORE --list",
    "results --db STORE --json",
    "results --db STORE --record 2",
    "results --db STORE --csv NEW.csv",
    "results --db STORE --html NEW.html",
    "results --db STORE --recover NEW",
    "match random:seed=1 random -g tictactoe -n 6 --workers 1 --db STORE --sprt 0,300",
    "match random random -g tictactoe -n 2 --workers 1 --db STORE --openings OPENINGS",
    "match random random -g OWN -n 2 --workers 1 --db NEW",
    "tournament random random random -g tictactoe -n 2 --workers 1 --db STORE",
    "tune random -p seed=1:9 --opponent random -g tictactoe -n 4 --trial-games 2 --workers 1 --db STORE",
    "match NAME random -g connect4 -n 2 --workers 1 --db NEW",
    "experiment NAME --quick --db STORE",
    "think --load SGF --player random",
    "play --load SGF --seat random --seat random --save NEW.sgf",
    "analyze SGF --player NAME",
    "gtp --rules NAME",
    "gtp",
    "gomocup",
    "course",
    "cache list",
    "cache NAME",
    "doctor NAME",
    "NAME",
    "--version",
)


class Command(NamedTuple):
    """What is typed into a shell, in a folder of its own."""

    number: int
    words: list[str]
    streams: str  # what a shell does with them
    input: bytes
    folder: Path

    @property
    def line(self) -> str:
        """As it is typed."""
        return " ".join(shlex.quote(word) for word in self.words) + self.streams


class Folder:
    """Makes folders full of spoilt files."""

    def __init__(self, root: Path) -> None:
        self.root, self.records = root, Records()
        self.store = make_store(root / "whole.db").read_bytes()

    def command(self, number: int, chance: Chance) -> Command:
        """One command with all that it reads."""
        folder = self.root / str(number)
        folder.mkdir()
        words = [self.word(word, folder, chance) for word in chance.choice(TEMPLATES).split()]
        if chance.often(0.3):
            place = chance.randrange(len(words) + 1)
            words[place : place + chance.randint(0, 1)] = [chance.nonsense()]
        if chance.often(0.1):
            words = [chance.spoil(word) if chance.often(0.3) else word for word in words]
        streams = f" {chance.choice(STREAMS)}" if chance.often(0.15) else ""
        return Command(number, [word.replace("\0", "") for word in words], streams, self.typed(chance), folder)

    def word(self, word: str, folder: Path, chance: Chance) -> str:
        """A word of a template, with the file that it stands for."""
        if word in ("STORE", "RECORD", "OWN", "OPENINGS", "SGF"):
            path = folder / {"STORE": "results.db", "OWN": "own.py", "SGF": "game.sgf"}.get(word, word.lower())
            path.write_bytes(getattr(self, "damaged" if word == "STORE" else word.lower())(chance))
            return path.name
        if word == "MOVES":
            return " ".join(chance.some(("b2", "a1", "#3", chance.nonsense()), 4))
        names = (
            "tictactoe",
            "mcts:c=0.7",
            "gtp:cat",
            "gomocup:cat",
            "connect4_library:/dev/null",
            "ladder",
            "list",
            "strong",
        )
        return chance.spoil(chance.choice(names)) if word == "NAME" else word

    def damaged(self, chance: Chance) -> bytes:
        """A store, most often a damaged one."""
        return chance.spoil_bytes(self.store) if chance.often(0.9) else self.store

    def record(self, chance: Chance) -> bytes:
        """A record, most often a spoilt one."""
        text = self.records.record(chance).text()
        return (chance.spoil(text) if chance.often(0.7) else text).encode(errors="replace")

    def sgf(self, chance: Chance) -> bytes:
        """A file of another program, most often a spoilt one."""
        text = "(;GM[1]SZ[5]KM[6.5]C[x];B[cc];W[bb](;B[dd];W[])(;B[ee]))"
        return (chance.spoil(text) if chance.often(0.8) else text).encode(errors="replace")

    def own(self, chance: Chance) -> bytes:
        """A game with mistakes."""
        return source(chance).encode(errors="replace")

    def openings(self, chance: Chance) -> bytes:
        """Lines of moves."""
        return chance.spoil("b2 a1\n# nothing\nc3, b2\n\n#3\n").encode(errors="replace")

    def typed(self, chance: Chance) -> bytes:
        """What somebody types into it, or sends it."""
        lines = chance.some(
            ("b2", "undo", "help", "quit", "save x", "hint", "TURN 1,1", "new 4 4 0 0 first", "play b D4", ""), 8
        )
        lines = [chance.spoil(line) if chance.often(0.4) else line for line in lines]
        flood = chance.often(0.02)
        if flood:  # of whatever is answered at once: a hint takes its second, and thousands of them as many
            lines = [line for line in lines if line.strip() != "hint"]
        return "\n".join(lines).encode(errors="replace") * (4_000 if flood else 1)


def run(command: Command) -> str:
    """What is wrong with a command's end; nothing if all is well."""
    words = f"exec {shlex.quote(sys.executable)} -m luozi.cli {command.line}"
    environment = {**os.environ, "COLUMNS": "100"}
    environment.pop("LUOZI_DEBUG", None)
    process = subprocess.Popen(
        ["sh", "-c", words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=command.folder,
        env=environment,
        start_new_session=True,
        preexec_fn=limit,
    )
    try:
        output, errors = process.communicate(command.input, SECONDS)
    except subprocess.TimeoutExpired:
        return f"still going on after {SECONDS:g} s"
    finally:
        end(process)
    return judge(process.returncode, output + errors)


def judge(status: int | None, output: bytes) -> str:
    """What is wrong with a command that ended so and said so much."""
    said = output.decode(errors="replace")
    if status is None:
        return f"still going on after {SECONDS:g} s"
    if status not in (0, 2):
        return f"status {status}: {said[-500:]}"
    return said[-2000:] if "Traceback" in said or "report it" in said else ""


class Stem:
    """Runs commands that leave the streams alone as branches of one process, where all is loaded already."""

    def __init__(self) -> None:
        words = [sys.executable, "-m", "tests.fuzz.stem"]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, command: Command) -> str:
        """What is wrong with a command's end; nothing if all is well."""
        try:
            [word.encode() for word in command.words]
        except UnicodeEncodeError:
            return run(command)
        if command.streams or command.number % 20 == 0:
            return run(command)
        folder = command.folder
        (folder / ".input").write_bytes(command.input)
        asked = {"folder": str(folder), "words": command.words, "seconds": SECONDS}
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps(asked), file=self.process.stdin, flush=True)
        status = json.loads(self.process.stdout.readline())
        said = [(folder / name).read_bytes() if (folder / name).exists() else b"" for name in (".output", ".errors")]
        return judge(status, said[0][-(10**6) :] + said[1])

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()


def end(process: subprocess.Popen[bytes]) -> None:
    """Nothing of a command stays."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def fuzz_commands(commands: int, seed: int, first: int = 0, workers: int | None = None) -> int:
    """Run so many commands, a few at a time; how many failed."""
    began, failures = time.monotonic(), 0
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        folder, stems, here = Folder(Path(name)), [], threading.local()

        def one(number: int) -> tuple[Command, str]:
            if not hasattr(here, "stem"):
                here.stem = Stem()
                stems.append(here.stem)
            command = folder.command(number, Chance(f"{seed} command {number}"))
            try:
                return command, here.stem.run(command)
            finally:
                shutil.rmtree(command.folder, ignore_errors=True)

        for command, wrong in pool.map(one, range(first, first + commands)):
            if wrong:
                failures += 1
                again = f"python -m tests.fuzz --inputs 0 --commands 1 --first {command.number} --seed {seed}"
                print(f"\nFAILED: {again}\nluozi {command.line}\n{wrong}", file=sys.stderr, flush=True)
            if failures >= MOST_FAILURES:
                commands = command.number - first + 1
                pool.shutdown(cancel_futures=True)
                break
        for stem in stems:
            stem.close()
    print(f"commands: {commands:,} in {time.monotonic() - began:.1f} s, {failures} failures", flush=True)
    return failures
