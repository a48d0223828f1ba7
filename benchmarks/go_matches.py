"""Luozi against GNU Go 3.8, level 10, Chinese rules, komi 7.5: `python benchmarks/go_matches.py strong9 patterns`.

Without names all of ROWS are played, one after the other: days on few cores. Every game is kept at once in the store;
the same command goes on after a stop, and one line a row tells what is known. GNU Go draws a seed of its own for each
game. It gets ten minutes a move, which it never needs, so that a busy machine makes nobody lose on time.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import luozi
from luozi.matches.openings import Openings

GNU_GO = "gnugo --mode gtp --level 10 --chinese-rules"
# Of what it adds alone each piece gives lost games up, which spares a third of GNU Go's time.
ALONE = "mcts:iterations=3000,resign_threshold=0.05"
RAVE = f"{ALONE},playout_policy=true,rave=fuego,rave_weight=3000,c=0"
WHOLE = "strong:iterations=3000,early_stop=false"


class Row(NamedTuple):
    """A match."""

    player: str
    size: int = 9
    games: int = 100


ROWS = {
    # All iterations that a move has: without settle, which ends a search whose choice is made.
    "strong9": Row(WHOLE, 9, 200),
    "strong13": Row("strong:iterations=10000,early_stop=false", 13, 60),
    "strong19": Row("strong:iterations=20000,early_stop=false", 19, 20),
    # What each piece adds, from plain UCT to strong.
    "plain": Row("mcts:iterations=3000"),
    "patterns": Row(f"{ALONE},playout_policy=true,heuristic_weights=order:123+ladders:0"),
    "everywhere": Row(f"{ALONE},playout_policy=true,heuristic_weights=order:123+ladders:0+everywhere:true"),
    "simulations": Row(f"{ALONE},playout_policy=true"),
    "tuned": Row(f"{ALONE},playout_policy=true,selection=ucb1_tuned"),
    "fpu": Row(f"{ALONE},playout_policy=true,selection=ucb1_tuned,fpu=1.1"),  # as in MoGo
    "rave": Row(RAVE),
    "priors": Row(f"{RAVE},prior_visits=10"),
    # What strong loses without one of them, or with one that it does not have.
    "no_ladders": Row(f"{WHOLE},resign_threshold=0.05,heuristic_weights=ladders:0+read:false"),
    "no_nakade": Row(f"{WHOLE},resign_threshold=0.05,heuristic_weights=order:4123"),
    "late_nodes": Row(f"{WHOLE},resign_threshold=0.05,expand_after=8"),
    "candidates": Row(f"{WHOLE},resign_threshold=0.05,candidates_only=true"),
    "territory": Row(f"{WHOLE},resign_threshold=0.05,territory_playouts=50,ownership=true"),
}


def main() -> None:
    """Play rows, and tell their scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", default=[*ROWS], metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--store", default="go-matches.db")
    parser.add_argument("--games", type=int, help="fewer, or more, than each row says")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    for name in given.rows:
        row = ROWS[name]
        summary = luozi.match(
            row.player,
            f"gtp:seconds=600,{GNU_GO}",
            game=f"go:size={row.size}",
            games=given.games or row.games,
            openings=Openings(0),
            store=given.store,
            workers=given.workers,
        )
        duel = summary.duel
        assert duel is not None
        low, high = duel.interval
        forfeits = sum(times for _who, _what, times in summary.forfeits)
        told = f"{duel.score:.1%} ({low:.1%} to {high:.1%}) of {summary.counted} games, {forfeits} by forfeit"
        print(f"{name}: {told}; {row.player} on {row.size}x{row.size}", flush=True)


if __name__ == "__main__":
    main()
