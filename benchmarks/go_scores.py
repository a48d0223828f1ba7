"""How often Luozi counts finished games of Go as GNU Go does: `python benchmarks/go_scores.py --games 20 --size 9`.

Games are played by Luozi and GNU Go in turn, Chinese rules, until both pass; nobody resigns. Then both are asked for
`final_score`. One line a game, and at the end in how many games winner and points agree. `--keep FILE` keeps every game
with what GNU Go says of it; the same command goes on where it was stopped, and `--again FILE` counts kept games anew.
`--files FOLDER` counts finished games of others instead, as SGF: `luozi results --sgf FOLDER` writes those of a match.
"""

from __future__ import annotations

import argparse
import io
import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, NamedTuple

from luozi.games import game as make_game
from luozi.limits import NEVER
from luozi.players.presets import strong_options
from luozi.records import load_record
from luozi.records.sgf_text import tree_of
from luozi.search import Options
from luozi.servers.conversation import Conversation
from luozi.servers.gtp.position import Terms
from luozi.servers.gtp.records import loaded, sgf
from luozi.servers.gtp.server import new_session
from luozi.servers.gtp.session import INPUT_RULES, GtpOptions, GtpSession

FOLDERS = "/usr/games:/usr/local/games:/usr/bin:/usr/local/bin"


class Played(NamedTuple):
    """A finished game, and what GNU Go says of it."""

    number: int
    side: str  # of Luozi: b or w, or - where GNU Go played both
    moves: int
    score: str
    dead: str
    sgf: str


class GnuGo:
    """One GNU Go."""

    def __init__(self, level: int, seed: int) -> None:
        words = ["--mode", "gtp", "--chinese-rules", "--never-resign", "--level", str(level), "--seed", str(seed)]
        command = [shutil.which("gnugo", path=FOLDERS) or "gnugo", *words]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, line: str) -> str:
        """The text of an answer, its lines as one."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + "\n")
        said = [self.process.stdout.readline()]
        while said[-1].strip():
            said.append(self.process.stdout.readline())
        assert said[0].startswith("="), (line, said)
        return " ".join("".join(said)[1:].split())

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()


def ask_us(session: GtpSession, line: str) -> str:
    """The text of our own answer, its lines as one."""
    name, *words = line.split()
    session.conversation.asked = time.monotonic()
    return " ".join(session.commands[name].run(session, words).split())


def play(session: GtpSession, number: int, size: int, level: int, watch: bool) -> Played:
    """One game."""
    theirs = GnuGo(level, number + 1)
    try:
        for line in (f"boardsize {size}", "clear_board", "komi 7.5"):
            theirs.ask(line), ask_us(session, line)
        passes = moves = 0
        while passes < 2 and moves < 3 * size * size:
            colour = "bw"[moves % 2]
            if moves % 2 == number % 2 and not watch:
                move = ask_us(session, f"genmove {colour}")
                theirs.ask(f"play {colour} {move}")
            else:
                move = theirs.ask(f"genmove {colour}").lower()
                ask_us(session, f"play {colour} {move}")
            passes, moves = passes + 1 if move == "pass" else 0, moves + 1
        side, record = "-" if watch else "bw"[number % 2], sgf(session.position).decode().replace("\n", "")
        return Played(number, side, moves, theirs.ask("final_score"), theirs.ask("final_status_list dead"), record)
    finally:
        theirs.close()


def compare(session: GtpSession, game: Played) -> tuple[bool, bool]:
    """Whether our score and our winner are GNU Go's; where not, the position and who calls what dead are shown."""
    ours = ask_us(session, "final_score")
    print(f"game {game.number}: Luozi {game.side}, {game.moves} moves, {ours}, GNU Go says {game.score}", flush=True)
    if ours != game.score:
        said = {status: ask_us(session, f"final_status_list {status}") for status in ("dead", "seki")}
        print(session.position.game.show(session.position.state))
        print(f"dead: {said['dead']}; unsure: {said['seki']}; dead for GNU Go: {game.dead}", flush=True)
    return ours == game.score, ours[0] == game.score[0]


def kept_games(path: Path | None) -> list[Played]:
    """The games of a file, which may be missing."""
    lines = path.read_text().splitlines() if path is not None and path.exists() else []
    return [Played(*json.loads(line)) for line in lines]


def finished_games(folder: Path, level: int) -> Any:
    """The games of a folder that ended by two passes, with what GNU Go says of them."""
    for number, file in enumerate(sorted(folder.glob("*.sgf"))):
        record, theirs = load_record(file), GnuGo(level, number + 1)
        if record.results() is not None and record.resigned is None and not record.forfeit:
            theirs.ask(f"loadsgf {file.resolve()}")
            said = theirs.ask("final_score"), theirs.ask("final_status_list dead")
            yield Played(number, "-", len(record.actions), *said, file.read_text())
        theirs.close()


def new_games(session: GtpSession, given: argparse.Namespace) -> Any:
    """Game after game, each kept at once."""
    known = {game.number: game for game in kept_games(given.keep)}
    for number in range(given.first, given.first + given.games):
        if number not in known:
            game = play(session, number, given.size, given.level, given.watch)
            if given.keep is not None:
                with given.keep.open("a") as file:
                    file.write(json.dumps(game) + "\n")
            yield game


def main() -> None:
    """Play and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--level", type=int, default=1, help="of GNU Go")
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    parser.add_argument("--watch", action="store_true", help="GNU Go plays both sides, and Luozi counts only")
    parser.add_argument("--keep", type=Path, help="a file to keep games in")
    parser.add_argument("--again", type=Path, help="count the games of such a file, and play none")
    parser.add_argument("--files", type=Path, help="a folder of finished games as SGF to count, and play none")
    given = parser.parse_args()
    values = {**strong_options(make_game("go")), "iterations": given.iterations, "seed": 1}
    conversation = Conversation(io.StringIO(), io.StringIO(), INPUT_RULES)
    session = new_session(conversation, Options.of(**values), GtpOptions(resign=0.0))
    found: list[tuple[bool, bool]] = []
    if given.files:
        games = finished_games(given.files, given.level)
    else:
        games = kept_games(given.again) if given.again else new_games(session, given)
    for game in games:
        if given.files or given.again:
            session.position = loaded(tree_of(game.sgf.encode(), "it"), "it", Terms(), None)
            session.engine_for(None, NEVER)
        found.append(compare(session, game))
    same, winners = (sum(one[place] for one in found) for place in (0, 1))
    print(f"the same score in {same} of {len(found)} games, the same winner in {winners}")
    session.close_search()


if __name__ == "__main__":
    main()
