"""Whether a player sees in time that a game of Gomoku is being lost: 20 games that a search with a network lost.

Each game is judged at one position, the last own move before the win rate of that search fell below 10 %. A player
passes that plays another move there, or whose win rate is below 25 %. The last column judges one own move earlier.

`python -m benchmarks.lost_games PLAYER ...` judges players by their specifications.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

import luozi
from luozi.players import player
from luozi.rules.position import Position

FILE = Path(__file__).with_name("gomoku_lost_games.txt")
LOST, SEEN = 10, 0.25  # percent, from which on a game counts as lost; the win rate of a player who sees it
PLAYERS = ("strong:seconds=1", "strong:seconds=1,network_vct_nodes=16")


class LostGame(NamedTuple):
    """A game, and the plies of the own moves up to the one before it was lost."""

    moves: list[str]
    plies: list[int]


def lost_games() -> list[LostGame]:
    """Return the games of the file."""
    found = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            _, rates, moves = (part.split() for part in line.split("|"))
            own = [ply for ply, rate in enumerate(rates) if rate != "-"]
            lost = next(ply for ply in own if int(rates[ply]) < LOST)
            found.append(LostGame(moves, [ply for ply in own if ply < lost] or [lost]))
    return found


def judge(spelling: str, game: LostGame, back: int = 0) -> tuple[bool, bool, float]:
    """Return whether a player passes so many own moves before the last one, by another move, and its win rate."""
    ply = game.plies[max(0, len(game.plies) - 1 - back)]
    rules = luozi.game("gomoku")
    position: Position = rules.begin()
    for move in game.moves[:ply]:
        position = position.play(move)
    one = player(spelling, rules)
    one.prepare()
    action = one.choose(position)
    best = one.thought.best if one.thought is not None else None
    rate = best.means[position.to_move] if best is not None else 0.5
    other = rules.action_to_string(position.state, action) != game.moves[ply]
    one.close()
    return other or rate < SEEN, other, float(rate)


def table(spellings: tuple[str, ...]) -> Table:
    """Judge players by all games."""
    found = Table(title=__doc__.splitlines()[0] if __doc__ else "")
    for column in ("player", "of 20", "other moves", "win rates in percent", "of 20 a move earlier"):
        found.add_column(column)
    for spelling in spellings:
        judged = [judge(spelling, game) for game in lost_games()]
        earlier = [judge(spelling, game, 1) for game in lost_games()]
        rates = " ".join(f"{100 * rate:.0f}{'*' if other else ''}" for _, other, rate in judged)
        found.add_row(
            spelling,
            str(sum(passed for passed, *_ in judged)),
            str(sum(other for _, other, _ in judged)),
            rates,
            str(sum(passed for passed, *_ in earlier)),
        )
    return found


def run() -> Table:
    """Judge `strong` with and without its search for threes."""
    return table(PLAYERS)


if __name__ == "__main__":
    Console().print(table(tuple(sys.argv[1:]) or PLAYERS))
