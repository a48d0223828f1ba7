"""How often Luozi counts finished games of Go as GNU Go does: `python benchmarks/go_scores.py --games 20 --size 9`.

Games are played by Luozi and GNU Go in turn, Chinese rules, until both pass; nobody resigns. Then both are asked for
`final_score`. One line a game, and at the end in how many games winner and points agree.
"""

from __future__ import annotations

import argparse
import io
import shutil
import subprocess
import time

from luozi.games import game as make_game
from luozi.players.presets import strong_options
from luozi.search import Options
from luozi.servers.gtp import GtpServer
from luozi.servers.gtp_base import Settings

FOLDERS = "/usr/games:/usr/local/games:/usr/bin:/usr/local/bin"


class GnuGo:
    """One GNU Go."""

    def __init__(self, level: int, seed: int) -> None:
        words = ["--mode", "gtp", "--chinese-rules", "--never-resign", "--level", str(level), "--seed", str(seed)]
        command = [shutil.which("gnugo", path=FOLDERS) or "gnugo", *words]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, line: str) -> str:
        """The text of an answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + "\n")
        said = [self.process.stdout.readline()]
        while said[-1].strip():
            said.append(self.process.stdout.readline())
        assert said[0].startswith("="), (line, said)
        return said[0][1:].strip()

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()


def ask_us(server: GtpServer, line: str) -> str:
    """The text of our own answer."""
    name, *words = line.split()
    server.asked = time.monotonic()
    return server.commands[name](words) or ""


def play(server: GtpServer, number: int, size: int, level: int, watch: bool) -> tuple[str, str, int, str]:
    """One game: both scores, its moves and its record."""
    theirs = GnuGo(level, number + 1)
    try:
        for line in (f"boardsize {size}", "clear_board", "komi 7.5"):
            theirs.ask(line), ask_us(server, line)
        passes = moves = 0
        while passes < 2 and moves < 3 * size * size:
            colour = "bw"[moves % 2]
            if moves % 2 == number % 2 and not watch:
                move = ask_us(server, f"genmove {colour}")
                theirs.ask(f"play {colour} {move}")
            else:
                move = theirs.ask(f"genmove {colour}").lower()
                ask_us(server, f"play {colour} {move}")
            passes, moves = passes + 1 if move == "pass" else 0, moves + 1
        return ask_us(server, "final_score"), theirs.ask("final_score"), moves, server.sgf().decode()
    finally:
        theirs.close()


def main() -> None:
    """Play and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--level", type=int, default=1, help="of GNU Go")
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    parser.add_argument("--watch", action="store_true", help="GNU Go plays both sides, and Luozi counts only")
    given = parser.parse_args()
    values = {**strong_options(make_game("go")), "iterations": given.iterations, "seed": 1}
    server = GtpServer(io.StringIO(), io.StringIO(), Options.of(**values), Settings(resign=0.0))
    same = winners = 0
    for number in range(given.first, given.first + given.games):
        ours, theirs, moves, record = play(server, number, given.size, given.level, given.watch)
        same, winners = same + (ours == theirs), winners + (ours[0] == theirs[0])
        side = "-" if given.watch else "bw"[number % 2]
        print(f"game {number}: Luozi {side}, {moves} moves, {ours}, GNU Go says {theirs}", flush=True)
        if ours != theirs:
            print(record.replace("\n", ""))
    print(f"the same score in {same} of {given.games} games, the same winner in {winners}")
    server.forget_readiness()


if __name__ == "__main__":
    main()
